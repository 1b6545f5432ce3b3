import { and, eq, gt, lte } from 'drizzle-orm'

import { userImportSheets as sheets } from '#db/schema/user-imports.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

export async function insertSheet(
  tx: Tx,
  sheet: { readonly userId: number; readonly contents: string; readonly expiresAt: number },
): Promise<number> {
  const rows = await tx
    .insert(sheets)
    .values({ ...sheet, createdAt: tx.stamp })
    .returning({ id: sheets.id })
  return rows[0]!.id
}

interface WhichFile {
  readonly id: number
  readonly userId: number
  readonly format: 'xlsx' | 'pdf'
  /** Epoch milliseconds. */
  readonly now: number
}

const isThere = ({ id, userId, format, now }: WhichFile) =>
  and(
    eq(sheets.id, id),
    eq(sheets.userId, userId),
    eq(format === 'xlsx' ? sheets.hasXlsx : sheets.hasPdf, true),
    gt(sheets.expiresAt, now),
  )

/** The sealed contents, if the file was not taken away. */
export async function findFile(db: Db, which: WhichFile): Promise<string | undefined> {
  const [row] = await db.select({ contents: sheets.contents }).from(sheets).where(isThere(which))
  return row?.contents
}

/** Takes one of the files away, and the contents with the second one. True for exactly one of several callers. */
export async function takeFile(tx: Tx, which: WhichFile): Promise<boolean> {
  const [row] = await tx
    .update(sheets)
    .set(which.format === 'xlsx' ? { hasXlsx: false } : { hasPdf: false })
    .where(isThere(which))
    .returning({ hasXlsx: sheets.hasXlsx, hasPdf: sheets.hasPdf })
  if (row !== undefined && !row.hasXlsx && !row.hasPdf) await tx.delete(sheets).where(eq(sheets.id, which.id))
  return row !== undefined
}

/** Deletes at most `limit`. Returns how many it deleted. */
export const deleteExpiredSheets = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, sheets, lte(sheets.expiresAt, now), limit)

export async function deleteSheetsOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(sheets).where(eq(sheets.userId, userId))
}
