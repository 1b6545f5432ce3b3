import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { recordDeleted } from '#db/tombstones.ts'
import { contributions, emit } from '#domains/domain.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { treeRefusals } from '#http/tree-refusals.ts'
import { checkPosition } from '#http/validate.ts'
import { type Nested, orderItems, treeOf } from '#lib/tree.ts'

import { findOrg } from '../orgs.store.ts'
import {
  type CreateLocation,
  type LocationView,
  MAX_DEPTH,
  MAX_LOCATIONS,
  type ReorderLocations,
  type UpdateLocation,
} from './locations.model.ts'
import * as store from './locations.store.ts'
import { locationTree } from './locations.store.ts'

const refusals = treeRefusals({ one: 'location', many: 'locations', zh: '位置', maxDepth: MAX_DEPTH })

export async function getLocationTree(ctx: AppContext, orgId: number): Promise<Nested<LocationView>[]> {
  return treeOf((await locationTree.all(ctx.db.read, orgId)).map((row) => toView(ctx, row)))
}

export function createLocation(ctx: AppContext, orgId: number, input: CreateLocation): Promise<LocationView> {
  const { name, description, parentId = null, latitude = null, longitude = null } = input
  const values = { name, description: description ?? '', parentId, latitude, longitude }
  checkPosition(values)
  return ctx.db.write('orgs.createLocation', async (tx) => {
    if ((await findOrg(tx, orgId)) === undefined) throw notFound()
    if ((await locationTree.count(tx, orgId)) >= MAX_LOCATIONS) throw tooManyLocations()
    refusals.check(await locationTree.checkParent(tx, orgId, parentId))
    return toView(ctx, await store.insertLocation(tx, orgId, values))
  })
}

const tooManyLocations = () =>
  badRequest(`There can be at most ${MAX_LOCATIONS} locations`, `最多创建 ${MAX_LOCATIONS} 个位置`)

/** A location that an import makes below one that was checked. `count`: how many there are already. @throws AppError 400 */
export function insertPlainLocation(
  tx: Tx,
  orgId: number,
  { name, parentId, count }: { readonly name: string; readonly parentId: number | null; readonly count: number },
): Promise<store.LocationRow> {
  if (count >= MAX_LOCATIONS) throw tooManyLocations()
  return store.insertLocation(tx, orgId, { name, parentId, description: '', latitude: null, longitude: null })
}

export function updateLocation(
  ctx: AppContext,
  orgId: number,
  id: number,
  input: UpdateLocation,
): Promise<LocationView> {
  return ctx.db.write('orgs.updateLocation', async (tx) => {
    const before = await locationTree.find(tx, orgId, id)
    if (before === undefined) throw notFound()
    const change = changeOf(input)
    checkPosition({ ...before, ...change })
    if (input.parentId !== undefined && input.parentId !== before.parentId)
      refusals.check(await locationTree.move(tx, orgId, id, input.parentId))
    return viewOf(ctx, await store.updateLocation(tx, orgId, id, change))
  })
}

function changeOf(input: UpdateLocation): store.LocationChange {
  return {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.description !== undefined && { description: input.description ?? '' }),
    ...(input.latitude !== undefined && { latitude: input.latitude }),
    ...(input.longitude !== undefined && { longitude: input.longitude }),
  }
}

/** Refused while it has locations below it, or while something in another domain is at it. */
export async function deleteLocation(ctx: AppContext, orgId: number, id: number): Promise<void> {
  await ctx.db.write('orgs.deleteLocation', async (tx) => {
    if ((await locationTree.find(tx, orgId, id)) === undefined) throw notFound()
    if ((await locationTree.countChildren(tx, orgId, id)) > 0)
      throw badRequest('Move or delete the locations below it first', '请先移动或删除下级位置')
    const use = await useOf(ctx, tx, orgId, id)
    if (use !== undefined) throw locationInUse(use)
    await removeLocation(ctx, tx, orgId, id)
  })
}

/** Deletes a location that has not changed since `updatedAt`, if nothing is below or in it. */
export async function deleteUnusedLocation(
  ctx: AppContext,
  tx: Tx,
  orgId: number,
  { id, updatedAt }: { readonly id: number; readonly updatedAt: number },
): Promise<void> {
  if ((await locationTree.find(tx, orgId, id))?.updatedAt !== updatedAt) return
  if ((await locationTree.countChildren(tx, orgId, id)) > 0) return
  if ((await useOf(ctx, tx, orgId, id)) === undefined) await removeLocation(ctx, tx, orgId, id)
}

/** The things of another domain that are at a location, with their number. */
async function useOf(ctx: AppContext, tx: Tx, orgId: number, id: number): Promise<string | undefined> {
  for (const use of contributions(ctx, 'locationUses').flat()) {
    const count = await use.count(tx, orgId, id)
    if (count > 0) return `${use.name} (${count})`
  }
  return undefined
}

async function removeLocation(ctx: AppContext, tx: Tx, orgId: number, id: number): Promise<void> {
  await emit(ctx, tx, 'labelled.deleting', { kind: 'LOCATION', ids: [id] })
  await store.deleteLocation(tx, orgId, id)
  await recordDeleted(tx, 'location', [{ owner: orgId, id, version: 1 }])
}

const locationInUse = (uses: string) =>
  badRequest(`The location cannot be deleted: it still has ${uses}`, `该位置下仍有内容，不能删除：${uses}`)

export function pinLocation(ctx: AppContext, orgId: number, id: number, pinned: boolean): Promise<LocationView> {
  return ctx.db.write('orgs.pinLocation', async (tx) => {
    await locationTree.pin(tx, orgId, [id], pinned)
    return viewOf(ctx, await locationTree.find(tx, orgId, id))
  })
}

/** Pins none of them if one id is not the organization's. */
export function pinLocations(
  ctx: AppContext,
  orgId: number,
  ids: readonly number[],
  pinned: boolean,
): Promise<{ count: number }> {
  return ctx.db.write('orgs.pinLocations', async (tx) => {
    const count = await locationTree.pin(tx, orgId, ids, pinned)
    if (count !== ids.length) throw notFound()
    return { count }
  })
}

/** Changes none of them if one id is not the organization's. */
export function reorderLocations(ctx: AppContext, orgId: number, input: ReorderLocations): Promise<{ count: number }> {
  const items = orderItems(input)
  if (typeof items === 'string') throw refusals.of(items)
  return ctx.db.write('orgs.reorderLocations', async (tx) => {
    refusals.check(await locationTree.reorder(tx, orgId, items))
    return { count: items.length }
  })
}

/** The address of the page to which the code of a location leads. */
export const locationUrl = (ctx: AppContext, { uuid }: Pick<store.LocationRow, 'uuid'>): string =>
  `${ctx.config.publicUrl}/s/location/${uuid}`

const toView = (ctx: AppContext, row: store.LocationRow): LocationView => ({
  id: row.id,
  parentId: row.parentId,
  name: row.name,
  description: row.description,
  latitude: row.latitude,
  longitude: row.longitude,
  pinned: row.pinned,
  sortOrder: row.sortOrder,
  uuid: row.uuid!,
  publicUrl: locationUrl(ctx, row),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

/** 404 if there is no row. */
function viewOf(ctx: AppContext, row: store.LocationRow | undefined): LocationView {
  if (row === undefined) throw notFound()
  return toView(ctx, row)
}
