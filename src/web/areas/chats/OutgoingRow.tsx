/** A message on its way: its progress, or why it was not sent. */

import { Box, Button, LinearProgress, Stack, Typography } from '@mui/material'

import { texts, useTexts } from '../../i18n/words.ts'
import { Content } from './Content.tsx'
import { discard, type Outgoing, sendAgain } from './outbox.ts'
import { words as shared } from './words.ts'

const words = texts({
  en: { sending: 'Sending…', again: 'Send again', discard: 'Discard', progress: 'Upload', failed: 'Not sent:' },
  zh: { sending: '发送中…', again: '重新发送', discard: '放弃', progress: '上传进度', failed: '未发送：' },
})

export function OutgoingRow({ outgoing }: { outgoing: Outgoing }) {
  const t = useTexts(words)
  const { types } = useTexts(shared)
  const { clientMsgId, type, content, file, progress, error } = outgoing
  return (
    <Stack sx={{ alignItems: 'flex-end', mt: 1.25, pr: { xs: 4.5, md: 4.5 } }}>
      <Box
        sx={{
          maxWidth: { xs: '82%', sm: '70%' },
          px: 1.25,
          py: 0.75,
          borderRadius: 2,
          border: 1,
          borderStyle: 'dashed',
          borderColor: error === null ? 'primary.main' : 'error.main',
          overflowWrap: 'anywhere',
        }}
      >
        {file !== null ? (
          <>
            <Typography>{type === 'VOICE' ? types.VOICE : file.name}</Typography>
            {error === null && (
              <LinearProgress
                variant={progress < 1 ? 'determinate' : 'indeterminate'}
                value={progress * 100}
                aria-label={t.progress}
                sx={{ minWidth: 160 }}
              />
            )}
          </>
        ) : (
          <Content message={{ type, content }} />
        )}
        {error === null && (
          <Typography variant="caption" component="p" color="text.secondary">
            {t.sending}
          </Typography>
        )}
      </Box>
      {error !== null && (
        <Stack sx={{ alignItems: 'flex-end', maxWidth: '82%' }} role="alert">
          <Typography variant="body2" color="error" sx={{ textAlign: 'right' }}>
            {t.failed} {error.details[0]?.message ?? error.text}
          </Typography>
          <Stack direction="row" spacing={1}>
            <Button size="small" color="inherit" onClick={() => discard(clientMsgId)}>
              {t.discard}
            </Button>
            <Button size="small" onClick={() => sendAgain(clientMsgId)}>
              {t.again}
            </Button>
          </Stack>
        </Stack>
      )}
    </Stack>
  )
}
