/**
 * Sends the deliveries that are due. A process claims a delivery for longer than an attempt can take, so that no other one sends it at the same time; if the
 * process dies, the claim ends and another one goes on. Claims, results and sequences are written one after the other (`IN_ORDER`), so the limits of
 * requests at once hold for all processes together.
 */

import { isShared } from '#config/config.ts'
import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import { getOrSet } from '#lib/get-or-set.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'
import { fraction } from '#platform/ids.ts'
import { NotPublicError, postPublic, type PublicAnswer } from '#platform/public-post.ts'
import { KIND } from '#platform/spans.ts'
import { version } from '#platform/version.ts'

import type { DeliveryRow } from '../deliveries/deliveries.store.ts'
import { withSequence } from '../outbox/outbox.rules.ts'
import { eventsWritten } from '../outbox/outbox.service.ts'
import { giveSome, IN_ORDER } from '../outbox/sequences.service.ts'
import { switchOff, webhooksChanged } from '../webhooks/switching.service.ts'
import type { WebhookRow } from '../webhooks/webhooks.store.ts'
import {
  ATTEMPT_MS,
  CLAIM_MS,
  CLAIMED,
  isFailing,
  LAST_START_MS,
  pauseAfter,
  PLACES,
  signature,
  SLOW_MS,
} from './sending.rules.ts'
import * as store from './sending.store.ts'

/** The longest time between two looks: for deliveries of a process that has died, and if the clock was changed. */
const LOOK_MS = 10 * SECOND
const AFTER_ERROR_MS = 5 * SECOND
/** From the first event that was written to the look for it, and the shortest time between two looks for events. */
const GATHER_MS = 50
const PAUSE_MS = 250
/** So many results are saved at once, so that more deliveries are claimed before these have all been sent. */
const RESULTS_PER_WRITE = 32
/** How long a stop waits for attempts in progress. */
const STOP_MS = 3 * SECOND
/** Bytes of an answer that are read, and characters that are kept. */
const ANSWER = { bytes: 2048, characters: 500 } as const
const GONE = 410

const ATTEMPTS = {
  name: 'tessera_webhook_attempts_total',
  help: 'Attempts to deliver an event to a webhook, by result.',
}
const RESULTS = ['delivered', 'failed', 'refused'] as const

interface Claimed {
  readonly webhook: WebhookRow
  readonly delivery: DeliveryRow
}

class Sender {
  readonly #attempts = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  /** Claimed deliveries by their webhooks: those that wait here, and how many are being sent. */
  readonly #queues = new Map<number, Claimed[]>()
  readonly #sending = new Map<number, number>()
  /** The ids of all that this process has claimed and not saved. */
  readonly #held = new Map<number, Set<number>>()
  #ended: store.Ended[] = []
  #returned: DeliveryRow[] = []
  #saving: Promise<void> | undefined
  #timer: Timer | undefined
  #soon: Timer | undefined
  /** By the clock of `performance`. */
  #lookedAt = -PAUSE_MS
  #savingSoon: Timer | undefined
  #looking: Promise<void> | undefined
  #again = false
  #running = false
  /** Until the first look of a process that has the database alone: claims that are there are of one that has died. */
  #isFresh = false

  constructor(readonly ctx: AppContext) {
    for (const result of RESULTS) ctx.metrics.counter(ATTEMPTS, { result })
  }

