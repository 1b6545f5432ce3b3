/** Passwords that are set with a start code or a reset code. */

import { timingSafeEqual } from 'node:crypto'

import type { AppContext } from '#context'
import { platformBindings, SYSTEM_ADMIN } from '#domains/access/index.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'

import { wrongCode } from '../accounts.errors.ts'
import { ANONYMOUS_USER_ID } from '../accounts.model.ts'
import { parseAccount } from '../accounts.rules.ts'
import { installPassword } from '../credentials/credentials.service.ts'
import { loginEvent } from '../login-records/login-records.rules.ts'
import { passwordProblem } from '../passwords/passwords.rules.ts'
import { basePolicy, hashPassword, policyFor, refuseSamePassword } from '../passwords/passwords.service.ts'
import { resetCodeHash } from '../reset-codes/reset-codes.rules.ts'
import {
  countResetTry,
  deleteResetCode,
  type ResetCodeRow,
  takeResetCode,
  undoResetTry,
} from '../reset-codes/reset-codes.store.ts'
import { requireLocalSignIn } from '../users/users.service.ts'
import { findByAccount, userById } from '../users/users.store.ts'
import type { CodeRedemption } from './password-changes.model.ts'

/**
 * Sets a password with a code that an import, an administrator or the operator made. The second factor stays. Until the code has proved right,
 * each request does the same work, so that neither answer nor time shows which accounts exist or have a code.
 * @throws AppError 400, and 403 (code 4036) if passwords are switched off for the user
 */
export async function redeemCode(ctx: AppContext, body: CodeRedemption, caller: Caller): Promise<void> {
  const account = parseAccount(body.account)
  const path = 'body.newPassword'
  const early = passwordProblem(body.newPassword, await basePolicy(ctx), account.key, path)
  if (early) throw early
  const event = loginEvent('password_change', caller, {})
  const userId = (await findByAccount(ctx.db.read, account))?.id ?? ANONYMOUS_USER_ID
  const code = await tryCode(ctx, userId, body.code)
  const password = await checkedPassword(ctx, code, body.newPassword)
  await ctx.db.write('accounts.redeemCode', async (tx) => {
    if (!(await takeResetCode(tx, code))) throw wrongCode()
    if ((await userById(tx, userId))?.status !== 'ACTIVE') throw wrongCode()
    const { name, key: deviceKey } = event.device
    // The record names no device: the request proves a code, not that it comes from a device of the user.
    const recorded = { ...event, device: { key: '', name } }
    await installPassword(ctx, tx, userId, password, { change: 'PASSWORD_RESET', deviceKey, event: recorded })
  })
}

/** Counts the try, then compares. @throws AppError 400, the same one for a wrong, used, expired or too often tried code and an unknown account */
async function tryCode(ctx: AppContext, userId: number, given: string): Promise<ResetCodeRow> {
  const hash = Buffer.from(resetCodeHash(ctx.seal, userId, given))
  const code = await ctx.db.write('accounts.tryResetCode', (tx) => countResetTry(tx, userId, ctx.clock.now()))
  const expected = code === undefined ? Buffer.alloc(hash.length) : Buffer.from(code.hash)
  if (!timingSafeEqual(hash, expected) || code === undefined) throw wrongCode()
  return code
}

/** @throws AppError 400 if the user may not have the password, 403 (code 4036) if they may not sign in with one; the code stays as it was */
async function checkedPassword(ctx: AppContext, code: ResetCodeRow, newPassword: string) {
  const { userId, isForeign } = code
  try {
    await requireLocalSignIn(ctx, ctx.db.read, userId)
    const user = await userById(ctx.db.read, userId)
    const path = 'body.newPassword'
    const problem = passwordProblem(newPassword, await policyFor(ctx, userId), user?.username, path)
    if (problem) throw problem
    if (user !== undefined) await refuseSamePassword(ctx, user, newPassword, path)
    return { ...(await hashPassword(ctx, newPassword, user?.username ?? null)), isForeign }
  } catch (error) {
    await ctx.db.write('accounts.undoResetTry', (tx) => undoResetTry(tx, code))
    throw error
  }
}

/** Ends the open code of the caller. The administrators of the server are notified of one that another administrator made. */
export async function withdrawCode(ctx: AppContext, { userId }: Actor): Promise<void> {
  await ctx.db.write('accounts.withdrawResetCode', async (tx) => {
    const code = await deleteResetCode(tx, userId)
    if (code?.kind !== 'RESET' || code.createdBy === null) return
    const [user, maker] = [await userById(tx, userId), await userById(tx, code.createdBy)]
    const nameOf = (row: typeof user) => row?.username ?? row?.nickname ?? ''
    const admins = (await platformBindings(tx)).filter((binding) => binding.code === SYSTEM_ADMIN)
    await notify(ctx, tx, {
      userIds: admins.map((binding) => binding.userId),
      type: 'SYSTEM',
      title: { en: `${nameOf(user)} did not ask for a reset code`, zh: `${nameOf(user)} 未申请重置码` },
      body: {
        en: `${nameOf(maker)} made a reset code for ${nameOf(user)}, who has withdrawn it and says that they did not ask for it.`,
        zh: `${nameOf(maker)} 为 ${nameOf(user)} 生成了重置码，该用户已将其撤销，并表示未曾申请。`,
      },
      data: { event: 'RESET_CODE_WITHDRAWN', userId, administratorId: code.createdBy },
      subject: `RESET_CODE_WITHDRAWN ${userId}`,
    })
  })
}
