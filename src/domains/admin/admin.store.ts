import { and, count, gte, inArray, lt, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { Select } from '#db/list-order.ts'
import { type KeptTotal, totalOf } from '#db/list-totals.ts'
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
  /** As in `Search`. */
  readonly elsewhere?: Search<Row>['elsewhere']
  /**
   * Columns of the order, ascending; together they are unique. With the columns of `scope` in front they must have an index. The first one
   * can be null: rows where it is null come last in both directions.
   */
  readonly order: readonly SQLiteColumn[]
  readonly isReversed: boolean
  /** On PostgreSQL, the name of the kept total of the rows in `scope`. Only of lists without a period. */
  readonly total?: KeptTotal | undefined
  /** As in `Search`. */
  readonly nulls?: readonly SQLiteColumn[]
  select(db: Pick<Builders, 'select'>): Select<Row>
}

/** From this offset on, the rows before the page are skipped in the index alone. */
const DEEP = 1000

/** A page of the rows in `scope` and `period`; ignores `where` and `elsewhere`. Only rows that the page and its total need are read or counted. */
export async function plainPage<Row>(db: Db, list: AdminList<Row>, page: PageInput): Promise<Page<Row>> {
  const all = and(list.scope, within(list.order[0]!, list.period ?? {}))
  const sections = sectionsOf({ ...list, scope: all })
  const kept = list.total && (await totalOf(db, list.total, { table: list.table, where: all }))
  const items: Row[] = []
  let total = 0
  for (const section of sections) {
    const limit = page.size - items.length
    const skip = Math.max(0, offsetOf(page) - total)
    const rows = limit === 0 ? [] : await rowsOf(db, list, section, { limit, skip })
    items.push(...rows)
    if (kept !== undefined && (sections.length === 1 || items.length === page.size)) break
    total += rows.length > 0 && rows.length < limit ? skip + rows.length : await countOf(db, list.table, section.scope)
  }
  return { items, total: kept ?? total, page: page.page, size: page.size }
}

const countOf = async (db: Db, table: SQLiteTable, where: SQL | undefined): Promise<number> =>
  (await db.select({ n: count() }).from(table).where(where))[0]!.n

async function rowsOf<Row>(
  db: Db,
  { table, isReversed, select }: AdminList<Row>,
  { scope, order, nulls }: ReturnType<typeof sectionsOf>[number],
  { limit, skip }: { readonly limit: number; readonly skip: number },
): Promise<Row[]> {
  const orderBy = orderOf({ order, nulls }, isReversed)
  const id = order.at(-1)!
  if (skip < DEEP || !id.primary)
    return select(db)
      .where(scope)
      .orderBy(...orderBy)
      .limit(limit)
      .offset(skip)
  const ids = db
    .select({ id })
    .from(table)
    .where(scope)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(skip)
  return select(db)
    .where(inArray(id, ids))
    .orderBy(...orderBy)
}
