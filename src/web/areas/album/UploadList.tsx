/** Progress of the photos that are being added, and the reasons of those that failed. */

import { CheckCircle, Close, ErrorOutlined } from '@mui/icons-material'
import { Box, Button, Card, CardContent, IconButton, LinearProgress, Stack, Typography } from '@mui/material'

import { ApiError } from '../../api/errors.ts'
import { common } from '../../i18n/common.ts'
import { list as listed } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { clearUploads, retryPhoto, type Upload } from './uploads.ts'

const words = texts({
  en: {
    ...common.en,
    adding: (done: number, all: number) => `Adding photos: ${done} of ${all}`,
    added: (n: number) => (n === 1 ? '1 photo added' : `${n} photos added`),
    failed: (n: number) => (n === 1 ? '1 photo could not be added' : `${n} photos could not be added`),
    progress: (name: string) => `Progress of ${name}`,
    unknown: 'The photo could not be sent.',
  },
  zh: {
    ...common.zh,
    adding: (done: number, all: number) => `正在添加照片：${done} / ${all}`,
    added: (n: number) => `已添加 ${n} 张照片`,
    failed: (n: number) => `${n} 张照片添加失败`,
    progress: (name: string) => `${name} 的进度`,
    unknown: '照片发送失败。',
  },
})

export function UploadList({ uploads: list }: { uploads: readonly Upload[] }) {
  const t = useTexts(words)
  if (list.length === 0) return null
  const done = list.filter(({ state }) => state === 'done').length
  const failed = list.filter(({ state }) => state === 'failed')
  const isRunning = done + failed.length < list.length
  const rest = list.filter(({ state }) => state === 'sending' || state === 'failed')
  return (
    <Card variant="outlined" sx={{ mb: 2 }}>
      <CardContent sx={{ '&:last-child': { pb: 2 } }}>
        <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
          {!isRunning && (failed.length > 0 ? <ErrorOutlined color="error" /> : <CheckCircle color="success" />)}
          <Typography component="output" sx={{ flex: 1, fontWeight: 600 }}>
            {isRunning
              ? t.adding(done, list.length)
              : listed([...(done > 0 ? [t.added(done)] : []), ...(failed.length > 0 ? [t.failed(failed.length)] : [])])}
          </Typography>
          {!isRunning && (
            <IconButton aria-label={t.close} onClick={clearUploads} edge="end">
              <Close />
            </IconButton>
          )}
        </Stack>
        {rest.map(({ id, file, state, sent, error }) => (
          <Box key={id} sx={{ mt: 1 }}>
            <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
              <Typography variant="body2" noWrap sx={{ flex: 1 }}>
                {file.name}
              </Typography>
              {state === 'failed' && (
                <Button size="small" onClick={() => retryPhoto(id)}>
                  {t.retry}
                </Button>
              )}
            </Stack>
            {state === 'failed' ? (
              <Typography variant="body2" color="error">
                {error instanceof ApiError ? error.message : t.unknown}
              </Typography>
            ) : (
              <LinearProgress
                aria-label={t.progress(file.name)}
                // When all bytes are sent, the server converts the picture.
                variant={sent < 1 ? 'determinate' : 'indeterminate'}
                value={sent * 100}
              />
            )}
          </Box>
        ))}
      </CardContent>
    </Card>
  )
}
