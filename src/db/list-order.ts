/**
 * The lists of one kind (every user's codes, for example) in one order: their SQL queries, their indexes in memory, and how a page is
 * read. Part of lists.ts, which explains the whole.
 */

import { and, asc, count, desc, eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { LRUCache } from 'lru-cache'

import { pause } from '#lib/pause.ts'

import { dialect } from './dialect.ts'
import type { ReadDb } from './engine/write.ts'
import { type Key, ListIndex, type Place } from './list-index.ts'
import { type Given, PostgresPages, type Select } from './list-pages.ts'
import { nullsInOrder, offsetOf, type Page, type PageInput } from './paging.ts'
import { prepared } from './prepared.ts'
import { compile, type Compiled, type Runner, type Values } from './query/builders.ts'
import type { Builders, Db } from './store.ts'

/** Rows of a segment. A page compares the keys of half of them on average (about 15 µs); a million rows have 4,000 segments. */
const STEP = 250
/** Pages that end before this position are read with OFFSET, because skipping a row is cheaper than comparing its key. */
const NEAR = 2 * STEP
/** Segments kept for all lists of one kind in one order: 5 million rows, about 2 MB. The least recently used indexes are dropped. */
const MAX_SEGMENTS = 20_000
/** Building an index (0.1 s for a million rows) lets other requests run after this many milliseconds. */
const SLICE_MS = 1

export type { Given, Select } from './list-pages.ts'

interface Building {
  readonly index: ListIndex
  readonly done: Promise<void>
}

/** The indexes of one kind of list in one order, by the name of the list. */
interface Indexes {
  readonly ready: LRUCache<string, ListIndex>
  readonly building: Map<string, Building>
}

export class ListOrder {
  readonly #names: readonly string[]
  readonly #firstIsBoolean: boolean
  readonly #queries: ReturnType<typeof queriesOf>
  readonly #postgres: PostgresPages | undefined
  /** By the `read` of each store. */
  readonly #stores = new WeakMap<object, Indexes>()

  constructor(
    readonly table: SQLiteTable,
    scope: SQL,
    columns: readonly (readonly [name: string, column: SQLiteColumn])[],
    select: (db: Builders) => Select<unknown>,
    nulls: readonly SQLiteColumn[],
    total: SQL<number> | undefined,
  ) {
    const [, first] = columns[0]!
    this.#firstIsBoolean = first.dataType === 'boolean'
    this.#names = columns.map(([name]) => name)
    const keyColumns = columns.slice(this.#firstIsBoolean ? 1 : 0).map(([, column]) => column)
    this.#queries = queriesOf(table, scope, this.#firstIsBoolean ? first : undefined, keyColumns, select, nulls)
    const { orderBy } = this.#queries
    if (dialect === 'postgres') this.#postgres = new PostgresPages({ table, scope, orderBy, total, select })
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
    if (this.#postgres) return this.#postgres.page(db, owner, page, isReversed)
    // A running write sees rows that no index knows yet.
    if (db.kind === 'read') {
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

  /** The rows of a page. On PostgreSQL their total need not be counted. */
  async rows(db: Db, owner: Given, name: string, page: PageInput, isReversed: boolean): Promise<unknown[]> {
    if (this.#postgres) return this.#postgres.rows(db, owner, page, isReversed)
    return (await this.page(db, owner, name, page, isReversed)).items
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
        // Until now, changes reached the index through `building`.
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
        await pause()
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
  nulls: readonly SQLiteColumn[],
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
  const orderBy = {
    forwards: [...nullsInOrder(nulls, false), ...(section ? [desc(section)] : []), ...forwards],
    backwards: [...nullsInOrder(nulls, true), ...(section ? [asc(section)] : []), ...backwards],
  }
  const plain = rowsIn(scope, orderBy.forwards)
  const reversed = rowsIn(scope, orderBy.backwards)

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
    orderBy,
    plain: prepared(plain),
    reversed: prepared(reversed),
    countAll: prepared(countIn(scope)),
    plainNow: immediate(plain),
    reversedNow: immediate(reversed),
    countNow: immediate(countIn(scope)),
    from: ({ key }: Place) => (key === undefined ? fromStart : fromKey),
  }
}
