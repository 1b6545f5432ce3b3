/** Covers the application while the server restarts, and loads the page `to` when it answers again. */

import { CircularProgress, Dialog, DialogContent, Typography } from '@mui/material'
import { useEffect } from 'react'

const ASK_EVERY_MS = 500
/** A short restart can be over between two questions. Milliseconds. */
const MISSED_AFTER_MS = 20_000

async function isUp(): Promise<boolean> {
  try {
    return (await fetch('/actuator/health', { cache: 'no-store' })).ok
  } catch {
    return false
  }
}

export function Restarting({ title, text, to }: { title: string; text: string; to: string }) {
  useEffect(() => {
    const begun = performance.now()
    let wasDown = false
    let timer: ReturnType<typeof setTimeout>
    const ask = async () => {
      const up = await isUp()
      wasDown ||= !up || performance.now() - begun > MISSED_AFTER_MS
      if (up && wasDown) location.assign(to)
      else timer = setTimeout(() => void ask(), ASK_EVERY_MS)
    }
    void ask()
    return () => clearTimeout(timer)
  }, [to])
  return (
    <Dialog open fullScreen aria-label={title}>
      <DialogContent
        sx={{ display: 'grid', placeItems: 'center', alignContent: 'center', gap: 2, textAlign: 'center' }}
      >
        <CircularProgress aria-label={title} />
        <Typography variant="h5" component="p">
          {title}
        </Typography>
        <Typography color="text.secondary">{text}</Typography>
      </DialogContent>
    </Dialog>
  )
}
