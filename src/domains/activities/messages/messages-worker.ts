/**
 * Sends messages to the participants of activities, in writes of bounded size with pauses in between for other work. The position of a
 * message is stored in its row and advances in the write that inserts the recipients, their notifications and their mails in the outbox. So
 * a crash neither loses nor repeats any, and two processes cannot process the same slice.
 */

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import { hasMailServer, sendComposed } from '#domains/delivery/index.ts'
import type { Job } from '#domains/domain.ts'
import { type Notice, notify, refusalsToMail } from '#domains/notifications/index.ts'
import { HOUR, MINUTE, SECOND } from '#platform/clock.ts'
import type { Use } from '#platform/limiter.ts'

import type { ActivityRow } from '../activities.store.ts'
import { addresseeOf, mailAddressesOf } from '../event-mails/addressees.service.ts'
import { mailUses, spendMails } from '../personal-mails.service.ts'
import { zoneOf } from '../register/register.rules.ts'
import { importanceOf, noticeBody, subjectOf } from './messages.rules.ts'
import * as store from './messages.store.ts'
import { countsOf } from './messages.view.ts'
import * as recipients from './recipients.store.ts'

/** People per write. */
const SLICE = 200
/** The longest timer, so that a suspended machine or a changed clock is noticed. */
const MAX_SLEEP_MS = MINUTE
/** Pause after an error of the database. */
const ERROR_SLEEP_MS = 5 * SECOND

class Worker {
  #running: Promise<void> | undefined
  #timer: Timer | undefined
  #again = false
  #stopped = true

  constructor(readonly ctx: AppContext) {}

  start(): void {
    this.#stopped = false
    void this.run()
  }

  /** Resolves when there is nothing to do now. Never rejects. */
  run(): Promise<void> {
    this.#again = true
    return this.#stopped ? Promise.resolve() : (this.#running ??= this.#loop())
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  async #loop(): Promise<void> {
    try {
      while (this.#again && this.#mayGoOn()) {
        this.#again = false
        clearTimeout(this.#timer)
        const startedAt = performance.now()
        if ((await startDue(this.ctx)) || (await listSome(this.ctx))) {
          this.#again = true
          // Pauses as long as the write took, so that messages use at most half of the time.
          await Bun.sleep(performance.now() - startedAt)
        } else {
          await finishAll(this.ctx)
          const next = await store.nextScheduled(this.ctx.db.read)
          if (next !== undefined) this.#sleep(next.sendAt - this.ctx.clock.now())
        }
      }
    } catch (error) {
      this.ctx.log.error('sending messages to participants failed and will be retried', { error })
      this.#sleep(ERROR_SLEEP_MS)
    } finally {
      // No `await` between the last check of `#again` and this line: a later call of `run` starts a new loop.
      this.#running = undefined
    }
  }

  #mayGoOn(): boolean {
    return !this.#stopped && !this.ctx.lifecycle.draining
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#mayGoOn()) this.#timer = setTimeout(() => void this.run(), Math.min(Math.max(ms, 0), MAX_SLEEP_MS))
  }
}

const workerOf = perContext((ctx) => new Worker(ctx))

/** Starts messages that are due, and goes on with those that run. */
export const continueMessages = (ctx: AppContext): void => void workerOf(ctx).run()
export const startMessages = (ctx: AppContext): void => workerOf(ctx).start()
/** Waits for the current write and starts no other. */
export const stopMessages = (ctx: AppContext): Promise<void> => workerOf(ctx).stop()
/** Continues messages that another process left unfinished. */
export const messagesJob: Job = { name: 'activities.sendMessages', every: MINUTE, run: (ctx) => workerOf(ctx).run() }

/** A notice is of use while the activity is ACTIVE; nothing is sent for deleted activities and disabled organizations. */
const maySend = ({ kind }: store.MessageRow, activity: ActivityRow): boolean =>
  activity.deletedAt === null &&
  activity.orgStatus !== 'DISABLED' &&
  (kind === 'MESSAGE' || activity.status === 'ACTIVE')

