/** Keys of the header `Idempotency-Key`, and what repeats of their requests are answered: docs/adr/0031-repeat-safe-creation.md. */

import { col, index, primaryKey, table } from '../dialect.ts'
import { users } from './accounts.ts'

export const repeatKeys = table(
  'repeat_keys',
  {
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** A keyed hash of the operation and the key. */
    key: col.text('key').notNull(),
    /** A keyed hash of the request. */
    fingerprint: col.text('fingerprint').notNull(),
    /** The answer, or the results of the writes so far. Sealed, because answers contain private texts and initial passwords. */
    content: col.text('content').notNull(),
    /** Increases with each row of the user by what the row costs of their allowance. */
    position: col.int('position').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.key] }),
    index('repeat_keys_position').on(t.userId, t.position),
    index('repeat_keys_created').on(t.createdAt),
  ],
)
