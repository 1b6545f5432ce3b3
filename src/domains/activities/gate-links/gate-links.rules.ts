/** Decides when a gate ends. Pure. */

import type { GateSession } from '#db/schema/activity-gates.ts'
import { HOUR, MINUTE, SECOND } from '#platform/clock.ts'

/** A gate without an end of its own ends this long after its activity. */
export const AFTER_ACTIVITY_MS = 12 * HOUR
/** For this long after the end of a gate, its devices can upload earlier scans. */
export const UPLOADED_UNTIL_MS = 48 * HOUR
export const MAX_LIVE_GATES = 50
/** Uses that a gate may undo. */
export const UNDO_MS = 15 * MINUTE
/** Requests of a device are recorded as signs of life at most this often. */
export const SEEN_EVERY_MS = 30 * SECOND

type Gate = Pick<GateSession['gate'], 'expiresAt' | 'revokedAt'>
type Activity = Pick<GateSession['activity'], 'status' | 'endTime' | 'endedAt' | 'deletedAt'>

/** When a gate expires, unless something ends it before. */
export const expiryOf = ({ expiresAt }: Pick<Gate, 'expiresAt'>, { endTime }: Pick<Activity, 'endTime'>): number =>
  expiresAt ?? endTime + AFTER_ACTIVITY_MS

/** Whether the gate is for the check-in list; null is the entrance of the activity. */
export const isForList = ({ listIds }: Pick<GateSession['gate'], 'listIds'>, listId: number | null): boolean =>
  listIds === null || listIds.includes(listId)

export type GateEndReason = 'DELETED' | 'CANCELLED' | 'REVOKED' | 'RENEWED' | 'EXPIRED'
export interface GateEnd {
  readonly at: number
  readonly why: GateEndReason
}

/** The first end of a gate, or of the link that a device of it has opened; undefined while it goes on. */
export function endOf(
  gate: Gate,
  activity: Activity,
  now: number,
  device?: Pick<GateSession['device'], 'endedAt'>,
): GateEnd | undefined {
  const expiry = expiryOf(gate, activity)
  const ends: readonly { readonly at: number | null; readonly why: GateEndReason }[] = [
    { at: activity.deletedAt, why: 'DELETED' },
    { at: activity.status === 'CANCELLED' ? activity.endedAt : null, why: 'CANCELLED' },
    { at: gate.revokedAt, why: 'REVOKED' },
    { at: device?.endedAt ?? null, why: 'RENEWED' },
    { at: expiry <= now ? expiry : null, why: 'EXPIRED' },
  ]
  let first: GateEnd | undefined
  for (const { at, why } of ends) if (at !== null && (first === undefined || at < first.at)) first = { at, why }
  return first
}
