/** Personal invitations of an activity, as those use them who have got a code. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { badRequest } from '#http/errors.ts'

import type { ActivityRow } from '../activities.store.ts'
import { personalCodeIn, stateOf } from './personal-codes.rules.ts'
import * as store from './personal-codes.store.ts'

const alreadyUsed = () => badRequest('This invitation was already used', '此邀请已被使用')
const wrong = () => badRequest('This invitation code is wrong or has ended', '邀请码错误或已失效')
const personalNeeded = () =>
  badRequest('Registering for this activity needs a personal invitation', '报名此活动需要个人邀请')

/** A code as the request has it. */
type Asked = string | null | undefined

export type PersonalInvitation = Pick<store.InvitationRow, 'id' | 'overCapacity' | 'email' | 'sentAt'>

/** Whether the code shows an activity that is not RESTRICTED: that of a registered person still does. */
export async function admits(db: Db, activityId: number, code: string, now: number): Promise<boolean> {
  const row = await store.findByCode(db, activityId, code)
  return row !== undefined && ['OPEN', 'USED'].includes(stateOf(row, now))
}

/**
 * The invitation whose code somebody gives to register. Undefined without a personal code, if none is needed.
 * @throws AppError 400 if the code is wrong or used, or if a personal one is needed
 */
export async function checkInvitation(
  db: Db | Tx,
  { id, visibility, registration }: ActivityRow,
  given: Asked,
  now: number,
): Promise<PersonalInvitation | undefined> {
  const code = personalCodeIn(given)
  // Members see a RESTRICTED activity without a code, and nobody else does with one.
  if (visibility === 'RESTRICTED') return undefined
  if (code === undefined) {
    if (registration?.personalOnly === true) throw personalNeeded()
    return undefined
  }
  return openOne(await store.findByCode(db, id, code), now)
}

function openOne(row: store.InvitationRow | undefined, now: number): PersonalInvitation {
  const state = row && stateOf(row, now)
  if (state === 'USED') throw alreadyUsed()
  if (row === undefined || state !== 'OPEN') throw wrong()
  return row
}

/**
 * Uses the invitation in the write that registers somebody: of several at once, one succeeds. The caller stores which registration it was
 * (`setUser`). @throws AppError as `checkInvitation`
 */
export async function takeInvitation(
  tx: Tx,
  activity: ActivityRow,
  given: Asked,
  now: number,
): Promise<PersonalInvitation | undefined> {
  const invitation = await checkInvitation(tx, activity, given, now)
  if (invitation !== undefined && !(await store.useInvitation(tx, invitation.id, now))) throw alreadyUsed()
  return invitation
}

/**
 * `checkInvitation` for a guest who gave the code with the form (`registrations.invitationId`). `useFor` then uses the invitation.
 * @throws AppError as `checkInvitation`
 */
export async function checkNamedInvitation(
  tx: Tx,
  activity: ActivityRow,
  id: number | null,
  now: number,
): Promise<PersonalInvitation | undefined> {
  if (id === null) return checkInvitation(tx, activity, null, now)
  return openOne(await store.findInvitation(tx, activity.id, id), now)
}

/** In the write that registers a guest. @throws AppError 400 if it was used meanwhile */
export async function useFor(tx: Tx, { id }: PersonalInvitation, registrationId: number, now: number): Promise<void> {
  if (!(await store.useInvitation(tx, id, now))) throw alreadyUsed()
  await store.setUser(tx, id, registrationId)
}

/** Records that the page of an activity was opened with the code. Programs that check the links of mails open it too. */
export async function recordOpening(ctx: AppContext, activityId: number, given: Asked): Promise<void> {
  const code = personalCodeIn(given)
  const row = code === undefined ? undefined : await store.findByCode(ctx.db.read, activityId, code)
  if (row === undefined || row.openedAt !== null || stateOf(row, ctx.clock.now()) !== 'OPEN') return
  await ctx.db.write('activities.openInvitation', (tx) => store.setOpened(tx, row.id))
}
