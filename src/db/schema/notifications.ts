import { sql } from 'drizzle-orm'

import { col, descending, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'
import { users } from './accounts.ts'

export type NotificationType =
  | 'ORG_INVITE'
  | 'ORG_APPROVED'
  | 'ORG_REJECTED'
  | 'ORG_APPROVAL_REQUEST'
  | 'ORG_JOIN_LINK'
  | 'ORG_TRANSFER'
  | 'ORG_REMOVED'
  | 'ORG_DISSOLVED'
  | 'ACCOUNT_LINK'
  | 'ASSET'
  | 'ACTIVITY'
  | 'SYSTEM'

/** LISTING: recipients are added; the send has not begun. */
export type SendStatus = 'LISTING' | 'RUNNING' | 'DONE'
export type AudienceKind = 'USERS' | 'ORG' | 'ALL'

/** The text of a notification, stored once for all recipients. */
export const notificationContents = table('notification_contents', {
  id: col.id(),
  type: col.text('type').$type<NotificationType>().notNull(),
  title: col.text('title').notNull(),
  /** Markdown source if `bodyPlain` is not null, otherwise plain text. */
  body: col.text('body').notNull(),
  /** Rendered from Markdown when the row is inserted; null for plain text. */
  bodyPlain: col.text('body_plain'),
  bodyHtml: col.text('body_html'),
  /** Chinese version of texts written by the product; null for texts written by an administrator. */
  titleZh: col.text('title_zh'),
  bodyZh: col.text('body_zh'),
  data: col.json<Record<string, unknown>>('data').notNull(),
  createdAt: col.time('created_at').notNull(),
})

/** One row per recipient. */
export const notifications = table(
  'notifications',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    contentId: col
      .int('content_id')
      .notNull()
      .references(() => notificationContents.id),
    /** Copy of the content's type, for the filter by type. */
    type: col.text('type').$type<NotificationType>().notNull(),
    read: col.bool('read').notNull().default(false),
    createdAt: col.time('created_at').notNull(),
    /** A user has at most one notification with the same subject; null for any number. */
    subject: col.text('subject'),
  },
  (t) => [
    uniqueIndex('notifications_subject').on(t.userId, t.subject).where(sql.raw('subject is not null')),
    // Prevents duplicates when a send is resumed; also finds the notifications of a content.
    uniqueIndex('notifications_content').on(t.contentId, t.userId),
    // Counts the readers of a send. Queries need the same condition.
    index('notifications_readers')
      .on(t.contentId, t.read)
      .where(sql`${t.read}`),
    index('notifications_list').on(t.userId, descending(t.id)),
    index('notifications_read').on(t.userId, t.read, descending(t.id)),
    index('notifications_type').on(t.userId, t.type, descending(t.id)),
  ],
)

/** Notifications sent by administrators, with their progress. */
export const notificationSends = table(
  'notification_sends',
  {
    id: col.id(),
    contentId: col
      .int('content_id')
      .notNull()
      .references(() => notificationContents.id),
    senderId: col
      .int('sender_id')
      .notNull()
      .references(() => users.id),
    /** 0 if the recipients are named users or all users. */
    orgId: col.int('org_id').notNull().default(0),
    /** Whom an administrator named. */
    audience: col.text('audience').$type<AudienceKind>().notNull().default('ALL'),
    /** Users of the audience when the send was created. */
    audienceCount: col.int('audience_count').notNull().default(0),
    /** The recipients are in `notification_send_recipients`. */
    listed: col.bool('listed').notNull().default(false),
    status: col.text('status').$type<SendStatus>().notNull(),
    /** Recipients are processed in ascending order of their ids; this is the last one processed. */
    cursor: col.int('cursor').notNull().default(0),
    /** The highest user id when the send was created: later accounts do not receive it. */
    lastUserId: col.int('last_user_id').notNull(),
    sent: col.int('sent').notNull().default(0),
    createdAt: col.time('created_at').notNull(),
    finishedAt: col.time('finished_at'),
  },
  (t) => [
    index('notification_sends_status').on(t.status, t.id),
    index('notification_sends_content').on(t.contentId),
    index('notification_sends_created').on(t.createdAt, t.id),
  ],
)

/** Contents that an administrator has taken back. A job deletes their notifications in small writes, then the row and the content. */
export const notificationWithdrawals = table('notification_withdrawals', {
  contentId: col.int('content_id').primaryKey(),
})

/** Recipients that no query can find later, such as the members of a dissolved organization. Deleted as the send proceeds. */
export const notificationSendRecipients = table(
  'notification_send_recipients',
  {
    sendId: col
      .int('send_id')
      .notNull()
      .references(() => notificationSends.id),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
  },
  (t) => [primaryKey({ columns: [t.sendId, t.userId] })],
)

/** ALL: every mail about activities. IMPORTANT: only about the user's own registration, and about date, place and cancellation. */
export const ACTIVITY_MAILS = ['ALL', 'IMPORTANT', 'NONE'] as const
export type ActivityMails = (typeof ACTIVITY_MAILS)[number]

/** Mails about assets. DAILY: a digest a day. AT_ONCE: each notification too. */
export const ASSET_MAILS = ['NONE', 'DAILY', 'AT_ONCE'] as const
export type AssetMails = (typeof ASSET_MAILS)[number]

/** The hour at which users get the digest, unless they choose another one. */
export const DIGEST_HOUR = 7

/** Choices of users. Users without a row have the defaults. */
export const notificationPreferences = table('notification_preferences', {
  userId: col
    .int('user_id')
    .primaryKey()
    .references(() => users.id),
  emailActivities: col.text('email_activities').$type<ActivityMails>().notNull().default('ALL'),
  emailAssets: col.text('email_assets').$type<AssetMails>().notNull().default('DAILY'),
  /** 0 to 23, by the clock of `timeZone`. */
  digestHour: col.int('digest_hour').notNull().default(DIGEST_HOUR),
  /** Null for that of the server. */
  timeZone: col.text('time_zone'),
})

/** Choices that the owner of an address made on the page of a mail. Kept after the account or the guest is deleted. */
export const mailChoices = table(
  'mail_choices',
  {
    /** A keyed hash of the address. */
    address: col.text('address').notNull(),
    /** See db/owner-key.ts. 0: of all organizers. */
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    /** IMPORTANT for one organizer: none of their messages. */
    choice: col.text('choice').$type<Exclude<ActivityMails, 'ALL'>>().notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.address, t.owner] }), index('mail_choices_owner').on(t.owner)],
)

/** Addresses whose owners refuse the invitations of all organizers. The rows are kept permanently. */
export const invitationRefusals = table('invitation_refusals', {
  /** A keyed hash of the address. */
  address: col.text('address').primaryKey(),
  createdAt: col.time('created_at').notNull(),
})
