import { sql } from 'drizzle-orm'

import type { Locale } from '#lib/localized.ts'

import { col, index, table, uniqueIndex } from '../dialect.ts'

/** The state of the mail of an invitation. Null without one. */
export const INVITATION_MAIL_STATES = ['QUEUED', 'SENT', 'FAILED', 'SKIPPED'] as const
export type InvitationMailState = (typeof INVITATION_MAIL_STATES)[number]

/** Why a mail to a stranger was not sent. TOO_MANY: the address had been invited often enough that day. ENDED: the invitation. */
export const INVITATION_SKIP_REASONS = ['OPTED_OUT', 'SUPPRESSED', 'TOO_MANY', 'ENDED'] as const
export type InvitationSkipReason = (typeof INVITATION_SKIP_REASONS)[number]

/** Personal invitations to an activity, each with a code for one registration. The state follows from the columns and the time. */
export const activityInvitations = table(
  'activity_invitations',
  {
    id: col.id(),
    /** No foreign key: the version before deletes activities without these rows. */
    activityId: col.int('activity_id').notNull(),
    code: col.text('code').notNull(),
    /** In lower case. Not proved. */
    email: col.text('email'),
    name: col.text('name'),
    /** Of the mail; null for that of the activity. */
    language: col.text('language').$type<Locale>(),
    /** Words of the organizer in the mail. Plain text. */
    text: col.text('text').notNull().default(''),
    /** Gives a place although all are taken. */
    overCapacity: col.bool('over_capacity').notNull().default(false),
    expiresAt: col.time('expires_at'),
    /** Set once, in the write of the registration that uses the code. */
    usedAt: col.time('used_at'),
    usedBy: col.int('used_by'),
    revokedAt: col.time('revoked_at'),
    /** When its page was opened first. Programs that check the links of mails open it too. */
    openedAt: col.time('opened_at'),
    mailState: col.text('mail_state').$type<InvitationMailState>(),
    mailReason: col.text('mail_reason').$type<InvitationSkipReason>(),
    sentAt: col.time('sent_at'),
    createdBy: col.int('created_by').notNull(),
    /** Of the request that made it, with a hash of its body: a repeat is answered with the first result. */
    requestId: col.text('request_id'),
    requestHash: col.text('request_hash'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('activity_invitations_code').on(t.activityId, t.code),
    index('activity_invitations_activity').on(t.activityId, t.id),
    index('activity_invitations_email')
      .on(t.activityId, t.email)
      .where(sql`${t.email} is not null`),
    index('activity_invitations_request')
      .on(t.activityId, t.createdBy, t.requestId)
      .where(sql`${t.requestId} is not null`),
    index('activity_invitations_used_by')
      .on(t.usedBy)
      .where(sql`${t.usedBy} is not null`),
  ],
)
