/** Exports a table as a workbook or as CSV, in the language of the user. */

import { Download } from '@mui/icons-material'

import { useDownload } from '../api/hooks.ts'
import type { InputOf, OperationId } from '../api/types.ts'
import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { MenuButton, MenuEntry } from './MenuButton.tsx'

const words = texts({
  en: {
    export: 'Export',
    excel: 'Excel workbook',
    csv: 'CSV',
    with: (format: string, more: string) => `${format} ${more}`,
  },
  zh: {
    export: '导出',
    excel: 'Excel 表格',
    csv: 'CSV',
    with: (format: string, more: string) => `${format}（${more}）`,
  },
})

interface ExportMenuProps<Id extends OperationId> {
  /** Takes `format` and `lang` in its query. */
  operation: Id
  input: InputOf<Id> & { query?: object }
  /** Of the file, unless the server names it. */
  name: string
  /** A second table of each format with this in its query, and the words that tell it from the first. */
  also?: { readonly text: string; readonly query: object }
}

export function ExportMenu<Id extends OperationId>({ operation, input, name, also }: ExportMenuProps<Id>) {
  const t = useTexts(words)
  const lang = useLocale()
  const file = useDownload()
  const save = (format: 'xlsx' | 'csv', more?: object) =>
    file.mutate([operation, { ...input, query: { ...input.query, ...more, format, lang } }, `${name}.${format}`])
  return (
    <MenuButton label={t.export} icon={<Download />} loading={file.isPending}>
      <MenuEntry text={t.excel} onClick={() => save('xlsx')} />
      <MenuEntry text={t.csv} onClick={() => save('csv')} />
      {also && <MenuEntry text={t.with(t.excel, also.text)} onClick={() => save('xlsx', also.query)} />}
      {also && <MenuEntry text={t.with(t.csv, also.text)} onClick={() => save('csv', also.query)} />}
    </MenuButton>
  )
}
