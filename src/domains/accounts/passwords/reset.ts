/** A new password for somebody who forgot theirs: by a code to their phone or e-mail. */

import type { AppContext } from '#context'
import type { Caller } from '#http/endpoint.ts'

import type { CodeSent } from '../codes/model.ts'
import { checkCode, consumeCode, issueCode } from '../codes/service.ts'
import { credentialOf, providerOf } from '../codes/targets.ts'
import { deviceOf } from '../credentials.ts'
import { notRegistered, wrongCode } from '../errors.ts'
import { openedByCode } from '../identities/claims.ts'
import { verifyIdentity } from '../users/store.ts'
import type { PasswordReset } from './model.ts'
import { passwordProblem } from './policy.ts'
import { installPassword } from './replace.ts'
import { policyOf } from './service.ts'

/** Throws a 400 for a credential that nobody has (spec §4.1); such a call counts and costs the same. */
export async function sendForgotCode(ctx: AppContext, given: string, caller: Caller): Promise<CodeSent> {
  const credential = await credentialOf(given)
  return issueCode(ctx, { purpose: 'RESET', credential, userId: 0 }, caller, async (tx) => {
    const owner = await openedByCode(tx, providerOf(credential), credential)
    return owner?.user.status === 'ACTIVE' ? undefined : notRegistered()
  })
}

/** Everybody is signed out by it. An address that was only claimed at registration is confirmed: the code went there. */
export async function resetPassword(ctx: AppContext, body: PasswordReset, caller: Caller): Promise<void> {
  const credential = await credentialOf(body.credential)
  const provider = providerOf(credential)
  const proof = await checkCode(ctx, { purpose: 'RESET', credential, userId: 0 }, body.code)
  const user = (await openedByCode(ctx.db.read, provider, credential))?.user
  if (user === undefined) throw wrongCode()
  const policy = await policyOf(ctx, user.id)
  const problem = passwordProblem(body.newPassword, policy, user.username, 'body.newPassword')
  if (problem) throw problem
  const passwordHash = await ctx.passwords.hash(body.newPassword)
  const { name } = deviceOf(caller, {})
  await ctx.db.write('accounts.resetPassword', async (tx) => {
    await consumeCode(tx, proof)
    const now = await openedByCode(tx, provider, credential)
    if (now?.user.id !== user.id || now.user.status !== 'ACTIVE') throw wrongCode()
    if (!now.identity.verified) await verifyIdentity(tx, user.id, now.identity.id)
    // No session and no device of theirs did this, only somebody with the code.
    const by = { device: { key: '', name }, ip: caller.ip, locale: caller.locale }
    await installPassword(ctx, tx, user.id, passwordHash, by)
  })
}
