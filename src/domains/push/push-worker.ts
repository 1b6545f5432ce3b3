/**
 * Finds the devices for new messages and notifications. The process that committed a write does this, from a queue in memory, so no device
 * gets a push twice. If the process ends, waiting pushes are lost: a push is a hint, and apps catch up when they are opened.
 */

import { isShared } from '#config/config.ts'
import { type AppContext, perContext } from '#context'
import { type DeviceMessage, messagesForDevices } from '#domains/chat/index.ts'
import type { Listener, NotificationCreated } from '#domains/events.ts'
import { socketsOf } from '#http/socket.ts'
import { topic } from '#platform/bus.ts'
import { SECOND } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'

import { messagePush, notificationPush } from './payload.ts'
import { isQuiet } from './push.rules.ts'
import { hasSubscriptions, liveSubscriptions, type SubscriptionRow } from './push.store.ts'
import { senderOf } from './sender.ts'

/** Ids of a user and a session. */
type SessionOf = readonly [userId: number, sessionId: number]
/** Which of these sessions have a socket? Asked of all processes. */
const asked = topic<{ readonly question: string; readonly sessions: readonly SessionOf[] }>('push.asked')
const answered = topic<{ readonly question: string; readonly sessionIds: readonly number[] }>('push.answered')
/** A question must fit into a NOTIFY of PostgreSQL (8,000 bytes). */
const SESSIONS_PER_QUESTION = 150
/** Time for the answers of other processes, for devices that are just connecting, and for users who read on another device. */
const WAIT_MS = SECOND

/** Messages and notifications that wait. A send to all users has many. */
const MAX_WAITING = 200_000
/** Writes whose devices are looked up together. */
const JOBS_AT_ONCE = 1000

type Job =
  | { readonly kind: 'messages'; readonly ids: readonly number[]; readonly userIds?: readonly number[] | undefined }
  | { readonly kind: 'notification'; readonly event: NotificationCreated }

const sizeOf = (job: Job): number => (job.kind === 'messages' ? job.ids.length : job.event.recipients.length)

/** Who is notified of the messages of some jobs: all members, or those whom an edit mentions. */
class Recipients {
  readonly #ids = new Set<number>()
  readonly #some = new Map<number, Set<number>>()

  constructor(jobs: readonly Job[]) {
    for (const job of jobs) {
      if (job.kind !== 'messages') continue
      for (const id of job.ids)
        if (job.userIds === undefined) this.#ids.add(id)
        else this.#some.set(id, new Set([...(this.#some.get(id) ?? []), ...job.userIds]))
    }
  }

  async find(ctx: AppContext): Promise<DeviceMessage[]> {
    const found = await messagesForDevices(ctx, [...this.#ids, ...this.#some.keys()])
    return found.map((message) =>
      this.#ids.has(message.id)
        ? message
        : { ...message, userIds: message.userIds.filter((userId) => this.#some.get(message.id)!.has(userId)) },
    )
  }
}

class Planner {
  readonly #jobs: Job[] = []
  readonly #questions = new Map<string, Set<number>>()
  readonly #stop = Promise.withResolvers<void>()
  #waiting = 0
  #isStopped = false
  #running: Promise<void> | undefined

  constructor(readonly ctx: AppContext) {}

  listen(): void {
    const { bus } = this.ctx
    bus.on(asked, ({ question, sessions }) => {
      const sessionIds = sessions.filter((session) => isLiveHere(this.ctx, session)).map(([, id]) => id)
      if (sessionIds.length > 0) bus.tell(answered, { question, sessionIds })
    })
    bus.on(answered, ({ question, sessionIds }) => {
      for (const id of sessionIds) this.#questions.get(question)?.add(id)
    })
  }

  add(job: Job): void {
    if (this.#isStopped || this.#waiting + sizeOf(job) > MAX_WAITING) return
    this.#jobs.push(job)
    this.#waiting += sizeOf(job)
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stop.resolve()
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#jobs.length > 0 && !this.#isStopped) {
      const jobs = this.#jobs.splice(0, JOBS_AT_ONCE)
      for (const job of jobs) this.#waiting -= sizeOf(job)
      try {
        if (await hasSubscriptions(this.ctx.db.read)) await this.#plan(jobs)
      } catch (error) {
        this.ctx.log.error('devices were not told of messages', { error })
      }
    }
    // No `await` since the last look at the queue: a later `add` starts a new run.
    this.#running = undefined
  }

  async #plan(jobs: readonly Job[]): Promise<void> {
    const told = new Recipients(jobs)
    const events = jobs.flatMap((job) => (job.kind === 'notification' ? [job.event] : []))
    const subscriptions = await this.#subscriptionsFor(await told.find(this.ctx), events)
    if (subscriptions.length === 0) return
    const live = await this.#liveAmong(subscriptions)
    if (this.#isStopped) return
    const now = this.ctx.clock.now()
    const byUser = Map.groupBy(
      subscriptions.filter((row) => !live.has(row.sessionId) && !isQuiet(row, now)),
      ({ userId }) => userId,
    )
    const sender = senderOf(this.ctx)
    // Again, because some were read or recalled during the wait.
    for (const message of await told.find(this.ctx))
      for (const userId of message.userIds)
        for (const row of byUser.get(userId) ?? []) sender.add(messagePush(row, message))
    for (const event of events)
      for (const { id, userId } of event.recipients)
        for (const row of byUser.get(userId) ?? []) sender.add(notificationPush(row, id, event))
  }

  #subscriptionsFor(
    messages: readonly DeviceMessage[],
    events: readonly NotificationCreated[],
  ): Promise<SubscriptionRow[]> {
    const userIds = new Set([
      ...messages.flatMap((message) => message.userIds),
      ...events.flatMap(({ recipients }) => recipients.map(({ userId }) => userId)),
    ])
    return liveSubscriptions(this.ctx.db.read, [...userIds], this.ctx.clock.now())
  }

  /** Sessions of the subscriptions that have a socket in any process. */
  async #liveAmong(subscriptions: readonly SubscriptionRow[]): Promise<ReadonlySet<number>> {
    const live = new Set<number>()
    const question = uuid()
    this.#questions.set(question, live)
    await Promise.race([Bun.sleep(WAIT_MS), this.#stop.promise])
    const sessions = subscriptions.map(({ userId, sessionId }) => [userId, sessionId] as const)
    for (let from = 0; from < sessions.length; from += SESSIONS_PER_QUESTION)
      this.ctx.bus.tell(asked, { question, sessions: sessions.slice(from, from + SESSIONS_PER_QUESTION) })
    if (isShared(this.ctx.config)) await Promise.race([Bun.sleep(WAIT_MS), this.#stop.promise])
    this.#questions.delete(question)
    return live
  }
}

const isLiveHere = (ctx: AppContext, [userId, sessionId]: SessionOf): boolean =>
  [...socketsOf(ctx, userId)].some(({ actor }) => actor.sessionId === sessionId)

const plannerOf = perContext((ctx) => new Planner(ctx))

export const tellOfMessages: Listener<'messages.sent'> = (ctx, tx, { ids, userIds }) =>
  tx.afterCommit(() => plannerOf(ctx).add({ kind: 'messages', ids, userIds }))

export const tellOfNotification: Listener<'notification.created'> = (ctx, tx, event) =>
  tx.afterCommit(() => plannerOf(ctx).add({ kind: 'notification', event }))

export const startPush = (ctx: AppContext): void => plannerOf(ctx).listen()

export async function stopPush(ctx: AppContext): Promise<void> {
  await plannerOf(ctx).stop()
  await senderOf(ctx).stop()
}
