import { sql } from 'drizzle-orm'

import { col, index, table, uniqueIndex } from '../dialect.ts'

/**
 * Requests that change many rows of an activity in several writes. A row says how far its request has come, so that a repeat with the same id goes
 * on after a crash and answers what the first one would have answered.
 */
export const activityBatches = table(
  'activity_batches',
  {
    id: col.id(),
    /** No foreign key: the version before deletes activities without these rows. */
    activityId: col.int('activity_id').notNull(),
    userId: col.int('user_id').notNull(),
    /** Null: the row is deleted when the request has ended. */
    requestId: col.text('request_id'),
    /** A hash of the request: another one with the same id is refused. */
    fingerprint: col.text('fingerprint').notNull(),
    /** Rows that the filter selected at the beginning; null until they have been counted. */
    matched: col.int('matched'),
    /** Those of them that need no change, and others that did not when it was their turn. */
    unchanged: col.int('unchanged').notNull().default(0),
    changed: col.int('changed').notNull().default(0),
    /** The id of the last row that was looked at. */
    after: col.int('after').notNull().default(0),
    /** Of the request that works on it now. An activity has one at a time; after `leaseUntil` it counts as dead. */
    lease: col.text('lease'),
    leaseUntil: col.time('lease_until').notNull(),
    /** The registrations that a request has added. Null unless it adds some. */
    ids: col.json<readonly number[]>('ids'),
    finishedAt: col.time('finished_at'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('activity_batches_request')
      .on(t.activityId, t.userId, t.requestId)
      .where(sql`${t.requestId} is not null`),
    uniqueIndex('activity_batches_running')
      .on(t.activityId)
      .where(sql`${t.lease} is not null`),
    index('activity_batches_activity').on(t.activityId),
    index('activity_batches_created').on(t.createdAt),
  ],
)
