/** Versions of rows, which rise with each change. */

import { eq, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { prepared } from './prepared.ts'
import type { Db, Tx } from './store.ts'

type Versioned = SQLiteTable & { readonly id: SQLiteColumn; readonly version: SQLiteColumn }

/** Returns a function that reads the version of a row of any owner. Undefined if there is no such row. */
export function versionIn(table: Versioned): (db: Db | Tx, id: number) => Promise<number | undefined> {
  const byId = prepared((db) =>
    db
      .select({ version: table.version })
      .from(table)
      .where(eq(table.id, sql.placeholder('id'))),
  )
  return async (db, id) => (await byId(db, { id }))[0]?.version as number | undefined
}
