/** Decisions about imports: which column a header means, and which value a cell means. Pure. */

import type { Localized } from '#lib/localized.ts'
import { nearest } from '#lib/nearest.ts'
import { textOf, wordKey, zoneIn } from '#lib/spreadsheets/cells.ts'
import type { SheetCell } from '#lib/spreadsheets/sheet.ts'

import { type FixedKey, headerOf, isTime, type SheetColumn } from '../sheets.rules.ts'

/** A column of the file. */
export interface FileColumn {
  readonly header: string
  /** The column of assets that it fills; undefined for a column that is ignored. */
  readonly column: SheetColumn | undefined
  /** Of its times, if the header names one. */
  readonly zone?: string
  /** A column of assets with nearly the same name. */
  readonly suggestion?: string
}

/** Longer headers, and more of them, are not compared letter by letter, which takes some microseconds for each pair. */
const MAX_COMPARED = 40
const MAX_SUGGESTIONS = 30

export type Mapping = ReadonlyMap<string, string | null>

/** Other common names of columns. They count if no column of the file has the proper name. */
const OTHER_NAMES: Readonly<Partial<Record<FixedKey, readonly string[]>>> = {
  name: ['Asset name', 'Item name', 'Item', '资产名称', '物品名称', '设备名称', '品名'],
  assetNo: ['Asset number', 'Asset tag', '编号', '资产编码', '物品编号', '设备编号'],
  category: ['Asset category', '类别', '资产类别', '资产分类'],
  status: ['Asset status', '资产状态', '使用状态'],
  model: ['规格型号', '型号规格', '规格'],
  serialNo: ['Serial number', 'Serial', 'S/N', '出厂编号'],
  supplier: ['Vendor', '供货商'],
  purchaseDate: ['Date of purchase', 'Purchased', '采购日期', '购置日期', '购入日期'],
  purchasePrice: ['Price', 'Cost', '价格', '单价', '采购价格', '购置价格', '原值'],
  warrantyExpiry: ['Warranty', 'Warranty until', '保修到期', '保修期至'],
  location: ['Place', 'Room', '地点', '存放地点', '存放位置', '所在位置', '使用地点'],
  custodian: ['Responsible person', '保管员', '责任人'],
  remark: ['Remarks', 'Note', 'Notes', 'Comment', 'Comments', '说明'],
}
const otherNames = new Map(
  Object.entries(OTHER_NAMES).flatMap(([key, names]) => names.map((name) => [wordKey(name), key] as const)),
)

/** The text of a `mapping` field; a problem if it is not an object of texts and nulls, or names an unknown column. */
export function parseMapping(text: string, columns: readonly SheetColumn[]): Mapping | Localized {
  const known = new Set<string>(columns.map(({ key }) => key))
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return { en: 'must be a JSON object', zh: '必须是 JSON 对象' }
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { en: 'must be a JSON object', zh: '必须是 JSON 对象' }
  const mapping = new Map<string, string | null>()
  for (const [header, key] of Object.entries(given)) {
    if (key !== null && (typeof key !== 'string' || !known.has(key)))
      return {
        en: `names the unknown column ${JSON.stringify(key)?.slice(0, 50)}`,
        zh: `包含未知的列 ${JSON.stringify(key)?.slice(0, 50)}`,
      }
    mapping.set(wordKey(header), key)
  }
  return mapping
}

/**
 * The columns of a file by its header. A name that several columns of assets have means one after the other, as exports write them.
 * Returns the header of a column that occurs twice instead.
 */
export function matchColumns(
  fileHeaders: readonly string[],
  columns: readonly SheetColumn[],
  mapping: Mapping,
): readonly FileColumn[] | { readonly repeated: string } {
  const byKey = new Map<string, SheetColumn>(columns.map((column) => [column.key, column]))
  const byName = namesOf(columns)
  const used = new Set<SheetColumn>()
  const found: FileColumn[] = []
  for (const header of fileHeaders) {
    const name = wordKey(header)
    const mapped = mapping.get(name)
    const zoned = mapped === undefined && byName.has(name) ? undefined : zoneIn(header)
    const candidates =
      mapped === undefined
        ? (byName.get(name) ?? timesNamed(byName, zoned?.name))
        : mapped === null
          ? []
          : [byKey.get(mapped)!]
    const column = candidates.find((one) => !used.has(one))
    if (column === undefined && candidates.length > 0) return { repeated: header }
    if (column !== undefined) used.add(column)
    found.push({ header, column, ...(zoned !== undefined && column && isTime(column) && { zone: zoned.zone }) })
  }
  const all = found.map((one) => {
    const name = wordKey(one.header)
    const meant = mapping.has(name) ? undefined : byKey.get(otherNames.get(name) ?? '')
    if (one.column !== undefined || meant === undefined || used.has(meant)) return one
    used.add(meant)
    return { ...one, column: meant }
  })
  return withSuggestions(all, byName, used, mapping)
}

const timesNamed = (byName: ReadonlyMap<string, SheetColumn[]>, name: string | undefined): SheetColumn[] =>
  name === undefined ? [] : (byName.get(wordKey(name)) ?? []).filter(isTime)

/** The columns that each name means: headers in both languages, and keys. */
function namesOf(columns: readonly SheetColumn[]): Map<string, SheetColumn[]> {
  const byName = new Map<string, SheetColumn[]>()
  for (const column of columns)
    for (const name of new Set([headerOf(column, 'en'), headerOf(column, 'zh'), column.key].map(wordKey))) {
      if (name === '') continue
      const others = byName.get(name)
      if (others === undefined) byName.set(name, [column])
      else others.push(column)
    }
  return byName
}

function withSuggestions(
  found: readonly FileColumn[],
  byName: ReadonlyMap<string, readonly SheetColumn[]>,
  used: ReadonlySet<SheetColumn>,
  mapping: Mapping,
): FileColumn[] {
  const free = [...byName].filter(([name, [column]]) => name.length <= MAX_COMPARED && !used.has(column!))
  const names = free.map(([name]) => name)
  let left = MAX_SUGGESTIONS
  return found.map((one) => {
    const name = wordKey(one.header)
    if (one.column !== undefined || mapping.has(name) || name === '' || name.length > MAX_COMPARED || left-- <= 0)
      return one
    const meant = nearest(name, names)
    return meant === undefined ? one : { ...one, suggestion: byName.get(meant)![0]!.key }
  })
}

const GROUPED = /^[¥￥$€£]?\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)$/

/** An amount for a price: numbers of formulas lose the noise beyond 15 digits, texts their currency and separators. */
export const amountIn = (cell: SheetCell): string | number => {
  if (typeof cell === 'number') return Number(cell.toPrecision(15))
  const text = textOf(cell)
  const [, amount] = GROUPED.exec(text) ?? []
  return amount === undefined ? text : amount.replaceAll(',', '')
}
