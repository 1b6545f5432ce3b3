import { and, count, eq, gt, isNull, lt, min } from 'drizzle-orm'

import { type CheckVisit, reachChecks } from '#db/schema/reach.ts'
import type { Db, Tx } from '#db/store.ts'

export type CheckRow = typeof reachChecks.$inferSelect

/** Checks that wait, and when the first of them expires. */
export async function openChecks(tx: Tx, now: number): Promise<{ readonly n: number; readonly first: number | null }> {
  const [row] = await tx
    .select({ n: count(), first: min(reachChecks.expiresAt) })
    .from(reachChecks)
    .where(and(isNull(reachChecks.visit), gt(reachChecks.expiresAt, now)))
  return row!
}

export async function insertCheck(tx: Tx, check: Pick<CheckRow, 'tokenHash' | 'url' | 'expiresAt'>): Promise<CheckRow> {
  const [row] = await tx.insert(reachChecks).values(check).returning()
  return row!
}

export async function deleteChecks(tx: Tx, expiredBefore: number): Promise<void> {
  await tx.delete(reachChecks).where(lt(reachChecks.expiresAt, expiredBefore)).returning({ id: reachChecks.id })
}

export const findCheck = async (db: Db, id: number): Promise<CheckRow | undefined> =>
  (await db.select().from(reachChecks).where(eq(reachChecks.id, id)))[0]

export const findByToken = async (db: Db, tokenHash: string): Promise<CheckRow | undefined> =>
  (await db.select().from(reachChecks).where(eq(reachChecks.tokenHash, tokenHash)))[0]

/** Of several devices, the first one. Returns whether it was this one. */
export async function claimCheck(tx: Tx, id: number, visit: CheckVisit, visitorHash: string): Promise<boolean> {
  const rows = await tx
    .update(reachChecks)
    .set({ visit, visitorHash })
    .where(and(eq(reachChecks.id, id), isNull(reachChecks.visit)))
    .returning({ id: reachChecks.id })
  return rows.length > 0
}

export async function updateVisit(tx: Tx, id: number, visit: CheckVisit): Promise<void> {
  await tx.update(reachChecks).set({ visit }).where(eq(reachChecks.id, id)).returning({ id: reachChecks.id })
}
