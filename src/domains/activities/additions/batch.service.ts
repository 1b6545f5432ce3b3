/** One request changes many registrations: those that a filter selects. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'

import { notActive } from '../activities.errors.ts'
import { type ActivityRow, findActivity, findCounters } from '../activities.store.ts'
import type { BatchResult } from '../batches/batches.model.ts'
import { type Counted, forecast, runBatch } from '../batches/batches.service.ts'
import { requireList } from '../check-in-lists/check-in-lists.service.ts'
import { NEWS, type SetStatus } from '../participants/changes.service.ts'
import { tellPeople } from '../personal-mails.service.ts'
import { type Filter, type Key, keysOf } from '../registrations/filters.store.ts'
import { changeStatuses, placesOf, refill } from '../registrations/places.service.ts'
import { canSetStatus } from '../registrations/registrations.rules.ts'
import { requireRegistrations } from '../registrations/registrations.service.ts'
import { findByIds } from '../registrations/waiting.store.ts'
import { type Asking, manageActivity, MANAGER_POINT, refuseIfDisabled } from '../visibility/visibility.service.ts'
import type { ChangeRegistrations } from './additions.model.ts'

const BECOMES: Readonly<Record<ChangeRegistrations['action'], SetStatus>> = {
  CONFIRM: 'CONFIRMED',
  WAIT: 'WAITING',
  REJECT: 'REJECTED',
  CANCEL: 'CANCELLED',
}

interface Change {
  readonly to: SetStatus
  readonly filter: Filter
  readonly reason: string
  readonly notify: boolean
  readonly overCapacity: boolean
  readonly startedAt: number
}

/** Changes at most 5,000 of the registrations that the filter selects, the oldest first. */
export async function changeRegistrations(
  ctx: AppContext,
  activityId: number,
  input: ChangeRegistrations,
  asking: Asking,
): Promise<BatchResult> {
  const activity = await manageActivity(ctx, activityId, MANAGER_POINT, asking)
  refuseIfDisabled(activity)
  if (activity.status !== 'ACTIVE') throw notActive()
  await requireList(ctx.db.read, activityId, input.filter.listId, 'body.filter.listId')
  await requireRegistrations(ctx.db.read, activityId, input.filter.ids, 'body.filter.ids')
  const { userId } = asking.viewer
  const { action, dryRun, requestId = null } = input
  const how = { reason: input.reason ?? '', notify: input.notify ?? true, overCapacity: input.overCapacity ?? false }
  const status = (input.filter.status ?? 'CONFIRMED,WAITING').split(',') as Filter['status']
  const change: Change = {
    ...how,
    to: BECOMES[action],
    filter: { ...input.filter, status },
    startedAt: ctx.clock.now(),
  }
  const count = () => countAll(ctx, userId, activity, change)
  if (dryRun) return forecast(await count())
  const result = await runBatch(
    ctx,
    { activityId, userId, requestId, asked: { action, filter: input.filter, ...how } },
    {
      count,
      next: (after, limit) =>
        ctx.db.search(userId, async (db) => {
          const ids: number[] = []
          for await (const keys of keysOf(db, activityId, change.filter, after)) {
            for (const key of keys) if (needs(change, key)) ids.push(key.id)
            if (ids.length >= limit) break
          }
          return ids.slice(0, limit)
        }),
      change: (tx, ids) => changeSome(ctx, tx, activityId, change, ids),
    },
  )
  if (change.to !== 'CONFIRMED' && result.changed > 0)
    await ctx.db.write('registrations.refill', async (tx) => {
      const row = await findActivity(tx, activityId)
      if (row !== undefined) await refill(ctx, tx, row, change.to === 'WAITING' ? result.changed : 0)
    })
  return result
}

/** People who got a place that this request has made free were not meant. */
const needs = ({ to, startedAt }: Change, { status, confirmedAt }: Pick<Key, 'status' | 'confirmedAt'>): boolean =>
  canSetStatus(status, to) && !(status === 'CONFIRMED' && confirmedAt !== null && confirmedAt > startedAt)

const freePlaces = (row: ActivityRow, { to, overCapacity }: Change, confirmed: number): number =>
  to === 'CONFIRMED' ? Math.max(placesOf(row, overCapacity) - confirmed, 0) : Number.MAX_SAFE_INTEGER

const countAll = (ctx: AppContext, userId: number, row: ActivityRow, change: Change): Promise<Counted> =>
  ctx.db.search(userId, async (db) => {
    let matched = 0
    let toChange = 0
    for await (const keys of keysOf(db, row.id, change.filter)) {
      matched += keys.length
      toChange += keys.filter((key) => needs(change, key)).length
    }
    const { confirmed } = await findCounters(db, row.id)
    return { matched, toChange: Math.min(toChange, freePlaces(row, change, confirmed)) }
  })

async function changeSome(
  ctx: AppContext,
  tx: Tx,
  activityId: number,
  change: Change,
  ids: readonly number[],
): Promise<number> {
  const row = await findActivity(tx, activityId)
  if (row === undefined) return 0
  refuseIfDisabled(row)
  if (row.status !== 'ACTIVE') throw notActive()
  const { confirmed } = await findCounters(tx, activityId)
  const rows = (await findByIds(tx, activityId, ids))
    .filter((one) => change.filter.status!.includes(one.status) && needs(change, one))
    .slice(0, freePlaces(row, change, confirmed))
  if (rows.length === 0) return 0
  const after = await changeStatuses(ctx, tx, row, rows, change)
  if (change.notify) await tellPeople(ctx, tx, row, NEWS[change.to], after, after[0]!.reason)
  return rows.length
}
