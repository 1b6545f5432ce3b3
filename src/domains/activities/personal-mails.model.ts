/** Mails about the registration or the pass of one user. */

import type { NewsKind } from '#db/schema/activity-messages.ts'

export type PersonalKind = NewsKind

/** The part of such a mail that the outbox keeps. */
export interface PersonalMail {
  readonly kind: PersonalKind
  readonly activityId: number
  /** See `personOf`. */
  readonly userId: number
  /** The record of the mail. Absent in mails of the version before. */
  readonly newsId?: number
}

/** To one user: those who share in an activity cause them at will, and users may cancel and register again. */
export const PERSONAL_MAILS_A_DAY = 20
