import { and, eq, gt, lt, lte, sql } from 'drizzle-orm'

import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { resetCodes } from '#db/schema/accounts.ts'
import { deleteSome } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'

import { CODE_TRIES } from '../accounts.model.ts'

export type ResetCodeRow = typeof resetCodes.$inferSelect
type NewResetCode = Omit<ResetCodeRow, 'tries' | 'createdAt'>

const newCode = jsonRows('given', {
  userId: 'int',
  kind: 'text',
  hash: 'text',
  createdBy: 'int',
  isForeign: 'bool',
  expiresAt: 'int',
  createdAt: 'int',
})
const insertCodes = prepared((db) =>
  insertFrom(db, resetCodes, {
    rows: newCode.rows,
    userId: newCode.userId,
    kind: newCode.kind,
    hash: newCode.hash,
    createdBy: newCode.createdBy,
    isForeign: newCode.isForeign,
    expiresAt: newCode.expiresAt,
    createdAt: newCode.createdAt,
  }).onConflictDoUpdate({
    target: resetCodes.userId,
    set: {
      kind: sql`excluded.kind`,
      hash: sql`excluded.hash`,
      tries: 0,
      createdBy: sql`excluded.created_by`,
      isForeign: sql`excluded.is_foreign`,
      expiresAt: sql`excluded.expires_at`,
      createdAt: sql`excluded.created_at`,
    },
  }),
)

/** Each replaces the code that its user had before. At most some hundred. */
export async function saveResetCodes(tx: Tx, codes: readonly NewResetCode[]): Promise<void> {
  if (codes.length > 0) await insertCodes(tx, newCode.values(codes.map((code) => ({ ...code, createdAt: tx.stamp }))))
}

/** Counts one more try. Undefined if the user has no code, it has expired, or it was tried too often. */
export async function countResetTry(tx: Tx, userId: number, now: number): Promise<ResetCodeRow | undefined> {
  const rows = await tx
    .update(resetCodes)
    .set({ tries: sql`${resetCodes.tries} + 1` })
    .where(and(eq(resetCodes.userId, userId), lt(resetCodes.tries, CODE_TRIES), gt(resetCodes.expiresAt, now)))
    .returning()
  return rows[0]
}

/** Takes back the try of a right code, whose new password was refused. */
export async function undoResetTry(tx: Tx, { userId, hash }: ResetCodeRow): Promise<void> {
  await tx
    .update(resetCodes)
    .set({ tries: sql`${resetCodes.tries} - 1` })
    .where(and(eq(resetCodes.userId, userId), eq(resetCodes.hash, hash), gt(resetCodes.tries, 0)))
}

/** Deletes the code. True for exactly one of several callers. */
export async function takeResetCode(tx: Tx, { userId, hash }: ResetCodeRow): Promise<boolean> {
  const rows = await tx
    .delete(resetCodes)
    .where(and(eq(resetCodes.userId, userId), eq(resetCodes.hash, hash)))
    .returning({ userId: resetCodes.userId })
  return rows.length > 0
}

/** Returns the code that the user had. */
export async function deleteResetCode(tx: Tx, userId: number): Promise<ResetCodeRow | undefined> {
  const rows = await tx.delete(resetCodes).where(eq(resetCodes.userId, userId)).returning()
  return rows[0]
}

/** Deletes at most `limit`. Returns how many it deleted. */
export const deleteExpiredResetCodes = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, resetCodes, lte(resetCodes.expiresAt, now), limit)
