/** A code on the whole screen, to be scanned from it. The screen stays on as far as the browser allows. */

import { Close } from '@mui/icons-material'
import { Dialog, IconButton, Stack, Typography } from '@mui/material'
import { useEffect } from 'react'

import type { QrCode } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { contentOfPicture } from './CodeRow.tsx'
import { codeWords } from './words.ts'

const words = texts({ en: { close: 'Close' }, zh: { close: '关闭' } })

export function FullScreen({ code, onClose }: { code: QrCode; onClose: () => void }) {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
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
      aria-label={code.name}
      slotProps={{ paper: { sx: { bgcolor: `#${code.style.bg}` } } }}
    >
      <IconButton
        aria-label={t.close}
        onClick={onClose}
        autoFocus
        sx={{ position: 'absolute', top: 8, right: 8, bgcolor: 'background.paper', border: 1, borderColor: 'divider' }}
      >
        <Close />
      </IconButton>
      <Stack spacing={2} sx={{ flex: 1, alignItems: 'center', justifyContent: 'center', p: 2 }}>
        <QrPicture
          content={contentOfPicture(code)}
          style={code.style}
          alt={shared.picture(code.name)}
          width="min(92vw, 78vh)"
        />
        <Typography
          variant="h2"
          component="p"
          sx={{ color: `#${code.style.fg}`, textAlign: 'center', overflowWrap: 'anywhere' }}
        >
          {code.name}
        </Typography>
      </Stack>
    </Dialog>
  )
}
