/** A QR code on the whole screen, for others to scan. The screen stays on as far as the browser allows. */

import { Close } from '@mui/icons-material'
import { Dialog, IconButton, Stack, Typography } from '@mui/material'
import { useEffect } from 'react'

import { texts, useTexts } from '../i18n/words.ts'
import { QrPicture } from './QrPicture.tsx'

const words = texts({ en: { close: 'Close' }, zh: { close: '关闭' } })

export interface CodeScreenProps {
  content: string
  /** Description of the picture for screen readers. */
  alt: string
  title: string
  text: string
  onClose: () => void
}

export function CodeScreen({ content, alt, title, text, onClose }: CodeScreenProps) {
  const t = useTexts(words)
  useEffect(() => {
    // Older browsers have no wake lock.
    const lock = 'wakeLock' in navigator ? navigator.wakeLock.request('screen').catch(() => undefined) : undefined
    return () => void lock?.then((held) => held?.release())
  }, [])
  return (
    // White in both themes: scanners need a light margin, and the screen its light.
    <Dialog
      open
      fullScreen
      onClose={onClose}
      aria-label={title}
      slotProps={{ paper: { sx: { bgcolor: 'common.white', color: 'common.black' } } }}
    >
      <IconButton
        aria-label={t.close}
        onClick={onClose}
        autoFocus
        sx={{ position: 'absolute', top: 8, right: 8, color: 'common.black', width: 48, height: 48 }}
      >
        <Close />
      </IconButton>
      <Stack spacing={1} sx={{ flex: 1, alignItems: 'center', justifyContent: 'center', p: 2, textAlign: 'center' }}>
        <QrPicture content={content} alt={alt} width="min(92vw, 70vh)" />
        <Typography variant="h2" component="p" sx={{ overflowWrap: 'anywhere' }}>
          {title}
        </Typography>
        <Typography sx={{ overflowWrap: 'anywhere' }}>{text}</Typography>
      </Stack>
    </Dialog>
  )
}
