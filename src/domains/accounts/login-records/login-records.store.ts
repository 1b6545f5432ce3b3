/** The records of sign-ins and other events, and the devices on which users have signed in. */

import { and, asc, desc, eq, gte, lt, lte, or, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { isAnyOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { knownDevices, loginRecords } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'
import { type AdminList, within } from '#domains/admin/index.ts'

import {
  ANONYMOUS_RECORDS_KEPT,
  ANONYMOUS_USER_ID,
  KNOWN_DEVICES_KEPT,
  LOGIN_RECORDS_KEPT,
  REPORTED_RECORDS_KEPT,
} from '../accounts.model.ts'
import type { AdminRecordsQuery } from './login-records.model.ts'

export type LoginRecordRow = typeof loginRecords.$inferSelect
type NewRow = Omit<typeof loginRecords.$inferInsert, 'id'>

const kindOf = (row: NewRow) => {
  if (row.userId === ANONYMOUS_USER_ID)
    // As a constant, so that the partial index fits.
    return and(sql`${loginRecords.userId} = 0`, eq(loginRecords.network, row.network ?? ''))
  const own = eq(loginRecords.userId, row.userId)
  return row.isReported
    ? and(own, eq(loginRecords.isReported, true))
    : and(own, eq(loginRecords.isReported, false), eq(loginRecords.status, row.status))
}

/**
 * Adds a record and deletes the oldest of its kind: successes, failures and reports of clients are counted apart, so that none can
 * push the others out. Attempts at accounts that do not exist are counted by network, so that one attacker does not hide another.
 */
export async function insertRecord(tx: Tx, row: NewRow): Promise<LoginRecordRow> {
  const rows = await tx.insert(loginRecords).values(row).returning()
  const kind = kindOf(row)
  const firstTooOld = tx
    .select({ id: loginRecords.id })
    .from(loginRecords)
    .where(kind)
    .orderBy(desc(loginRecords.id))
    .limit(1)
    .offset(row.isReported ? REPORTED_RECORDS_KEPT : LOGIN_RECORDS_KEPT)
  await tx.delete(loginRecords).where(and(kind, lte(loginRecords.id, sql`(${firstTooOld})`)))
  return rows[0]!
}

/**
 * Deletes attempts at accounts that do not exist, at most `limit`: the oldest beyond `ANONYMOUS_RECORDS_KEPT`, and those before `before`. Returns
 * how many it deleted.
 */
export async function deleteOldAttempts(tx: Tx, before: number, limit: number): Promise<number> {
  const ids = () =>
    tx
      .select({ id: loginRecords.id })
      .from(loginRecords)
      .where(sql`${loginRecords.userId} = 0`)
  const [firstTooOld] = await ids().orderBy(desc(loginRecords.id)).limit(1).offset(ANONYMOUS_RECORDS_KEPT)
  // The order of the ids is that of the times, so only the oldest rows have to be looked at.
  const oldest = ids().orderBy(asc(loginRecords.id)).limit(limit)
  const isOld = or(lte(loginRecords.id, firstTooOld?.id ?? 0), lt(loginRecords.createdAt, before))
  const rows = await tx
    .delete(loginRecords)
    .where(and(isAnyOf(loginRecords.id, oldest), isOld))
    .returning({ id: loginRecords.id })
  return rows.length
}

export interface RecordFilter {
  userId?: number
  /** Epoch milliseconds. */
  since?: number
  status?: 'success' | 'failed'
}

const matching = (filter: RecordFilter) =>
  and(
    filter.userId === undefined ? undefined : eq(loginRecords.userId, filter.userId),
    filter.since === undefined ? undefined : gte(loginRecords.createdAt, filter.since),
    filter.status === undefined ? undefined : eq(loginRecords.status, filter.status),
  )

/** Newest first. */
export async function pageOfRecords(db: Db, filter: RecordFilter, page: number, size: number) {
  const where = matching(filter)
  const items = await db
    .select()
    .from(loginRecords)
    .where(where)
    .orderBy(desc(loginRecords.id))
    .limit(size)
    .offset((page - 1) * size)
  const counted = await db
    .select({ total: sql<number>`count(*)` })
    .from(loginRecords)
    .where(where)
  return { items, total: Number(counted[0]?.total ?? 0) }
}

/** The records of all users. Those of one user are few and are searched; otherwise an index answers either the time or the type. */
export function allRecords(query: Omit<AdminRecordsQuery, 'hours'>): AdminList<LoginRecordRow> {
  const { userId, loginType, status, keyword, sort } = query
  const ofType = loginType === undefined ? undefined : eq(loginRecords.loginType, loginType)
  const inTime = within(loginRecords.createdAt, query)
  const byType = userId === undefined && inTime === undefined && ofType !== undefined
  const columns = [loginRecords.ipAddress, loginRecords.city, loginRecords.deviceName]
  return {
    table: loginRecords,
    scope: and(
      userId === undefined ? undefined : and(eq(loginRecords.userId, userId), inTime),
      byType ? ofType : undefined,
    ),
    period: userId === undefined && inTime !== undefined ? query : undefined,
    where: and(
      byType ? undefined : ofType,
      status === undefined ? undefined : eq(loginRecords.status, status),
      keyword ? or(...columns.map((column) => contains(column, keyword))) : undefined,
    ),
    // The order of the ids is that of the times.
    order: byType || userId !== undefined ? [loginRecords.id] : [loginRecords.createdAt, loginRecords.id],
    total: userId === undefined && inTime === undefined && !byType ? 'login_records.all' : undefined,
    isReversed: sort !== 'createdAt',
    select: (db) => db.select().from(loginRecords).$dynamic(),
  }
}

const devicesOf = prepared((db) =>
  db
    .select({ deviceKey: knownDevices.deviceKey, removedAt: knownDevices.removedAt })
    .from(knownDevices)
    .where(eq(knownDevices.userId, sql.placeholder('userId')))
    .orderBy(asc(knownDevices.lastSeenAt), asc(knownDevices.deviceKey)),
)

const seeDevice = prepared((db) =>
  db
    .insert(knownDevices)
    .values({
      userId: sql.placeholder('userId'),
      deviceKey: sql.placeholder('deviceKey'),
      firstSeenAt: sql.placeholder('now'),
      lastSeenAt: sql.placeholder('now'),
      removedAt: null,
    })
    .onConflictDoUpdate({
      target: [knownDevices.userId, knownDevices.deviceKey],
      set: { lastSeenAt: sql`excluded.last_seen_at`, removedAt: null },
    }),
)

/**
 * Stores that the user signs in on the device. `known`: a device of an earlier sign-in that the user has not removed since.
 * `first`: nobody has signed in to this account before. Of each user the `KNOWN_DEVICES_KEPT` latest devices are kept.
 */
export async function recordDevice(
  tx: Tx,
  userId: number,
  deviceKey: string,
  now: number,
): Promise<'known' | 'new' | 'first'> {
  const devices = await devicesOf(tx, { userId })
  await seeDevice(tx, { userId, deviceKey, now })
  const device = devices.find((row) => row.deviceKey === deviceKey)
  const oldest = device === undefined && devices.length >= KNOWN_DEVICES_KEPT ? devices[0] : undefined
  if (oldest) await deleteDevice(tx, userId, oldest.deviceKey)
  if (devices.length === 0) return 'first'
  return device !== undefined && device.removedAt === null ? 'known' : 'new'
}

async function deleteDevice(tx: Tx, userId: number, deviceKey: string): Promise<void> {
  await tx.delete(knownDevices).where(and(eq(knownDevices.userId, userId), eq(knownDevices.deviceKey, deviceKey)))
}

/** Whether the user has signed in on the device, and has not removed it since. */
export const isKnownDevice = async (db: Db, userId: number, deviceKey: string): Promise<boolean> =>
  (await devicesOf(db, { userId })).some((device) => device.deviceKey === deviceKey && device.removedAt === null)

/** When the user first signed in on the device. Undefined for one that is not among the `KNOWN_DEVICES_KEPT` latest. */
export async function firstSeenAt(tx: Tx, userId: number, deviceKey: string): Promise<number | undefined> {
  const rows = await tx
    .select({ at: knownDevices.firstSeenAt })
    .from(knownDevices)
    .where(and(eq(knownDevices.userId, userId), eq(knownDevices.deviceKey, deviceKey)))
  return rows[0]?.at
}

/** The next sign-in on the device is reported to the user again. */
export async function forgetDevice(tx: Tx, userId: number, deviceKey: string, now: number): Promise<void> {
  await tx
    .update(knownDevices)
    .set({ removedAt: now })
    .where(and(eq(knownDevices.userId, userId), eq(knownDevices.deviceKey, deviceKey)))
}

export async function deleteDevicesOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(knownDevices).where(eq(knownDevices.userId, userId))
}
