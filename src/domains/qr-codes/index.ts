/** QR codes, their categories, scan records, and the public pages and pictures of codes. */

import { domain } from '#domains/domain.ts'

import { categoryEndpoints } from './categories/endpoints.ts'
import { copyIntoOrg } from './codes/copy.ts'
import { codeEndpoints } from './codes/endpoints.ts'
import { quotaOf } from './codes/quota.ts'
import { countCodes } from './codes/store.ts'
import { publicEndpoints } from './public/endpoints.ts'
import { flushScans } from './public/scan-counter.ts'
import { renderEndpoints } from './render/endpoints.ts'
import { scanEndpoints } from './scans/endpoints.ts'
import { purgeJob } from './trash/service.ts'
import { countLiveOfOrg, removeOrgCode, removeTrashOfOrg } from './trash/store.ts'

export const qrCodes = domain({
  name: 'qrCodes',
  endpoints: [...codeEndpoints, ...categoryEndpoints, ...scanEndpoints, ...publicEndpoints, ...renderEndpoints],
  jobs: [purgeJob],
  quotaUsage: { qrCodes: (ctx, userId) => countCodes(ctx.db.read, { userId, orgId: 0 }) },
  orgResources: [{ name: 'QR codes', count: countLiveOfOrg, purge: removeTrashOfOrg }],
  shareable: {
    QR_CODE: {
      async prepareCopy(ctx) {
        const quota = await quotaOf(ctx)
        return (tx, userId, sourceId, orgId) => copyIntoOrg(tx, userId, sourceId, orgId, quota)
      },
      deleteCopy: removeOrgCode,
    },
  },
  stop: flushScans,
})

/** Removes for good what has been in the trash for more than 30 days. */
export { purgeTrash } from './trash/service.ts'
