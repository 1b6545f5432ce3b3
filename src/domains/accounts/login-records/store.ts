import { and, desc, eq, gte, lte, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { loginRecords } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'

import { LOGIN_RECORDS_KEPT } from '../model.ts'

export type LoginRecordRow = typeof loginRecords.$inferSelect
type NewRow = Omit<typeof loginRecords.$inferInsert, 'id'>

/** Adds a record and deletes the user's oldest beyond `LOGIN_RECORDS_KEPT` (spec §8). */
export async function insertRecord(tx: Tx, row: NewRow): Promise<LoginRecordRow> {
  const rows = await tx.insert(loginRecords).values(row).returning()
  const firstTooOld = tx
    .select({ id: loginRecords.id })
    .from(loginRecords)
    .where(eq(loginRecords.userId, row.userId))
    .orderBy(desc(loginRecords.id))
    .limit(1)
    .offset(LOGIN_RECORDS_KEPT)
  await tx
    .delete(loginRecords)
    .where(and(eq(loginRecords.userId, row.userId), lte(loginRecords.id, sql`(${firstTooOld})`)))
  return rows[0]!
}

const devicesByUser = prepared((db) =>
  db
    .selectDistinct({ deviceKey: loginRecords.deviceKey })
    .from(loginRecords)
    .where(and(eq(loginRecords.userId, sql.placeholder('userId')), eq(loginRecords.status, 'success'))),
)

/** Keys of the devices of the user's successful logins, as far back as records are kept. */
export const findKnownDevices = async (db: Db | Tx, userId: number): Promise<string[]> =>
  (await devicesByUser(db, { userId })).map((row) => row.deviceKey)

export interface RecordFilter {
  userId?: number
  /** Epoch milliseconds. */
  since?: number
  loginType?: string
  status?: 'success' | 'failed'
}

const matching = (filter: RecordFilter) =>
  and(
    filter.userId === undefined ? undefined : eq(loginRecords.userId, filter.userId),
    filter.since === undefined ? undefined : gte(loginRecords.createdAt, filter.since),
    filter.loginType === undefined ? undefined : eq(loginRecords.loginType, filter.loginType),
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
