/** How often codes are sent (spec §8). Pure. */

import type { CodePurpose } from '#db/schema/accounts.ts'
import type { Channel } from '#db/schema/delivery.ts'
import { usesByAddress } from '#http/budget.ts'
import { sha256 } from '#platform/ids.ts'
import type { Use } from '#platform/limiter.ts'

import {
  CODE_AGAIN_MS,
  CODE_WINDOW_MS,
  CODES_A_DAY,
  CODES_A_DAY_BY_IP,
  LINK_CODES_A_DAY,
  LINK_CODES_A_DAY_BY_USER,
} from '../model.ts'

export interface CodeRequest {
  readonly purpose: CodePurpose
  readonly channel: Channel
  /** Normalized. */
  readonly credential: string
  /** `ANONYMOUS_USER_ID` for purposes that need no sign-in. */
  readonly userId: number
  /** The caller's IP address. */
  readonly ip: string
}

/** The limits that one code counts in: `caller` always, `credential` if a code is sent. */
export function usesOfCode({ purpose, channel, credential, userId, ip }: CodeRequest): {
  caller: Use[]
  credential: Use[]
} {
  const to = sha256(credential)
  const again = { key: `code:again:${purpose}:${to}`, limit: 1, windowMs: CODE_AGAIN_MS }
  const aDay = (key: string, limit: number): Use => ({ key, limit, windowMs: CODE_WINDOW_MS })
  if (purpose === 'ACCOUNT_LINK')
    return {
      caller: [aDay(`code:link:user:${userId}`, LINK_CODES_A_DAY_BY_USER)],
      credential: [again, aDay(`code:link:${to}`, LINK_CODES_A_DAY)],
    }
  return {
    caller: usesByAddress(aDay('code:ip:', CODES_A_DAY_BY_IP), ip),
    credential: [again, aDay(`code:${channel}:${to}`, CODES_A_DAY[channel])],
  }
}
