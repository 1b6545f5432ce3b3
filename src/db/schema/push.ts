import type { Locale } from '#lib/localized.ts'

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
    /** Of one device, and therefore of one user: the last one who subscribed it. */
    endpoint: col.text('endpoint').notNull(),
    /** Keys of RFC 8291, base64url, sealed. */
    keys: col.text('keys').notNull(),
    /** Minutes after midnight in `timeZone`; both null for no quiet hours. */
    quietFrom: col.int('quiet_from'),
    quietTo: col.int('quiet_to'),
    /** Language of the texts that are sent. */
    locale: col.text('locale').$type<Locale>().notNull().default('en'),
    timeZone: col.text('time_zone').notNull().default('UTC'),
    createdAt: col.time('created_at').notNull(),
    lastSuccessAt: col.time('last_success_at'),
    /** Messages in a row that the push service did not take. */
    failures: col.int('failures').notNull().default(0),
  },
  (t) => [
    uniqueIndex('push_subscriptions_endpoint').on(t.endpoint),
    index('push_subscriptions_user').on(t.userId),
    index('push_subscriptions_session').on(t.sessionId),
  ],
)
