/** Decides whether a pass is valid at a gate. Pure. */

import type { ActivityStatus } from '#db/schema/activities.ts'
import type { checkInLists, Direction, passes, passListUses, RefusalReason } from '#db/schema/passes.ts'

import { type DecodedToken, decodeToken, uuidInLink } from '../pass-keys/pass-keys.rules.ts'

type PassRow = typeof passes.$inferSelect

/** The pass that a visitor shows. A `uuid` without a signature was looked up, or is in the link of the page of the pass. */
export type Claim =
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: DecodedToken }
  | { readonly kind: 'uuid'; readonly uuid: string }

/** Reads the content of a scanned code, or a uuid. */
export function claimIn(given: { readonly content: string } | { readonly passUuid: string }): Claim {
  if ('content' in given) {
    const token = decodeToken(given.content)
    if (token !== undefined) return { kind: 'token', token }
  }
  const uuid = uuidInLink('content' in given ? given.content : given.passUuid)
  return uuid === undefined ? { kind: 'malformed' } : { kind: 'uuid', uuid }
}

/** The uuid of the pass, as far as it can be read. It may be forged. */
export const claimedUuid = (claim: Claim): string | null =>
  claim.kind === 'malformed' ? null : claim.kind === 'token' ? claim.token.uuid : claim.uuid

/**
 * Why the claim stands for no pass of the activity. `isGenuine`: a key of this server has signed the token. `pass`: the row with the uuid,
 * which is not looked for if the token is not genuine. Nothing is said about a pass before its signature has been checked, and nothing
 * about a pass of another activity.
 */
export function strangerReason(
  claim: Claim,
  isGenuine: boolean,
  pass: Pick<PassRow, 'activityId'> | undefined,
  activityId: number,
): RefusalReason | undefined {
  if (claim.kind === 'malformed') return 'MALFORMED'
  if (claim.kind === 'token' && !isGenuine) return 'FORGED'
  if (claim.kind === 'token' && claim.token.activityId !== activityId) return 'WRONG_ACTIVITY'
  if (pass === undefined) return 'UNKNOWN'
  return pass.activityId === activityId ? undefined : 'WRONG_ACTIVITY'
}

/** How a pass goes through a gate: an entry that takes a use, an entry after an exit that takes none, or an exit. */
export type Passage = 'USE' | 'RETURN' | 'EXIT'
export type Verdict = { readonly passage: Passage } | { readonly reason: RefusalReason }

type JudgedPass = Pick<
  PassRow,
  'revokedAt' | 'expiredAt' | 'validFrom' | 'validTo' | 'maxUses' | 'usedCount' | 'isInside' | 'templateId'
>

/** A check-in list, and the counts of the pass on it, which are 0 if there are none yet. */
export interface OnList {
  readonly list: Pick<
    typeof checkInLists.$inferSelect,
    'opensAt' | 'closesAt' | 'maxUses' | 'templateIds' | 'requiresEntry'
  >
  readonly uses: Pick<typeof passListUses.$inferSelect, 'usedCount' | 'isInside'> | null | undefined
}

interface JudgedActivity {
  readonly status: ActivityStatus
  /** Null unless it is ENDED or CANCELLED. */
  readonly endedAt: number | null
}

/** The accepted uses of a pass around a time. */
export interface Neighbours {
  /** The direction of the last use before the time. */
  readonly before: Direction | undefined
  /** The direction of the first use after it. */
  readonly after: Direction | undefined
}

/**
 * Whether a pass of the activity is valid now. The times of the row count, not those of a token, which was perhaps printed before.
 *
 * The reasons are those of the status of the pass (REVOKED, EXPIRED, USED), so that both agree; then the reasons that can pass, at last those of
 * the list. Uses are counted on the list alone if there is one.
 */
export function judge(
  pass: JudgedPass,
  activity: JudgedActivity,
  direction: Direction,
  now: number,
  on?: OnList,
): Verdict {
  const counts = countsOf(pass, on)
  const verdict = verdictOf(direction, {
    isRevoked: pass.revokedAt !== null,
    isExpired: pass.expiredAt !== null || isAfter(now, pass.validTo),
    isEarly: pass.validFrom !== null && now < pass.validFrom,
    isActive: activity.status === 'ACTIVE',
    hasUse: hasUse(counts),
    isUnused: counts.usedCount === 0,
    hasLeft: counts.usedCount > 0 && !counts.isInside,
    isInside: counts.isInside,
  })
  if ('reason' in verdict || on === undefined) return verdict
  const reason = refusalOfList(pass, on, now)
  if (reason !== undefined) return { reason }
  return on.list.requiresEntry && pass.usedCount === 0 ? { reason: 'NOT_ENTERED' } : verdict
}

