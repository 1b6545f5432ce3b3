/**
 * Sends what waits in the outbox, each channel by itself, so that a dead mail server holds up no SMS. A message is taken by moving
 * its `dueAt` beyond the longest try, and leaves the outbox after the gateway took it: should the process die between, it is sent
 * again (at least once). One that fails is tried again after growing pauses until it is worth nothing; then an error is logged.
 */

import { type AppContext, perContext } from '#context'
import { MINUTE, SECOND } from '#platform/clock.ts'
import { fraction } from '#platform/ids.ts'
import { GatewayError } from '#platform/outgoing.ts'

import { missing } from './gateways.ts'
import { AT_ONCE, type Channel, type Outgoing, TRY_MS } from './model.ts'
import { nextTry } from './rules.ts'
import { send } from './send.ts'
import { claimDue, dropMessage, makeAllDue, nextDue, type OutboxRow, postponeMessage, takeExpired } from './store.ts'

/** Beyond the longest try: nobody else takes the message while it is being sent. */
const CLAIM_MARGIN_MS = 15 * SECOND
/** The longest sleep: a machine that was suspended, or a clock that was set, is noticed after it. */
const MAX_SLEEP_MS = MINUTE
/** After the database refused. */
const TROUBLE_SLEEP_MS = 5 * SECOND
/** How long a stop waits for gateways to answer. */
const STOP_MS = 3 * SECOND

const MESSAGES = { name: 'tessera_messages_total', help: 'Attempts to send a message by result.' }

type Result = 'sent' | 'retried' | 'refused' | 'expired' | 'unreadable'

class Worker {
  readonly #sending = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #timer: Timer | undefined
  #taking: Promise<void> | undefined
  #again = false
  #running = false
  /** Nothing was taken yet: what waits was left by an earlier process. */
  #fresh = false

  constructor(
    readonly ctx: AppContext,
    readonly channel: Channel,
  ) {}

  start(): void {
    this.#running = true
    this.#fresh = true
    this.wake()
  }

  wake(): void {
    this.#again = true
    if (this.#running) this.#taking ??= this.#takeAll()
  }

  /** Takes nothing new, waits a little for what is under way, then cuts it short: it stays in the outbox. */
  async stop(): Promise<void> {
    this.#running = false
    clearTimeout(this.#timer)
    await this.#taking
    const late = setTimeout(() => this.#stop.abort(new GatewayError('the server is stopping')), STOP_MS)
    await Promise.all(this.#sending)
    clearTimeout(late)
  }

  async #takeAll(): Promise<void> {
    try {
      do {
        this.#again = false
        await this.#take()
      } while (this.#running && this.#again)
    } catch (error) {
      this.ctx.log.error('the outbox cannot be read', { error })
      this.#sleep(TROUBLE_SLEEP_MS)
    } finally {
      // In the same moment as the last look at `#again`: later, and a call of `wake` between would be lost.
      this.#taking = undefined
    }
  }

  /** Begins what is due and fits, or sets the timer for what is due next. */
  async #take(): Promise<void> {
    clearTimeout(this.#timer)
    const { ctx, channel } = this
    const free = AT_ONCE[channel] - this.#sending.size
    // The first that is done wakes us.
    if (free <= 0) return
    const due = await nextDue(ctx.db.read, channel)
    const now = ctx.clock.now()
    const fresh = this.#fresh
    this.#fresh = false
    if (due === null) return
    if (due > now && !fresh) {
      this.#sleep(due - now)
      return
    }
    const until = now + TRY_MS[channel] + CLAIM_MARGIN_MS
    const { expired, taken } = await ctx.db.write('outbox.take', async (tx) => {
      if (fresh) await makeAllDue(tx, channel, now)
      return {
        expired: await takeExpired(tx, channel, now),
        taken: await claimDue(tx, channel, { now, until, limit: free }),
      }
    })
    for (const row of expired) this.#giveUp(row, this.#open(row), 'expired', 'it was not delivered in time')
    for (const row of taken) {
      const task: Promise<void> = this.#deliver(row).finally(() => {
        this.#sending.delete(task)
        this.wake()
      })
      this.#sending.add(task)
    }
    // Looks for what is due next.
    if (expired.length + taken.length > 0) this.#again = true
    else this.#sleep(SECOND)
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
        await this.#drop(row)
        this.#giveUp(row, message, 'unreadable', 'it was sealed with another key')
        return
      }
      const failure = await this.#try(message)
      if (failure === undefined) {
        await this.#drop(row)
        this.#count('sent')
      } else await this.#failed(row, message, failure)
    } catch (error) {
      // The row stays as it is and comes up again when its claim is over.
      this.ctx.log.error('the outbox cannot be written', { error })
    }
  }

