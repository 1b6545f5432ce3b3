import { col, descending, index, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

export type NotificationType =
  'ORG_INVITE' | 'ORG_APPROVED' | 'ORG_REJECTED' | 'ORG_APPROVAL_REQUEST' | 'ORG_JOIN_LINK' | 'ACCOUNT_LINK' | 'SYSTEM'

export type SendStatus = 'RUNNING' | 'DONE'

/** What a notification says, once for all who get it. */
export const notificationContents = table('notification_contents', {
  id: col.id(),
  type: col.text('type').$type<NotificationType>().notNull(),
  title: col.text('title').notNull(),
  /** Markdown source when `bodyHtml` is there, else plain text. */
  body: col.text('body').notNull(),
  /** Rendered from `body` when it was written; null for plain text. */
  bodyPlain: col.text('body_plain'),
  bodyHtml: col.text('body_html'),
  /** The Chinese wording of what the product itself says; null for what a person wrote. */
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
    /** That of the content, for the filter. */
    type: col.text('type').$type<NotificationType>().notNull(),
    read: col.bool('read').notNull().default(false),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    // Nobody gets the same twice, however often a send is taken up again; also finds the recipients of a content.
    uniqueIndex('notifications_content').on(t.contentId, t.userId),
    index('notifications_list').on(t.userId, descending(t.id)),
    index('notifications_read').on(t.userId, t.read, descending(t.id)),
    index('notifications_type').on(t.userId, t.type, descending(t.id)),
  ],
)

/** What administrators sent, and how far it has got. */
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
    /** 0: not to an organization. */
    orgId: col.int('org_id').notNull().default(0),
    status: col.text('status').$type<SendStatus>().notNull(),
    /** Recipients are served in the order of their ids: everybody up to this one is. */
    cursor: col.int('cursor').notNull().default(0),
    /** The highest user id when it was sent: later accounts get nothing. */
    lastUserId: col.int('last_user_id').notNull(),
    sent: col.int('sent').notNull().default(0),
    createdAt: col.time('created_at').notNull(),
    finishedAt: col.time('finished_at'),
  },
  (t) => [index('notification_sends_status').on(t.status, t.id), index('notification_sends_content').on(t.contentId)],
)
