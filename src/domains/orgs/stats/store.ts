import { and, asc, count, eq, gt } from 'drizzle-orm'

import { roles, userRoles } from '#db/schema/access.ts'
import { orgInvitations, orgJoinRequests } from '#db/schema/orgs.ts'
import type { Db } from '#db/store.ts'

/** How many hold each role of an organization, roles that nobody holds included. */
export const countByRole = (db: Db, orgId: number) =>
  db
    .select({ roleId: roles.id, roleCode: roles.code, roleName: roles.name, memberCount: count(userRoles.userId) })
    .from(roles)
    .leftJoin(userRoles, eq(userRoles.roleId, roles.id))
    .where(and(eq(roles.domain, 'ORG'), eq(roles.scopeId, orgId)))
    .groupBy(roles.id, roles.code, roles.name)
    .orderBy(asc(roles.id))

export async function countRequests(db: Db, orgId: number): Promise<number> {
  const [row] = await db.select({ n: count() }).from(orgJoinRequests).where(eq(orgJoinRequests.orgId, orgId))
  return row!.n
}

/** Those that can still be answered at `now`, epoch milliseconds. */
export async function countInvitations(db: Db, orgId: number, now: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(orgInvitations)
    .where(
      and(eq(orgInvitations.orgId, orgId), eq(orgInvitations.status, 'PENDING'), gt(orgInvitations.expiresAt, now)),
    )
  return row!.n
}
