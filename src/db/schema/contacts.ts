import { sql } from 'drizzle-orm'

import { col, descending, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

export const REQUEST_SOURCES = ['SEARCH', 'QR_CODE', 'CARD', 'ORG', 'OTHER'] as const
export type RequestSource = (typeof REQUEST_SOURCES)[number]

/** `EXPIRED` is stored when a newer request replaces an expired one; until then it follows from `expiresAt`. */
export const REQUEST_STATUSES = ['PENDING', 'ACCEPTED', 'REJECTED', 'EXPIRED'] as const
export type RequestStatus = (typeof REQUEST_STATUSES)[number]

export const WHO_MAY_REQUEST = ['EVERYONE', 'ORG_MEMBERS', 'CARD_ONLY', 'NOBODY'] as const
export type WhoMayRequest = (typeof WHO_MAY_REQUEST)[number]
export const WHO_MAY_MESSAGE = ['CONTACTS', 'ORG_MEMBERS', 'EVERYONE'] as const
export type WhoMayMessage = (typeof WHO_MAY_MESSAGE)[number]

/** One user's side of a relation: a contact, a blocked user, or both. Without either there is no row. */
export const contacts = table(
  'contacts',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    otherId: col
      .int('other_id')
      .notNull()
      .references(() => users.id),
    /** False for a user who is only blocked. */
    isContact: col.bool('is_contact').notNull(),
    blocked: col.bool('blocked').notNull().default(false),
    remark: col.text('remark').notNull().default(''),
    tags: col.json<readonly string[]>('tags').notNull(),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('contacts_pair').on(t.userId, t.otherId),
    index('contacts_other').on(t.otherId),
    // Counts a user's contacts, and lists them by age.
    index('contacts_list').on(t.userId, t.isContact, t.createdAt, t.id),
  ],
)

export const contactRequests = table(
  'contact_requests',
  {
    id: col.id(),
    fromId: col
      .int('from_id')
      .notNull()
      .references(() => users.id),
    toId: col
      .int('to_id')
      .notNull()
      .references(() => users.id),
    message: col.text('message').notNull().default(''),
    /** The sender's remark for the new contact. */
    remark: col.text('remark').notNull().default(''),
    source: col.text('source').$type<RequestSource>().notNull(),
    status: col.text('status').$type<RequestStatus>().notNull(),
    /** The recipient had blocked the sender: only the sender sees the request. */
    hidden: col.bool('hidden').notNull().default(false),
    createdAt: col.time('created_at').notNull(),
    expiresAt: col.time('expires_at').notNull(),
    handledAt: col.time('handled_at'),
  },
  (t) => [
    uniqueIndex('contact_requests_pending').on(t.fromId, t.toId).where(sql.raw(`status = 'PENDING'`)),
    index('contact_requests_outgoing').on(t.fromId, descending(t.id)),
    index('contact_requests_incoming').on(t.toId, t.hidden, descending(t.id)),
    // The last request of one user to another.
    index('contact_requests_pair').on(t.fromId, t.toId, descending(t.id)),
    // The number of requests that wait for an answer.
    index('contact_requests_open').on(t.toId, t.hidden, t.expiresAt).where(sql.raw(`status = 'PENDING'`)),
    index('contact_requests_age').on(t.expiresAt),
  ],
)

/** The contact card and the privacy settings of users who have opened or changed either; others have the defaults. */
export const contactProfiles = table(
  'contact_profiles',
  {
    userId: col
      .int('user_id')
      .primaryKey()
      .references(() => users.id),
    /** Null until the user asks for the card. */
    cardCode: col.text('card_code'),
    cardUpdatedAt: col.time('card_updated_at'),
    findableByEmail: col.bool('findable_by_email').notNull().default(true),
    findableByPhone: col.bool('findable_by_phone').notNull().default(true),
    whoMayRequest: col.text('who_may_request').$type<WhoMayRequest>().notNull().default('EVERYONE'),
    whoMayMessage: col.text('who_may_message').$type<WhoMayMessage>().notNull().default('CONTACTS'),
    readReceipts: col.bool('read_receipts').notNull().default(true),
    /** The user and contacts who have it on too see when the other was last here. */
    presence: col.bool('presence').notNull().default(false),
    /** When the user was last here, to a minute. Null without `presence`. */
    seenAt: col.time('seen_at'),
  },
  (t) => [uniqueIndex('contact_profiles_card').on(t.cardCode).where(sql.raw('card_code is not null'))],
)

/** Users whom a user has found by search or by a card: for a day they may be named in requests and messages. */
export const contactLookups = table(
  'contact_lookups',
  {
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    foundId: col
      .int('found_id')
      .notNull()
      .references(() => users.id),
    source: col.text('source').$type<RequestSource>().notNull(),
    foundAt: col.time('found_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.foundId, t.source] }),
    index('contact_lookups_found').on(t.foundId),
    index('contact_lookups_age').on(t.foundAt),
  ],
)
