/** Which assets and supplies a request is about, whether they may be reserved, and whether they are free. */

import type { OwnerKey } from '#db/owner-key.ts'
import type { Booking } from '#db/schema/reservations.ts'
import type { Db, Tx } from '#db/store.ts'
import type { FieldProblem } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'

import { busyText, DEFAULT_BOOKING, isBookable, peakOf, strictest } from '../bookings.rules.ts'
import { type BusyTime, busyTimes, lockAssets, poolTimes } from '../bookings.store.ts'
import { assetCategoryTree, bookingsOfMany } from '../categories/categories.store.ts'
import { type AssetRow, assetsByIds, isGone } from '../register/register.store.ts'
import { lockSupplies, suppliesByIds, type SupplyRow } from '../supplies/supplies.store.ts'
import * as available from './available.store.ts'
import * as refused from './reservations.errors.ts'
import type { ItemInput } from './reservations.model.ts'
import * as store from './reservations.store.ts'

export interface Wanted {
  readonly orgId: OwnerKey
  readonly items: readonly ItemInput[]
  readonly from: number
  readonly to: number
  readonly now: number
  readonly zone: string
  readonly isKeeper: boolean
  /** The reservation that changes: its own assets count as free. */
  readonly except?: number
  /** Assets that it has, which are preferred. */
  readonly present?: readonly number[]
  readonly presentSupplies?: readonly number[]
  /** Categories that the caller sees. */
  readonly visible: ReadonlySet<number>
}

export interface Chosen {
  readonly items: readonly store.NewItem[]
  /** The rules of all of them together. */
  readonly booking: Booking
}

/** Assets of one reservation. */
const MAX_ASSETS = 500

/** Locks the assets and supplies of a request. @throws AppError 400 with all problems */
export async function choose(tx: Tx, wanted: Wanted): Promise<Chosen> {
  const { orgId, items } = wanted
  const problems = shapeProblems(items)
  if (problems.length > 0) throw invalidAll(problems)
  const named = items.flatMap(({ assetId }) => assetId ?? [])
  await lockAssets(tx, named)
  const rows = new Map((await assetsByIds(tx, orgId, named)).map((row) => [row.id, row]))
  const bookings = await bookingsOf(tx, [...rows.values()])
  for (const [i, { assetId }] of items.entries())
    if (assetId != null) problems.push(...assetProblems(rows.get(assetId), bookings, wanted, `body.items.${i}.assetId`))
  if (problems.length > 0) throw invalidAll(problems)
  problems.push(...(await busyProblems(tx, wanted, named)))
  const chosen: store.NewItem[] = []
  const all = [...rows.values()]
  for (const [i, item] of items.entries()) {
    if (item.assetId != null) chosen.push(itemOf(rows.get(item.assetId)!, null))
    if (item.categoryId == null) continue
    const found = await ofCategory(tx, wanted, item, i, [...all.map(({ id }) => id), ...named])
    problems.push(...found.problems)
    all.push(...found.rows)
    chosen.push(...found.rows.map((row) => itemOf(row, item.categoryId!)))
  }
  const pools = await ofPools(tx, wanted)
  problems.push(...pools.problems)
  if (problems.length > 0) throw invalidAll(problems)
  chosen.push(...pools.items)
  if (chosen.length > MAX_ASSETS) throw refused.tooMany(MAX_ASSETS)
  return { items: chosen, booking: await rulesOf(tx, [...all, ...pools.rows]) }
}

/** The rules of all of them together. */
async function rulesOf(tx: Tx, rows: readonly { readonly categoryId: number | null }[]): Promise<Booking> {
  const rules = await bookingsOf(tx, rows)
  return strictest(rows.map((row) => rules.get(row.categoryId ?? 0) ?? DEFAULT_BOOKING))
}

