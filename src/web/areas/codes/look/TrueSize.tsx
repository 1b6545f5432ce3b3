/** Downloads the picture of a code with its width on paper. */

import { MenuItem, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useDownload } from '../../../api/hooks.ts'
import type { QrCode } from '../../../api/types.ts'
import { common } from '../../../i18n/common.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useOwnerQuery } from '../../../session/session.ts'
import { FormDialog } from '../../../ui/dialogs.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Download true to size',
    format: 'Format',
    width: 'Width in millimetres, with margin and frame',
    limits: 'From 8 to 1,000.',
    distance: (cm: string) => `Readable from about ${cm} cm.`,
    print: 'Print it at 100 %, without “fit to page”.',
    download: 'Download',
  },
  zh: {
    ...common.zh,
    title: '按实际尺寸下载',
    format: '格式',
    width: '宽度（毫米，含边距和边框）',
    limits: '8 至 1000。',
    distance: (cm: string) => `可在约 ${cm} 厘米处识别。`,
    print: '请以 100% 打印，不要选择“适合页面”。',
    download: '下载',
  },
})

const FORMATS = ['pdf', 'svg', 'png'] as const
/** Centimetres from which a code can be read about, for each millimetre of its width. */
const CM_PER_MM = 1

export function TrueSize({ code, fileName, onClose }: { code: QrCode; fileName: string; onClose: () => void }) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const [format, setFormat] = useState<(typeof FORMATS)[number]>('pdf')
  const [width, setWidth] = useState('50')
  const widthMm = Number(width.replace(',', '.'))
  const isPossible = widthMm >= 8 && widthMm <= 1000
  const file = useDownload()
  const download = () =>
    file.mutate(
      ['qrCodes.picture', { params: { id: code.id }, query: { ...owned, format, widthMm } }, `${fileName}.${format}`],
      { onSuccess: onClose },
    )
  return (
    <FormDialog
      title={t.title}
      action={t.download}
      form={{ error: null, isBusy: file.isPending, isChanged: false, submit: download, conflict: undefined }}
      isDisabled={!isPossible}
      onClose={onClose}
      maxWidth="xs"
    >
      <Stack spacing={2}>
        <TextField select label={t.format} value={format} onChange={({ target }) => setFormat(target.value as 'pdf')}>
          {FORMATS.map((each) => (
            <MenuItem key={each} value={each}>
              {each.toUpperCase()}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          label={t.width}
          value={width}
          onChange={({ target }) => setWidth(target.value)}
          error={!isPossible}
          helperText={isPossible ? t.distance(number(Math.round(widthMm * CM_PER_MM))) : t.limits}
          slotProps={{ htmlInput: { inputMode: 'decimal', maxLength: 8 } }}
        />
        <Typography variant="body2" color="text.secondary">
          {t.print}
        </Typography>
      </Stack>
    </FormDialog>
  )
}
