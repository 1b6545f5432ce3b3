/** Pages of paged lists on PostgreSQL: LIMIT and OFFSET in the order of an index, and the total, in one statement. Part of lists.ts. */

import { count, getTableColumns, getTableName, inArray, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { ReadDb } from './engine/write.ts'
import { offsetOf, type Page, type PageInput } from './paging.ts'
import { prepared } from './prepared.ts'
import type { Builders, Db } from './store.ts'

/**
 * From this offset on, the rows before the page are skipped in the index alone, from the nearer end of the list. OFFSET reads each of them
 * from the table: page 50,000 of a million codes took 1.5 s.
 */
const DEEP = 1000

/** A select without WHERE, ORDER BY and LIMIT: `db.select()….$dynamic()`. */
export interface Select<Shown> extends PromiseLike<Shown[]> {
  where(condition: SQL | undefined): Select<Shown>
  orderBy(...by: SQL[]): Select<Shown>
  limit(limit: Placeholder | number): Select<Shown>
  offset(offset: Placeholder | number): Select<Shown>
  as(name: string): object
}

/** A row, or the values that name one list. */
export type Given = Readonly<Record<string, unknown>>

export interface PagesSpec {
  readonly table: SQLiteTable
  /** The rows of the list; undefined for all. */
  readonly scope: SQL | undefined
  /** ORDER BY in both directions. */
  readonly orderBy: { readonly forwards: SQL[]; readonly backwards: SQL[] }
  /** As triggers keep it (list-totals.ts); undefined if the rows must be counted. */
  readonly total: SQL<number> | undefined
  select(db: Pick<Builders, 'select'>): Select<unknown>
}

type Row = Record<string, unknown>
type RowWithTotal = Row & { listTotal?: number }

const p = sql.placeholder

export class PostgresPages {
  readonly #isTotalKept: boolean
  readonly #plain: ReturnType<typeof queriesOf>
  readonly #reversed: ReturnType<typeof queriesOf>
  readonly #total: (db: Db, owner: Given) => Promise<{ n: number }[]>
  readonly #counted: (db: Db, owner: Given) => Promise<{ kept: number; counted: number }[]>

  constructor(readonly spec: PagesSpec) {
    const { table, scope, orderBy, total } = spec
    const rows = scope && sql`where ${scope}`
    const counted = sql<number>`(select ${count()} from ${table} ${rows})`.mapWith(Number)
    const shown = total?.mapWith(Number) ?? counted
    const nothing = sql`(select 1) as nothing`
    this.#isTotalKept = total !== undefined
    this.#plain = queriesOf(spec, orderBy.forwards, orderBy.backwards, shown)
    this.#reversed = queriesOf(spec, orderBy.backwards, orderBy.forwards, shown)
    this.#total = prepared((db) => db.select({ n: shown }).from(nothing))
    this.#counted = prepared((db) => db.select({ kept: shown, counted }).from(nothing))
  }

  async page(db: Db, owner: Given, page: PageInput, isReversed: boolean): Promise<Page<unknown>> {
    if (this.#isTotalKept && (db as ReadDb).checksPages) await this.#check(db, owner)
    const queries = isReversed ? this.#reversed : this.#plain
    const rows = await (await this.#choose(db, owner, page, queries))(db, valuesOf(owner, page))
    const total = rows[0]?.listTotal ?? (await this.#totalOf(db, owner))
    for (const row of rows) delete row.listTotal
    return { items: rows, total, ...page }
  }

  /** The page without its total. */
  rows(db: Db, owner: Given, page: PageInput, isReversed: boolean): Promise<unknown[]> {
    const { near, deep } = (isReversed ? this.#reversed : this.#plain).rows
    return (isDeep(page) ? deep : near)(db, valuesOf(owner, page))
  }

  async #choose(db: Db, owner: Given, page: PageInput, { withTotal }: ReturnType<typeof queriesOf>) {
    if (!isDeep(page)) return withTotal.near
    const isNearerToEnd = this.#isTotalKept && offsetOf(page) > (await this.#totalOf(db, owner)) / 2
    return isNearerToEnd ? withTotal.deepFromEnd : withTotal.deep
  }

  async #totalOf(db: Db, owner: Given): Promise<number> {
    return (await this.#total(db, owner))[0]!.n
  }

  /** In tests and development: throws if triggers count otherwise than `count(*)`. */
  async #check(db: Db, owner: Given): Promise<void> {
    const [row] = await this.#counted(db, owner)
    if (row!.kept === row!.counted) return
    throw new Error(
      `the total of a paged list of ${getTableName(this.spec.table)} is wrong: ${JSON.stringify({ owner, ...row })}`,
    )
  }
}

const isDeep = (page: PageInput): boolean => offsetOf(page) >= DEEP

const valuesOf = (owner: Given, page: PageInput) => ({ ...owner, list_limit: page.size, list_offset: offsetOf(page) })

/** The queries of a page in one direction. `opposite` is its order reversed. */
function queriesOf({ table, scope, select }: PagesSpec, by: SQL[], opposite: SQL[], total: SQL<number>) {
  const { id } = getTableColumns(table) as Record<string, SQLiteColumn>
  const [limit, offset] = [p('list_limit'), p('list_offset')]
  const near = <Shown>(shown: (db: Builders) => Select<Shown>) =>
    prepared((db) =>
      shown(db)
        .where(scope)
        .orderBy(...by)
        .limit(limit)
        .offset(offset),
    )
  /** The ids of the page are found first, in the index of the order. */
  const byIds = <Shown>(shown: (db: Builders) => Select<Shown>, order: SQL[], take: unknown, skip: unknown) =>
    id === undefined
      ? near(shown)
      : prepared((db) => {
          const found = db
            .select({ id })
            .from(table)
            .where(scope)
            .orderBy(...order)
            .limit(take as number)
            .offset(skip as number)
            .as('found')
          // Without the second limit, the planner expects a tenth of the table where the first one is an expression.
          const ids = db.select({ id: found.id }).from(found).limit(limit)
          return shown(db)
            .where(inArray(id, ids))
            .orderBy(...by)
        })
  const withTotal = (db: Builders) => select(addingToSelect(db, table, { listTotal: total })) as Select<RowWithTotal>
  // From the end, both numbers follow from the total of the same snapshot.
  const rest = sql`${total} - ${offset}::bigint`
  const take = sql`greatest(0, least(${limit}::bigint, ${rest}))`
  const skip = sql`greatest(0, ${rest} - ${limit}::bigint)`
  return {
    rows: { near: near(select), deep: byIds(select, by, limit, offset) },
    withTotal: {
      near: near(withTotal),
      deep: byIds(withTotal, by, limit, offset),
      deepFromEnd: byIds(withTotal, opposite, take, skip),
    },
  }
}

type Fields = Parameters<Builders['select']>[0]

/** Builders whose selects have more fields. `table` is that of selects which name no fields. */
const addingToSelect = (db: Builders, table: SQLiteTable, fields: NonNullable<Fields>): Builders =>
  ({
    select: (given: Fields = getTableColumns(table)) => db.select({ ...given, ...fields }),
  }) as Builders
