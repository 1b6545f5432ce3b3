import { and, asc, desc, eq, gt, lt, max, or, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { syncAccess as access, type SyncScope } from '#db/schema/sync.ts'
import type { Db, Tx } from '#db/store.ts'

import type { AccessRow } from './scopes.rules.ts'

const p = sql.placeholder

const fields = {
  orgId: access.orgId,
  scope: access.scope,
  stamp: access.stamp,
  isClosed: access.isClosed,
  after: access.after,
  until: access.until,
  isLast: access.isLast,
  showsValues: access.showsValues,
}

/**
 * Chunks that a client has passed are of no use to it, and a large organization has hundreds of them. The newest row of each scope says
 * where its own stamps begin.
 */
const ofUser = prepared((db) => {
  const isUsers = eq(access.userId, p('userId'))
  const newestOfEach = db
    .select({ orgId: access.orgId, scope: access.scope, stamp: max(access.stamp) })
    .from(access)
    .where(isUsers)
    .groupBy(access.orgId, access.scope)
  const isNewest = sql`(${access.orgId}, ${access.scope}, ${access.stamp}) in ${newestOfEach}`
  return db
    .select(fields)
    .from(access)
    .where(and(isUsers, or(gt(access.stamp, p('since')), and(eq(access.isClosed, false), isNewest))))
    .orderBy(asc(access.orgId), asc(access.scope), asc(access.stamp))
})

/** In the order of organizations, scopes and stamps. Closed scopes only if they were closed after `since`. */
export const accessRows = (db: Db, userId: number, since: number): Promise<AccessRow[]> => ofUser(db, { userId, since })

/** Of the rows that are not closed. */
const newest = prepared((db) =>
  db
    .select({ stamp: access.stamp })
    .from(access)
    .where(
      and(
        eq(access.userId, p('userId')),
        eq(access.orgId, p('orgId')),
        eq(access.scope, p('scope')),
        eq(access.isClosed, false),
      ),
    )
    .orderBy(desc(access.stamp))
    .limit(1),
)

export const newestStamp = async (
  tx: Tx,
  scope: { userId: number; orgId: number; scope: SyncScope },
): Promise<number | undefined> => (await newest(tx, { ...scope }))[0]?.stamp

export async function hasAccessRows(tx: Tx, userId: number): Promise<boolean> {
  const rows = await tx.select({ orgId: access.orgId }).from(access).where(eq(access.userId, userId)).limit(1)
  return rows.length > 0
}

/** Rows of one statement, so that it stays below the number of parameters that SQLite accepts. */
const ROWS_PER_STATEMENT = 500

export async function insertAccess(tx: Tx, userId: number, rows: readonly AccessRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    await tx.insert(access).values(rows.slice(at, at + ROWS_PER_STATEMENT).map((row) => ({ userId, ...row })))
}

export async function deleteAccess(tx: Tx, userId: number, orgId: number, scope: SyncScope): Promise<void> {
  await tx.delete(access).where(and(eq(access.userId, userId), eq(access.orgId, orgId), eq(access.scope, scope)))
}

/** Scopes that the user lost before this time. */
export async function deleteClosed(tx: Tx, userId: number, before: number): Promise<void> {
  await tx.delete(access).where(and(eq(access.userId, userId), eq(access.isClosed, true), lt(access.stamp, before)))
}
