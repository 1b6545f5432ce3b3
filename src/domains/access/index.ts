/** Who may do what: permission points, roles, and the check that stands before every request. */

import { domain } from '#domains/domain.ts'

import { accessEndpoints } from './endpoints.ts'
import { seed } from './seed.ts'

export const access = domain({ name: 'access', endpoints: accessEndpoints, seed })

export { OWNER, SYSTEM_ADMIN, USER } from './roles.ts'
export { platformBindings } from './store.ts'
export {
  bindRole,
  can,
  createRole,
  holdsAnyPlatformRole,
  permissionSet,
  permissionsForLogin,
  roleNameOf,
  rolesChanged,
  unbindRoles,
} from './service.ts'
export { copyOrgTemplates, coversRole, dropOrgRoles, orgHolders } from './organizations/service.ts'
export { findOrgRole, type OrgRole, orgRolesOf, orgRolesOfMany } from './organizations/store.ts'
