/** Which column of assets a heading means, by the words of other registers too. Pure. */

import { nearest } from '#lib/nearest.ts'
import { wordKey, zoneIn } from '#lib/spreadsheets/cells.ts'
import { type Heading, namesOf } from '#lib/spreadsheets/header.ts'
import type { Mapping } from '#lib/spreadsheets/mapping.ts'

import { type FixedKey, headerOf, isTime, type SheetColumn } from '../sheets.rules.ts'
import { type FileColumn, type ImportColumn, OPTION_COLUMNS, type OptionKey } from './importing.rules.ts'

/** Longer headers, and more of them, are not compared letter by letter, which takes some microseconds for each pair. */
const MAX_COMPARED = 40
const MAX_SUGGESTIONS = 30
/** Of two letters, one edit makes any word. */
const MIN_COMPARED = 3

/**
 * Other names of columns, which count if no column of the file has the proper name. Of several in one file those of the first list win, in the
 * order of the file, then those of the second in their order here.
 */
const OTHER_NAMES: Readonly<Partial<Record<FixedKey | OptionKey, readonly [string, string]>>> = {
  name: ['', 'Item Name, Asset Name, Title, Item, Device, Equipment, HB.name, 资产名称, 设备名称, 物品名称, 品名'],
  assetNo: [
    'Asset number, 物品编号',
    'Asset Tag, Tag, Inventory No, Inventory Number, Barcode, Asset ID, HB.asset_id, 资产编码, 固定资产编号, 设备编号, 卡片编号, 编号, sequentialId',
  ],
  category: ['资产分类', 'Asset Category, Asset Type, Type, Group, 资产类别, 设备类型, 类别'],
  status: ['', 'Status Label, State, Asset Status, 使用状态, 资产状态, 状况'],
  brand: ['', 'Manufacturer, Make, HB.manufacturer, 厂家, 厂商, 制造商, 生产厂家'],
  model: ['型号规格', 'Model Name, Model No., Model Number, HB.model_number, 规格型号, 规格, Mode Number, Asset model'],
  serialNo: ['', 'Serial, Serial Number, S/N, SN, Service Tag, HB.serial_number, 出厂编号, 机身号'],
  supplier: ['', 'Vendor, Purchased from, HB.purchase_from, 供货商, 采购来源, Purchase From'],
  purchaseDate: [
    '购入日期',
    'Purchased, Purchase Time, Date of purchase, Acquisition Date, HB.purchase_time, 购置日期, 取得日期, 采购日期, 入账日期, 购置时间, Purchased Time, HB.purchase_date',
  ],
  purchasePrice: [
    '采购价格, 购置价格',
    'Purchase Cost, Cost, Price, Unit price, Value, Valuation, HB.purchase_price, 资产原值, 原值, 单价, 价格, 金额, 购置金额, Purchased Price',
  ],
  warrantyExpiry: ['', 'Warranty Expires, Warranty until, HB.warranty_expires, 质保期至, 保修到期, 保修期至, Warranty'],
  warrantyMonths: ['', 'Warranty Months, 保修期(月), 保修期, 保修月数'],
  quantity: ['', 'Quantity, Qty, HB.quantity, 数量'],
  location: [
    '地点',
    'Default Location, Room, Site, Place, HB.location, 存放地点, 存放位置, 使用地点, 放置地点, 所在位置, 教室',
  ],
  custodian: [
    'Responsible person, 保管员',
    'Checked Out To, Assigned To, Checkout Username, Username, Owner, Responsible, User, 使用人, 责任人, 管理人, 领用人, 负责人, Checked Out To: Username, Checked Out To: Email, Checked Out, Custody',
  ],
  remark: [
    'Remarks, Comment',
    'Notes, Note, Comments, Description, HB.notes, HB.description, 备注说明, 说明, Asset Notes',
  ],
}
/** The key and the rank of each name. */
const otherNames = new Map(
  Object.entries(OTHER_NAMES).flatMap(([key, [first, ranked]]) => [
    ...ranked.split(', ').map((name, i) => [wordKey(name), { key, rank: i + 1 }] as const),
    ...first.split(', ').map((name) => [wordKey(name), { key, rank: 0 }] as const),
  ]),
)
otherNames.delete('')

