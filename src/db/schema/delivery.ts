import { sql } from 'drizzle-orm'

import { col, index, table } from '../dialect.ts'

export type Channel = 'EMAIL' | 'SMS'
/** EVENT: mails to participants of activities, of which there can be thousands. */
export type OutboxChannel = Channel | 'EVENT'

/** Messages waiting to be sent. A row is deleted when its message is delivered, given up, or replaced by a newer one. */
export const outbox = table(
  'outbox',
  {
    id: col.id(),
    channel: col.text('channel').$type<OutboxChannel>().notNull(),
    /** Hash of a code's recipient and purpose: the next such code replaces this one. Null for notices, which are never replaced. */
    topic: col.text('topic'),
    /** The message, sealed with a key that is not in the database: it holds codes and addresses. */
    payload: col.text('payload').notNull(),
    attempts: col.int('attempts').notNull().default(0),
    /** Time of the next attempt. During an attempt: when to try again if its result is never recorded. */
    dueAt: col.time('due_at').notNull(),
    /** After this time the message is useless and is given up. */
    expiresAt: col.time('expires_at').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    index('outbox_due').on(t.channel, t.dueAt),
    // Finds the codes behind any number of notices. Raw SQL, because SQLite allows no table name in the condition of an index.
    index('outbox_codes').on(t.channel, t.dueAt).where(sql.raw('topic is not null')),
    index('outbox_topic').on(t.topic),
  ],
)

/** Addresses that a mail server has finally refused. A mail that it accepts, or a new proof of the address, deletes the row. */
export const mailRefusals = table(
  'mail_refusals',
  {
    /** A keyed hash of the address. */
    address: col.text('address').primaryKey(),
    /** In a row. */
    refusals: col.int('refusals').notNull(),
    lastAt: col.time('last_at').notNull(),
  },
  (t) => [index('mail_refusals_last').on(t.lastAt)],
)