/** Starts the message that is due next. False if none is due. */
async function startDue(ctx: AppContext): Promise<boolean> {
  const isDue = (row: store.MessageRow | undefined) => row !== undefined && row.sendAt <= ctx.clock.now()
  if (!isDue(await store.nextScheduled(ctx.db.read))) return false
  return ctx.db.write('activities.startMessage', async (tx) => {
    const row = await store.nextScheduled(tx)
    if (row === undefined || !isDue(row)) return false
    const activity = await store.findActivityOfMessage(tx, row.activityId)
    const change =
      activity !== undefined && maySend(row, activity)
        ? ({ state: 'RUNNING' } as const)
        : ({ state: 'CANCELLED', finishedAt: tx.stamp } as const)
    await store.updateMessage(tx, row, change)
    return true
  })
}

/** Lists the next recipients of the oldest message that runs. False if there are none to list. */
async function listSome(ctx: AppContext): Promise<boolean> {
  const next = await store.nextToList(ctx.db.read)
  if (next === undefined) return false
  const activity = await store.findActivityOfMessage(ctx.db.read, next.activityId)
  // An administrator has just deleted it, and so ended the message.
  if (activity === undefined) return true
  const uses = await mailUses(ctx, activity.owner)
  await ctx.db.write('activities.listRecipients', async (tx) => {
    const row = await store.findAnyMessage(tx, next.id)
    if (row?.state === 'RUNNING' && row.step !== 'MAILS') await listSlice(ctx, tx, row, activity, uses)
  })
  return true
}

async function listSlice(
  ctx: AppContext,
  tx: Tx,
  row: store.MessageRow,
  activity: ActivityRow,
  uses: readonly Use[],
): Promise<void> {
  const { activityId, filter, cursor, step, channels } = row
  const at = { after: cursor, limit: SLICE }
  const people =
    step === 'REGISTERED'
      ? await recipients.registeredAfter(tx, activityId, filter, at)
      : step === 'GUESTS'
        ? await recipients.guestsAfter(tx, activityId, filter, at)
        : await recipients.holdersAfter(tx, activityId, at)
  if (channels.includes('APP') && step !== 'GUESTS') await tellInApp(ctx, tx, row, activity, people)
  const mailsUsed = channels.includes('EMAIL') ? await queueMails(ctx, tx, row, activity, uses, people) : 0
  const isLast = people.length < SLICE
  // A filter is about registrations.
  const nextStep = step === 'REGISTERED' ? 'GUESTS' : step === 'GUESTS' && filter === null ? 'HOLDERS' : 'MAILS'
  const position = isLast
    ? ({ step: nextStep, cursor: nextStep === 'MAILS' ? tx.stamp : 0 } as const)
    : { cursor: Math.abs(people.at(-1)!.person) }
  const mailsCounted = Math.max(0, row.mailsCounted - mailsUsed)
  if (!(await store.updateMessage(tx, row, { ...position, mailsCounted })))
    throw new Error(`message ${row.id} was advanced by another process`)
}

/** In both languages. */
function noticeOf(row: store.MessageRow, activity: ActivityRow): Omit<Notice, 'userIds'> {
  const { id, activityId, kind } = row
  const { name } = activity
  const subject = subjectOf(kind, row.subject)
  return {
    type: 'ACTIVITY',
    title: { en: `${name}: ${subject.en}`, zh: `${name}：${subject.zh}` },
    body: kind === 'MESSAGE' ? { en: row.bodyPlain, zh: row.bodyPlain } : noticeBody(row, name, zoneOf(activity)),
    ...(kind === 'MESSAGE' && { html: row.bodyHtml }),
    data: { activityId, event: kind, messageId: id },
  }
}

