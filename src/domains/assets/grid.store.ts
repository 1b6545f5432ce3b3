import { and, eq, getTableColumns, lte, or, type SQL, sql } from 'drizzle-orm'

import { isOneOf, notByIndex } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { assetMapCells, assetPlaces, assets } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'

import { type Box, cellAt, cellOf, DEEPEST, LEVELS } from './grid.rules.ts'

/** The columns of an asset that decide where it is on the map. */
export type Placed = Pick<typeof assets.$inferSelect, 'id' | 'owner' | 'latitude' | 'longitude' | 'deletedAt'>

export interface Place {
  readonly owner: OwnerKey
  readonly cell: number
  readonly assetId: number
  readonly latitude: number
  readonly longitude: number
}

function placeOf(asset: Placed | undefined): Place | undefined {
  if (asset === undefined || asset.deletedAt !== null) return undefined
  const { id, owner, latitude, longitude } = asset
  if (latitude === null || longitude === null) return undefined
  return { owner, cell: cellOf(latitude, longitude), assetId: id, latitude, longitude }
}

const isSame = (a: Place, b: Place) => a.owner === b.owner && a.latitude === b.latitude && a.longitude === b.longitude

const p = sql.placeholder
const { count, latitudes, longitudes } = assetMapCells
const MILLIONTH = 1e6

const insertPlace = prepared((db) =>
  db.insert(assetPlaces).values({
    owner: p('owner'),
    cell: p('cell'),
    assetId: p('assetId'),
    latitude: p('latitude'),
    longitude: p('longitude'),
  }),
)
const deletePlace = prepared((db) =>
  db
    .delete(assetPlaces)
    .where(
      and(eq(assetPlaces.owner, p('owner')), eq(assetPlaces.cell, p('cell')), eq(assetPlaces.assetId, p('assetId'))),
    ),
)
/** Adds an asset, or takes one out, in the cells of all levels. */
const addToCells = prepared((db) =>
  db
    .insert(assetMapCells)
    .values(
      LEVELS.map((level) => ({
        owner: p('owner'),
        level: sql.raw(String(level)),
        cell: p(`cell${level}`),
        count: p('count'),
        latitudes: p('latitudes'),
        longitudes: p('longitudes'),
      })),
    )
    .onConflictDoUpdate({
      target: [assetMapCells.owner, assetMapCells.level, assetMapCells.cell],
      set: {
        count: sql`${count} + excluded.count`,
        latitudes: sql`${latitudes} + excluded.latitudes`,
        longitudes: sql`${longitudes} + excluded.longitudes`,
      },
    }),
)
const deleteEmptyCells = prepared((db) =>
  db
    .delete(assetMapCells)
    .where(
      or(
        ...LEVELS.map((level) =>
          and(
            eq(assetMapCells.owner, p('owner')),
            eq(assetMapCells.level, level),
            eq(assetMapCells.cell, p(`cell${level}`)),
            lte(count, 0),
          ),
        ),
      ),
    ),
)

const cellsAbove = (deepest: number): Record<string, number> =>
  Object.fromEntries(LEVELS.map((level) => [`cell${level}`, cellAt(level, deepest)]))

const change = ({ owner, cell, latitude, longitude }: Place, sign: 1 | -1) => ({
  owner,
  ...cellsAbove(cell),
  count: sign,
  latitudes: sign * Math.round(latitude * MILLIONTH),
  longitudes: sign * Math.round(longitude * MILLIONTH),
})

/** Must be called by every write that changes the position, the owner or the deletion of an asset. */
export async function moveOnMap(tx: Tx, before: Placed | undefined, after: Placed | undefined): Promise<void> {
  const [from, to] = [placeOf(before), placeOf(after)]
  if (from && to && isSame(from, to)) return
  if (from) {
    await deletePlace(tx, { ...from })
    await addToCells(tx, change(from, -1))
  }
  if (to) {
    await insertPlace(tx, { ...to })
    await addToCells(tx, change(to, 1))
  }
  if (from) await deleteEmptyCells(tx, { owner: from.owner, ...cellsAbove(from.cell) })
}

/** Cells of one level: first and last. */
export type Range = readonly [first: number, last: number]

/** Ranges of one query. SQLite takes 32,766 parameters, two for a range. */
const RANGES_PER_QUERY = 8000

async function ofRanges<Row>(
  ranges: readonly Range[],
  rowsOf: (some: readonly Range[]) => Promise<Row[]>,
): Promise<Row[]> {
  const all = joined(ranges)
  const rows: Row[] = []
  for (let i = 0; i < all.length; i += RANGES_PER_QUERY)
    rows.push(...(await rowsOf(all.slice(i, i + RANGES_PER_QUERY))))
  return rows
}

/** Ranges that follow each other as one. `ranges` must not overlap. */
function joined(ranges: readonly Range[]): Range[] {
  const result: [number, number][] = []
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = result.at(-1)
    if (before && before[1] + 1 === first) before[1] = last
    else result.push([first, last])
  }
  return result
}

/** A table of ranges. Joined with CROSS JOIN, which keeps it first: the rows of each range are then found by an index. */
const rangesTable = (ranges: readonly Range[]): SQL =>
  sql`(select column1 as first, column2 as last from (values ${sql.join(
    ranges.map(([first, last]) => sql`(cast(${first} as bigint), cast(${last} as bigint))`),
    sql`, `,
  )}) as given) as ranges`

