import { and, asc, count, eq, inArray, isNotNull, isNull, lte, min, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { type DeliveryAttempt, webhookDeliveries as deliveries, webhooks } from '#db/schema/webhooks.ts'
import type { Db, Tx } from '#db/store.ts'

import type { DeliveryRow } from '../deliveries/deliveries.store.ts'
import type { WebhookRow } from '../webhooks/webhooks.store.ts'

const isDue = isNotNull(webhooks.dueAt)

/** When the next delivery is due or a claim of a process ends; null if none waits. */
export async function nextDue(db: Db): Promise<number | null> {
  const times = [
    ...(await db
      .select({ at: min(webhooks.dueAt) })
      .from(webhooks)
      .where(and(isDue, eq(webhooks.isFast, true)))),
    ...(await db
      .select({ at: min(webhooks.dueAt) })
      .from(webhooks)
      .where(and(isDue, eq(webhooks.isFast, false)))),
    ...(await db
      .select({ at: min(deliveries.claimedUntil) })
      .from(deliveries)
      .where(isNotNull(deliveries.claimedUntil))),
  ].flatMap(({ at }) => (at === null ? [] : [Number(at)]))
  return times.length === 0 ? null : Math.min(...times)
}

/** Deliveries of processes that have died become due. `all`: every claim is of a process that has died. */
export async function releaseClaims(tx: Tx, now: number, all: boolean): Promise<void> {
  const rows = await tx
    .update(deliveries)
    .set({ dueAt: now, claimedUntil: null })
    .where(and(isNotNull(deliveries.claimedUntil), all ? undefined : lte(deliveries.claimedUntil, now)))
    .returning({ webhookId: deliveries.webhookId })
  for (const id of new Set(rows.map(({ webhookId }) => webhookId))) await refreshDue(tx, id, now)
}

const nextOf = prepared((db) =>
  db
    .select({ dueAt: deliveries.dueAt })
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, sql.placeholder('id')), isNotNull(deliveries.dueAt)))
    .orderBy(asc(deliveries.dueAt), asc(deliveries.id))
    .limit(1),
)

/** Notes when the next delivery of a webhook is due: now at the earliest, so that webhooks take turns. */
export async function refreshDue(tx: Tx, id: number, now: number): Promise<void> {
  const [next] = await nextOf(tx, { id })
  await tx
    .update(webhooks)
    .set({ dueAt: next?.dueAt == null ? null : Math.max(next.dueAt, now) })
    .where(and(eq(webhooks.id, id), eq(webhooks.enabled, true)))
}

/** How many deliveries of each webhook are claimed. */
export async function claimedNow(tx: Tx): Promise<Map<number, number>> {
  const rows = await tx
    .select({ webhookId: deliveries.webhookId, n: count() })
    .from(deliveries)
    .where(isNotNull(deliveries.claimedUntil))
    .groupBy(deliveries.webhookId)
  return new Map(rows.map(({ webhookId, n }) => [webhookId, n]))
}

/** Webhooks with deliveries that are due, those that wait longest first. */
export const dueWebhooks = (tx: Tx, isFast: boolean, now: number, limit: number): Promise<WebhookRow[]> =>
  tx
    .select()
    .from(webhooks)
    .where(
      and(
        eq(webhooks.isFast, isFast),
        lte(webhooks.dueAt, now),
        eq(webhooks.enabled, true),
        isNull(webhooks.deletedAt),
      ),
    )
    .orderBy(asc(webhooks.dueAt), asc(webhooks.id))
    .limit(limit)

/** A webhook that has all its places is looked at again when one of its attempts ends. */
export const noteFull = async (tx: Tx, id: number): Promise<void> =>
  void (await tx.update(webhooks).set({ dueAt: null }).where(eq(webhooks.id, id)))

export async function claim(
  tx: Tx,
  webhookId: number,
  { now, until, limit }: { readonly now: number; readonly until: number; readonly limit: number },
): Promise<DeliveryRow[]> {
  const due = await tx
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, webhookId), lte(deliveries.dueAt, now)))
    .orderBy(asc(deliveries.dueAt), asc(deliveries.id))
    .limit(limit)
  const ids = due.map(({ id }) => id)
  const rows = await tx
    .update(deliveries)
    .set({ dueAt: null, claimedUntil: until })
    .where(inArray(deliveries.id, ids))
    .returning()
  return rows.toSorted((a, b) => a.id - b.id)
}

/** The result of an attempt. */
export interface Ended {
  readonly delivery: DeliveryRow
  readonly attempt: DeliveryAttempt
  readonly isDelivered: boolean
  readonly isGone: boolean
  readonly answer: string | null
  /** Of the next attempt; undefined if there is none. */
  readonly next: number | undefined
}

/** Attempts of a delivery that are kept. */
const KEPT_ATTEMPTS = 33

/** False if the delivery is gone, or another process has claimed it since. */
export async function saveAttempt(tx: Tx, { delivery, attempt, isDelivered, answer, next }: Ended): Promise<boolean> {
  const rows = await tx
    .update(deliveries)
    .set({
      status: isDelivered ? 'DELIVERED' : next === undefined ? 'FAILED' : 'PENDING',
      attempts: [...delivery.attempts, attempt].slice(-KEPT_ATTEMPTS),
      tries: delivery.tries + 1,
      dueAt: isDelivered ? null : (next ?? null),
      claimedUntil: null,
      answer,
    })
    .where(and(eq(deliveries.id, delivery.id), eq(deliveries.claimedUntil, delivery.claimedUntil!)))
    .returning({ id: deliveries.id })
  return rows.length > 0
}

/** Gives a delivery back that was not tried. */
export async function giveBack(tx: Tx, { id, claimedUntil }: DeliveryRow, now: number): Promise<void> {
  await tx
    .update(deliveries)
    .set({ dueAt: now, claimedUntil: null })
    .where(and(eq(deliveries.id, id), eq(deliveries.claimedUntil, claimedUntil!)))
}

export interface Outcome {
  /** Deliveries that no longer wait. */
  readonly done: number
  /** Failures after the last success among the attempts, or all of them. */
  readonly failures: number
  readonly hasSucceeded: boolean
  readonly isFast: boolean
  readonly lastSuccessAt: number | undefined
  readonly lastFailureAt: number | undefined
}

export async function saveOutcome(tx: Tx, id: number, outcome: Outcome): Promise<WebhookRow | undefined> {
  const { done, failures, hasSucceeded, isFast, lastSuccessAt, lastFailureAt } = outcome
  const [row] = await tx
    .update(webhooks)
    .set({
      pending: sql`${webhooks.pending} - ${done}`,
      failures: hasSucceeded ? failures : sql`${webhooks.failures} + ${failures}`,
      isFast,
      ...(lastSuccessAt !== undefined && { lastSuccessAt }),
      ...(lastFailureAt !== undefined && { lastFailureAt }),
    })
    .where(eq(webhooks.id, id))
    .returning()
  return row
}
