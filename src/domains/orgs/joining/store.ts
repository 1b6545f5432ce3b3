import { and, asc, count, eq } from 'drizzle-orm'

import { type Page, type PageInput, plainPage } from '#db/paging.ts'
import { users } from '#db/schema/accounts.ts'
import { orgJoinRequests } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

/** False when they wait already. */
export async function insertRequest(tx: Tx, orgId: number, userId: number, message: string): Promise<boolean> {
  const rows = await tx
    .insert(orgJoinRequests)
    .values({ orgId, userId, message, createdAt: tx.stamp })
    .onConflictDoNothing({ target: [orgJoinRequests.orgId, orgJoinRequests.userId] })
    .returning({ id: orgJoinRequests.id })
  return rows.length > 0
}

/** False when there is none (any more): of two decisions at once one finds it. */
export async function takeRequest(tx: Tx, orgId: number, userId: number): Promise<boolean> {
  const rows = await tx
    .delete(orgJoinRequests)
    .where(and(eq(orgJoinRequests.orgId, orgId), eq(orgJoinRequests.userId, userId)))
    .returning({ id: orgJoinRequests.id })
  return rows.length > 0
}

export interface RequestRow {
  userId: number
  nickname: string
  avatarUrl: string | null
  message: string
  createdAt: number
}

/** Who waits, the longest first. */
export const requestsPage = (db: Db, orgId: number, query: PageInput): Promise<Page<RequestRow>> =>
  plainPage(
    query,
    (limit, offset) =>
      db
        .select({
          userId: orgJoinRequests.userId,
          nickname: users.nickname,
          avatarUrl: users.avatarUrl,
          message: orgJoinRequests.message,
          createdAt: orgJoinRequests.createdAt,
        })
        .from(orgJoinRequests)
        .innerJoin(users, eq(users.id, orgJoinRequests.userId))
        .where(eq(orgJoinRequests.orgId, orgId))
        .orderBy(asc(orgJoinRequests.id))
        .limit(limit)
        .offset(offset),
    () => db.select({ n: count() }).from(orgJoinRequests).where(eq(orgJoinRequests.orgId, orgId)),
  )

/** What a user calls themselves. */
export async function nicknameOf(db: Db | Tx, userId: number): Promise<string> {
  const [row] = await db.select({ nickname: users.nickname }).from(users).where(eq(users.id, userId))
  return row?.nickname ?? ''
}
