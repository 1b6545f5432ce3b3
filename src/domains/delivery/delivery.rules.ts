/** Decides when a failed message is tried again. Pure. */

import { SECOND } from '#platform/clock.ts'

const FIRST_PAUSE_MS = 2 * SECOND
/** The longest pause is a tenth of the message's lifetime: 30 s for a code of 5 minutes, 2.4 hours for a notice. */
const LONGEST_PAUSE_PARTS = 10
/** Random deviation of a pause, so that messages that failed together are not retried together. */
const JITTER = 0.2

export interface FailedMessage {
  /** Attempts made so far, including the failed one. */
  readonly attempts: number
  readonly createdAt: number
  readonly expiresAt: number
}

/** The time of the next attempt, or undefined if the message will have expired by then. `random`: at least 0, below 1. */
export function nextAttempt(
  { attempts, createdAt, expiresAt }: FailedMessage,
  now: number,
  random: number,
): number | undefined {
  const longest = (expiresAt - createdAt) / LONGEST_PAUSE_PARTS
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), longest) * (1 + JITTER * (2 * random - 1))
  const next = Math.round(now + pause)
  return next < expiresAt ? next : undefined
}

/** The remaining lifetime that a code's message states, in whole minutes, rounded up, at least 1. */
export const minutesLeft = (expiresAt: number, now: number): number =>
  Math.max(1, Math.ceil((expiresAt - now) / (60 * SECOND)))
