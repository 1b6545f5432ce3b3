/** Permission points, roles, and the permission check of every request. */

import { domain } from '#domains/domain.ts'

import { accessEndpoints } from './access.endpoints.ts'
import { adminEndpoints } from './admin/access.admin.endpoints.ts'
import { explainEndpoints } from './explain/explain.endpoints.ts'
import { seed } from './seed.ts'

export const access = domain({
  name: 'access',
  endpoints: [...accessEndpoints, ...adminEndpoints, ...explainEndpoints],
  seed,
})

export {
  isInitialAdministrator,
  isSystemAdmin,
  type PersonalRoles,
  personalRoles,
  requireMayChangeUser,
  requireSystemAdmin,
  setAdministrator,
} from './administrators.service.ts'
export { roleNameTaken, systemAdminOnly } from './access.errors.ts'
export { requireAuthorityOver } from './admin/access.admin.service.ts'
export { bindingsChanged, rolesChanged } from './access.cache.ts'
export { MEMBER, OWNER, SYSTEM_ADMIN, USER } from './system-roles.ts'
export { platformBindings } from './access.store.ts'
export {
  bindPlatformRole,
  bindRole,
  bindRoleToAll,
  can,
  createRole,
  holdsAnyOrgRole,
  holdsAnyPlatformRole,
  isLockedOut,
  isMemberOf,
  organizationsWith,
  partyOf,
  permissionSet,
  permissionsForLogin,
  refusalIn,
  requirePoint,
  roleNameOf,
  unbindRoles,
} from './access.service.ts'
export { codesFor, isSystemName, MAX_OWN_ROLES, MAX_POINTS_OF_OWN_ROLE, nameKeyOf, PRESETS } from './own-roles.rules.ts'
export {
  boundPoints,
  countHolders,
  countOwnRoles,
  findReplaced,
  firstReplaced,
  insertOwnRole,
  type ListedRole,
  markReplaced,
  moveHolders,
  orgPoints,
  redirectReplaced,
  refuseTakenName,
  rolesOfOrg,
  updateOwnRole,
} from './own-roles.store.ts'
export { deleteRoleRow, insertCustomRole, replacePoints, updateRoleRow } from './access.store.ts'
export {
  copyOrgTemplates,
  coveredRoles,
  coversRole,
  deleteOrgRoles,
  orgRoleName,
  roleHasPoint,
  usersHoldingPoint,
} from './organizations.service.ts'
export {
  copyRolePoints,
  deleteUnboundRoles,
  findOrgRole,
  isReplaced,
  type OrgRole,
  orgRolesOf,
  orgRolesOfMany,
} from './organizations.store.ts'
