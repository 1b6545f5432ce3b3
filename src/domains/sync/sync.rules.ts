import { DAY } from '#platform/clock.ts'

/** Tombstones are kept this long, in milliseconds: a client that is older does not learn of all deletions. */
export const KEPT_MS = 90 * DAY
