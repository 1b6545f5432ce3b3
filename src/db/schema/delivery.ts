import { col, index, table } from '../dialect.ts'

export type Channel = 'EMAIL' | 'SMS'

/** Messages that are still to be sent. A row goes when its message is delivered, given up, or replaced by a newer one. */
export const outbox = table(
  'outbox',
  {
    id: col.id(),
    channel: col.text('channel').$type<Channel>().notNull(),
    /** Hash of whom a code is for and what for: the next such code replaces it. Null for what nothing replaces. */
    topic: col.text('topic'),
    /** The message, sealed with a key that is not in the database: it holds codes and addresses. */
    payload: col.text('payload').notNull(),
    attempts: col.int('attempts').notNull().default(0),
    /** When to try next. While it is being sent: when to try again if nobody tells how that ended. */
    dueAt: col.time('due_at').notNull(),
    /** From then on it is worth nothing and is given up. */
    expiresAt: col.time('expires_at').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [index('outbox_due').on(t.channel, t.dueAt), index('outbox_topic').on(t.topic)],
)
