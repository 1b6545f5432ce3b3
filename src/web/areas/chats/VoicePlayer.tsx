/** A voice message, or its download where the browser cannot play it: Safari before 18.4 knows neither WebM nor Ogg. */

import { Box, Link, Typography } from '@mui/material'
import { useState } from 'react'

import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { words as shared } from './words.ts'

const words = texts({
  en: { ...common.en, unable: 'This browser cannot play the recording.' },
  zh: { ...common.zh, unable: '此浏览器无法播放该录音。' },
})

/** `4:05` */
export function minutes(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Both are Opus (docs/chat.md). */
const CODECS: Readonly<Record<string, string>> = {
  'audio/webm': 'audio/webm; codecs=opus',
  'audio/ogg': 'audio/ogg; codecs=opus',
}

const canPlay = (mime: string): boolean => document.createElement('audio').canPlayType(CODECS[mime] ?? mime) !== ''

interface VoicePlayerProps {
  url: string
  mime: string
  durationMs: number | undefined
}

export function VoicePlayer({ url, mime, durationMs }: VoicePlayerProps) {
  const t = useTexts(words)
  const { types } = useTexts(shared)
  const [isPlayable, setPlayable] = useState(() => canPlay(mime))
  return (
    <Box>
      {isPlayable ? (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- users send it without captions
        <Box
          component="audio"
          tabIndex={-1}
          src={url}
          controls
          preload="none"
          aria-label={types.VOICE}
          // Also of a file that claims a type which the browser knows.
          onError={({ currentTarget: { error } }) =>
            error?.code === MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED && setPlayable(false)
          }
          sx={{ display: 'block', width: 260, maxWidth: '100%', height: 40 }}
        />
      ) : (
        <Typography variant="body2">
          {t.unable}{' '}
          <Link tabIndex={-1} href={url} download color="inherit">
            {t.download}
          </Link>
        </Typography>
      )}
      {/* Recordings of browsers do not say how long they are before they were played. */}
      {durationMs !== undefined && <Typography variant="caption">{minutes(durationMs)}</Typography>}
    </Box>
  )
}
