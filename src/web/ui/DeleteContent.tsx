/** The choice whether what a person made is deleted with the account, and what backups keep. */

import { Alert, Stack } from '@mui/material'

import { useCall } from '../api/hooks.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { CheckField } from './fields.tsx'

const words = texts({
  en: {
    delete: 'Delete the content too',
    help: 'QR codes (printed ones stop working), scan records, photos, files, assets and activities that belong to no organization. Messages to others stay.',
    backups: (days: number) =>
      days === 1
        ? 'Backups of the server still have deleted data for a day.'
        : `Backups of the server still have deleted data for ${days} days.`,
    unknown: 'Backups of the server still have deleted data until they are deleted.',
  },
  zh: {
    delete: '同时删除内容',
    help: '不属于组织的二维码（已打印的将失效）、扫码记录、照片、文件、资产和活动。发给他人的消息会保留。',
    backups: (days: number) => `服务器的备份在 ${days} 天内仍包含已删除的数据。`,
    unknown: '服务器的备份在被删除之前仍包含已删除的数据。',
  },
})

export function DeleteContent({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  const t = useTexts(words)
  const { data } = useCall('profile.quotas')
  return (
    <Stack spacing={1} sx={{ mt: 1 }}>
      <CheckField name="content" label={t.delete} help={t.help} value={value} onChange={onChange} />
      <Alert severity="info">{data?.backupDays == null ? t.unknown : t.backups(data.backupDays)}</Alert>
    </Stack>
  )
}
