/** How far an action on many rows is, and afterwards what was refused and why. */

import { Alert, Box, Button, LinearProgress, Stack, Typography } from '@mui/material'

import { ApiError } from '../../api/errors.ts'
import { withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import type { Bulk, Progress } from './use-bulk.ts'

const words = texts({
  en: {
    progress: (done: number, all: number) => `${done} of ${all}`,
    stop: 'Stop',
    refused: (n: number) => (n === 1 ? 'One was left as it is:' : `${n} were left as they are:`),
    named: (names: readonly string[], others: number) =>
      `${names.map((name) => `“${name}”`).join(', ')}${others > 0 ? ` and ${others} more` : ''}:`,
    request: (id: string) => `Request ${id}`,
  },
  zh: {
    progress: (done: number, all: number) => `${done} / ${all}`,
    stop: '停止',
    refused: (n: number) => `有 ${n} 个未改动：`,
    named: (names: readonly string[], others: number) =>
      `${names.map((name) => `“${name}”`).join('、')}${others > 0 ? `等 ${names.length + others} 个` : ''}：`,
    request: (id: string) => `请求编号 ${id}`,
  },
})

const MOST_NAMES = 10

export function ProgressBar({ progress: { done, all }, onStop }: { progress: Progress; onStop: () => void }) {
  const t = useTexts(words)
  const text = t.progress(done, all)
  return (
    <Stack direction="row" spacing={1} sx={{ my: 1, alignItems: 'center', width: '100%' }}>
      <Box sx={{ flex: 1 }}>
        <LinearProgress variant="determinate" value={(100 * done) / all} aria-label={text} />
        <Typography variant="body2">{text}</Typography>
      </Box>
      <Button size="small" onClick={onStop}>
        {t.stop}
      </Button>
    </Stack>
  )
}

export function BulkState({ bulk: { progress, refusals, forget, stop } }: { bulk: Bulk }) {
  const t = useTexts(words)
  if (progress !== undefined) return <ProgressBar progress={progress} onStop={stop} />
  if (refusals.length === 0) return null
  return (
    <Alert severity="error" onClose={forget} sx={{ my: 1, overflowWrap: 'anywhere' }}>
      {t.refused(refusals.reduce((sum, { names }) => sum + names.length, 0))}
      {refusals.map(({ error, names }) => (
        <Typography key={String(error)} variant="body2">
          {`${t.named(names.slice(0, MOST_NAMES), names.length - Math.min(names.length, MOST_NAMES))} `}
          {error instanceof ApiError
            ? withNote(error.text, error.requestId !== '' && t.request(error.requestId))
            : String(error)}
        </Typography>
      ))}
    </Alert>
  )
}
