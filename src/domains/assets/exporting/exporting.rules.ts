/** The cells of an exported asset, and the template to fill in. Pure. */

import type { assets } from '#db/schema/assets.ts'
import type { FieldRow } from '#domains/metadata/index.ts'
import { toText } from '#domains/metadata/index.ts'
import type { Locale } from '#lib/localized.ts'
import type { Cell, Column } from '#lib/spreadsheets/xlsx-writer.ts'

import { type FixedKey, isReadOnly, type SheetColumn, STATUS_WORDS, titleOf, widthOf } from '../sheets.rules.ts'

type AssetRow = typeof assets.$inferSelect

/** The texts by which spreadsheets name other things. */
export interface NamesOf {
  readonly categories: ReadonlyMap<number, string>
  readonly locations: ReadonlyMap<number, string>
  readonly people: ReadonlyMap<number, string>
}

const textOrNull = (map: ReadonlyMap<number, string>, id: number | null): string | null =>
  id === null ? null : (map.get(id) ?? null)

const dayOf = (text: string | null): Cell => (text === null ? null : Temporal.PlainDate.from(text))

/** The values of the fixed columns by key. */
const FIXED_CELLS: Readonly<Record<FixedKey, (row: AssetRow, names: NamesOf, locale: Locale) => Cell>> = {
  name: (row) => row.name,
  assetNo: (row) => row.assetNo,
  category: (row, { categories }) => textOrNull(categories, row.categoryId),
  status: (row, _, locale) => STATUS_WORDS[row.status][locale],
  brand: (row) => row.brand,
  model: (row) => row.model,
  serialNo: (row) => row.serialNo,
  purchaseDate: (row) => dayOf(row.purchaseDate),
  purchasePrice: (row) => (row.purchasePrice === null ? null : row.purchasePrice / 100),
  supplier: (row) => row.supplier,
  warrantyExpiry: (row) => dayOf(row.warrantyExpiry),
  location: (row, { locations }) => textOrNull(locations, row.locationId),
  custodian: (row, { people }) => textOrNull(people, row.custodianId),
  latitude: (row) => row.latitude,
  longitude: (row) => row.longitude,
  remark: (row) => row.remark,
}
export const fixedCell = (key: FixedKey, row: AssetRow, names: NamesOf, locale: Locale): Cell =>
  FIXED_CELLS[key](row, names, locale)

const DAY = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/

/** The cell of a value in a field. `value`: references as texts, files as names. */
export function fieldCell(field: FieldRow, value: unknown, locale: Locale, zone: string): Cell {
  const text = toText(field, value, locale, zone)
  if (typeof text !== 'string') return text
  if (field.type === 'DATE' && DAY.test(text)) return Temporal.PlainDate.from(text)
  // Other texts, such as times with milliseconds, would lose something in a cell of a time.
  return field.type === 'DATETIME' && TIME.test(text) ? Temporal.PlainDateTime.from(text.replace(' ', 'T')) : text
}

/** Texts of at least this many characters would not fit into a list of choices. */
const MAX_CHOICE = 255
/** Longer lists are of no use. */
const MAX_CHOICES = 1000

interface FieldOption {
  readonly value: string
  readonly disabled?: boolean
}

/** The columns of a template: those that an import reads, with formats and choices. */
export function templateColumns(
  columns: readonly SheetColumn[],
  names: Pick<NamesOf, 'categories' | 'locations'>,
  {
    locale,
    zone,
    titleZone,
  }: { readonly locale: Locale; readonly zone: string; readonly titleZone: string | undefined },
): (Column & { readonly column: SheetColumn })[] {
  const choicesOf = (column: SheetColumn): Column['choices'] => {
    if (column.field !== undefined) return fieldChoices(column.field, locale, zone)
    if (column.key === 'status')
      return choices(
        Object.values(STATUS_WORDS).map((word) => word[locale]),
        true,
      )
    if (column.key === 'category') return choices([...names.categories.values()], false)
    if (column.key === 'location') return choices([...names.locations.values()], false)
    return undefined
  }
  return columns
    .filter((column) => !isReadOnly(column))
    .map((column) => {
      const offered = choicesOf(column)
      const format = formatOf(column)
      return {
        column,
        title: titleOf(column, locale, titleZone),
        width: widthOf(column),
        ...(offered !== undefined && { choices: offered }),
        ...(format !== undefined && { format }),
      }
    })
}

function choices(values: readonly string[], only: boolean): Column['choices'] {
  const fitting = values.filter((value) => value.length < MAX_CHOICE).slice(0, MAX_CHOICES)
  return fitting.length === 0 ? undefined : { values: fitting, only: only && fitting.length === values.length }
}

function fieldChoices(field: FieldRow, locale: Locale, zone: string): Column['choices'] {
  if (field.type === 'BOOLEAN')
    return choices(
      [true, false].map((value) => String(toText(field, value, locale, zone))),
      true,
    )
  const isOne = field.type === 'SELECT' || field.type === 'RADIO'
  const isMany = field.type === 'MULTI_SELECT' || field.type === 'CHECKBOX'
  if (!isOne && !isMany) return undefined
  const options = ((field.config['options'] ?? []) as readonly FieldOption[]).filter(
    ({ disabled }) => disabled !== true,
  )
  return choices(
    options.map(({ value }) => String(toText(field, isOne ? value : [value], locale, zone))),
    isOne,
  )
}

function formatOf({ key, field }: SheetColumn): Column['format'] {
  if (field === undefined) {
    if (key === 'purchaseDate' || key === 'warrantyExpiry') return 'day'
    return key === 'purchasePrice' || key === 'latitude' || key === 'longitude' ? undefined : 'text'
  }
  if (field.type === 'DATE') return 'day'
  if (field.type === 'DATETIME') return 'time'
  return field.type === 'NUMBER' ? undefined : 'text'
}

const EXAMPLE = {
  name: { en: 'Example: laptop', zh: '示例：笔记本电脑' },
  brand: 'ThinkPad',
  model: 'X1 Carbon',
  serialNo: 'PF-3K9Q2',
  supplier: { en: 'Office World', zh: '办公用品公司' },
  remark: { en: 'Replace this row', zh: '请替换本行' },
} as const

/** The example of a template: a row that an import accepts. */
export function exampleCell(
  { column, choices: offered }: Column & { readonly column: SheetColumn },
  locale: Locale,
): Cell {
  if (offered !== undefined) return offered.values[0]!
  switch (column.key) {
    case 'name':
    case 'supplier':
    case 'remark':
      return EXAMPLE[column.key][locale]
    case 'brand':
    case 'model':
    case 'serialNo':
      return EXAMPLE[column.key]
    case 'purchaseDate':
      return Temporal.PlainDate.from('2026-03-08')
    case 'warrantyExpiry':
      return Temporal.PlainDate.from('2029-03-07')
    case 'purchasePrice':
      return 1999.9
    default:
      return null
  }
}
