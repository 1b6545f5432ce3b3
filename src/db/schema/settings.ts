import { col, table, uniqueIndex } from '../dialect.ts'
import { blobs } from './files.ts'

/** Business settings that administrators can change while the server runs. A missing row means the default in the code. */
export const settings = table('settings', {
  key: col.text('key').primaryKey(),
  value: col.json<unknown>('value').notNull(),
  updatedAt: col.time('updated_at').notNull(),
})

/** The pictures of the server's logo (LOGO_PICTURES of platform/images). The key is part of their addresses, and new with each logo. */
export const serverPictures = table(
  'server_pictures',
  {
    id: col.id(),
    key: col.text('key').notNull(),
    name: col.text('name').notNull(),
    blobId: col
      .int('blob_id')
      .notNull()
      .references(() => blobs.id),
  },
  (t) => [uniqueIndex('server_pictures_name').on(t.name)],
)

/** State of the server that survives restarts: the stamp mark (engine/stamps.ts), the hash of the setup link, the last restore, the running backup. */
export const serverState = table('server_state', {
  key: col.text('key').primaryKey(),
  value: col.text('value').notNull(),
})

/**
 * Counters that survive a restart and stay exact with concurrent requests, for example limits on sending codes. `key` says what is
 * counted, `windowStart` is the start of the current window, and after `expiresAt` the row can be deleted.
 */
export const counters = table('counters', {
  key: col.text('key').primaryKey(),
  count: col.int('count').notNull(),
  /** How much the last statement of `shared-counters.ts` was granted: `count` minus this is the count before it. */
  granted: col.int('granted').notNull().default(0),
  windowStart: col.time('window_start').notNull(),
  expiresAt: col.time('expires_at').notNull(),
})

/**
 * The processes on this database, as they report themselves every second (processes.ts). Used by processes that share a PostgreSQL database.
 */
export const processes = table('processes', {
  id: col.text('id').primaryKey(),
  /** The process of PostgreSQL that answers its connection. */
  backend: col.int('backend').notNull(),
  report: col.json<unknown>('report').notNull(),
  /** By the clock of PostgreSQL, like the next one. */
  startedAt: col.time('started_at').notNull(),
  seenAt: col.time('seen_at').notNull(),
})
