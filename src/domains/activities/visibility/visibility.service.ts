/** Finds activities for callers: the one place that checks who may see or manage them. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { guess, type GuessLimit } from '#http/budget.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { limited, notFound } from '#http/errors.ts'
import { organizationDisabled, secondFactorRequired } from '#http/permissions.ts'
import type { DualPoint } from '#permission-points'
import { MINUTE } from '#platform/clock.ts'

import { codeRequired } from '../activities.errors.ts'
import { type ActivityRow, findActivity } from '../activities.store.ts'
import { personalCodeIn } from './personal-codes.rules.ts'
import { admits } from './personal-codes.service.ts'
import { normalizeInviteCode, sightOf } from './visibility.rules.ts'
import { isRegisteredFor } from './visibility.store.ts'

/** Codes are short enough to guess. */
const WRONG_CODES: GuessLimit = { name: 'invite code', wrong: 20, windowMs: MINUTE }
const tooManyWrongCodes = (wait: number) =>
  limited('Too many wrong invite codes, try again later', '邀请码错误次数过多，请稍后再试', wait)

/** The point whose holders see everything of an organization's activities. */
export const MANAGER_POINT: DualPoint = 'activity:update'

/**
 * Whether the user manages the activity for this purpose: the creator of a personal one, and in an organization holders of the point and
 * the creator as long as they are a member. In a DISABLED organization too, so that its managers can still read everything: writes call
 * `refuseIfDisabled`.
 */
export async function manages(ctx: AppContext, userId: number, row: ActivityRow, point: DualPoint): Promise<boolean> {
  const orgId = orgOf(row.owner)
  if (orgId === 0) return row.userId === userId
  return (
    (row.userId === userId && (await access.isMemberOf(ctx, userId, orgId))) ||
    (await access.can(ctx, userId, 'ORG', orgId, point)) ||
    (row.orgStatus === 'DISABLED' && access.roleHasPoint(ctx.db.read, userId, orgId, point))
  )
}

/** The parts of a request that decide what its caller sees. */
export interface Asking {
  /** The owner of a `dualByRow` operation. */
  readonly viewer: Owner
  readonly caller: Pick<Caller, 'ip'>
  /** The invite code of the activity or of a personal invitation, as the user typed it or as it was in a scanned code. */
  readonly code?: string | null | undefined
}

export interface SeenActivity {
  readonly row: ActivityRow
  /** Whether the caller manages the activity as a whole (`activity:update`). */
  readonly isManager: boolean
}

/**
 * The activity with this id, if the caller may see it.
 * @throws AppError 404 if the caller may not know of it, 403 without the invite code, 429 after too many wrong ones
 */
export async function seeActivity(ctx: AppContext, id: number, asking: Asking): Promise<SeenActivity> {
  return see(ctx, await findNamed(ctx.db.read, id, asking.viewer), asking)
}

/** `seeActivity` for a row that has been found otherwise, for example by its uuid. */
export async function see(ctx: AppContext, row: ActivityRow | undefined, asking: Asking): Promise<SeenActivity> {
  const { viewer, code } = asking
  if (row === undefined) throw notFound()
  const isOfMembers = row.visibility !== 'PUBLIC' && orgOf(row.owner) !== 0
  if (isOfMembers && (await access.isLockedOut(ctx, viewer.userId, orgOf(row.owner)))) throw secondFactorRequired
  const isManager = await manages(ctx, viewer.userId, row, MANAGER_POINT)
  const isReader = await isMemberWho(ctx, viewer.userId, row)
  const personal = row.visibility === 'RESTRICTED' ? undefined : personalCodeIn(code)
  const hasCode =
    personal === undefined
      ? row.inviteCode !== null && code != null && normalizeInviteCode(code) === row.inviteCode
      : await admits(ctx.db.read, row.id, personal, ctx.clock.now())
  const isRegistered = !isManager && !hasCode && (await isInvitedBefore(ctx, viewer.userId, row))
  const sight = sightOf(row, { isManager, isReader, hasCode: hasCode || isRegistered })
  if (sight === 'unknown') throw notFound()
  // The code that a registered user was given may have been replaced.
  const isGuess = personal !== undefined || (row.inviteCode !== null && code != null)
  if (!isManager && !isRegistered && isGuess)
    await guess(ctx, WRONG_CODES, asking.caller.ip, tooManyWrongCodes, () => hasCode || undefined)
  if (sight === 'code required') throw codeRequired()
  return { row, isManager }
}

/** Whether the user has registered for an INVITE_ONLY activity, which took the invite code, and has not cancelled. */
const isInvitedBefore = async (ctx: AppContext, userId: number, { id, inviteCode }: ActivityRow): Promise<boolean> =>
  inviteCode !== null && userId !== 0 && isRegisteredFor(ctx.db.read, id, userId)

/** Whether a signed-in user sees the activity without an invite code. For scans and files, which are not asked for one. */
export async function seesWithoutCode(ctx: AppContext, userId: number, row: ActivityRow): Promise<boolean> {
  const isManager = await manages(ctx, userId, row, MANAGER_POINT)
  const isReader = await isMemberWho(ctx, userId, row)
  const hasCode = await isInvitedBefore(ctx, userId, row)
  return sightOf(row, { isManager, isReader, hasCode }) === 'seen'
}

/**
 * The activity with this id, if the caller manages it for this purpose.
 * @throws AppError 404 if the caller may not know of it, 403 if they may see it only
 */
export async function manageActivity(
  ctx: AppContext,
  id: number,
  point: DualPoint,
  asking: Asking,
): Promise<ActivityRow> {
  const row = await findNamed(ctx.db.read, id, asking.viewer)
  if (row !== undefined && (await manages(ctx, asking.viewer.userId, row, point))) return row
  const seen = await see(ctx, row, asking)
  throw await access.refusalIn(ctx, asking.viewer.userId, orgOf(seen.row.owner), point)
}

/**
 * Refuses writes to activities of a DISABLED organization, which is read-only. The other checks do not: managers still see everything, and
 * PUBLIC activities stay visible to everyone.
 */
export function refuseIfDisabled(row: ActivityRow): void {
  if (row.orgStatus === 'DISABLED') throw organizationDisabled
}

/** The activity with this id; undefined if the request names an organization that does not own it. The caller checks who may see it. */
export async function findNamed(db: Db | Tx, id: number, { orgId }: Owner): Promise<ActivityRow | undefined> {
  const row = await findActivity(db, id)
  return row !== undefined && orgId !== 0 && row.owner !== orgId ? undefined : row
}

const isMemberWho = (ctx: AppContext, userId: number, { owner }: ActivityRow) =>
  orgOf(owner) !== 0 && access.can(ctx, userId, 'ORG', orgOf(owner), 'activity:read')
