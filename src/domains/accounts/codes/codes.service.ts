/** Sending, checking and using verification codes. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { Channel } from '#db/schema/delivery.ts'
import type { Tx } from '#db/store.ts'
import { endSuppression, reportCeiling, sendCode, usesOfCeiling } from '#domains/delivery/index.ts'
import { secondsOf } from '#http/budget.ts'
import type { Caller } from '#http/endpoint.ts'
import { AppError } from '#http/errors.ts'
import { digits } from '#platform/ids.ts'

import { tooManyCodes, wrongCode } from '../accounts.errors.ts'
import { ANONYMOUS_USER_ID, CODE_AGAIN_MS, CODE_DIGITS, CODE_MS } from '../accounts.model.ts'
import { providerOf } from '../accounts.rules.ts'
import type { CodeSent } from './codes.model.ts'
import { usesOfCode } from './codes.rules.ts'
import { type CodeKey, countCodeTry, saveCode, takeCode } from './codes.store.ts'

const hashOf = (ctx: AppContext, { purpose, credential, userId }: CodeKey, code: string): string =>
  ctx.seal.mac(JSON.stringify(['code', purpose, userId, credential, code]))

/** Sends a code for signing in, whether or not an account has the credential. @throws AppError 429 if a limit is reached. */
export const sendLoginCode = (ctx: AppContext, credential: string, caller: Caller): Promise<CodeSent> =>
  issueCode(ctx, { purpose: 'LOGIN', credential, userId: ANONYMOUS_USER_ID }, caller)

/**
 * Sends a code to the credential, unless `refuse` (called inside the write) gives a reason not to. A refused call costs the same
 * and still counts in the caller's limits. @throws AppError 429 if a limit is reached.
 */
export async function issueCode(
  ctx: AppContext,
  key: CodeKey,
  caller: Caller,
  refuse: (tx: Tx) => Promise<AppError | undefined> = async () => undefined,
): Promise<CodeSent> {
  const channel: Channel = providerOf(key.credential) === 'EMAIL' ? 'EMAIL' : 'SMS'
  const uses = usesOfCode({ ...key, channel, ip: caller.ip })
  const ceiling = await usesOfCeiling(ctx, channel)
  // Errors are returned, not thrown: throwing would roll the counters back.
  const result = await ctx.db.write('accounts.sendCode', async (tx): Promise<AppError | CodeSent> => {
    // Read inside the write: it may have waited for others, and their counts must not be later than its own time.
    const now = ctx.clock.now()
    const expiresAt = now + CODE_MS
    const problem = await refuse(tx)
    const refusal = await spend(tx, problem ? uses.caller : [...uses.caller, ...uses.credential, ...ceiling], now)
    if (refusal) {
      reportCeiling(ctx, refusal)
      return tooManyCodes(secondsOf(refusal))
    }
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

/** A code that was checked and not used yet. */
export interface Proof {
  readonly id: number
  readonly hash: string
  readonly credential: string
}

/** Counts the try, then compares. @throws AppError 400, the same one for a wrong, used, expired or too often tried code. */
export async function checkCode(ctx: AppContext, key: CodeKey, code: string): Promise<Proof> {
  const found = await ctx.db.write('accounts.tryCode', (tx) => countCodeTry(tx, key, ctx.clock.now()))
  if (found === undefined || found.hash !== hashOf(ctx, key, code)) throw wrongCode()
  return { ...found, credential: key.credential }
}

/** Uses the code up, in the write that it permits. Of several callers with one code, one succeeds. @throws AppError 400 */
export async function consumeCode(ctx: AppContext, tx: Tx, proof: Proof): Promise<void> {
  if (!(await takeCode(tx, proof))) throw wrongCode()
  if (providerOf(proof.credential) === 'EMAIL') await endSuppression(ctx, tx, proof.credential)
}
