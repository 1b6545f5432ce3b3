/** Verification codes: sent, counted, tried and used. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { sendCode } from '#domains/delivery/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { AppError } from '#http/errors.ts'
import { ipBucket } from '#lib/ip.ts'
import { digits } from '#platform/ids.ts'

import { tooManyCodes, wrongCode } from '../errors.ts'
import { CODE_AGAIN_MS, CODE_DIGITS, CODE_MS } from '../limits.ts'
import type { CodeSent } from './model.ts'
import { budgetsOf, type Channel } from './rules.ts'
import { type CodeKey, countCodeTry, saveCode, spend, takeCode } from './store.ts'

export const channelOf = (credential: string): Channel => (credential.includes('@') ? 'EMAIL' : 'SMS')

const hashOf = (ctx: AppContext, { purpose, credential, userId }: CodeKey, code: string): string =>
  ctx.seal.mac(JSON.stringify(['code', purpose, userId, credential, code]))

/**
 * Sends a code to the credential. `refuse` is asked inside the write whether there is somebody to send it to; a call that it
 * refuses still counts for the caller and costs the same. @throws AppError 429 when one of the limits is reached.
 */
export async function issueCode(
  ctx: AppContext,
  key: CodeKey,
  caller: Caller,
  refuse: (tx: Tx) => Promise<AppError | undefined> = async () => undefined,
): Promise<CodeSent> {
  const channel = channelOf(key.credential)
  const budgets = budgetsOf({ ...key, channel, network: ipBucket(caller.ip) })
  // Errors are given, not thrown: what was counted stays counted.
  const result = await ctx.db.write('codes.send', async (tx): Promise<AppError | CodeSent> => {
    // Asked for here: the write may have waited for others, and what they counted must not lie in its future.
    const now = ctx.clock.now()
    const expiresAt = now + CODE_MS
    const problem = await refuse(tx)
    const wait = await spend(tx, problem ? budgets.caller : [...budgets.caller, ...budgets.credential], now)
    if (wait > 0) return tooManyCodes(Math.ceil(wait / 1000))
    if (problem) return problem
    const code = digits(CODE_DIGITS)
    await saveCode(tx, key, hashOf(ctx, key, code), expiresAt)
    const { purpose, credential: to } = key
    await sendCode(ctx, tx, { channel, to, purpose, code, locale: caller.locale, expiresAt })
    return { expiresAt, resendAt: now + CODE_AGAIN_MS }
  })
  if (result instanceof AppError) throw result
  return result
}

/** A code that was found right and is not used yet. */
export interface Proof {
  readonly id: number
  readonly hash: string
}

/** Counts the try, then compares. Throws the same 400 for a wrong, used, expired or too often tried code. */
export async function checkCode(ctx: AppContext, key: CodeKey, code: string): Promise<Proof> {
  const found = await ctx.db.write('codes.try', (tx) => countCodeTry(tx, key, ctx.clock.now()))
  if (found === undefined || found.hash !== hashOf(ctx, key, code)) throw wrongCode()
  return found
}

/** Uses the code up, in the write that does what it is for. Of several callers with one code, one succeeds. */
export async function consumeCode(tx: Tx, proof: Proof): Promise<void> {
  if (!(await takeCode(tx, proof))) throw wrongCode()
}
