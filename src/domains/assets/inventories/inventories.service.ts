/** Inventories: what assets there should be, and which of them were found. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import { ownerExists } from '#db/owner-counts.ts'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Page } from '#db/paging.ts'
import { readerFor } from '#db/paging.ts'
import type { InventoryScope } from '#db/schema/assets.ts'
import { inSlices } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { contributions } from '#domains/domain.ts'
import { attachFile, isImage, releaseFile } from '#domains/files/index.ts'
import { notify } from '#domains/notifications/index.ts'
import { locationTree } from '#domains/orgs/index.ts'
import { type BudgetUse, budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import type { TreeNode } from '#lib/tree.ts'
import { MINUTE } from '#platform/clock.ts'

import { assetCategoryTree } from '../categories/categories.store.ts'
import { findAsset, findByNumber, membersAmong } from '../register/register.store.ts'
import { remindable } from '../reminders.store.ts'
import { setCounted } from './counting.service.ts'
import * as refused from './inventories.errors.ts'
import {
  type CreateInventory,
  FROZEN_ASSETS,
  type InventoryView,
  type ItemsQuery,
  type ItemView,
  type ListQuery,
  MAX_EXPECTED,
  MAX_INVENTORIES,
  type ScanAsset,
  type ScanResult,
  type UpdateInventory,
} from './inventories.model.ts'
import {
  branchesOfScope,
  changeOf,
  countIn,
  figuresChange,
  findingAfter,
  type InventoryRow,
  itemCount,
  type ItemRow,
  mayBecome,
  newInventory,
  scopeOf,
  stateAfter,
  uuidOf,
} from './inventories.rules.ts'
import * as store from './inventories.store.ts'
import { toItemView, toScannedView, toView } from './inventories.view.ts'

export async function listInventories(ctx: AppContext, owner: Owner, query: ListQuery): Promise<Page<InventoryView>> {
  const find = (db: Db) => store.inventoriesPage(db, ownerKey(owner), query)
  const { items, ...page } = await (query.keyword ? ctx.db.search(owner.userId, find) : find(ctx.db.read))
  return { ...page, items: await toViews(ctx, ownerKey(owner), items) }
}

export async function getInventory(ctx: AppContext, owner: Owner, id: number): Promise<InventoryView> {
  return viewOf(ctx, await findOrFail(ctx.db.read, ownerKey(owner), id))
}

async function findOrFail(db: Db | Tx, key: OwnerKey, id: number): Promise<InventoryRow> {
  const row = await store.findInventory(db, key, id)
  if (row === undefined) throw notFound()
  return row
}

const viewOf = async (ctx: AppContext, row: InventoryRow): Promise<InventoryView> =>
  (await toViews(ctx, row.owner, [row]))[0]!

/** Drafts show how many assets are in their scope now. One query counts them for all. */
async function toViews(ctx: AppContext, key: OwnerKey, rows: readonly InventoryRow[]): Promise<InventoryView[]> {
  if (!rows.some(({ status }) => status === 'DRAFT')) return rows.map(toView)
  const groups = await store.assetGroups(ctx.db.readInWorker, key)
  const [categories, locations] = await trees(ctx.db.read, key)
  return rows.map((row) => {
    if (row.status !== 'DRAFT') return toView(row)
    return toView({ ...row, expected: countIn(groups, branchesOfScope(row.scope, categories, locations)) })
  })
}

/** All categories and locations of an owner. */
async function trees(db: Db | Tx, key: OwnerKey): Promise<[readonly TreeNode[], readonly TreeNode[]]> {
  const orgId = orgOf(key)
  return [await assetCategoryTree.all(db, key), orgId === 0 ? [] : await locationTree.all(db, orgId)]
}

export async function createInventory(ctx: AppContext, owner: Owner, input: CreateInventory): Promise<InventoryView> {
  const key = ownerKey(owner)
  const row = await ctx.db.write('inventories.create', async (tx) => {
    if (!(await ownerExists(tx, key))) throw notFound()
    if ((await store.countInventories(tx, key)) >= MAX_INVENTORIES) throw refused.tooManyInventories()
    await checkReferences(tx, owner, input, undefined)
    return store.insertInventory(tx, key, owner.userId, newInventory(input))
  })
  return viewOf(ctx, row)
}

