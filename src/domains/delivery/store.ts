import { and, asc, eq, gt, lte, min, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { type Channel, outbox } from '#db/schema/delivery.ts'
import type { Db, Tx } from '#db/store.ts'

export type OutboxRow = typeof outbox.$inferSelect

const hold = (name: string) => sql.placeholder(name)

const insert = prepared((db) =>
  db.insert(outbox).values({
    channel: hold('channel'),
    topic: hold('topic'),
    payload: hold('payload'),
    attempts: 0,
    dueAt: hold('now'),
    expiresAt: hold('expiresAt'),
    createdAt: hold('now'),
  }),
)

const dropTopic = prepared((db) => db.delete(outbox).where(eq(outbox.topic, hold('topic'))))

export interface NewRow {
  channel: Channel
  topic: string | null
  payload: string
  expiresAt: number
}

/** Due at once. What waits under the same topic goes. */
export async function insertMessage(
  tx: Tx,
  { channel, topic, payload, expiresAt }: NewRow,
  now: number,
): Promise<void> {
  if (topic !== null) await dropTopic(tx, { topic })
  await insert(tx, { channel, topic, payload, expiresAt, now })
}

const dueRows = prepared((db) =>
  db
    .select()
    .from(outbox)
    .where(and(eq(outbox.channel, hold('channel')), lte(outbox.dueAt, hold('now'))))
    .orderBy(asc(outbox.dueAt), asc(outbox.id))
    .limit(hold('limit')),
)

const claim = prepared((db) =>
  db
    .update(outbox)
    .set({ attempts: sql`${outbox.attempts} + 1`, dueAt: sql`${hold('until')}` })
    .where(and(eq(outbox.id, hold('id')), eq(outbox.dueAt, hold('dueAt'))))
    .returning(),
)

/** Takes up to `limit` due messages, oldest first. Nobody else gets them before `until`. */
export async function claimDue(
  tx: Tx,
  channel: Channel,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<OutboxRow[]> {
  const taken: OutboxRow[] = []
  for (const { id, dueAt } of await dueRows(tx, { channel, now, limit }))
    taken.push(...(await claim(tx, { id, dueAt, until })))
  return taken
}

const dropExpired = prepared((db) =>
  db
    .delete(outbox)
    .where(and(eq(outbox.channel, hold('channel')), lte(outbox.dueAt, hold('now')), lte(outbox.expiresAt, hold('now'))))
    .returning(),
)

/** Takes out and gives what is due and worth nothing any more. */
export const takeExpired = (tx: Tx, channel: Channel, now: number) => dropExpired(tx, { channel, now })

const drop = prepared((db) => db.delete(outbox).where(eq(outbox.id, hold('id'))))

/** Harmless when it is gone already. */
export async function dropMessage(tx: Tx, id: number): Promise<void> {
  await drop(tx, { id })
}

const postpone = prepared((db) =>
  db
    .update(outbox)
    .set({ dueAt: sql`${hold('dueAt')}` })
    .where(eq(outbox.id, hold('id'))),
)

/** Harmless when it is gone. */
export async function postponeMessage(tx: Tx, id: number, dueAt: number): Promise<void> {
  await postpone(tx, { id, dueAt })
}

const earliest = prepared((db) =>
  db
    .select({ dueAt: min(outbox.dueAt) })
    .from(outbox)
    .where(eq(outbox.channel, hold('channel'))),
)

/** When the next message is due; null when none waits. */
export async function nextDue(db: Db, channel: Channel): Promise<number | null> {
  return (await earliest(db, { channel }))[0]?.dueAt ?? null
}

/** Everything that waits is tried at once: at start nobody is sending, and what stood in the way may be mended. */
export async function makeAllDue(tx: Tx, channel: Channel, now: number): Promise<void> {
  await tx
    .update(outbox)
    .set({ dueAt: now })
    .where(and(eq(outbox.channel, channel), gt(outbox.dueAt, now)))
}
