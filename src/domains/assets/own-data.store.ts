import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'

import { type DataArea, orgIdOf, ownedOrMade, tableArea } from '#db/data-areas.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { assetImportMappings, assetImportRuns } from '#db/schema/asset-imports.ts'
import { assetMaintenanceDues, assetMaintenancePlans, assetMaintenanceRecords } from '#db/schema/asset-maintenance.ts'
import {
  assetCalendars,
  assetCategories,
  assetLoans,
  assets,
  assetTransfers,
  inventories,
  inventoryItems,
} from '#db/schema/assets.ts'
import { labelProfiles } from '#db/schema/label-profiles.ts'
import { assetReservationItems, assetReservations } from '#db/schema/reservations.ts'
import { supplies, supplyImports, supplyLoans, supplyMovements } from '#db/schema/supplies.ts'
import { deleteSome } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'

import { priceText } from './register/register.rules.ts'

/** Deletes at most `limit` items of inventories, and inventories without items. Returns the number of rows. */
export async function deleteInventoriesOf(tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  const [first] = await tx
    .select({ id: inventories.id })
    .from(inventories)
    .where(eq(inventories.owner, owner))
    .orderBy(asc(inventories.createdAt))
    .limit(1)
  if (first === undefined) return 0
  const items = await deleteSome(tx, inventoryItems, eq(inventoryItems.inventoryId, first.id), limit)
  if (items < limit) await tx.delete(inventories).where(eq(inventories.id, first.id))
  return Math.max(1, items)
}

export async function deletePlansOfOwner(tx: Tx, owner: OwnerKey): Promise<void> {
  await tx.delete(assetMaintenanceDues).where(eq(assetMaintenanceDues.owner, owner))
  await tx.delete(assetMaintenancePlans).where(eq(assetMaintenancePlans.owner, owner))
}

