/** Gives and ends places of an activity. People on the waiting list move up when a place is free. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import { badRequest } from '#http/errors.ts'

import { notActive } from '../activities.errors.ts'
import { type ActivityRow, findActivity, findCounters } from '../activities.store.ts'
import { tellPeople } from '../personal-mails.service.ts'
import { refuseIfDisabled } from '../visibility/visibility.service.ts'
import { givesPlaces } from './registrations.rules.ts'
import * as store from './registrations.store.ts'
import { setStatus } from './waiting.store.ts'

const full = () => badRequest('All places of this activity are taken', '该活动名额已满')
const waitingListFull = () => badRequest('The waiting list of this activity is full', '该活动的候补名单已满')

/** Takes a place, or one on the waiting list. `overCapacity`: a place even if all are taken. @throws AppError 400 if there is none */
export async function placeIn(tx: Tx, activity: ActivityRow, overCapacity = false): Promise<'CONFIRMED' | 'WAITING'> {
  if (activity.registration?.approval) return wait(tx, activity.id)
  if (await store.takePlace(tx, activity.id, placesOf(activity))) return 'CONFIRMED'
  if (overCapacity) {
    await store.takePlaces(tx, activity.id, 1, placesOf(activity, true))
    return 'CONFIRMED'
  }
  if (activity.registration?.waitlist !== true) throw full()
  return wait(tx, activity.id)
}

async function wait(tx: Tx, activityId: number): Promise<'WAITING'> {
  if (!(await store.joinWaitingList(tx, activityId))) throw waitingListFull()
  return 'WAITING'
}

/** With `overCapacity`, more people may be confirmed than there are places. */
export const placesOf = ({ capacity }: Pick<ActivityRow, 'capacity'>, overCapacity = false): number =>
  capacity === 0 || overCapacity ? Number.MAX_SAFE_INTEGER : capacity

/**
 * Ends a registration and gives its place to the first one on the waiting list. Undefined, with nothing changed, if it has ended already.
 * @throws AppError 400 if the activity is not active, 403 if its organization is disabled
 */
export async function endPlace(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  row: store.RegistrationRow,
): Promise<store.RegistrationRow | undefined> {
  refuseIfDisabled(activity)
  if (row.status !== 'CONFIRMED' && row.status !== 'WAITING') return undefined
  if (activity.status !== 'ACTIVE') throw notActive()
  const [ended] = await cancelAll(ctx, tx, [row])
  await moveUp(ctx, tx, activity)
  return ended!
}

/** Cancels registrations that are CONFIRMED or WAITING. */
export async function cancelAll(
  ctx: AppContext,
  tx: Tx,
  rows: readonly store.RegistrationRow[],
): Promise<store.RegistrationRow[]> {
  const cancelled = await store.cancelRegistrations(tx, rows)
  const autoPassIds = rows.flatMap((row) => row.autoPassId ?? [])
  if (autoPassIds.length > 0) await emit(ctx, tx, 'registrations.ended', { autoPassIds })
  return cancelled
}

interface ByHand {
  readonly to: 'CONFIRMED' | 'WAITING' | 'CANCELLED' | 'REJECTED'
  /** For the person; of those that end. */
  readonly reason: string
  readonly overCapacity: boolean
}

/**
 * Changes of registrations by a manager, each of which must be possible (`canSetStatus`), or ends a PENDING one. Nobody else moves up.
 * @throws AppError 400 if there are not enough places
 */
export async function changeStatuses(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  rows: readonly store.RegistrationRow[],
  { to, reason, overCapacity }: ByHand,
): Promise<store.RegistrationRow[]> {
  const people = rows.length
  const confirmed = to === 'CONFIRMED' ? people : 0
  await takeByHand(tx, activity, { confirmed, waiting: to === 'WAITING' ? people : 0, overCapacity })
  const after = await setStatus(tx, rows, to, reason)
  await store.uncount(tx, rows)
  const autoPassIds = rows.flatMap((row) => row.autoPassId ?? [])
  if (autoPassIds.length > 0) await emit(ctx, tx, 'registrations.ended', { autoPassIds })
  if (to === 'CONFIRMED') await announceConfirmed(ctx, tx, activity, after)
  return after
}

interface Taken {
  readonly confirmed: number
  readonly waiting: number
  readonly overCapacity: boolean
}

/** Takes places for people whom a manager adds. @throws AppError 400 if there are not enough */
export async function takeByHand(
  tx: Tx,
  activity: ActivityRow,
  { confirmed, waiting, overCapacity }: Taken,
): Promise<void> {
  if (confirmed > 0 && !(await store.takePlaces(tx, activity.id, confirmed, placesOf(activity, overCapacity))))
    throw full()
  if (waiting > 0 && !(await store.joinWaitingList(tx, activity.id, waiting))) throw waitingListFull()
}

/** Emits the event in pieces. */
export async function announceConfirmed(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  rows: readonly { readonly id: number }[],
): Promise<void> {
  const ids = rows.map((row) => row.id)
  for (let at = 0; at < ids.length; at += MOVED_PER_WRITE)
    await emit(ctx, tx, 'registrations.confirmed', { activity, registrationIds: ids.slice(at, at + MOVED_PER_WRITE) })
}

/** Gives the places that a manager has made free. Who was put on the waiting list in the same write (`last`) stays there for now. */
export const refill = (ctx: AppContext, tx: Tx, activity: ActivityRow, last: number): Promise<number> =>
  moveUp(ctx, tx, activity, last)

/** Users who get places in one write, and a notification each: about 10 ms on SQLite. The job continues. */
const MOVED_PER_WRITE = 100

/** Gives free places to users on the waiting list: after the capacity was raised, as part of the same write. */
export async function fillPlaces(ctx: AppContext, tx: Tx, activityId: number): Promise<void> {
  const activity = await findActivity(tx, activityId)
  if (activity !== undefined) await moveUp(ctx, tx, activity)
}

/** Returns the number of people who got places: not the `last` ones of the waiting list. */
async function moveUp(ctx: AppContext, tx: Tx, activity: ActivityRow, last = 0): Promise<number> {
  if (!givesPlaces(activity, ctx.clock.now())) return 0
  const { id } = activity
  const { confirmed, waiting } = await findCounters(tx, id)
  const free = Math.min(placesOf(activity) - confirmed, waiting - last, MOVED_PER_WRITE)
  if (free <= 0) return 0
  const moved = await store.confirmFirst(tx, id, free)
  await emit(ctx, tx, 'registrations.confirmed', { activity, registrationIds: moved.map((row) => row.id) })
  await tellPeople(ctx, tx, activity, 'CONFIRMED', moved)
  return moved.length
}

/** Gives the places that a write left free because it had given enough. */
export async function giveFreePlaces(ctx: AppContext): Promise<void> {
  for (const id of await store.withFreePlaces(ctx.db.readInWorker, ctx.clock.now())) {
    const give = () =>
      ctx.db.write('activities.giveFreePlaces', async (tx) => {
        const activity = await findActivity(tx, id)
        return activity === undefined ? 0 : moveUp(ctx, tx, activity)
      })
    while ((await give()) === MOVED_PER_WRITE) await Bun.sleep(0)
  }
}
