/** Helpers for the tests of inventories, loans and reminders. */

import { eq } from 'drizzle-orm'

import { ownerKey } from '#db/owner-key.ts'
import { assets } from '#db/schema/assets.ts'
import type { InventoryView, ItemView } from '#domains/assets/inventories/model.ts'

import { ok, type Person, type TestServer } from '../harness/index.ts'

let counter = 0

type NewAsset = Partial<typeof assets.$inferInsert>
/** Inserts the row: most tests are about assets in states that take many requests. */
export async function addAsset(
  server: TestServer,
  person: Person,
  fields: NewAsset = {},
  orgId = 0,
): Promise<{ id: number; uuid: string; assetNo: string }> {
  counter += 1
  const assetNo = fields.assetNo ?? `N-${counter}`
  return server.ctx.db.write('test', async (tx) => {
    const [row] = await tx
      .insert(assets)
      .values({
        uuid: crypto.randomUUID(),
        owner: ownerKey({ userId: person.id, orgId }),
        userId: person.id,
        name: `asset ${counter}`,
        assetNo,
        assetNoKey: assetNo.toLowerCase(),
        photoIds: [],
        publicFields: [],
        createdAt: tx.stamp,
        updatedAt: tx.stamp,
        ...fields,
      })
      .returning()
    return { id: row!.id, uuid: row!.uuid, assetNo }
  })
}

export async function changeAsset(
  server: TestServer,
  _person: Person,
  id: number,
  change: { locationId: number | null } | 'delete' | 'scrap',
): Promise<void> {
  await server.ctx.db.write('test', async (tx) => {
    await tx
      .update(assets)
      .set(change === 'delete' ? { deletedAt: 1 } : change === 'scrap' ? { status: 'SCRAPPED' } : change)
      .where(eq(assets.id, id))
  })
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
