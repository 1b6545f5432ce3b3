import { and, asc, count, eq, gt, inArray, like, lt, sql } from 'drizzle-orm'

import { RESTORED_AT, STAMP_GAP } from '#db/engine/stamps.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { serverState } from '#db/schema/settings.ts'
import {
  syncDevices as devices,
  type SyncEntityName,
  syncHorizons as horizons,
  syncMappings as mappings,
  syncStarts as starts,
  syncTombstones as tombstones,
} from '#db/schema/sync.ts'
import { isAmongFirst } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

const later = prepared((db) =>
  db
    .select({ owner: horizons.owner, stamp: horizons.stamp })
    .from(horizons)
    .where(gt(horizons.stamp, p('since'))),
)

/** Owners of whom tombstones later than `since` were deleted. The table is tiny: few owners ever have so many. */
export const horizonsAfter = (db: Db, since: number): Promise<{ readonly owner: OwnerKey; readonly stamp: number }[]> =>
  later(db, { since })

/** When the database was last restored from a backup; 0 if never. */
export async function restoredAt(db: Db): Promise<number> {
  const [row] = await db.select({ value: serverState.value }).from(serverState).where(eq(serverState.key, RESTORED_AT))
  return Number(row?.value ?? 0)
}

/** Stamps that were never given, without both ends. */
export async function stampGaps(db: Db): Promise<{ readonly from: number; readonly to: number }[]> {
  const rows = await db
    .select()
    .from(serverState)
    .where(like(serverState.key, `${STAMP_GAP}%`))
  return rows.map(({ key, value }) => ({ from: Number(key.slice(STAMP_GAP.length)), to: Number(value) }))
}

/** When the device last pulled each entity from 0; entities that it never did are left out. */
export const startsOf = (
  db: Db,
  device: number,
  orgId: number,
): Promise<{ readonly entity: SyncEntityName; readonly startedAt: number }[]> =>
  db
    .select({ entity: starts.entity, startedAt: starts.startedAt })
    .from(starts)
    .where(and(eq(starts.device, device), eq(starts.orgId, orgId)))

export async function hasStarted(tx: Tx, userId: number): Promise<boolean> {
  const own = tx.select({ id: devices.id }).from(devices).where(eq(devices.userId, userId))
  const rows = await tx.select({ device: starts.device }).from(starts).where(inArray(starts.device, own)).limit(1)
  return rows.length > 0
}

export async function saveStart(
  tx: Tx,
  device: number,
  orgId: number,
  entities: Iterable<SyncEntityName>,
): Promise<void> {
  const startedAt = tx.stamp
  await tx
    .insert(starts)
    .values([...entities].map((entity) => ({ device, orgId, entity, startedAt })))
    .onConflictDoUpdate({ target: [starts.device, starts.orgId, starts.entity], set: { startedAt } })
}

/** The oldest tombstones, of one owner or of all, with the ids that devices gave to their rows. Returns whether there may be more. */
export async function deleteSomeTombstones(
  tx: Tx,
  { owner, before }: { readonly owner?: OwnerKey; readonly before: number },
  limit: number,
): Promise<number> {
  const { stamp, entity, entityId } = tombstones
  const where = and(owner === undefined ? undefined : eq(tombstones.owner, owner), lt(stamp, before))
  const deleted = await tx
    .delete(tombstones)
    .where(isAmongFirst(tx, tombstones, { where, orderBy: [asc(stamp)], limit }))
    .returning({ entity, entityId, version: tombstones.version })
  // A row with version 0 still exists.
  const gone = deleted.filter(({ version }) => version > 0)
  for (const [name, rows] of Map.groupBy(gone, (row) => row.entity)) {
    if (name === 'location') continue
    const ids = rows.map((row) => row.entityId)
    await tx.delete(mappings).where(and(eq(mappings.entity, name), inArray(mappings.serverId, ids)))
  }
  return deleted.length
}

export async function deleteHorizons(tx: Tx, before: number): Promise<void> {
  await tx.delete(horizons).where(lt(horizons.stamp, before))
}

export const ownersWithMany = (db: Db, max: number): Promise<{ readonly owner: OwnerKey; readonly n: number }[]> =>
  db.select({ owner: tombstones.owner, n: count() }).from(tombstones).groupBy(tombstones.owner).having(gt(count(), max))

/** The stamp of the owner's tombstone number `n`, counted from 1, oldest first. */
export async function stampAt(db: Db, owner: OwnerKey, n: number): Promise<number | undefined> {
  const rows = await db
    .select({ stamp: tombstones.stamp })
    .from(tombstones)
    .where(eq(tombstones.owner, owner))
    .orderBy(asc(tombstones.stamp))
    .limit(1)
    .offset(n - 1)
  return rows[0]?.stamp
}

export async function saveHorizon(tx: Tx, owner: OwnerKey, stamp: number): Promise<void> {
  await tx.insert(horizons).values({ owner, stamp }).onConflictDoUpdate({ target: horizons.owner, set: { stamp } })
}
