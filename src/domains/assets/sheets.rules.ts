/** The columns of spreadsheets of assets, which exports write and imports read: their keys, headers and words. Pure. */

import type { AssetStatus } from '#db/schema/assets.ts'
import type { FieldType } from '#db/schema/meta.ts'
import type { FieldRow } from '#domains/metadata/index.ts'
import { titleIn } from '#http/tables.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { wordKey } from '#lib/spreadsheets/cells.ts'

/** In their order in an export. `width` in characters. */
export const FIXED_COLUMNS = [
  { key: 'name', en: 'Name', zh: '名称', width: 30 },
  { key: 'assetNo', en: 'Asset no.', zh: '资产编号', width: 18 },
  { key: 'category', en: 'Category', zh: '分类', width: 24 },
  { key: 'status', en: 'Status', zh: '状态', width: 10 },
  { key: 'brand', en: 'Brand', zh: '品牌', width: 16 },
  { key: 'model', en: 'Model', zh: '型号', width: 16 },
  { key: 'serialNo', en: 'Serial no.', zh: '序列号', width: 20 },
  { key: 'purchaseDate', en: 'Purchase date', zh: '购买日期', width: 14 },
  { key: 'purchasePrice', en: 'Purchase price', zh: '购买价格', width: 14 },
  { key: 'supplier', en: 'Supplier', zh: '供应商', width: 20 },
  { key: 'warrantyExpiry', en: 'Warranty expiry', zh: '保修截止日期', width: 16 },
  { key: 'location', en: 'Location', zh: '位置', width: 24 },
  { key: 'custodian', en: 'Custodian', zh: '保管人', width: 16 },
  { key: 'latitude', en: 'Latitude', zh: '纬度', width: 12 },
  { key: 'longitude', en: 'Longitude', zh: '经度', width: 12 },
  { key: 'remark', en: 'Remark', zh: '备注', width: 40 },
] as const
export type FixedKey = (typeof FIXED_COLUMNS)[number]['key']

export interface FixedColumn {
  readonly key: FixedKey
  readonly field?: undefined
}
export interface FieldColumn {
  readonly key: `field:${number}`
  readonly field: FieldRow
}
export type SheetColumn = FixedColumn | FieldColumn

/** All columns of an owner's assets. Fields that stand for a fixed column have none of their own. */
export const columnsFor = (fields: readonly FieldRow[]): SheetColumn[] => [
  ...FIXED_COLUMNS.map(({ key }): FixedColumn => ({ key })),
  ...fields
    .filter(({ entityColumn }) => entityColumn === null)
    .map((field): FieldColumn => ({ key: `field:${field.id}`, field })),
]

const headers = new Map(FIXED_COLUMNS.map((column) => [column.key, column]))

export const headerOf = (column: SheetColumn, locale: Locale): string =>
  column.field === undefined ? headers.get(column.key)![locale] : column.field.name

/** The header in an export. Those of times name `zone` if it is given, and imports then read them in it. */
export function titleOf(column: SheetColumn, locale: Locale, zone: string | undefined): string {
  const title = headerOf(column, locale)
  return isTime(column) && zone !== undefined ? titleIn(locale, zone, { en: title, zh: title, isTime: true }) : title
}

export const isTime = ({ field }: Pick<SheetColumn, 'field'>): boolean => field?.type === 'DATETIME'

export const widthOf = (column: SheetColumn): number =>
  column.field === undefined ? headers.get(column.key)!.width : 20

/** Exports show them; imports ignore them. */
const READ_ONLY: ReadonlySet<FieldType> = new Set(['ATTACHMENT', 'PHOTO', 'COMPUTED'])
export const isReadOnly = ({ field }: Pick<SheetColumn, 'field'>): boolean =>
  field !== undefined && READ_ONLY.has(field.type)

export const STATUS_WORDS: Readonly<Record<AssetStatus, Localized>> = {
  IN_USE: { en: 'In use', zh: '在用' },
  IDLE: { en: 'Idle', zh: '闲置' },
  REPAIR: { en: 'In repair', zh: '维修中' },
  LOST: { en: 'Lost', zh: '丢失' },
  SCRAPPED: { en: 'Scrapped', zh: '报废' },
}

const statuses = new Map(
  Object.entries(STATUS_WORDS).flatMap(([status, { en, zh }]) =>
    [status, en, zh].map((word) => [wordKey(word), status as AssetStatus] as const),
  ),
)
export const statusOf = (word: string): AssetStatus | undefined => statuses.get(wordKey(word))

/** A path of names as it is compared: spaces around slashes and case do not matter. */
export const pathKey = (path: string): string =>
  path
    .normalize('NFC')
    .trim()
    .replace(/\s*\/\s*/g, '/')
    .toLowerCase()

/** The levels of a path from the top: the path down to each, as it is compared, and its name. */
export function levelsOf(path: string): { readonly key: string; readonly name: string }[] {
  const names = path.split('/').map((name) => name.trim())
  return names.map((name, i) => ({ key: pathKey(names.slice(0, i + 1).join('/')), name }))
}
