/**
 * Sends the messages in the outbox. Each channel has a worker of its own, so an unavailable mail server does not delay SMS. A
 * worker claims a message by moving its `dueAt` beyond the longest attempt and deletes it after the gateway accepted it: other processes
 * leave it alone, and if the process dies in between, the message is sent again by any of them (at least once). A failed message is retried after growing pauses until it
 * expires; then an error is logged.
 */

import { isShared } from '#config/config.ts'
import { type AppContext, perContext } from '#context'
import type { OutboxChannel } from '#db/schema/delivery.ts'
import type { Tx } from '#db/store.ts'
import type { MailResult } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import { topic } from '#platform/bus.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'
import { fraction } from '#platform/ids.ts'
import { GatewayError } from '#platform/outgoing.ts'
import { KIND } from '#platform/spans.ts'

import { ATTEMPT_TIMEOUT_MS, MAX_CONCURRENT, MAX_CONCURRENT_NOTICES, type Outgoing } from './delivery.model.ts'
import { minutesLeft, nextAttempt } from './delivery.rules.ts'
import {
  claimDueMessages,
  deleteExpiredMessages,
  deleteMessage,
  makeAllDue,
  nextDueTime,
  type OutboxRow,
  postponeMessage,
} from './delivery.store.ts'
import { mailerOf, missingGateways, smsOf } from './gateways.ts'
import { recordAccepted, recordRefusal } from './refusals.service.ts'
import { codeLetter, codeSms } from './templates/codes.ts'
import { senderOf } from './templates/layout.ts'
import { noticeLetter } from './templates/notices.ts'

/** Added to the attempt timeout, so that a message is not claimed again while it is being sent. */
const CLAIM_MARGIN_MS = 15 * SECOND
const DELETE_AGAIN_MS = 200
/** The longest timer, so that a suspended machine or a changed clock is noticed. */
const MAX_SLEEP_MS = MINUTE
/** Pause after a database error. */
const DATABASE_ERROR_SLEEP_MS = 5 * SECOND
/** How long a stop waits for attempts in progress. */
const STOP_MS = 3 * SECOND

const MESSAGES = { name: 'tessera_messages_total', help: 'Attempts to send a message, by result.' }

const RESULTS = ['sent', 'retried', 'refused', 'expired', 'unreadable'] as const
type Result = (typeof RESULTS)[number]

/** Of mails, in this process. */
export const lastDelivery = perContext(() => ({ lastSentAt: null as number | null, lastError: null as string | null }))

/** Attempts that share the connections of one gateway. */
interface Places {
  all: number
  notices: number
  events: number
}

class Worker {
  readonly #attempts = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #timer: Timer | undefined
  #claiming: Promise<void> | undefined
  #again = false
  #running = false
  /** Set until the first claim: unless other processes share the database, all messages present then were left by an earlier process. */
  #fresh = false

  constructor(
    readonly ctx: AppContext,
    readonly channel: OutboxChannel,
    readonly places: Places,
  ) {
    for (const result of RESULTS) ctx.metrics.counter(MESSAGES, { channel, result })
  }

  start(): void {
    this.#running = true
    this.#fresh = !isShared(this.ctx.config)
    this.wake()
  }

