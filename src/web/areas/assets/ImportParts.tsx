/** Parts of the import: matching of columns, options, counts, errors and preview. */

import {
  Box,
  Stack,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
  TextField,
  Typography,
} from '@mui/material'

import type { AssetImportColumn, AssetImportResult } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { CheckField, ChoiceField } from '../../ui/fields.tsx'
import type { Form } from '../../ui/use-form.tsx'
import { useAllFields } from './fields/useFields.ts'
import { CategoryPicker } from './inputs.tsx'
import { IMPORT_COLUMNS, useColumn } from './words.ts'

const words = texts({
  en: {
    ignore: 'Ignore',
    perhaps: (name: string) => `Perhaps: ${name}`,
    mode: 'Rows with',
    modes: {
      UPSERT: 'new and known numbers',
      CREATE: 'new numbers only',
      UPDATE: 'known numbers only',
    },
    dateOrder: 'Dates such as 3/4/2026',
    orders: { YMD: 'are an error', DMY: 'begin with the day', MDY: 'begin with the month' },
    sheet: 'Sheet',
    sheetHelp: 'Name or number. The first one if it is empty.',
    category: 'Category of new assets',
    categoryHelp: 'For rows that name none.',
    clearEmpty: 'Empty cells clear the value of existing assets',
    createCategories: 'Create missing categories',
    row: 'Row',
    preview: 'First rows',
    action: 'Result',
    actions: { CREATE: 'New', UPDATE: 'Changed', UNCHANGED: 'Unchanged' },
  },
  zh: {
    ignore: '忽略',
    perhaps: (name: string) => `可能是：${name}`,
    mode: '处理哪些行',
    modes: { UPSERT: '新编号和已有编号', CREATE: '仅新编号', UPDATE: '仅已有编号' },
    dateOrder: '形如 3/4/2026 的日期',
    orders: { YMD: '视为错误', DMY: '日在前', MDY: '月在前' },
    sheet: '工作表',
    sheetHelp: '名称或序号，留空为第一个。',
    category: '新资产的分类',
    categoryHelp: '用于未填写分类的行。',
    clearEmpty: '空单元格清除已有资产的值',
    createCategories: '自动新建缺少的分类',
    row: '行',
    preview: '前几行',
    action: '结果',
    actions: { CREATE: '新建', UPDATE: '修改', UNCHANGED: '不变' },
  },
})

/** Names of the columns of assets, metadata fields included. */
function useTargets() {
  const column = useColumn()
  const fields = useAllFields().filter(
    ({ column: fixed, type }) => fixed === null && !['PHOTO', 'ATTACHMENT', 'COMPUTED'].includes(type),
  )
  const choices = [
    ...IMPORT_COLUMNS.map((id) => ({ id: id as string, name: column(id) })),
    ...fields.map(({ fieldId, name }) => ({ id: `field:${fieldId}`, name })),
  ]
  const byId = new Map(choices.map(({ id, name }) => [id, name]))
  return { choices, nameOf: (id: string) => byId.get(id) ?? id }
}

interface ColumnsProps {
  columns: readonly AssetImportColumn[]
  /** The choices of the user. */
  mapping: Readonly<Record<string, string | null>>
  onChange: (mapping: Record<string, string | null>) => void
}

/** One list for each column of the file. */
export function Columns({ columns, mapping, onChange }: ColumnsProps) {
  const t = useTexts(words)
  const { choices, nameOf } = useTargets()
  return (
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 220px), 1fr))' }}>
      {columns.map(({ header, key: found, suggestion }) => {
        const key = (header in mapping ? mapping[header] : found) ?? null
        return (
          <ChoiceField
            key={header}
            label={header}
            value={key}
            none={t.ignore}
            choices={
              key === null || choices.some(({ id }) => id === key) ? choices : [...choices, { id: key, name: key }]
            }
            help={key === null && suggestion !== undefined ? t.perhaps(nameOf(suggestion)) : undefined}
            onChange={(next) => onChange({ ...mapping, [header]: next })}
          />
        )
      })}
    </Box>
  )
}

export interface ImportValues {
  readonly file: File | undefined
  /** Columns that the user has chosen; the server finds the others by their names. */
  readonly mapping: Readonly<Record<string, string | null>>
  readonly mode: 'UPSERT' | 'CREATE' | 'UPDATE'
  readonly dateOrder: 'YMD' | 'DMY' | 'MDY'
  readonly sheet: string
  readonly categoryId: number | null
  readonly clearEmpty: boolean
  readonly createCategories: boolean
}

export function Options({ form }: { form: Form<ImportValues> }) {
  const t = useTexts(words)
  const may = useMay()
  return (
    <>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 220px), 1fr))' }}>
        <TextField {...form.choice('mode', t.modes, { label: t.mode })} />
        <TextField {...form.choice('dateOrder', t.orders, { label: t.dateOrder })} />
        <CategoryPicker {...form.pick('categoryId', { label: t.category, help: t.categoryHelp })} />
        <TextField {...form.text('sheet', { label: t.sheet, help: t.sheetHelp })} />
      </Box>
      <Stack>
        <CheckField {...form.check('clearEmpty', { label: t.clearEmpty })} isBox />
        {may('assetCategories.create') && (
          <CheckField {...form.check('createCategories', { label: t.createCategories })} isBox />
        )}
      </Stack>
    </>
  )
}

export function Preview({ result: { preview } }: { result: AssetImportResult }) {
  const t = useTexts(words)
  const { nameOf } = useTargets()
  if (preview.length === 0) return null
  const keys = [...new Set(preview.flatMap(({ values }) => values.map(({ key }) => key)))]
  return (
    <Box sx={{ width: '100%' }}>
      <Typography variant="h3">{t.preview}</Typography>
      <TableContainer tabIndex={0} component="section" aria-label={t.preview}>
        <Table size="small" sx={{ whiteSpace: 'nowrap' }}>
          <TableHead>
            <TableRow>
              <TableCell>{t.row}</TableCell>
              <TableCell>{t.action}</TableCell>
              {keys.map((key) => (
                <TableCell key={key}>{nameOf(key)}</TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {preview.map(({ row, action, values }) => (
              <TableRow key={row}>
                <TableCell>{row}</TableCell>
                <TableCell>{t.actions[action]}</TableCell>
                {keys.map((key) => (
                  <TableCell key={key} sx={{ maxWidth: 240, overflow: 'hidden', textOverflow: 'ellipsis' }}>
                    {String(values.find((value) => value.key === key)?.value ?? '')}
                  </TableCell>
                ))}
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
    </Box>
  )
}
