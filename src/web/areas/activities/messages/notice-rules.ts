/** Changes of an activity that its participants are notified of (docs/activities.md). */

import type { Saved, Values } from '../form-values.ts'

/** Metres. A position that moves less is the same place. */
const NEAR = 100

/** Another time or place, as long as the activity was to end, or ends now, in the future. */
export function isNoticed(before: Saved, after: Values, now: number): boolean {
  if (Math.max(before.endTime, after.endTime ?? 0) <= now) return false
  const region = before.region
  return (
    before.startTime !== after.startTime ||
    before.endTime !== after.endTime ||
    (before.location ?? '') !== after.location.trim() ||
    (region?.province ?? '') !== after['region.province'].trim() ||
    (region?.city ?? '') !== after['region.city'].trim() ||
    (region?.district ?? '') !== after['region.district'].trim() ||
    hasMoved(before, after)
  )
}

interface Position {
  readonly latitude: number | null
  readonly longitude: number | null
}

/** A position that is added or removed does not move the place. */
function hasMoved(before: Position, after: Position): boolean {
  if (before.latitude === null || before.longitude === null || after.latitude === null || after.longitude === null)
    return false
  return metresBetween(before.latitude, before.longitude, after.latitude, after.longitude) > NEAR
}

/** On a sphere, by the haversine formula. */
function metresBetween(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2
  const a = half(lat1, lat2) + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * half(lon1, lon2)
  return 2 * 6_371_000 * Math.asin(Math.sqrt(a))
}
