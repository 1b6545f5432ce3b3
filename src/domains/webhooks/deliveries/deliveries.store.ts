import { and, asc, desc, eq, gte, inArray, isNotNull, isNull, lt, ne, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { type Page, pageOf } from '#db/paging.ts'
import { webhookDeliveries as deliveries, webhooks } from '#db/schema/webhooks.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

import type { DeliveriesQuery, Replay } from './deliveries.model.ts'

export type DeliveryRow = typeof deliveries.$inferSelect

const isNumbered = isNotNull(deliveries.sequence)

/** The newest first. A webhook has some thousand. */
export const deliveriesPage = (
  db: Db,
  webhookId: number,
  { status, event, from, to, ...page }: DeliveriesQuery,
): Promise<Page<DeliveryRow>> =>
  pageOf(db, deliveries, {
    where: and(
      eq(deliveries.webhookId, webhookId),
      isNumbered,
      status === undefined ? undefined : eq(deliveries.status, status),
      event === undefined ? undefined : eq(deliveries.event, event),
      from === undefined ? undefined : gte(deliveries.createdAt, from),
      to === undefined ? undefined : lt(deliveries.createdAt, to),
    ),
    orderBy: [desc(deliveries.id)],
    page,
  })

export async function findDelivery(db: Db | Tx, webhookId: number, id: number): Promise<DeliveryRow | undefined> {
  const [row] = await db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.id, id), eq(deliveries.webhookId, webhookId), isNumbered))
  return row
}

export async function findByEvent(db: Db | Tx, webhookId: number, eventId: string): Promise<DeliveryRow | undefined> {
  const [row] = await db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, webhookId), eq(deliveries.eventId, eventId)))
    .orderBy(desc(deliveries.id))
    .limit(1)
  return row
}

/** The oldest of a time that nobody is sending, at most `limit`. */
export async function replayable(
  tx: Tx,
  webhookId: number,
  { from, to, status }: Replay,
  limit: number,
): Promise<number[]> {
  const rows = await tx
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.webhookId, webhookId),
        isNumbered,
        gte(deliveries.createdAt, from),
        lt(deliveries.createdAt, to),
        status == null ? undefined : eq(deliveries.status, status),
        isNull(deliveries.claimedUntil),
      ),
    )
    .orderBy(asc(deliveries.id))
    .limit(limit)
  return rows.map(({ id }) => id)
}

const CHUNK = 500

/** Makes deliveries due now, with all attempts. Those that a process is sending stay as they are. Returns how many. */
export async function sendAgain(tx: Tx, webhookId: number, ids: readonly number[], now: number): Promise<number> {
  let [queued, revived] = [0, 0]
  for (let at = 0; at < ids.length; at += CHUNK) {
    const some = and(
      eq(deliveries.webhookId, webhookId),
      isOneOf(deliveries.id, ids.slice(at, at + CHUNK)),
      isNull(deliveries.claimedUntil),
    )
    const waiting = await tx
      .update(deliveries)
      .set({ tries: 0, dueAt: now })
      .where(and(some, eq(deliveries.status, 'PENDING')))
      .returning({ id: deliveries.id })
    const ended = await tx
      .update(deliveries)
      .set({ status: 'PENDING', tries: 0, dueAt: now })
      .where(and(some, ne(deliveries.status, 'PENDING')))
      .returning({ id: deliveries.id })
    revived += ended.length
    queued += ended.length + waiting.length
  }
  if (queued > 0)
    await tx
      .update(webhooks)
      .set({ pending: sql`${webhooks.pending} + ${revived}`, dueAt: now })
      .where(eq(webhooks.id, webhookId))
  return queued
}

/** Webhooks in the order of their ids. */
export async function webhookIdsAfter(db: Db, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(sql`${webhooks.id} > ${after}`)
    .orderBy(asc(webhooks.id))
    .limit(limit)
  return rows.map(({ id }) => id)
}

const hasEnded = ne(deliveries.status, 'PENDING')

/** The first id of the newest `kept` deliveries that have ended; undefined if there are not more. */
export async function firstKept(db: Db, webhookId: number, kept: number): Promise<number | undefined> {
  const [row] = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, webhookId), hasEnded))
    .orderBy(desc(deliveries.id))
    .limit(1)
    .offset(kept)
  return row?.id
}

/** Deletes at most `limit` deliveries that have ended, up to this id. */
export const deleteUpTo = (tx: Tx, webhookId: number, id: number, limit: number): Promise<number> =>
  deleteSome(tx, deliveries, and(eq(deliveries.webhookId, webhookId), hasEnded, sql`${deliveries.id} <= ${id}`)!, limit)

/** Deletes at most `limit` deliveries from before `before`, also those that wait, unless a process sends them. */
export async function deleteOld(tx: Tx, webhookId: number, before: number, limit: number): Promise<number> {
  const rows = await tx
    .select({ id: deliveries.id, status: deliveries.status })
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, webhookId), isNull(deliveries.claimedUntil), isNumbered))
    .orderBy(asc(deliveries.id))
    .limit(limit)
  // They are in the order of time, so that a webhook without old ones costs the first rows only.
  const old = await tx
    .delete(deliveries)
    .where(
      and(
        inArray(
          deliveries.id,
          rows.map(({ id }) => id),
        ),
        lt(deliveries.createdAt, before),
      ),
    )
    .returning({ status: deliveries.status })
  const waiting = old.filter(({ status }) => status === 'PENDING').length
  if (waiting > 0)
    await tx
      .update(webhooks)
      .set({ pending: sql`${webhooks.pending} - ${waiting}` })
      .where(eq(webhooks.id, webhookId))
  return old.length
}
