/** Pure decisions about presence. */

import { MINUTE, SECOND } from '#platform/clock.ts'

/** The row of a user is written at most once in this time. Clients say as often that somebody is there. */
export const SEEN_EVERY_MS = MINUTE

/** A row can be two minutes old while its user is there: it is written once a minute, some seconds after a frame. */
const ONLINE_MS = 150 * SECOND

/** Only minutes are shown, so that nobody's habits can be read from it in seconds. */
export const presenceAt = (seenAt: number, now: number): { readonly online: boolean; readonly lastSeenAt: number } => ({
  online: now - seenAt < ONLINE_MS,
  lastSeenAt: seenAt - (seenAt % MINUTE),
})
