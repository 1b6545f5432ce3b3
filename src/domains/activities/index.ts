/** Activities: the register, check-in, passes, registration and discovery. */

import { ownerKey } from '#db/owner-key.ts'
import { domain } from '#domains/domain.ts'
import { lostBy } from '#domains/events.ts'
import { MINUTE } from '#platform/clock.ts'

import { additionEndpoints } from './additions/additions.endpoints.ts'
import { composeEntryMail } from './additions/entry-mails.service.ts'
import { activityAdminEndpoints } from './admin/activities.admin.endpoints.ts'
import { passAdminEndpoints } from './admin/passes.admin.endpoints.ts'
import { oldBatchesJob } from './batches/batches.service.ts'
import { checkInListEndpoints } from './check-in-lists/check-in-lists.endpoints.ts'
import { checkInAdminEndpoints } from './check-ins/check-ins.admin.endpoints.ts'
import { checkInEndpoints } from './check-ins/check-ins.endpoints.ts'
import { hasCheckedIn } from './check-ins/check-ins.store.ts'
import { copyEndpoints } from './copies/copies.endpoints.ts'
import { discoveryEndpoints } from './discovery/discovery.endpoints.ts'
import { removeAllPassed } from './discovery/discovery.service.ts'
import { refreshDiscovery } from './discovery/discovery.store.ts'
import { activityObject, activityTarget } from './entities.store.ts'
import { composeGuestMail, composePersonalMail } from './event-mails/event-mails.service.ts'
import { eventRows } from './event-rows.service.ts'
import { gateLinkAdminEndpoints } from './gate-links/gate-links.admin.endpoints.ts'
import { gateLinkEndpoints } from './gate-links/gate-links.endpoints.ts'
import { gateScanEndpoints } from './gate-links/gate-scans.endpoints.ts'
import { gateSessionEndpoints } from './gate-links/gate-sessions.endpoints.ts'
import { gateEndpoints } from './gates/gates.endpoints.ts'
import { refusedChecksJob } from './gates/gates.jobs.ts'
import { offlineGateEndpoints } from './gates/offline.endpoints.ts'
import { addressProved } from './guests/claims.service.ts'
import { guestEndpoints } from './guests/guests.endpoints.ts'
import { guestJobs } from './guests/guests.jobs.ts'
import { importEndpoints } from './importing/importing.endpoints.ts'
import { invitationAdminEndpoints, invitationEndpoints } from './invitations/invitations.endpoints.ts'
import { invitationsJob } from './invitations/invitations.jobs.ts'
import { composeInvitation, settleInvitation } from './invitations/mails.service.ts'
import { kioskEndpoints } from './kiosk/kiosk.endpoints.ts'
import { kioskPage } from './kiosk/kiosk.page.ts'
import { linkEndpoints } from './links/links.endpoints.ts'
import { landingPath, resolveActivity, resolvePass } from './links/links.service.ts'
import { composeMail, settleMail } from './messages/mails.service.ts'
import { messagesJob, startMessages, stopMessages } from './messages/messages-worker.ts'
import { messageAdminEndpoints } from './messages/messages.admin.endpoints.ts'
import { messageEndpoints } from './messages/messages.endpoints.ts'
import { activityChanged, activityDeleting, activityPurging } from './messages/notices.service.ts'
import { composeTestMail } from './messages/previews.service.ts'
import { overviewEndpoints } from './overview/overview.endpoints.ts'
import { activityAreas } from './own-data.store.ts'
import { pageEndpoints } from './pages/pages.endpoints.ts'
import { activityLandingPage, checkInLandingPage } from './pages/pages.page.ts'
import { passLandingPage } from './pages/pass.page.ts'
import { participantEndpoints } from './participants/participants.endpoints.ts'
import { passChangeEndpoints } from './pass-changes/pass-changes.endpoints.ts'
import { autoIssueJob, issueToConfirmed, revokeOfEnded } from './pass-issues/auto-issues.service.ts'
import { passIssueEndpoints } from './pass-issues/pass-issues.endpoints.ts'
import { passKeyEndpoints } from './pass-keys/pass-keys.endpoints.ts'
import { rotationJob } from './pass-keys/pass-keys.service.ts'
import { passTemplateEndpoints } from './pass-templates/pass-templates.endpoints.ts'
import { countTemplates } from './pass-templates/pass-templates.store.ts'
import { passEndpoints } from './passes/passes.endpoints.ts'
import { expiryJob } from './passes/passes.service.ts'
import { hasPasses, renameHolder } from './passes/passes.store.ts'
import { oldNewsJob, settlePersonalMail } from './personal-mails.service.ts'
import { eraseActivities, purgeJobs } from './purging.service.ts'
import { activityEndpoints } from './register/register.endpoints.ts'
import { cancelActivities, clearCovers, mayRead } from './register/register.service.ts'
import { countActivities, countOwned, hasActivities } from './register/register.store.ts'
import { nameOld } from './registrations/filters.store.ts'
import { giveFreePlaces } from './registrations/places.service.ts'
import { registrationEndpoints } from './registrations/registrations.endpoints.ts'
import { memberLeft, userDeleting } from './registrations/registrations.service.ts'
import { hasRegistrations } from './registrations/registrations.store.ts'

