import { and, eq, or, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { contains } from '#db/contains.ts'
import type { Select } from '#db/list-order.ts'
import { sessions, users } from '#db/schema/accounts.ts'
import type { Elsewhere } from '#db/search.ts'
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
  return {
    table: sessions,
    scope: and(userId === undefined ? undefined : eq(sessions.userId, userId), eq(sessions.status, status)),
    where: within(sessions.createdAt, query),
    elsewhere: keyword ? naming(keyword) : undefined,
    // SQLite would look for the sessions of one user among all of the status, because the index on status has them by id.
    order: userId === undefined ? [sessions.id] : [sessions.createdAt, sessions.id],
    total: userId === undefined && status === 'ACTIVE' ? 'sessions.active' : undefined,
    isReversed: sort !== 'createdAt',
    select: (db) =>
      db
        .select({ session: sessions, username: users.username, nickname: users.nickname })
        .from(sessions)
        // Its user always exists. The outer join leaves out the users where only sessions are counted.
        .leftJoin(users, eq(users.id, sessions.userId))
        .$dynamic() as unknown as Select<SessionWithUser>,
  }
}

const naming = (keyword: string): Elsewhere => {
  const have = (...columns: SQLiteColumn[]): SQL => or(...columns.map((column) => contains(column, keyword)))!
  return {
    tables: [{ key: sessions.userId, id: users.id, where: have(users.username, users.nickname) }],
    where: (found) => or(...found, have(sessions.deviceName, sessions.ipAddress, sessions.city)),
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