/** 100,000 assets take about half a second on SQLite. */
const START_MS = MINUTE

export async function updateInventory(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: UpdateInventory,
): Promise<InventoryView> {
  const actor = { userId: owner.userId }
  const isStart = input.status === 'RUNNING'
  const budget = isStart ? await usesOf(ctx, FROZEN_ASSETS, { actor, caller: { ip: '' } }) : []
  const counted = isStart ? await countExpected(ctx, ownerKey(owner), id, input) : 0
  const update = async (tx: Tx): Promise<InventoryRow> => {
    const before = await findOrFail(tx, ownerKey(owner), id)
    const change = changeOf(before, input)
    if (Object.keys(change).length === 0) return before
    const { status = before.status } = change
    if (!mayBecome(before.status, status)) throw refused.wrongTransition(before.status, status)
    if (before.status === 'CLOSED') throw refused.isClosed()
    if (change.scope !== undefined && before.status !== 'DRAFT') throw refused.scopeIsFrozen()
    await checkReferences(tx, owner, input, before)
    // Changes the row first, so that PostgreSQL lets another request that starts the inventory wait for this one.
    const after = await store.updateInventory(tx, before, {
      ...change,
      ...(change.status === 'RUNNING' && { startedAt: tx.stamp }),
      ...(change.status === 'CLOSED' && { closedAt: tx.stamp, countedUpTo: 0 }),
    })
    if (after.status === 'RUNNING') await notifyAssignees(ctx, tx, owner, before, after)
    if (change.status !== 'RUNNING') return after
    return store.updateInventory(tx, after, { expected: await freeze(ctx, tx, after, { counted, budget }) })
  }
  const row = await ctx.db.write('inventories.update', update, isStart ? { maxMs: START_MS } : {})
  if (row.countedUpTo !== null) await setCounted(ctx)
  return viewOf(ctx, row)
}

/** Notifies those who are to scan: all of them when it starts, and later those who are added. */
async function notifyAssignees(
  ctx: AppContext,
  tx: Tx,
  { userId, orgId }: Owner,
  before: InventoryRow,
  { id, name, assigneeIds }: InventoryRow,
): Promise<void> {
  const known = before.status === 'RUNNING' ? before.assigneeIds : []
  const added = assigneeIds.filter((assignee) => assignee !== userId && !known.includes(assignee))
  if (added.length === 0) return
  await notify(ctx, tx, {
    userIds: [...(await remindable(tx, orgId, added))],
    type: 'ASSET',
    title: { en: 'You are to scan for a stock-taking', zh: '你需要参与盘点' },
    body: { en: `${name} is running.`, zh: `“${name}”正在进行。` },
    data: { inventoryId: id, orgId: orgId || null, event: 'INVENTORY_ASSIGNED' },
    subject: `INVENTORY ${id}`,
  })
}

/** The assets that a draft would expect after the change. 0 if it is not a draft. */
async function countExpected(ctx: AppContext, key: OwnerKey, id: number, { scope }: UpdateInventory): Promise<number> {
  const row = await store.findInventory(ctx.db.read, key, id)
  if (row?.status !== 'DRAFT') return 0
  const branches = branchesOfScope(scope === undefined ? row.scope : scopeOf(scope), ...(await trees(ctx.db.read, key)))
  return countIn(await store.assetGroups(ctx.db.readInWorker, key), branches)
}

interface FreezeLimits {
  /** Expected assets, as counted before the write: those that are too many are refused before they are recorded. */
  readonly counted: number
  /** With the cost of one asset. */
  readonly budget: readonly BudgetUse[]
}

/** Records the expected assets, and returns their number. */
async function freeze(ctx: AppContext, tx: Tx, row: InventoryRow, { counted, budget }: FreezeLimits): Promise<number> {
  if (counted > MAX_EXPECTED) throw refused.tooManyExpected()
  await pay(ctx, tx, budget, counted)
  const branches = branchesOfScope(row.scope, ...(await trees(tx, row.owner)))
  const expected = await store.freeze(tx, row, branches, MAX_EXPECTED)
  if (expected === undefined) throw refused.tooManyExpected()
  // Assets that were added since they were counted.
  await pay(ctx, tx, budget, expected - counted)
  return expected
}

