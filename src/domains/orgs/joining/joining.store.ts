import { and, asc, count, desc, eq, inArray } from 'drizzle-orm'

import { note } from '#db/notes.ts'
import { orgExists } from '#db/org-exists.ts'
import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { users } from '#db/schema/accounts.ts'
import { organizations, orgJoinRequests } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

/** False if the user already has a request to this organization. */
export async function insertRequest(tx: Tx, orgId: number, userId: number, message: string): Promise<boolean> {
  const rows = await tx
    .insert(orgJoinRequests)
    .values({ orgId, userId, message, createdAt: tx.stamp })
    .onConflictDoNothing({ target: [orgJoinRequests.orgId, orgJoinRequests.userId] })
    .returning({ id: orgJoinRequests.id })
  for (const { id } of rows) note(tx, { type: 'join_request.created', owner: orgId, id })
  return rows.length > 0
}

/** False if there is no such request. Of several simultaneous decisions and withdrawals, only one deletes it. */
export async function deleteRequest(tx: Tx, orgId: number, userId: number): Promise<boolean> {
  const rows = await tx
    .delete(orgJoinRequests)
    .where(and(eq(orgJoinRequests.orgId, orgId), eq(orgJoinRequests.userId, userId), orgExists(orgJoinRequests.orgId)))
    .returning({ id: orgJoinRequests.id })
  return rows.length > 0
}

interface RequestRow {
  userId: number
  nickname: string
  avatar: string | null
  message: string
  createdAt: number
}

export const requestsByIds = (tx: Tx, ids: readonly number[]) =>
  tx
    .select({
      id: orgJoinRequests.id,
      userId: orgJoinRequests.userId,
      nickname: users.nickname,
      avatar: users.avatar,
      message: orgJoinRequests.message,
      createdAt: orgJoinRequests.createdAt,
    })
    .from(orgJoinRequests)
    .innerJoin(users, eq(users.id, orgJoinRequests.userId))
    .where(inArray(orgJoinRequests.id, [...ids]))

/** The join requests of an organization, the oldest first. */
export const requestsPage = (db: Db, orgId: number, page: PageInput): Promise<Page<RequestRow>> =>
  pageOfQuery(
    page,
    db
      .select({
        userId: orgJoinRequests.userId,
        nickname: users.nickname,
        avatar: users.avatar,
        message: orgJoinRequests.message,
        createdAt: orgJoinRequests.createdAt,
      })
      .from(orgJoinRequests)
      .innerJoin(users, eq(users.id, orgJoinRequests.userId))
      .where(eq(orgJoinRequests.orgId, orgId))
      .orderBy(asc(orgJoinRequests.id)),
    db.select({ n: count() }).from(orgJoinRequests).where(eq(orgJoinRequests.orgId, orgId)),
  )

interface RequestOfUser {
  orgId: number
  orgName: string
  orgAvatar: string | null
  message: string
  createdAt: number
}

/** The join requests of a user, the newest first. */
export function requestsOfUser(db: Db, userId: number, page: PageInput): Promise<Page<RequestOfUser>> {
  const where = and(eq(orgJoinRequests.userId, userId), orgExists(orgJoinRequests.orgId))
  return pageOfQuery(
    page,
    db
      .select({
        orgId: orgJoinRequests.orgId,
        orgName: organizations.name,
        orgAvatar: organizations.avatar,
        message: orgJoinRequests.message,
        createdAt: orgJoinRequests.createdAt,
      })
      .from(orgJoinRequests)
      .innerJoin(organizations, eq(organizations.id, orgJoinRequests.orgId))
      .where(where)
      .orderBy(desc(orgJoinRequests.id)),
    db.select({ n: count() }).from(orgJoinRequests).where(where),
  )
}
