/** Mails about the registration or the pass of one user. */

/** CONFIRMED: moved up from the waiting list. REMOVED: the organizer has cancelled the registration. PASS: got one. */
export type PersonalKind = 'CONFIRMED' | 'REMOVED' | 'PASS'

/** The part of such a mail that the outbox keeps. */
export interface PersonalMail {
  readonly kind: PersonalKind
  readonly activityId: number
  /** See `personOf`. */
  readonly userId: number
}

/** To one user: those who share in an activity cause them at will, and users may cancel and register again. */
export const PERSONAL_MAILS_A_DAY = 20
