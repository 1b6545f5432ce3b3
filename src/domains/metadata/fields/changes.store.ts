import { eq } from 'drizzle-orm'

import { metaFieldChanges } from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'

export type FieldChange = typeof metaFieldChanges.$inferSelect

/** Begins with the first value, also if an earlier change of the field has not reached all of them. */
export async function insertChange(tx: Tx, fieldId: number, objectName: string): Promise<FieldChange> {
  const start = { afterOwner: null, afterNumber: null, afterEntityId: null }
  const [row] = await tx
    .insert(metaFieldChanges)
    .values({ fieldId, objectName, ...start })
    .onConflictDoUpdate({ target: metaFieldChanges.fieldId, set: start })
    .returning()
  return row!
}

export async function advanceChange(
  tx: Tx,
  fieldId: number,
  to: Pick<FieldChange, 'afterOwner' | 'afterNumber' | 'afterEntityId'>,
): Promise<void> {
  await tx.update(metaFieldChanges).set(to).where(eq(metaFieldChanges.fieldId, fieldId))
}

export async function deleteChange(tx: Tx, fieldId: number): Promise<void> {
  await tx.delete(metaFieldChanges).where(eq(metaFieldChanges.fieldId, fieldId))
}

export const firstChange = async (db: Db | Tx): Promise<FieldChange | undefined> =>
  (await db.select().from(metaFieldChanges).limit(1))[0]
