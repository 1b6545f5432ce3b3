/** Daily mails about assets. */

import { col, table } from '../dialect.ts'
import { users } from './accounts.ts'

/** The last digest of each user who got one. The write that queues its mail moves `day` forward, so a user gets at most one a day. */
export const assetDigests = table('asset_digests', {
  userId: col
    .int('user_id')
    .primaryKey()
    .references(() => users.id),
  /** `YYYY-MM-DD` in the zone of the user. */
  day: col.text('day').notNull(),
})

/** One row: digests whose time has come until then are queued. */
export const assetDigestRuns = table('asset_digest_runs', {
  id: col.int('id').primaryKey(),
  upTo: col.time('up_to').notNull(),
})