  wake(): void {
    this.#again = true
    if (this.#running) this.#claiming ??= this.#claimLoop()
  }

  /**
   * Claims nothing new and waits up to `STOP_MS` for attempts in progress, then aborts them. Aborted messages stay in the outbox.
   */
  async stop(): Promise<void> {
    this.#running = false
    clearTimeout(this.#timer)
    await this.#claiming
    const abort = setTimeout(() => this.#stop.abort(new GatewayError('the server is stopping')), STOP_MS)
    await Promise.all(this.#attempts)
    clearTimeout(abort)
  }

  async #claimLoop(): Promise<void> {
    try {
      do {
        this.#again = false
        await this.#claim()
      } while (this.#running && this.#again)
    } catch (error) {
      this.ctx.log.error('the outbox cannot be read', { error })
      this.#sleep(DATABASE_ERROR_SLEEP_MS)
    } finally {
      // No `await` between the last check of `#again` and this line, otherwise a call of `wake` in between would be lost.
      this.#claiming = undefined
    }
  }

  /** Starts attempts for due messages up to the channel's limit, or sets the timer for the next due time. */
  async #claim(): Promise<void> {
    clearTimeout(this.#timer)
    const { ctx, channel } = this
    // Codes before notices and mails to participants, which never use the last free place.
    const notices = this.#placesOfNotices()
    const free = channel === 'EVENT' ? notices : MAX_CONCURRENT[channel] - this.places.all
    // The next attempt that ends calls `wake`.
    if (free <= 0) return
    const due = await nextDueTime(ctx.db.read, channel, notices > 0 ? 'all' : 'codes')
    const now = ctx.clock.now()
    const fresh = this.#fresh
    this.#fresh = false
    if (due === null) return
    if (due > now && !fresh) {
      this.#sleep(due - now)
      return
    }
    const until = now + ATTEMPT_TIMEOUT_MS[channel] + CLAIM_MARGIN_MS
    const { expired, claimed } = await ctx.db.write('delivery.claim', async (tx) => {
      if (fresh) await makeAllDue(tx, channel, now)
      return {
        expired: await this.#deleteExpired(tx, now),
        claimed: await claimDueMessages(tx, channel, { now, until, limit: free, notices }),
      }
    })
    for (const row of expired) this.#giveUp(row, this.#open(row), 'expired', 'it was not delivered in time')
    for (const row of claimed) this.#begin(row)
    // The next iteration finds further due messages or sets the timer.
    if (expired.length + claimed.length > 0) this.#again = true
    else this.#sleep(SECOND)
  }

  #placesOfNotices(): number {
    const { all, notices, events } = this.places
    const free = MAX_CONCURRENT_NOTICES - notices - events
    return this.channel === 'EVENT' ? Math.min(free, MAX_CONCURRENT.EVENT - events, MAX_CONCURRENT.EMAIL - all) : free
  }

  #begin(row: OutboxRow): void {
    const { ctx, channel, places } = this
    const kind = channel === 'EVENT' ? 'events' : row.topic === null ? 'notices' : undefined
    places.all++
    if (kind) places[kind]++
    const attempt: Promise<void> = this.#deliver(row).finally(() => {
      this.#attempts.delete(attempt)
      places.all--
      if (kind) places[kind]--
      for (const worker of workersOf(ctx).values()) if (worker.places === places) worker.wake()
    })
    this.#attempts.add(attempt)
  }

  async #deleteExpired(tx: Tx, now: number): Promise<OutboxRow[]> {
    const expired = await deleteExpiredMessages(tx, this.channel, now)
    for (const row of expired) await settle(this.ctx, tx, this.#open(row), 'FAILED')
    return expired
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#running) this.#timer = setTimeout(() => this.wake(), Math.min(ms, MAX_SLEEP_MS))
  }

