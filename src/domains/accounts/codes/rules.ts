/** How often codes are sent (spec §8). Pure. */

import { sha256 } from '#platform/ids.ts'

import {
  CODE_AGAIN_MS,
  CODE_WINDOW_MS,
  CODES_A_DAY,
  CODES_A_DAY_BY_IP,
  LINK_CODES_A_DAY,
  LINK_CODES_A_DAY_BY_USER,
} from '../limits.ts'

export type Purpose = 'LOGIN' | 'BIND' | 'ACCOUNT_LINK' | 'RESET' | 'CHANGE'
export type Channel = 'EMAIL' | 'SMS'

/** At most `limit` in a window that begins with the first. */
export interface Budget {
  readonly key: string
  readonly limit: number
  readonly windowMs: number
}

export interface Asked {
  readonly purpose: Purpose
  readonly channel: Channel
  /** Normalized. */
  readonly credential: string
  /** 0 for purposes of people who are not signed in. */
  readonly userId: number
  /** Address of the caller, or the network it stands for. */
  readonly network: string
}

/** What one code counts in: `caller` always, `credential` when there is somebody to send it to. */
export function budgetsOf({ purpose, channel, credential, userId, network }: Asked): {
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

/** The count after one more at `now`, or for how long (milliseconds) it is refused. */
export function countOne(
  before: Counted | undefined,
  { limit, windowMs }: Budget,
  now: number,
): { after: Counted } | { refusedFor: number } {
  if (before === undefined || before.windowStart + windowMs <= now) return { after: { count: 1, windowStart: now } }
  if (before.count >= limit) return { refusedFor: before.windowStart + windowMs - now }
  return { after: { count: before.count + 1, windowStart: before.windowStart } }
}
