/**
 * Totals of paged lists on PostgreSQL, without counting their rows: `count(*)` of a million rows took 100 ms of each page.
 *
 * Triggers (migration 0033) write a row of `list_changes` in each transaction that adds rows to a list or takes rows from it, and a job adds
 * those rows to `list_totals`. So a total is one row, and those of the last seconds. It is exact in every snapshot, whichever process
 * or program has written, and writes do not wait for each other as they would for one counter. A counter of each owner that the writes
 * themselves update made every two writes of an owner conflict.
 *
 * On SQLite, lists keep their totals in memory (lists.ts). `passes.used`, `passes.inside` and `passes.revoked` are never shown as lists, so their totals are rows there
 * too, which triggers of migration 0074 change at once; and so are `participants.<facet>` (migration 0082), and the assets that can be reserved (0158).
 *
 * Lists with a quota are the exception (migration 0035): writes that add rows to one of them must wait for each other anyway, so that only one takes
 * the last place. The triggers change their totals at once, and the row of the total is what such writes lock.
 */

import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import { dialect } from './dialect.ts'
import type { ReadDb } from './engine/write.ts'
import { prepared } from './prepared.ts'
import { listChanges, listTotals } from './schema/list-totals.ts'
import { inSlices, isAmongFirst, type Sliced } from './slices.ts'
import type { Db, Store, Tx } from './store.ts'

/** The lists of which triggers keep the totals, as `<table>.<list>`. */
export type KeptTotal =
  | 'activities.all'
  | 'activities.discovered'
  | 'activities.listed'
  | 'activities.owner'
  | 'album_photos.all'
  | 'album_photos.org'
  | 'album_photos.personal'
  | 'asset_loans.owner'
  | 'assets.all'
  | 'assets.bookable'
  | 'assets.bookable_of'
  | 'assets.inheriting'
  | 'assets.owner'
  | 'categories.all'
  | 'check_ins.activity'
  | 'check_ins.all'
  | 'files.all'
  | 'login_records.all'
  | 'org_members.org'
  | 'organizations.all'
  | 'pass_uses.activity'
  | 'passes.activity'
  | 'passes.all'
  | 'passes.inside'
  | 'passes.revoked'
  | 'passes.used'
  | 'qr_codes.all'
  | 'qr_codes.org'
  | 'qr_codes.personal'
  | 'qr_codes.trash'
  | 'registrations.activity'
  | 'scan_records.all'
  | 'scan_records.user'
  | 'sessions.active'
  | 'supply_movements.owner'
  | 'supply_movements.supply'
  | 'users.all'

/** The total of a list as a scalar. `owner` is its owner, or 0 for the list of all owners. */
export function keptTotal(list: KeptTotal, owner: SQL): SQL<number> {
  const is = (table: typeof listTotals | typeof listChanges) =>
    sql`${table} where ${table.list} = ${sql.raw(`'${list}'`)} and ${table.owner} = ${owner}`
  const total = dialect === 'postgres' ? sql.raw('coalesce(sum(n), 0)::bigint') : sql.raw('coalesce(sum(n), 0)')
  return sql<number>`(select ${total} from (select ${listTotals.n} as n from ${is(listTotals)} union all select ${listChanges.n} from ${is(listChanges)}) as counted)`
}

/** The sum of the totals of one list for several owners, as a scalar. */
export function sumOfTotals(list: KeptTotal, owners: readonly number[]): SQL<number> {
  if (owners.length === 0) return sql<number>`0`
  const of = (table: typeof listTotals | typeof listChanges) =>
    sql`select ${table.n} as n from ${table} where ${table.list} = ${sql.raw(`'${list}'`)} and ${inArray(table.owner, [...owners])}`
  return sql<number>`(select coalesce(sum(n), 0) from (${of(listTotals)} union all ${of(listChanges)}) as counted)`
}

/** The totals above 0 among those of some lists that triggers keep on both databases, by the name of the list. */
export async function keptTotals(
  db: Db,
  lists: readonly string[],
  owner: number,
): Promise<ReadonlyMap<string, number>> {
  const of = (table: typeof listTotals | typeof listChanges) =>
    sql`select ${table.list}, ${table.n} from ${table} where ${table.owner} = ${owner} and ${inArray(table.list, [...lists])}`
  const rows = await db
    .select({ list: sql<string>`list`, n: sql`sum(n)`.mapWith(Number) })
    .from(sql`(${of(listTotals)} union all ${of(listChanges)}) as counted`)
    .groupBy(sql`list`)
  return new Map(rows.flatMap(({ list, n }) => (n > 0 ? [[list, n]] : [])))
}

