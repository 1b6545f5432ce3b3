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
 * On PostgreSQL, where a commit and a report cannot happen in one turn, pages are read with LIMIT and OFFSET.
 */

import { and, asc, count, desc, eq, getTableColumns, getTableName, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { Placeholder } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { LRUCache } from 'lru-cache'

import { dialect } from './dialect.ts'
import type { ReadDb, WriteTx } from './engine/write.ts'
import { type Change, type WatchedTable, watchTable } from './list-changes.ts'
import { type Key, ListIndex, type Place } from './list-index.ts'
import { offsetOf, type Page, type PageInput } from './paging.ts'
import { prepared } from './prepared.ts'
import { compile, type Compiled, type Runner, type Values } from './query/builders.ts'
import type { Builders, Db, Tx } from './store.ts'

/** Rows of a segment. A page compares the keys of half of them on average (about 15 µs); a million rows have 4,000 segments. */
const STEP = 250
/** Pages that end before this position are read with OFFSET, because skipping a row is cheaper than comparing its key. */
const NEAR = 2 * STEP
/** Segments kept for all lists of one kind in one order: 5 million rows, about 2 MB. The least recently used indexes are dropped. */
const MAX_SEGMENTS = 20_000
/** Building an index (0.1 s for a million rows) lets other requests run after this many milliseconds. */
const SLICE_MS = 1

type RowOf<T extends SQLiteTable> = T['$inferSelect']

/** A select without WHERE, ORDER BY and LIMIT: `db.select()….$dynamic()`. */
interface Select<Shown> extends PromiseLike<Shown[]> {
  where(condition: SQL | undefined): Select<Shown>
  orderBy(...by: SQL[]): Select<Shown>
  limit(limit: Placeholder): Select<Shown>
  offset(offset: Placeholder): Select<Shown>
}

export interface ListSpec<Row, Owner extends keyof Row, Order extends string, Shown> {
  /** Columns whose values name one list, for example the user's id. */
  readonly owner: readonly Owner[]
  /** The list holds the rows with these values … */
  readonly where?: Partial<Row>
  /** … and none of these. Both are written into the SQL as literals, so that partial indexes can be used. */
  readonly whereNot?: Partial<Row>
  /**
   * The columns of each order, ascending; together they are unique, and none is null. A boolean column can only come first: rows where
   * it is true precede the others.
   */
  readonly orders: Readonly<Record<Order, readonly (keyof Row)[]>>
  /** The order of pages that ask for none; `-name` is `name` reversed. */
  readonly sort: NoInfer<Order | `-${Order}`>
  select(db: Builders): Select<Shown>
}

export interface PagedList<OwnerKey, Order extends string, Shown> {
  page(db: Db, owner: OwnerKey, input: PageInput & { sort?: Order | `-${Order}` | undefined }): Promise<Page<Shown>>
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
  const lists: OneList<Row>[] = []
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
      const list = new OneList<Row>(table, all, spec as unknown as ListSpec<Row, keyof Row, string, unknown>)
      lists.push(list)
      return list as never
    },
    inserted: (tx, row) => report(tx, { after: row }),
    updated: (tx, before, after) => report(tx, { before, after }),
    deleted: (tx, row) => report(tx, { before: row }),
  }
}

type Given = Readonly<Record<string, unknown>>

/** One list, in all its orders. */
class OneList<Row extends Given> {
  readonly #orders: ReadonlyMap<string, ListOrder>

