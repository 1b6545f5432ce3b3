import { and, count, desc, eq, inArray, sql } from 'drizzle-orm'

import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { sessions, users } from '#db/schema/accounts.ts'
import {
  syncAccess as access,
  syncConflicts as conflicts,
  syncDevices as devices,
  syncMappings as mappings,
  syncReceipts as receipts,
  syncStarts as starts,
} from '#db/schema/sync.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

const byKey = prepared((db) =>
  db
    .select({ id: devices.id })
    .from(devices)
    .where(and(eq(devices.userId, p('userId')), eq(devices.deviceKey, p('deviceKey')))),
)

export const findDevice = async (
  db: Db | Tx,
  device: { userId: number; deviceKey: string },
): Promise<number | undefined> => (await byKey(db, device))[0]?.id

/** Undefined if the device already has a row. */
export async function insertDevice(
  tx: Tx,
  { userId, deviceKey }: { userId: number; deviceKey: string },
  now: number,
): Promise<number | undefined> {
  const [row] = await tx
    .insert(devices)
    .values({ userId, deviceKey, createdAt: now })
    .onConflictDoNothing()
    .returning({ id: devices.id })
  return row?.id
}

/** Epoch milliseconds. */
export interface LastTimes {
  readonly lastPullAt?: number
  readonly lastPushAt?: number
}

export async function saveTimes(tx: Tx, id: number, times: LastTimes): Promise<void> {
  await tx.update(devices).set(times).where(eq(devices.id, id))
}

export interface DeviceRow {
  readonly id: number
  readonly deviceKey: string
  /** Null if the session of the device no longer exists. */
  readonly deviceName: string | null
  readonly lastPullAt: number | null
  readonly lastPushAt: number | null
}

const pulled = sql`coalesce(${devices.lastPullAt}, 0)`
const pushed = sql`coalesce(${devices.lastPushAt}, 0)`
const lastUse = sql`case when ${pulled} > ${pushed} then ${pulled} else ${pushed} end`

/** Of one user, the device that was used last first. */
export const devicesOf = (db: Db, userId: number, page: PageInput): Promise<Page<DeviceRow>> =>
  pageOfQuery(
    page,
    db
      .select({
        id: devices.id,
        deviceKey: devices.deviceKey,
        deviceName: sessions.deviceName,
        lastPullAt: devices.lastPullAt,
        lastPushAt: devices.lastPushAt,
      })
      .from(devices)
      .leftJoin(sessions, and(eq(sessions.userId, devices.userId), eq(sessions.deviceKey, devices.deviceKey)))
      .where(eq(devices.userId, userId))
      .orderBy(desc(lastUse), desc(devices.id)),
    db.select({ n: count() }).from(devices).where(eq(devices.userId, userId)),
  )

/** Open conflicts of the user by device. */
export async function openConflicts(db: Db, userId: number): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .select({ device: conflicts.device, n: count() })
    .from(conflicts)
    .where(and(eq(conflicts.userId, userId), eq(conflicts.status, 'OPEN')))
    .groupBy(conflicts.device)
  return new Map(rows.map(({ device, n }) => [device, n]))
}

/** Users whose accounts were deleted, and who have rows here. */
export const deletedUsers = async (db: Db, limit: number): Promise<number[]> => {
  const rows = await db
    .selectDistinct({ userId: devices.userId })
    .from(devices)
    .innerJoin(users, eq(users.id, devices.userId))
    .where(eq(users.status, 'DELETED'))
    .limit(limit)
  return rows.map(({ userId }) => userId)
}

/** Deletes some rows of a user; devices last. Returns whether there may be more. */
export async function deleteSomeOf(tx: Tx, userId: number, limit: number): Promise<boolean> {
  const own = await tx
    .delete(conflicts)
    .where(
      inArray(
        conflicts.id,
        tx.select({ id: conflicts.id }).from(conflicts).where(eq(conflicts.userId, userId)).limit(limit),
      ),
    )
    .returning({ id: conflicts.id })
  if (own.length > 0) return true
  const [device] = await tx.select({ id: devices.id }).from(devices).where(eq(devices.userId, userId)).limit(1)
  if (device === undefined) {
    await tx.delete(access).where(eq(access.userId, userId))
    return false
  }
  const some = await tx.select({ id: mappings.id }).from(mappings).where(eq(mappings.device, device.id)).limit(limit)
  if (some.length > 0) {
    const ids = some.map(({ id }) => id)
    await tx.delete(receipts).where(inArray(receipts.mapping, ids))
    await tx.delete(mappings).where(inArray(mappings.id, ids))
    return true
  }
  await tx.delete(starts).where(eq(starts.device, device.id))
  await tx.delete(devices).where(eq(devices.id, device.id))
  return true
}
