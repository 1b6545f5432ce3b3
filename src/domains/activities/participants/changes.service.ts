/** Changes of one registration by a manager. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { normalizeEmail } from '#domains/accounts/index.ts'
import { badRequest, type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { newLinkSecret } from '#platform/seal.ts'

import { notActive, problem } from '../activities.errors.ts'
import { type ActivityRow, findActivity } from '../activities.store.ts'
import { eraseGuests } from '../passes/passes.store.ts'
import type { PersonalKind } from '../personal-mails.model.ts'
import { tellPeople } from '../personal-mails.service.ts'
import { changeStatuses, refill } from '../registrations/places.service.ts'
import { canSetStatus, checkAnswers } from '../registrations/registrations.rules.ts'
import type { RegistrationRow } from '../registrations/registrations.store.ts'
import * as store from '../registrations/waiting.store.ts'
import { type Asking, refuseIfDisabled } from '../visibility/visibility.service.ts'
import { managedRegistration, managedViews } from './listing.service.ts'
import type { CancelQuery, ManagedRegistration, UpdateRegistration } from './participants.model.ts'

export type SetStatus = NonNullable<UpdateRegistration['status']>

const cannotBecome = (from: string, to: string) =>
  badRequest(`A registration that is ${from} cannot become ${to}`, `报名状态不能从 ${from} 变为 ${to}`)
const notWaiting = problem('is for registrations that are WAITING', '仅用于 WAITING 状态的报名')
const onlyGuests = problem('is for guests only', '仅用于访客')
const ofGuests = problem('can be changed for guests only', '仅可修改访客的信息')
export const noAddress = problem('is not an e-mail address', '不是有效的邮箱地址')
const isTaken = problem('is the address of another guest of this activity', '是该活动另一位访客的邮箱')

/** The news to the person. */
export const NEWS: Readonly<Record<SetStatus, PersonalKind>> = {
  CONFIRMED: 'ACCEPTED',
  WAITING: 'WAITING',
  CANCELLED: 'REMOVED',
  REJECTED: 'REJECTED',
}

/** @throws AppError 400 with nothing changed, if one of the changes is not possible */
export async function updateRegistration(
  ctx: AppContext,
  id: number,
  input: UpdateRegistration,
  asking: Asking,
): Promise<ManagedRegistration> {
  const { activity } = await managedRegistration(ctx, id, 'activity:update', asking)
  await ctx.db.write('registrations.update', async (tx) => {
    const { row, current } = await findAgain(tx, id)
    const { status } = input
    if (status !== undefined && status !== row.status && !canSetStatus(row.status, status))
      throw cannotBecome(row.status, status)
    await changeStatus(ctx, tx, current, row, input)
    const after = (await store.findById(tx, id))!
    if (input.position != null) {
      if (after.status !== 'WAITING') throw invalidAll([notWaiting('body.position')])
      await store.putAt(tx, after, input.position)
    }
    await store.updateDetails(tx, id, await detailsOf(ctx, tx, current, after, input))
  })
  const [view] = await managedViews(ctx, activity.id, [id])
  if (view === undefined) throw notFound()
  return view
}

/** Cancels it. One that has ended already is answered unchanged. `erase`: also deletes the data of a guest. */
export async function cancelRegistration(
  ctx: AppContext,
  id: number,
  { reason, notify, erase = false }: CancelQuery,
  asking: Asking,
): Promise<ManagedRegistration> {
  const { activity } = await managedRegistration(ctx, id, 'activity:update', asking)
  await ctx.db.write('registrations.cancelAny', async (tx) => {
    const { row, current } = await findAgain(tx, id)
    if (erase && row.userId !== null) throw invalidAll([onlyGuests('query.erase')])
    // The data are deleted whatever the state of the activity; a place is only given up while it is ACTIVE.
    const keepsPlace = row.status === 'REJECTED' || (erase && current.status !== 'ACTIVE')
    if (!keepsPlace) await changeStatus(ctx, tx, current, row, { status: 'CANCELLED', reason, notify })
    if (erase) await eraseGuests(tx, [id])
  })
  const [view] = await managedViews(ctx, activity.id, [id])
  if (view === undefined) throw notFound()
  return view
}

async function findAgain(tx: Tx, id: number) {
  const row = await store.findById(tx, id)
  const current = row && (await findActivity(tx, row.activityId))
  if (row === undefined || current === undefined) throw notFound()
  refuseIfDisabled(current)
  return { row, current }
}

async function changeStatus(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  row: RegistrationRow,
  { status, reason, overCapacity, notify }: UpdateRegistration,
): Promise<void> {
  if (status === undefined || status === row.status) return
  if (activity.status !== 'ACTIVE') throw notActive()
  const change = { to: status, reason: reason ?? '', overCapacity: overCapacity ?? false }
  const after = await changeStatuses(ctx, tx, activity, [row], change)
  if (notify ?? true) await tellPeople(ctx, tx, activity, NEWS[status], after, after[0]!.reason)
  if (row.status === 'CONFIRMED') await refill(ctx, tx, activity, status === 'WAITING' ? 1 : 0)
}

/** The other columns that the request sets. */
async function detailsOf(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  row: RegistrationRow,
  { name, email: given, language, answers, note, reason }: UpdateRegistration,
): Promise<store.Details> {
  const change: { -readonly [K in keyof store.Details]: store.Details[K] } = {}
  const problems: FieldProblem[] = []
  const personal = { name, email: given, language }
  if (row.userId !== null)
    for (const [key, value] of Object.entries(personal)) if (value != null) problems.push(ofGuests(`body.${key}`))
  if (name != null) change.name = name
  if (language !== undefined && row.userId === null) change.language = language
  const email = given ? normalizeEmail(given) : null
  if (given !== undefined && row.userId === null && email !== row.email) {
    if (email === undefined) problems.push(noAddress('body.email'))
    else if (email !== null && (await store.guestsByEmail(tx, row.activityId, [email])).size > 0)
      problems.push(isTaken('body.email'))
    // The owner of the earlier address must not see the page of this guest.
    Object.assign(change, { email, emailConfirmedAt: null, ...newLinkSecret(ctx.seal).columns })
  }
  if (answers !== undefined) {
    const questions = activity.registration?.questions ?? []
    const checked = checkAnswers(questions, answers ?? {}, { lenient: true, kept: row.answers })
    if ('problems' in checked) problems.push(...checked.problems)
    else change.answers = checked.answers
  }
  if (problems.length > 0) throw invalidAll(problems)
  if (note !== undefined) change.note = note ?? ''
  if (reason != null && (row.status === 'REJECTED' || row.status === 'CANCELLED')) change.reason = reason
  return change
}
