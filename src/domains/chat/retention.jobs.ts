/** Deletes messages that are too old (`chat.retentionDays`), and those that no member of their conversation can see. */

import { type AppContext, perContext } from '#context'
import { finishInSlices, inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { PURGE } from './conversations/conversations.service.ts'
import { forgetDeletions, unseenDeleted } from './deleted.store.ts'
import { lastViewers } from './members.rules.ts'
import { membersOf, messagesRemoved } from './members.store.ts'
import { IN_ORDER } from './numbers.ts'
import { deletePermanently } from './retention.service.ts'
import * as store from './retention.store.ts'

type Rows = Awaited<ReturnType<typeof store.oldestMessages>>

async function remove(ctx: AppContext, tx: Tx, rows: Rows): Promise<void> {
  if (rows.length === 0) return
  await messagesRemoved(tx, rows)
  await forgetDeletions(
    tx,
    rows.map(({ id }) => id),
  )
  await deletePermanently(ctx, tx, rows)
}

/** Returns how many it has removed. */
async function removeOld(ctx: AppContext, tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await store.oldestMessages(tx, limit)
  const old = rows.filter(({ createdAt }) => createdAt < before)
  await remove(ctx, tx, old)
  return old.length
}

/** `upTo` is that of the write, because a member may have cleared more meanwhile. */
async function removeUnseen(ctx: AppContext, tx: Tx, { id }: { readonly id: number }, limit: number): Promise<number> {
  const rows = await store.oldestOf(tx, id, await store.purgeUpTo(tx, id), limit)
  await remove(ctx, tx, rows)
  const viewers = lastViewers(await membersOf(tx, id)).map(({ userId }) => userId)
  const deleted = rows.length < limit ? await unseenDeleted(tx, id, viewers, limit - rows.length) : []
  // These deletions stay, for the devices that have not caught up.
  await deletePermanently(ctx, tx, deleted)
  return rows.length + deleted.length
}

const purging = perContext((): { running?: Promise<void> | undefined } => ({}))

/** Runs once at a time. */
export function purgeUnseen(ctx: AppContext): Promise<void> {
  const state = purging(ctx)
  return (state.running ??= (async () => {
    try {
      // Like sending, whose rows it changes.
      await finishInSlices(
        ctx,
        'chat.purge',
        {
          first: store.findPurge,
          work: (tx, purge, limit) => removeUnseen(ctx, tx, purge, limit),
          end: (tx, { id }) => store.endPurge(tx, id),
        },
        IN_ORDER,
      )
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
    await inSlices(ctx, 'chat.retention', (tx, limit) => removeOld(ctx, tx, before, limit), IN_ORDER)
  }
  await purgeUnseen(ctx)
}

export const retentionJob: Job = { name: 'chat.retention', every: HOUR, run: retain }
