/** The meaning of headings and cells in a list of supplies. Pure. */

import type { SupplyKind } from '#db/schema/supplies.ts'
import type { Localized } from '#lib/localized.ts'
import { textOf, wordKey } from '#lib/spreadsheets/cells.ts'
import { type Heading, namesOf } from '#lib/spreadsheets/header.ts'
import { type Mapping, parseMapping } from '#lib/spreadsheets/mapping.ts'
import type { SheetCell } from '#lib/spreadsheets/sheet.ts'

import { type Decimal, numberIn } from '../importing/values.rules.ts'
import { KIND_WORDS, SUPPLY_COLUMNS, type SupplyColumn } from '../supplies/sheets.rules.ts'
import { MAX_QUANTITY } from '../supplies/supplies.model.ts'

/** Other names of the columns. Of several in one file, the first one wins. */
const OTHER_NAMES: Readonly<Record<SupplyColumn, string>> = {
  name: 'Item Name, Item, Supply, Article, Product, Title, Consumable, 物料名称, 物品名称, 品名, 耗材名称',
  supplyNo:
    'Supply no., No., Item No., Item Number, Article number, SKU, Part Number, Model No., 编号, 物料编码, 物品编号',
  kind: 'Type, 类别类型, 物料类型',
  category: 'Asset Category, Group, 类别, 物料分类',
  unit: 'Units, UoM, Unit of measure, 计量单位',
  stock: 'Quantity, Qty, Total, In stock, On hand, Remaining, 数量, 库存数量, 现有数量, 结存',
  minimum: 'Min, Min. Qty, Min Amount, Minimum Quantity, Minimum stock, Reorder level, 最小库存, 安全库存, 库存下限',
  price: 'Unit price, Unit cost, Cost, Purchase Cost, 价格, 采购单价',
  supplier: 'Vendor, Manufacturer, 供货商, 厂家',
  location: 'Place, Room, Storage, Shelf, 存放地点, 存放位置, 仓库, 库位',
  remark: 'Remarks, Note, Notes, Comment, Comments, Description, 说明, 备注说明',
}

const proper = new Map<string, SupplyColumn>(
  SUPPLY_COLUMNS.flatMap(({ key, en, zh }) => [key, en, zh].map((name) => [wordKey(name), key] as const)),
)
const others = new Map<string, SupplyColumn>(
  Object.entries(OTHER_NAMES).flatMap(([key, names]) =>
    names.split(', ').map((name) => [wordKey(name), key as SupplyColumn] as const),
  ),
)
const keys: ReadonlySet<string> = new Set(SUPPLY_COLUMNS.map(({ key }) => key))

export const mappingIn = (text: string): Mapping<SupplyColumn> | Localized => parseMapping(text, (key) => keys.has(key))

export const isKnownHeading = (heading: string, mapping: Mapping<SupplyColumn>): boolean => {
  const name = wordKey(heading)
  return name !== '' && (mapping.has(name) || proper.has(name) || others.has(name))
}

/** A column of the file, and the column of supplies that it fills. */
export interface FileColumn {
  readonly header: string
  readonly key: SupplyColumn | null
}

/** The columns of a file by its headings. Returns the heading of a column that occurs twice instead. */
export function matchColumns(
  headings: readonly Heading[],
  mapping: Mapping<SupplyColumn>,
): readonly FileColumn[] | { readonly repeated: string } {
  const used = new Set<SupplyColumn>()
  const found = headings.map((heading): { header: string; key: SupplyColumn | null; isSet: boolean } => {
    const name = wordKey(heading.title)
    return mapping.has(name)
      ? { header: heading.title, key: mapping.get(name)!, isSet: true }
      : { header: heading.title, key: proper.get(name) ?? null, isSet: proper.has(name) }
  })
  for (const { header, key } of found) {
    if (key === null) continue
    if (used.has(key)) return { repeated: header }
    used.add(key)
  }
  for (const [i, column] of found.entries()) {
    if (column.isSet) continue
    const key = namesOf(headings[i]!)
      .map((name) => proper.get(wordKey(name)) ?? others.get(wordKey(name)))
      .find((one) => one !== undefined && !used.has(one))
    if (key === undefined) continue
    column.key = key
    used.add(key)
  }
  return found.map(({ header, key }) => ({ header, key }))
}

/** A whole number from 0 on; undefined for other cells. */
export function quantityIn(cell: SheetCell, decimal: Decimal): number | undefined {
  const text = typeof cell === 'number' ? String(cell) : numberIn(textOf(cell), decimal)
  const value = text === undefined ? Number.NaN : Number(text)
  return Number.isInteger(value) && value >= 0 && value <= MAX_QUANTITY ? value : undefined
}

const KINDS: Readonly<Record<SupplyKind, string>> = {
  CONSUMABLE: 'Consumables, Is used up, Used up, 耗材, 易耗品',
  POOL: 'Pools, Is lent, Lent, Loan, Reusable, 借用, 周转',
}
const kinds = new Map(
  Object.entries(KINDS).flatMap(([kind, words]) =>
    [kind, KIND_WORDS[kind as SupplyKind].en, KIND_WORDS[kind as SupplyKind].zh, ...words.split(', ')].map(
      (word) => [wordKey(word), kind as SupplyKind] as const,
    ),
  ),
)
export const kindIn = (text: string): SupplyKind | undefined => kinds.get(wordKey(text))

const SUM_WORDS: ReadonlySet<string> = new Set(
  ['Total', 'Sum', 'Subtotal', 'Grand total', '合计', '总计', '共计', '小计'].map(wordKey),
)
/** Whether the first filled cell of a row without a number says that it is a row of sums. */
export const isSumWord = (text: string): boolean => SUM_WORDS.has(wordKey(text))