async function pay(ctx: AppContext, tx: Tx, budget: readonly BudgetUse[], assets: number): Promise<void> {
  if (assets <= 0) return
  const uses = budget.map((use) => ({ ...use, cost: assets }))
  const refusal = await spend(tx, uses, ctx.clock.now())
  if (refusal !== undefined) throw budgetUsedUp(refusal)
}

/** Categories, locations and assignees that the inventory does not have yet. @throws AppError 400 */
async function checkReferences(
  tx: Tx,
  owner: Owner,
  { scope, assigneeIds }: UpdateInventory,
  before: InventoryRow | undefined,
): Promise<void> {
  const known: InventoryScope & { assigneeIds: readonly number[] } = {
    categoryIds: before?.scope.categoryIds ?? [],
    locationIds: before?.scope.locationIds ?? [],
    assigneeIds: before?.assigneeIds ?? [],
  }
  const problems: FieldProblem[] = []
  const check = async (
    name: keyof typeof known,
    path: string,
    given: readonly number[] | null | undefined,
    find: (ids: number[]) => Promise<ReadonlySet<number>>,
    problemAt: (path: string) => FieldProblem,
  ) => {
    const added = (given ?? []).filter((id) => !known[name].includes(id))
    if (added.length === 0) return
    const found = await find(added)
    for (const [i, id] of given!.entries())
      if (added.includes(id) && !found.has(id)) problems.push(problemAt(`${path}.${i}`))
  }
  const { userId, orgId } = owner
  const idsOf = (rows: readonly { readonly id: number }[]) => new Set(rows.map(({ id }) => id))
  const categories = async (ids: number[]) => idsOf(await assetCategoryTree.findMany(tx, ownerKey(owner), ids))
  const locations = async (ids: number[]) =>
    orgId === 0 ? new Set<number>() : idsOf(await locationTree.findMany(tx, orgId, ids))
  const assignees = async (ids: number[]) => (orgId === 0 ? new Set([userId]) : membersAmong(tx, orgId, ids))
  await check('categoryIds', 'body.scope.categoryIds', scope?.categoryIds, categories, refused.noSuchCategory)
  await check('locationIds', 'body.scope.locationIds', scope?.locationIds, locations, refused.noSuchLocation)
  const notAssignable = orgId === 0 ? refused.onlyYourself : refused.noSuchMember
  await check('assigneeIds', 'body.assigneeIds', assigneeIds, assignees, notAssignable)
  if (problems.length > 0) throw invalidAll(problems)
}

/** Records that an asset was found. The asset itself does not change. */
export async function scanAsset(ctx: AppContext, owner: Owner, id: number, input: ScanAsset): Promise<ScanResult> {
  if (input.code == null && input.assetId == null) throw invalidAll([refused.codeMissing('body.code')])
  const { userId, orgId } = owner
  const mayManage = await access.can(ctx, userId, orgId === 0 ? 'APP' : 'ORG', orgId, 'inventory:manage')
  const { row, asset, result, repeated } = await ctx.db.write('inventories.scan', async (tx) => {
    const inventory = await findOrFail(tx, ownerKey(owner), id)
    if (inventory.status !== 'RUNNING') throw refused.notRunning()
    const { assigneeIds } = inventory
    if (assigneeIds.length > 0 && !assigneeIds.includes(userId) && !mayManage) throw refused.notAssigned()
    if (input.locationId != null && !(await isLocation(tx, orgId, input.locationId)))
      throw invalidAll([refused.noSuchLocation('body.locationId')])
    const found = await resolve(ctx, tx, owner, inventory, input)
    return record(ctx, tx, owner, inventory, found, input)
  })
  return { result, repeated, asset: toScannedView(asset), inventory: toView(row) }
}

const isLocation = async (tx: Tx, orgId: number, id: number): Promise<boolean> =>
  orgId !== 0 && (await locationTree.find(tx, orgId, id)) !== undefined

/** The asset that a scanned link names: that of its own code, or of a label that stands for it. */
export async function assetIn(ctx: AppContext, tx: Tx, code: string): Promise<number | undefined> {
  const uuid = uuidOf(code)
  if (uuid !== undefined) return store.findIdByUuid(tx, uuid)
  for (const find of contributions(ctx, 'shortLinkTarget')) {
    const target = await find(ctx, tx, code)
    if (target?.kind === 'ASSET') return target.id
  }
  return undefined
}

