/** The columns that an import of assets fills, and its options. */

import { Box, Stack, TextField } from '@mui/material'
import type { ReactNode } from 'react'

import type { AssetImportResult } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { CheckField, ChoiceField } from '../../ui/fields.tsx'
import type { Targets } from '../../ui/import-columns.tsx'
import type { Form } from '../../ui/use-form.tsx'
import { useAllFields } from './fields/useFields.ts'
import type { ImportValues } from './import-values.ts'
import { CategoryPicker } from './inputs.tsx'
import { IMPORT_COLUMNS, useColumn } from './words.ts'

const words = texts({
  en: {
    months: 'Warranty in months',
    mode: 'Rows with',
    modes: {
      UPSERT: 'new and known numbers',
      CREATE: 'new numbers only',
      UPDATE: 'known numbers only',
    },
    dateOrder: 'Dates such as 3/4/2026',
    orders: {
      AUTO: 'are read as the column shows',
      YMD: 'are an error',
      DMY: 'begin with the day',
      MDY: 'begin with the month',
    },
    ambiguous: (headers: string) => `Choose the order for ${headers}.`,
    headerRows: 'Rows of the header',
    oneRow: 'One',
    twoRows: 'Two, with groups above the columns',
    encoding: 'Encoding',
    found: (name: string) => `As found: ${name}`,
    decimal: 'Decimal separator of texts',
    decimals: { POINT: 'Point: 1,849.78', COMMA: 'Comma: 1.849,78' },
    unknownCustodian: 'Custodians who are not members',
    unknownCustodians: { ERROR: 'are an error', EMPTY: 'are left out', REMARK: 'are added to the remark' },
    emptyFormulas: 'Formulas without a result count as empty cells',
    emptyNames: 'Assets without a name take their model, category or number',
    matchSerial: 'Rows without a number update the asset with their serial number',
    roundPrices: 'Round prices to two decimals',
    sheet: 'Sheet',
    sheetHelp: 'Name or number. The first one if it is empty.',
    category: 'Category of new rows',
    categoryHelp: 'For rows that name none.',
    clearEmpty: 'Empty cells clear values that are there',
    createCategories: 'Create missing categories',
    createLocations: 'Create missing locations',
    splitQuantity: 'One asset for each piece of a quantity',
    quantity: 'Quantity',
  },
  zh: {
    months: '保修期（月）',
    mode: '处理哪些行',
    modes: { UPSERT: '新编号和已有编号', CREATE: '仅新编号', UPDATE: '仅已有编号' },
    dateOrder: '形如 3/4/2026 的日期',
    orders: { AUTO: '按该列自动判断', YMD: '视为错误', DMY: '日在前', MDY: '月在前' },
    ambiguous: (headers: string) => `请为“${headers}”选择日期顺序。`,
    headerRows: '表头行数',
    oneRow: '一行',
    twoRows: '两行，上方为分组',
    encoding: '文本编码',
    found: (name: string) => `自动识别：${name}`,
    decimal: '文本中的小数点',
    decimals: { POINT: '点：1,849.78', COMMA: '逗号：1.849,78' },
    unknownCustodian: '非成员的保管人',
    unknownCustodians: { ERROR: '视为错误', EMPTY: '留空', REMARK: '写入备注' },
    emptyFormulas: '没有结果的公式按空单元格处理',
    emptyNames: '没有名称的资产使用型号、分类或编号作为名称',
    matchSerial: '没有编号的行按序列号更新资产',
    roundPrices: '价格四舍五入到两位小数',
    sheet: '工作表',
    sheetHelp: '名称或序号，留空为第一个。',
    category: '新增行的分类',
    categoryHelp: '用于未填写分类的行。',
    clearEmpty: '空单元格清除原有的值',
    createCategories: '自动新建缺少的分类',
    createLocations: '自动新建缺少的位置',
    splitQuantity: '数量中的每一件生成一项资产',
    quantity: '数量',
  },
})