  start(): void {
    this.#running = true
    this.#isFresh = !isShared(this.ctx.config)
    this.ctx.bus.on(eventsWritten, () => this.#wakeSoon())
    this.ctx.bus.on(webhooksChanged, () => this.wake())
    this.wake()
  }

  /** Writes that follow each other closely share the write that numbers and claims their deliveries. */
  #wakeSoon(): void {
    const pause = this.#lookedAt + PAUSE_MS - performance.now()
    this.#soon ??= setTimeout(
      () => {
        this.#soon = undefined
        this.wake()
      },
      Math.max(GATHER_MS, pause),
    )
  }

  wake(): void {
    this.#again = true
    if (this.#running) this.#looking ??= this.#lookAll()
  }

  async stop(): Promise<void> {
    this.#running = false
    clearTimeout(this.#timer)
    clearTimeout(this.#soon)
    await this.#looking
    const abort = setTimeout(() => this.#stop.abort(new Error('the server stops')), STOP_MS)
    await Promise.all(this.#attempts)
    clearTimeout(abort)
    for (const [id, queue] of this.#queues) this.#giveBack(id, queue)
    this.#save()
    await this.#saving
  }

  async #lookAll(): Promise<void> {
    try {
      do {
        this.#again = false
        await this.#look()
      } while (this.#running && this.#again)
    } catch (error) {
      this.ctx.log.error('the deliveries of webhooks cannot be read', { error })
      this.#sleep(AFTER_ERROR_MS)
    } finally {
      // No `await` since the last look at `#again`: a later `wake` starts a new run.
      this.#looking = undefined
    }
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer)
    this.#lookedAt = performance.now()
    clearTimeout(this.#soon)
    this.#soon = undefined
    const { ctx } = this
    const isOn = await getSetting(ctx, 'webhooks.enabled')
    const now = ctx.clock.now()
    const { hasNew, dueAt, claimEnds } = await store.workOf(ctx.db.read)
    const next = Math.min(dueAt ?? Infinity, claimEnds ?? Infinity)
    const isDue = isOn && (this.#isFresh || next <= now)
    if (!hasNew && !isDue) return this.#sleep(isOn ? next - now : MINUTE)
    const isFresh = this.#isFresh
    const { claimed, isMore } = await ctx.db.write(
      'webhooks.claim',
      async (tx) => {
        const isMore = hasNew && (await giveSome(ctx, tx))
        if (!isOn) return { claimed: [], isMore }
        if (isFresh || (claimEnds ?? Infinity) <= now) await store.releaseClaims(tx, now, isFresh)
        return { claimed: await this.#claim(tx, ctx.clock.now()), isMore }
      },
      IN_ORDER,
    )
    if (isOn) this.#isFresh = false
    for (const one of claimed) this.#add(one)
    if (isMore) this.#again = true
    else if (claimed.length > 0) this.#wakeSoon()
    else this.#sleep(SECOND)
  }

  async #claim(tx: Tx, now: number): Promise<Claimed[]> {
    const counts = await store.claimedNow(tx)
    const used = { fast: 0, others: 0 }
    for (const n of counts.values()) used[n > 1 ? 'fast' : 'others'] += Math.min(n, PLACES.each)
    const claimed: Claimed[] = []
    for (const kind of ['fast', 'others'] as const) {
      const most = kind === 'fast' ? { places: PLACES.each, claimed: CLAIMED } : { places: 1, claimed: 1 }
      for (const webhook of await store.dueWebhooks(tx, kind === 'fast', now, PLACES.all)) {
        const before = counts.get(webhook.id) ?? 0
        // Another process sends deliveries of it, and goes on when these have ended.
        const isElsewhere = before > (this.#held.get(webhook.id)?.size ?? 0)
        const free = Math.min(PLACES[kind] - used[kind], PLACES.all - used.fast - used.others)
        const own = Math.min(before, most.places)
        // All its places, or as many as are free.
        const room = free >= most.places - own ? most.claimed - before : Math.min(free, most.claimed - before)
        const limit = isElsewhere ? 0 : Math.max(room, 0)
        const rows = limit === 0 ? [] : await store.claim(tx, webhook.id, { now, until: now + CLAIM_MS, limit })
        claimed.push(...rows.map((delivery) => ({ webhook, delivery })))
        used[kind] += Math.min(before + rows.length, most.places) - own
        if (isElsewhere || before + rows.length >= most.claimed) await store.noteFull(tx, webhook.id)
        else if (limit > 0) await store.refreshDue(tx, webhook.id, now)
      }
    }
    return claimed
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#running) this.#timer = setTimeout(() => this.wake(), Math.min(ms, LOOK_MS))
  }

  #add(one: Claimed): void {
    const { id } = one.webhook
    getOrSet(this.#held, id, new Set()).add(one.delivery.id)
    getOrSet(this.#queues, id, []).push(one)
    this.#next(id)
  }

  /** Begins attempts of a webhook, up to its places. */
  #next(id: number): void {
    const queue = this.#queues.get(id) ?? []
    while (this.#running && (this.#sending.get(id) ?? 0) < PLACES.each) {
      const one = queue.shift()
      if (one === undefined) break
      // The queue took long: another process may claim it soon.
      if (one.delivery.claimedUntil! - this.ctx.clock.now() < LAST_START_MS)
        return this.#giveBack(id, [one, ...queue.splice(0)])
      this.#begin(one)
    }
    if (queue.length === 0) this.#queues.delete(id)
  }

  #giveBack(id: number, list: readonly Claimed[]): void {
    if (list.length === 0) return
    this.#returned.push(...list.map(({ delivery }) => delivery))
    this.#queues.delete(id)
    this.#save()
  }

  #begin(one: Claimed): void {
    const { id } = one.webhook
    this.#sending.set(id, (this.#sending.get(id) ?? 0) + 1)
    const attempt: Promise<void> = this.#attempt(one).then(
      (ended) => this.#end(one.webhook, ended),
      (error: unknown) => this.ctx.log.error('a delivery could not be sent', { error }),
    )
    void attempt.finally(() => {
      this.#attempts.delete(attempt)
      const left = this.#sending.get(id)! - 1
      if (left === 0) this.#sending.delete(id)
      else this.#sending.set(id, left)
      this.#next(id)
    })
    this.#attempts.add(attempt)
  }

  #end(webhook: WebhookRow, ended: store.Ended | undefined): void {
    if (ended === undefined) return
    this.#ended.push(ended)
    if (webhook.isFast && isFast(ended) && this.#ended.length < RESULTS_PER_WRITE) {
      this.#savingSoon ??= setTimeout(() => this.#save(), PAUSE_MS)
      return
    }
    // The others wait as all of a webhook that is not fast.
    if (!isFast(ended)) this.#giveBack(webhook.id, this.#queues.get(webhook.id) ?? [])
    this.#save()
  }

  /** Undefined if the server stops: the claim ends by time, or with the next start. */
  async #attempt({ webhook, delivery }: Claimed): Promise<store.Ended | undefined> {
    const { ctx } = this
    const startedAt = performance.now()
    const at = ctx.clock.now()
    const span = ctx.tracer?.begin('webhook', KIND.client)
    const result = await this.#post(webhook, delivery, at)
    if (this.#stop.signal.aborted && result.answer === undefined) return undefined
    const { answer, error } = result
    const isDelivered = answer !== undefined && answer.status >= 200 && answer.status < 300
    span?.end(!isDelivered)
    ctx.metrics.count(ATTEMPTS, { result: isDelivered ? 'delivered' : result.isRefused ? 'refused' : 'failed' })
    const now = ctx.clock.now()
    const isGone = answer?.status === GONE
    const pause = isDelivered || isGone ? undefined : pauseAfter(delivery.tries + 1, fraction(), answer?.retryAfter)
    return {
      delivery,
      attempt: {
        at,
        status: answer?.status ?? null,
        error: isDelivered ? null : (error ?? `HTTP ${answer!.status}`),
        ms: Math.round(performance.now() - startedAt),
      },
      isDelivered,
      isGone,
      answer: answer?.isPublic ? answer.start.replaceAll('\0', '').slice(0, ANSWER.characters) : null,
      next: pause === undefined ? undefined : now + pause,
    }
  }

  async #post(
    webhook: WebhookRow,
    delivery: DeliveryRow,
    at: number,
  ): Promise<{ answer?: PublicAnswer; error?: string; isRefused?: boolean }> {
    const { ctx } = this
    const secrets = secretsOf(ctx, webhook, at)
    if (secrets.length === 0) return { error: 'the secret cannot be read, make a new one', isRefused: true }
    const body = withSequence(delivery.body, delivery.sequence!)
    const timestamp = String(Math.floor(at / SECOND))
    try {
      const answer = await postPublic(webhook.url, {
        headers: {
          'content-type': 'application/json',
          'user-agent': `Tessera/${version}`,
          'webhook-id': delivery.eventId,
          'webhook-timestamp': timestamp,
          'webhook-signature': signature(secrets, delivery.eventId, timestamp, body),
        },
        body: Buffer.from(body),
        allowed: ctx.config.privateTargets,
        signal: this.#stop.signal,
        most: { ms: ATTEMPT_MS, bytes: ANSWER.bytes },
        ...networkOf(ctx),
      })
      return { answer }
    } catch (error) {
      return { error: reasonOf(error), isRefused: error instanceof NotPublicError }
    }
  }

  #save(): void {
    clearTimeout(this.#savingSoon)
    this.#savingSoon = undefined
    // A save that has nothing to do would end before it is kept here, and stay.
    if (this.#ended.length + this.#returned.length > 0) this.#saving ??= this.#saveAll()
  }

  /** Saves the results that have come in, together. If the database is away, the deliveries become due again when their claims end. */
  async #saveAll(): Promise<void> {
    try {
      while (this.#ended.length + this.#returned.length > 0) {
        const [ended, returned] = [this.#ended, this.#returned]
        this.#ended = []
        this.#returned = []
        for (const { webhookId, id } of [...ended.map(({ delivery }) => delivery), ...returned]) {
          const held = this.#held.get(webhookId)
          held?.delete(id)
          if (held?.size === 0) this.#held.delete(webhookId)
        }
        await this.ctx.db.write('webhooks.saveResults', (tx) => saveResults(this.ctx, tx, ended, returned), IN_ORDER)
        this.wake()
      }
    } catch (error) {
      this.ctx.log.error('the results of deliveries could not be saved', { error })
    } finally {
      this.#saving = undefined
    }
  }
}

const isFast = ({ isDelivered, attempt }: store.Ended): boolean => isDelivered && attempt.ms < SLOW_MS

async function saveResults(
  ctx: AppContext,
  tx: Tx,
  ended: readonly store.Ended[],
  returned: readonly DeliveryRow[],
): Promise<void> {
  const now = ctx.clock.now()
  const saved = await store.saveAttempts(tx, ended)
  for (const row of returned) await store.giveBack(tx, row, now)
  for (const [webhookId, some] of Map.groupBy(saved, ({ delivery }) => delivery.webhookId)) {
    const lastSuccess = some.findLastIndex(({ isDelivered }) => isDelivered)
    const failed = some.filter(({ isDelivered }) => !isDelivered)
    const row = await store.saveOutcome(tx, webhookId, {
      done: some.filter(({ isDelivered, next }) => isDelivered || next === undefined).length,
      failures: some.slice(lastSuccess + 1).length,
      hasSucceeded: lastSuccess >= 0,
      isFast: some.every(isFast),
      lastSuccessAt: some[lastSuccess]?.attempt.at,
      lastFailureAt: failed.at(-1)?.attempt.at,
    })
    if (row === undefined || !row.enabled || row.deletedAt !== null) continue
    if (some.some(({ isGone }) => isGone)) await switchOff(ctx, tx, row, 'GONE')
    else if (isFailing(row, now)) await switchOff(ctx, tx, row, 'FAILING')
  }
  const changed = [...saved.map(({ delivery }) => delivery), ...returned]
  for (const id of new Set(changed.map(({ webhookId }) => webhookId))) await store.refreshDue(tx, id, now)
}

/** The present secret, and the one before it while it also signs. */
function secretsOf(ctx: AppContext, row: WebhookRow, now: number): string[] {
  const isRotating = row.previousSecret !== null && (row.previousUntil ?? 0) > now
  const sealed = [row.secret, ...(isRotating ? [row.previousSecret!] : [])]
  return sealed.flatMap((text) => ctx.seal.open(text) ?? [])
}

/** Without the address that a name has: it may be one of a private network. */
function reasonOf(error: unknown): string {
  if (error instanceof NotPublicError) return 'the address is not public'
  const { name, code } = error as { readonly name?: string; readonly code?: unknown }
  if (name === 'TimeoutError') return `no answer within ${ATTEMPT_MS / SECOND} s`
  return typeof code === 'string' ? `no connection (${code})` : 'the connection was closed'
}

/** How names are resolved and certificates are checked. Replaced by tests. */
export const networkOf = perContext((): { resolve?: (host: string) => Promise<readonly string[]>; ca?: string } => ({}))

const senderOf = perContext((ctx) => new Sender(ctx))

export const startSending = (ctx: AppContext): void => senderOf(ctx).start()
export const stopSending = (ctx: AppContext): Promise<void> => senderOf(ctx).stop()
/** Looks for deliveries that are due. Needed after a change of the clock only. */
export const wakeWebhooks = (ctx: AppContext): void => senderOf(ctx).wake()
