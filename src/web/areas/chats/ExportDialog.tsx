/** Downloads all messages of a conversation. */

import { FormControl, FormControlLabel, FormLabel, Radio, RadioGroup } from '@mui/material'
import { useId, useState } from 'react'

import { useDownload } from '../../api/hooks.ts'
import type { Conversation } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { timeZone } from '../../i18n/format.ts'
import { currentLocale } from '../../i18n/locale.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'

const words = texts({
  en: {
    title: (name: string) => `Export: ${name}`,
    text: 'You get all messages that you see here, as they are now. The others are not notified. You can export five times a day.',
    format: 'Format',
    html: 'Pages with pictures and files (ZIP)',
    json: 'Data for programs (JSON), without files',
    export: 'Export',
    done: 'The export is saved.',
  },
  zh: {
    title: (name: string) => `导出：${name}`,
    text: '将导出你在此可见的全部消息，以当前内容为准，不会通知其他人。每天最多导出五次。',
    format: '格式',
    html: '网页，含图片和文件（ZIP）',
    json: '程序数据（JSON），不含文件',
    export: '导出',
    done: '导出文件已保存。',
  },
})

type Format = 'html' | 'json'

export function ExportDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const t = useTexts(words)
  const [format, setFormat] = useState<Format>('html')
  const file = useDownload()
  const label = useId()
  const { id, title } = conversation
  const start = () =>
    file.mutate(
      ['conversations.export', { params: { id }, query: { format, lang: currentLocale(), tz: timeZone() } }],
      {
        onSuccess() {
          notify(t.done)
          onClose()
        },
      },
    )
  return (
    <ConfirmDialog
      isOpen
      title={t.title(title)}
      text={t.text}
      action={t.export}
      color="primary"
      isBusy={file.isPending}
      onConfirm={start}
      onClose={onClose}
    >
      <FormControl>
        <FormLabel id={label}>{t.format}</FormLabel>
        <RadioGroup aria-labelledby={label} value={format} onChange={(_, value) => setFormat(value as Format)}>
          <FormControlLabel value="html" control={<Radio />} label={t.html} />
          <FormControlLabel value="json" control={<Radio />} label={t.json} />
        </RadioGroup>
      </FormControl>
    </ConfirmDialog>
  )
}