/**
 * The total of a list of all owners: the rows of `table` that meet `where`. SQLite counts them; on PostgreSQL, tests and development compare both.
 */
export async function totalOf(
  db: Db,
  list: KeptTotal,
  { table, where }: { readonly table: SQLiteTable; readonly where: SQL | undefined },
): Promise<number> {
  const counted = sql<number>`(select count(*) from ${table} ${where && sql`where ${where}`})`.mapWith(Number)
  const kept = keptTotal(list, sql`0`).mapWith(Number)
  const isChecked = dialect === 'postgres' && (db as ReadDb).checksPages
  const [row] = await db
    .select({ total: dialect === 'sqlite' ? counted : kept, ...(isChecked && { counted }) })
    .from(sql`(select 1) as one_row`)
  if (isChecked && row!.counted !== row!.total)
    throw new Error(`the total of the list ${list} is wrong: ${JSON.stringify(row)}`)
  return row!.total
}

const p = sql.placeholder
const isTotal = and(eq(listTotals.list, p('list')), eq(listTotals.owner, p('owner')))

const lockedRow = prepared((db) =>
  db
    .select({ n: sql<number>`${listTotals.n} + ${listTotals.held}`.mapWith(Number) })
    .from(listTotals)
    .where(sql`${isTotal} for update`),
)
const insertEmpty = prepared((db) =>
  db
    .insert(listTotals)
    .values({ list: p('list'), owner: p('owner'), n: 0 })
    .onConflictDoNothing(),
)

/** The total of a list with a quota and its held places, which no other write can change before this one has ended. */
export async function lockTotal(tx: Tx, list: KeptTotal, owner: number): Promise<number> {
  for (;;) {
    const [row] = await lockedRow(tx, { list, owner })
    if (row) return row.n
    await insertEmpty(tx, { list, owner })
  }
}

const addHeld = prepared((db) =>
  db
    .insert(listTotals)
    .values({ list: p('list'), owner: p('owner'), n: 0, held: p('by') })
    .onConflictDoUpdate({
      target: [listTotals.list, listTotals.owner],
      set: { held: sql`${listTotals.held} + excluded.held` },
    }),
)

/** Holds places of the quota of a list for rows of another table, or gives them back (`by` < 0). On SQLite those rows are counted instead. */
export async function holdPlaces(tx: Tx, list: KeptTotal, owner: number, by: number): Promise<void> {
  if (dialect === 'postgres' && by !== 0) await addHeld(tx, { list, owner, by })
}

/**
 * Joined with the rows that a statement adds to lists with a quota, keeps those for which there is room. `place` numbers the rows of each owner from
 * 1. The statement does not wait for other writes: rows are left out if their owner's total is locked, or does not exist yet.
 */
export const whileRoom = (
  list: KeptTotal,
  { owner, place, quota }: Readonly<Record<'owner' | 'place' | 'quota', SQL>>,
) =>
  sql`cross join lateral (
    select from (
      select ${listTotals.n} + ${listTotals.held} as n from ${listTotals} where ${listTotals.list} = ${sql.raw(`'${list}'`)} and ${listTotals.owner} = ${owner} for update skip locked
    ) as total where ${quota} = 0 or n + ${place} <= ${quota}
  ) as room`

/** Adds the changes of lists to their totals. */
export async function foldListChanges(ctx: Sliced & { readonly db: Pick<Store, 'read'> }): Promise<void> {
  if (dialect === 'sqlite') return
  const some = await ctx.db.read.select({ n: listChanges.n }).from(listChanges).limit(1)
  if (some.length > 0) await inSlices(ctx, 'lists.foldChanges', foldSome)
}

/** Adds at most `limit` changes to the totals. Returns their number. */
async function foldSome(tx: Tx, limit: number): Promise<number> {
  const rows = await tx
    .delete(listChanges)
    .where(isAmongFirst(tx, listChanges, { limit }))
    .returning()
  const sums = new Map<string, typeof listTotals.$inferInsert>()
  for (const { list, owner, n } of rows) {
    const key = `${list} ${owner}`
    sums.set(key, { list, owner, n: n + (sums.get(key)?.n ?? 0) })
  }
  const { list, owner, n } = listTotals
  if (sums.size > 0)
    await tx
      .insert(listTotals)
      .values([...sums.values()])
      .onConflictDoUpdate({ target: [list, owner], set: { n: sql`${n} + excluded.n` } })
  return rows.length
}
