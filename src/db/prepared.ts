/**
 * Hot queries, compiled once. drizzle takes 40–47 µs to build a query; one kept here adds about 1 µs to what SQLite itself takes.
 *
 *     const byId = prepared((db) => db.select().from(users).where(eq(users.id, sql.placeholder('id'))))
 *     const [user] = await byId(ctx.db.read, { id })
 *
 * Works for select, and for insert, update and delete with or without `returning`. Placeholders stand where values stand (also in
 * `.values({...})`, `.set({...})`, `.limit()`, `.offset()`); a missing one throws, null is NULL. Not for lists of changing length.
 */

import { compile, type Compiled, type Runner, type Values } from './query/builders.ts'
import type { Builders, Db, Tx } from './store.ts'

type RowsOf<Q> = Awaited<Q> extends readonly (infer Row)[] ? Row[] : []

export function prepared<Q extends PromiseLike<unknown>>(
  build: (db: Builders) => Q,
): (db: Db | Tx, values?: Values) => Promise<RowsOf<Q>> {
  let compiled: Compiled | undefined
  // Not an async function: on SQLite the rows are there at once and one resolved promise is all it costs.
  return (db, values = {}) => {
    try {
      const query = (compiled ??= compile(build))
      const rows = (db as unknown as { runner: Runner }).runner.rows(query.sql, query.bind(values))
      if (rows instanceof Promise) return rows.then(query.map) as Promise<RowsOf<Q>>
      return Promise.resolve(query.map(rows) as RowsOf<Q>)
    } catch (error) {
      return Promise.reject(error)
    }
  }
}
