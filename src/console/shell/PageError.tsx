/** The page after an error of the console itself. After an upgrade of the server it loads the new version. */

import { Box, Button, Typography } from '@mui/material'
import { useEffect, useState } from 'react'
import type { ErrorProps } from 'react-admin'

import { tabStorage } from '../browser/storage.ts'
import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: {
    title: 'The page could not be shown',
    text: 'Reload it. If that does not help, send your administrator this message and the steps before it:',
    reload: 'Reload',
  },
  zh: { title: '页面无法显示', text: '请重新加载。如仍有问题，请将你的操作和以下信息告知管理员：', reload: '重新加载' },
})

const RELOADED_AT = 'tessera.reloadedAt'

/** A part of the console is missing on the server, because its name changes with each version. */
const isOldVersion = (error: Error): boolean =>
  /dynamically imported module|importing a module script/i.test(error.message)

export function PageError({ error }: ErrorProps) {
  const t = useTexts(words)
  const [shouldReload] = useState(
    () => isOldVersion(error) && Date.now() - Number(tabStorage.getItem(RELOADED_AT)) > 60_000,
  )
  useEffect(() => {
    if (!shouldReload) return
    tabStorage.setItem(RELOADED_AT, String(Date.now()))
    location.reload()
  }, [shouldReload])
  if (shouldReload) return null
  return (
    <Box role="alert" sx={{ maxWidth: 560 }}>
      <Typography variant="h1" sx={{ mb: 1 }}>
        {t.title}
      </Typography>
      <Typography sx={{ mb: 1 }}>{t.text}</Typography>
      <Typography component="pre" variant="body2" color="text.secondary" sx={{ whiteSpace: 'pre-wrap', mb: 2 }}>
        {error.message}
      </Typography>
      <Button variant="contained" onClick={() => location.reload()}>
        {t.reload}
      </Button>
    </Box>
  )
}
