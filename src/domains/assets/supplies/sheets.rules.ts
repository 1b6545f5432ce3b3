/** The columns and words of spreadsheets of supplies. Pure. */

import type { MovementType, SupplyKind } from '#db/schema/supplies.ts'
import type { Localized } from '#lib/localized.ts'

/** In their order in an export. `width` in characters. */
export const SUPPLY_COLUMNS = [
  { key: 'name', en: 'Name', zh: '名称', width: 30 },
  { key: 'supplyNo', en: 'Number', zh: '物料编号', width: 14 },
  { key: 'kind', en: 'Kind', zh: '类型', width: 14 },
  { key: 'category', en: 'Category', zh: '分类', width: 24 },
  { key: 'unit', en: 'Unit', zh: '单位', width: 8 },
  { key: 'stock', en: 'Stock', zh: '库存', width: 10 },
  { key: 'minimum', en: 'Minimum', zh: '最低库存', width: 10 },
  { key: 'price', en: 'Price', zh: '单价', width: 12 },
  { key: 'supplier', en: 'Supplier', zh: '供应商', width: 20 },
  { key: 'location', en: 'Location', zh: '位置', width: 24 },
  { key: 'remark', en: 'Remark', zh: '备注', width: 40 },
] as const
export type SupplyColumn = (typeof SUPPLY_COLUMNS)[number]['key']

export const KIND_WORDS: Readonly<Record<SupplyKind, Localized>> = {
  CONSUMABLE: { en: 'Consumable', zh: '消耗品' },
  POOL: { en: 'Pool', zh: '借用品' },
}

export const MOVEMENT_WORDS: Readonly<Record<MovementType, Localized>> = {
  IN: { en: 'In', zh: '入库' },
  TAKE: { en: 'Taken', zh: '领用' },
  RETURN: { en: 'Returned', zh: '归还' },
  MOVE: { en: 'Moved', zh: '移库' },
  COUNT: { en: 'Counted', zh: '盘点' },
  WRITE_OFF: { en: 'Written off', zh: '报废' },
}
