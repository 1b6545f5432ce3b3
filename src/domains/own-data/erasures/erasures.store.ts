import { asc, eq, gt } from 'drizzle-orm'

import { contentErasures } from '#db/schema/exports.ts'
import type { Db, Tx } from '#db/store.ts'

export async function insertErasure(tx: Tx, userId: number): Promise<void> {
  await tx.insert(contentErasures).values({ userId, createdAt: tx.stamp }).onConflictDoNothing()
}

export async function deleteErasure(tx: Tx, userId: number): Promise<void> {
  await tx.delete(contentErasures).where(eq(contentErasures.userId, userId))
}

/** The next user after this one whose content is to be erased. */
export async function nextErasure(db: Db, after: number): Promise<number | undefined> {
  const [row] = await db
    .select({ userId: contentErasures.userId })
    .from(contentErasures)
    .where(gt(contentErasures.userId, after))
    .orderBy(asc(contentErasures.userId))
    .limit(1)
  return row?.userId
}
