import { and, eq, isNull, sql } from 'drizzle-orm'

import { passes, passUses } from '#db/schema/passes.ts'
import type { Tx } from '#db/store.ts'

import { isCounted, newestFirst, type UseRow } from './gates.store.ts'

export async function findUse(tx: Tx, activityId: number, id: number): Promise<UseRow | undefined> {
  const [row] = await tx
    .select()
    .from(passUses)
    .where(and(eq(passUses.id, id), eq(passUses.activityId, activityId)))
  return row
}

/** The last accepted use of the pass on the list and the one before it, without those that were taken back. */
export const latestUses = (tx: Tx, passId: number, listId: number | null): Promise<UseRow[]> =>
  tx
    .select()
    .from(passUses)
    .where(
      and(
        eq(passUses.passId, passId),
        listId === null ? isNull(passUses.listId) : eq(passUses.listId, listId),
        isCounted,
      ),
    )
    .orderBy(...newestFirst)
    .limit(2)

export async function markUndone(
  tx: Tx,
  id: number,
  undone: Pick<UseRow, 'undoneAt' | 'undoneByUserId' | 'undoneByGateId' | 'undoReason'>,
): Promise<UseRow> {
  const [row] = await tx.update(passUses).set(undone).where(eq(passUses.id, id)).returning()
  return row!
}

/** `uses` are taken back, and `last` is the last use that is left. */
export async function restorePass(tx: Tx, id: number, uses: number, last: UseRow | undefined): Promise<void> {
  await tx
    .update(passes)
    .set({
      usedCount: sql`${passes.usedCount} - ${uses}`,
      isInside: last?.direction === 'ENTRY',
      lastUsedAt: last?.usedAt ?? null,
      updatedAt: tx.stamp,
    })
    .where(eq(passes.id, id))
    .returning({ id: passes.id })
}
