import { and, eq, gt, inArray, lt, lte, or, sql } from 'drizzle-orm'

import { type CodePurpose, verificationCodes } from '#db/schema/accounts.ts'
import { deleteSome } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'

import { CODE_TRIES } from '../accounts.model.ts'

/** Identifies a code: there is at most one of each key. */
export interface CodeKey {
  readonly purpose: CodePurpose
  readonly credential: string
  readonly userId: number
}

const matching = ({ purpose, credential, userId }: CodeKey) =>
  and(
    eq(verificationCodes.credential, credential),
    eq(verificationCodes.purpose, purpose),
    eq(verificationCodes.userId, userId),
  )

/** Replaces the previous code of the key. */
export async function saveCode(tx: Tx, key: CodeKey, hash: string, expiresAt: number): Promise<void> {
  const row = { hash, tries: 0, expiresAt }
  const { credential, purpose, userId } = verificationCodes
  await tx
    .insert(verificationCodes)
    .values({ purpose: key.purpose, credential: key.credential, userId: key.userId, ...row })
    .onConflictDoUpdate({ target: [credential, purpose, userId], set: row })
}

/** Counts one more try. Undefined if there is no such code, it has expired, or it was tried too often. */
export async function countCodeTry(
  tx: Tx,
  key: CodeKey,
  now: number,
): Promise<{ id: number; hash: string } | undefined> {
  const rows = await tx
    .update(verificationCodes)
    .set({ tries: sql`${verificationCodes.tries} + 1` })
    .where(and(matching(key), lt(verificationCodes.tries, CODE_TRIES), gt(verificationCodes.expiresAt, now)))
    .returning({ id: verificationCodes.id, hash: verificationCodes.hash })
  return rows[0]
}

/** Deletes the code. True for exactly one of several callers. */
export async function takeCode(tx: Tx, { id, hash }: { id: number; hash: string }): Promise<boolean> {
  const rows = await tx
    .delete(verificationCodes)
    .where(and(eq(verificationCodes.id, id), eq(verificationCodes.hash, hash)))
    .returning({ id: verificationCodes.id })
  return rows.length > 0
}

/** Deletes codes that the user requested or that were sent to one of the credentials. */
export async function deleteCodes(tx: Tx, userId: number, credentials: readonly string[]): Promise<void> {
  const requested = eq(verificationCodes.userId, userId)
  await tx
    .delete(verificationCodes)
    .where(
      credentials.length === 0 ? requested : or(requested, inArray(verificationCodes.credential, [...credentials])),
    )
}

/** Deletes at most `limit`. Returns how many it deleted. */
export const deleteExpiredCodes = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, verificationCodes, lte(verificationCodes.expiresAt, now), limit)
