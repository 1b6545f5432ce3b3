/** Managers add participants, change many of them, and move one to another activity. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import { normalizeEmail } from '#domains/accounts/index.ts'
import { areContacts } from '#domains/contacts/index.ts'
import { budgetUsedUp, usesOf } from '#http/budget.ts'
import { badRequest, type FieldProblem, notFound } from '#http/errors.ts'
import { type CheckedItem, invalidAll, itemChecker } from '#http/validate.ts'

import { problem } from '../activities.errors.ts'
import { type ActivityRow, findActivity } from '../activities.store.ts'
import { addOnce } from '../batches/batches.service.ts'
import { noAddress } from '../participants/changes.service.ts'
import { managedRegistration, managedViews } from '../participants/listing.service.ts'
import { type ManagedRegistration, MAX_REASON } from '../participants/participants.model.ts'
import { PASSES_FOR_STRANGERS } from '../pass-issues/pass-issues.model.ts'
import { participants } from '../pass-issues/pass-issues.store.ts'
import { tellPeople } from '../personal-mails.service.ts'
import { announceConfirmed, changeStatuses, refill, takeByHand } from '../registrations/places.service.ts'
import { checkAnswers } from '../registrations/registrations.rules.ts'
import { type RegistrationRow, uncount } from '../registrations/registrations.store.ts'
import { findById, updateDetails } from '../registrations/waiting.store.ts'
import {
  type Asking,
  findNamed,
  manageActivity,
  MANAGER_POINT,
  manages,
  refuseIfDisabled,
} from '../visibility/visibility.service.ts'
import {
  type AddedRegistrations,
  type AddRegistrations,
  type MoveRegistration,
  NewParticipant,
} from './additions.model.ts'
import * as store from './additions.store.ts'
import { addEntries, checkOpen, type Entry } from './entries.service.ts'
import { entryAllowance } from './entry-mails.service.ts'

const oneOf = problem('must contain either userId or name', '须提供 userId 或 name 之一')
const ofGuests = problem('is for guests only', '仅用于访客')

const checkItems = itemChecker(NewParticipant)

/** 1,000 people with their notifications take a second or two; a busy machine may need longer. */
const MAX_MS = 30_000

/** All or none. */
export async function addRegistrations(
  ctx: AppContext,
  activityId: number,
  input: AddRegistrations,
  asking: Asking,
): Promise<AddedRegistrations> {
  const activity = await manageActivity(ctx, activityId, MANAGER_POINT, asking)
  refuseIfDisabled(activity)
  checkOpen(activity)
  const { items, overCapacity, notify, requestId = null } = input
  const { userId } = asking.viewer
  const problems: FieldProblem[] = []
  const entries = checkItems(items, 'body.items').map((item, i) => entryOf(activity, item, `body.items.${i}`, problems))
  if (problems.length > 0) throw invalidAll(problems)
  await countStrangers(ctx, activity, entries, asking)
  const how = { overCapacity: overCapacity ?? false, notify: notify ?? true }
  const isMailed = how.notify && entries.some(({ email }) => email !== null)
  const mails = isMailed ? await entryAllowance(ctx, activity) : undefined
  const batch = { activityId, userId, requestId, asked: { items, ...how } }
  const ids = await ctx.db.write(
    'registrations.add',
    async (tx) => {
      const current = await findActivity(tx, activityId)
      if (current === undefined) throw notFound()
      refuseIfDisabled(current)
      return addOnce(ctx, tx, batch, async () => {
        const rows = await addEntries(ctx, tx, current, entries, { ...how, mails, source: 'MANUAL' })
        return rows.map(({ id }) => id)
      })
    },
    entries.length > 50 ? { maxMs: MAX_MS } : {},
  )
  return { items: await managedViews(ctx, activityId, ids) }
}

function entryOf(
  { registration }: ActivityRow,
  { value, problems: own }: CheckedItem<NewParticipant>,
  path: string,
  problems: FieldProblem[],
): Entry {
  problems.push(...own)
  const { userId = null, name = null, email: given, language = null, answers, note, status } = value ?? {}
  if (value !== undefined && (userId === null) === (name === null)) problems.push(oneOf(path))
  const email = given ? normalizeEmail(given) : null
  if (email === undefined) problems.push(noAddress(`${path}.email`))
  if (userId !== null && email) problems.push(ofGuests(`${path}.email`))
  if (userId !== null && language !== null) problems.push(ofGuests(`${path}.language`))
  const checked = checkAnswers(registration?.questions ?? [], answers ?? {}, { lenient: true })
  if ('problems' in checked)
    problems.push(...checked.problems.map((one) => ({ ...one, path: one.path.replace(/^body/, path) })))
  return {
    path,
    userId,
    name,
    email: email ?? null,
    language,
    answers: 'problems' in checked ? {} : checked.answers,
    note: note ?? '',
    status: status ?? 'CONFIRMED',
  }
}

