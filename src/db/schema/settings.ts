import { col, table } from '../dialect.ts'

/** Business settings an administrator can change at run time. One row per key; a missing row means the default in code. */
export const settings = table('settings', {
  key: col.text('key').primaryKey(),
  value: col.json<unknown>('value').notNull(),
  updatedAt: col.time('updated_at').notNull(),
})

/** Facts the server keeps about itself across restarts: the clock's high-water mark, the setup link's hash. */
export const serverState = table('server_state', {
  key: col.text('key').primaryKey(),
  value: col.text('value').notNull(),
})

/**
 * Counters that must survive a restart and hold under parallel callers: the failure lock, code sending limits.
 * `key` names what is counted, `windowStart` when its current window began, `expiresAt` when the row may be dropped.
 */
export const counters = table('counters', {
  key: col.text('key').primaryKey(),
  count: col.int('count').notNull(),
  windowStart: col.time('window_start').notNull(),
  expiresAt: col.time('expires_at').notNull(),
})
