/** Automatic notices to participants about another date or place of an activity, and about its cancellation. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { ActivityChanged, Listener } from '#domains/events.ts'
import { getSetting } from '#domains/settings/index.ts'
import { SECOND } from '#platform/clock.ts'

import { continueMessages } from './messages-worker.ts'
import { changesToTell, concernsParticipants, kindOf, noticeTime } from './messages.rules.ts'
import * as store from './messages.store.ts'

/** The columns of a notice that no request decides. */
const OF_NOTICES = { filter: null, channels: ['APP', 'EMAIL'], createdBy: null } as const

/** Adds a notice, or changes the one that waits, in the write that changes the activity. */
export async function activityChanged(ctx: AppContext, tx: Tx, change: ActivityChanged): Promise<void> {
  const { before, after } = change
  const isNotified = change.notify ?? after.autoNotices
  const now = ctx.clock.now()
  if (before.status !== after.status) {
    if (before.status === 'ACTIVE') await tellEnd(ctx, tx, change, isNotified && concernsParticipants(change, now))
    return
  }
  const waiting = await store.findWaitingNotice(tx, after.id)
  const changes = changesToTell(waiting?.changes ?? [], change, isNotified && concernsParticipants(change, now))
  if (changes.length === 0) {
    if (waiting !== undefined) await store.deleteMessage(tx, waiting.id)
    return
  }
  if (Bun.deepEquals(changes, waiting?.changes)) return
  // Settings are cached.
  const delay = (await getSetting(ctx, 'activities.noticeDelaySeconds')) * SECOND
  const sendAt = noticeTime(waiting?.createdAt ?? now, now, delay)
  const told = { kind: kindOf(changes), changes, sendAt, body: change.noticeText ?? waiting?.body ?? '' }
  tx.afterCommit(() => continueMessages(ctx))
  if (waiting === undefined)
    await store.insertMessage(tx, { ...OF_NOTICES, ...told, activityId: after.id, state: 'SCHEDULED' })
  else await store.updateMessage(tx, waiting, told)
}

/** A notice that waits is no longer of use. A cancellation is sent at once. */
async function tellEnd(
  ctx: AppContext,
  tx: Tx,
  { after, noticeText }: ActivityChanged,
  isTold: boolean,
): Promise<void> {
  const waiting = await store.findWaitingNotice(tx, after.id)
  if (waiting !== undefined) await store.deleteMessage(tx, waiting.id)
  if (after.status !== 'CANCELLED' || !isTold) return
  const row = {
    activityId: after.id,
    kind: 'CANCELLED',
    changes: [],
    body: noticeText ?? '',
    state: 'RUNNING',
  } as const
  await store.insertMessage(tx, { ...OF_NOTICES, ...row, sendAt: ctx.clock.now() })
  tx.afterCommit(() => continueMessages(ctx))
}

/** Messages that wait for their time end with their activity. */
export const activityDeleting: Listener<'labelled.deleting'> = async (_ctx, tx, { kind, ids }) => {
  if (kind === 'ACTIVITY') for (const id of ids) await store.cancelMessages(tx, id, ['SCHEDULED'])
}

/** Those that run end too: the rows of the activity are being deleted. */
export const activityPurging: Listener<'activity.purging'> = (_ctx, tx, { id }) =>
  store.cancelMessages(tx, id, ['SCHEDULED', 'RUNNING'])
