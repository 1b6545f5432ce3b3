/** Fixed assets: the register, categories, transfers, spreadsheets, inventories and loans. */

import { domain } from '#domains/domain.ts'
import { HOUR } from '#platform/clock.ts'

import { assetCategoryAdminEndpoints } from './categories/admin.endpoints.ts'
import { assetCategoryEndpoints } from './categories/endpoints.ts'
import { dropDeletedTemplates, templateDeleting } from './categories/service.ts'
import { deleteOfOrg } from './categories/store.ts'

export const assets = domain({
  name: 'assets',
  endpoints: [...assetCategoryEndpoints, ...assetCategoryAdminEndpoints],
  jobs: [{ name: 'assets.dropDeletedTemplates', every: HOUR, run: dropDeletedTemplates }],
  on: {
    async 'metaTemplate.deleting'(_ctx, tx, { templateId }) {
      await templateDeleting(tx, templateId)
    },
    'org.dissolving': (_ctx, tx, { orgId }) => deleteOfOrg(tx, orgId),
  },
})
