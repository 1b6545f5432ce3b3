/** Guests who get an account, or sign in: their registration moves into it. */

import type { AppContext } from '#context'
import type { Listener } from '#domains/events.ts'
import { notify } from '#domains/notifications/index.ts'
import { findBySecret } from '#http/admission.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { sha256 } from '#platform/ids.ts'

import { findActivity } from '../activities.store.ts'
import { livePassesOf } from '../passes/passes.store.ts'
import { activitiesOfAddress, findGuestBySecret } from '../registrations/guests.store.ts'
import type { RegistrationView } from '../registrations/registrations.model.ts'
import { toView } from '../registrations/registrations.service.ts'
import { findRegistration } from '../registrations/registrations.store.ts'
import { refuseIfDisabled, seesWithoutCode } from '../visibility/visibility.service.ts'
import * as store from './claims.store.ts'

const noPlace = () => badRequest('This registration is not confirmed, or has ended', '此报名尚未确认或已结束')
const registeredToo = () =>
  badRequest('You have registered for this activity with your account', '你已用账号报名该活动')
const hasPassToo = () => badRequest('You have a pass for this activity in your account', '你的账号已有该活动的通行证')
const notForYou = () => badRequest('You may not see this activity', '你无权查看该活动')

/** @throws AppError 404 for a link that is wrong or has ended, also because another account was faster; 400 if the account cannot take it */
export async function claimGuest(
  ctx: AppContext,
  { userId }: Actor,
  given: string,
  caller: Pick<Caller, 'ip'>,
): Promise<RegistrationView> {
  const secretHash = sha256(given)
  const seen = await findBySecret(ctx, caller, () => findGuestBySecret(ctx.db.read, secretHash))
  const seenActivity = seen && (await findActivity(ctx.db.read, seen.activityId))
  if (seenActivity === undefined) throw notFound()
  refuseIfDisabled(seenActivity)
  // The link is as good as an invite code.
  if (seenActivity.visibility === 'RESTRICTED' && !(await seesWithoutCode(ctx, userId, seenActivity))) throw notForYou()
  const row = await ctx.db.write('guests.claim', async (tx) => {
    const guest = await findGuestBySecret(tx, secretHash)
    const activity = guest && (await findActivity(tx, guest.activityId))
    if (guest === undefined || activity === undefined) throw notFound()
    refuseIfDisabled(activity)
    if (guest.status !== 'CONFIRMED' && guest.status !== 'WAITING') throw noPlace()
    const own = await findRegistration(tx, activity.id, userId)
    if (own !== undefined && own.status !== 'CANCELLED') throw registeredToo()
    const now = ctx.clock.now()
    const hasPass = async (person: number) => (await livePassesOf(tx, activity.id, person, now)).length > 0
    if ((await hasPass(userId)) && (await hasPass(-guest.id))) throw hasPassToo()
    await store.releaseExpired(tx, activity.id, userId, guest.id, now)
    const taken = await store.giveRegistration(tx, guest, userId, own)
    await store.givePasses(tx, guest.id, userId)
    await store.giveCheckIns(tx, guest, userId)
    return taken
  })
  return toView(ctx, row)
}

/** Activities that one notification each is about. */
const MAX_TOLD = 20

/** Notifies the user who has just proved an address that it has registrations without the account. Nothing moves by itself. */
export const addressProved: Listener<'address.proved'> = async (ctx, tx, { userId, email }) => {
  for (const { id, name } of await activitiesOfAddress(tx, email, MAX_TOLD))
    await notify(ctx, tx, {
      userIds: [userId],
      type: 'SYSTEM',
      title: { en: `Your registration for ${name}`, zh: `你对“${name}”的报名` },
      body: {
        en: `You have registered for ${name} with this e-mail address and without an account. To keep it in your account, open the link of the mail that you got.`,
        zh: `你曾用此邮箱以无账号方式报名“${name}”。如需保存到账号，请打开当时收到的邮件中的链接。`,
      },
      data: { activityId: id, event: 'GUEST_REGISTRATION' },
      subject: `GUEST_REGISTRATION ${id}`,
    })
}
