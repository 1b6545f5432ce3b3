/** Registration: users register for an activity, wait for a place, and cancel. */

import type { AppContext } from '#context'
import { readerFor } from '#db/paging.ts'
import type { RegistrationConfig } from '#db/schema/activities.ts'
import type { Db, Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import { mailTargetsOf } from '#domains/notifications/index.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'

import { noSuchRegistration, notActive, problem } from '../activities.errors.ts'
import { type ActivityRow, findActivity, findCounters } from '../activities.store.ts'
import { tellPeople } from '../personal-mails.service.ts'
import { takeInvitation } from '../visibility/personal-codes.service.ts'
import { setUser } from '../visibility/personal-codes.store.ts'
import {
  type Asking,
  findNamed,
  manageActivity,
  refuseIfDisabled,
  seeActivity,
} from '../visibility/visibility.service.ts'
import { foreignIds } from './filters.store.ts'
import { cancelAll, endPlace, fillPlaces, placeIn } from './places.service.ts'
import type { Register, RegistrationView } from './registrations.model.ts'
import { type Answers, checkAnswers, phaseOf } from './registrations.rules.ts'
import * as store from './registrations.store.ts'

const noRegistration = () => badRequest('This activity has no registration', '该活动不接受报名')
const notOpenYet = () => badRequest('Registration for this activity is not open yet', '该活动的报名尚未开始')
const closed = () => badRequest('Registration for this activity is closed', '该活动的报名已截止')
const wasRejected = () =>
  badRequest('The organizer has not accepted your registration for this activity', '主办方未接受你对该活动的报名')
const addressNeeded = problem(
  'Confirm an e-mail address of your account first: managers of this activity see it',
  '请先为账号绑定并验证邮箱：活动管理者会看到该邮箱',
)

/** Registers the caller, who may be registered already. @throws AppError 400 if the caller cannot register */
export async function register(
  ctx: AppContext,
  id: number,
  input: Register,
  asking: Asking,
): Promise<RegistrationView> {
  const { row: seen } = await seeActivity(ctx, id, asking)
  refuseIfDisabled(seen)
  const { userId } = asking.viewer
  const row = await ctx.db.write('activities.register', async (tx) => {
    const activity = await findOrFail(tx, id)
    const own = await store.findRegistration(tx, id, userId)
    const now = ctx.clock.now()
    if (own?.status === 'REJECTED') throw wasRejected()
    if (own === undefined || own.status === 'CANCELLED') {
      const answers = answersTo(activity, input.answers ?? {}, now)
      const email = await sharedEmail(ctx, tx, activity, userId)
      const invitation = await takeInvitation(tx, activity, asking.code, now)
      const saved = await store.saveRegistration(tx, own, {
        activityId: id,
        userId,
        status: await placeIn(tx, activity, invitation?.overCapacity),
        answers,
        email,
      })
      if (invitation !== undefined) await setUser(tx, invitation.id, saved.id)
      if (saved.status === 'CONFIRMED')
        await emit(ctx, tx, 'registrations.confirmed', { activity, registrationIds: [saved.id] })
      return saved
    }
    if (input.answers == null || !isOpen(activity, now)) return own
    return store.setAnswers(tx, own, answersTo(activity, input.answers, now))
  })
  return toView(ctx, row)
}

/** The present proved address of the user if managers see it. @throws AppError 400 if there is none */
async function sharedEmail(
  ctx: AppContext,
  tx: Tx,
  { registration }: ActivityRow,
  userId: number,
): Promise<string | null> {
  if (registration?.contact !== 'EMAIL') return null
  const address = (await mailTargetsOf(ctx, tx, [userId])).get(userId)?.address ?? null
  if (address === null) throw invalidAll([addressNeeded('body.contact')])
  return address
}

/** Cancels the registration of the caller. The first user on the waiting list gets the place. */
export async function cancel(ctx: AppContext, id: number, asking: Asking): Promise<RegistrationView> {
  await findOwn(ctx, id, asking)
  const row = await ctx.db.write('activities.cancelRegistration', async (tx) => {
    const { row, ended } = await endRegistration(ctx, tx, id, asking.viewer.userId)
    return ended ?? row
  })
  return toView(ctx, row)
}

/** Cancels the registration of another user, who is notified. The caller manages the activity. */
export async function cancelOf(ctx: AppContext, id: number, userId: number, asking: Asking): Promise<RegistrationView> {
  await manageActivity(ctx, id, 'activity:update', asking)
  const row = await ctx.db.write('activities.cancelRegistrationOf', async (tx) => {
    const { row, activity, ended } = await endRegistration(ctx, tx, id, userId)
    if (ended !== undefined) await tellPeople(ctx, tx, activity, 'REMOVED', [ended])
    return ended ?? row
  })
  return toView(ctx, row)
}

/** `ended`: undefined if it was not CONFIRMED or WAITING. */
async function endRegistration(ctx: AppContext, tx: Tx, id: number, userId: number) {
  const activity = await findOrFail(tx, id)
  const row = await store.findRegistration(tx, id, userId)
  if (row === undefined) throw notFound()
  return { row, activity, ended: await endPlace(ctx, tx, activity, row) }
}

export const showOwn = async (ctx: AppContext, id: number, asking: Asking): Promise<RegistrationView> =>
  toView(ctx, await findOwn(ctx, id, asking))

/**
 * The registration of the caller. Users who have one need no invite code for it, which may have changed since.
 * @throws AppError 404 or 403 if the caller may not see the activity, 404 if they have not registered
 */
async function findOwn(ctx: AppContext, id: number, asking: Asking): Promise<store.RegistrationRow> {
  const row = await store.findRegistration(ctx.db.read, id, asking.viewer.userId)
  if (row !== undefined && (await findNamed(ctx.db.read, id, asking.viewer)) !== undefined) return row
  await seeActivity(ctx, id, asking)
  throw notFound()
}

async function findOrFail(tx: Tx, id: number): Promise<ActivityRow> {
  const activity = await findActivity(tx, id)
  if (activity === undefined) throw notFound()
  return activity
}

export const isOpen = (activity: ActivityRow, now: number): boolean =>
  activity.status === 'ACTIVE' &&
  activity.registration !== null &&
  phaseOf(activity.registration, activity, now) === 'open'

/** @throws AppError 400 unless people can register now */
export function requireOpen(activity: ActivityRow, now: number): RegistrationConfig {
  const { status, registration } = activity
  if (registration === null) throw noRegistration()
  if (status !== 'ACTIVE') throw notActive()
  const phase = phaseOf(registration, activity, now)
  if (phase !== 'open') throw phase === 'early' ? notOpenYet() : closed()
  return registration
}

/** The answers of somebody who registers now. @throws AppError 400 */
export function answersTo(activity: ActivityRow, given: Answers, now: number): Answers {
  const checked = checkAnswers(requireOpen(activity, now).questions, given)
  if ('problems' in checked) throw invalidAll(checked.problems)
  return checked.answers
}

/** Activities whose waiting lists move up in the write that ends the registrations of a user. The job continues. */
const ACTIVITIES_PER_WRITE = 50

/** Cancels the registrations of a user who leaves an organization for its RESTRICTED activities. */
export const memberLeft = (ctx: AppContext, tx: Tx, { orgId, userId }: { orgId: number; userId: number }) =>
  endRegistrations(ctx, tx, userId, orgId)

/** Cancels all registrations of a user whose account is being deleted. */
export async function userDeleting(ctx: AppContext, tx: Tx, userId: number): Promise<void> {
  await endRegistrations(ctx, tx, userId)
  await store.deletePersonalData(tx, userId)
}

async function endRegistrations(ctx: AppContext, tx: Tx, userId: number, orgId?: number): Promise<void> {
  const rows = await store.registrationsOfUser(tx, userId, orgId)
  await cancelAll(ctx, tx, rows)
  const freed = rows.filter((row) => row.status === 'CONFIRMED').map((row) => row.activityId)
  for (const id of await store.withWaitingList(tx, freed, ACTIVITIES_PER_WRITE)) await fillPlaces(ctx, tx, id)
}

/** @throws AppError 400 if a filter names a registration that the activity does not have */
export async function requireRegistrations(
  db: Db,
  activityId: number,
  ids: readonly number[] = [],
  path: string,
): Promise<void> {
  if (ids.length === 0) return
  const foreign = await foreignIds(db, activityId, ids)
  if (foreign.size === 0) return
  const unknown = [...ids.entries()].filter(([, id]) => foreign.has(id))
  throw invalidAll(unknown.map(([i]) => noSuchRegistration(`${path}.${i}`)))
}

type Placed = Pick<store.RegistrationRow, 'id' | 'activityId' | 'status' | 'waitOrder' | 'createdAt'>

/** Places in the waiting list, by the ids of the WAITING ones among registrations of one activity. Walks over the list once. */
export async function positionsOf(ctx: AppContext, rows: readonly Placed[]): Promise<ReadonlyMap<number, number>> {
  const waiting = rows
    .filter((row) => row.status === 'WAITING')
    .toSorted((a, b) => store.waitOrderOf(a) - store.waitOrderOf(b) || a.id - b.id)
  const positions = new Map<number, number>()
  const [first] = waiting
  if (first === undefined) return positions
  const db = readerFor(ctx.db, (await findCounters(ctx.db.read, first.activityId)).waiting)
  let before = 0
  for (const [i, row] of waiting.entries()) {
    before += await store.countWaitingBefore(db, row, waiting[i - 1])
    positions.set(row.id, before + 1)
  }
  return positions
}

export const toView = async (ctx: AppContext, row: store.RegistrationRow): Promise<RegistrationView> =>
  viewOf(row, (await positionsOf(ctx, [row])).get(row.id))

type Viewed = Omit<store.ListedRow, 'nickname' | 'note' | 'confirmedAt'>

export const viewOf = (row: Viewed, position: number | undefined): RegistrationView => {
  const { id, userId, status, answers, createdAt, reason, source, name, email, language, emailConfirmedAt } = row
  const guest = userId === null ? { name: name ?? '', email, language, confirmedAt: emailConfirmedAt } : null
  return { id, userId, status, position: position ?? null, answers, createdAt, reason: reason || null, source, guest }
}
