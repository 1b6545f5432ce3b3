/** Says that the page shows what this browser has kept, and of when it is. */

import { CloudOff } from '@mui/icons-material'
import { Alert } from '@mui/material'
import { useSyncExternalStore } from 'react'

import { keptSince, onConnection } from '../api/connection.ts'
import { dateTime } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: {
    kept: (time: string) =>
      `No connection. You see data from ${time} or later. It is updated as soon as the server can be reached.`,
  },
  zh: { kept: (time: string) => `无网络连接。显示的是本机在 ${time} 之后保存的数据，恢复连接后会自动更新。` },
})

export function NoConnection() {
  const t = useTexts(words)
  const since = useSyncExternalStore(onConnection, keptSince)
  if (since === undefined) return null
  return (
    <Alert severity="warning" icon={<CloudOff />} sx={{ mb: 2, displayPrint: 'none' }}>
      {t.kept(dateTime(since))}
    </Alert>
  )
}
