/** Decisions about check-ins. Pure: the time, the activity and the user's earlier check-ins are parameters. */

import type { ActivityStatus, CheckInMethod } from '#db/schema/activities.ts'
import type { GuessLimit } from '#http/budget.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

import { type CheckInPolicy, scannedIn } from '../register/register.rules.ts'
import { normalizeInviteCode } from '../visibility/visibility.rules.ts'

export interface Position {
  /** Degrees. */
  readonly latitude: number
  readonly longitude: number
}

/** Mean radius of the Earth in metres (IUGG). */
const EARTH_RADIUS = 6_371_008.8

const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** The distance between two places on a sphere in metres, by the haversine formula, which is exact for short distances too. */
export function distanceBetween(a: Position, b: Position): number {
  const [latitudeA, latitudeB] = [radians(a.latitude), radians(b.latitude)]
  const halfChord =
    Math.sin((latitudeB - latitudeA) / 2) ** 2 +
    Math.cos(latitudeA) * Math.cos(latitudeB) * Math.sin(radians(b.longitude - a.longitude) / 2) ** 2
  // Rounding can lift it above 1 for places on opposite sides of the Earth.
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(halfChord)))
}

/** An inaccurate position counts as up to this many metres nearer. More would let anyone in who claims a bad position. */
const MAX_FORGIVEN = 50

/** The code that a user scanned or typed: of the activity (its own code, landing page or invite code), of its check-in page, or foreign. */
export type ScannedCode = 'activity' | 'check-in' | 'foreign'

/** The rotating code in the scanned link of a check-in page; undefined without one. */
export function rotatingCodeIn(content: string, addresses: readonly string[]): string | undefined {
  const scanned = scannedIn(content, addresses)
  return scanned.kind === 'page' && scanned.page === 'check-in' ? scanned.rotating : undefined
}

export function scannedCode(
  content: string,
  activity: {
    readonly id: number
    readonly uuid: string
    readonly checkInUuid: string
    readonly inviteCode: string | null
  },
  addresses: readonly string[],
): ScannedCode {
  const scanned = scannedIn(content, addresses)
  if (scanned.kind === 'activity') return scanned.id === activity.id ? 'activity' : 'foreign'
  if (scanned.kind === 'page') {
    const uuid = scanned.page === 'activity' ? activity.uuid : activity.checkInUuid
    return scanned.uuid === uuid ? scanned.page : 'foreign'
  }
  if (scanned.kind !== 'text' || activity.inviteCode === null) return 'foreign'
  return normalizeInviteCode(scanned.text) === activity.inviteCode ? 'activity' : 'foreign'
}

/** Everything that a decision depends on. */
export interface Attempt {
  readonly now: number
  readonly hasCheckIn: boolean
  readonly status: ActivityStatus
  readonly policy: CheckInPolicy
  /** Null if the request has none. */
  readonly scanned: ScannedCode | null
  readonly position: (Position & { readonly accuracy: number }) | null
  readonly shortCode: string | null
  /** Whether the user has a CONFIRMED registration. Only asked if the policy needs one. */
  readonly isRegistered: boolean
  /** Whether the scanned code holds a rotating code that is good now. Only asked if the code rotates. */
  readonly isCurrent: boolean
  /** The user's check-ins so far. */
  readonly earlier: number
}

export type Reason =
  | 'no check-in'
  | 'draft'
  | 'ended'
  | 'cancelled'
  | 'too early'
  | 'too late'
  | 'foreign code'
  | 'not registered'
  | 'over the limit'
  | 'no position'
  | 'outside'
  | 'no short code'
  | 'wrong short code'
  | 'expired code'

export interface Accepted {
  readonly method: CheckInMethod
  /** Whole metres from the centre of the radius; null without a radius. */
  readonly distance: number | null
}

/** `distance` is that of 'outside'. */
export interface Refused {
  readonly reason: Reason
  readonly distance: number | null
}

const WRONG_STATUS: Readonly<Record<ActivityStatus, Reason | undefined>> = {
  DRAFT: 'draft',
  ACTIVE: undefined,
  ENDED: 'ended',
  CANCELLED: 'cancelled',
}

/**
 * Whether a user who may see the activity can check in, and how. A refusal names the first reason in this order: no check-in at all, the
 * status, the opening times, a foreign code, no registration, the limit per user, the place, the short code or the code of the screen. These
 * codes come last, so that only users whose check-in depends on nothing else learn whether they guessed one.
 */
export function decide(attempt: Attempt): Accepted | Refused {
  const { now, policy, scanned, position } = attempt
  const refused = (reason: Reason, distance: number | null = null): Refused => ({ reason, distance })
  if (!attempt.hasCheckIn) return refused('no check-in')
  const wrongStatus = WRONG_STATUS[attempt.status]
  if (wrongStatus !== undefined) return refused(wrongStatus)
  if (policy.opensAt !== null && now < policy.opensAt) return refused('too early')
  if (now > policy.closesAt) return refused('too late')
  if (scanned === 'foreign') return refused('foreign code')
  if (policy.registeredOnly && !attempt.isRegistered) return refused('not registered')
  if (policy.maxPerUser !== 0 && attempt.earlier >= policy.maxPerUser) return refused('over the limit')

  let distance: number | null = null
  if (policy.radius !== null) {
    if (position === null) return refused('no position')
    distance = Math.round(distanceBetween(position, policy.radius))
    if (distance - Math.min(position.accuracy, MAX_FORGIVEN) > policy.radius.meters) return refused('outside', distance)
  }

  if (policy.rotatingSeconds !== null) {
    if (!attempt.isCurrent) return refused('expired code')
  }
  // The code of the check-in page is shown at the same place as the short code, and replaces it.
  else if (policy.shortCode !== null && scanned !== 'check-in') {
    if (attempt.shortCode === null) return refused('no short code')
    if (folded(attempt.shortCode) !== folded(policy.shortCode)) return refused('wrong short code')
    return { method: 'CODE', distance }
  }
  return { method: policy.radius === null ? 'QR' : 'GPS', distance }
}

/** Without case and width: a Chinese keyboard may type `Ａ１` for `a1`. */
const folded = (text: string): string => text.normalize('NFKC').trim().toLowerCase()

/** Whether the decision depended on the short code: wrong ones are guesses of a secret. */
export const comparedShortCode = (decision: Accepted | Refused): boolean =>
  'reason' in decision ? decision.reason === 'wrong short code' : decision.method === 'CODE'

/** Four digits would otherwise be guessed in a few minutes. */
export const WRONG_SHORT_CODES: GuessLimit = { name: 'short code', wrong: 20, windowMs: MINUTE }

/**
 * Check-ins that a user may try. Activities may allow any number of check-ins for each user, and each is a row in the records of the manager.
 */
export const CHECK_IN_BUDGET = {
  name: 'check-ins',
  counts: { en: 'check-ins', zh: '签到' },
  per: 'user',
  limit: 120,
  windowMs: HOUR,
} as const

/** Start of the quarter of an hour of a time, for statistics. */
export const slotOf = (at: number): number => at - (at % QUARTER)
export const QUARTER = 15 * MINUTE
