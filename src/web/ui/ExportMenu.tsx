/** Exports a table as a workbook or as CSV, in the language of the user. */

import { Download } from '@mui/icons-material'

import { useDownload } from '../api/hooks.ts'
import type { InputOf, OperationId } from '../api/types.ts'
import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { MenuButton, MenuEntry } from './MenuButton.tsx'

const words = texts({
  en: { export: 'Export', excel: 'Excel workbook', csv: 'CSV' },
  zh: { export: '导出', excel: 'Excel 表格', csv: 'CSV' },
})

interface ExportMenuProps<Id extends OperationId> {
  /** Takes `format` and `lang` in its query. */
  operation: Id
  input: InputOf<Id> & { query?: object }
  /** Of the file, unless the server names it. */
  name: string
}

export function ExportMenu<Id extends OperationId>({ operation, input, name }: ExportMenuProps<Id>) {
  const t = useTexts(words)
  const lang = useLocale()
  const file = useDownload()
  const save = (format: 'xlsx' | 'csv') =>
    file.mutate([operation, { ...input, query: { ...input.query, format, lang } }, `${name}.${format}`])
  return (
    <MenuButton label={t.export} icon={<Download />} loading={file.isPending}>
      <MenuEntry text={t.excel} onClick={() => save('xlsx')} />
      <MenuEntry text={t.csv} onClick={() => save('csv')} />
    </MenuButton>
  )
}
