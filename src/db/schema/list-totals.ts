import { col, index, primaryKey, table } from '../dialect.ts'

/**
 * How many rows each paged list had when its changes were last added up (db/list-totals.ts). On SQLite the totals of most lists are in memory
 * instead (db/lists.ts).
 */
export const listTotals = table(
  'list_totals',
  {
    list: col.text('list').notNull(),
    /** The id of the owner of the list, for example the user; 0 for the list of all owners. */
    owner: col.int('owner').notNull(),
    n: col.int('n').notNull(),
    /** Places of the quota of this list that rows of other tables take: labels without a code. */
    held: col.int('held').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.list, t.owner] })],
)

/**
 * Rows that lists gained (`n` > 0) or lost since then. Written by triggers in the write that changes the rows, so that no two writes wait for
 * one counter. A job adds them to `list_totals`.
 */
export const listChanges = table(
  'list_changes',
  {
    list: col.text('list').notNull(),
    owner: col.int('owner').notNull(),
    n: col.int('n').notNull(),
  },
  (t) => [index('list_changes_list').on(t.list, t.owner)],
)
