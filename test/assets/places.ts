/** Helpers for the tests of asset categories, the map and the public page. */

import { assets, metaObjects, metaTemplates } from '#db/schema/index.ts'
import type { AssetCategoryView, CreateAssetCategory } from '#domains/assets/categories/categories.model.ts'
import type { Nested } from '#lib/tree.ts'
import { uuid } from '#platform/ids.ts'

import { ok, type Person, type TestServer } from '../harness/index.ts'

export type CategoryNode = Nested<AssetCategoryView>

export const createCategory = async (
  user: Person,
  name: string,
  fields: Partial<CreateAssetCategory> = {},
): Promise<AssetCategoryView> => ok(await user.call('assetCategories.create', { body: { name, ...fields } })).data

export const categoryTree = async (user: Person, orgId?: number): Promise<CategoryNode[]> =>
  ok(await user.call('assetCategories.tree', { query: orgId === undefined ? {} : { orgId } })).data

/** `a(b(c),d)`, by name. */
export const shape = (nodes: readonly CategoryNode[]): string =>
  nodes.map((n) => n.name + (n.children.length > 0 ? `(${shape(n.children)})` : '')).join(',')

export const flat = (nodes: readonly CategoryNode[]): AssetCategoryView[] =>
  nodes.flatMap(({ children, ...node }) => [node, ...flat(children)])

type NewAsset = Partial<typeof assets.$inferInsert> & { owner: number; userId: number }

let counter = 0

/** Inserts rows, because thousands of requests would take minutes. Returns their ids. */
export async function insertAssets(server: TestServer, rows: readonly NewAsset[]): Promise<number[]> {
  const ids: number[] = []
  for (let i = 0; i < rows.length; i += 500) {
    const inserted = await server.ctx.db.write('test', (tx) =>
      tx
        .insert(assets)
        .values(
          rows.slice(i, i + 500).map((row) => {
            counter += 1
            return {
              uuid: uuid(),
              name: `asset ${counter}`,
              assetNo: `T-${counter}`,
              assetNoKey: `t-${counter}`,
              photoIds: [],
              publicFields: [],
              createdAt: tx.stamp,
              updatedAt: tx.stamp,
              ...row,
            }
          }),
        )
        .returning({ id: assets.id }),
    )
    ids.push(...inserted.map((row) => row.id))
  }
  return ids
}

/** Inserts a metadata template of assets. `owner`: 0 for GLOBAL, otherwise an owner key. */
export async function insertTemplate(server: TestServer, owner: number, name = 'template'): Promise<number> {
  return server.ctx.db.write('test', async (tx) => {
    await tx.insert(metaObjects).values({ name: 'asset', label: 'Asset', createdAt: tx.stamp }).onConflictDoNothing()
    const [row] = await tx
      .insert(metaTemplates)
      .values({ objectName: 'asset', owner, name, createdAt: tx.stamp, updatedAt: tx.stamp })
      .returning({ id: metaTemplates.id })
    return row!.id
  })
}