const countsOf = (pass: JudgedPass, on: OnList | undefined) =>
  on === undefined ? pass : { maxUses: on.list.maxUses, ...(on.uses ?? { usedCount: 0, isInside: false }) }

function refusalOfList({ templateId }: JudgedPass, { list }: OnList, at: number): RefusalReason | undefined {
  const { templateIds, opensAt, closesAt } = list
  if (templateIds.length > 0 && (templateId === null || !templateIds.includes(templateId))) return 'NOT_ON_LIST'
  return (opensAt !== null && at < opensAt) || isAfter(at, closesAt) ? 'LIST_CLOSED' : undefined
}

/**
 * Whether a pass was valid when a gate without a connection let it through. It could not know of a revocation or of the end of the activity
 * after that time. A free entry or an exit depends on the uses before and after the time, because other gates may have uploaded theirs
 * earlier: one exit allows one free entry. Whether the visitor had entered the activity before a list is not judged, because the gate at the entrance
 * may upload that later.
 */
export function judgeLater(
  pass: JudgedPass,
  activity: JudgedActivity,
  direction: Direction,
  usedAt: number,
  { before, after }: Neighbours,
  on?: OnList,
): Verdict {
  const verdict = verdictOf(direction, {
    isRevoked: pass.revokedAt !== null && pass.revokedAt <= usedAt,
    isExpired: isAfter(usedAt, pass.validTo),
    isEarly: pass.validFrom !== null && usedAt < pass.validFrom,
    isActive: activity.status === 'ACTIVE' || (activity.endedAt !== null && usedAt < activity.endedAt),
    hasUse: hasUse(countsOf(pass, on)),
    isUnused: before === undefined,
    hasLeft: before === 'EXIT' && after !== 'ENTRY',
    isInside: before === 'ENTRY' && after !== 'EXIT',
  })
  const reason = 'reason' in verdict || on === undefined ? undefined : refusalOfList(pass, on, usedAt)
  return reason === undefined ? verdict : { reason }
}

/** The values of a pass that a passage changes. */
export const afterPassage = ({ usedCount }: Pick<PassRow, 'usedCount'>, passage: Passage) => ({
  usedCount: passage === 'USE' ? usedCount + 1 : usedCount,
  isInside: passage !== 'EXIT',
})

interface AcceptedUse {
  readonly direction: Direction
  readonly takesUse: boolean | null
}

/** Whether an accepted use took a use of its pass. `before`: the accepted use before it. Versions before did not store the answer. */
export const takesUse = (use: AcceptedUse, before: Pick<AcceptedUse, 'direction'> | undefined): boolean =>
  use.takesUse ?? (use.direction === 'ENTRY' && before?.direction !== 'EXIT')

const isAfter = (time: number, end: number | null): boolean => end !== null && time > end
const hasUse = ({ maxUses, usedCount }: Pick<JudgedPass, 'maxUses' | 'usedCount'>): boolean =>
  maxUses === 0 || usedCount < maxUses

interface Facts {
  readonly isRevoked: boolean
  readonly isExpired: boolean
  readonly isEarly: boolean
  readonly isActive: boolean
  readonly hasUse: boolean
  /** Never let in. */
  readonly isUnused: boolean
  /** Went out and may come back. */
  readonly hasLeft: boolean
  readonly isInside: boolean
}

function verdictOf(direction: Direction, facts: Facts): Verdict {
  if (facts.isRevoked) return { reason: 'REVOKED' }
  if (facts.isExpired) return { reason: 'EXPIRED' }
  const isExit = direction === 'EXIT'
  const isUsed = isExit ? !facts.isInside && !facts.isUnused : !facts.hasLeft && !facts.hasUse
  if (isUsed) return { reason: 'USED' }
  if (!facts.isActive) return { reason: 'ACTIVITY_NOT_ACTIVE' }
  if (facts.isEarly || (isExit && facts.isUnused)) return { reason: 'NOT_YET_VALID' }
  return { passage: isExit ? 'EXIT' : facts.hasLeft ? 'RETURN' : 'USE' }
}
