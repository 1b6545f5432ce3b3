import { and, eq, inArray, lt } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { assetImports, type ImportKind } from '#db/schema/asset-imports.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

export type JobRow = typeof assetImports.$inferSelect

export async function insertJob(
  tx: Tx,
  job: Pick<JobRow, 'id' | 'kind' | 'userId' | 'total' | 'aliveAt'> & { readonly owner: OwnerKey },
): Promise<void> {
  await tx.insert(assetImports).values({ ...job, state: 'QUEUED', createdAt: tx.stamp })
}

export async function findJob(db: Db, userId: number, kind: ImportKind, id: string): Promise<JobRow | undefined> {
  const [row] = await db
    .select()
    .from(assetImports)
    .where(and(eq(assetImports.id, id), eq(assetImports.userId, userId), eq(assetImports.kind, kind)))
  return row
}

export async function startJob(tx: Tx, userId: number, id: string): Promise<void> {
  await tx
    .update(assetImports)
    .set({ state: 'RUNNING' })
    .where(and(eq(assetImports.id, id), eq(assetImports.userId, userId)))
}

export async function endJob(
  tx: Tx,
  userId: number,
  id: string,
  end: { readonly state: 'DONE' | 'FAILED'; readonly processed: number; readonly result: object | null },
): Promise<void> {
  await tx
    .update(assetImports)
    .set(end)
    .where(and(eq(assetImports.id, id), eq(assetImports.userId, userId)))
}

/** Stores that the process is alive, and how far it is. */
export async function reportJob(tx: Tx, userId: number, id: string, report: Pick<JobRow, 'processed' | 'aliveAt'>) {
  await tx
    .update(assetImports)
    .set(report)
    .where(
      and(eq(assetImports.id, id), eq(assetImports.userId, userId), inArray(assetImports.state, ['QUEUED', 'RUNNING'])),
    )
}

/** Marks the jobs that were not reported since `aliveSince` as failed: their write was rolled back when their process ended. */
export async function failAbandoned(tx: Tx, aliveSince: number): Promise<void> {
  await tx
    .update(assetImports)
    .set({ state: 'FAILED' })
    .where(and(inArray(assetImports.state, ['QUEUED', 'RUNNING']), lt(assetImports.aliveAt, aliveSince)))
}

export const deleteJobsBefore = (tx: Tx, createdAt: number, limit: number): Promise<number> =>
  deleteSome(tx, assetImports, lt(assetImports.createdAt, createdAt), limit)

export async function deleteJobsOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(assetImports).where(eq(assetImports.userId, userId))
}
