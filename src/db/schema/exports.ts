/** Exports of a person's data, and accounts whose content is being deleted. */

import { sql } from 'drizzle-orm'

import type { Locale } from '#lib/localized.ts'

import { col, index, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'
import { blobs } from './files.ts'

/** QUEUED: it waits for one of the places (`slot`). EXPIRED: its file was deleted. */
export const EXPORT_STATES = ['QUEUED', 'RUNNING', 'READY', 'FAILED', 'EXPIRED'] as const
export type ExportState = (typeof EXPORT_STATES)[number]

/** Exports of the data of a user: one ZIP archive each, which is written in the background. */
export const dataExports = table(
  'data_exports',
  {
    /** Unguessable. */
    id: col.text('id').primaryKey(),
    /** Whose data it is. */
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** Who asked for it and may download it: the user, or an administrator, who gets less. */
    createdBy: col
      .int('created_by')
      .notNull()
      .references(() => users.id),
    /** Whether the archive contains the bytes of files. */
    withFiles: col.bool('with_files').notNull(),
    language: col.text('language').$type<Locale>().notNull(),
    state: col.text('state').$type<ExportState>().notNull(),
    /** While it is RUNNING: 1 or 2, so that no more run at once in all processes. */
    slot: col.int('slot'),
    /** Of the process that writes it. A later one has another, so that an abandoned process notices. */
    lease: col.text('lease').notNull().default(''),
    /** Until when the process counts as alive unless it renews this. */
    leaseUntil: col.time('lease_until').notNull().default(0),
    /** How often it was begun. */
    attempts: col.int('attempts').notNull().default(0),
    /** Percent. */
    progress: col.int('progress').notNull().default(0),
    /** Of the archive, when it is READY. */
    bytes: col.int('bytes'),
    /** The archive. */
    blobId: col.int('blob_id').references(() => blobs.id),
    createdAt: col.time('created_at').notNull(),
    /** When the file will be deleted; null before it is READY. */
    expiresAt: col.time('expires_at'),
  },
  (t) => [
    uniqueIndex('data_exports_slot')
      .on(t.slot)
      .where(sql`${t.slot} is not null`),
    // Of two requests at the same time, one is refused.
    uniqueIndex('data_exports_open').on(t.userId, t.createdBy).where(sql.raw(`state in ('QUEUED', 'RUNNING')`)),
    index('data_exports_user').on(t.userId, t.createdBy, t.createdAt),
    index('data_exports_creator').on(t.createdBy),
    index('data_exports_state').on(t.state, t.createdAt),
    index('data_exports_expiry').on(t.expiresAt),
    index('data_exports_blob').on(t.blobId),
  ],
)

/** Deleted users whose content is to be deleted too. From now on others do not find it; a job deletes it in small writes, then this row. */
export const contentErasures = table('content_erasures', {
  userId: col
    .int('user_id')
    .primaryKey()
    .references(() => users.id),
  createdAt: col.time('created_at').notNull(),
})
