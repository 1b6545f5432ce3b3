/** Changing one's password while signed in. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { invalid } from '#http/validate.ts'

import type { CodeSent } from '../codes/model.ts'
import { checkCode, consumeCode, issueCode } from '../codes/service.ts'
import { askingDevice } from '../credentials.ts'
import { noPasswordSet, notBound, notVerified, sessionEnded, wrongOldPassword } from '../errors.ts'
import { identitiesOf, userById, type UserRow } from '../users/store.ts'
import { guarded, lockOf } from './guard.ts'
import type { PasswordChange } from './model.ts'
import { passwordProblem } from './policy.ts'
import { installPassword } from './replace.ts'
import { policyOf } from './service.ts'

type Channel = 'PHONE' | 'EMAIL'

/** A code to the caller's own phone or e-mail. */
export async function sendChangeCode(
  ctx: AppContext,
  actor: Actor,
  channel: Channel,
  caller: Caller,
): Promise<CodeSent> {
  const credential = await ownCredential(ctx, actor, channel)
  return issueCode(ctx, { purpose: 'CHANGE', credential, userId: actor.userId }, caller)
}

/** Bound and confirmed, else a 400. */
async function ownCredential(ctx: AppContext, actor: Actor, channel: Channel): Promise<string> {
  const identity = (await identitiesOf(ctx.db.read, actor.userId)).find((i) => i.provider === channel)
  if (identity === undefined) throw notBound(channel)
  if (!identity.verified) throw notVerified(channel)
  return identity.credential
}

/** Everybody, the caller too, is signed out by it. */
export async function changePassword(
  ctx: AppContext,
  actor: Actor,
  body: PasswordChange,
  caller: Caller,
): Promise<void> {
  const user = await userById(ctx.db.read, actor.userId)
  if (user === undefined) throw sessionEnded
  const problem = passwordProblem(body.newPassword, await policyOf(ctx, user.id), user.username, 'body.newPassword')
  if (problem) throw problem
  const stillTrue = await confirm(ctx, actor, user, body)
  const passwordHash = await ctx.passwords.hash(body.newPassword)
  await ctx.db.write('accounts.changePassword', async (tx) => {
    const now = await userById(tx, actor.userId)
    if (now?.status !== 'ACTIVE') throw sessionEnded
    await stillTrue(tx, now)
    const by = { device: askingDevice(actor, caller), ip: caller.ip, locale: caller.locale }
    await installPassword(ctx, tx, actor.userId, passwordHash, by)
  })
}

/** Checks what the caller proves themselves by; what it gives checks inside the write that nothing has changed since. */
async function confirm(
  ctx: AppContext,
  actor: Actor,
  user: UserRow,
  { verifyType, oldPassword, code }: PasswordChange,
): Promise<(tx: Tx, now: UserRow) => Promise<void>> {
  if (verifyType === 'OLD_PASSWORD') {
    if (user.passwordHash === null) throw noPasswordSet()
    if (!oldPassword) throw invalid('body.oldPassword', 'is required', '不能为空')
    const proven = await guarded(ctx, lockOf(user, ''), async () => {
      const hash = (await userById(ctx.db.read, actor.userId))?.passwordHash ?? null
      return (await ctx.passwords.verify(oldPassword, hash)) ? (hash ?? undefined) : undefined
    })
    if (proven === undefined) throw wrongOldPassword()
    return async (_tx, now) => {
      if (now.passwordHash !== proven) throw wrongOldPassword()
    }
  }
  const channel = verifyType === 'PHONE_CODE' ? 'PHONE' : 'EMAIL'
  const credential = await ownCredential(ctx, actor, channel)
  if (!code) throw invalid('body.code', 'is required', '不能为空')
  const proof = await checkCode(ctx, { purpose: 'CHANGE', credential, userId: actor.userId }, code)
  return async (tx) => {
    await consumeCode(tx, proof)
    const stillBound = (await identitiesOf(tx, actor.userId)).some(
      (i) => i.provider === channel && i.credential === credential,
    )
    if (!stillBound) throw notBound(channel)
  }
}
