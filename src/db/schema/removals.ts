import { col, table } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'

/** Users and organizations that were deleted, and of which rows remain that no operation finds. A job deletes them in small writes, then this row. */
export const removals = table('removals', {
  /** See `OwnerKey`. */
  owner: col.int('owner').$type<OwnerKey>().primaryKey(),
})