/** Locks supplies. Members may reserve each POOL, unless its category is not bookable. */
async function ofPools(
  tx: Tx,
  wanted: Wanted,
): Promise<{ rows: SupplyRow[]; items: store.NewItem[]; problems: FieldProblem[] }> {
  const { orgId, items, from, to, now, except, isKeeper, presentSupplies = [] } = wanted
  const ids = items.flatMap(({ supplyId }) => supplyId ?? [])
  if (ids.length === 0) return { rows: [], items: [], problems: [] }
  const rows = (await lockSupplies(tx, orgId, ids)).filter(({ kind }) => kind === 'POOL')
  const rules = await bookingsOf(tx, rows)
  const times = await poolTimes(tx, ids, { from, to, now, except })
  const problems: FieldProblem[] = []
  const chosen: store.NewItem[] = []
  for (const [i, { supplyId, quantity }] of items.entries()) {
    if (supplyId == null) continue
    const [row, at] = [rows.find(({ id }) => id === supplyId), `body.items.${i}`]
    if (row === undefined) {
      problems.push(refused.noSuchPool(`${at}.supplyId`))
      continue
    }
    const isOpen = isKeeper || presentSupplies.includes(row.id)
    if (!isOpen && rules.get(row.categoryId ?? 0)?.bookable === false)
      problems.push(refused.notBookable(`${at}.supplyId`))
    const free = row.stock + row.lent - peakOf(times.filter((time) => time.supplyId === row.id))
    if (quantity! > free) problems.push(refused.tooFew(`${at}.quantity`, Math.max(free, 0)))
    const { id, name, supplyNo } = row
    chosen.push({ assetId: null, supplyId: id, quantity: quantity!, categoryId: null, name, assetNo: supplyNo })
  }
  return { rows, items: chosen, problems }
}

const itemOf = ({ id, name, assetNo }: AssetRow, categoryId: number | null): store.NewItem => ({
  assetId: id,
  supplyId: null,
  quantity: 1,
  categoryId,
  name,
  assetNo,
})

const bookingsOf = (
  db: Db | Tx,
  rows: readonly { readonly categoryId: number | null }[],
): Promise<Map<number, Booking>> =>
  bookingsOfMany(
    db,
    rows.flatMap(({ categoryId }) => categoryId ?? []),
  )

/** Problems of the request itself. */
function shapeProblems(items: readonly ItemInput[]): FieldProblem[] {
  const problems: FieldProblem[] = []
  const seen = new Set<string>()
  for (const [i, item] of items.entries()) {
    const at = `body.items.${i}`
    const [key, ...others] = (['assetId', 'categoryId', 'supplyId'] as const).filter((name) => item[name] != null)
    if (key === undefined || others.length > 0) {
      problems.push(refused.oneThing(at))
      continue
    }
    if (key === 'assetId' && (item.quantity ?? 1) !== 1) problems.push(refused.onePiece(`${at}.quantity`))
    if (key !== 'assetId' && item.quantity == null) problems.push(refused.quantityNeeded(`${at}.quantity`))
    const thing = `${key} ${item[key]}`
    if (seen.has(thing)) problems.push(refused.twice(`${at}.${key}`))
    seen.add(thing)
  }
  return problems
}

function assetProblems(
  row: AssetRow | undefined,
  bookings: ReadonlyMap<number, Booking>,
  { isKeeper, present = [] }: Wanted,
  path: string,
): FieldProblem[] {
  if (row === undefined) return [refused.noSuchAsset(path)]
  if (isGone(row)) return [refused.gone(path)]
  if (isKeeper || present.includes(row.id)) return []
  if (!isBookable(row.bookable, bookings.get(row.categoryId ?? 0))) return [refused.notBookable(path)]
  return row.status === 'REPAIR' ? [refused.inRepair(path)] : []
}

async function busyProblems(tx: Tx, wanted: Wanted, ids: readonly number[]): Promise<FieldProblem[]> {
  const { from, to, now, except, zone, items } = wanted
  const times = await busyTimes(tx, ids, { from, to, now, except })
  const ofAsset = Map.groupBy(times, ({ assetId }) => assetId)
  return items.flatMap(({ assetId }, i) => {
    const taken = ofAsset.get(assetId ?? 0)
    return taken === undefined ? [] : [{ path: `body.items.${i}.assetId`, text: busyText(inOrder(taken), zone) }]
  })
}

