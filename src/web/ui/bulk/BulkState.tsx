/** How far an action on many rows is, and afterwards what was refused and why. */

import { Alert, Box, LinearProgress, Typography } from '@mui/material'

import { ApiError } from '../../api/errors.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import type { Bulk } from './use-bulk.ts'

const words = texts({
  en: {
    progress: (done: number, all: number) => `${done} of ${all}`,
    refused: (n: number) => (n === 1 ? 'One was left as it is:' : `${n} were left as they are:`),
    times: (n: number) => `${n} ×`,
    named: (names: readonly string[], others: number) =>
      `${names.map((name) => `“${name}”`).join(', ')}${others > 0 ? ` and ${others} more` : ''}:`,
    request: (id: string) => `Request ${id}`,
  },
  zh: {
    progress: (done: number, all: number) => `${done} / ${all}`,
    refused: (n: number) => `有 ${n} 个未改动：`,
    times: (n: number) => `${n} 个：`,
    named: (names: readonly string[], others: number) =>
      `${names.map((name) => `“${name}”`).join('、')}${others > 0 ? `等 ${names.length + others} 个` : ''}：`,
    request: (id: string) => `请求编号 ${id}`,
  },
})

const MOST_NAMES = 10

export function BulkState({ bulk: { progress, refusals, forget } }: { bulk: Bulk }) {
  const t = useTexts(words)
  if (progress !== undefined) {
    const text = t.progress(progress.done, progress.all)
    return (
      <Box sx={{ my: 1 }}>
        <LinearProgress variant="determinate" value={(100 * progress.done) / progress.all} aria-label={text} />
        <Typography variant="body2">{text}</Typography>
      </Box>
    )
  }
  if (refusals.length === 0) return null
  return (
    <Alert severity="error" onClose={forget} sx={{ my: 1, overflowWrap: 'anywhere' }}>
      {t.refused(refusals.reduce((sum, { count }) => sum + count, 0))}
      {refusals.map(({ error, count, names }) => (
        <Typography key={String(error)} variant="body2">
          {names.length > 0
            ? `${t.named(names.slice(0, MOST_NAMES), count - Math.min(names.length, MOST_NAMES))} `
            : refusals.length > 1 && `${t.times(count)} `}
          {error instanceof ApiError ? error.text : String(error)}
          {error instanceof ApiError && error.requestId !== '' && ` (${t.request(error.requestId)})`}
        </Typography>
      ))}
    </Alert>
  )
}
