import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { contributions } from '#domains/domain.ts'
import { notFound } from '#http/errors.ts'

import { findOrg } from '../organizations/store.ts'
import { levelOf, levelsBelow } from './branch.ts'
import {
  halfPlace,
  hasChildren,
  insideItself,
  inUse,
  namedTwice,
  noSuchParent,
  nothingToOrder,
  notSiblings,
  tooDeep,
  tooMany,
} from './errors.ts'
import {
  type CreateLocation,
  type LocationNode,
  type LocationView,
  MAX_DEPTH,
  MAX_LOCATIONS,
  type ReorderLocations,
  type UpdateLocation,
} from './model.ts'
import { fitsBelow, treeOf } from './rules.ts'
import * as store from './store.ts'
import { toView } from './view.ts'

export async function locationTree(ctx: AppContext, orgId: number): Promise<LocationNode[]> {
  return treeOf((await store.allLocations(ctx.db.read, orgId)).map(toView))
}

export function createLocation(ctx: AppContext, orgId: number, input: CreateLocation): Promise<LocationView> {
  const { parentId = null, latitude = null, longitude = null } = input
  if ((latitude === null) !== (longitude === null)) throw halfPlace()
  return ctx.db.write('orgs.createLocation', async (tx) => {
    if ((await findOrg(tx, orgId)) === undefined) throw notFound()
    if ((await store.countLocations(tx, orgId)) >= MAX_LOCATIONS) throw tooMany()
    await checkFitsBelow(tx, orgId, parentId, 1)
    const values = { name: input.name, description: input.description ?? '', parentId, latitude, longitude }
    return toView(await store.insertLocation(tx, orgId, values))
  })
}

async function checkFitsBelow(tx: Tx, orgId: number, parentId: number | null, height: number): Promise<void> {
  const level = parentId === null ? 0 : await levelOf(tx, orgId, parentId)
  if (level === undefined) throw noSuchParent()
  if (!fitsBelow(level, height, MAX_DEPTH)) throw tooDeep()
}

export function updateLocation(
  ctx: AppContext,
  orgId: number,
  id: number,
  input: UpdateLocation,
): Promise<LocationView> {
  return ctx.db.write('orgs.updateLocation', async (tx) => {
    const before = await store.findLocation(tx, orgId, id)
    if (before === undefined) throw notFound()
    const change = changeOf(input)
    const after = { ...before, ...change }
    if ((after.latitude === null) !== (after.longitude === null)) throw halfPlace()
    if (after.parentId !== before.parentId) await checkMove(tx, orgId, id, after.parentId)
    return view(await store.updateLocation(tx, orgId, id, change))
  })
}

function changeOf(input: UpdateLocation): store.Change {
  const change: store.Change = {}
  if (input.name !== undefined) change.name = input.name
  if (input.description !== undefined) change.description = input.description ?? ''
  if (input.parentId !== undefined) change.parentId = input.parentId
  if (input.latitude !== undefined) change.latitude = input.latitude
  if (input.longitude !== undefined) change.longitude = input.longitude
  return change
}

/** Writes are serial, so of two moves that together would make a circle the second sees the first and is refused. */
async function checkMove(tx: Tx, orgId: number, id: number, parentId: number | null): Promise<void> {
  const levels = await levelsBelow(tx, orgId, id)
  if (parentId !== null && levels.some((level) => level.includes(parentId))) throw insideItself()
  await checkFitsBelow(tx, orgId, parentId, levels.length)
}

/** Refused while anything is below it or stands in it. */
export async function deleteLocation(ctx: AppContext, orgId: number, id: number): Promise<void> {
  await ctx.db.write('orgs.deleteLocation', async (tx) => {
    if ((await store.findLocation(tx, orgId, id)) === undefined) throw notFound()
    if ((await store.childIds(tx, orgId, [id])).length > 0) throw hasChildren()
    for (const use of contributions(ctx, 'locationUses').flat()) {
      const count = await use.count(tx, orgId, id)
      if (count > 0) throw inUse(`${use.name} (${count})`)
    }
    await store.deleteLocation(tx, orgId, id)
  })
}

export function pinLocation(ctx: AppContext, orgId: number, id: number, pinned: boolean): Promise<LocationView> {
  return ctx.db.write('orgs.pinLocation', async (tx) => view(await store.updateLocation(tx, orgId, id, { pinned })))
}

/** All or nothing: one id that is not the organization's, and none is pinned. */
export function pinLocations(
  ctx: AppContext,
  orgId: number,
  ids: readonly number[],
  pinned: boolean,
): Promise<{ count: number }> {
  return ctx.db.write('orgs.pinLocations', async (tx) => {
    for (const id of ids) if (!(await store.pinLocation(tx, orgId, id, pinned))) throw notFound()
    return { count: ids.length }
  })
}

/** `ids` get the places 1, 2, 3 …; `items` name theirs. */
export function reorderLocations(ctx: AppContext, orgId: number, input: ReorderLocations): Promise<{ count: number }> {
  if ((input.ids === undefined) === (input.items === undefined)) throw nothingToOrder()
  const items = input.items ?? input.ids!.map((id, i) => ({ id, sortOrder: i + 1 }))
  const ids = items.map((item) => item.id)
  if (new Set(ids).size !== ids.length) throw namedTwice()
  return ctx.db.write('orgs.reorderLocations', async (tx) => {
    const rows = await store.findLocations(tx, orgId, ids)
    if (rows.length !== ids.length) throw notFound()
    if (new Set(rows.map((row) => row.parentId)).size > 1) throw notSiblings()
    for (const { id, sortOrder } of items) await store.placeLocation(tx, orgId, id, sortOrder)
    return { count: ids.length }
  })
}

function view(row: store.LocationRow | undefined): LocationView {
  if (row === undefined) throw notFound()
  return toView(row)
}
