import { and, count, gte, inArray, lt, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { Select } from '#db/list-order.ts'
import { offsetOf, type Page, type PageInput } from '#db/paging.ts'
import { users } from '#db/schema/accounts.ts'
import { organizations } from '#db/schema/orgs.ts'
import { orderOf, type Search, sectionsOf } from '#db/search.ts'
import type { Builders, Db } from '#db/store.ts'

export type Person = Pick<typeof users.$inferSelect, 'id' | 'username' | 'nickname'>

export const usersByIds = (db: Db, ids: readonly number[]): Promise<Person[]> =>
  db
    .select({ id: users.id, username: users.username, nickname: users.nickname })
    .from(users)
    .where(inArray(users.id, [...ids]))

export const organizationsByIds = (db: Db, ids: readonly number[]): Promise<{ id: number; name: string }[]> =>
  db
    .select({ id: organizations.id, name: organizations.name })
    .from(organizations)
    .where(inArray(organizations.id, [...ids]))

/** `from` inclusive, `to` exclusive, in epoch milliseconds. */
export const within = (
  column: SQLiteColumn,
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
): SQL | undefined =>
  and(from === undefined ? undefined : gte(column, from), to === undefined ? undefined : lt(column, to))

export interface AdminList<Row> {
  readonly table: SQLiteTable
  /** Conditions that the index of the order answers, or that select few rows. */
  readonly scope?: SQL | undefined
  /** Limits of the first column of `order`. Not in `scope`: see db/search.ts. */
  readonly period?: Search<Row>['period']
  /** Conditions for which rows must be read to know whether they match: a keyword, or a status that few rows have. */
  readonly where?: SQL | undefined
  /**
   * Columns of the order, ascending; together they are unique. With the columns of `scope` in front they must have an index. The first one
   * can be null: rows where it is null come last in both directions.
   */
  readonly order: readonly SQLiteColumn[]
  readonly isReversed: boolean
  /** As in `Search`. */
  readonly nulls?: readonly SQLiteColumn[]
  select(db: Pick<Builders, 'select'>): Select<Row>
}

/** A page of the rows in `scope` and `period`; ignores `where`. */
export async function plainPage<Row>(db: Db, list: AdminList<Row>, page: PageInput): Promise<Page<Row>> {
  const { table, isReversed, select } = list
  const all = and(list.scope, within(list.order[0]!, list.period ?? {}))
  const items: Row[] = []
  let total = 0
  for (const { scope, order, nulls } of sectionsOf({ ...list, scope: all })) {
    const [counted] = await db.select({ n: count() }).from(table).where(scope)
    const missing = page.size - items.length
    const skip = Math.max(0, offsetOf(page) - total)
    if (missing > 0 && skip < counted!.n)
      items.push(
        ...(await select(db)
          .where(scope)
          .orderBy(...orderOf({ order, nulls }, isReversed))
          .limit(missing)
          .offset(skip)),
      )
    total += counted!.n
  }
  return { items, total, page: page.page, size: page.size }
}