/** Names of the columns of assets, metadata fields included. */
export function useTargets(): Targets {
  const t = useTexts(words)
  const column = useColumn()
  const fields = useAllFields().filter(
    ({ column: fixed, type }) => fixed === null && !['PHOTO', 'ATTACHMENT', 'COMPUTED'].includes(type),
  )
  return [
    ...IMPORT_COLUMNS.map((id) => ({ id: id as string, name: column(id) })),
    { id: 'warrantyMonths', name: t.months },
    { id: 'quantity', name: t.quantity },
    ...fields.map(({ fieldId, name }) => ({ id: `field:${fieldId}`, name })),
  ]
}

/** The part of a check that the options depend on. */
type Reading = Pick<AssetImportResult, 'headerRows' | 'decimal' | 'encoding'>

interface OptionsProps {
  form: Form<ImportValues>
  check: Reading
  /** Further fields and boxes. */
  fields?: ReactNode
  boxes?: ReactNode
}

/** The options that imports of assets and of supplies have. */
export function Options({ form, check, fields, boxes }: OptionsProps) {
  const t = useTexts(words)
  const may = useMay()
  const { workspace } = useSession()
  return (
    <>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 220px), 1fr))' }}>
        <TextField {...form.choice('mode', t.modes, { label: t.mode })} />
        <ChoiceField
          {...form.pick('headerRows', { label: t.headerRows })}
          none={t.found(check.headerRows === 2 ? t.twoRows : t.oneRow)}
          choices={[
            { id: 1 as const, name: t.oneRow },
            { id: 2 as const, name: t.twoRows },
          ]}
        />
        <ChoiceField
          {...form.pick('decimal', { label: t.decimal })}
          none={t.found(t.decimals[check.decimal])}
          choices={Object.entries(t.decimals).map(([id, name]) => ({ id, name }))}
        />
        {check.encoding !== null && (
          <ChoiceField
            {...form.pick('encoding', { label: t.encoding })}
            none={t.found(check.encoding.used)}
            choices={ENCODINGS.map((id) => ({ id, name: id }))}
          />
        )}
        {fields}
        <CategoryPicker {...form.pick('categoryId', { label: t.category, help: t.categoryHelp })} />
        <TextField {...form.text('sheet', { label: t.sheet, help: t.sheetHelp })} />
      </Box>
      <Stack>
        <CheckField {...form.check('clearEmpty', { label: t.clearEmpty })} isBox />
        <CheckField {...form.check('emptyFormulas', { label: t.emptyFormulas })} isBox />
        <CheckField {...form.check('roundPrices', { label: t.roundPrices })} isBox />
        {may('assetCategories.create') && (
          <CheckField {...form.check('createCategories', { label: t.createCategories })} isBox />
        )}
        {workspace !== null && may('locations.create') && (
          <CheckField {...form.check('createLocations', { label: t.createLocations })} isBox />
        )}
        {boxes}
      </Stack>
    </>
  )
}

export function AssetOptions({ form, check }: { form: Form<ImportValues>; check: AssetImportResult }) {
  const t = useTexts(words)
  const ambiguous = check.columns.filter(({ ambiguousDates }) => ambiguousDates).map(({ header }) => header)
  return (
    <Options
      form={form}
      check={check}
      fields={
        <>
          <TextField
            {...form.choice('dateOrder', t.orders, {
              label: t.dateOrder,
              ...(ambiguous.length > 0 && { help: t.ambiguous(ambiguous.join(', ')) }),
            })}
          />
          <TextField {...form.choice('unknownCustodian', t.unknownCustodians, { label: t.unknownCustodian })} />
        </>
      }
      boxes={
        <>
          <CheckField {...form.check('emptyNames', { label: t.emptyNames })} isBox />
          <CheckField {...form.check('matchSerial', { label: t.matchSerial })} isBox />
          {check.columns.some(({ key }) => key === 'quantity') && (
            <CheckField {...form.check('splitQuantity', { label: t.splitQuantity })} isBox />
          )}
        </>
      }
    />
  )
}

const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'gb18030',
  'big5',
  'shift_jis',
  'euc-kr',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'macintosh',
] as const
