import { and, asc, count, eq, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'

import { isAnyOf } from '#db/dialect.ts'
import { jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { type DeliveryAttempt, webhookDeliveries as deliveries, webhooks } from '#db/schema/webhooks.ts'
import type { Db, Tx } from '#db/store.ts'

import type { DeliveryRow } from '../deliveries/deliveries.store.ts'
import { newId } from '../outbox/outbox.store.ts'
import type { WebhookRow } from '../webhooks/webhooks.store.ts'

const p = sql.placeholder
const time = (name: string) => sql`cast(${p(name)} as bigint)`

const minOf = (from: 'webhooks' | 'deliveries', condition: SQL | undefined): SQL =>
  from === 'webhooks'
    ? sql`(select min(${webhooks.dueAt}) from ${webhooks} where ${and(isNotNull(webhooks.dueAt), condition)})`
    : sql`(select min(${deliveries.claimedUntil}) from ${deliveries} where ${isNotNull(deliveries.claimedUntil)})`

const work = prepared((db) =>
  db
    .select({
      newId,
      fast: sql<number | null>`${minOf('webhooks', eq(webhooks.isFast, true).inlineParams())}`,
      others: sql<number | null>`${minOf('webhooks', eq(webhooks.isFast, false).inlineParams())}`,
      claimed: sql<number | null>`${minOf('deliveries', undefined)}`,
    })
    .from(sql`(select 1) as one`),
)

/** The work that waits: whether events wait for their numbers, when the next one is due, and when a claim of a process ends; null if none waits. */
export async function workOf(db: Db) {
  const [row] = await work(db)
  const { newId, fast, others, claimed } = row!
  const times = [fast, others].flatMap((at) => (at === null ? [] : [Number(at)]))
  return {
    hasNew: newId !== null,
    dueAt: times.length === 0 ? null : Math.min(...times),
    claimEnds: claimed === null ? null : Number(claimed),
  }
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

const setDue = prepared((db) =>
  db
    .update(webhooks)
    .set({ dueAt: sql`${time('at')}` })
    .where(and(eq(webhooks.id, p('id')), eq(webhooks.enabled, true))),
)

/** Notes when the next delivery of a webhook is due: now at the earliest, so that webhooks take turns. */
export async function refreshDue(tx: Tx, id: number, now: number): Promise<void> {
  const [next] = await nextOf(tx, { id })
  await setDue(tx, { id, at: next?.dueAt == null ? null : Math.max(next.dueAt, now) })
}

const claimedCounts = prepared((db) =>
  db
    .select({ webhookId: deliveries.webhookId, n: count() })
    .from(deliveries)
    .where(isNotNull(deliveries.claimedUntil))
    .groupBy(deliveries.webhookId),
)
/** How many deliveries of each webhook are claimed. */
export const claimedNow = async (tx: Tx): Promise<Map<number, number>> =>
  new Map((await claimedCounts(tx)).map(({ webhookId, n }) => [webhookId, n]))

const dueOf = (isFast: boolean) =>
  prepared((db) =>
    db
      .select()
      .from(webhooks)
      .where(
        and(
          eq(webhooks.isFast, isFast).inlineParams(),
          lte(webhooks.dueAt, p('now')),
          eq(webhooks.enabled, true),
          isNull(webhooks.deletedAt),
        ),
      )
      .orderBy(asc(webhooks.dueAt), asc(webhooks.id))
      .limit(p('limit')),
  )
const dueFast = dueOf(true)
const dueOthers = dueOf(false)

/** Webhooks with deliveries that are due, those that wait longest first. */
export const dueWebhooks = (tx: Tx, isFast: boolean, now: number, limit: number): Promise<WebhookRow[]> =>
  (isFast ? dueFast : dueOthers)(tx, { now, limit })

/** A webhook that has all its places is looked at again when one of its attempts ends. */
export const noteFull = async (tx: Tx, id: number): Promise<void> => void (await setDue(tx, { id, at: null }))

const claimDue = prepared((db) => {
  const due = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(eq(deliveries.webhookId, p('webhookId')), lte(deliveries.dueAt, p('now'))))
    .orderBy(asc(deliveries.dueAt), asc(deliveries.id))
    .limit(p('limit'))
  return db
    .update(deliveries)
    .set({ dueAt: null, claimedUntil: sql`${p('until')}` })
    .where(isAnyOf(deliveries.id, due))
    .returning()
})

export const claim = async (
  tx: Tx,
  webhookId: number,
  times: { readonly now: number; readonly until: number; readonly limit: number },
): Promise<DeliveryRow[]> => (await claimDue(tx, { webhookId, ...times })).toSorted((a, b) => a.id - b.id)

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

const ended = jsonRows('ended', {
  id: 'int',
  claimedUntil: 'int',
  status: 'text',
  attempts: 'text',
  tries: 'int',
  dueAt: 'int',
  answer: 'text',
})
const saveEnded = prepared((db) =>
  db
    .update(deliveries)
    .set({
      status: sql`${ended.status}`,
      attempts: sql`${ended.attempts}`,
      tries: sql`${ended.tries}`,
      dueAt: sql`${ended.dueAt}`,
      claimedUntil: null,
      answer: sql`${ended.answer}`,
    })
    .from(ended.rows)
    .where(and(eq(deliveries.id, ended.id), eq(deliveries.claimedUntil, ended.claimedUntil)))
    .returning({ id: deliveries.id }),
)

/** Saves the attempts. Returns them without those whose delivery is gone, or was claimed by another process since. */
export async function saveAttempts(tx: Tx, list: readonly Ended[]): Promise<Ended[]> {
  if (list.length === 0) return []
  const rows = list.map(({ delivery, attempt, isDelivered, answer, next }) => ({
    id: delivery.id,
    claimedUntil: delivery.claimedUntil,
    status: isDelivered ? 'DELIVERED' : next === undefined ? 'FAILED' : 'PENDING',
    attempts: JSON.stringify([...delivery.attempts, attempt].slice(-KEPT_ATTEMPTS)),
    tries: delivery.tries + 1,
    dueAt: isDelivered ? null : (next ?? null),
    answer,
  }))
  const saved = new Set((await saveEnded(tx, ended.values(rows))).map(({ id }) => id))
  return list.filter(({ delivery }) => saved.has(delivery.id))
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

const setOutcome = prepared((db) =>
  db
    .update(webhooks)
    .set({
      pending: sql`${webhooks.pending} - ${p('done')}`,
      failures: sql`${webhooks.failures} * ${p('kept')} + ${p('failures')}`,
      isFast: sql`${p('isFast')}`,
      lastSuccessAt: sql`coalesce(${time('lastSuccessAt')}, ${webhooks.lastSuccessAt})`,
      lastFailureAt: sql`coalesce(${time('lastFailureAt')}, ${webhooks.lastFailureAt})`,
    })
    .where(eq(webhooks.id, p('id')))
    .returning(),
)

export async function saveOutcome(tx: Tx, id: number, outcome: Outcome): Promise<WebhookRow | undefined> {
  const { done, failures, hasSucceeded, isFast, lastSuccessAt = null, lastFailureAt = null } = outcome
  const kept = hasSucceeded ? 0 : 1
  return (await setOutcome(tx, { id, done, failures, kept, isFast, lastSuccessAt, lastFailureAt }))[0]
}