async function tellInApp(
  ctx: AppContext,
  tx: Tx,
  row: store.MessageRow,
  activity: ActivityRow,
  people: readonly recipients.Participant[],
): Promise<void> {
  const sent = { channel: 'APP', state: 'SENT', reason: null, sentAt: tx.stamp } as const
  const inserted = await recipients.insertRecipients(
    tx,
    row.id,
    people.map((one) => ({ ...one, ...sent })),
  )
  const userIds = inserted.map(({ person }) => person)
  await notify(ctx, tx, { ...noticeOf(row, activity), userIds, toMany: true })
}

/** Returns how many of the mails that the message has counted in the budgets were used. */
async function queueMails(
  ctx: AppContext,
  tx: Tx,
  row: store.MessageRow,
  activity: ActivityRow,
  uses: readonly Use[],
  people: readonly recipients.Participant[],
): Promise<number> {
  const now = ctx.clock.now()
  const targets = await mailAddressesOf(
    ctx,
    tx,
    people.map(({ person }) => person),
  )
  const addressOf = ({ person }: recipients.Participant) => targets.get(person)?.address ?? null
  const reachable = people.filter((one) => addressOf(one) !== null)
  const refusals = await refusalsToMail(
    ctx,
    tx,
    activity.owner,
    importanceOf(row.kind),
    reachable.map((one) => addresseeOf(one.person, addressOf(one)!)),
  )
  const refused = new Map(reachable.map((one, i) => [one.person, refusals[i] ?? null]))
  const isThere = hasMailServer(ctx)
  const wanted = isThere ? reachable.filter((one) => refused.get(one.person) === null) : []
  const counted = Math.min(row.mailsCounted, wanted.length)
  const overdraw = row.kind === 'CANCELLED'
  const more = await spendMails(tx, uses, { wanted: wanted.length - counted, overdraw, now })
  const queued = new Set(wanted.slice(0, counted + more).map(({ person }) => person))
  const stateOf = (one: recipients.Participant) => {
    if (queued.has(one.person)) return { state: 'QUEUED', reason: null } as const
    if (!isThere) return { state: 'SKIPPED', reason: 'NO_MAIL_SERVER' } as const
    const reason = addressOf(one) === null ? 'NO_ADDRESS' : (refused.get(one.person) ?? 'BUDGET')
    return { state: 'SKIPPED', reason } as const
  }
  const inserted = await recipients.insertRecipients(
    tx,
    row.id,
    people.map((one) => ({
      ...one,
      channel: 'EMAIL',
      ...stateOf(one),
      sentAt: null,
    })),
  )
  const mails = inserted.filter(({ state }) => state === 'QUEUED')
  await sendComposed(
    ctx,
    tx,
    mails.map(({ person }) => ({
      id: `${row.uuid}.${person}`,
      to: targets.get(person)!.address!,
      kind: 'ACTIVITY_MESSAGE',
      data: { messageId: row.id, person },
    })),
  )
  return counted
}

/** Mails are tried for a day. Later, those without a result are no longer in the outbox: it was restored with another key. */
const LOST_MS = 26 * HOUR

/** Ends messages of which every mail has a result. */
async function finishAll(ctx: AppContext): Promise<void> {
  for (const { id, cursor: listedAt } of await store.listedMessages(ctx.db.read)) {
    const areLost = listedAt < ctx.clock.now() - LOST_MS
    if (!areLost && (await recipients.hasQueuedMail(ctx.db.read, id))) continue
    await ctx.db.write('activities.finishMessage', async (tx) => {
      const row = await store.findAnyMessage(tx, id)
      if (row?.state !== 'RUNNING' || row.step !== 'MAILS') return
      if (areLost) await recipients.failQueuedMails(tx, id)
      else if (await recipients.hasQueuedMail(tx, id)) return
      const counts = (await countsOf(tx, [row])).get(id)!
      await store.updateMessage(tx, row, { state: 'DONE', finishedAt: tx.stamp, counts, mailsCounted: 0 })
    })
  }
}
