import { and, eq } from 'drizzle-orm'

import { type FileEntity, files } from '#db/schema/files.ts'
import type { Db, Tx } from '#db/store.ts'

/** The files that belong to a thing. */
export async function idsOfEntity(tx: Db | Tx, entityType: FileEntity, entityId: number): Promise<number[]> {
  const rows = await tx
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.entityType, entityType), eq(files.entityId, entityId)))
  return rows.map((row) => row.id)
}

export async function setOrganization(tx: Tx, id: number, orgId: number): Promise<void> {
  await tx.update(files).set({ orgId }).where(eq(files.id, id))
}
