/**
 * Pages of a list whose rows must be read to know whether they match: searches for a part of a text, which no index answers.
 *
 * A running SQLite statement cannot be interrupted, so a search is cut into statements that read at most SLICE_ROWS rows each, in the
 * order of the list, and continue where the previous one ended. The searches of different users take turns at their statements, and
 * `Store.search` (engine/search-queue.ts) stops a search that takes too long between two statements.
 *
 * The list needs an SQL index that begins with the columns of `scope` and continues with `order`, as paged lists do (lists.ts).
 */

import { and, asc, count, desc, eq, getTableName, gte, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { dialect } from './dialect.ts'
import type { Select } from './list-order.ts'
import { nullsInOrder, offsetOf, type Page, type PageInput } from './paging.ts'
import { SLICE_ROWS, SliceSize } from './slices.ts'
import type { Builders, Db } from './store.ts'

export interface Search<Shown> {
  readonly table: SQLiteTable
  /** The rows of the list. */
  readonly scope: SQL | undefined
  /**
   * Ascending; together they are unique. A boolean column can only come first: rows where it is true precede. So can a column that can
   * be null: rows where it is null come last in both directions.
   */
  readonly order: readonly SQLiteColumn[]
  readonly isReversed: boolean
  /** Columns that `scope` selects by `IS NULL`, if they stand before `order` in its index. */
  readonly nulls?: readonly SQLiteColumn[]
  /**
   * Limits of the first column of `order`, `from` inclusive and `to` exclusive. Not in `scope`, because a database uses one lower and one upper
   * limit of an index, and each slice has its own.
   */
  readonly period?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined
  /** The rows that are wanted. Never answered with an index, so that a statement cannot read more than one slice. */
  readonly where: SQL | undefined
  /** A condition, besides `where`, that looks into other tables. */
  readonly elsewhere?: Elsewhere | undefined
  /** Joins the tables of `elsewhere` by outer joins. */
  select(db: Pick<Builders, 'select'>): Select<Shown>
  /** Those of the rows that match, in their order, where SQL alone cannot tell. Called with at most SLICE_ROWS rows. */
  keep?(db: Db, rows: readonly Shown[]): Promise<readonly Shown[]>
}

/** A condition on a row of the list and on rows of other tables to which it refers, such as its user. */
export interface Elsewhere {
  /** `key`: the column of the list that holds the `id` of a row of another table. `where`: the condition on that row alone. */
  readonly tables: readonly { readonly key: SQLiteColumn; readonly id: SQLiteColumn; readonly where: SQL }[]
  /** The whole condition. `found`: for each of `tables`, whether its row meets its condition. */
  where(found: readonly SQL[]): SQL | undefined
}

type Key = readonly unknown[]

/**
 * On PostgreSQL, the rest of a section is read by one statement after so many rows. It reads them in any order and with all processors that it may
 * have, so it takes half of the time of further slices, or a tenth where the condition looks into another table.
 */
const SLICED_ROWS = 16_000
/**
 * The same with a condition that looks into another table, and how many rows one slice of it has at most. For slices of more rows, PostgreSQL reads all
 * million users instead of those of the slice.
 */
const JOINED = { slicedRows: 4000, sliceRows: 2000 }
/** One at a time in this process: it may hold its connection for ten seconds. The other connections stay free for slices, which take turns. */
let isRestBeingRead = false

/** Reads each row of the list once; at most two slices are read again to fill the page. */
export async function searchPage<Shown>(db: Db, search: Search<Shown>, page: PageInput): Promise<Page<Shown>> {
  const matches = matchesOf(search)
  const items: Shown[] = []
  let total = 0
  const isJoined = dialect === 'postgres' && search.elsewhere !== undefined
  const slices = new SliceSize(isJoined ? JOINED.sliceRows : undefined)
  const slicedRows = isJoined ? JOINED.slicedRows : SLICED_ROWS
  for (const { scope, order, nulls } of sectionsOf(search)) {
    const orderBy = orderOf({ order, nulls }, search.isReversed)
    const [after, upTo] = search.isReversed ? [sql`<`, sql`>=`] : [sql`>`, sql`<=`]
    const keys = Object.fromEntries(order.map((column, i) => [i, column]))
    const [starts, ends] = limitsOf(search, order[0]!)
    let from: Key | undefined
    let read = 0
    do {
      if (dialect === 'postgres' && read >= slicedRows && search.keep === undefined && !isRestBeingRead) {
        const rest = and(scope, compared(order, after, from!), ends, search.where)
        const part = { skip: Math.max(0, offsetOf(page) - total), limit: page.size - items.length }
        isRestBeingRead = true
        const found = await restOf(db, search, { scope, order, nulls, rest }, part).finally(() => {
          isRestBeingRead = false
        })
        items.push(...found.rows)
        total += found.n
        break
      }
      read += slices.rows
      const rest = and(scope, from ? compared(order, after, from) : starts)
      const [last] = await db
        .select(keys)
        .from(search.table)
        .where(rest)
        .orderBy(...orderBy)
        .limit(1)
        .offset(slices.rows - 1)
      const to: Key | undefined = last && isInside(search, Object.values(last)) ? Object.values(last) : undefined
      const isCut = dialect === 'postgres' && to !== undefined
      const reader = isCut ? firstRows(db, search.table, { where: rest, orderBy, limit: slices.rows }) : db
      const slice = isCut ? matches : and(rest, to ? compared(order, upTo, to) : ends, matches)
      const rowsFrom = (skip: number, limit: number) =>
        search
          .select(reader)
          .where(slice)
          .orderBy(...orderBy)
          .limit(limit)
          .offset(skip)
      const countAll = async (): Promise<number> => {
        const [row] = await db
          .select({ n: count() })
          .from(search.select(reader).where(slice).as('found') as SQLiteTable)
        return row!.n
      }

      const missing = page.size - items.length
      if (search.keep !== undefined) {
        const kept = await search.keep(db, await rowsFrom(0, SLICE_ROWS))
        const before = Math.max(0, offsetOf(page) - total)
        items.push(...kept.slice(before, before + missing))
        total += kept.length
        from = to
        continue
      }
      const skip = Math.max(0, offsetOf(page) - total)
      if (missing === 0) total += await countAll()
      else if (skip === 0) {
        const rows = await rowsFrom(0, missing)
        items.push(...rows)
        total += rows.length < missing ? rows.length : await countAll()
      } else {
        const found = await countAll()
        if (found > skip) items.push(...(await rowsFrom(skip, missing)))
        total += found
      }
      from = to
      slices.next()
    } while (from !== undefined)
  }
  return { items, total, ...page }
}

function matchesOf({ where, elsewhere }: Search<unknown>): SQL | undefined {
  const wanted = and(where, elsewhere?.where(elsewhere.tables.map((table) => table.where)))
  return wanted && sql`case when ${wanted} then 1 else 0 end = 1`
}

/** The number of rows that meet `rest` and `elsewhere`, and those of the page, whose keys are found by the same statement. */
async function restOf<Shown>(
  db: Db,
  search: Search<Shown>,
  { scope, order, nulls, rest }: Section & { readonly rest: SQL | undefined },
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<{ readonly rows: readonly Shown[]; readonly n: number }> {
  const keyOf = (i: number) => sql.raw(`key${i}`)
  const keys = Object.fromEntries(order.map((column, i) => [i, sql`${column}`.as(`key${i}`)]))
  const selecting = { select: () => db.select(keys) } as unknown as Pick<Builders, 'select'>
  const { joined: rows, found: elsewhere, anyColumns } = withElsewhere(db, search, search.select(selecting))
  const where = and(rest, elsewhere)
  if (limit === 0) {
    const counting = { select: () => db.select({ n: count() }) } as unknown as Pick<Builders, 'select'>
    const counted = withElsewhere(db, search, search.select(counting)).joined.where(where)
    return { rows: [], n: ((await counted) as unknown as { n: number }[])[0]!.n }
  }
  // The planner expects most rows to contain a text, and that workers would pass on too many. It takes an unknown number for one of 200.
  const isOneOfMany = sql`case when coalesce(${sql.join([order.at(-1)!, ...anyColumns], sql`, `)}) is null then 0 else 1 end = 1`
  const found = db.$with('found').as(rows.where(and(where, isOneOfMany)) as never)
  const direction = sql.raw(search.isReversed ? 'desc' : 'asc')
  const by = joined(order.map((_, i) => sql`${keyOf(i)} ${direction}`))
  const page = sql`(select * from found order by ${by} limit ${limit} offset ${skip}) as page`
  const counted = await db
    .with(found)
    .select({
      n: sql`n`.mapWith(Number),
      key: Object.fromEntries(order.map((column, i) => [i, sql`${keyOf(i)}`.mapWith(column)])),
    })
    .from(sql`(select count(*) as n from found) as counted left join ${page} on true`)
  const { n } = counted[0]!
  if (n <= skip) return { rows: [], n }
  const isOnPage = sql`(${joined(order)}) in (${joined(counted.map(({ key }) => sql`(${joined(Object.values(key))})`))})`
  const shown = await search
    .select(db)
    .where(and(scope, isOnPage))
    .orderBy(...orderOf({ order, nulls }, search.isReversed))
    .limit(limit)
  return { rows: shown, n }
}

interface Joining<Shown> {
  leftJoin(others: object, on: SQL): Select<Shown>
}

/**
 * Joins the rows of other tables that meet their conditions, found first, in place of all rows to which the list refers. A search of a million
 * sessions by the names of their users looked up a million users by their index, each with four pages.
 */
function withElsewhere<Shown>(
  db: Db,
  { elsewhere }: Search<unknown>,
  select: Select<Shown>,
): { readonly joined: Select<Shown>; readonly found: SQL | undefined; readonly anyColumns: readonly SQL[] } {
  const ids: SQL[] = []
  let rows = select
  for (const [i, { key, id, where }] of (elsewhere?.tables ?? []).entries()) {
    const name = `elsewhere_${i}`
    const met = sql`case when ${where} then 1 else 0 end = 1`
    const others = db.select({ id }).from(id.table).where(met).as(name)
    const found = sql.raw(`"${name}"."${id.name}"`)
    rows = (rows as unknown as Joining<Shown>).leftJoin(others, sql`${found} = ${key}`)
    ids.push(found)
  }
  // PostgreSQL must not apply its guess of few rows before these joins: it would look up each row of the list again.
  return { joined: rows, found: elsewhere?.where(ids.map((id) => sql`${id} is not null`)), anyColumns: ids }
}

/**
 * Builders for PostgreSQL whose selects from the table see only the first `limit` rows that meet `where`. A condition on the end of a slice would
 * not end its reading: PostgreSQL stops at the end of a comparison of tuples only when the first column passes it, so that each slice of a
 * million codes with the same `sortOrder` read all codes after it, and the search was refused after 10 s.
 */
const firstRows = (
  db: Db,
  table: SQLiteTable,
  { where, orderBy, limit }: { readonly where: SQL | undefined; readonly orderBy: SQL[]; readonly limit: number },
): Pick<Builders, 'select'> => {
  // Named as the table, which it hides.
  const rows = db.$with(getTableName(table)).as(
    db
      .select()
      .from(table)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit),
  )
  return { select: ((fields: never) => db.with(rows).select(fields)) as unknown as Builders['select'] }
}

/** The conditions of the first and of the last slice. */
function limitsOf({ period, isReversed }: Search<unknown>, column: SQLiteColumn): (SQL | undefined)[] {
  const limits = [
    period?.from === undefined ? undefined : gte(column, period.from),
    period?.to === undefined ? undefined : lt(column, period.to),
  ]
  return isReversed ? limits.toReversed() : limits
}

/** Whether a row of the list, read in its order, is not behind the period. */
function isInside({ period, isReversed }: Search<unknown>, [first]: Key): boolean {
  const end = isReversed ? period?.from : period?.to
  if (end === undefined) return true
  return isReversed ? Number(first) >= end : Number(first) < end
}

type Section = Pick<Search<unknown>, 'scope' | 'order'> & { readonly nulls: readonly SQLiteColumn[] }

/** The parts of a list, one after the other: a boolean first column, or one that can be null, divides it into two. */
export function sectionsOf({
  scope,
  order,
  isReversed,
  nulls = [],
}: Pick<Search<unknown>, 'scope' | 'order' | 'isReversed' | 'nulls'>): Section[] {
  const [first, ...others] = order
  if (!first!.notNull && !first!.primary)
    return [
      { scope: and(scope, isNotNull(first!)), order, nulls },
      { scope: and(scope, isNull(first!)), order: others, nulls: [...nulls, first!] },
    ]
  if (first!.dataType !== 'boolean') return [{ scope, order, nulls }]
  return [!isReversed, isReversed].map((value) => ({ scope: and(scope, eq(first!, value)), order: others, nulls }))
}

/** ORDER BY of a section. */
export const orderOf = ({ order, nulls }: Pick<Section, 'order' | 'nulls'>, isReversed: boolean): SQL[] => [
  ...nullsInOrder(nulls, isReversed),
  ...order.map((column) => (isReversed ? desc(column) : asc(column))),
]

/** A comparison of tuples, which can be looked up in an index. */
function compared(columns: readonly SQLiteColumn[], operator: SQL, key: Key): SQL {
  return sql`(${joined(columns)}) ${operator} (${joined(key)})`
}

const joined = (parts: readonly unknown[]): SQL =>
  sql.join(
    parts.map((part) => sql`${part}`),
    sql`, `,
  )
