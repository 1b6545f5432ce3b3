/** A simple model of activities, for random histories: who may do what, and what becomes of check-ins, passes and registrations. */

import type {
  ActivityStatus,
  ActivityVisibility,
  CheckInConfig,
  CheckInMethod,
  RegistrationStatus,
} from '#db/schema/activities.ts'
import type { Direction, PassUseResult, RefusalReason } from '#db/schema/passes.ts'

/** GATE is a role of this organization only: it redeems passes and cannot read activities. */
export type Role = 'OWNER' | 'ADMIN' | 'MEMBER' | 'GUEST' | 'GATE'

export interface Org {
  readonly id: number
  /** By user id. */
  readonly roles: Map<number, Role>
  isDisabled: boolean
}

export interface CheckIn {
  readonly userId: number
  readonly sequence: number
  readonly method: CheckInMethod
}

export interface Pass {
  readonly id: number
  readonly uuid: string
  content: string
  readonly activity: Activity
  readonly holderId: number | null
  readonly holderName: string
  readonly validFrom: number | null
  /** Null: it follows the activity. */
  ownEnd: number | null
  readonly validTo: number
  /** 0 = unlimited. */
  readonly maxUses: number
  used: number
  /** Whether the last accepted use was an entry. */
  isInside: boolean
  revokedAt: number | null
}

export interface Use {
  /** Undefined for a forged one. */
  readonly pass: Pass | undefined
  readonly nonce: string | null
  readonly direction: Direction
  readonly result: PassUseResult
  readonly reason: RefusalReason | null
  /** Of the record, as far as an answer has shown it, and the pass as it was before. */
  readonly record?: { readonly id: number; readonly before: Pick<Pass, 'used' | 'isInside'> }
  isUndone?: boolean
}

/** Whether it is the last use of its pass that counts. */
export const isLatest = (use: Use, { uses }: Activity): boolean =>
  uses.findLast((each) => each.pass === use.pass && each.result === 'ACCEPTED' && !each.isUndone) === use

export interface Registration {
  readonly userId: number
  status: RegistrationStatus
  /** The order of the waiting list. */
  queue: number
}

export interface Activity {
  readonly id: number
  readonly uuid: string
  /** Undefined for a personal activity. */
  readonly org: Org | undefined
  readonly creatorId: number
  name: string
  startTime: number
  endTime: number
  visibility: ActivityVisibility
  status: ActivityStatus
  /** When it was ended or cancelled. */
  endedAt: number | null
  inviteCode: string | null
  hasCheckIn: boolean
  hasPass: boolean
  position: readonly [latitude: number, longitude: number] | null
  checkIn: Pick<CheckInConfig, 'radiusMeters' | 'shortCode' | 'maxPerUser' | 'opensAt' | 'closesAt'>
  /** Null if users cannot register; a capacity of 0 is unlimited. */
  registration: { readonly capacity: number; readonly waitlist: boolean; readonly closesAt: number | null } | null
  isDeleted: boolean
  version: number
  updatedAt: number
  /** The content of the check-in code, once a manager has seen it. */
  checkInContent: string | undefined
  readonly oldCodes: string[]
  readonly checkIns: CheckIn[]
  readonly passes: Pass[]
  readonly uses: Use[]
  readonly registrations: Registration[]
}

const READS = ['activity:read', 'checkin:create']
const POINTS: Readonly<Record<Role, readonly string[] | 'all'>> = {
  OWNER: 'all',
  ADMIN: 'all',
  MEMBER: READS,
  GUEST: READS,
  GATE: ['pass:verify'],
}

export function holds(org: Org, userId: number, point: string): boolean {
  const role = org.roles.get(userId)
  return role !== undefined && (POINTS[role] === 'all' || POINTS[role].includes(point))
}

export const manages = ({ org, creatorId }: Activity, userId: number, point = 'activity:update'): boolean =>
  org === undefined
    ? userId === creatorId
    : (userId === creatorId && org.roles.has(userId)) || holds(org, userId, point)

/** The status of a read. */
export function sight(activity: Activity, userId: number, hasCode: boolean): 200 | 403 | 404 {
  const { isDeleted, status, visibility, org, registrations } = activity
  if (isDeleted) return 404
  if (manages(activity, userId)) return 200
  if (status === 'DRAFT') return 404
  if (visibility === 'PUBLIC') return 200
  const isRegistered = registrations.some((one) => one.userId === userId && one.status !== 'CANCELLED')
  if (visibility === 'INVITE_ONLY') return hasCode || isRegistered ? 200 : 403
  return org !== undefined && holds(org, userId, 'activity:read') ? 200 : 404
}

/** The status of an operation for managers, apart from the state of the activity. */
export function admission(activity: Activity, userId: number, point: string): 200 | 403 | 404 {
  if (!activity.isDeleted && manages(activity, userId, point)) return 200
  const seen = sight(activity, userId, false)
  return seen === 200 ? 403 : seen
}

export const isDisabled = ({ org }: Activity): boolean => org?.isDisabled === true

