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

/** In their order. */
export const insertDeliveries = async (tx: Tx, rows: readonly NewDelivery[]): Promise<void> =>
  void (await insert(tx, { ...given.values(rows), now: tx.stamp }))

export async function ownersOfActivities(tx: Tx, ids: readonly number[]): Promise<Map<number, OwnerKey>> {
  const rows = await tx
    .select({ id: activities.id, owner: activities.owner })
    .from(activities)
    .where(inArray(activities.id, [...ids]))
  return new Map(rows.map(({ id, owner }) => [id, owner]))
}

const isNew = isNull(deliveries.sequence)

export const hasNew = async (db: Db): Promise<boolean> => (await firstNew(db)).length > 0
const firstNew = prepared((db) =>
  db.select({ id: deliveries.id }).from(deliveries).where(isNew).orderBy(asc(deliveries.id)).limit(1),
)

/** The committed deliveries without a sequence, in the order in which they were inserted. */
export const newDeliveries = (tx: Tx, limit: number) =>
  tx
    .select({ id: deliveries.id, webhookId: deliveries.webhookId })
    .from(deliveries)
    .where(isNew)
    .orderBy(asc(deliveries.id))
    .limit(limit)

/** Takes `count` numbers of a webhook for deliveries that are due now. Undefined if the webhook has ended. */
export async function takeSequences(tx: Tx, id: number, count: number, now: number) {
  const [row] = await tx
    .update(webhooks)
    .set({
      sequence: sql`${webhooks.sequence} + ${count}`,
      pending: sql`${webhooks.pending} + ${count}`,
      dueAt: sql`case when ${webhooks.enabled} then ${sql.param(now, webhooks.dueAt)} end`,
    })
    .where(and(eq(webhooks.id, id), isNull(webhooks.deletedAt)))
    .returning()
  return row
}

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
