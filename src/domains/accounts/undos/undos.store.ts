import { and, asc, eq, gt, gte, inArray, lte, ne, notInArray, or } from 'drizzle-orm'

import { emailUndos, identities } from '#db/schema/accounts.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

export type UndoRow = typeof emailUndos.$inferSelect

const matching = (tokenHash: string, now: number) =>
  and(eq(emailUndos.tokenHash, tokenHash), gt(emailUndos.expiresAt, now))

export async function findUndo(db: Db, tokenHash: string, now: number): Promise<UndoRow | undefined> {
  return (await db.select().from(emailUndos).where(matching(tokenHash, now)))[0]
}

/** Deletes the undo. Returned to exactly one of several callers. */
export async function takeUndo(tx: Tx, tokenHash: string, now: number): Promise<UndoRow | undefined> {
  return (await tx.delete(emailUndos).where(matching(tokenHash, now)).returning())[0]
}

export const insertUndo = async (tx: Tx, undo: Omit<UndoRow, 'id'>): Promise<void> => {
  await tx.insert(emailUndos).values(undo)
}

/** Undos of the user that can still be used, the oldest first. */
export const openUndosOf = (tx: Tx, userId: number, now: number): Promise<UndoRow[]> =>
  tx
    .select()
    .from(emailUndos)
    .where(and(eq(emailUndos.userId, userId), gt(emailUndos.expiresAt, now)))
    .orderBy(asc(emailUndos.createdAt))

export async function deleteUndosTo(tx: Tx, userId: number, email: string): Promise<void> {
  await tx.delete(emailUndos).where(and(eq(emailUndos.userId, userId), eq(emailUndos.email, email)))
}

/** Deletes the undos of addresses that were bound on another device than this one, after `since`. */
export async function deleteUndosOfOthers(tx: Tx, userId: number, deviceKey: string, since: number): Promise<void> {
  await tx
    .delete(emailUndos)
    .where(
      and(
        eq(emailUndos.userId, userId),
        notInArray(emailUndos.boundOn, ['', deviceKey]),
        gt(emailUndos.boundAt, since),
      ),
    )
}

/** Deletes the undos of changes made at `since` or later. */
export async function deleteUndosSince(tx: Tx, userId: number, since: number): Promise<void> {
  await tx.delete(emailUndos).where(and(eq(emailUndos.userId, userId), gte(emailUndos.createdAt, since)))
}

/** Deletes at most `limit`. Returns how many it deleted. */
export const deleteExpiredUndos = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, emailUndos, lte(emailUndos.expiresAt, now), limit)

/** Deletes the user's phones, e-mails and identities of providers that a signed-in user bound at `since` or later. */
export async function deleteContactsSince(tx: Tx, userId: number, since: number): Promise<void> {
  await tx
    .delete(identities)
    .where(
      and(
        eq(identities.userId, userId),
        or(
          inArray(identities.provider, ['PHONE', 'EMAIL']),
          and(eq(identities.provider, 'OIDC'), ne(identities.boundOn, '')),
        ),
        gte(identities.createdAt, since),
      ),
    )
}