  constructor(
    readonly table: SQLiteTable,
    columns: Readonly<Record<string, SQLiteColumn>>,
    readonly spec: ListSpec<Row, keyof Row, string, unknown>,
  ) {
    const equals = (name: string, value: unknown) =>
      value === null ? isNull(columns[name]!) : eq(columns[name]!, value)
    const scope = and(
      ...spec.owner.map((name) => eq(columns[name as string]!, sql.placeholder(name as string))),
      ...Object.entries(spec.where ?? {}).map(([name, value]) => equals(name, value).inlineParams()),
      ...Object.entries(spec.whereNot ?? {}).map(([name, value]) => ne(columns[name]!, value).inlineParams()),
    )!
    this.#orders = new Map(
      Object.entries(spec.orders).map(([order, names]) => [
        order,
        new ListOrder(
          table,
          scope,
          names.map((name) => [name as string, columns[name as string]!]),
          spec.select,
        ),
      ]),
    )
  }

  page(
    db: Db,
    owner: Given,
    { page, size, sort = this.spec.sort }: PageInput & { sort?: string },
  ): Promise<Page<unknown>> {
    const isReversed = sort.startsWith('-')
    const order = this.#orders.get(isReversed ? sort.slice(1) : sort)!
    return order.page(db, owner, this.#nameOf(owner), { page, size }, isReversed)
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

interface Building {
  readonly index: ListIndex
  readonly done: Promise<void>
}

/** The indexes of one kind of list in one order, by the name of the list. */
interface Indexes {
  readonly ready: LRUCache<string, ListIndex>
  readonly building: Map<string, Building>
}

/** Lists of one kind in one order: their queries, their indexes, and how a page is read. */
class ListOrder {
  readonly #names: readonly string[]
  readonly #firstIsBoolean: boolean
  readonly #queries: ReturnType<typeof queriesOf>
  /** By the `read` of each store. */
  readonly #stores = new WeakMap<object, Indexes>()

  constructor(
    readonly table: SQLiteTable,
    scope: SQL,
    columns: readonly (readonly [name: string, column: SQLiteColumn])[],
    select: (db: Builders) => Select<unknown>,
  ) {
    const [, first] = columns[0]!
    this.#firstIsBoolean = first.dataType === 'boolean'
    this.#names = columns.map(([name]) => name)
    const keyColumns = columns.slice(this.#firstIsBoolean ? 1 : 0).map(([, column]) => column)
    this.#queries = queriesOf(table, scope, this.#firstIsBoolean ? first : undefined, keyColumns, select)
  }

  #placeOf(row: Given): Place {
    const values = this.#names.map((name) => row[name] as number | string | boolean)
    if (!this.#firstIsBoolean) return { section: 0, key: values as Key[number][] }
    return { section: values[0] ? 0 : 1, key: values.slice(1) as Key[number][] }
  }

  isSamePlace(a: Given, b: Given): boolean {
    return this.#names.every((name) => a[name] === b[name])
  }

  #indexesOf(reader: object): Indexes {
    let indexes = this.#stores.get(reader)
    if (indexes === undefined) {
      const ready = new LRUCache<string, ListIndex>({
        maxSize: MAX_SEGMENTS,
        sizeCalculation: ({ size }) => Math.min(size, MAX_SEGMENTS),
        dispose: (index) => (index.discarded = true),
      })
      this.#stores.set(reader, (indexes = { ready, building: new Map() }))
    }
    return indexes
  }

  change(reader: object, name: string, row: Given, by: 1 | -1): void {
    const indexes = this.#stores.get(reader)
    if (indexes === undefined) return
    const index = indexes.ready.peek(name) ?? indexes.building.get(name)?.index
    index?.change(this.#placeOf(row), by)
  }

  discardAll(reader: object): void {
    const indexes = this.#stores.get(reader)
    if (indexes === undefined) return
    for (const { index } of indexes.building.values()) index.discarded = true
    indexes.building.clear()
    indexes.ready.clear()
  }

  async page(db: Db, owner: Given, name: string, page: PageInput, isReversed: boolean): Promise<Page<unknown>> {
    // A running write sees rows that no index knows yet.
    if (dialect === 'sqlite' && db.kind === 'read') {
      const reader = db as ReadDb
      const index = await this.#indexOf(reader, owner, name)
      if (!index.discarded) {
        const items = this.#read(reader, owner, index, page, isReversed)
        if (items !== undefined) {
          if (reader.checksPages) this.#check(reader, owner, page, isReversed, items, index.total)
          return { items, total: index.total, ...page }
        }
        this.#indexesOf(reader).ready.delete(name)
      }
    }
    const { plain, reversed, countAll } = this.#queries
    const values = { ...owner, list_limit: page.size, list_offset: offsetOf(page) }
    const [items, counted] = await Promise.all([(isReversed ? reversed : plain)(db, values), countAll(db, values)])
    return { items, total: counted[0]!.n, ...page }
  }

  /** The index of one list; built now if need be, once for all callers who wait for it. */
  async #indexOf(db: ReadDb, owner: Given, name: string): Promise<ListIndex> {
    const indexes = this.#indexesOf(db)
    const ready = indexes.ready.get(name)
    if (ready) return ready
    let building = indexes.building.get(name)
    if (building === undefined) {
      const index = new ListIndex(this.#firstIsBoolean ? 2 : 1)
      const done = this.#build(db, owner, index).finally(() => {
        if (indexes.building.get(name)?.index === index) indexes.building.delete(name)
        // In the same turn as the last read, so no change can be missed in between.
        if (index.isComplete && !index.discarded) indexes.ready.set(name, index)
      })
      indexes.building.set(name, (building = { index, done }))
    }
    await building.done
    return building.index
  }

  async #build(db: ReadDb, owner: Given, index: ListIndex): Promise<void> {
    let pauseAt = performance.now() + SLICE_MS
    while (!index.isComplete && !index.discarded) {
      const key = this.#keyAfterStep(db, owner, index.frontier)
      if (key) index.addSegment(STEP, key)
      else index.endSection(this.#queries.from(index.frontier).count(db, this.#bind(owner, index.frontier))[0]!.n)
      if (performance.now() > pauseAt) {
        await new Promise<void>((resume) => setImmediate(resume))
        pauseAt = performance.now() + SLICE_MS
      }
    }
  }

  /** The key of the row that is STEP rows after the first one from `place` on, in the same section. */
  #keyAfterStep(db: ReadDb, owner: Given, place: Place): Key | undefined {
    const [row] = this.#queries.from(place).key(db, { ...this.#bind(owner, place), list_offset: STEP })
    return row && Object.values(row)
  }

  #bind(owner: Given, { section, key }: Place): Values {
    const values: Values = { ...owner, list_section: section === 0 }
    for (const [i, value] of (key ?? []).entries()) values[`list_key${i}`] = value
    return values
  }

  /** Reads a page in this turn; undefined if the index turns out to be wrong. */
  #read(db: ReadDb, owner: Given, index: ListIndex, page: PageInput, isReversed: boolean): unknown[] | undefined {
    const { total } = index
    const offset = Math.min(offsetOf(page), total)
    const size = Math.min(page.size, total - offset)
    if (offset + size <= NEAR) {
      const query = isReversed ? this.#queries.reversedNow : this.#queries.plainNow
      const rows = query(db, { ...owner, list_limit: page.size, list_offset: offsetOf(page) })
      return rows.length === size ? rows : undefined
    }
    const start = isReversed ? total - offset - size : offset
    for (let place = index.longSegmentAt(start, NEAR); place; place = index.longSegmentAt(start, NEAR)) {
      const key = this.#keyAfterStep(db, owner, place)
      if (key === undefined || index.isOvergrown) return undefined
      index.split(place, STEP, key)
    }
    const rows: unknown[] = []
    for (const { place, skip, take } of index.slices(start, start + size)) {
      const values = { ...this.#bind(owner, place), list_limit: take, list_offset: skip }
      const found = this.#queries.from(place).rows(db, values)
      if (found.length !== take) return undefined
      for (const row of found) rows.push(row)
    }
    return isReversed ? rows.toReversed() : rows
  }

  /** In tests and development: throws if the page differs from the one that LIMIT, OFFSET and count(*) give. */
  #check(db: ReadDb, owner: Given, page: PageInput, isReversed: boolean, items: unknown[], total: number): void {
    const { plainNow, reversedNow, countNow } = this.#queries
    const values = { ...owner, list_limit: page.size, list_offset: offsetOf(page) }
    const expected = (isReversed ? reversedNow : plainNow)(db, values)
    const [counted] = countNow(db, values)
    if (counted!.n === total && Bun.deepEquals(items, expected)) return
    throw new Error(
      `the index of a paged list of ${getTableName(this.table)} is wrong: ` +
        `it has ${total} rows, the table ${counted!.n}; page ${page.page} of size ${page.size} should be ${JSON.stringify(expected)}`,
    )
  }
}

