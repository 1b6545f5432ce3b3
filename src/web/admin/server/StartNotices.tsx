/** Notices for administrators about the start of the server: a restart is needed or would fail, or a stored value is ignored. */

import { Alert, Stack } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'

const words = texts({
  en: {
    needed: (fields: string) => `A restart is needed for: ${fields}.`,
    refused: (problems: string) => `The configuration was changed, and the next start would be refused. ${problems}`,
    ignored: (keys: string) => `Stored values that are not valid are ignored. Set them again: ${keys}.`,
  },
  zh: {
    needed: (fields: string) => `以下设置需要重启服务器才能生效：${fields}。`,
    refused: (problems: string) => `配置已更改，下次启动将被拒绝。${problems}`,
    ignored: (keys: string) => `以下已保存的值无效，已被忽略，请重新设置：${keys}。`,
  },
})

/** Milliseconds between two readings. */
const EVERY = 30_000

/** As in `tessera.toml`: `smtp_url`. */
const nameOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function StartNotices() {
  const t = useTexts(words)
  const { data } = useCall('server.values', {}, { every: EVERY })
  if (data === undefined) return null
  const { restart, ignored } = data
  const notices = [
    restart.problems.length > 0 && t.refused(restart.problems.join(' ')),
    restart.needed && t.needed(restart.fields.map(nameOf).join(', ')),
    ignored.length > 0 && t.ignored(ignored.join(', ')),
  ].filter((text) => text !== false)
  if (notices.length === 0) return null
  return (
    <Stack spacing={1} sx={{ mb: 2 }}>
      {notices.map((text) => (
        <Alert key={text} severity="warning">
          {text}
        </Alert>
      ))}
    </Stack>
  )
}
