/** The map of an owner's assets: single ones, or clusters of those in one cell of the grid (grid.rules.ts). */

import type { AppContext } from '#context'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { readerFor } from '#db/paging.ts'
import { SLICE_ROWS, SliceSize } from '#db/slices.ts'
import type { Db, SQL, Store } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import { invalid } from '#http/validate.ts'

import {
  type Box,
  boxOf,
  cellAt,
  cellsOf,
  cellsWithin,
  clusterOf,
  DEEPEST,
  firstLevel,
  gridOf,
  intersection,
  isIn,
  levelFor,
  LEVELS,
  MAX_ENTRIES,
  maxItems,
  parseBoxes,
  placeOf,
  type Sum,
  WORLD,
} from '../grid.rules.ts'
import {
  assetsByIds,
  type CellRow,
  cellsIn,
  type Item,
  itemsByIds,
  itemsIn,
  type Place,
  placesAfter,
  type Range,
  sumsIn,
} from '../grid.store.ts'
import { assetsReader, type ListConditions, listConditions } from '../listing.service.ts'
import type { AssetMap, MapQuery } from './map.model.ts'

const DEFAULT_ZOOM = 2

/** `parameters`: the filters by fields, as `fieldParameters` reads them. */
export async function getMap(
  ctx: AppContext,
  owner: Owner,
  query: MapQuery,
  parameters: Readonly<Record<string, string>>,
): Promise<AssetMap> {
  const boxes = boxesOf(query.bbox)
  const zoom = query.zoom ?? DEFAULT_ZOOM
  const key = ownerKey(owner)
  const level = levelFor(boxes, zoom)
  const conditions = await listConditions(ctx, owner, query, parameters)
  const { where } = conditions
  const viewOf = async (box: Box): Promise<View> => {
    if (conditions.isSearch)
      return ctx.db.search(owner.userId, (db) => searchedView(ctx, db, key, { box, level, conditions }))
    if (where === undefined) return countedView(ctx.db, key, box, level)
    return filteredView(await assetsReader(ctx, key), key, box, level, where)
  }
  const views: View[] = []
  for (const box of boxes) views.push(await viewOf(box))
  return answer(views, zoom)
}

function boxesOf(bbox: string | undefined): Box[] {
  const boxes = bbox ? parseBoxes(bbox) : [WORLD]
  if (boxes === undefined)
    throw invalid(
      'query.bbox',
      'must be west,south,east,north in degrees, with south not above north',
      '须为 west,south,east,north（度），且 south 不大于 north',
    )
  return boxes
}

/** The assets in a box, counted by cells. */
interface View {
  readonly box: Box
  /** The level of the cells. */
  readonly level: number
  readonly sums: ReadonlyMap<number, Sum>
  /** The assets in cells that hold at most 500 together. */
  itemsOf(cells: readonly number[]): Promise<Item[]>
}

/**
 * Cells with at most this number of assets are not divided further: their assets are read one by one. Reading a cell of 64 assets costs
 * as much as reading the cells in it.
 */
const FEW = 64

/**
 * Counts from the top: a cell inside the box is taken as it is, once it is small enough to be a cluster; a cell that the box cuts, or that
 * is too large, is replaced by the cells in it. So the rows that are read depend on the cells in view and on the assets along the sides
 * of the box, not on the number of assets.
 */
async function countedView(db: Store, owner: OwnerKey, box: Box, level: number): Promise<View> {
  const sums = new Map<number, Sum>()
  const few: Range[] = []
  const first = firstLevel(box)
  let ranges: Range[] = cellsOf(gridOf(box, first)).map((cell) => [cell, cell])
  let reader: Db = db.read
  for (const at of LEVELS.slice(LEVELS.indexOf(first))) {
    if (ranges.length === 0) break
    const grid = gridOf(box, at)
    const rows = await cellsIn(reader, owner, at, ranges)
    ranges = []
    let inView = 0
    for (const row of rows) {
      const place = placeOf(row.cell, grid)
      if (place === 'outside') continue
      inView += row.count
      if (place === 'inside' && at >= level) add(sums, cellAt(level, row.cell, at), row)
      else if (row.count <= FEW || at === DEEPEST) few.push(cellsWithin(at, row.cell, DEEPEST))
      else ranges.push(cellsWithin(at, row.cell, LEVELS[LEVELS.indexOf(at) + 1]!))
    }
    if (at === first) reader = readerFor(db, inView)
  }
  for (const row of few.length === 0 ? [] : await sumsIn(reader, owner, level, { ranges: few, box }))
    add(sums, row.cell, row)
  return { box, level, sums, itemsOf: (cells) => itemsOf(db.read, owner, { box, level, cells }) }
}

interface Cells {
  readonly box: Box
  readonly level: number
  readonly cells: readonly number[]
  readonly where?: SQL
}