export const activities = domain({
  name: 'activities',
  endpoints: [
    ...activityEndpoints,
    ...copyEndpoints,
    ...discoveryEndpoints,
    ...checkInEndpoints,
    ...kioskEndpoints,
    ...passKeyEndpoints,
    ...passTemplateEndpoints,
    ...passIssueEndpoints,
    ...passChangeEndpoints,
    ...passEndpoints,
    ...gateEndpoints,
    ...offlineGateEndpoints,
    ...checkInListEndpoints,
    ...gateLinkEndpoints,
    ...gateSessionEndpoints,
    ...gateScanEndpoints,
    ...linkEndpoints,
    ...pageEndpoints,
    ...registrationEndpoints,
    ...guestEndpoints,
    ...messageEndpoints,
    ...invitationEndpoints,
    ...participantEndpoints,
    ...overviewEndpoints,
    ...additionEndpoints,
    ...importEndpoints,
    ...activityAdminEndpoints,
    ...checkInAdminEndpoints,
    ...passAdminEndpoints,
    ...messageAdminEndpoints,
    ...invitationAdminEndpoints,
    ...gateLinkAdminEndpoints,
  ],
  jobs: [
    rotationJob,
    expiryJob,
    autoIssueJob,
    refusedChecksJob,
    oldBatchesJob,
    oldNewsJob,
    messagesJob,
    invitationsJob,
    ...purgeJobs,
    ...guestJobs,
    { name: 'activities.removePassed', every: 10 * MINUTE, run: removeAllPassed },
    { name: 'registrations.giveFreePlaces', every: MINUTE, run: giveFreePlaces },
    { name: 'registrations.nameOld', every: MINUTE, run: nameOld },
  ],
  settledMails: {
    ACTIVITY: settlePersonalMail,
    ACTIVITY_ENTRY: settlePersonalMail,
    ACTIVITY_MESSAGE: settleMail,
    INVITATION: settleInvitation,
  },
  start: startMessages,
  stop: stopMessages,
  scanTargets: { ACTIVITY: resolveActivity, CHECK_IN: resolveActivity, PASS: resolvePass },
  labelPages: { ACTIVITY: landingPath },
  landingPages: {
    activity: activityLandingPage,
    'check-in': checkInLandingPage,
    kiosk: kioskPage,
    pass: passLandingPage,
  },
  fileEntities: { ACTIVITY: mayRead },
  composedMails: {
    ACTIVITY: composePersonalMail,
    ACTIVITY_GUEST: composeGuestMail,
    ACTIVITY_ENTRY: composeEntryMail,
    ACTIVITY_MESSAGE: composeMail,
    ACTIVITY_TEST: composeTestMail,
    INVITATION: composeInvitation,
  },
  eventRows,
  dataAreas: activityAreas,
  erase: eraseActivities,
  metaObjects: { activity: activityObject },
  refTargets: { ACTIVITY: activityTarget },
  userContent: async (db, userId) =>
    (await hasActivities(db, userId)) ||
    (await hasCheckedIn(db, userId)) ||
    (await hasRegistrations(db, userId)) ||
    (await hasPasses(db, userId)) ||
    (await countTemplates(db, ownerKey({ userId, orgId: 0 }))) > 0,
  quotaUsage: { activities: (ctx, owner) => countActivities(ctx.db.read, ownerKey(owner)) },
  orgResources: [
    { key: 'activities', name: 'activities', count: countOwned },
    { key: 'passTemplates', name: 'pass templates', count: countTemplates },
  ],
  on: {
    async 'files.deleted'(_ctx, tx, { files }) {
      const lost = lostBy(files, 'ACTIVITY')
      if (lost) await clearCovers(tx, lost)
    },
    'activity.changed': activityChanged,
    'address.proved': addressProved,
    'activity.purging': activityPurging,
    'labelled.deleting': activityDeleting,
    'org.statusChanged': (_ctx, tx, { orgId }) => refreshDiscovery(tx, orgId),
    'registrations.confirmed': issueToConfirmed,
    'registrations.ended': revokeOfEnded,
    'member.left': memberLeft,
    async 'user.deleting'(ctx, tx, { userId, nickname }) {
      await renameHolder(tx, userId, nickname)
      await userDeleting(ctx, tx, userId)
    },
  },
  remains: cancelActivities,
})

export { authenticateGate } from './gate-links/gate-sessions.service.ts'
export { PublicActivity } from './discovery/discovery.model.ts'
export { type ActivityForMessage, activityForMessage } from './links/links.service.ts'
export { PublicPass } from './passes/passes.model.ts'
