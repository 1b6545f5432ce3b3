import { col, index, table, uniqueIndex } from '../dialect.ts'
import { sessions, users } from './accounts.ts'

/** Devices that get messages and notifications by Web Push (RFC 8030) or UnifiedPush while they have no socket. */
export const pushSubscriptions = table(
  'push_subscriptions',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** The subscription ends with its session. */
    sessionId: col
      .int('session_id')
      .notNull()
      .references(() => sessions.id),
    endpoint: col.text('endpoint').notNull(),
    /** Keys of RFC 8291, base64url, sealed. */
    keys: col.text('keys').notNull(),
    /** Minutes after midnight in `timeZone`; both null for no quiet hours. */
    quietFrom: col.int('quiet_from'),
    quietTo: col.int('quiet_to'),
    timeZone: col.text('time_zone').notNull().default('UTC'),
    createdAt: col.time('created_at').notNull(),
    lastSuccessAt: col.time('last_success_at'),
    failures: col.int('failures').notNull().default(0),
  },
  (t) => [
    uniqueIndex('push_subscriptions_endpoint').on(t.userId, t.endpoint),
    index('push_subscriptions_session').on(t.sessionId),
  ],
)
