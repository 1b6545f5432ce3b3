/** Exports assets as a workbook or as CSV. */

import { Download } from '@mui/icons-material'

import { useDownload } from '../../api/hooks.ts'
import { timeZone } from '../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { MenuButton, MenuEntry } from '../../ui/MenuButton.tsx'

const words = texts({
  en: { export: 'Export', excel: 'Excel workbook', csv: 'CSV' },
  zh: { export: '导出', excel: 'Excel 表格', csv: 'CSV' },
})

export function ExportMenu({ query }: { query: object }) {
  const t = useTexts(words)
  const lang = useLocale()
  const file = useDownload()
  const save = (format: 'xlsx' | 'csv') =>
    file.mutate(['assets.export', { query: { ...query, format, lang, tz: timeZone() } }, `assets.${format}`])
  return (
    <MenuButton label={t.export} icon={<Download />} loading={file.isPending}>
      <MenuEntry text={t.excel} onClick={() => save('xlsx')} />
      <MenuEntry text={t.csv} onClick={() => save('csv')} />
    </MenuButton>
  )
}