export const assetAreas: readonly DataArea[] = [
  tableArea({
    name: 'assets',
    title: { en: 'Assets', zh: '资产' },
    forAdministrators: 'NAMES',
    from: assets,
    columns: {
      id: assets.id,
      uuid: assets.uuid,
      orgId: orgIdOf(assets.owner),
      name: assets.name,
      assetNo: assets.assetNo,
      categoryId: assets.categoryId,
      brand: assets.brand,
      model: assets.model,
      serialNo: assets.serialNo,
      purchaseDate: assets.purchaseDate,
      purchasePrice: assets.purchasePrice,
      supplier: assets.supplier,
      warrantyExpiry: assets.warrantyExpiry,
      remark: assets.remark,
      status: assets.status,
      locationId: assets.locationId,
      photoIds: assets.photoIds,
      latitude: assets.latitude,
      longitude: assets.longitude,
      publicFields: assets.publicFields,
      scrappedAt: assets.scrappedAt,
      scrapReason: assets.scrapReason,
      deletedAt: assets.deletedAt,
      createdAt: assets.createdAt,
      updatedAt: assets.updatedAt,
    },
    // `userId` is the user who registered it; personal assets have no other.
    where: (userId) => eq(assets.userId, userId),
    key: [assets.id],
    show: withPrice('purchasePrice'),
  }),
  tableArea({
    name: 'asset-categories',
    title: { en: 'Asset categories', zh: '资产分类' },
    forAdministrators: 'NAMES',
    from: assetCategories,
    columns: {
      id: assetCategories.id,
      orgId: orgIdOf(assetCategories.owner),
      parentId: assetCategories.parentId,
      name: assetCategories.name,
      color: assetCategories.color,
      createdAt: assetCategories.createdAt,
      updatedAt: assetCategories.updatedAt,
    },
    where: (userId) =>
      and(ownedOrMade(assetCategories.owner, assetCategories.userId, userId), isNull(assetCategories.deletedAt)),
    key: [assetCategories.id],
  }),
  tableArea({
    name: 'asset-transfers',
    title: { en: 'Transfers of assets', zh: '资产变动' },
    from: assets,
    joins: [{ table: assetTransfers, on: eq(assetTransfers.assetId, assets.id) }],
    columns: {
      id: assetTransfers.id,
      assetId: assetTransfers.assetId,
      fromLocationName: assetTransfers.fromLocationName,
      toLocationName: assetTransfers.toLocationName,
      fromOrgId: assetTransfers.fromOrgId,
      toOrgId: assetTransfers.toOrgId,
      note: assetTransfers.note,
      createdAt: assetTransfers.createdAt,
    },
    where: (userId) => and(eq(assets.owner, -userId), eq(assetTransfers.assetId, assets.id)),
    key: [assetTransfers.id],
  }),
  tableArea({
    name: 'loans',
    title: { en: 'Loans', zh: '借用' },
    from: assetLoans,
    joins: [{ table: assets, on: eq(assets.id, assetLoans.assetId) }],
    columns: {
      id: assetLoans.id,
      assetId: assetLoans.assetId,
      assetName: assets.name,
      assetNo: assets.assetNo,
      isBorrower: sql<number>`case when ${assetLoans.owner} > 0 then 1 else 0 end`,
      personName: sql<string | null>`case when ${assetLoans.owner} < 0 then ${assetLoans.personName} end`,
      note: assetLoans.note,
      condition: assetLoans.condition,
      returnNote: assetLoans.returnNote,
      checkedOutAt: assetLoans.checkedOutAt,
      dueAt: assetLoans.dueAt,
      checkedInAt: assetLoans.checkedInAt,
    },
    where: (userId) => or(eq(assetLoans.userId, userId), eq(assetLoans.owner, -userId)),
    key: [assetLoans.id],
    show: (row) => ({ ...row, isBorrower: Boolean(row['isBorrower']) }),
  }),
  tableArea({
    name: 'maintenance-plans',
    title: { en: 'Plans of maintenance', zh: '维保计划' },
    forAdministrators: 'NAMES',
    from: assetMaintenancePlans,
    columns: {
      id: assetMaintenancePlans.id,
      orgId: orgIdOf(assetMaintenancePlans.owner),
      name: assetMaintenancePlans.name,
      kind: assetMaintenancePlans.kind,
      assetId: assetMaintenancePlans.assetId,
      categoryId: assetMaintenancePlans.categoryId,
      everyDays: assetMaintenancePlans.everyDays,
      everyMonths: assetMaintenancePlans.everyMonths,
      firstDue: assetMaintenancePlans.firstDue,
      note: assetMaintenancePlans.note,
      createdAt: assetMaintenancePlans.createdAt,
      updatedAt: assetMaintenancePlans.updatedAt,
    },
    where: (userId) => ownedOrMade(assetMaintenancePlans.owner, assetMaintenancePlans.createdBy, userId),
    key: [assetMaintenancePlans.id],
  }),
  tableArea({
    name: 'maintenance-records',
    title: { en: 'Records of maintenance', zh: '维保记录' },
    from: assetMaintenanceRecords,
    columns: {
      id: assetMaintenanceRecords.id,
      orgId: orgIdOf(assetMaintenanceRecords.owner),
      assetId: assetMaintenanceRecords.assetId,
      kind: assetMaintenanceRecords.kind,
      doneOn: assetMaintenanceRecords.doneOn,
      nextDue: assetMaintenanceRecords.nextDue,
      cost: assetMaintenanceRecords.cost,
      supplier: assetMaintenanceRecords.supplier,
      result: assetMaintenanceRecords.result,
      note: assetMaintenanceRecords.note,
      fileIds: assetMaintenanceRecords.fileIds,
      createdAt: assetMaintenanceRecords.createdAt,
      updatedAt: assetMaintenanceRecords.updatedAt,
    },
    where: (userId) => ownedOrMade(assetMaintenanceRecords.owner, assetMaintenanceRecords.createdBy, userId),
    key: [assetMaintenanceRecords.id],
    show: withPrice('cost'),
  }),
  tableArea({
    name: 'inventories',
    title: { en: 'Inventories', zh: '盘点' },
    forAdministrators: 'NAMES',
    from: inventories,
    columns: {
      id: inventories.id,
      orgId: orgIdOf(inventories.owner),
      name: inventories.name,
      status: inventories.status,
      note: inventories.note,
      expected: inventories.expected,
      found: inventories.found,
      startedAt: inventories.startedAt,
      closedAt: inventories.closedAt,
      createdAt: inventories.createdAt,
    },
    where: (userId) => ownedOrMade(inventories.owner, inventories.createdBy, userId),
    key: [inventories.id],
  }),
  tableArea({
    name: 'reservations',
    title: { en: 'Reservations', zh: '预约' },
    from: assetReservations,
    joins: [{ table: assetReservationItems, on: eq(assetReservationItems.reservationId, assetReservations.id) }],
    columns: {
      id: assetReservations.id,
      itemId: assetReservationItems.id,
      orgId: assetReservations.orgId,
      status: assetReservations.status,
      startsAt: assetReservations.startsAt,
      endsAt: assetReservations.endsAt,
      purpose: assetReservations.purpose,
      reason: assetReservations.reason,
      name: assetReservationItems.name,
      assetNo: assetReservationItems.assetNo,
      quantity: assetReservationItems.quantity,
      createdAt: assetReservations.createdAt,
    },
    where: (userId) =>
      and(eq(assetReservations.userId, userId), eq(assetReservationItems.reservationId, assetReservations.id)),
    key: [assetReservations.id, assetReservationItems.id],
  }),
  tableArea({
    name: 'supplies',
    title: { en: 'Supplies', zh: '耗材与公用品' },
    forAdministrators: 'NAMES',
    from: supplies,
    columns: {
      id: supplies.id,
      uuid: supplies.uuid,
      orgId: orgIdOf(supplies.owner),
      name: supplies.name,
      supplyNo: supplies.supplyNo,
      kind: supplies.kind,
      categoryId: supplies.categoryId,
      unit: supplies.unit,
      price: supplies.price,
      supplier: supplies.supplier,
      remark: supplies.remark,
      photoIds: supplies.photoIds,
      minimum: supplies.minimum,
      target: supplies.target,
      stock: supplies.stock,
      lent: supplies.lent,
      deletedAt: supplies.deletedAt,
      createdAt: supplies.createdAt,
      updatedAt: supplies.updatedAt,
    },
    where: (userId) => eq(supplies.userId, userId),
    key: [supplies.id],
    show: withPrice('price'),
  }),
  tableArea({
    name: 'supply-movements',
    title: { en: 'Movements of supplies', zh: '出入库记录' },
    from: supplyMovements,
    joins: [{ table: supplies, on: eq(supplies.id, supplyMovements.supplyId) }],
    columns: {
      id: supplyMovements.id,
      supplyId: supplyMovements.supplyId,
      supplyName: supplies.name,
      type: supplyMovements.type,
      quantity: supplyMovements.quantity,
      difference: supplyMovements.difference,
      price: supplyMovements.price,
      note: supplyMovements.note,
      dueAt: supplyMovements.dueAt,
      createdAt: supplyMovements.createdAt,
    },
    where: (userId) =>
      or(
        eq(supplyMovements.owner, -userId),
        and(eq(supplyMovements.userId, userId), sql`${supplyMovements.personName} <> ''`),
        and(eq(supplyMovements.operatorId, userId), sql`${supplyMovements.operatorName} <> ''`),
      ),
    key: [supplyMovements.id],
    show: withPrice('price'),
  }),
  tableArea({
    name: 'supply-loans',
    title: { en: 'Supplies that you have', zh: '借用中的公用品' },
    from: supplyLoans,
    joins: [{ table: supplies, on: eq(supplies.id, supplyLoans.supplyId) }],
    columns: {
      supplyId: supplyLoans.supplyId,
      supplyName: supplies.name,
      quantity: supplyLoans.quantity,
      dueAt: supplyLoans.dueAt,
    },
    where: (userId) => and(eq(supplyLoans.userId, userId), sql`${supplyLoans.userId} <> 0`),
    key: [supplyLoans.supplyId],
  }),
  tableArea({
    name: 'asset-imports',
    title: { en: 'Imports of assets', zh: '资产导入' },
    from: assetImportRuns,
    columns: {
      id: assetImportRuns.id,
      orgId: orgIdOf(assetImportRuns.owner),
      fileName: assetImportRuns.fileName,
      created: assetImportRuns.created,
      updated: assetImportRuns.updated,
      undoneAt: assetImportRuns.undoneAt,
      createdAt: assetImportRuns.createdAt,
    },
    where: (userId) => ownedOrMade(assetImportRuns.owner, assetImportRuns.userId, userId),
    key: [assetImportRuns.id],
  }),
  tableArea({
    name: 'supply-imports',
    title: { en: 'Imports of supplies', zh: '耗材导入' },
    from: supplyImports,
    columns: {
      id: supplyImports.id,
      orgId: orgIdOf(supplyImports.owner),
      fileName: supplyImports.fileName,
      created: supplyImports.created,
      updated: supplyImports.updated,
      undoneAt: supplyImports.undoneAt,
      createdAt: supplyImports.createdAt,
    },
    where: (userId) => ownedOrMade(supplyImports.owner, supplyImports.userId, userId),
    key: [supplyImports.id],
  }),
  tableArea({
    name: 'import-mappings',
    title: { en: 'Saved mappings of imports', zh: '已保存的导入对照' },
    from: assetImportMappings,
    columns: {
      id: assetImportMappings.id,
      orgId: orgIdOf(assetImportMappings.owner),
      name: assetImportMappings.name,
      headings: assetImportMappings.headings,
      options: assetImportMappings.options,
      createdAt: assetImportMappings.createdAt,
      updatedAt: assetImportMappings.updatedAt,
    },
    where: (userId) => ownedOrMade(assetImportMappings.owner, assetImportMappings.createdBy, userId),
    key: [assetImportMappings.id],
  }),
  tableArea({
    name: 'label-profiles',
    title: { en: 'Label profiles', zh: '标签模板' },
    from: labelProfiles,
    columns: {
      id: labelProfiles.id,
      name: labelProfiles.name,
      settings: labelProfiles.settings,
      createdAt: labelProfiles.createdAt,
      updatedAt: labelProfiles.updatedAt,
    },
    where: (userId) => eq(labelProfiles.owner, -userId),
    key: [labelProfiles.id],
  }),
  tableArea({
    name: 'asset-calendars',
    title: { en: 'Calendars of assets', zh: '资产日历' },
    from: assetCalendars,
    columns: {
      id: assetCalendars.id,
      orgId: orgIdOf(assetCalendars.owner),
      locale: assetCalendars.locale,
      createdAt: assetCalendars.createdAt,
    },
    where: (userId) => eq(assetCalendars.userId, userId),
    key: [assetCalendars.id],
  }),
]

/** Money is a decimal in the API, and hundredths in the tables. */
function withPrice(column: string) {
  return (row: Readonly<Record<string, unknown>>) => ({ ...row, [column]: priceText(row[column] as number | null) })
}
