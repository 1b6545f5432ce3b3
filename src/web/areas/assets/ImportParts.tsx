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
import { number } from '../../i18n/format.ts'
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
    total: 'Rows',
    created: 'New',
    updated: 'Changed',
    unchanged: 'Unchanged',
    errors: 'Errors',
    errorsTitle: 'Errors',
    first: (shown: number, all: number) => `The first ${shown} of ${all} errors`,
    row: 'Row',
    problem: (column: string, message: string) => `${column}: ${message}`,
    cells: (value: string, rows: readonly number[], all: number) =>
      `${value === '' ? '' : `“${value}”: `}${all === 1 ? 'row' : 'rows'} ${rows.join(', ')}${all > rows.length ? ` and ${all - rows.length} more` : ''}`,
    values: (n: number) => (n === 1 ? 'And 1 more value' : `And ${n} more values`),
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
    total: '行数',
    created: '新建',
    updated: '修改',
    unchanged: '不变',
    errors: '错误',
    errorsTitle: '错误',
    first: (shown: number, all: number) => `共 ${all} 个错误，显示前 ${shown} 个`,
    row: '行',
    problem: (column: string, message: string) => `${column}：${message}`,
    cells: (value: string, rows: readonly number[], all: number) =>
      `${value === '' ? '' : `“${value}”：`}第 ${rows.join('、')} 行${all > rows.length ? `等，共 ${all} 行` : ''}`,
    values: (n: number) => `还有 ${n} 个值`,
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

export function Counts({ result }: { result: AssetImportResult }) {
  const t = useTexts(words)
  const figures = [
    [t.total, result.total],
    [t.created, result.created],
    [t.updated, result.updated],
    [t.unchanged, result.unchanged],
    [t.errors, result.errorCount],
  ] as const
  return (
    <Stack component="dl" direction="row" useFlexGap sx={{ m: 0, flexWrap: 'wrap', columnGap: 4, rowGap: 1 }}>
      {figures.map(([label, value]) => (
        <Box key={label} sx={{ display: 'flex', flexDirection: 'column-reverse', justifyContent: 'flex-end' }}>
          <Typography component="dt" variant="body2" color="text.secondary">
            {label}
          </Typography>
          <Typography
            component="dd"
            color={label === t.errors && value > 0 ? 'error' : 'text.primary'}
            sx={{ m: 0, fontSize: '1.4rem', fontWeight: 650 }}
          >
            {number(value)}
          </Typography>
        </Box>
      ))}
    </Stack>
  )
}

/** Values and rows that are named for one problem. */
const VALUES = 6
const ROWS = 8

interface Problem {
  readonly column: string | null
  readonly message: string
  /** Rows by the value of the cell. */
  readonly values: Map<string, number[]>
}

/** Groups errors by column and message, because a file often has the same mistake in hundreds of rows. */
function problemsOf(errors: AssetImportResult['errors']): Problem[] {
  const problems = new Map<string, Problem>()
  for (const { row, column, value, message } of errors) {
    const key = JSON.stringify([column, message])
    const problem = problems.get(key) ?? { column, message, values: new Map<string, number[]>() }
    problem.values.set(value ?? '', [...(problem.values.get(value ?? '') ?? []), row])
    problems.set(key, problem)
  }
  return [...problems.values()]
}

export function Errors({ result: { errors, errorCount } }: { result: AssetImportResult }) {
  const t = useTexts(words)
  if (errors.length === 0) return null
  return (
    <Box sx={{ width: '100%' }}>
      <Typography variant="h3">{t.errorsTitle}</Typography>
      {errorCount > errors.length && <Typography variant="body2">{t.first(errors.length, errorCount)}</Typography>}
      <Stack component="ul" spacing={1.5} sx={{ pl: 2.5, my: 1 }}>
        {problemsOf(errors).map(({ column, message, values }) => (
          <Box component="li" key={`${column} ${message}`} sx={{ overflowWrap: 'anywhere' }}>
            {column === null ? message : t.problem(column, message)}
            {[...values].slice(0, VALUES).map(([value, rows]) => (
              <Typography key={value} variant="body2" color="text.secondary">
                {t.cells(value, rows.slice(0, ROWS), rows.length)}
              </Typography>
            ))}
            {values.size > VALUES && (
              <Typography variant="body2" color="text.secondary">
                {t.values(values.size - VALUES)}
              </Typography>
            )}
          </Box>
        ))}
      </Stack>
    </Box>
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
