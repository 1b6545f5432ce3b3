/** Records a voice message in place of the field to write in: record, stop, listen, and send or delete. */

import { DeleteOutlined, FiberManualRecord, Send, Stop } from '@mui/icons-material'
import { Alert, Box, Button, IconButton, Stack, Tooltip, Typography } from '@mui/material'
import { useEffect, useRef, useState } from 'react'

import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { NeedsHttps } from '../../ui/NeedsHttps.tsx'
import { type Recording, useRecorder, type Voice } from './use-recorder.ts'
import { minutes } from './VoicePlayer.tsx'

const words = texts({
  en: {
    ...common.en,
    bar: 'Voice message',
    asking: 'Allow the microphone for this page.',
    recording: 'Recording…',
    stop: 'Stop recording',
    discard: 'Delete the recording',
    listen: 'Your recording',
    full: 'A voice message has at most ten minutes, so the recording was stopped.',
    unable: 'This browser cannot record. Use another one, or send a sound as a file.',
    refused:
      'The browser does not give this page the microphone. Allow it in the browser’s settings for this page (the symbol next to the address), then try again.',
    missing: 'This device has no microphone. Connect one, then try again.',
    busy: 'The microphone cannot be used. Perhaps another program uses it.',
  },
  zh: {
    ...common.zh,
    bar: '语音消息',
    asking: '请允许此页面使用麦克风。',
    recording: '正在录音…',
    stop: '停止录音',
    discard: '删除录音',
    listen: '你的录音',
    full: '语音消息最长十分钟，录音已停止。',
    unable: '此浏览器不支持录音。请换用其他浏览器，或以文件形式发送音频。',
    refused: '浏览器未允许此页面使用麦克风。请点击地址栏旁的图标允许麦克风，然后重试。',
    missing: '此设备没有麦克风。请连接麦克风后重试。',
    busy: '无法使用麦克风，可能正被其他程序占用。',
  },
})

interface VoiceBarProps {
  onSend: (voice: Voice) => void
  onClose: () => void
}

export function VoiceBar({ onSend, onClose }: VoiceBarProps) {
  const t = useTexts(words)
  const [attempt, setAttempt] = useState(0)
  return (
    <Box component="section" aria-label={t.bar} sx={{ p: 1 }}>
      <Attempt key={attempt} onSend={onSend} onClose={onClose} onRetry={() => setAttempt(attempt + 1)} />
    </Box>
  )
}

function Attempt({ onSend, onClose, onRetry }: VoiceBarProps & { onRetry: () => void }) {
  const t = useTexts(words)
  const { recording, elapsed, stop } = useRecorder()
  if (recording.step === 'failed') return <Problem {...recording} onClose={onClose} onRetry={onRetry} />
  const voice = recording.step === 'recorded' ? recording.voice : undefined
  return (
    <>
      {recording.step === 'recorded' && recording.isFull && (
        <Alert severity="info" sx={{ mb: 1 }}>
          {t.full}
        </Alert>
      )}
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
        <Tooltip title={t.discard}>
          <IconButton aria-label={t.discard} onClick={onClose}>
            <DeleteOutlined />
          </IconButton>
        </Tooltip>
        <Box sx={{ flex: 1, minWidth: 0 }}>
          {voice !== undefined ? (
            <Listen file={voice.file} label={t.listen} />
          ) : (
            <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
              {recording.step === 'recording' && <FiberManualRecord color="error" fontSize="small" />}
              <Typography component="output" noWrap>
                {recording.step === 'asking' ? t.asking : t.recording}
              </Typography>
              {recording.step === 'recording' && (
                <Typography role="timer" sx={{ fontVariantNumeric: 'tabular-nums' }}>
                  {minutes(elapsed)}
                </Typography>
              )}
            </Stack>
          )}
        </Box>
        {voice === undefined ? (
          <Tooltip title={t.stop}>
            <span>
              <IconButton
                key={recording.step}
                autoFocus
                color="error"
                aria-label={t.stop}
                disabled={recording.step === 'asking'}
                onClick={stop}
              >
                <Stop />
              </IconButton>
            </span>
          </Tooltip>
        ) : (
          <Tooltip title={t.send}>
            <IconButton autoFocus color="primary" aria-label={t.send} onClick={() => onSend(voice)}>
              <Send />
            </IconButton>
          </Tooltip>
        )}
      </Stack>
    </>
  )
}

function Listen({ file, label }: { file: File; label: string }) {
  const player = useRef<HTMLAudioElement>(null)
  useEffect(() => {
    const url = URL.createObjectURL(file)
    player.current!.src = url
    return () => URL.revokeObjectURL(url)
  }, [file])
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- the user's own voice
  return <Box component="audio" ref={player} controls aria-label={label} sx={{ width: '100%', height: 40 }} />
}

interface ProblemProps {
  problem: Extract<Recording, { step: 'failed' }>['problem']
  onClose: () => void
  onRetry: () => void
}

function Problem({ problem, onClose, onRetry }: ProblemProps) {
  const t = useTexts(words)
  return (
    <Stack spacing={1}>
      {problem === 'insecure' ? <NeedsHttps what="microphone" /> : <Alert severity="warning">{t[problem]}</Alert>}
      <Stack direction="row" spacing={1} sx={{ justifyContent: 'flex-end' }}>
        <Button color="inherit" onClick={onClose}>
          {t.close}
        </Button>
        {problem !== 'insecure' && problem !== 'unable' && <Button onClick={onRetry}>{t.retry}</Button>}
      </Stack>
    </Stack>
  )
}
