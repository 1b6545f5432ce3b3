import { and, count, desc, eq } from 'drizzle-orm'

import { orgExists } from '#db/org-exists.ts'
import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { users, type UserStatus } from '#db/schema/accounts.ts'
import { organizations, orgMembers } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

export interface UserRow {
  readonly id: number
  /** The username, or else the nickname. */
  readonly name: string
  readonly status: UserStatus
}

export async function findUser(db: Db | Tx, id: number): Promise<UserRow | undefined> {
  const [row] = await db
    .select({ username: users.username, nickname: users.nickname, status: users.status })
    .from(users)
    .where(eq(users.id, id))
  return row && { id, name: row.username ?? row.nickname, status: row.status }
}

interface MembershipRow {
  readonly orgId: number
  readonly orgName: string
  readonly ownerId: number
  readonly joinedAt: number
}

/** The memberships of a user, the latest joined first. */
export function membershipsPage(db: Db, userId: number, page: PageInput): Promise<Page<MembershipRow>> {
  const where = and(eq(orgMembers.userId, userId), orgExists(orgMembers.orgId))
  return pageOfQuery(
    page,
    db
      .select({
        orgId: orgMembers.orgId,
        orgName: organizations.name,
        ownerId: organizations.ownerId,
        joinedAt: orgMembers.joinedAt,
      })
      .from(orgMembers)
      .innerJoin(organizations, eq(organizations.id, orgMembers.orgId))
      .where(where)
      .orderBy(desc(orgMembers.joinedAt), desc(orgMembers.orgId)),
    db.select({ n: count() }).from(orgMembers).where(where),
  )
}
