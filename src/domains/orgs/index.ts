/** Organizations: creating them, members and their roles, the ways to join, public pages, and locations. */

import { domain } from '#domains/domain.ts'
import { lostBy } from '#domains/events.ts'
import { publicImagePath } from '#domains/files/index.ts'

import { organizationAdminEndpoints } from './admin/orgs.admin.endpoints.ts'
import { eventRows } from './event-rows.service.ts'
import { invitationEndpoints } from './invitations/invitations.endpoints.ts'
import { findMailInvitation } from './invite-mails/answers.service.ts'
import { inviteMailEndpoints } from './invite-mails/invite-mails.endpoints.ts'
import { composeInvitation, inviteMailsJob, settleInvitation } from './invite-mails/invite-mails.service.ts'
import { forgetAddresses } from './invite-mails/invite-mails.store.ts'
import { joiningEndpoints } from './joining/joining.endpoints.ts'
import { locationEndpoints } from './locations/locations.endpoints.ts'
import { locationLandingPage } from './locations/locations.page.ts'
import { locationPath, locationTarget } from './locations/locations.store.ts'
import { memberEndpoints } from './members/members.endpoints.ts'
import { endMemberships, removeRest, userTarget } from './members/members.service.ts'
import { findMember, haveCommonOrganization, membersAfter, takesPart } from './members/members.store.ts'
import { membershipAdminEndpoints } from './memberships/memberships.admin.endpoints.ts'
import { reportRoleChange } from './memberships/memberships.service.ts'
import { organizationEndpoints } from './organizations/organizations.endpoints.ts'
import { clearAvatars, orgObject } from './organizations/organizations.store.ts'
import { countOwned, findOrg } from './orgs.store.ts'
import { organizationAreas } from './own-data.store.ts'
import { publicEndpoints } from './public/public.endpoints.ts'
import { resolveJoin } from './public/public.service.ts'
import { roleEndpoints } from './roles/roles.endpoints.ts'
import { moveJob, stopMoving } from './roles/roles.jobs.ts'
import { transferEndpoints } from './transfers/transfers.endpoints.ts'
import { deleteOffer } from './transfers/transfers.store.ts'

export const orgs = domain({
  name: 'orgs',
  endpoints: [
    ...organizationEndpoints,
    ...transferEndpoints,
    ...memberEndpoints,
    ...roleEndpoints,
    ...invitationEndpoints,
    ...inviteMailEndpoints,
    ...joiningEndpoints,
    ...publicEndpoints,
    ...locationEndpoints,
    ...organizationAdminEndpoints,
    ...membershipAdminEndpoints,
  ],
  jobs: [moveJob, inviteMailsJob],
  stop: stopMoving,
  on: {
    'user.deleting': async (ctx, tx, { userId }) => {
      await endMemberships(ctx, tx, userId)
      await forgetAddresses(tx, userId)
    },
    'member.left': async (_ctx, tx, { orgId, userId }) => void (await deleteOffer(tx, orgId, userId)),
    'orgRole.changedByAdministrator': reportRoleChange,
    async 'files.deleted'(_ctx, tx, { files }) {
      const lost = lostBy(files, 'ORG')
      if (lost) await clearAvatars(tx, lost.entityIds, lost.publicKeys.map(publicImagePath))
    },
  },
  composedMails: { ORG_INVITATION: composeInvitation },
  settledMails: { ORG_INVITATION: settleInvitation },
  mailInvitations: findMailInvitation,
  remains: removeRest,
  quotaUsage: { organizations: (ctx, { userId }) => countOwned(ctx.db.read, userId) },
  fileEntities: { ORG: async (ctx, userId, orgId) => (await findMember(ctx.db.read, orgId, userId)) !== undefined },
  dataAreas: organizationAreas,
  userContent: takesPart,
  acquaintance: haveCommonOrganization,
  eventRows,
  metaObjects: { org: orgObject },
  refTargets: { USER: userTarget, LOCATION: locationTarget },
  labelPages: { LOCATION: locationPath },
  landingPages: { location: locationLandingPage },
  scanTargets: { ORG_JOIN: resolveJoin },
  audiences: {
    organization: {
      exists: async (db, orgId) => (await findOrg(db, orgId)) !== undefined,
      count: async (db, orgId) => (await findOrg(db, orgId))?.memberCount ?? 0,
      membersAfter,
    },
  },
})

export { haveCommonOrganization, inCommonOrganization } from './members/members.store.ts'
export { planProvidedMembership, provideMembership, type WantedMembership } from './memberships/memberships.service.ts'
export { findOrg } from './orgs.store.ts'
export { MAX_DEPTH as MAX_LOCATION_DEPTH, MAX_LOCATIONS } from './locations/locations.model.ts'
export { deleteUnusedLocation, insertPlainLocation, locationUrl } from './locations/locations.service.ts'
export { locationTree } from './locations/locations.store.ts'
export { zoneOfOrg } from './organizations/organizations.store.ts'
export {
  addAwaitedMembers,
  importMemberships,
  type MembershipToImport,
  type OrgToImportInto,
  orgsToImportInto,
} from './memberships/many-members.service.ts'
export { isOrgEnabled, requireEnabled, setOrgStatus } from './organizations/organizations.service.ts'