const itemsOf = (db: Db, owner: OwnerKey, { box, level, cells, where }: Cells): Promise<Item[]> =>
  itemsIn(db, owner, MAX_ENTRIES, { ranges: cells.map((cell) => cellsWithin(level, cell, DEEPEST)), box, where })

/** The ranges of the deepest level that a box touches, and some cells around it. */
function rangesOf(box: Box): Range[] {
  const level = firstLevel(box)
  return cellsOf(gridOf(box, level)).map((cell) => cellsWithin(level, cell, DEEPEST))
}

/** Of the assets that meet a condition: reads all assets in the box. */
async function filteredView(db: Db, owner: OwnerKey, box: Box, level: number, where: SQL): Promise<View> {
  const sums = new Map<number, Sum>()
  for (const row of await sumsIn(db, owner, level, { ranges: rangesOf(box), box, where })) add(sums, row.cell, row)
  return { box, level, sums, itemsOf: (cells) => itemsOf(db, owner, { box, level, cells, where }) }
}

/** The same for conditions that take long for each asset, in short slices. `db` is that of `Store.search`. */
async function searchedView(
  ctx: AppContext,
  db: Db,
  owner: OwnerKey,
  { box, level, conditions }: { readonly box: Box; readonly level: number; readonly conditions: ListConditions },
): Promise<View> {
  const sums = new Map<number, Sum>()
  const found = new Map<number, number[]>()
  const { where, keep } = conditions
  const slices = new SliceSize()
  for (const range of rangesOf(box)) {
    let after: Place | undefined
    do {
      const limit = keep === undefined ? slices.rows : SLICE_ROWS
      const places = await placesAfter(db, owner, range, after, { where, limit })
      after = places.length === limit ? places.at(-1) : undefined
      let matched = places.filter(({ isMatch, latitude, longitude }) => isMatch === 1 && isIn(box, latitude, longitude))
      if (keep !== undefined && matched.length > 0) {
        const ids = matched.map(({ assetId }) => assetId)
        const kept = new Set((await keep(db, await assetsByIds(db, owner, ids))).map(({ id }) => id))
        matched = matched.filter(({ assetId }) => kept.has(assetId))
      }
      for (const { assetId, cell: deepest, latitude, longitude } of matched) {
        const cell = cellAt(level, deepest)
        add(sums, cell, { cell, count: 1, latitudes: latitude, longitudes: longitude })
        const ids = found.get(cell) ?? []
        if (ids.length < MAX_ENTRIES) ids.push(assetId)
        found.set(cell, ids)
      }
      slices.next()
    } while (after !== undefined)
  }
  return {
    box,
    level,
    sums,
    itemsOf: (cells) =>
      itemsByIds(
        ctx.db.read,
        owner,
        cells.flatMap((cell) => found.get(cell) ?? []),
      ),
  }
}

function add(sums: Map<number, Sum>, cell: number, { count, latitudes, longitudes }: CellRow): void {
  const sum = sums.get(cell)
  if (sum === undefined) sums.set(cell, { count, latitudes, longitudes })
  else {
    sum.count += count
    sum.latitudes += latitudes
    sum.longitudes += longitudes
  }
}

interface Entry {
  readonly view: View
  readonly cell: number
  readonly sum: Sum
}

/** Single assets as far as the zoom and the size of an answer allow, those of the emptiest cells first; the others as clusters. */
async function answer(views: readonly View[], zoom: number): Promise<AssetMap> {
  const entries = views.flatMap((view) => [...view.sums].map(([cell, sum]): Entry => ({ view, cell, sum })))
  const inView = entries.reduce((sum, entry) => sum + entry.sum.count, 0)
  const single = inView <= maxItems(zoom) ? entries : maxItems(zoom) === MAX_ENTRIES ? emptiest(entries) : []
  const clusters = entries.filter((entry) => !single.includes(entry))
  const items: Item[] = []
  for (const view of views) {
    const cells = single.filter((entry) => entry.view === view).map(({ cell }) => cell)
    if (cells.length > 0) items.push(...(await view.itemsOf(cells)))
  }
  return {
    // The sum of the entries: an asset can move between two queries.
    total: items.length + clusters.reduce((sum, entry) => sum + entry.sum.count, 0),
    items: items.toSorted((a, b) => a.id - b.id),
    clusters: clusters.map(({ view, cell, sum }) => clusterOf(sum, intersection(boxOf(view.level, cell), view.box))),
  }
}

/** As many cells as can be shown asset by asset without exceeding the size of an answer. */
function emptiest(entries: readonly Entry[]): Entry[] {
  let size = entries.length
  return entries
    .toSorted((a, b) => a.sum.count - b.sum.count)
    .filter(({ sum }) => {
      if (size + sum.count - 1 > MAX_ENTRIES) return false
      size += sum.count - 1
      return true
    })
}
