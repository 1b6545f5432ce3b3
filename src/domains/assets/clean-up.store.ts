import { and, eq, inArray } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { assetCountReminders } from '#db/schema/asset-maintenance.ts'
import { assetCleanUps, assetLoans, assetNumbers, assets, assetWarrantyReminders } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'
import { recordDeleted, tombstoneOf } from '#db/tombstones.ts'

import { purgeMaintenance } from './dues.store.ts'
import { deleteTransfersOf } from './history.store.ts'
import { type AssetRow, listed } from './register/register.store.ts'

/** At most `limit` assets of the owner, also deleted ones, whose custodian is this user. */
export const assetsInCustody = (tx: Tx, owner: OwnerKey, userId: number, limit: number): Promise<AssetRow[]> =>
  tx
    .select()
    .from(assets)
    .where(and(eq(assets.custodianId, userId), eq(assets.owner, owner)))
    .limit(limit)

/** Deletes at most `limit` assets of the owner permanently, with their history and loans. Returns their number. */
export async function purgeAssets(tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  const rows = await tx.select({ id: assets.id }).from(assets).where(eq(assets.owner, owner)).limit(limit)
  if (rows.length === 0) return 0
  const ids = rows.map((row) => row.id)
  await deleteTransfersOf(tx, ids)
  await tx.delete(assetLoans).where(inArray(assetLoans.assetId, ids))
  await tx.delete(assetWarrantyReminders).where(inArray(assetWarrantyReminders.assetId, ids))
  await tx.delete(assetCountReminders).where(inArray(assetCountReminders.assetId, ids))
  await purgeMaintenance(tx, ids)
  const columns = { ...listed.columns, version: assets.version }
  const deleted = await tx.delete(assets).where(inArray(assets.id, ids)).returning(columns)
  for (const row of deleted) listed.deleted(tx, row)
  await recordDeleted(
    tx,
    'asset',
    deleted.map((row) => tombstoneOf(owner, row)),
  )
  return ids.length
}

export async function forgetNumbers(tx: Tx, owner: OwnerKey): Promise<void> {
  await tx.delete(assetNumbers).where(eq(assetNumbers.owner, owner))
}

export type CleanUp = typeof assetCleanUps.$inferSelect

/** Leaves the rest to the job. */
export async function insertCleanUp(tx: Tx, cleanUp: CleanUp): Promise<void> {
  await tx.insert(assetCleanUps).values(cleanUp).onConflictDoNothing()
}

export async function deleteCleanUp(tx: Tx, { owner, userId }: CleanUp): Promise<void> {
  await tx.delete(assetCleanUps).where(and(eq(assetCleanUps.owner, owner), eq(assetCleanUps.userId, userId)))
}

export async function firstCleanUp(db: Db): Promise<CleanUp | undefined> {
  return (await db.select().from(assetCleanUps).limit(1))[0]
}
