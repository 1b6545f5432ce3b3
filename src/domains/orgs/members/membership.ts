/** The one way into an organization and the one way out. Everything that makes or ends a membership comes through here. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { notFound } from '#http/errors.ts'

import { alreadyMember, orgDisabled, orgFull, ownerCannotDeleteAccount, ownerUntouchable } from '../errors.ts'
import { findOrg, freePlace, ownsAny, takePlace } from '../organizations/store.ts'
import { deleteMember, dropWaiting, insertMember, isActiveUser, orgIdsOf, settleWaiting } from './store.ts'

export const MEMBER = 'MEMBER'

/** Makes the user a member with the role `code`, within the member limit, in this write. */
export async function addMember(ctx: AppContext, tx: Tx, orgId: number, userId: number, code = MEMBER): Promise<void> {
  if (!(await isActiveUser(tx, userId))) throw notFound()
  if (!(await insertMember(tx, orgId, userId))) throw alreadyMember()
  if (!(await takePlace(tx, orgId))) {
    const org = await findOrg(tx, orgId)
    if (org === undefined) throw notFound()
    throw org.status === 'ACTIVE' ? orgFull() : orgDisabled()
  }
  await access.bindRole(ctx, tx, userId, 'ORG', orgId, code)
  await settleWaiting(tx, orgId, userId, ctx.clock.now())
}

/** Ends a membership with its roles. Throws a 404 when there is none, and `refusal` for the owner. */
export async function removeMember(
  ctx: AppContext,
  tx: Tx,
  orgId: number,
  userId: number,
  refusal: () => Error = ownerUntouchable,
): Promise<void> {
  if (!(await deleteMember(tx, orgId, userId))) throw notFound()
  if (!(await freePlace(tx, orgId, userId))) throw refusal()
  await access.unbindRoles(ctx, tx, userId, 'ORG', orgId)
}

/**
 * Ends all memberships, requests and invitations of a user whose account is being deleted. Throws 400 if the user owns an
 * organization: the account must then stay (spec §5.12).
 */
export async function endMemberships(ctx: AppContext, tx: Tx, userId: number): Promise<void> {
  if (await ownsAny(tx, userId)) throw ownerCannotDeleteAccount()
  for (const orgId of await orgIdsOf(tx, userId)) await removeMember(ctx, tx, orgId, userId)
  await dropWaiting(tx, userId, ctx.clock.now())
}
