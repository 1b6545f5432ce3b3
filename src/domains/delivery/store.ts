import { and, asc, eq, gt, lte, min, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { type Channel, outbox } from '#db/schema/delivery.ts'
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
  channel: Channel
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

const dueRows = prepared((db) =>
  db
    .select()
    .from(outbox)
    .where(and(eq(outbox.channel, sql.placeholder('channel')), lte(outbox.dueAt, sql.placeholder('now'))))
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

/** Claims up to `limit` due messages, oldest first, by making them due at `until`. */
export async function claimDueMessages(
  tx: Tx,
  channel: Channel,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<OutboxRow[]> {
  const claimed: OutboxRow[] = []
  for (const { id, dueAt } of await dueRows(tx, { channel, now, limit }))
    claimed.push(...(await claimRow(tx, { id, dueAt, until })))
  return claimed
}

const deleteExpired = prepared((db) =>
  db
    .delete(outbox)
    .where(
      and(
        eq(outbox.channel, sql.placeholder('channel')),
        lte(outbox.dueAt, sql.placeholder('now')),
        lte(outbox.expiresAt, sql.placeholder('now')),
      ),
    )
    .returning(),
)

/** Deletes due messages that have expired, and returns them. */
export const deleteExpiredMessages = (tx: Tx, channel: Channel, now: number) => deleteExpired(tx, { channel, now })

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
    .where(eq(outbox.channel, sql.placeholder('channel'))),
)

/** When the next message is due; null if the outbox is empty. */
export async function nextDueTime(db: Db, channel: Channel): Promise<number | null> {
  return (await earliest(db, { channel }))[0]?.dueAt ?? null
}

/** Used at start: no message is being sent then, and the cause of earlier failures may have been fixed. */
export async function makeAllDue(tx: Tx, channel: Channel, now: number): Promise<void> {
  await tx
    .update(outbox)
    .set({ dueAt: now })
    .where(and(eq(outbox.channel, channel), gt(outbox.dueAt, now)))
}
