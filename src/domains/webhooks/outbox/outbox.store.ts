import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'

import { isInJson } from '#db/dialect.ts'
import { insertFrom, jsonRows, together } from '#db/json-rows.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { activities } from '#db/schema/activities.ts'
import { webhookDeliveries as deliveries, webhookOutbox as outbox, webhooks } from '#db/schema/webhooks.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

export interface NewEvent {
  readonly webhookId: number
  readonly eventId: string
  readonly event: string
  readonly body: string
}

const given = jsonRows('given', { webhookId: 'int', eventId: 'text', event: 'text', body: 'text' })
const insert = prepared((db) =>
  insertFrom(db, outbox, {
    rows: given.rows,
    webhookId: given.webhookId,
    eventId: given.eventId,
    event: given.event,
    body: given.body,
    createdAt: sql`${p('now')}`,
  }),
)

const insertOne = prepared((db) =>
  db.insert(outbox).values({
    webhookId: sql`${p('webhookId')}`,
    eventId: sql`${p('eventId')}`,
    event: sql`${p('event')}`,
    body: sql`${p('body')}`,
    createdAt: sql`${p('now')}`,
  }),
)

/** In their order. */
export async function insertEvents(tx: Tx, rows: readonly NewEvent[]): Promise<void> {
  // Nearly always one: its body is then not made a text of JSON once more.
  if (rows.length === 1) await insertOne(tx, { ...rows[0]!, now: tx.stamp })
  else await insert(tx, { ...given.values(rows), now: tx.stamp })
}

export async function ownersOfActivities(tx: Tx, ids: readonly number[]): Promise<Map<number, OwnerKey>> {
  const rows = await tx
    .select({ id: activities.id, owner: activities.owner })
    .from(activities)
    .where(inArray(activities.id, [...ids]))
  return new Map(rows.map(({ id, owner }) => [id, owner]))
}

const isUnnumbered = isNull(deliveries.sequence)

/** The id of a committed event that waits for its number; null if none does. */
export const newId = sql<number | null>`coalesce((select min(${outbox.id}) from ${outbox}),
  (select min(${deliveries.id}) from ${deliveries} where ${isUnnumbered}))`

const findNew = prepared((db) => db.select({ id: newId }).from(sql`(select 1) as one`))
export const hasNew = async (db: Db): Promise<boolean> => (await findNew(db))[0]!.id !== null

const moveUnnumbered = together(
  (db) =>
    insertFrom(db, outbox, {
      rows: sql`(select * from ${deliveries} where ${isUnnumbered} order by ${deliveries.id}) as unnumbered`,
      webhookId: sql`webhook_id`,
      eventId: sql`event_id`,
      event: sql`event`,
      body: sql`body`,
      createdAt: sql`created_at`,
    }),
  (db) => db.delete(deliveries).where(isUnnumbered),
)

const waiting = prepared((db) =>
  db.select({ id: outbox.id, webhookId: outbox.webhookId }).from(outbox).orderBy(asc(outbox.id)).limit(p('limit')),
)

/** The events that wait for their numbers, in the order in which they were inserted. */
export async function newEvents(tx: Tx, limit: number) {
  // Processes of a version before the outbox insert deliveries without a number.
  await moveUnnumbered(tx)
  return waiting(tx, { limit })
}

const take = prepared((db) =>
  db
    .update(webhooks)
    .set({
      sequence: sql`${webhooks.sequence} + ${p('count')}`,
      pending: sql`${webhooks.pending} + ${p('count')}`,
      dueAt: sql`case when ${webhooks.enabled} then cast(${p('now')} as bigint) end`,
    })
    .where(and(eq(webhooks.id, p('id')), isNull(webhooks.deletedAt)))
    .returning(),
)

/** Takes `count` numbers of a webhook for deliveries that are due now. Undefined if the webhook has ended. */
export const takeSequences = async (tx: Tx, id: number, count: number, now: number) =>
  (await take(tx, { id, count, now }))[0]

const numbers = jsonRows('numbers', { id: 'int', sequence: 'int' })
const moveNumbered = together(
  (db) =>
    insertFrom(db, deliveries, {
      rows: sql`(select ${outbox}.*, ${numbers.sequence} from ${numbers.rows} join ${outbox} on ${outbox.id} = ${numbers.id} order by ${outbox.id}) as numbered`,
      webhookId: sql`webhook_id`,
      eventId: sql`event_id`,
      event: sql`event`,
      sequence: sql`sequence`,
      body: sql`body`,
      attempts: sql`'[]'`,
      dueAt: sql`${p('now')}`,
      createdAt: sql`created_at`,
    }),
  (db) => db.delete(outbox).where(isInJson(outbox.id, p('ids'))),
)

/** Makes deliveries of the events with these numbers, and removes them and the other ones of `ids`, whose webhooks have ended. */
export async function moveToDeliveries(
  tx: Tx,
  ids: readonly number[],
  numbered: readonly { readonly id: number; readonly sequence: number }[],
  now: number,
): Promise<void> {
  await moveNumbered(tx, { ...numbers.values(numbered), ids: JSON.stringify(ids), now })
}
