/** Reset codes that administrators make for users who cannot help themselves, and the end of all sessions of a user. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { Tx } from '#db/store.ts'
import { isSystemAdmin, requireMayChangeUser } from '#domains/access/index.ts'
import { notify } from '#domains/notifications/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { type Budget, budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Actor, Caller, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import {
  canResetAlone,
  ownResetCode,
  resetCodeOfAdministrator,
  resetCodeOfInactive,
  resetCodesOff,
} from '../accounts.errors.ts'
import { requireConfirmationOfAll } from '../confirmations/confirmations.service.ts'
import { endAccess } from '../credentials/credentials.service.ts'
import { recordLogin } from '../login-records/login-records.service.ts'
import { newResetCode, resetCodeHash } from '../reset-codes/reset-codes.rules.ts'
import { saveResetCodes } from '../reset-codes/reset-codes.store.ts'
import { activeOf } from '../sessions/sessions.store.ts'
import { holdsPlatformRole, identitiesOf, userById, type UserRow } from '../users/users.store.ts'
import { DEFAULT_HOURS, type ResetCode, type SessionsEnded } from './reset-codes.admin.model.ts'

export const RESET_CODES: Budget = {
  name: 'resetCodes',
  counts: { en: 'reset codes', zh: '重置码' },
  per: 'user',
  limit: 20,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

const nameOf = ({ username, nickname }: UserRow): string => username ?? nickname

/** @throws AppError 403, 404, 400, 429 */
export async function makeResetCode(
  ctx: AppContext,
  actor: LoggedActor,
  userId: number,
  hours = DEFAULT_HOURS,
  caller: Caller,
): Promise<ResetCode> {
  if (!(await getSetting(ctx, 'security.adminResetCodes'))) throw resetCodesOff()
  await requireConfirmationOfAll(ctx, actor)
  const uses = await usesOf(ctx, RESET_CODES, { actor, caller })
  const code = newResetCode()
  return actor.write('accounts.makeResetCode', async (tx) => {
    const user = await findEligible(tx, actor, userId)
    const refusal = await spend(tx, uses, ctx.clock.now())
    if (refusal) throw budgetUsedUp(refusal)
    const expiresAt = ctx.clock.now() + hours * HOUR
    await saveResetCodes(tx, [
      {
        userId,
        kind: 'RESET',
        hash: resetCodeHash(ctx.seal, userId, code),
        createdBy: actor.userId,
        isForeign: !(await isSystemAdmin(tx, actor)),
        expiresAt,
      },
    ])
    await tellUser(ctx, tx, actor, userId, expiresAt)
    const logged = { targetId: userId, targetName: nameOf(user), after: { expiresAt } }
    return { result: { code, expiresAt }, logged }
  })
}

/** The user, if an administrator may make a code for them. @throws AppError 403, 404, 400 */
async function findEligible(tx: Tx, actor: Actor, userId: number): Promise<UserRow> {
  const user = await userById(tx, userId)
  if (user === undefined) throw notFound()
  if (userId === actor.userId) throw ownResetCode()
  if (await holdsPlatformRole(tx, userId)) throw resetCodeOfAdministrator()
  if (user.status !== 'ACTIVE') throw resetCodeOfInactive()
  const isProved = (await identitiesOf(tx, userId)).some(({ provider, verified }) => provider !== 'DEVICE' && verified)
  if (isProved) throw canResetAlone()
  return user
}

/** They may still be signed in somewhere, and not have asked for it. */
async function tellUser(ctx: AppContext, tx: Tx, actor: Actor, userId: number, expiresAt: number): Promise<void> {
  const maker = await userById(tx, actor.userId)
  const name = maker === undefined ? '' : nameOf(maker)
  await notify(ctx, tx, {
    userIds: [userId],
    type: 'SYSTEM',
    title: { en: 'A reset code was made for your account', zh: '已为你的账号生成重置码' },
    body: {
      en: `${name} made a code with which a new password can be set for your account. If you did not ask for it, withdraw it under Account, Security.`,
      zh: `${name} 生成了可为你的账号设置新密码的重置码。如果这不是你要求的，请在“账号”的“安全”中撤销。`,
    },
    data: { event: 'RESET_CODE_MADE', administratorId: actor.userId, administratorName: name, expiresAt },
    subject: 'RESET_CODE_MADE',
  })
}

/** The rule of rank holds, except for the callers themselves. @throws AppError 404, 403 */
export async function endSessionsOfUser(
  ctx: AppContext,
  actor: LoggedActor,
  userId: number,
  { locale }: Caller,
): Promise<SessionsEnded> {
  return actor.write('accounts.endSessionsOfUser', async (tx) => {
    const user = await userById(tx, userId)
    if (user === undefined) throw notFound()
    if (userId !== actor.userId) await requireMayChangeUser(tx, actor, userId)
    const ended = (await activeOf(tx, userId, ctx.clock.now())).length
    await endAccess(ctx, tx, 'SESSIONS_REVOKED', { userId, deviceKey: '' })
    if (ended === 0) return { result: { ended }, logged: 'unchanged' }
    // Without an address, because users do not see those of administrators.
    await recordLogin(ctx, tx, userId, { loginType: 'remove_device', device: { key: '', name: '' }, ip: '', locale })
    return {
      result: { ended },
      logged: { targetId: userId, targetName: nameOf(user), before: { userId, sessions: ended } },
    }
  })
}
