/** Adds people to an activity: all or none. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { badRequest, type FieldProblem } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { newLinkSecret } from '#platform/seal.ts'

import { notActive, problem } from '../activities.errors.ts'
import type { ActivityRow } from '../activities.store.ts'
import type { MailAllowance } from '../invitations/mails.service.ts'
import { activeUsers } from '../pass-issues/pass-issues.store.ts'
import { tellPeople } from '../personal-mails.service.ts'
import { announceConfirmed, takeByHand } from '../registrations/places.service.ts'
import type { Answers } from '../registrations/registrations.rules.ts'
import { type RegistrationRow, uncount } from '../registrations/registrations.store.ts'
import * as store from './additions.store.ts'
import { isClaim, mailEntries } from './entry-mails.service.ts'

/** A person to add. Texts have been checked. */
export interface Entry {
  /** Of the request. */
  readonly path: string
  readonly userId: number | null
  readonly name: string | null
  readonly email: string | null
  readonly language: RegistrationRow['language']
  readonly answers: Answers
  readonly note: string
  readonly status: 'CONFIRMED' | 'WAITING'
}

const noSuchUser = problem('must be the id of an active user', '须为有效用户的编号')
const twice = problem('is in the request twice', '在请求中重复')
const isRegistered = problem('has registered for this activity already', '已报名该活动')
const noRegistration = () => badRequest('This activity has no registration', '该活动不接受报名')

/** People who are notified between two pauses. */
const PEOPLE_PER_NOTICE = 50

export interface Adding {
  readonly source: 'MANUAL' | 'IMPORT'
  readonly overCapacity: boolean
  readonly notify: boolean
  /** Whether addresses that nobody has proved are mailed, if people are notified. */
  readonly mails?: MailAllowance | undefined
}

/** Returns the rows in the order of the entries. @throws AppError 400 with all problems, or if there are not enough places */
export async function addEntries(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  entries: readonly Entry[],
  { source, overCapacity, notify, mails }: Adding,
): Promise<RegistrationRow[]> {
  checkOpen(activity)
  const { id } = activity
  const userIds = [...new Set(entries.flatMap(({ userId }) => userId ?? []))]
  const active = await activeUsers(tx, userIds)
  const users = await store.registrationsOf(tx, id, userIds)
  const guests = await store.guestsOf(
    tx,
    id,
    entries.flatMap(({ email }) => email ?? []),
  )
  const earlierOf = ({ userId, email }: Entry): RegistrationRow | undefined =>
    userId === null ? (email === null ? undefined : guests.get(email)) : users.get(userId)
  const problems: FieldProblem[] = []
  const seen = new Set<number | string>()
  for (const entry of entries) {
    const { userId, email, path } = entry
    const key = userId ?? email
    const at = `${path}.${userId === null ? 'email' : 'userId'}`
    if (userId !== null && !active.has(userId)) problems.push(noSuchUser(at))
    else if (key !== null && seen.has(key)) problems.push(twice(at))
    else if (isLive(earlierOf(entry))) problems.push(isRegistered(at))
    if (key !== null) seen.add(key)
  }
  if (problems.length > 0) throw invalidAll(problems)
  const count = (status: Entry['status']) => entries.filter((entry) => entry.status === status).length
  await takeByHand(tx, activity, { confirmed: count('CONFIRMED'), waiting: count('WAITING'), overCapacity })
  const fresh = entries.filter((entry) => earlierOf(entry) === undefined)
  const inserted = await store.insertRegistrations(
    tx,
    fresh.map((entry) => rowOf(ctx, id, entry, source)),
  )
  const rowsOf = new Map(fresh.map((entry, i) => [entry, inserted[i]!]))
  for (const entry of entries) {
    const earlier = earlierOf(entry)
    if (earlier === undefined) continue
    rowsOf.set(entry, await store.reviveRegistration(tx, earlier, rowOf(ctx, id, entry, source)))
    await uncount(tx, [earlier])
  }
  const rows = entries.map((entry) => rowsOf.get(entry)!)
  const confirmed = rows.filter(({ status }) => status === 'CONFIRMED')
  await announceConfirmed(ctx, tx, activity, confirmed)
  if (!notify) return rows
  for (const [kind, some] of [
    ['ACCEPTED', confirmed],
    ['WAITING', rows.filter(({ status }) => status === 'WAITING')],
  ] as const)
    for (let at = 0; at < some.length; at += PEOPLE_PER_NOTICE) {
      const people = some.slice(at, at + PEOPLE_PER_NOTICE)
      const claims = mails === undefined || !activity.autoNotices ? [] : people.filter(isClaim)
      const others = people.filter((row) => !(claims as readonly RegistrationRow[]).includes(row))
      if (mails !== undefined) await mailEntries(ctx, tx, activity, claims, mails)
      await tellPeople(ctx, tx, activity, kind, others)
      await tx.pause()
    }
  return rows
}

/** @throws AppError 400 unless people can be added */
export function checkOpen({ status, registration }: ActivityRow): void {
  if (registration === null) throw noRegistration()
  if (status !== 'ACTIVE') throw notActive()
}

const isLive = (row: RegistrationRow | undefined): boolean => row?.status === 'CONFIRMED' || row?.status === 'WAITING'

function rowOf(ctx: AppContext, activityId: number, entry: Entry, source: Adding['source']): store.NewRegistration {
  const { userId, name, email, language, answers, note, status } = entry
  const guest = userId === null ? { name, email, language, ...newLinkSecret(ctx.seal).columns } : NO_GUEST
  return { activityId, userId, status, source, emailConfirmedAt: null, ...guest, answers, note }
}
const NO_GUEST = { name: null, email: null, language: null, secretHash: null, secret: null }
