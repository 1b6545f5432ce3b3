/** Downloads codes as pictures in an archive, or as a table: those with the ids, those of a folder, or all. */

import { FileDownload } from '@mui/icons-material'

import { useDownload } from '../../api/hooks.ts'
import { common } from '../../i18n/common.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery } from '../../session/session.ts'
import { usePrinting } from '../../ui/AddressWarning.tsx'
import { MenuButton, MenuEntry } from '../../ui/MenuButton.tsx'

const words = texts({
  en: {
    ...common.en,
    zip: 'Pictures (ZIP)',
    zipText: 'A PNG of 1024 pixels for each code, and a list',
    xlsx: 'Excel table',
    csv: 'CSV table',
  },
  zh: {
    ...common.zh,
    zip: '图片压缩包（ZIP）',
    zipText: '每个二维码一张 1024 像素的 PNG，附列表',
    xlsx: 'Excel 表格',
    csv: 'CSV 表格',
  },
})

/** Pixels per side: sharp on a printed page of 8 cm. */
const SIZE = 1024

export interface ExportButtonProps {
  ids?: readonly number[]
  /** 0: codes without a folder. */
  folder?: number | undefined
}

export function ExportButton({ ids, folder }: ExportButtonProps) {
  const t = useTexts(words)
  const file = useDownload()
  const { ask, question } = usePrinting()
  const start = (format: 'zip' | 'xlsx' | 'csv') => {
    const codes = ids === undefined ? { ...(folder !== undefined && { categoryId: folder }) } : { ids: [...ids] }
    const body = { ...codes, format, ...(format === 'zip' && { size: SIZE }) }
    ask(() =>
      file.mutate(['qrCodes.export', { query: { ...ownerQuery(), tz: timeZone() }, body }, `qr-codes.${format}`]),
    )
  }
  return (
    <>
      <MenuButton label={t.export} icon={<FileDownload />} loading={file.isPending} loadingPosition="start">
        <MenuEntry text={t.zip} hint={t.zipText} onClick={() => start('zip')} />
        <MenuEntry text={t.xlsx} onClick={() => start('xlsx')} />
        <MenuEntry text={t.csv} onClick={() => start('csv')} />
      </MenuButton>
      {question}
    </>
  )
}
