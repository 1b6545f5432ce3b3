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
      `No connection. You see what this browser has kept, of ${time} or later. Pages go on as soon as the server answers.`,
  },
  zh: { kept: (time: string) => `无网络连接，显示的是本机保存的数据（${time} 或更新），连接恢复后会自动更新。` },
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