/** An asset of the owner, or an item of the inventory whose asset no longer is one. @throws AppError 404 */
async function resolve(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  inventory: InventoryRow,
  { code, assetId }: ScanAsset,
): Promise<store.ScannedAsset> {
  const byNumber = assetId == null ? await findByNumber(tx, inventory.owner, code!) : undefined
  if (byNumber !== undefined) return byNumber
  const id = assetId ?? (await assetIn(ctx, tx, code!))
  if (id === undefined) throw notFound()
  const asset = await findAsset(tx, owner, id)
  if (asset !== undefined) return asset
  const item = await store.findItem(tx, inventory.id, id)
  if (item === undefined) throw notFound()
  const { uuid: itemUuid, name, assetNo, expectedLocationId } = item
  return { id, uuid: itemUuid, name, assetNo, locationId: expectedLocationId }
}

async function record(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  inventory: InventoryRow,
  asset: store.ScannedAsset,
  input: ScanAsset,
) {
  const before = await store.findItem(tx, inventory.id, asset.id)
  const finding = findingAfter(before, input)
  const state = stateAfter(before, finding.locationId)
  await changePhoto(ctx, tx, owner, inventory, before?.photoFileId ?? null, finding.photoFileId)
  const item: ItemRow = {
    inventoryId: inventory.id,
    assetId: asset.id,
    uuid: before?.uuid ?? asset.uuid,
    name: before?.name ?? asset.name,
    assetNo: before?.assetNo ?? asset.assetNo,
    expectedLocationId: before?.expectedLocationId ?? null,
    ...finding,
    state,
    scannedBy: owner.userId,
    scannedAt: tx.stamp,
    appliedAt: null,
  }
  await store.saveItem(tx, item)
  const row = await store.addFigures(tx, inventory, figuresChange(before?.state ?? 'MISSING', state))
  return { row, asset, result: state, repeated: before !== undefined && before.state !== 'MISSING' }
}

async function changePhoto(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  { id }: InventoryRow,
  before: number | null,
  after: number | null,
): Promise<void> {
  if (after === before) return
  const path = 'body.photoFileId'
  if (after !== null) {
    const file = await attachFile(tx, owner, after, { type: 'asset', entityType: 'INVENTORY', entityId: id, path })
    if (!isImage(file)) throw invalidAll([refused.notAnImage(path)])
  }
  if (before !== null) await releaseFile(ctx, tx, before)
}

export async function listItems(ctx: AppContext, owner: Owner, id: number, query: ItemsQuery): Promise<Page<ItemView>> {
  const row = await findOrFail(ctx.db.read, ownerKey(owner), id)
  const { page, size, state } = query
  const total = row.status === 'DRAFT' ? 0 : itemCount(row, state)
  // Reading a page costs as much as reading all pages before it.
  const db = readerFor(ctx.db, Math.min(total, page * size))
  const { items, ...rest } = await store.itemsPage(db, id, query, total)
  return { ...rest, items: items.map(toItemView) }
}

/** Whether the user may see the inventory, and so its photos. */
export async function mayRead(ctx: AppContext, userId: number, id: number): Promise<boolean> {
  const owner = await store.ownerOfInventory(ctx.db.read, id)
  if (owner === undefined) return false
  return owner < 0 ? -owner === userId : access.can(ctx, userId, 'ORG', owner, 'asset:read')
}

/** Deletes the inventories of organizations that were dissolved, with their photos. There can be too many for the write that dissolves. */
export async function deleteAbandoned(ctx: AppContext): Promise<void> {
  for (;;) {
    const ids = await store.abandonedInventories(ctx.db.readInWorker, 20)
    for (const id of ids)
      await inSlices(ctx, 'inventories.deleteAbandoned', (tx, limit) => deleteSome(ctx, tx, id, limit))
    if (ids.length === 0 || ctx.lifecycle.draining) return
  }
}

async function deleteSome(ctx: AppContext, tx: Tx, id: number, limit: number): Promise<number> {
  const items = await store.deleteItems(tx, id, limit)
  for (const { photoFileId } of items) if (photoFileId !== null) await releaseFile(ctx, tx, photoFileId)
  if (items.length < limit) await store.deleteInventory(tx, id)
  return items.length
}
