/** Writes that change nothing: setting values that a row already has must not look like a change to a client that synchronizes. */

import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

type Updatable = SQLiteTable & { readonly updatedAt: SQLiteColumn }
type Versioned = SQLiteTable & { readonly version?: SQLiteColumn }

/**
 * The `updatedAt` of an UPDATE: `stamp` if a value of `change` differs from the row, otherwise the time that the row has.
 *
 *     tx.update(users).set({ ...change, updatedAt: updatedAtFor(users, change, tx.stamp) })
 */
export function updatedAtFor<T extends Updatable>(table: T, change: Partial<T['$inferSelect']>, stamp: number): SQL {
  const differs = differsFrom(table, change)
  if (differs === undefined) return sql`${table.updatedAt}`
  return sql`case when ${differs} then ${sql.param(stamp, table.updatedAt)} else ${table.updatedAt} end`
}

/** The `version` of an UPDATE: one more if a value of `change` differs from the row. */
export function versionFor<T extends Versioned>(table: T, change: Partial<T['$inferSelect']>): SQL {
  const version = table.version!
  const differs = differsFrom(table, change)
  return differs === undefined ? sql`${version}` : sql`case when ${differs} then ${version} + 1 else ${version} end`
}

function differsFrom(table: SQLiteTable, change: object): SQL | undefined {
  const columns = getTableColumns(table) as Record<string, SQLiteColumn>
  const differences = Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => sql`${columns[name]!} is distinct from ${sql.param(value, columns[name]!)}`)
  return differences.length === 0 ? undefined : sql.join(differences, sql` or `)
}
