/** How often codes are sent (spec §8). Pure. */

import type { CodePurpose } from '#db/schema/accounts.ts'
import type { Channel } from '#db/schema/delivery.ts'
import { sha256 } from '#platform/ids.ts'

import {
  CODE_AGAIN_MS,
  CODE_WINDOW_MS,
  CODES_A_DAY,
  CODES_A_DAY_BY_IP,
  LINK_CODES_A_DAY,
  LINK_CODES_A_DAY_BY_USER,
} from '../model.ts'

/** At most `limit` codes in a window that starts with the first one. */
export interface Budget {
  readonly key: string
  readonly limit: number
  readonly windowMs: number
}

export interface CodeRequest {
  readonly purpose: CodePurpose
  readonly channel: Channel
  /** Normalized. */
  readonly credential: string
  /** `ANONYMOUS_USER_ID` for purposes that need no sign-in. */
  readonly userId: number
  /** The caller's IPv4 address, or its IPv6 network. */
  readonly network: string
}

/** The budgets that one code uses up: those of `caller` always, those of `credential` if a code is sent. */
export function budgetsOf({ purpose, channel, credential, userId, network }: CodeRequest): {
  caller: Budget[]
  credential: Budget[]
} {
  const to = sha256(credential)
  const again = { key: `code:again:${purpose}:${to}`, limit: 1, windowMs: CODE_AGAIN_MS }
  const aDay = (key: string, limit: number): Budget => ({ key, limit, windowMs: CODE_WINDOW_MS })
  if (purpose === 'ACCOUNT_LINK')
    return {
      caller: [aDay(`code:link:user:${userId}`, LINK_CODES_A_DAY_BY_USER)],
      credential: [again, aDay(`code:link:${to}`, LINK_CODES_A_DAY)],
    }
  return {
    caller: [aDay(`code:ip:${network}`, CODES_A_DAY_BY_IP)],
    credential: [again, aDay(`code:${channel}:${to}`, CODES_A_DAY[channel])],
  }
}

export interface Counted {
  readonly count: number
  readonly windowStart: number
}

/** The count after one more code at `now`, or for how long (milliseconds) it is refused. */
export function countOne(
  before: Counted | undefined,
  { limit, windowMs }: Budget,
  now: number,
): { after: Counted } | { refusedFor: number } {
  if (before === undefined || before.windowStart + windowMs <= now) return { after: { count: 1, windowStart: now } }
  if (before.count >= limit) return { refusedFor: before.windowStart + windowMs - now }
  return { after: { count: before.count + 1, windowStart: before.windowStart } }
}
