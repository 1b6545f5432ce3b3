import { and, asc, desc, eq, gt, inArray, isNotNull, lt, lte, or, type SQL } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { dataExports } from '#db/schema/exports.ts'
import type { Db, Tx } from '#db/store.ts'

import { AT_ONCE, LEASE_MS } from './exports.model.ts'

export type ExportRow = typeof dataExports.$inferSelect
export type NewExport = Pick<ExportRow, 'id' | 'userId' | 'createdBy' | 'withFiles' | 'language'>

/** Undefined if one of the same user by the same creator has not ended. */
export async function insertExport(tx: Tx, values: NewExport): Promise<ExportRow | undefined> {
  const [row] = await tx
    .insert(dataExports)
    .values({ ...values, state: 'QUEUED', createdAt: tx.stamp })
    .onConflictDoNothing()
    .returning()
  return row
}

const ofCreator = (userId: number, createdBy: number): SQL =>
  and(eq(dataExports.userId, userId), eq(dataExports.createdBy, createdBy))!

/** The newest that `createdBy` has asked for about the user. */
export async function latestExport(db: Db | Tx, userId: number, createdBy: number): Promise<ExportRow | undefined> {
  const [row] = await db
    .select()
    .from(dataExports)
    .where(ofCreator(userId, createdBy))
    .orderBy(desc(dataExports.createdAt))
    .limit(1)
  return row
}

/** The time of the newest one after `since` that did not fail. */
export async function lastStart(
  db: Db | Tx,
  userId: number,
  createdBy: number,
  since: number,
): Promise<number | undefined> {
  const [row] = await db
    .select({ createdAt: dataExports.createdAt })
    .from(dataExports)
    .where(
      and(
        ofCreator(userId, createdBy),
        gt(dataExports.createdAt, since),
        inArray(dataExports.state, ['QUEUED', 'RUNNING', 'READY', 'EXPIRED']),
      ),
    )
    .orderBy(desc(dataExports.createdAt))
    .limit(1)
  return row?.createdAt
}

/** An export that this user has asked for. */
export async function findExport(db: Db | Tx, createdBy: number, id: string): Promise<ExportRow | undefined> {
  const [row] = await db
    .select()
    .from(dataExports)
    .where(and(eq(dataExports.id, id), eq(dataExports.createdBy, createdBy)))
  return row
}

/** Frees the places of processes that have died; `all` also those of processes that may live. */
export async function freeAbandoned(tx: Tx, now: number, all = false): Promise<void> {
  await tx
    .update(dataExports)
    .set({ state: 'QUEUED', slot: null, lease: '', progress: 0 })
    .where(and(isNotNull(dataExports.slot), all ? undefined : lte(dataExports.leaseUntil, now)))
}

/**
 * Takes the oldest waiting export, if one of the places is free; undefined otherwise. Of two processes that take a place at once, the unique index lets one
 * have it.
 */
export async function claimExport(tx: Tx, lease: string, now: number): Promise<ExportRow | undefined> {
  const taken = await tx.select({ slot: dataExports.slot }).from(dataExports).where(isNotNull(dataExports.slot))
  const slot = Array.from({ length: AT_ONCE }, (_, i) => i + 1).find((n) => !taken.some((row) => row.slot === n))
  if (slot === undefined) return undefined
  const [next] = await tx
    .select({ id: dataExports.id, attempts: dataExports.attempts })
    .from(dataExports)
    .where(eq(dataExports.state, 'QUEUED'))
    .orderBy(asc(dataExports.createdAt))
    .limit(1)
  if (next === undefined) return undefined
  const [row] = await tx
    .update(dataExports)
    .set({ state: 'RUNNING', slot, lease, leaseUntil: now + LEASE_MS, attempts: next.attempts + 1, progress: 0 })
    .where(and(eq(dataExports.id, next.id), eq(dataExports.state, 'QUEUED')))
    .returning()
  return row
}

/** False if the export was deleted, or another process has it. */
export async function updateRunning(
  tx: Tx,
  { id, lease }: Pick<ExportRow, 'id' | 'lease'>,
  values: Partial<Pick<ExportRow, 'state' | 'slot' | 'leaseUntil' | 'progress' | 'bytes' | 'blobId' | 'expiresAt'>>,
): Promise<boolean> {
  const changed = await tx
    .update(dataExports)
    .set(values)
    .where(and(eq(dataExports.id, id), eq(dataExports.lease, lease), eq(dataExports.state, 'RUNNING')))
    .returning({ id: dataExports.id })
  return changed.length > 0
}

/** Takes the files away from those that have expired. Returns the blobs. */
export async function expireExports(tx: Tx, now: number, limit: number): Promise<number[]> {
  const rows = await tx
    .select({ id: dataExports.id, blobId: dataExports.blobId })
    .from(dataExports)
    .where(and(lte(dataExports.expiresAt, now), eq(dataExports.state, 'READY')))
    .orderBy(asc(dataExports.id))
    .limit(limit)
  const expired: number[] = []
  for (const { id, blobId } of rows) {
    const changed = await tx
      .update(dataExports)
      .set({ state: 'EXPIRED', blobId: null })
      .where(and(eq(dataExports.id, id), eq(dataExports.state, 'READY')))
      .returning({ id: dataExports.id })
    if (changed.length > 0 && blobId !== null) expired.push(blobId)
  }
  return expired
}

export async function deleteOldExports(tx: Tx, before: number): Promise<void> {
  await tx
    .delete(dataExports)
    .where(and(inArray(dataExports.state, ['EXPIRED', 'FAILED']), lt(dataExports.createdAt, before)))
}

/** Deletes all about the user, or that the user has asked for. Returns their blobs. */
export async function deleteExportsOf(tx: Tx, userId: number): Promise<number[]> {
  const rows = await tx
    .delete(dataExports)
    .where(or(eq(dataExports.userId, userId), eq(dataExports.createdBy, userId)))
    .returning({ blobId: dataExports.blobId })
  return rows.flatMap(({ blobId }) => blobId ?? [])
}

export interface Subject {
  readonly status: 'ACTIVE' | 'DISABLED' | 'DELETED'
  readonly username: string | null
  readonly nickname: string
}

export async function findSubject(db: Db | Tx, userId: number): Promise<Subject | undefined> {
  const [row] = await db
    .select({ status: users.status, username: users.username, nickname: users.nickname })
    .from(users)
    .where(eq(users.id, userId))
  return row
}