  /** Never rejects. */
  async #deliver(row: OutboxRow): Promise<void> {
    const message = this.#open(row)
    try {
      if (message === undefined) {
        await this.#delete(row, message, 'FAILED')
        this.#giveUp(row, message, 'unreadable', 'it was sealed with another key')
        return
      }
      const span = this.ctx.tracer?.begin(this.channel === 'SMS' ? 'SMS' : 'mail', KIND.client)
      const result = await this.#attempt(message)
      span?.end(result instanceof GatewayError)
      if (result instanceof GatewayError) return await this.#handleFailure(row, message, result)
      if (this.channel !== 'SMS' && result === 'SENT') lastDelivery(this.ctx).lastSentAt = this.ctx.clock.now()
      await this.#deleteSent(row, message, result)
      this.#count('sent')
    } catch (error) {
      // The row is unchanged and becomes due again when its claim ends.
      this.ctx.log.error('the outbox cannot be written', { error })
    }
  }

  /** The gateway's error, or what became of the message. */
  async #attempt(message: Outgoing): Promise<GatewayError | 'SENT' | 'DROPPED'> {
    const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS[this.channel])
    const signal = AbortSignal.any([timeout, this.#stop.signal])
    // Does not rely on drivers to obey the signal.
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const onAbort = (): void =>
      reject(timeout.aborted ? new GatewayError('the gateway took too long') : (this.#stop.signal.reason as Error))
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([send(this.ctx, message, signal), aborted])
    } catch (error) {
      if (error instanceof GatewayError) return error
      // A programming error of ours, not a failure of the gateway.
      this.ctx.log.error('a message could not be composed', { channel: this.channel, error })
      return new GatewayError(String(error), false, { cause: error })
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async #handleFailure(row: OutboxRow, message: Outgoing, failure: GatewayError): Promise<void> {
    const { ctx } = this
    // An attempt aborted by a stop does not count as a failure; the next start makes the message due.
    if (this.#stop.signal.aborted) return
    if (this.channel !== 'SMS') lastDelivery(ctx).lastError = this.#describe(row, message, failure.message).reason
    const now = ctx.clock.now()
    const next = failure.permanent ? undefined : nextAttempt(row, now, fraction())
    if (next === undefined) {
      await this.#delete(row, message, 'FAILED', failure.permanent)
      this.#giveUp(row, message, failure.permanent ? 'refused' : 'expired', failure.message)
      return
    }
    await ctx.db.write('delivery.postpone', (tx) => postponeMessage(tx, row.id, next))
    this.#count('retried')
    ctx.log.warn('a message was not sent, it will be tried again', {
      ...this.#describe(row, message, failure.message),
      secondsToNextTry: Math.round((next - now) / 100) / 10,
    })
  }

  /** Tries again while the database is away: otherwise a message that was accepted would be sent again when its claim ends. */
  async #deleteSent(row: OutboxRow, message: Outgoing, result: 'SENT' | 'DROPPED'): Promise<void> {
    for (;;) {
      try {
        return await this.#delete(row, message, result)
      } catch (error) {
        if (!this.#running) throw error
        await Bun.sleep(DELETE_AGAIN_MS)
      }
    }
  }

  #delete(row: OutboxRow, message: Outgoing | undefined, result: MailResult, isRefused = false): Promise<void> {
    const { ctx } = this
    return ctx.db.write('delivery.delete', async (tx) => {
      await deleteMessage(tx, row.id)
      if (message?.type !== 'MAIL') return
      if (result === 'SENT') await recordAccepted(ctx, tx, message.to)
      if (isRefused) await recordRefusal(ctx, tx, message.to)
      await settle(ctx, tx, message, result)
    })
  }

  /** Logs an error, because somebody is waiting for this message. */
  #giveUp(row: OutboxRow, message: Outgoing | undefined, result: Result, reason: string): void {
    this.#count(result)
    this.ctx.log.error('a message was given up', this.#describe(row, message, reason))
  }

  #describe(row: OutboxRow, message: Outgoing | undefined, reason: string) {
    const to = message && { [this.channel === 'SMS' ? 'phone' : 'email']: message.to }
    const about = message?.type === 'CODE' ? message.purpose : message?.kind
    // Gateways often repeat parts of the message in their errors.
    const secrets = message === undefined ? [] : message.type === 'CODE' ? [message.code, message.to] : [message.to]
    const masked = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), reason)
    return { channel: this.channel, about, ...to, attempts: row.attempts, reason: masked }
  }

  #open(row: OutboxRow): Outgoing | undefined {
    const text = this.ctx.seal.open(row.payload)
    return text === undefined ? undefined : (JSON.parse(text) as Outgoing)
  }

  #count(result: Result): void {
    this.ctx.metrics.count(MESSAGES, { channel: this.channel, result })
  }
}

