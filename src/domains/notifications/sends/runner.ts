/**
 * Brings notifications to everybody, or to an organization, in bounded writes between which others have their turn. Where a send
 * has got to stands in its row and moves in the same write that adds the recipients: a process that ends anywhere loses nothing
 * and repeats nothing, and two processes at the same send do not get in each other's way.
 */

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Audience } from '#domains/contributions.ts'
import { contributions, emit, type Job } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import { insertRecipients } from '../store.ts'
import { advance, nextSend, usersAfter } from './store.ts'

/** Recipients a write: about 10 ms on SQLite. */
const BATCH = 500

class Runner {
  #running: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(readonly ctx: AppContext) {}

  /** Resolves when nothing is left to do. */
  run(): Promise<void> {
    this.#again = true
    return (this.#running ??= this.#loop())
  }

  async stop(): Promise<void> {
    this.#stopped = true
    // What went wrong was told to who had called `run`.
    await this.#running?.catch(() => undefined)
  }

  async #loop(): Promise<void> {
    try {
      while (this.#again && !this.#stopped && !this.ctx.lifecycle.draining) {
        this.#again = false
        const startedAt = performance.now()
        if (await this.ctx.db.write('notifications.sendBatch', (tx) => step(this.ctx, tx))) this.#again = true
        // Half of the time belongs to everybody else.
        await Bun.sleep(performance.now() - startedAt)
      }
    } finally {
      // Without a turn in between: who calls `run` from now on begins a new loop.
      this.#running = undefined
    }
  }
}

/** Undefined in a server without organizations. */
export const organizationAudience = (ctx: AppContext): Audience | undefined =>
  contributions(ctx, 'audiences')[0]?.organization

const runners = perContext((ctx) => new Runner(ctx))

/** One write's worth. False when there was nothing to do. */
async function step(ctx: AppContext, tx: Tx): Promise<boolean> {
  const send = await nextSend(tx)
  if (send === undefined) return false
  const { id, contentId, orgId, cursor, lastUserId, type, title } = send
  const found =
    orgId === 0
      ? await usersAfter(tx, cursor, lastUserId, BATCH)
      : await organizationAudience(ctx)!.membersAfter(tx, orgId, cursor, BATCH)
  const rows = await insertRecipients(
    tx,
    contentId,
    type,
    found.filter((userId) => userId <= lastUserId),
  )
  const done = found.length < BATCH || found.at(-1)! >= lastUserId
  const sent = send.sent + rows.length
  const moved = { cursor: found.at(-1) ?? cursor, sent, status: done ? ('DONE' as const) : ('RUNNING' as const) }
  if (!(await advance(tx, id, cursor, moved))) throw new Error(`notification send ${id} was moved on by somebody else`)
  const body = send.bodyPlain ?? ''
  const both = { title: { en: title, zh: title }, body: { en: body, zh: body } }
  await emit(ctx, tx, 'notification.created', { recipients: rows, type, ...both, data: {}, createdAt: tx.stamp })
  if (done) tx.afterCommit(() => ctx.log.info('notifications sent', { send: id, recipients: sent }))
  return true
}

/** Goes on with what is to be sent, in the background. */
export function continueSends(ctx: AppContext): void {
  runners(ctx)
    .run()
    .catch((error: unknown) => ctx.log.error('sending notifications stopped; it is tried again', { error }))
}

/** Waits for the write under way; no other begins. */
export const stopSends = (ctx: AppContext): Promise<void> => runners(ctx).stop()

/** After a failure, and for what another process left behind. */
export const sendJob: Job = { name: 'notifications.sendBatch', every: 10 * MINUTE, run: (ctx) => runners(ctx).run() }
