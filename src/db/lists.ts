/**
 * Paged lists: any page of a list, and the total, cost the same at a thousand rows and at a million.
 *
 * OFFSET walks over all rows before the page, and count(*) over all rows. So for each list that is looked at, in each order that is
 * asked for, an index is kept in memory: the key of every 250th row, and how many rows are between them (list-index.ts). A page starts
 * reading at the nearest key, and the total is a sum.
 *
 *     const codes = pagedTable(qrCodes, ['id', 'userId', 'deletedAt', 'pinned', 'name'])
 *     const ofUser = codes.list({
 *       owner: ['userId'],
 *       where: { deletedAt: null },
 *       orders: { standard: ['pinned', 'id'], name: ['name', 'id'] },
 *       sort: 'standard',
 *       select: (db) => db.select().from(qrCodes).$dynamic(),
 *     })
 *
 *     await ofUser.page(ctx.db.read, { userId }, { page, size, sort: '-name' })   // {items, total, page, size}
 *     codes.inserted(tx, row)            // store functions report every row they insert,
 *     codes.updated(tx, before, after)   // update
 *     codes.deleted(tx, row)             // or delete
 *
 * The reports keep the indexes exact. They are applied in the turn of the event loop in which SQLite commits, and pages are read
 * without giving up their turn, so a page never sees an index that differs from the rows. Rows that a write changes without a report
 * discard the indexes of their table (list-changes.ts); the next page builds a new one. Only writes of other processes go unnoticed,
 * until a page is shorter than its index says. In tests and development every page is compared with a plain query.
 *
 * Each order needs an SQL index that begins with `owner` and `where` and continues with the order, so that reading keys touches no row.
 * SQLite cannot look up the primary key in a comparison of several columns: rows that are equal in all columns before it are compared
 * one by one. So an order of values that many rows share needs a column in between that few rows share, such as `createdAt`.
 *
 * On PostgreSQL, where a commit and a report cannot happen in one turn, pages are read with LIMIT and OFFSET (list-pages.ts), and triggers
 * keep the totals (list-totals.ts).
 */