/**
 * Hands one message to its gateway. The text is composed only now, so that it states how long a code is still valid.
 * @throws GatewayError
 */
async function send(ctx: AppContext, message: Outgoing, signal: AbortSignal): Promise<'SENT' | 'DROPPED'> {
  if (message.type === 'MAIL') return sendComposed(ctx, message, signal)
  await sendText(ctx, message, signal)
  return 'SENT'
}

async function sendText(
  ctx: AppContext,
  message: Exclude<Outgoing, { type: 'MAIL' }>,
  signal: AbortSignal,
): Promise<void> {
  const { id, to, locale } = message
  const sender = senderOf(ctx)
  if (message.type === 'NOTICE') {
    const letter = noticeLetter(message.kind, message.data, locale, sender)
    return (await mailerOf(ctx)).send({ id, to, ...letter }, signal)
  }
  const { purpose, code } = message
  const minutes = minutesLeft(message.expiresAt, ctx.clock.now())
  if (message.channel === 'EMAIL')
    return (await mailerOf(ctx)).send({ id, to, ...codeLetter({ purpose, code, minutes }, locale, sender) }, signal)
  const text = codeSms({ purpose, code, minutes }, locale, sender)
  return (await smsOf(ctx)).send({ id, to, code, minutes, purpose, locale, text }, signal)
}

/** DROPPED: its domain no longer wants to send it. */
async function sendComposed(
  ctx: AppContext,
  { id, to, kind, data }: Extract<Outgoing, { type: 'MAIL' }>,
  signal: AbortSignal,
): Promise<'SENT' | 'DROPPED'> {
  for (const composers of contributions(ctx, 'composedMails')) {
    const mail = await composers[kind]?.(ctx, to, data)
    if (mail === undefined) continue
    await (await mailerOf(ctx)).send({ id, to, ...mail }, signal)
    return 'SENT'
  }
  return 'DROPPED'
}

/** Reports the result of a composed mail to its domain. */
async function settle(ctx: AppContext, tx: Tx, message: Outgoing | undefined, result: MailResult): Promise<void> {
  if (message?.type !== 'MAIL') return
  for (const settlers of contributions(ctx, 'settledMails'))
    await settlers[message.kind]?.(ctx, tx, message.data, result)
}

const workersOf = perContext((ctx): ReadonlyMap<OutboxChannel, Worker> => {
  const mail: Places = { all: 0, notices: 0, events: 0 }
  return new Map<OutboxChannel, Worker>([
    ['EMAIL', new Worker(ctx, 'EMAIL', mail)],
    ['EVENT', new Worker(ctx, 'EVENT', mail)],
    ['SMS', new Worker(ctx, 'SMS', { all: 0, notices: 0, events: 0 })],
  ])
})

/** Makes the channel's worker look for due messages. Does nothing before `startDelivery`. */
export const wake = (ctx: AppContext, channel: OutboxChannel): void => workersOf(ctx).get(channel)!.wake()

/** There can be thousands of these mails: the workers of all processes share them. */
export const eventMailsQueued = topic<'all'>('delivery.eventMailsQueued')

/** Starts the workers and warns about gateways that are not configured. */
export function startDelivery(ctx: AppContext): void {
  for (const sentence of missingGateways(ctx)) ctx.log.warn(sentence)
  for (const worker of workersOf(ctx).values()) worker.start()
  ctx.bus.on(eventMailsQueued, () => wake(ctx, 'EVENT'))
}

/** Takes at most a few seconds. Messages that were not sent by then are sent after the next start. */
export async function stopDelivery(ctx: AppContext): Promise<void> {
  await Promise.all([...workersOf(ctx).values()].map((worker) => worker.stop()))
}
