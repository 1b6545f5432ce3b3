import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { createAsset } from './helpers.ts'
import { createCategory } from './places.ts'

export const logged: LoggedFixture = {
  'assets.scrapAny': async ({ server, admin }) => {
    const owner = await server.person()
    const asset = await createAsset(owner)
    const scrap = (id: number, reason: string) => admin.put(`/api/admin/assets/${id}/scrap`, { reason })
    return {
      call: () => scrap(asset.id, 'Broken'),
      row: {
        targetId: asset.id,
        targetName: asset.name,
        before: { status: asset.status, scrapReason: '' },
        after: { status: 'SCRAPPED', scrapReason: 'Broken' },
      },
      refused: [() => scrap(999_999_999, 'Broken'), () => owner.put(`/api/admin/assets/${asset.id}/scrap`, {})],
      unchanged: () => scrap(asset.id, 'Broken'),
    }
  },
  'assets.deleteAny': async ({ server, admin }) => {
    const owner = await server.person()
    const asset = await createAsset(owner)
    const remove = (who: typeof owner) => who.call('assets.deleteAny', { params: { id: asset.id } })
    const { name, assetNo, status } = asset
    return {
      call: () => remove(admin),
      row: {
        targetId: asset.id,
        targetName: name,
        before: { name, assetNo, status, userId: owner.id, orgId: null },
        after: null,
      },
      refused: [() => remove(admin), () => remove(owner)],
    }
  },
  'assetCategories.deleteAny': async ({ server, admin }) => {
    const owner = await server.person()
    const category = await createCategory(owner, 'Tools')
    const remove = (who: typeof owner) => who.call('assetCategories.deleteAny', { params: { id: category.id } })
    return {
      call: () => remove(admin),
      row: {
        targetId: category.id,
        targetName: 'Tools',
        before: { name: 'Tools', parentId: null, orgId: null, createdBy: owner.id, movedChildren: 0 },
        after: null,
      },
      refused: [() => remove(admin), () => remove(owner)],
    }
  },
}
