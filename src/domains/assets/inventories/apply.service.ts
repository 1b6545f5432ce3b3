/** Applies the result of a closed inventory to its assets. */

import { type AppContext, perContext } from '#context'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, limited, notFound } from '#http/errors.ts'
import { noPermission } from '#http/permissions.ts'

import type { AssetChange } from '../register/register.rules.ts'
import { type AssetRow, locationNames, openLoans } from '../register/register.store.ts'
import { updateAssets } from '../writing.service.ts'
import * as store from './apply.store.ts'
import { type ApplyInventory, type ApplyResult, MAX_SKIPPED } from './inventories.model.ts'
import type { InventoryRow, ItemRow } from './inventories.rules.ts'
import { findInventory } from './inventories.store.ts'

const notClosed = () => badRequest('Close the inventory first', '请先结束盘点')
const isApplied = () => limited('The inventory is being applied', '盘点结果正在应用中', 5)

/** Items of one write. */
const ITEMS_PER_WRITE = 200

/** The inventories that this process applies. */
const applied = perContext(() => new Set<number>())

/** @throws AppError 400 unless it is closed, 403, 404, 429 while another request applies it */
export async function applyInventory(
  ctx: AppContext,
  owner: Owner,
  id: number,
  choice: ApplyInventory,
): Promise<ApplyResult> {
  const { userId, orgId } = owner
  if (!(await access.can(ctx, userId, orgId === 0 ? 'APP' : 'ORG', orgId, 'asset:update'))) throw noPermission
  const inventory = await findInventory(ctx.db.read, ownerKey(owner), id)
  if (inventory === undefined) throw notFound()
  if (inventory.status !== 'CLOSED') throw notClosed()
  if (choice.dryRun === true) return applyAll(ctx, owner, inventory, choice)
  const inProcess = applied(ctx)
  if (inProcess.has(id)) throw isApplied()
  inProcess.add(id)
  const { places } = ctx.processes
  let giveBack: (() => Promise<void>) | undefined
  try {
    giveBack = await places?.take('applying', id)
    if (places !== undefined && giveBack === undefined) throw isApplied()
    return await applyAll(ctx, owner, inventory, choice)
  } finally {
    inProcess.delete(id)
    await giveBack?.()
  }
}

type Skipped = ApplyResult['skipped'][number]
interface Slice {
  readonly changed: number
  readonly skipped: readonly Skipped[]
  readonly total: number
  /** The last item; undefined if no others follow. */
  readonly last: number | undefined
}

/** In short writes. Changes of an earlier request stay as they are, so a repetition continues where that one was killed. */
async function applyAll(
  ctx: AppContext,
  owner: Owner,
  inventory: InventoryRow,
  choice: ApplyInventory,
): Promise<ApplyResult> {
  const skipped: Skipped[] = []
  let [changed, total, skippedCount] = [0, 0, 0]
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after
    const slice: Slice =
      choice.dryRun === true
        ? await sliceOf(ctx.db.read, owner, inventory, choice, from).then(({ items, ...rest }) => ({
            ...rest,
            changed: items.length,
          }))
        : await ctx.db.write('inventories.apply', (tx) => applySome(ctx, tx, owner, inventory, choice, from))
    changed += slice.changed
    total += slice.total
    skippedCount += slice.skipped.length
    skipped.push(...slice.skipped.slice(0, MAX_SKIPPED - skipped.length))
    after = slice.last
    await Bun.sleep(0)
  }
  return { changed, skipped, skippedCount, total }
}

async function applySome(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  inventory: InventoryRow,
  choice: ApplyInventory,
  after: number,
): Promise<Slice> {
  const { items, ...slice } = await sliceOf(tx, owner, inventory, choice, after)
  if (items.length === 0) return { ...slice, changed: 0 }
  await updateAssets(ctx, tx, owner, items, { note: inventory.name })
  await store.markApplied(
    tx,
    inventory.id,
    items.map(({ row }) => row.id),
  )
  return { ...slice, changed: items.length }
}

