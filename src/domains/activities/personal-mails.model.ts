/** Mails about the registration or the pass of one user. */

import type { NewsKind } from '#db/schema/activity-messages.ts'

export type PersonalKind = Exclude<NewsKind, 'INVITATION'>

/** The part of such a mail that the outbox keeps. */
export interface PersonalMail {
  readonly kind: PersonalKind
  readonly activityId: number
  /** See `personOf`. */
  readonly userId: number
  /** The record of the mail. Absent in mails of the version before. */
  readonly newsId?: number
}

/** Personal mails to one address a day, from all activities: users cause them by registering again, and organizers by adding somebody again. */
export const MAILS_TO_ADDRESS = 20
