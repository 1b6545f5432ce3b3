/** Organizations: founding, members and their roles, the ways to join, what the public sees. */

import type { Db, Tx } from '#db/store.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { invitationEndpoints } from './invitations/endpoints.ts'
import { joiningEndpoints } from './joining/endpoints.ts'
import { locationEndpoints } from './locations/endpoints.ts'
import { memberEndpoints } from './members/endpoints.ts'
import { membersAfter } from './members/store.ts'
import { organizationEndpoints } from './organizations/endpoints.ts'
import { findOrg } from './organizations/store.ts'
import { publicEndpoints } from './public/endpoints.ts'

export const endpoints: readonly AnyEndpoint[] = [
  ...organizationEndpoints,
  ...memberEndpoints,
  ...invitationEndpoints,
  ...joiningEndpoints,
  ...publicEndpoints,
  ...locationEndpoints,
]

export { type OrgResource, registerResource } from './resources.ts'
export { type LocationUse, registerLocationUse } from './locations/uses.ts'
/** Whether the user is the sole OWNER of an organization: such an account cannot be deleted (spec §5.12). */
export { ownsAny as soleOwnerOf } from './organizations/store.ts'
export { addMember, endMemberships, removeMember } from './members/membership.ts'
export { dissolve, transfer } from './organizations/service.ts'

/** Who a notification to an organization goes to: for `registerOrganizations` of the notifications domain. */
export const forNotifications = {
  exists: async (db: Db | Tx, orgId: number): Promise<boolean> => (await findOrg(db, orgId)) !== undefined,
  membersAfter,
}

/** What a scanned `org-join:` content leads to: for `registerResolver` of the qr-codes domain. */
export { resolveJoin } from './public/service.ts'
