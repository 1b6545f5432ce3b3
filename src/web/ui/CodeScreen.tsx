/** A QR code on the whole screen, for others to scan. The screen stays on as far as the browser allows. */

import { Close } from '@mui/icons-material'
import { Dialog, IconButton, Stack, Typography } from '@mui/material'
import { useId } from 'react'

import type { QrCode } from '../api/types.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { QrPicture } from './QrPicture.tsx'
import { useWakeLock } from './use-wake-lock.ts'

const words = texts({ en: { close: 'Close' }, zh: { close: '关闭' } })

export interface CodeScreenProps {
  content: string
  /** The colours of a code that has its own; black on white otherwise. */
  style?: QrCode['style']
  /** Description of the picture for screen readers. */
  alt: string
  /** Address of the picture of a code with a design. */
  url?: string | undefined
  title: string
  text?: string
  onClose: () => void
}

export function CodeScreen({ content, style, url, alt, title, text, onClose }: CodeScreenProps) {
  const t = useTexts(words)
  const titleId = useId()
  useWakeLock()
  const color = style === undefined ? 'common.black' : `#${style.fg}`
  return (
    // Light in both themes: scanners need a light margin, and the screen its light.
    <Dialog
      open
      fullScreen
      onClose={onClose}
      aria-labelledby={titleId}
      slotProps={{ paper: { sx: { bgcolor: style === undefined ? 'common.white' : `#${style.bg}`, color } } }}
    >
      <IconButton
        aria-label={t.close}
        onClick={onClose}
        autoFocus
        sx={{ position: 'absolute', top: 8, right: 8, color, border: 1, width: 48, height: 48 }}
      >
        <Close />
      </IconButton>
      <Stack spacing={1} sx={{ flex: 1, alignItems: 'center', justifyContent: 'center', p: 2, textAlign: 'center' }}>
        <QrPicture content={content} url={url} {...(style && { style })} alt={alt} width="min(92vw, 70vh)" isBright />
        <Typography id={titleId} variant="h2" component="p" sx={{ overflowWrap: 'anywhere' }}>
          {title}
        </Typography>
        {text !== undefined && <Typography sx={{ overflowWrap: 'anywhere' }}>{text}</Typography>}
      </Stack>
    </Dialog>
  )
}
