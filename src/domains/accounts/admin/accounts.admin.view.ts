import type { AppContext } from '#context'
import * as access from '#domains/access/index.ts'
import type { Locale } from '#lib/localized.ts'

import { isUsable } from '../users/users.rules.ts'
import type { OwnIdentity, UserRow } from '../users/users.store.ts'
import { toUserView } from '../users/users.view.ts'
import { MEMBERSHIPS_SHOWN, type UserAdminView } from './accounts.admin.model.ts'
import * as store from './accounts.admin.store.ts'

/** In a fixed number of queries for any number of users. */
export async function toUserAdminViews(
  ctx: AppContext,
  rows: readonly UserRow[],
  locale: Locale,
): Promise<UserAdminView[]> {
  if (rows.length === 0) return []
  const db = ctx.db.read
  const ids = rows.map((row) => row.id)
  const identities = Map.groupBy(await store.identitiesOfUsers(db, ids), (identity) => identity.userId)
  const rolesOf = await access.personalRoles(db, ids, locale)
  const members = await store.oldestMemberships(db, ids, MEMBERSHIPS_SHOWN)
  const orgIds = [...new Set(members.map((member) => member.orgId))]
  const orgRoles = Map.groupBy(await access.orgRolesOfMany(db, orgIds, ids), (role) => `${role.userId} ${role.orgId}`)
  const counts = new Map((await store.countMemberships(db, ids)).map((row) => [row.userId, row.n]))
  const toMembership = ({ userId, orgId, orgName, ownerId, joinedAt }: store.MembershipRow) => {
    const [role] = orgRoles.get(`${userId} ${orgId}`) ?? []
    const roleName = access.orgRoleName(role, locale)
    return { orgId, orgName, roleId: role?.id ?? null, roleName, isOwner: ownerId === userId, joinedAt }
  }
  const memberships = Map.groupBy(members, (member) => member.userId)
  return rows.map((row) =>
    toUserAdminView(ctx, row, {
      identities: identities.get(row.id) ?? [],
      roles: rolesOf(row.id),
      memberships: (memberships.get(row.id) ?? []).map(toMembership),
      membershipCount: counts.get(row.id) ?? 0,
    }),
  )
}

/** The rows of other tables that the view of a user shows. */
interface AboutUser {
  readonly identities: readonly OwnIdentity[]
  readonly roles: access.PersonalRoles
  readonly memberships: UserAdminView['memberships']
  readonly membershipCount: number
}

const toUserAdminView = (ctx: AppContext, user: UserRow, about: AboutUser): UserAdminView => ({
  ...toUserView(ctx, user, about.identities),
  status: user.status,
  isAdmin: about.roles.platform.length > 0,
  roles: [...about.roles.platform],
  roleName: about.roles.roleName,
  identityTypes: [...new Set(about.identities.filter(isUsable).map((identity) => identity.provider))],
  deviceCount: about.identities.filter((identity) => identity.provider === 'DEVICE').length,
  memberships: about.memberships,
  membershipCount: about.membershipCount,
  lastLoginAt: user.lastLoginAt,
  updatedAt: user.updatedAt,
})
