/**
 * Delivers notifications to all users or to an organization, in writes of bounded size with pauses in between for other work. The
 * position of a send is stored in its row and advances in the same write that inserts the notifications, so a crash neither loses
 * nor repeats any, and two processes cannot process the same batch.
 */

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Audience } from '#domains/contributions.ts'
import { contributions, emit, type Job } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import { insertNotifications } from '../notifications.store.ts'
import {
  advanceSend,
  forgetRecipients,
  oldestRunningSend,
  recipientsAfter,
  type RunningSend,
  usersAfter,
} from './sends.store.ts'

/** Recipients per write: about 10 ms on SQLite. */
const BATCH = 500

class Worker {
  #running: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(readonly ctx: AppContext) {}

  /** Resolves when no send is running. */
  run(): Promise<void> {
    this.#again = true
    return (this.#running ??= this.#loop())
  }

  async stop(): Promise<void> {
    this.#stopped = true
    // Errors were already reported to the caller of `run`.
    await this.#running?.catch(() => undefined)
  }

  async #loop(): Promise<void> {
    try {
      while (this.#again && !this.#stopped && !this.ctx.lifecycle.draining) {
        this.#again = false
        const startedAt = performance.now()
        if (await this.ctx.db.write('notifications.sendBatch', (tx) => sendBatch(this.ctx, tx))) this.#again = true
        // Pauses as long as the write took, so that sends use at most half of the time.
        await Bun.sleep(performance.now() - startedAt)
      }
    } finally {
      // No `await` between the last check of `#again` and this line: a later call of `run` starts a new loop.
      this.#running = undefined
    }
  }
}

/** Undefined in a server without organizations. */
export const organizationAudience = (ctx: AppContext): Audience | undefined =>
  contributions(ctx, 'audiences')[0]?.organization

const workerOf = perContext((ctx) => new Worker(ctx))

function nextRecipients(ctx: AppContext, tx: Tx, send: RunningSend): Promise<number[]> {
  const { id, orgId, cursor, lastUserId, listed } = send
  if (listed) return recipientsAfter(tx, id, cursor, BATCH)
  return orgId === 0
    ? usersAfter(tx, cursor, lastUserId, BATCH)
    : organizationAudience(ctx)!.membersAfter(tx, orgId, cursor, BATCH)
}

/** Processes the next batch of the oldest running send. False if no send is running. */
async function sendBatch(ctx: AppContext, tx: Tx): Promise<boolean> {
  const send = await oldestRunningSend(tx)
  if (send === undefined) return false
  const { id, contentId, cursor, lastUserId, type, data } = send
  const userIds = await nextRecipients(ctx, tx, send)
  const upToLast = userIds.filter((userId) => userId <= lastUserId)
  const recipients = await insertNotifications(tx, contentId, type, upToLast)
  const done = userIds.length < BATCH || userIds.at(-1)! >= lastUserId
  const sent = send.sent + recipients.length
  const position = { cursor: userIds.at(-1) ?? cursor, sent, status: done ? ('DONE' as const) : ('RUNNING' as const) }
  if (!(await advanceSend(tx, id, cursor, position)))
    throw new Error(`notification send ${id} was advanced by another process`)
  if (send.listed) await forgetRecipients(tx, id, done ? lastUserId : position.cursor, done)
  const body = send.bodyPlain ?? send.body
  const title = { en: send.title, zh: send.titleZh ?? send.title }
  const texts = { title, body: { en: body, zh: send.bodyZh ?? body } }
  await emit(ctx, tx, 'notification.created', { recipients, type, ...texts, data, createdAt: tx.stamp })
  if (done) tx.afterCommit(() => ctx.log.info('notifications sent', { send: id, recipients: sent }))
  return true
}

/** Processes all running sends in the background. */
export function continueSends(ctx: AppContext): void {
  workerOf(ctx)
    .run()
    .catch((error: unknown) => ctx.log.error('sending notifications failed and will be retried', { error }))
}

/** Waits for the current write and starts no other. */
export const stopSends = (ctx: AppContext): Promise<void> => workerOf(ctx).stop()

/** Continues sends that failed or that another process left unfinished. */
export const sendJob: Job = { name: 'notifications.sendBatch', every: 10 * MINUTE, run: (ctx) => workerOf(ctx).run() }
