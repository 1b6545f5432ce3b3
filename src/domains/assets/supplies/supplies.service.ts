/** Supplies: registering, changing, listing and deleting them. */

import type { AppContext } from '#context'
import { ownerExists } from '#db/owner-counts.ts'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { MAX_ROWS_IN_TURN, type Page } from '#db/paging.ts'
import type { Db, SQL, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { adminPage, ownersOf } from '#domains/admin/index.ts'
import type { LostFiles } from '#domains/events.ts'
import { attachFile, isImage, releaseFile } from '#domains/files/index.ts'
import { locationTree } from '#domains/orgs/index.ts'
import type { Actor, Caller, Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import { isPoolReserved } from '../bookings.store.ts'
import { assetCategoryTree } from '../categories/categories.store.ts'
import { numberKey } from '../numbers.rules.ts'
import { noSuchCategory, notAnImage } from '../register/register.errors.ts'
import { knownCategories, membersAmong } from '../register/register.store.ts'
import { hasMovements } from './movements.store.ts'
import { suppliesByNumbers, takeNumbers } from './numbers.store.ts'
import * as errors from './supplies.errors.ts'
import {
  type AdminSuppliesQuery,
  type AdminSupplyView,
  MAX_SUPPLIES,
  type NewSupply,
  type SuppliesQuery,
  type SupplyFilters,
  type SupplyView,
  UNITS,
  type UpdateSupply,
} from './supplies.model.ts'
import { changeOf, differences, EMPTY, type SupplyChange, type SupplyFields } from './supplies.rules.ts'
import * as store from './supplies.store.ts'
import { toView, toViews } from './supplies.view.ts'

export async function listSupplies(ctx: AppContext, owner: Owner, query: SuppliesQuery): Promise<Page<SupplyView>> {
  const { items, ...page } = await rowsPage(ctx, owner, query)
  return { ...page, items: await toViews(ctx, ctx.db.read, items) }
}

async function rowsPage(ctx: AppContext, owner: Owner, query: SuppliesQuery): Promise<Page<store.SupplyRow>> {
  const key = ownerKey(owner)
  const where = await supplyConditions(ctx, owner, query)
  if (where === undefined) return store.suppliesPage(ctx.db.read, key, query)
  if (query.keyword) return ctx.db.search(owner.userId, (db) => store.filteredSupplies(db, key, where, query))
  return store.filteredSupplies(await suppliesReader(ctx, key), key, where, query)
}

/** Where to run queries that look at all supplies of an owner. */
export async function suppliesReader(ctx: AppContext, owner: OwnerKey): Promise<Db> {
  const { total } = await store.suppliesPage(ctx.db.read, owner, { page: 1, size: 1 })
  return total <= MAX_ROWS_IN_TURN ? ctx.db.read : ctx.db.readInWorker
}

/** The filters of a query. Categories and locations of other owners select nothing. Undefined for all supplies. */
export async function supplyConditions(
  ctx: AppContext,
  owner: Owner,
  { categoryId, locationId, ...query }: SupplyFilters,
): Promise<SQL | undefined> {
  const db = ctx.db.read
  return store.conditionsWhere(db, {
    ...query,
    ...(categoryId !== undefined && {
      categoryIds: categoryId === 0 ? null : await assetCategoryTree.branchIds(db, ownerKey(owner), categoryId),
    }),
    ...(locationId !== undefined && {
      locationIds: locationId === 0 ? [0] : await locationTree.branchIds(db, owner.orgId, locationId),
    }),
  })
}

export async function getSupply(ctx: AppContext, owner: Owner, id: number): Promise<SupplyView> {
  const row = await store.findSupply(ctx.db.read, ownerKey(owner), id)
  if (row === undefined) throw notFound()
  return toView(ctx, ctx.db.read, row)
}

export async function createSupply(
  ctx: AppContext,
  owner: Owner,
  input: NewSupply,
  { locale }: Caller,
): Promise<SupplyView> {
  const change = checkedChange(input, UNITS[locale])
  const fields: SupplyFields = { ...EMPTY, unit: UNITS[locale], ...change, name: input.name }
  const row = await ctx.db.write('supplies.create', async (tx) => {
    const [created] = await insertSupplies(ctx, tx, owner, [{ fields, path: 'body' }])
    return created!
  })
  return toView(ctx, ctx.db.read, row)
}

interface NewItem {
  readonly fields: SupplyFields
  /** Of the object with the fields, for errors. */
  readonly path: string
}

/**
 * Adds supplies without stock. `reserved`: keys of numbers that no supply without a number gets.
 * @throws AppError 400 with all problems, 404 if the organization is gone, 429
 */
export async function insertSupplies(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  items: readonly NewItem[],
  reserved: ReadonlySet<string> = new Set(),
): Promise<store.SupplyRow[]> {
  const key = ownerKey(owner)
  if (!(await ownerExists(tx, key))) throw notFound()
  if ((await store.countSupplies(tx, key)) + items.length > MAX_SUPPLIES) throw errors.tooManySupplies()
  const checked = items.map(({ fields, path }) => ({ change: fields, path }))
  const problems = [...(await referenceProblems(tx, owner, checked)), ...(await numberProblems(tx, key, checked))]
  if (problems.length > 0) throw invalidAll(problems)
  const given = new Set(items.map(({ fields }) => numberKey(fields.supplyNo)))
  const wanted = items.filter(({ fields }) => fields.supplyNo === '').length
  const free = await takeNumbers(tx, key, wanted, (number) => given.has(number) || reserved.has(number))
  let next = 0
  const rows = await store.insertSupplies(
    tx,
    owner,
    items.map(({ fields }) => (fields.supplyNo === '' ? { ...fields, supplyNo: free[next++]! } : fields)),
  )
  for (const [i, row] of rows.entries()) await changePhotos(ctx, tx, owner, row, [], items[i]!.path)
  return rows
}

function checkedChange(input: UpdateSupply, unit: string): SupplyChange {
  const problems: FieldProblem[] = []
  const change = changeOf(input, unit, problems, 'body')
  if (problems.length > 0) throw invalidAll(problems)
  return change
}

export async function updateSupply(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: UpdateSupply,
  { locale }: Caller,
): Promise<SupplyView> {
  const change = checkedChange(input, UNITS[locale])
  const row = await ctx.db.write('supplies.update', async (tx) => {
    const [before] = await store.lockSupplies(tx, ownerKey(owner), [id])
    if (before === undefined) throw notFound()
    return (await changeSupplies(ctx, tx, owner, [{ before, change, path: 'body' }]))[0]!
  })
  return toView(ctx, ctx.db.read, row)
}

interface ChangedItem {
  /** Locked. */
  readonly before: store.SupplyRow
  readonly change: SupplyChange
  /** Of the object with the fields, for errors. */
  readonly path: string
}

/** Returns the rows as they are now, in the same order. @throws AppError 400 with all problems */
export async function changeSupplies(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  items: readonly ChangedItem[],
): Promise<store.SupplyRow[]> {
  const changed = items.flatMap(({ before, change, path }) => {
    const different = differences(before, change)
    return Object.keys(different).length === 0 ? [] : [{ row: before, change: different, path }]
  })
  const problems = [
    ...changed.flatMap(({ change, path }) => (change.supplyNo === '' ? [errors.notEmpty(`${path}.supplyNo`)] : [])),
    ...(await kindProblems(tx, changed)),
    ...(await referenceProblems(tx, owner, changed)),
    ...(await numberProblems(tx, ownerKey(owner), changed)),
  ]
  if (problems.length > 0) throw invalidAll(problems)
  const rows =
    changed.length === 1
      ? [await store.updateSupply(tx, changed[0]!.row, changed[0]!.change)]
      : await store.updateSupplies(
          tx,
          changed.map(({ row, change }) => ({ before: row, change })),
        )
  for (const [i, after] of rows.entries()) {
    const { row, path } = changed[i]!
    await changePhotos(ctx, tx, owner, after, row.photoIds, path)
  }
  const byId = new Map(rows.map((row) => [row.id, row]))
  return items.map(({ before }) => byId.get(before.id) ?? before)
}

async function kindProblems(
  tx: Tx,
  items: readonly { readonly row: store.SupplyRow; readonly change: SupplyChange; readonly path: string }[],
): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = []
  for (const { row, change, path } of items)
    if (change.kind !== undefined && (await hasMovements(tx, row.id))) problems.push(errors.kindIsUsed(`${path}.kind`))
  return problems
}

interface Checked {
  readonly row?: store.SupplyRow
  readonly change: SupplyChange
  readonly path: string
}

/** Problems of ids that do not exist or belong to another owner, and of settings for organizations. */
async function referenceProblems(tx: Tx, owner: Owner, items: readonly Checked[]): Promise<FieldProblem[]> {
  const categories = await knownCategories(tx, ownerKey(owner), [
    ...new Set(items.flatMap(({ change }) => change.categoryId ?? [])),
  ])
  const keepers = items.flatMap(({ change, row }) =>
    (change.keeperIds ?? []).filter((id) => !row?.keeperIds.includes(id)),
  )
  const members =
    owner.orgId === 0 ? new Set([owner.userId]) : await membersAmong(tx, owner.orgId, [...new Set(keepers)])
  return items.flatMap(({ row, change, path }) => {
    const problems: FieldProblem[] = []
    if (change.categoryId != null && !categories.has(change.categoryId))
      problems.push(noSuchCategory(`${path}.categoryId`))
    for (const [i, id] of (change.keeperIds ?? []).entries())
      if (!members.has(id) && !row?.keeperIds.includes(id)) problems.push(errors.noSuchKeeper(`${path}.keeperIds.${i}`))
    if (change.selfService === true && owner.orgId === 0) problems.push(errors.orgOnly(`${path}.selfService`))
    return problems
  })
}

/** Problems of numbers that other supplies have, or that two items give. */
async function numberProblems(tx: Tx, owner: OwnerKey, items: readonly Checked[]): Promise<FieldProblem[]> {
  const keyOf = ({ row, change }: Checked): string | undefined => {
    const key = change.supplyNo ? numberKey(change.supplyNo) : undefined
    return key === row?.supplyNoKey ? undefined : key
  }
  const keys = items.flatMap((item) => keyOf(item) ?? [])
  if (keys.length === 0) return []
  const taken = new Set((await suppliesByNumbers(tx, owner, keys)).keys())
  return items.flatMap((item) => {
    const key = keyOf(item)
    if (key === undefined) return []
    if (taken.has(key)) return [errors.numberTaken(`${item.path}.supplyNo`)]
    taken.add(key)
    return []
  })
}

/** Attaches the photos that a supply has now, and deletes the files of those that it lost. */
async function changePhotos(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  { id: entityId, photoIds }: store.SupplyRow,
  before: readonly number[],
  path: string,
): Promise<void> {
  for (const [i, photo] of photoIds.entries()) {
    if (before.includes(photo)) continue
    const at = `${path}.photos.${i}`
    const file = await attachFile(tx, owner, photo, { type: 'asset', entityType: 'SUPPLY', entityId, path: at })
    if (!isImage(file)) throw invalidAll([notAnImage(at)])
  }
  for (const photo of before) if (!photoIds.includes(photo)) await releaseFile(ctx, tx, photo)
}

/** Its movements stay; its number becomes free. @throws AppError 400 while people have some of it */
export async function deleteSupply(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  await ctx.db.write('supplies.delete', async (tx) => {
    const [row] = await store.lockSupplies(tx, ownerKey(owner), [id])
    if (row === undefined) throw notFound()
    if (row.lent > 0) throw errors.stillLent()
    if (await isPoolReserved(tx, id, ctx.clock.now())) throw errors.stillReserved()
    await removeSupplies(ctx, tx, [row])
  })
}

/** Deletes their photos. The caller has locked them, and checked that they may be deleted. */
export async function removeSupplies(ctx: AppContext, tx: Tx, rows: readonly store.SupplyRow[]): Promise<void> {
  for (const { photoIds } of rows) for (const photo of photoIds) await releaseFile(ctx, tx, photo)
  const change = { deletedAt: tx.stamp, photoIds: [] }
  await store.updateSupplies(
    tx,
    rows.map((before) => ({ before, change })),
  )
}

/** Takes deleted files away from the supplies whose photos they were. */
export async function clearPhotos(tx: Tx, { fileIds, entityIds }: LostFiles): Promise<void> {
  const lost = new Set(fileIds)
  for (const row of await store.anySuppliesByIds(tx, entityIds)) {
    const photoIds = row.photoIds.filter((id) => !lost.has(id))
    if (photoIds.length < row.photoIds.length) await store.updateSupply(tx, row, { photoIds })
  }
}

/** Whether the user may see a supply, and so its photos. */
export async function mayRead(ctx: AppContext, userId: number, id: number): Promise<boolean> {
  const row = await store.findAnySupply(ctx.db.read, id)
  return row !== undefined && (await isVisible(ctx, userId, row))
}

async function isVisible(ctx: AppContext, userId: number, { owner }: store.SupplyRow): Promise<boolean> {
  if (orgOf(owner) === 0) return owner === -userId
  return access.can(ctx, userId, 'ORG', orgOf(owner), 'asset:read')
}

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')

/** The supply with this public id, if the user may see it. */
export async function findVisible(ctx: AppContext, userId: number, uuid: string): Promise<store.SupplyRow | undefined> {
  const row = UUID.test(uuid) ? await store.findByUuid(ctx.db.read, uuid) : undefined
  return row !== undefined && (await isVisible(ctx, userId, row)) ? row : undefined
}

const LANDING = new RegExp(`/s/supply/(${UUID_PATTERN})/?$`, 'i')

/** The supply to whose page a scanned text leads, if the user may see it. */
export async function resolveScan(
  ctx: AppContext,
  userId: number,
  content: string,
): Promise<{ id: number; title: string } | undefined> {
  const uuid = LANDING.exec(URL.parse(content.trim())?.pathname ?? '')?.[1]
  const row = uuid === undefined ? undefined : await findVisible(ctx, userId, uuid)
  return row && { id: row.id, title: row.name }
}

/** Supplies of all owners, for administrators. */
export async function listAllSupplies(
  ctx: AppContext,
  { userId }: Actor,
  query: AdminSuppliesQuery,
): Promise<Page<AdminSupplyView>> {
  const { items, ...page } = await adminPage(ctx, userId, store.allSupplies(query), query)
  const views = await toViews(ctx, ctx.db.read, items)
  const owners = views.map((view) => ({ userId: view.userId, orgId: view.orgId ?? 0 }))
  const ownedBy = await ownersOf(ctx.db.read, owners)
  return { ...page, items: views.map((view, i) => ({ ...view, ...ownedBy(owners[i]!) })) }
}
