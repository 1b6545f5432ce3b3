/**
 * Finds rows that were written while a long reading was under way, also by other processes, by the system columns of PostgreSQL. On SQLite one
 * process writes, so the caller notes them itself.
 */

import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import { dialect } from './dialect.ts'
import type { Db } from './store.ts'

/** The oldest transaction that ran when the mark was made: what earlier ones have written was visible then. */
export type WriteMark = string & { readonly brand: 'write mark' }

/** To be called before the reading. Undefined on SQLite. */
export async function markWrites(db: Db): Promise<WriteMark | undefined> {
  if (dialect === 'sqlite') return undefined
  const oldest = sql<WriteMark>`pg_snapshot_xmin(pg_current_snapshot())::text`
  const [row] = await db.select({ oldest }).from(sql`(SELECT 1) AS one`)
  return row!.oldest
}

/**
 * Whether a row was inserted or changed since the mark. Sometimes also true for a row that was not: if its transaction was still running, or
 * ran more than two billion transactions ago.
 */
export const isWrittenSince = (table: SQLiteTable, mark: WriteMark): SQL =>
  sql`age(${table}.xmin) <= age(${mark}::text::xid8::xid)`
