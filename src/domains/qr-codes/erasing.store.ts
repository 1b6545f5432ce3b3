/** Content of deleted users: their own codes, with those in the trash, scan records and folders. */

import { and, eq, inArray } from 'drizzle-orm'

import { categories, qrCodes } from '#db/schema/qr-codes.ts'
import type { Tx } from '#db/store.ts'
import { recordDeleted } from '#db/tombstones.ts'

/** The ids of at most `limit` of the user's own codes, in the trash or not. */
export async function personalCodes(tx: Tx, userId: number, limit: number): Promise<number[]> {
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(eq(qrCodes.userId, userId), eq(qrCodes.orgId, 0).inlineParams()))
    .limit(limit)
  return rows.map((row) => row.id)
}

/** Deletes at most `limit` folders. Returns their number. */
export async function deleteCategories(tx: Tx, userId: number, limit: number): Promise<number> {
  const { id, version } = categories
  const some = await tx.select({ id }).from(categories).where(eq(categories.userId, userId)).limit(limit)
  if (some.length === 0) return 0
  const ids = some.map((row) => row.id)
  const rows = await tx.delete(categories).where(inArray(id, ids)).returning({ id, version })
  const tombstones = rows.map((row) => ({ owner: -userId, id: row.id, version: row.version + 1 }))
  await recordDeleted(tx, 'category', tombstones)
  return rows.length
}
