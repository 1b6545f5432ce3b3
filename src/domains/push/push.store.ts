import { and, asc, count, eq, gt, inArray, ne, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { sessions } from '#db/schema/accounts.ts'
import { pushSubscriptions as table } from '#db/schema/push.ts'
import type { Db, Tx } from '#db/store.ts'

export type SubscriptionRow = typeof table.$inferSelect
export type NewRow = Omit<SubscriptionRow, 'id' | 'lastSuccessAt' | 'failures'>

const IDS_PER_QUERY = 500

/** The oldest first; at most 20. */
export const subscriptionsOf = async (db: Db | Tx, userId: number): Promise<SubscriptionRow[]> =>
  db.select().from(table).where(eq(table.userId, userId)).orderBy(asc(table.id))

/** Other subscriptions of the user than the one with this endpoint. */
export async function countOthers(tx: Tx, userId: number, endpoint: string): Promise<number> {
  const [row] = await tx
    .select({ count: count() })
    .from(table)
    .where(and(eq(table.userId, userId), ne(table.endpoint, endpoint)))
  return row!.count
}

/** Inserts the subscription, or replaces that of the user with this endpoint. The endpoint is taken away from every other user. */
export async function saveSubscription(tx: Tx, row: NewRow): Promise<SubscriptionRow> {
  await tx.delete(table).where(and(eq(table.endpoint, row.endpoint), ne(table.userId, row.userId)))
  const { userId: _userId, endpoint: _endpoint, createdAt: _createdAt, ...changed } = row
  const rows = await tx
    .insert(table)
    .values(row)
    .onConflictDoUpdate({ target: table.endpoint, set: { ...changed, failures: 0 } })
    .returning()
  return rows[0]!
}

/** False if the user has no such subscription. */
export async function deleteSubscription(tx: Tx, userId: number, id: number): Promise<boolean> {
  const rows = await tx
    .delete(table)
    .where(and(eq(table.userId, userId), eq(table.id, id)))
    .returning({ id: table.id })
  return rows.length === 1
}

export async function deleteOfSessions(tx: Tx, sessionIds: readonly number[]): Promise<void> {
  for (let i = 0; i < sessionIds.length; i += IDS_PER_QUERY)
    await tx.delete(table).where(inArray(table.sessionId, sessionIds.slice(i, i + IDS_PER_QUERY)))
}

/** Whether any user has a subscription. */
export const hasSubscriptions = async (db: Db): Promise<boolean> => (await first(db)).length > 0

const first = prepared((db) => db.select({ id: table.id }).from(table).limit(1))

/** Subscriptions of these users whose sessions have not ended. */
export async function liveSubscriptions(db: Db, userIds: readonly number[], now: number): Promise<SubscriptionRow[]> {
  const rows: SubscriptionRow[] = []
  for (let i = 0; i < userIds.length; i += IDS_PER_QUERY) {
    const found = await db
      .select({ subscription: table })
      .from(table)
      .innerJoin(sessions, eq(sessions.id, table.sessionId))
      .where(
        and(
          isOneOf(table.userId, userIds.slice(i, i + IDS_PER_QUERY)),
          eq(sessions.status, 'ACTIVE'),
          gt(sessions.expiredAt, now),
        ),
      )
    rows.push(...found.map(({ subscription }) => subscription))
  }
  return rows
}

export const hasSession = async (tx: Tx, userId: number, id: number): Promise<boolean> => {
  const rows = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.userId, userId), eq(sessions.status, 'ACTIVE')))
  return rows.length === 1
}

export async function saveSuccess(tx: Tx, userId: number, id: number, now: number): Promise<void> {
  await tx
    .update(table)
    .set({ lastSuccessAt: now, failures: 0 })
    .where(and(eq(table.userId, userId), eq(table.id, id)))
}

/** Undefined if the subscription is gone. */
export async function addFailure(tx: Tx, userId: number, id: number): Promise<SubscriptionRow | undefined> {
  const rows = await tx
    .update(table)
    .set({ failures: sql`${table.failures} + 1` })
    .where(and(eq(table.userId, userId), eq(table.id, id)))
    .returning()
  return rows[0]
}
