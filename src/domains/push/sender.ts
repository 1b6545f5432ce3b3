/**
 * Sends pushes to push services. Each user has a queue of their own, of which one push at a time is sent, so that slow or hostile push
 * services of some users delay nobody else. Pushes are hints: what does not fit into the queues, or cannot be sent soon, is dropped.
 */

import { LRUCache } from 'lru-cache'

import { type AppContext, perContext } from '#context'
import { HOUR, MINUTE } from '#platform/clock.ts'
import { NotPublicError, postPublic } from '#platform/public-post.ts'
import { KIND } from '#platform/spans.ts'
import { encryptFor } from '#platform/web-push.ts'

import { type Push, TTL_SECONDS } from './payload.ts'
import { isAbandoned, isQuiet, MAX_ATTEMPTS, type Outcome, outcomeOf, pauseAfter } from './push.rules.ts'
import { keysOf, vapidOf } from './push.service.ts'
import * as store from './push.store.ts'

/** Requests at a time. */
const MAX_SENDING = 50
/** Pushes that wait: of all users, and of one. */
const MAX_WAITING = 10_000
const MAX_WAITING_OF_USER = 100
/** A push to a device that is paused for longer is dropped. */
const LONGEST_WAIT_MS = MINUTE
/** `lastSuccessAt` is not saved more often. */
const SAVE_SUCCESS_MS = HOUR

const PUSHES = { name: 'tessera_pushes_total', help: 'Pushes to devices, by what became of each attempt.' }

interface Pause {
  /** Failed attempts in a row. */
  readonly failed: number
  readonly until: number
}

interface Item extends Push {
  readonly attempt: number
}

class Sender {
  readonly #queues = new Map<number, Item[]>()
  /** Users with a push that can be sent now, in turn. */
  readonly #ready = new Set<number>()
  readonly #sending = new Map<number, Promise<void>>()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  readonly #pauses = new LRUCache<number, Pause>({ max: MAX_WAITING })
  readonly #stop = new AbortController()
  #waiting = 0

  constructor(readonly ctx: AppContext) {}

  /** Queues a push, or drops it. */
  add(push: Push, attempt = 1): void {
    if (this.#stop.signal.aborted) return
    const { id, userId } = push.subscription
    const wait = (this.#pauses.get(id)?.until ?? 0) - this.ctx.clock.now()
    if (wait > LONGEST_WAIT_MS) return this.#count('dropped')
    if (wait > 0) return this.#later(push, attempt, wait)
    const queue = this.#queues.get(userId) ?? []
    const older = queue.findIndex((item) => item.subscription.id === id && item.about === push.about)
    if (older >= 0) queue[older] = { ...push, attempt }
    else if (queue.length >= MAX_WAITING_OF_USER || this.#waiting >= MAX_WAITING) return this.#count('dropped')
    else {
      queue.push({ ...push, attempt })
      this.#waiting++
    }
    this.#queues.set(userId, queue)
    if (!this.#sending.has(userId)) this.#ready.add(userId)
    this.#next()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the server stops'))
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.all(this.#sending.values())
  }

  #later(push: Push, attempt: number, wait: number): void {
    if (this.#timers.size >= MAX_WAITING) return this.#count('dropped')
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.add(push, attempt)
    }, wait)
    this.#timers.add(timer)
  }

  #next(): void {
    for (const userId of this.#ready) {
      if (this.#sending.size >= MAX_SENDING) return
      this.#ready.delete(userId)
      const sending = this.#sendOne(userId).finally(() => {
        this.#sending.delete(userId)
        if (this.#stop.signal.aborted) return
        if (this.#queues.has(userId)) this.#ready.add(userId)
        this.#next()
      })
      this.#sending.set(userId, sending)
    }
  }

  async #sendOne(userId: number): Promise<void> {
    const queue = this.#queues.get(userId)!
    const item = queue.shift()!
    this.#waiting--
    if (queue.length === 0) this.#queues.delete(userId)
    try {
      // Failures of an earlier push may have paused the device meanwhile.
      if ((this.#pauses.get(item.subscription.id)?.until ?? 0) > this.ctx.clock.now()) this.add(item, item.attempt)
      else if (!isQuiet(item.subscription, this.ctx.clock.now())) await this.#attempt(item)
    } catch (error) {
      if (!this.#stop.signal.aborted) this.ctx.log.warn('the result of a push could not be saved', { error })
    }
  }

  async #attempt(item: Item): Promise<void> {
    const { ctx } = this
    const { subscription, attempt } = item
    const { id, userId } = subscription
    const span = ctx.tracer?.begin('push', KIND.client)
    const { outcome, retryAfter } = await this.#post(item)
    span?.end(outcome === 'retry' || outcome === 'refused')
    if (this.#stop.signal.aborted) return
    this.#count(outcome)
    const now = ctx.clock.now()
    if (outcome === 'taken') {
      this.#pauses.delete(id)
      if (subscription.failures > 0 || (subscription.lastSuccessAt ?? 0) < now - SAVE_SUCCESS_MS)
        await ctx.db.write('push.taken', (tx) => store.saveSuccess(tx, userId, id, now))
      return
    }
    if (outcome === 'gone') {
      await ctx.db.write('push.gone', (tx) => store.deleteSubscription(tx, userId, id))
      return
    }
    const failed = (this.#pauses.get(id)?.failed ?? 0) + 1
    const pause = pauseAfter(failed, retryAfter)
    this.#pauses.set(id, { failed, until: now + pause })
    if (outcome === 'retry' && attempt < MAX_ATTEMPTS && pause <= LONGEST_WAIT_MS) this.add(item, attempt + 1)
    else await this.#giveUp(userId, id)
  }

  async #post({ subscription, text, urgency, about }: Item): Promise<{ outcome: Outcome; retryAfter?: number }> {
    const { ctx } = this
    const { endpoint } = subscription
    const keys = keysOf(ctx, subscription)
    if (keys === undefined) return { outcome: 'gone' }
    try {
      const { status, retryAfter } = await postPublic(endpoint, {
        headers: {
          authorization: await vapidOf(ctx).authorization(endpoint, ctx.clock.now()),
          'content-encoding': 'aes128gcm',
          'content-type': 'application/octet-stream',
          ttl: String(TTL_SECONDS),
          urgency,
          // At most 32 characters (RFC 8030, section 5.4). A hash, because push services need not know who talks to whom.
          topic: ctx.seal.mac(`push topic ${subscription.id} ${about}`).slice(0, 32),
        },
        body: await encryptFor(keys, endpoint, text),
        allowed: ctx.config.pushServices,
        signal: this.#stop.signal,
      })
      return { outcome: outcomeOf(status), ...(retryAfter !== undefined && { retryAfter }) }
    } catch (error) {
      if (!this.#stop.signal.aborted) ctx.log.debug('a push was not sent', { host: new URL(endpoint).host, error })
      return { outcome: error instanceof NotPublicError ? 'refused' : 'retry' }
    }
  }

  async #giveUp(userId: number, id: number): Promise<void> {
    const now = this.ctx.clock.now()
    await this.ctx.db.write('push.failed', async (tx) => {
      const row = await store.addFailure(tx, userId, id)
      if (row !== undefined && isAbandoned(row, now)) await store.deleteSubscription(tx, userId, id)
    })
  }

  #count(outcome: Outcome | 'dropped'): void {
    this.ctx.metrics.count(PUSHES, { outcome })
  }
}

export const senderOf = perContext((ctx) => new Sender(ctx))
