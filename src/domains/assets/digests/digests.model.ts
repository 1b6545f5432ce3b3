/** The digest: a mail a day about what a user has to do with assets. */

import type { OwnerKey } from '#db/owner-key.ts'
import type { Db } from '#db/store.ts'
import type { Localized } from '#lib/localized.ts'

/** Things of each kind that a digest names. */
export const NAMED = 10
/** Things of a kind that are counted. Of more, a digest says that there are more. */
export const COUNTED = 1000
/** Organizations of a user that a digest is about. */
export const ORGANIZATIONS = 100

/** Somebody whose things are to be found. */
export interface DigestPerson {
  readonly userId: number
  /** Epoch milliseconds. */
  readonly now: number
  /** The user's own zone, for the times of loans. */
  readonly zone: string
  readonly owners: readonly DigestOwner[]
}

/** An owner of things: the user, or an organization of which the user is a member and which is not disabled. */
export interface DigestOwner {
  readonly owner: OwnerKey
  /** In the zone of the owner: `YYYY-MM-DD`. */
  readonly today: string
  readonly zone: string
  /** The user gets the things that are in the digest of no other user. Always true if the owner is the user. */
  readonly isKeeper: boolean
  /** The user is the owner of the organization. */
  readonly isOrgOwner: boolean
}

export interface DigestLine {
  /** Of the thing. */
  readonly name: string | Localized
  /** When, and with whom. */
  readonly detail: Localized
}

export interface DigestThings {
  /** At most `NAMED`, the most urgent ones first. */
  readonly lines: readonly DigestLine[]
  /** At most `COUNTED` + 1. */
  readonly total: number
}

/** Users and owners who may have something of a part. `find` decides. */
export interface Candidates {
  readonly userIds: readonly number[]
  /** Their keepers, and users whose own things they are. */
  readonly owners: readonly OwnerKey[]
}

/** One part of a digest. */
export interface DigestPart {
  /** In mails that wait. */
  readonly key: 'OVERDUE' | 'DUE' | 'REQUESTED' | 'PICK_UP' | 'LOW' | 'MAINTENANCE' | 'WARRANTY' | 'COUNT'
  /** In the subject, before the number. */
  readonly summary: Localized
  readonly heading: Localized
  /** Below `/console/`. */
  readonly page: string
  candidates(db: Db, now: number): Promise<Candidates>
  find(db: Db, person: DigestPerson): Promise<DigestThings>
}
