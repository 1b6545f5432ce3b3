/**
 * Long lists whose pages and totals cost the same at a thousand rows and at a million.
 *
 * LIMIT and OFFSET walk over all rows before the page, count(*) over all rows. Here a map of each list that is looked at is kept in
 * memory: where every 250th row stands, and how many rows lie between. A page then begins at the nearest of these places, and the
 * total is a sum. The map follows every write through after-commit hooks; on SQLite those run in the same turn as the COMMIT, and
 * the reading below is synchronous too, so no page ever sees the one without the other. On PostgreSQL the pages are plain ones.
 *
 *     const codes = longList({
 *       table: qrCodes,
 *       owner: ['userId'],
 *       scope: and(eq(qrCodes.userId, sql.placeholder('userId')), isNull(qrCodes.deletedAt))!,
 *       pinned: qrCodes.pinned,
 *       by: { sortOrder: qrCodes.sortOrder, createdAt: qrCodes.createdAt, id: qrCodes.id },
 *       rows: (db, { where, orderBy, limit, offset }) =>
 *         db.select().from(qrCodes).where(where).orderBy(...orderBy).limit(limit).offset(offset),
 *     })
 *
 *     await codes.page(ctx.db.read, { userId }, { page, size })   // {items,total,page,size}
 *     codes.inserted(tx, { userId }, row)   // in the write that makes or restores a row
 *     codes.removed(tx, { userId }, row)    // … that deletes or hides it; a row that moves is removed (old keys) and inserted (new)
 *     codes.forget(tx, { userId })          // … that does anything else to membership or order: the map is made anew
 *
 * Writes of other columns need no call. Every writer of the table must call; a page that finds other rows than its map says throws
 * the map away, logs nothing, and is answered the plain way. An index (scope, pinned desc, ...by) is needed.
 */

