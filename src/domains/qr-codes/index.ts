/** QR codes, their categories, scan records, and the public pages and pictures of codes. */

import { domain } from '#domains/domain.ts'

import { categoryEndpoints } from './categories/endpoints.ts'
import { emptyCategoriesJob } from './categories/service.ts'
import { categoryObject } from './categories/store.ts'
import { codeEndpoints } from './codes/endpoints.ts'
import { prepareCopy } from './codes/service.ts'
import { codeObject, countCodes, hasContent } from './codes/store.ts'
import { consoleEndpoints } from './console/admin.endpoints.ts'
import { exportEndpoints } from './export/endpoints.ts'
import { publicEndpoints } from './public/endpoints.ts'
import { flushScans } from './public/scan-counter.ts'
import { renderEndpoints } from './render/endpoints.ts'
import { scanEndpoints } from './scans/endpoints.ts'
import { clearPurgedJob, quotaJob } from './scans/service.ts'
import { statsEndpoints } from './stats/endpoints.ts'
import { oldCountsJob } from './stats/service.ts'
import { syncEntities } from './sync/service.ts'
import { trashEndpoints } from './trash/endpoints.ts'
import { purgeJob, purgeOrgCode, purgeTrashOfOrg } from './trash/service.ts'
import { countLiveOfOrg } from './trash/store.ts'

export const qrCodes = domain({
  name: 'qrCodes',
  endpoints: [
    ...codeEndpoints,
    ...exportEndpoints,
    ...statsEndpoints,
    ...trashEndpoints,
    ...categoryEndpoints,
    ...scanEndpoints,
    ...publicEndpoints,
    ...renderEndpoints,
    ...consoleEndpoints,
  ],
  jobs: [purgeJob, clearPurgedJob, quotaJob, emptyCategoriesJob, oldCountsJob],
  quotaUsage: { qrCodes: (ctx, owner) => countCodes(ctx.db.read, owner) },
  userContent: hasContent,
  orgResources: [{ key: 'qrCodes', name: 'QR codes', count: countLiveOfOrg }],
  on: { 'org.dissolving': (ctx, tx, { orgId }) => purgeTrashOfOrg(ctx, tx, orgId) },
  metaObjects: { qrCode: codeObject, category: categoryObject },
  shareable: { QR_CODE: { prepareCopy, deleteCopy: purgeOrgCode } },
  syncEntities,
  stop: flushScans,
})

export { CategoryView } from './categories/model.ts'
export { QrCodeView } from './codes/model.ts'
export { findCode, organizationOfCode } from './codes/store.ts'
export { qrCodePictureUrl } from './codes/view.ts'
export { NEW_RECORDS, ScanView } from './scans/model.ts'
export { CategoryData, CodeData, ScanData } from './sync/model.ts'
/** Permanently deletes codes that have been in the trash for more than 30 days. */
export { purgeTrash } from './trash/service.ts'
