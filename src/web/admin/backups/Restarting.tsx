/** Covers the application while the server replaces its data, and loads it again when the server answers. */

import { CircularProgress, Dialog, DialogContent, Typography } from '@mui/material'
import { useEffect } from 'react'

import { texts, useTexts } from '../../i18n/words.ts'

const words = texts({
  en: {
    title: 'The server is replacing its data',
    text: 'This takes some minutes. This page loads again by itself; you may have to sign in again.',
  },
  zh: { title: '服务器正在替换数据', text: '这需要几分钟。页面会自动重新加载，可能需要重新登录。' },
})

const ASK_EVERY_MS = 500
/** A short restore can be over between two questions. Milliseconds. */
const MISSED_AFTER_MS = 20_000

async function isUp(): Promise<boolean> {
  try {
    return (await fetch('/actuator/health', { cache: 'no-store' })).ok
  } catch {
    return false
  }
}

export function Restarting() {
  const t = useTexts(words)
  useEffect(() => {
    const begun = performance.now()
    let wasDown = false
    let timer: ReturnType<typeof setTimeout>
    const ask = async () => {
      const up = await isUp()
      wasDown ||= !up || performance.now() - begun > MISSED_AFTER_MS
      if (up && wasDown) location.assign('/console/admin/backups')
      else timer = setTimeout(() => void ask(), ASK_EVERY_MS)
    }
    void ask()
    return () => clearTimeout(timer)
  }, [])
  return (
    <Dialog open fullScreen aria-label={t.title}>
      <DialogContent
        sx={{ display: 'grid', placeItems: 'center', alignContent: 'center', gap: 2, textAlign: 'center' }}
      >
        <CircularProgress aria-label={t.title} />
        <Typography variant="h5" component="p">
          {t.title}
        </Typography>
        <Typography color="text.secondary">{t.text}</Typography>
      </DialogContent>
    </Dialog>
  )
}
