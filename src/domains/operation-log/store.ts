import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { type Page, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { adminLogs } from '#db/schema/operation-log.ts'
import type { Db, Tx } from '#db/store.ts'

import type { LogQuery } from './model.ts'

export type LogRow = typeof adminLogs.$inferSelect

const newest = prepared((db) =>
  db.select({ hash: adminLogs.hash }).from(adminLogs).orderBy(desc(adminLogs.id)).limit(1),
)

/** The hash of the newest row; undefined if there are no rows. Of two concurrent writes, PostgreSQL runs one again. */
export const newestHash = async (tx: Tx): Promise<string | undefined> => (await newest(tx))[0]?.hash

const namesByUser = prepared((db) =>
  db
    .select({ username: users.username, nickname: users.nickname })
    .from(users)
    .where(eq(users.id, sql.placeholder('userId'))),
)

/** The username, or else the nickname. */
export async function nameOf(tx: Tx, userId: number): Promise<string> {
  const user = (await namesByUser(tx, { userId }))[0]
  return user?.username ?? user?.nickname ?? ''
}

/** Returns the id of the new row. */
export async function insertLog(tx: Tx, row: Omit<LogRow, 'id'>): Promise<number> {
  return (await tx.insert(adminLogs).values(row).returning({ id: adminLogs.id }))[0]!.id
}

/** Newest first. */
export function logsPage(db: Db, query: LogQuery): Promise<Page<LogRow>> {
  const { action, actorId, targetType, targetId, from, to, keyword } = query
  const where = and(
    action === undefined ? undefined : eq(adminLogs.action, action),
    actorId === undefined ? undefined : eq(adminLogs.actorId, actorId),
    targetType === undefined ? undefined : eq(adminLogs.targetType, targetType),
    targetId === undefined ? undefined : eq(adminLogs.targetId, targetId),
    from === undefined ? undefined : gte(adminLogs.createdAt, from),
    to === undefined ? undefined : lt(adminLogs.createdAt, to),
    keyword ? contains(adminLogs.targetName, keyword) : undefined,
  )
  return pageOf(db, adminLogs, { where, orderBy: [desc(adminLogs.id)], page: query })
}
