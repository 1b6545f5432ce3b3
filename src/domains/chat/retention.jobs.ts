/** Deletes messages that are too old (`chat.retentionDays`), and those that no member of their conversation can see. */

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { PURGE } from './conversations/conversations.service.ts'
import { messagesRemoved } from './members.store.ts'
import { releaseMedia } from './messages/media.service.ts'
import { IN_ORDER } from './numbers.ts'
import * as store from './retention.store.ts'
import { forgetTerms } from './search/search.service.ts'

/** Messages that one write deletes: about 10 ms on SQLite. */
const BATCH = 200

type Rows = Awaited<ReturnType<typeof store.oldestMessages>>

/** `keys` stay, so that a repeated send never sends again. */
async function remove(ctx: AppContext, tx: Tx, rows: Rows): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  for (const [conversationId, removed] of Map.groupBy(rows, (row) => row.conversationId))
    await messagesRemoved(tx, conversationId, removed)
  await releaseMedia(ctx, tx, ids)
  await forgetTerms(tx, rows)
  await store.deleteMessages(tx, ids)
}

/** Returns whether there may be more. */
async function removeOld(ctx: AppContext, tx: Tx, before: number): Promise<boolean> {
  const rows = await store.oldestMessages(tx, BATCH)
  const old = rows.filter(({ createdAt }) => createdAt < before)
  await remove(ctx, tx, old)
  return old.length === BATCH
}

async function removeUnseen(ctx: AppContext, tx: Tx): Promise<boolean> {
  const purge = await store.findPurge(tx)
  if (purge === undefined) return false
  const rows = await store.oldestOf(tx, purge.id, purge.upTo, BATCH)
  await remove(ctx, tx, rows)
  if (rows.length < BATCH) await store.endPurge(tx, purge.id)
  return true
}

/** The writes take turns with those that send messages, whose rows they change. */
async function inBatches(ctx: AppContext, name: string, batch: (tx: Tx) => Promise<boolean>): Promise<void> {
  while (!ctx.lifecycle.draining && (await ctx.db.write(name, batch, IN_ORDER))) await Bun.sleep(0)
}

const purging = perContext((): { running?: Promise<void> | undefined } => ({}))

/** Runs once at a time. */
export function purgeUnseen(ctx: AppContext): Promise<void> {
  const state = purging(ctx)
  return (state.running ??= (async () => {
    try {
      while ((await store.findPurge(ctx.db.read)) && !ctx.lifecycle.draining)
        await inBatches(ctx, 'chat.purge', (tx) => removeUnseen(ctx, tx))
    } finally {
      // No `await` since the last look: a later call starts a new run.
      state.running = undefined
    }
  })())
}

/** Deletes soon after a member has cleared a history that no other member has either. */
export function startPurging(ctx: AppContext): void {
  ctx.bus.on(PURGE, () => {
    purgeUnseen(ctx).catch((error: unknown) => ctx.log.warn('messages could not be deleted', { error }))
  })
}

export const stopPurging = async (ctx: AppContext): Promise<void> => purging(ctx).running?.catch(() => undefined)

async function retain(ctx: AppContext): Promise<void> {
  const days = await getSetting(ctx, 'chat.retentionDays')
  if (days > 0) {
    const before = ctx.clock.now() - days * DAY
    await inBatches(ctx, 'chat.retention', (tx) => removeOld(ctx, tx, before))
  }
  await purgeUnseen(ctx)
}

export const retentionJob: Job = { name: 'chat.retention', every: HOUR, run: retain }
