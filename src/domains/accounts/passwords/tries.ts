/** The failure lock: 5 failures on a credential within 5 minutes lock it for 5 minutes (spec §5.6). Pure. */

import { FAILURE_WINDOW_MS, LOCK_MS, MAX_FAILURES } from '../limits.ts'

export interface Tries {
  /** Epoch milliseconds, oldest first, at most `MAX_FAILURES`. */
  readonly triedAt: readonly number[]
  readonly lockedUntil: number
}

const NONE: Tries = { triedAt: [], lockedUntil: 0 }

/**
 * The state after one more attempt at `now`, or for how long (milliseconds) it is refused. An attempt is taken for a failure until
 * it succeeds: the fifth is still let through, but locks the credential while it is being checked.
 */
export function countTry(before: Tries | undefined, now: number): { after: Tries } | { refusedFor: number } {
  const { triedAt, lockedUntil } = before ?? NONE
  if (lockedUntil > now) return { refusedFor: lockedUntil - now }
  const recent = triedAt.filter((at) => at > now - FAILURE_WINDOW_MS)
  const tries = [...recent, now]
  return { after: { triedAt: tries, lockedUntil: tries.length >= MAX_FAILURES ? now + LOCK_MS : 0 } }
}

/** Takes the latest attempt back: it was never checked. */
export const takeBack = (tries: Tries): Tries => ({ triedAt: tries.triedAt.slice(0, -1), lockedUntil: 0 })

/** From then on the row says nothing. */
export const saysNothingFrom = (tries: Tries): number =>
  Math.max(tries.lockedUntil, (tries.triedAt.at(-1) ?? 0) + FAILURE_WINDOW_MS)
