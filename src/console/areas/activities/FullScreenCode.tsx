/** A code on the whole screen, to be scanned from it. The screen stays on as far as the browser allows. */

import { Close } from '@mui/icons-material'
import { Dialog, IconButton, Stack, Typography } from '@mui/material'
import { useEffect } from 'react'

import { QrPicture } from '../../ui/QrPicture.tsx'

export interface FullScreenCodeProps {
  content: string
  title: string
  closeLabel: string
  onClose: () => void
}

export function FullScreenCode({ content, title, closeLabel, onClose }: FullScreenCodeProps) {
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
      aria-labelledby="shown-code"
      slotProps={{ paper: { sx: { bgcolor: 'common.white' } } }}
    >
      <IconButton
        aria-label={closeLabel}
        onClick={onClose}
        autoFocus
        sx={{ position: 'absolute', top: 8, right: 8, color: 'common.black', border: 1, borderColor: 'grey.400' }}
      >
        <Close />
      </IconButton>
      <Stack spacing={2} sx={{ flex: 1, alignItems: 'center', justifyContent: 'center', p: 2 }}>
        <QrPicture content={content} alt={title} width="min(92vw, 78vh)" />
        <Typography
          variant="h2"
          component="p"
          id="shown-code"
          sx={{ color: 'common.black', textAlign: 'center', overflowWrap: 'anywhere' }}
        >
          {title}
        </Typography>
      </Stack>
    </Dialog>
  )
}
