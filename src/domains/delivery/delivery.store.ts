import { and, asc, count, eq, gt, isNotNull, isNull, lte, min, sql } from 'drizzle-orm'

import { isAnyOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { outbox, type OutboxChannel } from '#db/schema/delivery.ts'
import type { Db, Tx } from '#db/store.ts'

export type OutboxRow = typeof outbox.$inferSelect

const insertRow = prepared((db) =>
  db.insert(outbox).values({
    channel: sql.placeholder('channel'),
    topic: sql.placeholder('topic'),
    payload: sql.placeholder('payload'),
    attempts: 0,
    dueAt: sql.placeholder('now'),
    expiresAt: sql.placeholder('expiresAt'),
    createdAt: sql.placeholder('now'),
  }),
)

const deleteByTopic = prepared((db) => db.delete(outbox).where(eq(outbox.topic, sql.placeholder('topic'))))

export interface NewRow {
  channel: OutboxChannel
  topic: string | null
  payload: string
  expiresAt: number
}

/** Inserts a message that is due immediately. Deletes a waiting message with the same topic. */
export async function insertMessage(
  tx: Tx,
  { channel, topic, payload, expiresAt }: NewRow,
  now: number,
): Promise<void> {
  if (topic !== null) await deleteByTopic(tx, { topic })
  await insertRow(tx, { channel, topic, payload, expiresAt, now })
}

/** Inserts messages that nothing replaces, by one statement. They are due immediately. */
export async function insertMessages(tx: Tx, rows: readonly Omit<NewRow, 'topic'>[], now: number): Promise<void> {
  if (rows.length > 0)
    await tx.insert(outbox).values(rows.map((row) => ({ ...row, topic: null, dueAt: now, createdAt: now })))
}

const ofChannel = eq(outbox.channel, sql.placeholder('channel'))
const isDue = lte(outbox.dueAt, sql.placeholder('now'))
/** Every code has a topic, and no notice has one. */
const isCode = isNotNull(outbox.topic)

const dueCodes = prepared((db) =>
  db
    .select()
    .from(outbox)
    .where(and(ofChannel, isDue, isCode))
    .orderBy(asc(outbox.dueAt), asc(outbox.id))
    .limit(sql.placeholder('limit')),
)
const dueNotices = prepared((db) =>
  db
    .select()
    .from(outbox)
    .where(and(ofChannel, isDue, isNull(outbox.topic)))
    .orderBy(asc(outbox.dueAt), asc(outbox.id))
    .limit(sql.placeholder('limit')),
)

const claimRow = prepared((db) =>
  db
    .update(outbox)
    .set({ attempts: sql`${outbox.attempts} + 1`, dueAt: sql`${sql.placeholder('until')}` })
    .where(and(eq(outbox.id, sql.placeholder('id')), eq(outbox.dueAt, sql.placeholder('dueAt'))))
    .returning(),
)

/**
 * Claims up to `limit` due messages by making them due at `until`: codes first, because somebody is waiting for them, then up to
 * `notices` notices. Of each kind the oldest first.
 */
export async function claimDueMessages(
  tx: Tx,
  channel: OutboxChannel,
  { now, until, limit, notices }: { now: number; until: number; limit: number; notices: number },
): Promise<OutboxRow[]> {
  const claimed: OutboxRow[] = []
  const codes = await dueCodes(tx, { channel, now, limit })
  const rest = await dueNotices(tx, { channel, now, limit: Math.min(notices, limit - codes.length) })
  for (const { id, dueAt } of [...codes, ...rest]) claimed.push(...(await claimRow(tx, { id, dueAt, until })))
  return claimed
}

/** After a long failure of a gateway there can be any number. */
const EXPIRED_AT_ONCE = 250

const deleteExpired = prepared((db) => {
  const some = db
    .select({ id: outbox.id })
    .from(outbox)
    .where(
      and(
        eq(outbox.channel, sql.placeholder('channel')),
        lte(outbox.dueAt, sql.placeholder('now')),
        lte(outbox.expiresAt, sql.placeholder('now')),
      ),
    )
    .limit(EXPIRED_AT_ONCE)
  return db.delete(outbox).where(isAnyOf(outbox.id, some)).returning()
})

/** Deletes due messages that have expired, at most `EXPIRED_AT_ONCE`, and returns them. */
export const deleteExpiredMessages = (tx: Tx, channel: OutboxChannel, now: number) =>
  deleteExpired(tx, { channel, now })

const deleteById = prepared((db) => db.delete(outbox).where(eq(outbox.id, sql.placeholder('id'))))

/** Does nothing if the message no longer exists. */
export async function deleteMessage(tx: Tx, id: number): Promise<void> {
  await deleteById(tx, { id })
}

const postpone = prepared((db) =>
  db
    .update(outbox)
    .set({ dueAt: sql`${sql.placeholder('dueAt')}` })
    .where(eq(outbox.id, sql.placeholder('id'))),
)

/** Does nothing if the message no longer exists. */
export async function postponeMessage(tx: Tx, id: number, dueAt: number): Promise<void> {
  await postpone(tx, { id, dueAt })
}

const earliest = prepared((db) =>
  db
    .select({ dueAt: min(outbox.dueAt) })
    .from(outbox)
    .where(ofChannel),
)
const earliestCode = prepared((db) =>
  db
    .select({ dueAt: min(outbox.dueAt) })
    .from(outbox)
    .where(and(ofChannel, isCode)),
)

/** When the next message, or the next code, is due; null if there is none. */
export async function nextDueTime(db: Db, channel: OutboxChannel, of: 'all' | 'codes'): Promise<number | null> {
  return (await (of === 'all' ? earliest : earliestCode)(db, { channel }))[0]?.dueAt ?? null
}

/** Used at start: no message is being sent then, and the cause of earlier failures may have been fixed. */
export async function makeAllDue(tx: Tx, channel: OutboxChannel, now: number): Promise<void> {
  await tx
    .update(outbox)
    .set({ dueAt: now })
    .where(and(eq(outbox.channel, channel), gt(outbox.dueAt, now)))
}

const backlog = prepared((db) =>
  db
    .select({
      waiting: count(),
      retrying: sql<number>`count(case when ${outbox.attempts} > 0 then 1 end)`,
      // Thousands of mails to participants take some minutes without any delay.
      oldestAt: sql<number | null>`min(case when ${outbox.channel} <> 'EVENT' then ${outbox.createdAt} end)`,
    })
    .from(outbox),
)

/** The messages that have not been sent yet. `oldestAt`: of those that are not for participants of activities; null if there are none. */
export async function readBacklog(db: Db) {
  const { waiting, retrying, oldestAt } = (await backlog(db))[0]!
  return { waiting, retrying: Number(retrying), oldestAt: oldestAt === null ? null : Number(oldestAt) }
}
