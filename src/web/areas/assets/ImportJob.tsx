/** An import that is written in the background, until it is over. */

import { Box, Card, CardContent, LinearProgress, Typography } from '@mui/material'
import { useEffect } from 'react'

import { useCall, useRefresh } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { Imported } from '../../ui/imports.tsx'

const words = texts({
  en: { importing: (done: number, all: number) => (all === 0 ? 'Importing' : `${done} of ${all} rows`) },
  zh: { importing: (done: number, all: number) => (all === 0 ? '正在导入' : `${done} / ${all} 行`) },
})

interface Props {
  operation: 'assets.importJob' | 'supplies.importJob'
  jobId: string
  /** Operations whose answers it has changed. */
  refreshes: readonly string[]
  /** The list of all that there is, and the words of its link. */
  to: string
  show: string
  onAgain: () => void
}

export function ImportJob({ operation, jobId, refreshes, to, show, onAgain }: Props) {
  const t = useTexts(words)
  const refresh = useRefresh()
  const job = useCall(
    operation,
    { params: { jobId } },
    { every: 700, isLast: ({ state }) => state === 'DONE' || state === 'FAILED' },
  )
  const state = job.data?.state
  const isOver = state === 'DONE' || state === 'FAILED'
  useEffect(() => {
    if (isOver) void refresh(...refreshes)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `refresh` is new in each render
  }, [isOver])
  if (isOver)
    return <Imported result={job.data?.result} hasFailed={state === 'FAILED'} to={to} show={show} onAgain={onAgain} />
  return (
    <Card variant="outlined">
      <CardContent>
        {job.error !== null && job.data === undefined ? (
          <ErrorNotice error={job.error} onRetry={() => void job.refetch()} />
        ) : (
          <Box aria-live="polite">
            <Typography sx={{ mb: 1 }}>{t.importing(job.data?.processed ?? 0, job.data?.total ?? 0)}</Typography>
            <LinearProgress
              aria-label={t.importing(0, 0)}
              variant={job.data?.total ? 'determinate' : 'indeterminate'}
              value={job.data?.total ? (100 * job.data.processed) / job.data.total : 0}
            />
          </Box>
        )}
      </CardContent>
    </Card>
  )
}