export const inOrder = (times: readonly BusyTime[]): BusyTime[] => times.toSorted((a, b) => a.from - b.from)

/** The first free assets of a category and those below it. */
async function ofCategory(
  tx: Tx,
  { orgId, from, to, now, except, present = [], visible }: Wanted,
  { categoryId, quantity }: ItemInput,
  i: number,
  without: readonly number[],
): Promise<{ rows: AssetRow[]; problems: FieldProblem[] }> {
  if (!visible.has(categoryId!)) return { rows: [], problems: [{ path: `body.items.${i}.categoryId`, text: UNKNOWN }] }
  const categoryIds = await assetCategoryTree.branchIds(tx, orgId, categoryId!)
  const bookable = { orgId, bookableIds: await bookableCategories(tx, orgId), categoryIds }
  // One more than a reservation may have, so that the error can say how many are free.
  const limit = Math.min(quantity!, MAX_ASSETS + 1)
  const rows = await available.freeAssets(tx, bookable, { from, to, now, except }, { limit, first: present, without })
  if (rows.length < quantity!) return { rows: [], problems: [refused.tooFew(`body.items.${i}.quantity`, rows.length)] }
  await lockAssets(
    tx,
    rows.map(({ id }) => id),
  )
  return { rows, problems: [] }
}
const UNKNOWN = { en: 'refers to a category that does not exist', zh: '分类不存在' }

/** The categories of an organization whose assets are bookable unless they say otherwise. */
export async function bookableCategories(db: Db | Tx, orgId: OwnerKey): Promise<number[]> {
  const nodes = await store.bookingNodes(db, orgId)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const isNodeBookable = (id: number | null, depth = 0): boolean => {
    const node = id === null ? undefined : byId.get(id)
    // A tree has five levels; a cycle, which only another program can write, ends here.
    if (node === undefined || depth > 10) return false
    return node.booking?.bookable ?? isNodeBookable(node.parentId, depth + 1)
  }
  return nodes.filter(({ id }) => isNodeBookable(id)).map(({ id }) => id)
}

/** The rules of the assets and supplies that a reservation has. */
export async function bookingOf(tx: Tx, orgId: OwnerKey, items: readonly store.ItemRow[]): Promise<Booking> {
  const assetIds = items.flatMap(({ assetId }) => assetId ?? [])
  const supplyIds = items.flatMap(({ supplyId }) => supplyId ?? [])
  const supplies = supplyIds.length === 0 ? [] : await suppliesByIds(tx, orgId, supplyIds)
  return rulesOf(tx, [...(await assetsByIds(tx, orgId, assetIds)), ...supplies])
}

/** For a reservation that is prolonged. @throws AppError 400 if others have any of it in the time */
export async function checkFree(
  tx: Tx,
  orgId: OwnerKey,
  items: readonly store.ItemRow[],
  { zone, ...question }: { from: number; to: number; now: number; except: number; zone: string },
): Promise<void> {
  const assetIds = items.flatMap(({ assetId }) => assetId ?? [])
  await lockAssets(tx, assetIds)
  const times = await busyTimes(tx, assetIds, question)
  if (times.length > 0) throw invalidAll([{ path: 'body.to', text: busyText(inOrder(times), zone) }])
  const pools = items.filter(({ supplyId }) => supplyId !== null)
  const supplyIds = pools.map(({ supplyId }) => supplyId!)
  const supplies = supplyIds.length === 0 ? [] : await lockSupplies(tx, orgId, supplyIds)
  const taken = await poolTimes(tx, supplyIds, question)
  for (const { id, stock, lent } of supplies) {
    const mine = pools.reduce((sum, { supplyId, quantity }) => sum + (supplyId === id ? quantity : 0), 0)
    const free = stock + lent - peakOf(taken.filter(({ supplyId }) => supplyId === id))
    if (mine > free) throw invalidAll([refused.tooFew('body.to', Math.max(free, 0))])
  }
}
