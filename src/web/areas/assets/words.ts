/** Words of the area that several of its pages show. */

import type { AssetCondition, InventoryState, InventoryStatus } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'

const words = texts({
  en: {
    condition: { GOOD: 'Good', FAIR: 'Used, but works', DAMAGED: 'Damaged', UNUSABLE: 'Unusable' },
    state: { MISSING: 'Missing', FOUND: 'Found', MISPLACED: 'Misplaced', UNEXPECTED: 'Unexpected' },
    inventory: { DRAFT: 'Not started', RUNNING: 'Running', CLOSED: 'Closed' },
    column: {
      name: 'Name',
      assetNo: 'Asset number',
      status: 'Status',
      category: 'Category',
      brand: 'Brand',
      model: 'Model',
      serialNo: 'Serial number',
      purchaseDate: 'Purchase date',
      purchasePrice: 'Purchase price',
      supplier: 'Supplier',
      warrantyExpiry: 'Warranty until',
      nextMaintenance: 'Next maintenance',
      lastCountedOn: 'Last counted',
      nextCountOn: 'Next count',
      location: 'Location',
      custodian: 'Custodian',
      latitude: 'Latitude',
      longitude: 'Longitude',
      remark: 'Remark',
      photos: 'Photos',
    },
  },
  zh: {
    condition: { GOOD: '完好', FAIR: '一般', DAMAGED: '损坏', UNUSABLE: '无法使用' },
    state: { MISSING: '未找到', FOUND: '已找到', MISPLACED: '位置不符', UNEXPECTED: '计划外' },
    inventory: { DRAFT: '未开始', RUNNING: '进行中', CLOSED: '已结束' },
    column: {
      name: '名称',
      assetNo: '资产编号',
      status: '状态',
      category: '分类',
      brand: '品牌',
      model: '型号',
      serialNo: '序列号',
      purchaseDate: '购买日期',
      purchasePrice: '购买价格',
      supplier: '供应商',
      warrantyExpiry: '保修到期',
      nextMaintenance: '下次维护',
      lastCountedOn: '上次盘点',
      nextCountOn: '下次盘点',
      location: '位置',
      custodian: '保管人',
      latitude: '纬度',
      longitude: '经度',
      remark: '备注',
      photos: '照片',
    },
  },
})

/** Columns that the public page of an asset can show, in the order of forms. */
export const PUBLIC_COLUMNS = [
  'name',
  'assetNo',
  'status',
  'category',
  'location',
  'photos',
  'brand',
  'model',
  'serialNo',
  'supplier',
  'purchaseDate',
  'purchasePrice',
  'warrantyExpiry',
  'latitude',
  'longitude',
  'remark',
] as const

/** Columns of a spreadsheet of assets. */
export const IMPORT_COLUMNS = [
  'name',
  'assetNo',
  'category',
  'status',
  'brand',
  'model',
  'serialNo',
  'supplier',
  'purchaseDate',
  'purchasePrice',
  'warrantyExpiry',
  'location',
  'custodian',
  'latitude',
  'longitude',
  'remark',
] as const

export const CONDITIONS: readonly AssetCondition[] = ['GOOD', 'FAIR', 'DAMAGED', 'UNUSABLE']
export const INVENTORY_STATES: readonly InventoryState[] = ['MISSING', 'MISPLACED', 'UNEXPECTED', 'FOUND']

export const useColumn = (): ((name: string) => string) => {
  const { column } = useTexts(words)
  return (name) => (column as Readonly<Record<string, string>>)[name] ?? name
}
export const useCondition = (): ((condition: AssetCondition) => string) => {
  const { condition } = useTexts(words)
  return (value) => condition[value]
}
export const useInventoryState = (): ((state: InventoryState) => string) => {
  const { state } = useTexts(words)
  return (value) => state[value]
}
export const useInventoryStatus = (): ((status: InventoryStatus) => string) => {
  const { inventory } = useTexts(words)
  return (value) => inventory[value]
}
