import { col, index, table } from '../dialect.ts'

/**
 * Events for the other processes on the same database (`Tx.publish`), written with the change that causes them. Used on PostgreSQL with shared files
 * only (docs/adr/0025-several-processes.md). Rows are deleted after some minutes: a process that was away longer drops its caches.
 */
export const busEvents = table(
  'bus_events',
  {
    id: col.id(),
    /** Transaction id of the write. Ids are not in the order of commits; see engine/pg-bus.ts. */
    xid: col.int('xid').notNull(),
    /** The process that wrote it, which has already delivered it to itself. */
    origin: col.text('origin').notNull(),
    topic: col.text('topic').notNull(),
    payload: col.json<unknown>('payload').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [index('bus_events_xid').on(t.xid), index('bus_events_age').on(t.createdAt)],
)
