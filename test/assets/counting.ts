/** Helpers for the tests of inventories, loans and reminders. */

import type { InventoryView, ItemView } from '#domains/assets/inventories/inventories.model.ts'
import type { AssetView, NewAsset } from '#domains/assets/register/register.model.ts'

import { ok, type Person } from '../harness/index.ts'
import { createAsset, deleteAsset, scrapAsset } from './helpers.ts'

let counter = 0

type Fields = Partial<NewAsset> & { isScrapped?: boolean; isDeleted?: boolean }

export async function addAsset(
  person: Person,
  { isScrapped, isDeleted, ...fields }: Fields = {},
  orgId?: number,
): Promise<AssetView> {
  const asset = await createAsset(person, { ...fields, ...(orgId !== undefined && { orgId }) })
  if (isScrapped) ok(await scrapAsset(person, asset.id))
  if (isDeleted) ok(await deleteAsset(person, asset.id))
  return asset
}

export async function addCategory(person: Person, fields: { parentId?: number; orgId?: number } = {}): Promise<number> {
  const body = { name: `category ${++counter}`, ...fields }
  return ok(await person.call('assetCategories.create', { body })).data.id
}

export async function addLocation(person: Person, orgId: number, parentId?: number): Promise<number> {
  const body = { name: `location ${++counter}`, ...(parentId !== undefined && { parentId }) }
  return ok(await person.call('locations.create', { params: { orgId }, body })).data.id
}

export async function createInventory(person: Person, fields: object = {}): Promise<InventoryView> {
  return ok(await person.call('inventories.create', { body: { name: `inventory ${++counter}`, ...fields } })).data
}

export const setStatus = (person: Person, id: number, status: 'DRAFT' | 'RUNNING' | 'CLOSED') =>
  person.call('inventories.update', { params: { id }, body: { status } })

export async function startedInventory(person: Person, fields: object = {}): Promise<InventoryView> {
  return ok(await setStatus(person, (await createInventory(person, fields)).id, 'RUNNING')).data
}

export const scan = (person: Person, id: number, body: object) =>
  person.call('inventories.scan', { params: { id }, body })

export const getInventory = async (person: Person, id: number): Promise<InventoryView> =>
  ok(await person.call('inventories.get', { params: { id } })).data

export async function allItems(person: Person, id: number): Promise<ItemView[]> {
  const items: ItemView[] = []
  for (let page = 1; ; page++) {
    const { data } = ok(await person.call('inventories.items', { params: { id }, query: { page, size: 100 } }))
    items.push(...data.items)
    if (items.length >= data.total) return items
  }
}

export const figuresOf = ({ expected, found, missing, unexpected, misplaced }: InventoryView) => ({
  expected,
  found,
  missing,
  unexpected,
  misplaced,
})
