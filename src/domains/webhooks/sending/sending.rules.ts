/** Signatures by the rules of Standard Webhooks, and when a delivery is tried again. */

import { createHmac } from 'node:crypto'

import { DAY, HOUR, MINUTE, SECOND } from '#platform/clock.ts'

import { SECRET_PREFIX } from '../webhooks/webhooks.rules.ts'

/**
 * Requests at once: of the server, of all webhooks that are fast or of all others, and of a fast one. The others are those whose last attempt failed or
 * took long, and new ones. They get one each, so that dead receivers take no places from those that answer.
 */
export const PLACES = { all: 32, fast: 24, others: 16, each: 4 } as const
/** Deliveries of a fast webhook that a process claims, with those that it is sending: so it need not wait for the disk after each. */
export const CLAIMED = 48
/** From the resolution of the name to the end of the answer. */
export const ATTEMPT_MS = 10 * SECOND
/** A receiver that takes longer counts as slow. */
export const SLOW_MS = 2 * SECOND
/** By how much the clocks of processes may differ, and a process be held up: a claim that another one sees end earlier would be sent twice. */
const SPARE_MS = 20 * SECOND
/** No attempt begins later than so long before the end of its claim. */
export const LAST_START_MS = ATTEMPT_MS + SPARE_MS
/** A process that has claimed a delivery and not ended the attempt by then is dead. */
export const CLAIM_MS = LAST_START_MS + 10 * SECOND

/** Pauses after failed attempts. After one more failure the delivery is FAILED. */
const PAUSES = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  8 * HOUR,
] as const
/** Pauses differ by at most this part, so that deliveries that failed together are not tried together. */
const SPREAD = 0.1
/** The longest `Retry-After` that is kept. */
const LONGEST_ASKED = HOUR

/**
 * Milliseconds until the next attempt; undefined if there is none. `tries`: attempts until now. `random`: from 0 up to 1. `asked`: seconds of
 * `Retry-After`.
 */
export function pauseAfter(tries: number, random: number, asked?: number): number | undefined {
  const pause = PAUSES[tries - 1]
  if (pause === undefined) return undefined
  const wanted = asked === undefined ? 0 : Math.min(Math.max(asked, 0) * SECOND, LONGEST_ASKED)
  return Math.max(Math.round(pause * (1 - SPREAD + 2 * SPREAD * random)), wanted)
}

/** So many failures in a row, and no success for so long, switch a webhook off. */
const FAILURES = 20
const FAILING_MS = 3 * DAY

export const isFailing = (
  { failures, lastSuccessAt, enabledAt }: { failures: number; lastSuccessAt: number | null; enabledAt: number },
  now: number,
): boolean => failures >= FAILURES && now - Math.max(lastSuccessAt ?? 0, enabledAt) >= FAILING_MS

/** The header `webhook-signature` for each of the secrets. `timestamp`: epoch seconds. */
export const signature = (secrets: readonly string[], id: string, timestamp: string, body: string): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