/** The names of the columns of assets. */
export interface Names {
  readonly byKey: ReadonlyMap<string, ImportColumn>
  /** Headers in both languages, and keys. Several columns can have one name. */
  readonly byName: ReadonlyMap<string, readonly SheetColumn[]>
}

export function namesFor(columns: readonly SheetColumn[]): Names {
  const byName = new Map<string, SheetColumn[]>()
  for (const column of columns)
    for (const name of new Set([headerOf(column, 'en'), headerOf(column, 'zh'), column.key].map(wordKey))) {
      if (name === '') continue
      const others = byName.get(name)
      if (others === undefined) byName.set(name, [column])
      else others.push(column)
    }
  return { byKey: new Map([...columns, ...OPTION_COLUMNS].map((column) => [column.key, column])), byName }
}

/** Whether a heading means a column of assets, or the user has said what it means. */
export function isKnownHeading({ byName }: Names, mapping: Mapping, heading: string): boolean {
  const name = wordKey(heading)
  if (name === '') return false
  return mapping.has(name) || byName.has(name) || otherNames.has(name) || zoned(byName, heading).length > 0
}

const zoned = (byName: Names['byName'], heading: string): readonly SheetColumn[] => {
  const found = zoneIn(heading)
  return found === undefined ? [] : (byName.get(wordKey(found.name)) ?? []).filter(isTime)
}

/** A column of the file whose meaning is being found. */
interface Open {
  readonly heading: Heading
  column?: ImportColumn
  suggestion?: string
}

/**
 * The columns of a file by its headings. A name that several columns of assets have means one after the other, as exports write them.
 * Returns the heading of a column that occurs twice instead.
 */
export function matchColumns(
  headings: readonly Heading[],
  names: Names,
  mapping: Mapping,
): readonly FileColumn[] | { readonly repeated: string } {
  const used = new Set<ImportColumn>()
  const open: Open[] = []
  for (const heading of headings) {
    const candidates = properColumns(heading.title, names, mapping)
    const column = candidates.find((one) => !used.has(one))
    if (column === undefined && candidates.length > 0) return { repeated: heading.title }
    if (column !== undefined) used.add(column)
    open.push({ heading, ...(column !== undefined && { column }) })
  }
  const isBackup = headings.some(({ title }) => wordKey(title) === 'sequentialid')
  const isFree = ({ heading, column, suggestion }: Open) =>
    column === undefined &&
    suggestion === undefined &&
    !mapping.has(wordKey(heading.title)) &&
    // Backups of Shelf have there what happened to the asset.
    !(isBackup && wordKey(heading.title) === 'notes')
  takeOthers(open.filter(isFree), ({ heading }) => heading.title, names, used)
  for (const part of ['sub', 'group'] as const)
    takeParts(
      open.filter((one) => isFree(one) && one.heading[part] !== ''),
      part,
      names,
      used,
    )
  return withSuggestions(open, names, used, isFree).map(({ heading, column, suggestion }) => {
    const name = wordKey(heading.title)
    const isName = !mapping.has(name) && names.byName.has(name)
    const zone = column !== undefined && isTime(column) && !isName ? zoneOf(heading) : undefined
    return {
      header: heading.title,
      column,
      ...(zone !== undefined && { zone }),
      ...(suggestion !== undefined && { suggestion }),
    }
  })
}

const zoneOf = (heading: Heading): string | undefined =>
  namesOf(heading)
    .map((name) => zoneIn(name)?.zone)
    .find((zone) => zone !== undefined)