const TRANSITIONS: Readonly<Record<ActivityStatus, readonly ActivityStatus[]>> = {
  DRAFT: ['ACTIVE'],
  ACTIVE: ['ENDED', 'CANCELLED'],
  ENDED: [],
  CANCELLED: [],
}
/** The present status again is accepted and changes nothing. */
export const mayBecome = (from: ActivityStatus, to: ActivityStatus): boolean =>
  from === to || TRANSITIONS[from].includes(to)

export interface CheckInAttempt {
  /** Metres from the activity; undefined if the phone sends no position. */
  readonly meters?: number
  readonly accuracy?: number
  readonly shortCode?: string
  /** Whether the code of the check-in page was scanned, which replaces the short code. */
  readonly hasScanned: boolean
}

/** The method, or undefined if the check-in is refused. */
export function checkInMethod(
  activity: Activity,
  userId: number,
  attempt: CheckInAttempt,
  now: number,
): CheckInMethod | undefined {
  const { checkIn, endTime, status, hasCheckIn, checkIns } = activity
  const { radiusMeters, shortCode, maxPerUser, opensAt, closesAt } = checkIn
  if (!hasCheckIn || status !== 'ACTIVE') return undefined
  if ((opensAt !== null && now < opensAt) || now > (closesAt ?? endTime)) return undefined
  if (radiusMeters !== null) {
    if (attempt.meters === undefined) return undefined
    if (attempt.meters - Math.min(attempt.accuracy ?? 0, 50) > radiusMeters) return undefined
  }
  const isTyped = !attempt.hasScanned && shortCode !== null
  if (isTyped && attempt.shortCode?.toLowerCase() !== shortCode.toLowerCase()) return undefined
  if (maxPerUser > 0 && checkIns.filter((each) => each.userId === userId).length >= maxPerUser) return undefined
  return isTyped ? 'CODE' : radiusMeters === null ? 'QR' : 'GPS'
}

export const isLive = (pass: Pass, now: number): boolean =>
  pass.revokedAt === null && !(pass.validTo !== null && now > pass.validTo)

export type PassStatus = 'ISSUED' | 'USED' | 'EXPIRED' | 'REVOKED'
export function passStatus(pass: Pass, now: number): PassStatus {
  if (pass.revokedAt !== null) return 'REVOKED'
  if (pass.validTo !== null && now > pass.validTo) return 'EXPIRED'
  return pass.maxUses > 0 && pass.used >= pass.maxUses ? 'USED' : 'ISSUED'
}

/** Whether the last accepted use was an exit, so that the next entry is free. */
export const mayReturn = (pass: Pass): boolean => pass.used > 0 && !pass.isInside

/** Why a pass is refused at a gate of the activity, if it is. The time is the present, or one before the first use of the pass. */
export function refusal(
  pass: Pass,
  at: Activity,
  direction: Direction,
  now: number,
  isActive = at.status === 'ACTIVE',
): RefusalReason | null {
  if (pass.activity !== at) return 'WRONG_ACTIVITY'
  const status = passStatus(pass, now)
  if (status === 'REVOKED' || status === 'EXPIRED') return status
  const isUsed = direction === 'EXIT' ? pass.used > 0 && !pass.isInside : status === 'USED' && !mayReturn(pass)
  if (isUsed) return 'USED'
  if (!isActive) return 'ACTIVITY_NOT_ACTIVE'
  // Nobody leaves before the first entry.
  const isEarly = (pass.validFrom !== null && now < pass.validFrom) || (direction === 'EXIT' && pass.used === 0)
  return isEarly ? 'NOT_YET_VALID' : null
}

/** Counts an accepted use. */
export function spend(pass: Pass, direction: Direction): void {
  if (direction === 'ENTRY' && !mayReturn(pass)) pass.used += 1
  pass.isInside = direction === 'ENTRY'
}

const waiting = ({ registrations }: Activity): Registration[] =>
  registrations.filter(({ status }) => status === 'WAITING').toSorted((a, b) => a.queue - b.queue)

export const confirmed = ({ registrations }: Activity): number =>
  registrations.filter(({ status }) => status === 'CONFIRMED').length

/** The number of places that nobody has. */
const freePlaces = (activity: Activity): number => {
  const { capacity } = activity.registration!
  return capacity === 0 ? Number.MAX_SAFE_INTEGER : capacity - confirmed(activity)
}

/** Whether a newcomer gets a place at once: nobody waits for it. */
export const hasPlace = (activity: Activity): boolean => freePlaces(activity) > 0 && waiting(activity).length === 0

export const isRegistrationOpen = ({ status, registration, startTime, endTime }: Activity, now: number): boolean =>
  status === 'ACTIVE' && registration !== null && now < Math.min(registration.closesAt ?? startTime, endTime)

/** Confirms the first ones of the waiting list while there are places. */
export function moveUp(activity: Activity, now: number): void {
  if (activity.registration === null || activity.status !== 'ACTIVE' || now >= activity.endTime) return
  for (const each of waiting(activity)) {
    if (freePlaces(activity) <= 0) return
    each.status = 'CONFIRMED'
  }
}

/** From 1; null unless the registration is waiting. */
export function positionOf(activity: Activity, registration: Registration): number | null {
  return registration.status === 'WAITING' ? waiting(activity).indexOf(registration) + 1 : null
}
