/**
 * Changes of any number of rows in writes of few rows each. Other writes wait for a slice, at least on SQLite, so its size follows from the time
 * that the one before it took; and as much time as it took is left to others before the next one, of whatever clean-up.
 */

import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'

import { dialect, isAnyOf } from './dialect.ts'
import type { Db, Store, Tx, WriteOptions } from './store.ts'

/** Rows of the first slice. A row has at most about 20 KB of text, which take up to 0.1 ms to search. */
export const SLICE_ROWS = 250
/** Other searches wait for a slice of a search. */
const SHORT_MS = 25
/** All requests wait for a slice of changes on SQLite; on PostgreSQL those that change the same rows. */
const SHORT_WRITE_MS = dialect === 'sqlite' ? 5 : 25

/** How many rows the next slice has. Most rows take a hundredth of the above, and each statement 0.1 ms, so slices grow while they are short. */
export class SliceSize {
  #startedAt = performance.now()

  constructor(
    readonly max = 16_000,
    public rows = SLICE_ROWS,
    readonly min = rows,
    readonly shortMs = SHORT_MS,
  ) {}

  /** Call it after each slice. `took`: the milliseconds that it took, if not all since the one before it. */
  next(took = performance.now() - this.#startedAt): void {
    if (took < this.shortMs) this.rows = Math.min(this.max, this.rows * 2)
    else if (took > 2 * this.shortMs) this.rows = Math.max(this.min, Math.ceil(this.rows / 2))
    this.#startedAt = performance.now()
  }
}

/** The primary key, or on PostgreSQL where the row is stored, which needs no index. */
function keyOf(table: SQLiteTable): SQLWrapper[] {
  if (dialect === 'postgres') return [sql`ctid`]
  const { columns, primaryKeys } = getTableConfig(table)
  return primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
}

/** Whether a row that a statement changes is one of the first `limit` that meet `where`. */
export function isAmongFirst(
  tx: Tx,
  table: SQLiteTable,
  {
    where,
    orderBy = [],
    limit,
  }: { readonly where?: SQL | undefined; readonly orderBy?: SQL[]; readonly limit: number },
): SQL {
  const key = keyOf(table)
  const rows = tx
    .select(Object.fromEntries(key.map((column, i) => [i, column.getSQL()])))
    .from(table)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
  return isAnyOf(sql`(${sql.join(key, sql`, `)})`, rows)
}

/** Deletes at most `limit` of the rows that meet `where`. Returns their number. */
export async function deleteSome(tx: Tx, table: SQLiteTable, where: SQL, limit: number): Promise<number> {
  const some = isAmongFirst(tx, table, { where, limit })
  return (
    await tx
      .delete(table)
      .where(some)
      .returning({ one: sql`1` })
  ).length
}

/** Rows that one write of a clean-up changes. */
const MAX_ROWS = 5000
/** The smallest slice. On PostgreSQL the round trips take the time if the machine is busy, and fewer rows would not make it shorter. */
const MIN_ROWS = dialect === 'sqlite' ? 20 : SLICE_ROWS

export interface Sliced {
  readonly db: Pick<Store, 'write'>
  readonly lifecycle: { readonly draining: boolean }
}

interface SliceOptions extends WriteOptions {
  /** Rows of the first slice, if each of them changes many others. */
  readonly firstRows?: number
  /** Rows of the largest slice, if rows of several kinds follow each other, of which some take much longer. */
  readonly maxRows?: number
}

/** The end of the last slice of each store. */
const ends = new WeakMap<object, Promise<unknown>>()

/**
 * Repeats the write `name` until it finds less to do than it may. `work` changes at most `limit` rows and returns how many. Slices of a process
 * take turns. Ends early when the server stops, so `work` must find by itself what an earlier run has left.
 */
export async function inSlices(
  { db, lifecycle }: Sliced,
  name: string,
  work: (tx: Tx, limit: number) => Promise<number>,
  { firstRows = SLICE_ROWS, maxRows = MAX_ROWS, ...options }: SliceOptions = {},
): Promise<void> {
  const size = new SliceSize(maxRows, firstRows, Math.min(firstRows, MIN_ROWS), SHORT_WRITE_MS)
  const slice = async (): Promise<boolean> => {
    let took = 0
    const isFull = await db.write(
      name,
      async (tx) => {
        // Not the time that the write waits for its turn. On PostgreSQL it may run again.
        const startedAt = performance.now()
        const rows = await work(tx, size.rows)
        took = performance.now() - startedAt
        return rows >= size.rows
      },
      options,
    )
    size.next(took)
    await Bun.sleep(took)
    return isFull
  }
  let isFull = true
  while (isFull && !lifecycle.draining) {
    const turn = (ends.get(db) ?? Promise.resolve()).then(slice)
    ends.set(
      db,
      turn.catch(() => undefined),
    )
    isFull = await turn
  }
}

/** Work that was too much for the writes that caused it: they have left rows, each of which names a part of it. */
interface Rest<Item> {
  first(db: Db): Promise<Item | undefined>
  /** Changes at most `limit` rows. Returns how many. */
  work(tx: Tx, item: Item, limit: number): Promise<number>
  /** Deletes the row. */
  end(tx: Tx, item: Item): Promise<void>
}

/** Does all the work that is left. */
export async function finishInSlices<Item>(
  ctx: Sliced & { readonly db: Pick<Store, 'read'> },
  name: string,
  { first, work, end }: Rest<Item>,
  options?: SliceOptions,
): Promise<void> {
  let item: Item | undefined
  while (!ctx.lifecycle.draining && (item = await first(ctx.db.read)) !== undefined) {
    const next = item
    const slice = async (tx: Tx, limit: number): Promise<number> => {
      const rows = await work(tx, next, limit)
      if (rows < limit) await end(tx, next)
      return rows
    }
    await inSlices(ctx, name, slice, options)
  }
}
