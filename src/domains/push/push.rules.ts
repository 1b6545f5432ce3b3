/** Decides whether and when a push is sent to a device. */

import { localTime } from '#lib/days.ts'
import { DAY, HOUR, SECOND } from '#platform/clock.ts'

export interface QuietHours {
  readonly quietFrom: number | null
  readonly quietTo: number | null
  readonly timeZone: string
}

/** Quiet hours begin with the minute `quietFrom` and end before the minute `quietTo`, which may be on the next day. */
export function isQuiet({ quietFrom, quietTo, timeZone }: QuietHours, now: number): boolean {
  if (quietFrom === null || quietTo === null) return false
  const { hour, minute } = localTime(now, timeZone)
  const at = hour * 60 + minute
  return quietFrom < quietTo ? at >= quietFrom && at < quietTo : at >= quietFrom || at < quietTo
}

/** Characters of a title or text that are sent. */
const EXCERPT = 100

/** The beginning of a text on one line. */
export const excerptOf = (text: string): string =>
  [
    ...text
      .slice(0, 4 * EXCERPT)
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, EXCERPT)
    .join('')

export type Outcome = 'taken' | 'gone' | 'refused' | 'retry'

/** The meaning of the status that a push service answers (RFC 8030). */
export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'taken'
  if (status === 404 || status === 410) return 'gone'
  return status === 429 || status >= 500 ? 'retry' : 'refused'
}

/** Attempts for one message. */
export const MAX_ATTEMPTS = 4
const LONGEST_PAUSE_MS = HOUR

/** For so long a device gets nothing after failed attempts in a row: 1 s, 5 s, 25 s, and so on. `asked`: seconds of `Retry-After`. */
export const pauseAfter = (failed: number, asked = 0): number =>
  Math.min(Math.max(SECOND * 5 ** (failed - 1), asked * SECOND), LONGEST_PAUSE_MS)

const MAX_FAILURES = 10

/** Whether a device is gone without a word: failures in a row, and no success for a day. */
export const isAbandoned = (
  row: { readonly failures: number; readonly lastSuccessAt: number | null; readonly createdAt: number },
  now: number,
): boolean => row.failures >= MAX_FAILURES && (row.lastSuccessAt ?? row.createdAt) < now - DAY