  /** What the gateway had against it, or undefined when it took the message. */
  async #try(message: Outgoing): Promise<GatewayError | undefined> {
    const late = AbortSignal.timeout(TRY_MS[this.channel])
    const signal = AbortSignal.any([late, this.#stop.signal])
    // Whatever a driver makes of the signal, the place is free again.
    const { promise: cut, reject } = Promise.withResolvers<never>()
    const onAbort = (): void =>
      reject(late.aborted ? new GatewayError('the gateway took too long') : (this.#stop.signal.reason as Error))
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      await Promise.race([send(this.ctx, message, signal), cut])
      return undefined
    } catch (error) {
      if (error instanceof GatewayError) return error
      // Not the gateway's doing but a mistake of ours.
      this.ctx.log.error('a message could not be made', { channel: this.channel, error })
      return new GatewayError(String(error), false, { cause: error })
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async #failed(row: OutboxRow, message: Outgoing, failure: GatewayError): Promise<void> {
    const { ctx } = this
    // Stopping is nobody's failure: the next start makes everything due.
    if (this.#stop.signal.aborted) return
    const now = ctx.clock.now()
    const next = failure.permanent ? undefined : nextTry(row, now, fraction())
    if (next === undefined) {
      await this.#drop(row)
      this.#giveUp(row, message, failure.permanent ? 'refused' : 'expired', failure.message)
      return
    }
    await ctx.db.write('outbox.postpone', (tx) => postponeMessage(tx, row.id, next))
    this.#count('retried')
    const again = Math.round((next - now) / 100) / 10
    ctx.log.warn('a message was not sent, it will be tried again', {
      ...this.#describe(row, message, failure.message),
      secondsToNextTry: again,
    })
  }

  #drop(row: OutboxRow): Promise<void> {
    return this.ctx.db.write('outbox.drop', (tx) => dropMessage(tx, row.id))
  }

  /** Somebody waits for this in vain: worth an alert. */
  #giveUp(row: OutboxRow, message: Outgoing | undefined, result: Result, reason: string): void {
    this.#count(result)
    this.ctx.log.error('a message was given up', this.#describe(row, message, reason))
  }

  #describe(row: OutboxRow, message: Outgoing | undefined, reason: string): Record<string, unknown> {
    const to = message && { [this.channel === 'EMAIL' ? 'email' : 'phone']: message.to }
    const about = message?.type === 'CODE' ? message.purpose : message?.kind
    // Gateways like to repeat what they were given.
    const secrets = message === undefined ? [] : message.type === 'CODE' ? [message.code, message.to] : [message.to]
    const said = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), reason)
    return { channel: this.channel, about, ...to, attempts: row.attempts, reason: said }
  }

  #open(row: OutboxRow): Outgoing | undefined {
    const text = this.ctx.seal.open(row.payload)
    return text === undefined ? undefined : (JSON.parse(text) as Outgoing)
  }

  #count(result: Result): void {
    this.ctx.metrics.count(MESSAGES, { channel: this.channel, result })
  }
}

const CHANNELS: readonly Channel[] = ['EMAIL', 'SMS']

const workersOf = perContext((ctx) => new Map(CHANNELS.map((channel) => [channel, new Worker(ctx, channel)])))

/** Something may be due. Does nothing until `startDelivery`. */
export const wake = (ctx: AppContext, channel: Channel): void => workersOf(ctx).get(channel)!.wake()

/** Begins to send. Says what is not configured. */
export function startDelivery(ctx: AppContext): void {
  for (const sentence of missing(ctx)) ctx.log.warn(sentence)
  for (const worker of workersOf(ctx).values()) worker.start()
}

/** Takes at most a few seconds; what was not sent by then stays for the next start. */
export async function stopDelivery(ctx: AppContext): Promise<void> {
  await Promise.all([...workersOf(ctx).values()].map((worker) => worker.stop()))
}
