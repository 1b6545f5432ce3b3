import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'

import { insertFrom, jsonRows } from '#db/json-rows.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { activities } from '#db/schema/activities.ts'
import { webhookDeliveries as deliveries, webhooks } from '#db/schema/webhooks.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

export interface NewDelivery {
  readonly webhookId: number
  readonly eventId: string
  readonly event: string
  readonly body: string
}

const given = jsonRows('given', { webhookId: 'int', eventId: 'text', event: 'text', body: 'text' })
const insert = prepared((db) =>
  insertFrom(db, deliveries, {
    rows: given.rows,
    webhookId: given.webhookId,
    eventId: given.eventId,
    event: given.event,
    body: given.body,
    attempts: sql`'[]'`,
    createdAt: sql`${p('now')}`,
  }),
)

const insertOne = prepared((db) =>
  db.insert(deliveries).values({
    webhookId: sql`${p('webhookId')}`,
    eventId: sql`${p('eventId')}`,
    event: sql`${p('event')}`,
    body: sql`${p('body')}`,
    attempts: sql`'[]'`,
    createdAt: sql`${p('now')}`,
  }),
)

/** In their order. */
export async function insertDeliveries(tx: Tx, rows: readonly NewDelivery[]): Promise<void> {
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

const newOnes = prepared((db) =>
  db
    .select({ id: deliveries.id, webhookId: deliveries.webhookId })
    .from(deliveries)
    .where(isNull(deliveries.sequence))
    .orderBy(asc(deliveries.id))
    .limit(p('limit')),
)
/** The committed deliveries without a sequence, in the order in which they were inserted. */
export const newDeliveries = (db: Db | Tx, limit: number) => newOnes(db, { limit })

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

const sequences = jsonRows('sequences', { id: 'int', sequence: 'int' })
const setSequences = prepared((db) =>
  db
    .update(deliveries)
    .set({ sequence: sql`${sequences.sequence}`, dueAt: sql`${p('now')}` })
    .from(sequences.rows)
    .where(eq(deliveries.id, sequences.id)),
)

export const saveSequences = async (
  tx: Tx,
  rows: readonly { readonly id: number; readonly sequence: number }[],
  now: number,
): Promise<void> => void (await setSequences(tx, { ...sequences.values(rows), now }))

export const deleteNew = async (tx: Tx, ids: readonly number[]): Promise<void> =>
  void (await tx.delete(deliveries).where(inArray(deliveries.id, [...ids])))
