/** Fixed assets: the register, categories, transfers, spreadsheets, inventories and loans. */

import { ownerKey } from '#db/owner-key.ts'
import { domain } from '#domains/domain.ts'
import { HOUR } from '#platform/clock.ts'

import { assetCategoryAdminEndpoints } from './categories/admin.endpoints.ts'
import { assetCategoryEndpoints } from './categories/endpoints.ts'
import { dropDeletedTemplates, templateDeleting } from './categories/service.ts'
import { deleteOfOrg } from './categories/store.ts'
import { inventoryEndpoints } from './inventories/endpoints.ts'
import { deleteAbandoned, mayRead as mayReadInventory } from './inventories/service.ts'
import { countAssets } from './listing/store.ts'
import { assetEndpoints } from './register/endpoints.ts'
import { mayRead, resolveScan } from './register/service.ts'
import { transferEndpoints } from './transfers/endpoints.ts'

export const assets = domain({
  name: 'assets',
  endpoints: [
    ...assetEndpoints,
    ...transferEndpoints,
    ...assetCategoryEndpoints,
    ...assetCategoryAdminEndpoints,
    ...inventoryEndpoints,
  ],
  jobs: [
    { name: 'assets.dropDeletedTemplates', every: HOUR, run: dropDeletedTemplates },
    { name: 'inventories.deleteAbandoned', every: HOUR, run: deleteAbandoned },
  ],
  quotaUsage: { assets: (ctx, owner) => countAssets(ctx.db.read, ownerKey(owner)) },
  fileEntities: { ASSET: mayRead, INVENTORY: mayReadInventory },
  scanTargets: { ASSET: resolveScan },
  on: {
    async 'metaTemplate.deleting'(_ctx, tx, { templateId }) {
      await templateDeleting(tx, templateId)
    },
    'org.dissolving': (_ctx, tx, { orgId }) => deleteOfOrg(tx, orgId),
  },
})
