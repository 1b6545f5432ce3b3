import { and, eq, lt, lte, type SQL, sql } from 'drizzle-orm'

import { descending } from '#db/dialect.ts'
import { type Page, pageOfQuery } from '#db/paging.ts'
import { syncConflicts as conflicts, syncDevices as devices, syncReceipts as receipts } from '#db/schema/sync.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

import { type ConflictsQuery, MAX_OPEN, MAX_RESOLVED } from './conflicts.model.ts'

export type ConflictRow = typeof conflicts.$inferSelect

const ofUser = (userId: number, ...more: (SQL | undefined)[]) => and(eq(conflicts.userId, userId), ...more)

/** Undefined if the user has too many open conflicts. */
export async function insertConflict(
  tx: Tx,
  values: Omit<ConflictRow, 'id' | 'status' | 'acceptServer' | 'resolvedAt'>,
): Promise<number | undefined> {
  const last = await tx
    .select({ id: conflicts.id })
    .from(conflicts)
    .where(ofUser(values.userId, eq(conflicts.status, 'OPEN')))
    .limit(1)
    .offset(MAX_OPEN - 1)
  if (last.length > 0) return undefined
  const [row] = await tx.insert(conflicts).values(values).returning({ id: conflicts.id })
  return row!.id
}

export type ListedConflict = ConflictRow & { readonly deviceKey: string }

/** Newest first. */
export async function conflictsPage(db: Db, userId: number, query: ConflictsQuery): Promise<Page<ListedConflict>> {
  const where = ofUser(
    userId,
    query.status === 'ALL' ? undefined : eq(conflicts.status, query.status),
    query.entity && eq(conflicts.entity, query.entity),
  )
  const page = await pageOfQuery(
    query,
    db
      .select({ conflict: conflicts, deviceKey: devices.deviceKey })
      .from(conflicts)
      .innerJoin(devices, eq(devices.id, conflicts.device))
      .where(where)
      .orderBy(descending(conflicts.id)),
    db
      .select({ n: sql<number>`count(*)`.mapWith(Number) })
      .from(conflicts)
      .where(where),
  )
  return { ...page, items: page.items.map(({ conflict, deviceKey }) => ({ ...conflict, deviceKey })) }
}

export async function findConflict(db: Db | Tx, userId: number, id: number): Promise<ConflictRow | undefined> {
  const [row] = await db
    .select()
    .from(conflicts)
    .where(ofUser(userId, eq(conflicts.id, id)))
  return row
}

/** False if it is resolved already. Deletes the oldest resolved conflicts of the user if there are too many. */
export async function resolve(
  tx: Tx,
  userId: number,
  id: number,
  answer: { readonly acceptServer: boolean; readonly resolvedAt: number },
): Promise<boolean> {
  const resolved = await tx
    .update(conflicts)
    .set({ ...answer, status: 'RESOLVED' })
    .where(ofUser(userId, eq(conflicts.id, id), eq(conflicts.status, 'OPEN')))
    .returning({ id: conflicts.id })
  if (resolved.length === 0) return false
  const isResolved = ofUser(userId, eq(conflicts.status, 'RESOLVED'))
  const [oldest] = await tx
    .select({ id: conflicts.id })
    .from(conflicts)
    .where(isResolved)
    .orderBy(descending(conflicts.id))
    .limit(1)
    .offset(MAX_RESOLVED)
  if (oldest !== undefined) await tx.delete(conflicts).where(and(isResolved, lte(conflicts.id, oldest.id)))
  return true
}

/** Rows that one write of the job deletes: some milliseconds on SQLite. */
/** Deletes at most `limit` of the results of pushes that are older than `before`. Returns how many it deleted. */
export const deleteOldReceipts = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, receipts, lt(receipts.createdAt, before), limit)

/** The same for conflicts. */
export const deleteOldConflicts = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, conflicts, lt(conflicts.createdAt, before), limit)
