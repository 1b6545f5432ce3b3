/** The state of an export of a person's data: its progress, or the button that downloads it. */

import { Download } from '@mui/icons-material'
import { Alert, Box, Button, LinearProgress, Typography } from '@mui/material'

import { useAction } from '../api/hooks.ts'
import type { DataExport } from '../api/types.ts'
import { bytes, dateTime } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: {
    running: (percent: number) => `The archive is being made: ${percent} %. You can leave this page.`,
    progress: 'Progress of the export',
    ready: (size: string, until: string) => `The archive is ready (${size}). It is deleted on ${until}.`,
    download: 'Download',
    failed: 'The export failed. You can start it again.',
    expired: (when: string) => `The archive of ${when} was deleted.`,
  },
  zh: {
    running: (percent: number) => `正在生成压缩包：${percent}%。可以离开此页面。`,
    progress: '导出进度',
    ready: (size: string, until: string) => `压缩包已就绪（${size}），将于 ${until} 删除。`,
    download: '下载',
    failed: '导出失败，可以重新开始。',
    expired: (when: string) => `${when}的压缩包已删除。`,
  },
})

/** For `useCall`: how often the state is asked for. */
export const EXPORT_POLLING = {
  every: 2000,
  isLast: (job: DataExport | null): boolean => job?.status !== 'RUNNING',
} as const

export function DataExportState({ job }: { job: DataExport }) {
  const t = useTexts(words)
  const link = useAction('ownData.downloadLink', { refreshes: [], onDone: ({ url }) => location.assign(url) })
  if (job.status === 'RUNNING')
    return (
      <Box>
        <Typography sx={{ mb: 1 }}>{t.running(job.progress)}</Typography>
        <LinearProgress variant="determinate" value={job.progress} aria-label={t.progress} />
      </Box>
    )
  if (job.status === 'FAILED') return <Alert severity="error">{t.failed}</Alert>
  if (job.status === 'EXPIRED')
    return <Typography color="text.secondary">{t.expired(dateTime(job.createdAt))}</Typography>
  return (
    <Box>
      <Typography sx={{ mb: 1 }}>{t.ready(bytes(job.bytes ?? 0), dateTime(job.expiresAt))}</Typography>
      <Button
        variant="contained"
        startIcon={<Download />}
        loading={link.isPending}
        onClick={() => link.mutate({ params: { id: job.id } })}
      >
        {t.download}
      </Button>
    </Box>
  )
}