function properColumns(title: string, { byKey, byName }: Names, mapping: Mapping): readonly ImportColumn[] {
  const name = wordKey(title)
  const mapped = mapping.get(name)
  if (mapped === undefined) return byName.get(name) ?? zoned(byName, title)
  return mapped === null ? [] : [byKey.get(mapped)!]
}

/** Gives columns their meaning by another name. Of several for one column the best one gets it, and the others suggest it. */
function takeOthers(
  open: readonly Open[],
  nameOf: (one: Open) => string,
  { byKey }: Names,
  used: Set<ImportColumn>,
): void {
  const found = open.flatMap((one) => {
    const other = otherNames.get(wordKey(nameOf(one)))
    const column = byKey.get(other?.key ?? '')
    return column === undefined ? [] : [{ one, column, rank: other!.rank }]
  })
  for (const { one, column } of found.toSorted((a, b) => a.rank - b.rank)) {
    // Beside a column of days, it has months.
    const months = wordKey(nameOf(one)) === WARRANTY && used.has(column) ? byKey.get('warrantyMonths') : undefined
    const meant = months === undefined || used.has(months) ? column : months
    if (used.has(meant)) one.suggestion = meant.key
    else {
      used.add(meant)
      one.column = meant
    }
  }
}
const WARRANTY = 'warranty'

/** Matches two-row headings by one of their rows. Those that would mean the same are left to the user. */
function takeParts(open: readonly Open[], part: 'sub' | 'group', names: Names, used: Set<ImportColumn>): void {
  const meant = (one: Open) => {
    const name = one.heading[part]
    return (
      (names.byName.get(wordKey(name)) ?? zoned(names.byName, name))[0] ??
      names.byKey.get(otherNames.get(wordKey(name))?.key ?? '')
    )
  }
  for (const [column, all] of Map.groupBy(open, meant)) {
    if (column === undefined) continue
    const [one] = all
    if (all.length === 1 && !used.has(column)) {
      used.add(column)
      one!.column = column
    } else for (const other of all) other.suggestion = column.key
  }
}

function withSuggestions(
  open: readonly Open[],
  { byName }: Names,
  used: ReadonlySet<ImportColumn>,
  isFree: (one: Open) => boolean,
): readonly Open[] {
  const free = [...byName].filter(
    ([name, [column]]) => name.length >= MIN_COMPARED && name.length <= MAX_COMPARED && !used.has(column!),
  )
  let left = MAX_SUGGESTIONS
  return open.map((one) => {
    const name = wordKey(one.heading.title)
    if (!isFree(one) || name.length < MIN_COMPARED || name.length > MAX_COMPARED || left-- <= 0) return one
    const type = typeOfHeading(name)
    const likely = free.filter(([, [column]]) => type === undefined || typeOfColumn(column!) === type)
    const meant = nearest(
      name,
      likely.map(([known]) => known),
    )
    return meant === undefined ? one : { ...one, suggestion: byName.get(meant)![0]!.key }
  })
}

type ColumnType = 'DATE' | 'NUMBER' | 'TEXT'

function typeOfColumn({ key, field }: SheetColumn): ColumnType {
  if (field !== undefined)
    return field.type === 'DATE' || field.type === 'DATETIME' ? 'DATE' : field.type === 'NUMBER' ? 'NUMBER' : 'TEXT'
  if (key === 'purchaseDate' || key === 'warrantyExpiry') return 'DATE'
  return key === 'purchasePrice' || key === 'latitude' || key === 'longitude' ? 'NUMBER' : 'TEXT'
}

const NUMBER_WORD = /cost|price|value|amount|价|值|金额|费/
const DATE_WORD = /date|time|day|expir|until|日期|时间|到期/

/** The type that a word of the heading names. */
const typeOfHeading = (name: string): ColumnType | undefined =>
  NUMBER_WORD.test(name) ? 'NUMBER' : DATE_WORD.test(name) ? 'DATE' : undefined
