/** Fixed assets: the register, categories, transfers, spreadsheets, inventories, loans, and supplies of which a number is kept. */

import { ownerKey } from '#db/owner-key.ts'
import { domain } from '#domains/domain.ts'
import { lostBy } from '#domains/events.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

import { assetAdminEndpoints } from './admin/assets.admin.endpoints.ts'
import { assetEndpoints } from './assets.endpoints.ts'
import { clearPhotos, mayRead, publicPath, resolveScan } from './assets.service.ts'
import { calendarEndpoints } from './calendars/calendars.endpoints.ts'
import { deleteCalendar, deleteCalendarsOfMembers, deleteCalendarsOfUser } from './calendars/calendars.store.ts'
import { assetCategoryAdminEndpoints } from './categories/categories.admin.endpoints.ts'
import { assetCategoryEndpoints } from './categories/categories.endpoints.ts'
import { dropDeletedTemplates, emptyCategories, templateDeleting } from './categories/categories.service.ts'
import { deleteOfOrg } from './categories/categories.store.ts'
import { cleanUpJob, endCustody, purgeOfOrg } from './clean-up.service.ts'
import { DIGESTS_EVERY_MS, queueDigests } from './digests/digests.service.ts'
import { deleteDigestOf } from './digests/digests.store.ts'
import { composeDigest } from './digests/mails.service.ts'
import { clearAssignee } from './dues.store.ts'
import { assetObject, assetTarget, foundAssets } from './entities.service.ts'
import { eraseAssets } from './erasing.service.ts'
import { eventRows } from './event-rows.service.ts'
import { exportEndpoints } from './exporting/exporting.endpoints.ts'
import { importEndpoints } from './importing/importing.endpoints.ts'
import { deleteJobsOf } from './importing/importing.store.ts'
import { deleteOldJobs, failAbandonedJobs, failEarlierJobs } from './importing/jobs.service.ts'
import { deleteMappingsOf } from './importing/mappings.store.ts'
import { deleteRunsOf } from './importing/runs.store.ts'
import { deleteOldRuns } from './importing/undo.service.ts'
import { notifyOfCounts, setCounted } from './inventories/counting.service.ts'
import { inventoryEndpoints } from './inventories/inventories.endpoints.ts'
import { deleteAbandoned, mayRead as mayReadInventory } from './inventories/inventories.service.ts'
import { clearItemPhotos } from './inventories/inventories.store.ts'
import { labelEndpoints } from './labels/labels.endpoints.ts'
import { deleteProfilesOf } from './labels/labels.store.ts'
import { countAssets } from './listing.store.ts'
import { loanEndpoints } from './loans/loans.endpoints.ts'
import { notifyOfDueLoans } from './loans/notices.service.ts'
import { maintenanceEndpoints } from './maintenance/maintenance.endpoints.ts'
import { clearFiles, countPlans } from './maintenance/maintenance.store.ts'
import { notifyOfMaintenance } from './maintenance/notices.service.ts'
import { refreshAll } from './maintenance/plans.service.ts'
import { mayRead as mayReadRecord } from './maintenance/records.service.ts'
import { mapEndpoints } from './map/map.endpoints.ts'
import { assetAreas } from './own-data.store.ts'
import { assetLandingPage } from './public/public.page.ts'
import { countAtLocation, countOwned, hasAssets } from './register/register.store.ts'
import { remindOfWarranties } from './reminders.service.ts'
import { reportEndpoints } from './reports/reports.endpoints.ts'
import {
  cancelOfMembers,
  deleteSomeOfOrg as deleteSomeReservations,
  forgetNames as forgetReservationNames,
} from './reservations/ending.store.ts'
import {
  announcePickUps,
  expireReservations,
  startTelling,
  stopTelling,
  tellOfLostAssets,
} from './reservations/jobs.service.ts'
import { reservationEndpoints } from './reservations/reservations.endpoints.ts'
import { countOpenOfOrg } from './reservations/reservations.store.ts'
import { deleteOldRequests } from './supplies/movements.service.ts'
import { forgetNames, purgeMovements } from './supplies/movements.store.ts'
import { supplyAdminEndpoints } from './supplies/supplies.admin.endpoints.ts'
import { supplyEndpoints } from './supplies/supplies.endpoints.ts'
import { supplyLandingPage } from './supplies/supplies.page.ts'
import {
  clearPhotos as clearSupplyPhotos,
  mayRead as mayReadSupply,
  resolveScan as resolveSupply,
} from './supplies/supplies.service.ts'
import {
  countAtLocation as countSuppliesAt,
  countSupplies,
  hasSupplies,
  purgeSupplies,
} from './supplies/supplies.store.ts'
import { supplyImportEndpoints } from './supply-imports/supply-imports.endpoints.ts'
import { purgeImports } from './supply-imports/supply-imports.store.ts'
import { deleteOldImports } from './supply-imports/writing.service.ts'
import { syncEntities } from './sync/sync.service.ts'
import { transferEndpoints } from './transfers/transfers.endpoints.ts'

