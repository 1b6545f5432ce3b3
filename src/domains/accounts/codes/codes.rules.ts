/** To whom and how often codes are sent (spec §8). Pure. */

import type { CodePurpose } from '#db/schema/accounts.ts'
import type { Channel } from '#db/schema/delivery.ts'
import { usesByAddress } from '#http/budget.ts'
import { ipNetworks } from '#lib/ip.ts'
import { sha256 } from '#platform/ids.ts'
import type { Use } from '#platform/limiter.ts'

import {
  CODE_AGAIN_MS,
  CODE_WINDOW_MS,
  CODES_A_DAY,
  CODES_A_DAY_BY_IP,
  CODES_A_DAY_FROM_IP,
  CODES_FOR_RESET,
  LINK_CODES_A_DAY,
  LINK_CODES_A_DAY_BY_USER,
} from '../accounts.model.ts'
import { emailOf, phoneOf } from '../accounts.rules.ts'
import type { ToEmail, ToPhone } from './codes.model.ts'

export const phoneIn = (body: ToPhone): Promise<string> => phoneOf(body.phone || body.credential)
export const emailIn = (body: ToEmail): string => emailOf(body.email || body.credential)

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
  // The widest network of IPv6: a stranger with a /48 has thousands of /64s.
  const from = (kind: string) => aDay(`code:${kind}:${to}:from:${ipNetworks(ip).at(-1)}`, CODES_A_DAY_FROM_IP[channel])
  if (purpose === 'ACCOUNT_LINK')
    return {
      caller: [aDay(`code:link:user:${userId}`, LINK_CODES_A_DAY_BY_USER)],
      credential: [again, from('link'), aDay(`code:link:${to}`, LINK_CODES_A_DAY)],
    }
  const most = CODES_A_DAY[channel] - (purpose === 'RESET' ? 0 : CODES_FOR_RESET)
  return {
    caller: usesByAddress(aDay('code:ip:', CODES_A_DAY_BY_IP), ip),
    // Only its user requests CHANGE codes to a credential, so no stranger can use them up.
    credential: [again, ...(purpose === 'CHANGE' ? [] : [from(channel)]), aDay(`code:${channel}:${to}`, most)],
  }
}