const within = (column: SQL): SQL => sql`${column} between ranges.first and ranges.last`

export interface CellRow {
  readonly cell: number
  readonly count: number
  readonly latitudes: number
  readonly longitudes: number
}

/** The cells of a level that hold assets, in ranges of cells of that level. */
export function cellsIn(db: Db, owner: OwnerKey, level: number, ranges: readonly Range[]): Promise<CellRow[]> {
  const { cell } = assetMapCells
  return ofRanges(ranges, (some) =>
    db
      .select({
        cell,
        count,
        latitudes: sql<number>`${latitudes} / ${MILLIONTH}`.mapWith(Number),
        longitudes: sql<number>`${longitudes} / ${MILLIONTH}`.mapWith(Number),
      })
      .from(rangesTable(some))
      .crossJoin(assetMapCells)
      .where(and(eq(assetMapCells.owner, owner), eq(assetMapCells.level, level), within(sql`${cell}`))),
  )
}

const inBox = ({ west, south, east, north }: Box): SQL =>
  sql`${assetPlaces.latitude} between ${south} and ${north} and ${assetPlaces.longitude} between ${west} and ${east}`

/** Where to look: ranges of the deepest level, of which only a box counts, and a condition on `assets`. */
interface Area {
  readonly ranges: readonly Range[]
  readonly box: Box
  readonly where?: SQL | undefined
}

/** Counts the assets of an area by the cells of `level`. Reads every asset in the ranges. */
export function sumsIn(db: Db, owner: OwnerKey, level: number, { ranges, box, where }: Area): Promise<CellRow[]> {
  const { latitude, longitude } = assetPlaces
  return ofRanges(ranges, (some) => {
    const sums = db
      .select({
        cell: upper(level).mapWith(Number),
        count: sql`count(*)`.mapWith(Number),
        latitudes: sql`sum(${latitude})`.mapWith(Number),
        longitudes: sql`sum(${longitude})`.mapWith(Number),
      })
      .from(rangesTable(some))
      .crossJoin(assetPlaces)
      .$dynamic()
    return (where ? sums.innerJoin(assets, eq(assets.id, assetPlaces.assetId)) : sums)
      .where(and(inRanges(owner), inBox(box), where))
      .groupBy(sql`1`)
  })
}

const inRanges = (owner: OwnerKey) => and(eq(assetPlaces.owner, owner), within(sql`${assetPlaces.cell}`))

/** The cell of `level` that contains a place. Division of integers rounds down. */
const upper = (level: number): SQL => sql`${assetPlaces.cell} / ${sql.raw(String(4 ** (DEEPEST - level)))}`

const item = {
  id: assets.id,
  uuid: assets.uuid,
  name: assets.name,
  assetNo: assets.assetNo,
  status: assets.status,
  categoryId: assets.categoryId,
  latitude: assetPlaces.latitude,
  longitude: assetPlaces.longitude,
}

/** At most `limit` assets of an area of at most 500 ranges, by id. */
export const itemsIn = (db: Db, owner: OwnerKey, limit: number, { ranges, box, where }: Area): Promise<Item[]> =>
  db
    .select(item)
    .from(rangesTable(joined(ranges)))
    .crossJoin(assetPlaces)
    .innerJoin(assets, eq(assets.id, assetPlaces.assetId))
    .where(and(inRanges(owner), inBox(box), where))
    .orderBy(assets.id)
    .limit(limit)

export type Item = Pick<typeof assets.$inferSelect, 'id' | 'uuid' | 'name' | 'assetNo' | 'status' | 'categoryId'> & {
  readonly latitude: number
  readonly longitude: number
}

/**
 * The next assets of a range, in the order of the table, after a place in it, each with whether it meets the condition. A statement that
 * looked for matches only could read all of them.
 */
export const placesAfter = (
  db: Db,
  owner: OwnerKey,
  [first, last]: Range,
  after: { readonly cell: number; readonly assetId: number } | undefined,
  { where = sql`true`, limit }: { readonly where: SQL | undefined; readonly limit: number },
): Promise<(Place & { isMatch: number })[]> =>
  db
    .select({ ...getTableColumns(assetPlaces), isMatch: sql<number>`case when ${where} then 1 else 0 end` })
    .from(assetPlaces)
    .innerJoin(assets, eq(assets.id, assetPlaces.assetId))
    .where(
      and(
        eq(assetPlaces.owner, owner),
        sql`${assetPlaces.cell} between ${after?.cell ?? first} and ${last}`,
        after && sql`(${assetPlaces.cell}, ${assetPlaces.assetId}) > (${after.cell}, ${after.assetId})`,
      ),
    )
    .orderBy(assetPlaces.cell, assetPlaces.assetId)
    .limit(limit)

/** The owner's assets with these ids. */
export const assetsByIds = (db: Db, owner: OwnerKey, ids: readonly number[]) =>
  db
    .select()
    .from(assets)
    .where(and(sql`${notByIndex(assets.owner)} = ${owner}`, isOneOf(assets.id, ids)))

export const itemsByIds = (db: Db, owner: OwnerKey, ids: readonly number[]): Promise<Item[]> =>
  db
    .select(item)
    .from(assetPlaces)
    .innerJoin(assets, eq(assets.id, assetPlaces.assetId))
    .where(and(eq(assets.owner, owner), eq(assetPlaces.owner, owner), isOneOf(assets.id, ids)))
