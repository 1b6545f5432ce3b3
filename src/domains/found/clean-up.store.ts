import { and, eq } from 'drizzle-orm'

import { foundCleanUps, type FoundKind } from '#db/schema/found.ts'
import type { Db, Tx } from '#db/store.ts'

type CleanUp = typeof foundCleanUps.$inferSelect

/** Leaves the reports of these things to the job. */
export async function insertCleanUps(tx: Tx, kind: FoundKind, ids: readonly number[]): Promise<void> {
  await tx
    .insert(foundCleanUps)
    .values(ids.map((targetId) => ({ kind, targetId })))
    .onConflictDoNothing()
}

export async function deleteCleanUp(tx: Tx, { kind, targetId }: CleanUp): Promise<void> {
  await tx.delete(foundCleanUps).where(and(eq(foundCleanUps.kind, kind), eq(foundCleanUps.targetId, targetId)))
}

export const firstCleanUp = async (db: Db): Promise<CleanUp | undefined> =>
  (await db.select().from(foundCleanUps).limit(1))[0]