export const assets = domain({
  name: 'assets',
  endpoints: [
    ...assetEndpoints,
    ...transferEndpoints,
    ...assetAdminEndpoints,
    ...assetCategoryEndpoints,
    ...assetCategoryAdminEndpoints,
    ...inventoryEndpoints,
    ...mapEndpoints,
    ...loanEndpoints,
    ...maintenanceEndpoints,
    ...reportEndpoints,
    ...reservationEndpoints,
    ...importEndpoints,
    ...calendarEndpoints,
    ...exportEndpoints,
    ...labelEndpoints,
    ...supplyEndpoints,
    ...supplyAdminEndpoints,
    ...supplyImportEndpoints,
  ],
  async start(ctx) {
    startTelling(ctx)
    await failEarlierJobs(ctx)
  },
  stop: stopTelling,
  jobs: [
    { name: 'assets.dropDeletedTemplates', every: HOUR, run: dropDeletedTemplates },
    { name: 'assets.emptyCategories', every: MINUTE, run: emptyCategories },
    { name: 'assets.failAbandonedImports', every: MINUTE, run: failAbandonedJobs },
    { name: 'assets.deleteOldImports', every: HOUR, run: deleteOldJobs },
    { name: 'assets.deleteOldImportRuns', every: HOUR, run: deleteOldRuns },
    { name: 'assets.notifyOfDueLoans', every: 5 * MINUTE, run: notifyOfDueLoans },
    { name: 'assets.expireReservations', every: MINUTE, run: expireReservations },
    { name: 'assets.announcePickUps', every: 5 * MINUTE, run: announcePickUps },
    { name: 'assets.tellOfLostAssets', every: MINUTE, run: tellOfLostAssets },
    { name: 'assets.remindOfWarranties', every: HOUR, run: remindOfWarranties },
    { name: 'assets.refreshDues', every: MINUTE, run: refreshAll },
    { name: 'assets.notifyOfMaintenance', every: 15 * MINUTE, run: notifyOfMaintenance },
    { name: 'inventories.setCounted', every: MINUTE, run: setCounted },
    { name: 'assets.notifyOfCounts', every: HOUR, run: notifyOfCounts },
    { name: 'assets.queueDigests', every: DIGESTS_EVERY_MS, run: queueDigests },
    { name: 'inventories.deleteAbandoned', every: HOUR, run: deleteAbandoned },
    { name: 'supplies.deleteOldRequests', every: HOUR, run: deleteOldRequests },
    { name: 'supplies.deleteOldImports', every: HOUR, run: deleteOldImports },
    cleanUpJob,
  ],
  quotaUsage: { assets: (ctx, owner) => countAssets(ctx.db.read, ownerKey(owner)) },
  fileEntities: { ASSET: mayRead, INVENTORY: mayReadInventory, MAINTENANCE: mayReadRecord, SUPPLY: mayReadSupply },
  landingPages: { asset: assetLandingPage, supply: supplyLandingPage },
  foundThings: { ASSET: foundAssets },
  scanTargets: { ASSET: resolveScan, SUPPLY: resolveSupply },
  labelPages: { ASSET: publicPath },
  composedMails: { ASSET_DIGEST: composeDigest },
  dataAreas: assetAreas,
  erase: eraseAssets,
  metaObjects: { asset: assetObject },
  refTargets: { ASSET: assetTarget },
  syncEntities,
  eventRows,
  userContent: async (db, userId) => (await hasAssets(db, userId)) || hasSupplies(db, userId),
  orgResources: [
    {
      key: 'assets',
      name: 'assets',
      count: async (db, orgId) =>
        (await countOwned(db, orgId)) +
        (await countPlans(db, orgId)) +
        (await countOpenOfOrg(db, orgId)) +
        (await countSupplies(db, orgId)),
    },
  ],
  locationUses: [
    { name: 'assets', count: countAtLocation },
    { name: 'supplies', count: countSuppliesAt },
  ],
  async remains(_ctx, tx, owner, limit) {
    let rows = 0
    // Movements refer to supplies.
    for (const purge of [purgeMovements, purgeSupplies, purgeImports])
      if (rows < limit) rows += await purge(tx, owner, limit - rows)
    const others = owner > 0 ? [deleteSomeReservations] : [forgetNames, forgetReservationNames]
    for (const remove of others) if (rows < limit) rows += await remove(tx, Math.abs(owner), limit - rows)
    return rows
  },
  on: {
    async 'files.deleted'(_ctx, tx, { files }) {
      const [ofAssets, ofInventories] = [lostBy(files, 'ASSET'), lostBy(files, 'INVENTORY')]
      if (ofAssets) await clearPhotos(tx, ofAssets)
      if (ofInventories) await clearItemPhotos(tx, ofInventories)
      const ofRecords = lostBy(files, 'MAINTENANCE')
      if (ofRecords) await clearFiles(tx, ofRecords.fileIds, ofRecords.entityIds)
      const ofSupplies = lostBy(files, 'SUPPLY')
      if (ofSupplies) await clearSupplyPhotos(tx, ofSupplies)
    },
    async 'metaTemplate.deleting'(_ctx, tx, { templateId }) {
      await templateDeleting(tx, templateId)
    },
    async 'member.left'(_ctx, tx, { orgId, userId }) {
      await deleteCalendar(tx, userId, orgId)
      await endCustody(tx, orgId, userId)
      await clearAssignee(tx, userId, orgId)
      await cancelOfMembers(tx, orgId, [userId])
    },
    async 'org.dissolving'(_ctx, tx, { orgId }) {
      await purgeOfOrg(tx, orgId)
      await deleteOfOrg(tx, orgId)
      await deleteRunsOf(tx, ownerKey({ userId: 0, orgId }))
      await deleteMappingsOf(tx, orgId)
      await deleteProfilesOf(tx, orgId)
    },
    'org.membersRemoved': (_ctx, tx, { orgId, userIds }) => deleteCalendarsOfMembers(tx, orgId, userIds),
    async 'user.secretLinksEnded'(_ctx, tx, { userId }) {
      await deleteCalendarsOfUser(tx, userId)
    },
    async 'user.deleting'(_ctx, tx, { userId }) {
      await deleteJobsOf(tx, userId)
      await deleteDigestOf(tx, userId)
      await deleteRunsOf(tx, ownerKey({ userId, orgId: 0 }))
      await deleteMappingsOf(tx, ownerKey({ userId, orgId: 0 }))
      await clearAssignee(tx, userId)
      await deleteProfilesOf(tx, -userId)
    },
  },
})

export { AssetCategoryView } from './categories/categories.model.ts'
export { PublicAsset } from './public/public.model.ts'
export { AssetView } from './register/register.model.ts'
export { AssetCategoryData, AssetData } from './sync/sync.model.ts'