/** A query that is answered at once, which only SQLite does, on the thread of the caller. */
function immediate<Row>(build: (db: Builders) => PromiseLike<Row[]>): (db: ReadDb, values: Values) => Row[] {
  let compiled: Compiled | undefined
  return (db, values) => {
    const query = (compiled ??= compile(build))
    const rows = (db.runner as Runner).rows(query.sql, query.bind(values))
    if (rows instanceof Promise) {
      rows.catch(() => undefined)
      throw new Error('paged lists are read by ctx.db.read')
    }
    return query.map(rows) as Row[]
  }
}

/** The queries of one order. Their own placeholders begin with `list_`. */
function queriesOf(
  table: SQLiteTable,
  scope: SQL,
  section: SQLiteColumn | undefined,
  keyColumns: readonly SQLiteColumn[],
  select: (db: Builders) => Select<unknown>,
) {
  const limit = sql.placeholder('list_limit')
  const offset = sql.placeholder('list_offset')
  const forwards = keyColumns.map((column) => asc(column))
  const backwards = keyColumns.map((column) => desc(column))
  const rowsIn = (where: SQL, orderBy: SQL[]) => (db: Builders) =>
    select(db)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit)
      .offset(offset)
  const countIn = (where: SQL) => (db: Builders) => db.select({ n: count() }).from(table).where(where)
  const plain = rowsIn(scope, section ? [desc(section), ...forwards] : forwards)
  const reversed = rowsIn(scope, section ? [asc(section), ...backwards] : backwards)

  const inSection = and(scope, section && eq(section, sql.placeholder('list_section')))!
  const keys = sql.join(
    keyColumns.map((column) => sql`${column}`),
    sql`, `,
  )
  const given = sql.join(
    keyColumns.map((_, i) => sql.placeholder(`list_key${i}`)),
    sql`, `,
  )
  /** Reading from a place on, inside its section. A comparison of tuples can be looked up in an SQL index. */
  const readingFrom = (where: SQL) => ({
    rows: immediate(rowsIn(where, forwards)),
    count: immediate(countIn(where)),
    key: immediate(
      (db) =>
        db
          .select(Object.fromEntries(keyColumns.map((column, i) => [i, column])))
          .from(table)
          .where(where)
          .orderBy(...forwards)
          .limit(1)
          .offset(offset) as unknown as PromiseLike<Record<number, number | string>[]>,
    ),
  })
  const fromStart = readingFrom(inSection)
  const fromKey = readingFrom(and(inSection, sql`(${keys}) >= (${given})`)!)
  return {
    plain: prepared(plain),
    reversed: prepared(reversed),
    countAll: prepared(countIn(scope)),
    plainNow: immediate(plain),
    reversedNow: immediate(reversed),
    countNow: immediate(countIn(scope)),
    from: ({ key }: Place) => (key === undefined ? fromStart : fromKey),
  }
}
