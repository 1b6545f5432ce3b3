import { and, eq, lt } from 'drizzle-orm'

import { chatCursors as cursors } from '#db/schema/chat.ts'
import type { Tx } from '#db/store.ts'

export interface Cursor {
  readonly userId: number
  readonly deviceKey: string
  readonly cursor: number
}

/** A cursor never goes back: an older one may come from another socket of the device. */
export async function saveCursor(tx: Tx, row: Cursor, now: number): Promise<void> {
  await tx
    .insert(cursors)
    .values({ ...row, updatedAt: now })
    .onConflictDoUpdate({
      target: [cursors.userId, cursors.deviceKey],
      set: { cursor: row.cursor, updatedAt: now },
      setWhere: lt(cursors.cursor, row.cursor),
    })
}

export async function deleteCursorsOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(cursors).where(eq(cursors.userId, userId))
}

/** Deletes at most `limit` cursors that have not moved since `before`. Returns how many it deleted. */
export async function deleteOldCursors(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await tx
    .select({ userId: cursors.userId, deviceKey: cursors.deviceKey })
    .from(cursors)
    .where(lt(cursors.updatedAt, before))
    .limit(limit)
  for (const { userId, deviceKey } of rows)
    await tx.delete(cursors).where(and(eq(cursors.userId, userId), eq(cursors.deviceKey, deviceKey)))
  return rows.length
}
