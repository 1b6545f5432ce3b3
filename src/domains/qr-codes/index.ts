/** QR codes, their categories, scan records, and the public pages and pictures of codes. */

import { ownerKey } from '#db/owner-key.ts'
import { domain } from '#domains/domain.ts'
import { lostBy } from '#domains/events.ts'

import { qrCodeAdminEndpoints } from './admin/qr-codes.admin.endpoints.ts'
import { freeBlanksOf } from './blanks/binding.service.ts'
import { blankEndpoints } from './blanks/blanks.endpoints.ts'
import { voidBlanks } from './blanks/blanks.store.ts'
import { flushLabelScans } from './blanks/label-counter.ts'
import { shortLinkTarget } from './blanks/short-links.service.ts'
import { categoryEndpoints } from './categories/categories.endpoints.ts'
import { categoryObject } from './categories/categories.store.ts'
import { codeEndpoints } from './codes/codes.endpoints.ts'
import { emptyCategoriesJob, emptyCategory } from './codes/codes.service.ts'
import { countCodes, hasContent } from './codes/codes.store.ts'
import { prepareCopy } from './codes/copies.service.ts'
import { codeObject } from './codes/meta-objects.store.ts'
import { flushScans } from './codes/scan-counter.ts'
import { designEndpoints } from './designs/designs.endpoints.ts'
import { deleteDesignsOf, designJobs, loseFiles, mayRead } from './designs/designs.service.ts'
import { stopDrawing } from './drawing/drawing.service.ts'
import { eraseCodes } from './erasing.service.ts'
import { eventRows } from './event-rows.service.ts'
import { exportEndpoints } from './export/export.endpoints.ts'
import { countFree } from './free-blanks.store.ts'
import { importEndpoints } from './importing/importing.endpoints.ts'
import { linkEndpoints } from './links/links.endpoints.ts'
import { hasDesigns } from './looks/looks.store.ts'
import { codeAreas } from './own-data.store.ts'
import { pictureEndpoints } from './pictures/pictures.endpoints.ts'
import { publicEndpoints } from './public/public.endpoints.ts'
import { foundCodes } from './public/public.store.ts'
import { shortEndpoints } from './public/short.endpoints.ts'
import { renderEndpoints } from './render/render.endpoints.ts'
import { scanEndpoints } from './scans/scans.endpoints.ts'
import { clearPurgedJob, quotaJob } from './scans/scans.service.ts'
import { statsEndpoints } from './stats/stats.endpoints.ts'
import { oldCountsJob, visitorsJob } from './stats/stats.service.ts'
import { syncEntities } from './sync/sync.service.ts'
import { trashEndpoints } from './trash/trash.endpoints.ts'
import { purgeJob, purgeOrgCode, removeTrash } from './trash/trash.service.ts'
import { countLiveOfOrg } from './trash/trash.store.ts'

export const qrCodes = domain({
  name: 'qrCodes',
  endpoints: [
    ...codeEndpoints,
    ...blankEndpoints,
    ...exportEndpoints,
    ...importEndpoints,
    ...statsEndpoints,
    ...trashEndpoints,
    ...categoryEndpoints,
    ...scanEndpoints,
    ...publicEndpoints,
    ...linkEndpoints,
    ...shortEndpoints,
    ...renderEndpoints,
    ...designEndpoints,
    ...pictureEndpoints,
    ...qrCodeAdminEndpoints,
  ],
  jobs: [purgeJob, clearPurgedJob, quotaJob, emptyCategoriesJob, oldCountsJob, visitorsJob, ...designJobs],
  quotaUsage: {
    qrCodes: async (ctx, owner) =>
      (await countCodes(ctx.db.read, owner)) + (await countFree(ctx.db.read, ownerKey(owner))),
  },
  userContent: async (db, userId) => (await hasContent(db, userId)) || hasDesigns(db, userId),
  fileEntities: { QR_DESIGN: mayRead },
  orgResources: [{ key: 'qrCodes', name: 'QR codes', count: countLiveOfOrg }],
  on: {
    'category.deleting': (_ctx, tx, { userId, id }) => emptyCategory(tx, userId, id),
    'qrCodes.purging': (ctx, tx, { ids }) => freeBlanksOf(ctx, tx, 'QR_CODE', ids),
    'labelled.deleting': (ctx, tx, { kind, ids }) => freeBlanksOf(ctx, tx, kind, ids),
    async 'files.deleted'(_ctx, tx, { files }) {
      const lost = lostBy(files, 'QR_DESIGN')
      if (lost) await loseFiles(tx, lost)
    },
    'org.dissolving': (ctx, tx, { orgId }) => deleteDesignsOf(ctx, tx, orgId),
    'user.deleting': (ctx, tx, { userId }) => deleteDesignsOf(ctx, tx, -userId),
  },
  async remains(ctx, tx, owner, limit) {
    const removed = await removeTrash(ctx, tx, owner, limit)
    return removed < limit ? removed + (await voidBlanks(tx, owner, limit - removed)) : removed
  },
  dataAreas: codeAreas,
  erase: eraseCodes,
  shortLinkTarget,
  metaObjects: { qrCode: codeObject, category: categoryObject },
  shareable: { QR_CODE: { prepareCopy, deleteCopy: purgeOrgCode } },
  foundThings: { QR_CODE: foundCodes },
  syncEntities,
  eventRows,
  async stop(ctx) {
    stopDrawing(ctx)
    await flushScans(ctx)
    await flushLabelScans(ctx)
  },
})

export { CategoryView } from './categories/categories.model.ts'
export { QrCodeView } from './codes/codes.model.ts'
export { findCode, organizationOfCode } from './codes/codes.store.ts'
export { qrCodePictureUrl } from './codes/codes.view.ts'
export { NEW_RECORDS, ScanView } from './scans/scans.model.ts'
export { CategoryData, CodeData, ScanData } from './sync/sync.model.ts'
/** Permanently deletes codes that have been in the trash for more than 30 days. */
export { purgeTrash } from './trash/trash.service.ts'