/** Counted in a write of its own, so that refused requests count too: they also tell which users exist. */
async function countStrangers(
  ctx: AppContext,
  activity: ActivityRow,
  entries: readonly Entry[],
  { viewer, caller }: Asking,
): Promise<void> {
  const ids = [...new Set(entries.flatMap(({ userId }) => userId ?? []))].filter((id) => id !== viewer.userId)
  if (ids.length === 0) return
  const members = await participants(ctx.db.read, activity, ids)
  const earlier = await store.registeredWithOwner(ctx.db.read, activity.owner, ids)
  let strangers = 0
  for (const id of ids)
    if (!members.has(id) && !earlier.has(id) && !(await areContacts(ctx.db.read, viewer.userId, id))) strangers++
  const uses = await usesOf(ctx, PASSES_FOR_STRANGERS, { actor: viewer, caller }, strangers)
  if (uses.length === 0) return
  const refusal = await ctx.db.write('registrations.countStrangers', (tx) => spend(tx, uses, ctx.clock.now()))
  if (refusal !== undefined) throw budgetUsedUp(refusal)
}

const notThere = problem('is not an activity of the same owner that you manage', '不是你管理的同一归属方的活动')
const sameActivity = problem('is the activity of the registration', '就是该报名所属的活动')
const isThere = () => badRequest('The person has registered for the other activity already', '该人员已报名另一活动')
const hasEnded = () => badRequest('The registration has ended', '该报名已结束')

/** Both changes are one write. The person gets a place in the other activity. */
export async function moveRegistration(
  ctx: AppContext,
  id: number,
  { activityId, overCapacity, notify }: MoveRegistration,
  asking: Asking,
): Promise<ManagedRegistration> {
  const { activity } = await managedRegistration(ctx, id, MANAGER_POINT, asking)
  const named = await findNamed(ctx.db.read, activityId, asking.viewer)
  const isTheirs = named?.owner === activity.owner && (await manages(ctx, asking.viewer.userId, named, MANAGER_POINT))
  if (named === undefined || !isTheirs) throw invalidAll([notThere('body.activityId')])
  if (activityId === activity.id) throw invalidAll([sameActivity('body.activityId')])
  const moved = await ctx.db.write('registrations.move', async (tx) => {
    const row = await findById(tx, id)
    const from = await findActivity(tx, activity.id)
    const to = await findActivity(tx, activityId)
    if (row === undefined || from === undefined) throw notFound()
    if (to === undefined) throw invalidAll([notThere('body.activityId')])
    refuseIfDisabled(from)
    if (row.status !== 'CONFIRMED' && row.status !== 'WAITING') throw hasEnded()
    checkOpen(from)
    checkOpen(to)
    const earlier = await store.findSamePerson(tx, activityId, row)
    if (earlier?.status === 'CONFIRMED' || earlier?.status === 'WAITING') throw isThere()
    await takeByHand(tx, to, { confirmed: 1, waiting: 0, overCapacity: overCapacity ?? false })
    const reason = `Moved to ${to.name}`.slice(0, MAX_REASON)
    await changeStatuses(ctx, tx, from, [row], { to: 'CANCELLED', reason, overCapacity: false })
    // The link of the page of a guest goes along.
    await updateDetails(tx, id, { secretHash: null, secret: null })
    const values = movedTo(to, row)
    const [after] =
      earlier === undefined
        ? await store.insertRegistrations(tx, [values])
        : [await store.reviveRegistration(tx, earlier, values)]
    if (earlier !== undefined) await uncount(tx, [earlier])
    await announceConfirmed(ctx, tx, to, [after!])
    if (notify ?? true) await tellPeople(ctx, tx, to, 'ACCEPTED', [after!])
    if (row.status === 'CONFIRMED') await refill(ctx, tx, from, 0)
    return after!
  })
  const [view] = await managedViews(ctx, activityId, [moved.id])
  if (view === undefined) throw notFound()
  return view
}

/** Answers to questions with the same keys go along. */
function movedTo({ id, registration }: ActivityRow, row: RegistrationRow): store.NewRegistration {
  const keys = new Set((registration?.questions ?? []).map(({ key }) => key))
  const { userId, source, name, emailConfirmedAt, language, secretHash, secret, note } = row
  // A user has agreed that managers see the address, and only where they ask for it.
  const email = userId === null || registration?.contact === 'EMAIL' ? row.email : null
  const answers = Object.fromEntries(Object.entries(row.answers).filter(([key]) => keys.has(key)))
  const person = { userId, source, name, email, emailConfirmedAt, language, secretHash, secret, note }
  return { activityId: id, ...person, status: 'CONFIRMED', answers }
}