import { and, eq, getTableColumns, getTableName, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { dialect } from './dialect.ts'
import type { WriteTx } from './engine/write.ts'
import { type Change, type WatchedTable, watchTable } from './list-changes.ts'
import { type Given, ListOrder, type Select } from './list-order.ts'
import { type KeptTotal, keptTotal } from './list-totals.ts'
import type { Page, PageInput } from './paging.ts'
import { searchPage } from './search.ts'
import type { Builders, Db, Tx } from './store.ts'

type RowOf<T extends SQLiteTable> = T['$inferSelect']

export interface ListSpec<Row, Owner extends keyof Row, Order extends string, Shown> {
  /** Columns whose values name one list, for example the user's id. */
  readonly owner: readonly Owner[]
  /** The list holds the rows with these values … */
  readonly where?: Partial<Row>
  /** … and none of these. Both are written into the SQL as literals, so that partial indexes can be used. Null stands for no value. */
  readonly whereNot?: Partial<Row>
  /**
   * The columns of each order, ascending; together they are unique, and none is null in the list. A boolean column can only come first: rows where
   * it is true precede the others.
   */
  readonly orders: Readonly<Record<Order, readonly (keyof Row)[]>>
  /** The order of pages that ask for none; `-name` is `name` reversed. */
  readonly sort: NoInfer<Order | `-${Order}`>
  /** On PostgreSQL: the name under which triggers keep the number of rows. Without it each page counts them. `owner` is one column then, or none. */
  readonly total?: KeptTotal
  select(db: Builders): Select<Shown>
}

export interface PagedList<OwnerKey, Order extends string, Shown> {
  page(db: Db, owner: OwnerKey, input: PageInput & { sort?: Order | `-${Order}` | undefined }): Promise<Page<Shown>>
  /** The rows of that page, for callers who know the total. */
  rows(db: Db, owner: OwnerKey, input: PageInput & { sort?: Order | `-${Order}` | undefined }): Promise<Shown[]>
  /** A page of the rows that also meet `where`, in the same orders. Reads the whole list: `db` is that of `Store.search`. */
  search(
    db: Db,
    owner: OwnerKey,
    input: PageInput & { sort?: Order | `-${Order}` | undefined },
    where: SQL | undefined,
  ): Promise<Page<Shown>>
}

export interface PagedTable<Row, Columns> {
  /** The columns that reports need: `.returning(codes.columns)`. */
  readonly columns: Columns
  list<Owner extends keyof Row, Order extends string, Shown>(
    spec: ListSpec<Row, Owner, Order, Shown>,
  ): PagedList<Readonly<Pick<Row, Owner>>, Order, Shown>
  inserted(tx: Tx, row: Row): void
  updated(tx: Tx, before: Row, after: Row): void
  deleted(tx: Tx, row: Row): void
}

/** `columns`: every column that decides which lists a row is in, and where. */
export function pagedTable<T extends SQLiteTable, Name extends keyof RowOf<T> & string>(
  table: T,
  columns: readonly Name[],
): PagedTable<Readonly<Pick<RowOf<T>, Name>>, Pick<T['_']['columns'], Name>> {
  type Row = Readonly<Pick<RowOf<T>, Name>>
  const all = getTableColumns(table) as Record<Name, SQLiteColumn>
  const lists: ListKind<Row>[] = []
  const watched: WatchedTable<Row> = {
    columns: new Set(columns.map((name) => all[name].name)),
    apply(reader, changes) {
      for (const list of lists) for (const { before, after } of changes) list.change(reader, before, after)
    },
    discard(reader) {
      for (const list of lists) list.discard(reader)
    },
  }
  if (dialect === 'sqlite') watchTable(getTableName(table), watched as WatchedTable)
  const report = (tx: Tx, change: Change<Row>) => {
    if (dialect === 'sqlite') (tx as WriteTx).listChanges.report(watched, change)
  }
  return {
    columns: Object.fromEntries(columns.map((name) => [name, all[name]])) as unknown as Pick<T['_']['columns'], Name>,
    list(spec) {
      const list = new ListKind<Row>(table, all, spec as unknown as ListSpec<Row, keyof Row, string, unknown>)
      lists.push(list)
      return list as never
    },
    inserted: (tx, row) => report(tx, { after: row }),
    updated: (tx, before, after) => report(tx, { before, after }),
    deleted: (tx, row) => report(tx, { before: row }),
  }
}

/** The lists of one kind, in all their orders. */
class ListKind<Row extends Given> {
  readonly #orders: ReadonlyMap<string, ListOrder>

  constructor(
    readonly table: SQLiteTable,
    readonly columns: Readonly<Record<string, SQLiteColumn>>,
    readonly spec: ListSpec<Row, keyof Row, string, unknown>,
  ) {
    const scope = this.#scope((name) => sql.placeholder(name))
    const [owner] = spec.owner
    const total =
      spec.total && keptTotal(spec.total, owner === undefined ? sql`0` : sql`${sql.placeholder(owner as string)}`)
    this.#orders = new Map(
      Object.entries(spec.orders).map(([order, names]) => [
        order,
        new ListOrder(
          table,
          scope,
          names.map((name) => [name as string, this.columns[name as string]!]),
          spec.select,
          this.#nulls(),
          total,
        ),
      ]),
    )
  }

  page(db: Db, owner: Given, input: PageInput & { sort?: string }): Promise<Page<unknown>> {
    const { order, isReversed } = this.#orderOf(input.sort)
    return order.page(db, owner, this.#nameOf(owner), { page: input.page, size: input.size }, isReversed)
  }

  rows(db: Db, owner: Given, input: PageInput & { sort?: string }): Promise<unknown[]> {
    const { order, isReversed } = this.#orderOf(input.sort)
    return order.rows(db, owner, this.#nameOf(owner), { page: input.page, size: input.size }, isReversed)
  }

  #orderOf(sort: string = this.spec.sort) {
    const isReversed = sort.startsWith('-')
    return { order: this.#orders.get(isReversed ? sort.slice(1) : sort)!, isReversed }
  }

  search(
    db: Db,
    owner: Given,
    { page, size, sort = this.spec.sort }: PageInput & { sort?: string },
    where: SQL | undefined,
  ): Promise<Page<unknown>> {
    const isReversed = sort.startsWith('-')
    const names = this.spec.orders[isReversed ? sort.slice(1) : sort]!
    return searchPage(
      db,
      {
        table: this.table,
        scope: this.#scope((name) => owner[name]),
        order: names.map((name) => this.columns[name as string]!),
        isReversed,
        nulls: this.#nulls(),
        where,
        select: this.spec.select,
      },
      { page, size },
    )
  }

  /** The rows of the list whose owner has these values. */
  #scope(ownerValue: (name: string) => unknown): SQL {
    const { owner, where = {}, whereNot = {} } = this.spec
    const column = (name: string) => this.columns[name]!
    const equals = (name: string, value: unknown) => (value === null ? isNull(column(name)) : eq(column(name), value))
    const differs = (name: string, value: unknown) =>
      value === null ? isNotNull(column(name)) : ne(column(name), value)
    return and(
      ...owner.map((name) => eq(column(name as string), ownerValue(name as string))),
      ...Object.entries(where).map(([name, value]) => equals(name, value).inlineParams()),
      ...Object.entries(whereNot).map(([name, value]) => differs(name, value).inlineParams()),
    )!
  }

  /** The columns that are NULL in each row of the list. The indexes of lists of all owners are partial ones without them. */
  #nulls(): SQLiteColumn[] {
    if (this.spec.owner.length === 0) return []
    return Object.entries(this.spec.where ?? {}).flatMap(([name, value]) =>
      value === null ? [this.columns[name]!] : [],
    )
  }

  /** Applies a committed change of one row. */
  change(reader: object, before: Row | undefined, after: Row | undefined): void {
    const from = before && this.#nameOfListOf(before)
    const to = after && this.#nameOfListOf(after)
    for (const order of this.#orders.values()) {
      if (from !== undefined && from === to && order.isSamePlace(before!, after!)) continue
      if (from !== undefined) order.change(reader, from, before!, -1)
      if (to !== undefined) order.change(reader, to, after!, 1)
    }
  }

  discard(reader: object): void {
    for (const order of this.#orders.values()) order.discardAll(reader)
  }

  #nameOf(owner: Given): string {
    return this.spec.owner.map((name) => owner[name as string]).join('\0')
  }

  /** The list that holds the row, if any does. */
  #nameOfListOf(row: Row): string | undefined {
    const { where = {}, whereNot = {} } = this.spec
    for (const name of Object.keys(where)) if (row[name] !== (where as Given)[name]) return undefined
    for (const name of Object.keys(whereNot)) if (row[name] === (whereNot as Given)[name]) return undefined
    return this.#nameOf(row)
  }
}
