/** Organization codes are short: who tries them out is stopped (interface: 20 wrong ones a minute and address). */

import type { AppContext } from '#context'
import type { Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { ipBucket } from '#lib/ip.ts'
import { MINUTE } from '#platform/clock.ts'

import { tooManyWrongCodes } from './errors.ts'

const WRONG_PER_MINUTE = 20

/**
 * What `look` finds for a code, or a 404. Right codes are never counted, so a crowd behind one address can join at once; after too
 * many wrong ones no code of that address is looked at.
 */
export async function lookUpCode<T>(ctx: AppContext, caller: Caller, look: () => Promise<T | undefined>): Promise<T> {
  const key = `org code ${ipBucket(caller.ip)}`
  const wait = ctx.config.rateLimit ? ctx.limiter.spent(key, WRONG_PER_MINUTE) : 0
  if (wait > 0) throw tooManyWrongCodes(wait)
  const found = await look()
  if (found !== undefined) return found
  ctx.limiter.take(key, WRONG_PER_MINUTE, MINUTE)
  throw notFound()
}
