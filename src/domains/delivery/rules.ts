/** How long to wait before a message is tried again. Pure. */

import { SECOND } from '#platform/clock.ts'

const FIRST_PAUSE_MS = 2 * SECOND
/** The longest pause is this part of a message's life: 30 s for a code of 5 minutes, 2.4 hours for a notice. */
const LONGEST_PART = 10
/** So that messages which failed together do not come back together. */
const SPREAD = 0.2

export interface Waiting {
  /** Tries made so far, the failed one included. */
  readonly attempts: number
  readonly createdAt: number
  readonly expiresAt: number
}

/** When to try again, or undefined when the message would be worth nothing by then. `random`: at least 0, below 1. */
export function nextTry({ attempts, createdAt, expiresAt }: Waiting, now: number, random: number): number | undefined {
  const longest = (expiresAt - createdAt) / LONGEST_PART
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), longest) * (1 + SPREAD * (2 * random - 1))
  const next = Math.round(now + pause)
  return next < expiresAt ? next : undefined
}

/** What a code's message says of its life: whole minutes, at least one. */
export const minutesLeft = (expiresAt: number, now: number): number =>
  Math.max(1, Math.ceil((expiresAt - now) / (60 * SECOND)))
