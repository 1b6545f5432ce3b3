import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { col, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { activities, type RegistrationSource } from './activities.ts'

/** MESSAGE is written by a manager; all others are automatic notices. */
export const MESSAGE_KINDS = ['MESSAGE', 'MOVED', 'PLACE', 'CANCELLED'] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]
export const MESSAGE_CHANNELS = ['APP', 'EMAIL'] as const
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number]
export const MESSAGE_STATES = ['SCHEDULED', 'RUNNING', 'DONE', 'CANCELLED'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]
export const RECIPIENT_STATES = ['QUEUED', 'SENT', 'FAILED', 'SKIPPED'] as const
export type RecipientState = (typeof RECIPIENT_STATES)[number]
/** Why a recipient gets no mail. */
export const SKIP_REASONS = ['NO_ADDRESS', 'OPTED_OUT', 'NO_MAIL_SERVER', 'BUDGET', 'SUPPRESSED'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/**
 * CONFIRMED: moved up from the waiting list. ACCEPTED: confirmed by a manager. WAITING and REJECTED: by a manager. REMOVED: a manager has cancelled the
 * registration. PASS: got one. PASS_CHANGED and PASS_REVOKED: by a manager, with many others. INVITATION: a
 * mail to an address that a manager has entered, which nobody has proved.
 */
export const NEWS_KINDS = [
  'CONFIRMED',
  'ACCEPTED',
  'WAITING',
  'REJECTED',
  'REMOVED',
  'PASS',
  'PASS_CHANGED',
  'PASS_REVOKED',
  'INVITATION',
] as const
export type NewsKind = (typeof NEWS_KINDS)[number]

/** A change that an automatic notice is about. Times are epoch milliseconds; null stands for an empty value. */
export interface NoticedChange {
  readonly field: 'startTime' | 'endTime' | 'location' | 'region' | 'position'
  readonly before: number | string | null
  readonly after: number | string | null
}

/** The participants that a message goes to; absent keys do not restrict. */
export interface ParticipantFilter {
  /** Statuses of registrations, separated by commas. Without it CONFIRMED and WAITING. */
  readonly status?: string
  readonly pass?: boolean
  readonly checkedIn?: boolean
  readonly listId?: number
  readonly admitted?: boolean
  readonly guest?: boolean
  readonly source?: RegistrationSource
  readonly ids?: number[]
  readonly keyword?: string
}

export interface MessageCounts {
  readonly recipients: number
  readonly app: { readonly sent: number }
  readonly email: { readonly queued: number; readonly sent: number; readonly failed: number; readonly skipped: number }
}

const isScheduled = (state: SQLiteColumn) => sql`${state} = 'SCHEDULED'`

export const activityMessages = table(
  'activity_messages',
  {
    id: col.id(),
    /** Part of the Message-ID of its mails: ids are given again after a restore. */
    uuid: col.text('uuid').notNull(),
    activityId: col
      .int('activity_id')
      .notNull()
      .references(() => activities.id),
    kind: col.text('kind').$type<MessageKind>().notNull(),
    /** Of a MESSAGE. Automatic notices have a subject in the language of each reader. */
    subject: col.text('subject').notNull().default(''),
    /** Markdown of a MESSAGE; of a notice, the plain text that the manager added. */
    body: col.text('body').notNull().default(''),
    bodyHtml: col.text('body_html').notNull().default(''),
    bodyPlain: col.text('body_plain').notNull().default(''),
    changes: col.json<readonly NoticedChange[]>('changes').notNull(),
    /** Null: registrations that are CONFIRMED or WAITING, and holders of live passes. */
    filter: col.json<ParticipantFilter>('filter'),
    channels: col.json<readonly MessageChannel[]>('channels').notNull(),
    attachPass: col.bool('attach_pass').notNull().default(false),
    state: col.text('state').$type<MessageState>().notNull(),
    /**
     * How far a RUNNING message has come: it lists registered users, then registered guests, then other holders of passes, then waits for its
     * mails.
     */
    step: col.text('step').$type<'REGISTERED' | 'GUESTS' | 'HOLDERS' | 'MAILS'>().notNull().default('REGISTERED'),
    /** The last user, or registration of a guest, that the step has passed; of MAILS, the time when it began. */
    cursor: col.int('cursor').notNull().default(0),
    /** Mails that were counted in the budgets of the day and not yet queued. */
    mailsCounted: col.int('mails_counted').notNull().default(0),
    /** Expected until the message is DONE; later the counts below. */
    expected: col.int('expected').notNull().default(0),
    /** Set when it is DONE. Before, the recipients are counted. */
    counts: col.json<MessageCounts>('counts'),
    /** Null for automatic notices. */
    createdBy: col.int('created_by'),
    requestId: col.text('request_id'),
    /** Hash of the body of the request with that id. */
    requestHash: col.text('request_hash'),
    sendAt: col.time('send_at').notNull(),
    createdAt: col.time('created_at').notNull(),
    finishedAt: col.time('finished_at'),
  },
  (t) => [
    index('activity_messages_list').on(t.activityId, t.id),
    uniqueIndex('activity_messages_request')
      .on(t.activityId, t.createdBy, t.requestId)
      .where(sql`${t.requestId} is not null`),
    // One notice of an activity waits; later changes go into it.
    uniqueIndex('activity_messages_notice')
      .on(t.activityId)
      .where(sql`${t.state} = 'SCHEDULED' and ${t.kind} <> 'MESSAGE'`),
    index('activity_messages_waiting').on(t.activityId).where(isScheduled(t.state)),
    index('activity_messages_due').on(t.sendAt, t.id).where(isScheduled(t.state)),
    index('activity_messages_running')
      .on(t.id)
      .where(sql`${t.state} = 'RUNNING'`),
  ],
)

/** Who gets a message, and how: one row for each person and channel, inserted with the notification or the mail. */
export const activityMessageRecipients = table(
  'activity_message_recipients',
  {
    messageId: col
      .int('message_id')
      .notNull()
      .references(() => activityMessages.id),
    /** The id of a user; for somebody without an account, the id of the registration, below 0. */
    person: col.int('person').notNull(),
    channel: col.text('channel').$type<MessageChannel>().notNull(),
    registrationId: col.int('registration_id'),
    state: col.text('state').$type<RecipientState>().notNull(),
    reason: col.text('reason').$type<SkipReason>(),
    sentAt: col.time('sent_at'),
  },
  (t) => [
    primaryKey({ columns: [t.messageId, t.person, t.channel] }),
    index('activity_message_recipients_state').on(t.messageId, t.channel, t.state),
  ],
)

/** News to one person about their registration or pass: a row for each piece of news and channel, without the text. */
export const activityNews = table(
  'activity_news',
  {
    id: col.id(),
    /** No foreign key: the version before deletes activities without these rows. */
    activityId: col.int('activity_id').notNull(),
    /** See `personOf`. */
    person: col.int('person').notNull(),
    kind: col.text('kind').$type<NewsKind>().notNull(),
    channel: col.text('channel').$type<MessageChannel>().notNull(),
    state: col.text('state').$type<RecipientState>().notNull(),
    reason: col.text('reason').$type<SkipReason>(),
    sentAt: col.time('sent_at'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    index('activity_news_person').on(t.activityId, t.person, t.id),
    index('activity_news_created').on(t.createdAt),
  ],
)
