/** Writes that change nothing: setting values that a row already has must not look like a change to a client that synchronizes. */

import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

type Updatable = SQLiteTable & { readonly updatedAt: SQLiteColumn }

/**
 * The `updatedAt` of an UPDATE: `stamp` if a value of `change` differs from the row, otherwise the time that the row has.
 *
 *     tx.update(users).set({ ...change, updatedAt: updatedAtFor(users, change, tx.stamp) })
 */
export function updatedAtFor<T extends Updatable>(table: T, change: Partial<T['$inferSelect']>, stamp: number): SQL {
  const columns = getTableColumns(table) as Record<string, SQLiteColumn>
  const differences = Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => sql`${columns[name]!} is distinct from ${sql.param(value, columns[name]!)}`)
  if (differences.length === 0) return sql`${table.updatedAt}`
  return sql`case when ${sql.join(differences, sql` or `)} then ${sql.param(stamp, table.updatedAt)} else ${table.updatedAt} end`
}