interface Judged extends Omit<Slice, 'changed'> {
  readonly items: readonly { readonly row: AssetRow; readonly change: AssetChange; readonly path: string }[]
}

/** The next items, and the changes of their assets. */
async function sliceOf(
  db: Db | Tx,
  owner: Owner,
  inventory: InventoryRow,
  choice: ApplyInventory,
  after: number,
): Promise<Judged> {
  const states = [
    ...(choice.missing === 'LOST' ? (['MISSING'] as const) : []),
    ...(choice.misplaced === 'MOVE' || choice.found === 'RESTORE' ? (['MISPLACED'] as const) : []),
    ...(choice.found === 'RESTORE' ? (['FOUND'] as const) : []),
  ]
  const found = states.length === 0 ? [] : await store.itemsIn(db, inventory.id, states, after, ITEMS_PER_WRITE)
  const last = found.length < ITEMS_PER_WRITE ? undefined : found.at(-1)!.assetId
  const ids = found.map(({ assetId }) => assetId)
  const assets = new Map((await store.assetsAlsoDeleted(db, inventory.owner, ids)).map((row) => [row.id, row]))
  const lent = new Set((ids.length === 0 ? [] : await openLoans(db, ids)).map(({ assetId }) => assetId))
  const places = await placesOf(db, inventory.owner, owner, found)
  const skipped: Skipped[] = []
  const items: { row: AssetRow; change: AssetChange; path: string }[] = []
  let total = 0
  for (const item of found) {
    const row = assets.get(item.assetId)
    const isGone = row === undefined || row.deletedAt !== null
    const change = isGone ? {} : changeOf(item, row, choice)
    const isWanted = Object.keys(change).length > 0
    // Found assets that are not LOST are as they should be, whatever became of them since.
    const isConcerned = item.state === 'MISSING' || (item.state === 'MISPLACED' && choice.misplaced === 'MOVE')
    if (!isConcerned && !isWanted) continue
    total += 1
    const skip = (reason: Skipped['reason']) => skipped.push({ assetId: item.assetId, reason })
    if (isGone) skip('DELETED')
    else if (row.status === 'SCRAPPED') skip('SCRAPPED')
    else if (!isWanted) continue
    else if (lent.has(row.id)) skip('ON_LOAN')
    else if (isChanged(item, row, inventory) || (change.locationId != null && !places.has(change.locationId)))
      skip('CHANGED')
    else items.push({ row, change, path: 'body' })
  }
  return { items, skipped, total, last }
}

/** The scanned locations that still exist. */
async function placesOf(db: Db | Tx, key: OwnerKey, { orgId }: Owner, items: readonly ItemRow[]): Promise<Set<number>> {
  const ids = [...new Set(items.flatMap(({ locationId }) => locationId ?? []))]
  return key < 0 ? new Set() : new Set((await locationNames(db, orgId, ids)).keys())
}

function changeOf(item: ItemRow, row: AssetRow, { missing, misplaced, found }: ApplyInventory): AssetChange {
  if (item.state === 'MISSING') return missing === 'LOST' && row.status !== 'LOST' ? { status: 'LOST' } : {}
  const isMoved = item.state === 'MISPLACED' && misplaced === 'MOVE' && row.locationId !== item.locationId
  return {
    ...(isMoved && { locationId: item.locationId }),
    ...(found === 'RESTORE' && row.status === 'LOST' && { status: 'IN_USE' as const }),
  }
}

/** Whether the asset got its status or place after the inventory was closed, and not from it. */
function isChanged({ appliedAt }: ItemRow, row: AssetRow, { closedAt }: InventoryRow): boolean {
  const placedAt = row.placedAt ?? row.updatedAt
  return placedAt > closedAt! && placedAt !== appliedAt
}
