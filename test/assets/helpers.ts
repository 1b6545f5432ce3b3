/** Helpers for the tests of assets. */

import { eq } from 'drizzle-orm'

import { assetLoans, assets } from '#db/schema/assets.ts'
import type { Tx } from '#db/store.ts'
import type { AssetView } from '#domains/assets/register/register.model.ts'
import { type AssetFields, EMPTY } from '#domains/assets/register/register.rules.ts'
import { insertRows } from '#domains/assets/register/register.store.ts'
import type { Owner } from '#http/endpoint.ts'

import { png, uploaded } from '../files/helpers.ts'
import { ok, type Person, type TestServer } from '../harness/index.ts'

export type Asset = AssetView

let counter = 0

/** Registers an asset, with a name of its own unless one is given. */
export async function createAsset(user: Person, fields: object = {}): Promise<Asset> {
  counter += 1
  return ok(await user.call('assets.create', { body: { name: `asset ${counter}`, ...fields } })).data
}

export const getAsset = (user: Person, id: number, query: { orgId?: number } = {}) =>
  user.call('assets.get', { params: { id }, query })
export const updateAsset = (user: Person, id: number, body: object) =>
  user.call('assets.update', { params: { id }, body })
export const deleteAsset = (user: Person, id: number) => user.call('assets.delete', { params: { id } })
export const scrapAsset = (user: Person, id: number, reason?: string) =>
  user.call('assets.scrap', { params: { id }, body: { ...(reason !== undefined && { reason }) } })
export const transfer = (user: Person, id: number, body: object) =>
  user.call('assets.transfer', { params: { id }, body })
export const transfersOf = async (user: Person, id: number) =>
  ok(await user.call('assets.transfers', { params: { id }, query: { size: 100 } })).data.items

/** Uploads an image for an asset. Returns the id of the file. */
export async function photo(user: Person, orgId?: number, size = 64): Promise<number> {
  const file = await uploaded(user, png(size), { type: 'asset', name: 'a.png', ...(orgId !== undefined && { orgId }) })
  return file.id
}

/** A location of the organization. */
export const createLocation = async (user: Person, orgId: number, name: string, parentId: number | null = null) =>
  ok(await user.call('locations.create', { params: { orgId }, body: { name, parentId } })).data.id

/** Adds assets in writes of 500, for long lists. */
export async function addMany(
  server: TestServer,
  owner: Owner,
  items: readonly Partial<AssetFields>[],
): Promise<number[]> {
  const ids: number[] = []
  for (let at = 0; at < items.length; at += 500)
    ids.push(
      ...(await server.ctx.db.write('test.addMany', async (tx: Tx) => {
        const given = items.slice(at, at + 500).map((item, i) => {
          counter += 1
          return { ...EMPTY, name: `asset ${counter}`, assetNo: `many-${counter}-${i}`, ...item }
        })
        return (await insertRows(tx, owner, given)).map((row) => row.id)
      })),
    )
  return ids
}

/** Lends an asset to a person without an account. */
export async function lend(server: TestServer, assetId: number, personName = 'Ms Chen'): Promise<number> {
  const [asset] = await server.ctx.db.read.select().from(assets).where(eq(assets.id, assetId))
  const [row] = await server.ctx.db.write('test.lend', (tx) =>
    tx
      .insert(assetLoans)
      .values({ assetId, owner: asset!.owner, personName, checkedOutAt: tx.stamp, operatorId: asset!.userId })
      .returning({ id: assetLoans.id }),
  )
  return row!.id
}
