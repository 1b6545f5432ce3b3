import { orgOf } from '#db/owner-key.ts'

import type { InventoryView, ItemView, ScanResult } from './inventories.model.ts'
import type { InventoryRow, ItemRow } from './inventories.rules.ts'
import type { ScannedAsset } from './inventories.store.ts'

export const toView = (row: InventoryRow): InventoryView => ({
  id: row.id,
  name: row.name,
  orgId: orgOf(row.owner) || null,
  scope: { categoryIds: [...row.scope.categoryIds], locationIds: [...row.scope.locationIds] },
  status: row.status,
  assigneeIds: row.assigneeIds,
  note: row.note,
  expected: row.expected,
  found: row.found,
  missing: row.status === 'DRAFT' ? 0 : row.expected - row.found,
  unexpected: row.unexpected,
  misplaced: row.misplaced,
  createdBy: row.createdBy,
  startedAt: row.startedAt,
  closedAt: row.closedAt,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

export const toItemView = (row: ItemRow): ItemView => ({
  assetId: row.assetId,
  uuid: row.uuid,
  name: row.name,
  assetNo: row.assetNo,
  state: row.state,
  expectedLocationId: row.expectedLocationId,
  locationId: row.locationId,
  condition: row.condition,
  note: row.note,
  photoFileId: row.photoFileId,
  scannedBy: row.scannedBy,
  scannedAt: row.scannedAt,
})

export const toScannedView = (asset: ScannedAsset): ScanResult['asset'] => ({
  id: asset.id,
  uuid: asset.uuid,
  name: asset.name,
  assetNo: asset.assetNo,
  locationId: asset.locationId,
})
