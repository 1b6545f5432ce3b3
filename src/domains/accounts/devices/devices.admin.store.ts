import { and, eq, or } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { sessions, users } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'
import { type AdminList, within } from '#domains/admin/index.ts'

import type { SessionRow } from '../sessions/sessions.store.ts'
import type { AdminSessionsQuery } from './devices.admin.model.ts'

export interface SessionWithUser {
  readonly session: SessionRow
  readonly username: string | null
  readonly nickname: string
}

/** The sessions of all users. Those of one user are few; otherwise an index answers the status. */
export function allSessions(query: AdminSessionsQuery): AdminList<SessionWithUser> {
  const { userId, status, keyword, sort } = query
  const columns = [sessions.deviceName, sessions.ipAddress, sessions.city, users.username, users.nickname]
  return {
    table: sessions,
    scope: and(userId === undefined ? undefined : eq(sessions.userId, userId), eq(sessions.status, status)),
    where: and(
      within(sessions.createdAt, query),
      keyword ? or(...columns.map((column) => contains(column, keyword))) : undefined,
    ),
    // SQLite would look for the sessions of one user among all of the status, because the index on status has them by id.
    order: userId === undefined ? [sessions.id] : [sessions.createdAt, sessions.id],
    total: userId === undefined && status === 'ACTIVE' ? 'sessions.active' : undefined,
    isReversed: sort !== 'createdAt',
    select: (db) =>
      db
        .select({ session: sessions, username: users.username, nickname: users.nickname })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .$dynamic(),
  }
}

/** Undefined if there is no such session or it has ended. */
export async function findActive(tx: Tx, id: number): Promise<SessionWithUser | undefined> {
  const [row] = await tx
    .select({ session: sessions, username: users.username, nickname: users.nickname })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.id, id), eq(sessions.status, 'ACTIVE')))
  return row
}