import { and, count, eq, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { LRUCache } from 'lru-cache'

import { dialect } from './dialect.ts'
import type { WriteTx } from './engine/write.ts'
import { ListMap, type Piece, type Place } from './list-map.ts'
import { offsetOf, type Page, type PageInput, plainPage } from './paging.ts'
import { prepared } from './prepared.ts'
import { compile, type Compiled, type Rows, type Runner, type Values } from './query/builders.ts'
import type { Builders, Db, Tx } from './store.ts'

/** What `rows` puts into its query. */
export interface ListPart {
  readonly where: SQL
  readonly orderBy: SQL[]
  readonly limit: Placeholder
  readonly offset: Placeholder
}

export interface LongListSpec<Owner extends string, Key extends string, Row> {
  readonly table: SQLiteTable
  /** The placeholders in `scope`: together they name one list. */
  readonly owner: readonly Owner[]
  readonly scope: SQL
  /** Boolean column: rows where it is true come first. */
  readonly pinned?: SQLiteColumn
  /** The order: integer columns that are never null, the last one unique. Rows given to `inserted` and `removed` use these names. */
  readonly by: Readonly<Record<Key, SQLiteColumn>>
  /** All of `by` the other way round: newest first. */
  readonly descending?: boolean
  rows(db: Builders, part: ListPart): PromiseLike<Row[]>
}

type OwnerOf<Name extends string> = Readonly<Record<Name, number | string>>
type KeysOf<Name extends string> = Readonly<Record<Name, number>> & { readonly pinned?: boolean }

export interface LongList<Owner extends string, Key extends string, Row> {
  page(db: Db, owner: OwnerOf<Owner>, input: PageInput): Promise<Page<Row>>
  /** This and the others take effect when the write commits. `pinned` false unless given. */
  inserted(tx: Tx, owner: OwnerOf<Owner>, row: KeysOf<Key>): void
  removed(tx: Tx, owner: OwnerOf<Owner>, row: KeysOf<Key>): void
  forget(tx: Tx, owner: OwnerOf<Owner>): void
}

/** Rows between two places of a map. Walking over half of them takes about 4 µs; a million rows have 4,000 places of about 100 bytes. */
const STEP = 250
/** Pages that end before this row are read from the front: comparing keys costs 1 µs a row, skipping one 0.02 µs. */
const NEAR = 2 * STEP
/** Places kept for all maps of one list kind, about 5 MB; the maps longest unused go first. */
const MAX_PLACES = 50_000
/** Making a map (0.1 s for a million rows) gives way to other requests after so long, in milliseconds. */
const SLICE_MS = 1

interface Making {
  readonly map: ListMap
  readonly done: Promise<void>
}

/** The maps of one list kind in one store. */
interface Maps {
  readonly ready: LRUCache<string, ListMap>
  readonly making: Map<string, Making>
}

/** A query that is answered in this very turn: on SQLite only. */
function immediate<Row>(build: (db: Builders) => PromiseLike<Row[]>): (db: Db, values: Values) => Row[] {
  let compiled: Compiled | undefined
  return (db, values) => {
    const query = (compiled ??= compile(build))
    const { runner } = db as unknown as { runner: Runner }
    return query.map(runner.rows(query.sql, query.bind(values)) as Rows) as Row[]
  }
}

/** The queries of a list. Their own placeholders begin with `list_`. */
function queriesOf<Owner extends string, Key extends string, Row>(spec: LongListSpec<Owner, Key, Row>) {
  const slot = (name: string) => sql.placeholder(`list_${name}`)
  const names = Object.keys(spec.by) as Key[]
  const columns = names.map((name) => spec.by[name])
  const keys = sql.join(
    columns.map((column) => sql`${column}`),
    sql`, `,
  )
  const given = sql.join(
    names.map((name) => sql`${slot(name)}`),
    sql`, `,
  )
  const from = spec.descending ? sql`(${keys}) <= (${given})` : sql`(${keys}) >= (${given})`
  // With equality on `pinned` the rest of the order goes one way, which a comparison of tuples can seek in the index.
  const where = and(spec.scope, spec.pinned && eq(spec.pinned, slot('pinned')), from)!
  const orderBy = columns.map((column) => (spec.descending ? sql`${column} desc` : sql`${column} asc`))
  const limit = slot('limit')
  const offset = slot('offset')
  const pinnedFirst = spec.pinned ? [sql`${spec.pinned} desc`, ...orderBy] : orderBy
  return {
    allRows: prepared((db) => spec.rows(db, { where: spec.scope, orderBy: pinnedFirst, limit, offset })),
    countAll: prepared((db) => db.select({ n: count() }).from(spec.table).where(spec.scope)),
    firstRows: immediate((db) => spec.rows(db, { where: spec.scope, orderBy: pinnedFirst, limit, offset })),
    rowsFrom: immediate((db) => spec.rows(db, { where, orderBy, limit, offset })),
    keyFrom: immediate<Record<Key, number>>(
      (db) =>
        db
          .select(spec.by)
          .from(spec.table)
          .where(where)
          .orderBy(...orderBy)
          .limit(1)
          .offset(offset) as unknown as PromiseLike<Record<Key, number>[]>,
    ),
    countFrom: immediate((db) => db.select({ n: count() }).from(spec.table).where(where)),
  }
}

export function longList<Owner extends string, Key extends string, Row>(
  spec: LongListSpec<Owner, Key, Row>,
): LongList<Owner, Key, Row> {
  const queries = queriesOf(spec)
  const keyNames = Object.keys(spec.by) as Key[]
  const nameOf = (owner: OwnerOf<Owner>): string => spec.owner.map((part) => owner[part]).join('\0')
  const placeOf = (row: KeysOf<Key>): Place => ({
    pinned: spec.pinned !== undefined && row.pinned === true,
    key: keyNames.map((name) => row[name]),
  })
  const valuesAt = (owner: OwnerOf<Owner>, { pinned, key }: Place, rest: Values): Values => {
    const values: Values = { ...owner, ...rest, list_pinned: pinned }
    for (const [i, name] of keyNames.entries()) values[`list_${name}`] = key[i]
    return values
  }

  /** The key of the row that stands STEP rows after the first one from `place` on, in its group. */
  function keyAfter(db: Db, owner: OwnerOf<Owner>, place: Place): number[] | undefined {
    const [row] = queries.keyFrom(db, valuesAt(owner, place, { list_offset: STEP }))
    return row && keyNames.map((name) => row[name])
  }

  const stores = new WeakMap<object, Maps>()
  function mapsOf(reader: object): Maps {
    let maps = stores.get(reader)
    if (maps === undefined) {
      const ready = new LRUCache<string, ListMap>({
        maxSize: MAX_PLACES,
        sizeCalculation: ({ places }) => Math.min(places, MAX_PLACES),
        dispose: (map) => (map.dropped = true),
      })
      stores.set(reader, (maps = { ready, making: new Map() }))
    }
    return maps
  }

  async function make(db: Db, owner: OwnerOf<Owner>, map: ListMap): Promise<void> {
    let until = performance.now() + SLICE_MS
    while (!map.complete && !map.dropped) {
      const place = map.frontier
      const next = keyAfter(db, owner, place)
      if (next) map.extend(next, STEP)
      else map.closeGroup(queries.countFrom(db, valuesAt(owner, place, {}))[0]!.n)
      if (performance.now() > until) {
        await new Promise<void>((go) => setImmediate(go))
        until = performance.now() + SLICE_MS
      }
    }
  }

  /** Makes the map of a list, once for all who wait for it. */
  function start(db: Db, owner: OwnerOf<Owner>, maps: Maps, name: string): Making {
    const map = new ListMap(spec.pinned !== undefined, keyNames.length, spec.descending === true)
    const done = make(db, owner, map).finally(() => {
      if (maps.making.get(name)?.map === map) maps.making.delete(name)
      // Without a turn in between: from the first row read on, the map is told of every write.
      if (map.complete && !map.dropped) maps.ready.set(name, map)
    })
    const making = { map, done }
    maps.making.set(name, making)
    return making
  }

  /** Reads a page by its map, in this turn; undefined when the map turns out to be wrong. */
  function read(db: Db, owner: OwnerOf<Owner>, map: ListMap, offset: number, size: number): Row[] | undefined {
    for (let place = map.longAt(offset, 2 * STEP); place; place = map.longAt(offset, 2 * STEP)) {
      const key = keyAfter(db, owner, place)
      if (key === undefined || map.overgrown) return undefined
      map.split(place, key, STEP)
    }
    if (offset + size <= NEAR) {
      const found = queries.firstRows(db, { ...owner, list_limit: size, list_offset: offset })
      return found.length === Math.max(0, Math.min(size, map.total - offset)) ? found : undefined
    }
    const rows: Row[] = []
    const pieces: Piece[] = map.pieces(offset, size)
    for (const { place, skip, take } of pieces) {
      const found = queries.rowsFrom(db, valuesAt(owner, place, { list_limit: take, list_offset: skip }))
      if (found.length !== take) return undefined
      for (const row of found) rows.push(row)
    }
    return rows
  }

  function change(tx: Tx, owner: OwnerOf<Owner>, row: KeysOf<Key>, by: 1 | -1): void {
    if (dialect !== 'sqlite') return
    const maps = mapsOf((tx as WriteTx).reader)
    const name = nameOf(owner)
    const place = placeOf(row)
    tx.afterCommit(() => {
      maps.ready.peek(name)?.change(place, by)
      maps.making.get(name)?.map.change(place, by)
    })
  }

  function drop(maps: Maps, name: string): void {
    maps.ready.delete(name)
    const making = maps.making.get(name)
    if (making) making.map.dropped = true
    maps.making.delete(name)
  }

  return {
    async page(db, owner, input) {
      // A running write sees rows that no map knows of yet.
      if (dialect === 'sqlite' && db.kind === 'read') {
        const maps = mapsOf(db)
        const name = nameOf(owner)
        let map = maps.ready.get(name)
        if (map === undefined) {
          const making = maps.making.get(name) ?? start(db, owner, maps, name)
          await making.done
          map = making.map
        }
        if (!map.dropped) {
          const items = read(db, owner, map, offsetOf(input), input.size)
          if (items) return { items, total: map.total, page: input.page, size: input.size }
          drop(maps, name)
        }
      }
      const { allRows, countAll } = queries
      return plainPage(
        input,
        (limit, offset) => allRows(db, { ...owner, list_limit: limit, list_offset: offset }) as Promise<Row[]>,
        () => countAll(db, owner),
      )
    },
    inserted: (tx, owner, row) => change(tx, owner, row, 1),
    removed: (tx, owner, row) => change(tx, owner, row, -1),
    forget(tx, owner) {
      if (dialect !== 'sqlite') return
      const maps = mapsOf((tx as WriteTx).reader)
      tx.afterCommit(() => drop(maps, nameOf(owner)))
    },
  }
}
