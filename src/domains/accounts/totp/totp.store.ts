import { and, count, eq, gte, isNotNull, isNull, lt } from 'drizzle-orm'

import { recoveryCodes, totpSecrets } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'

export type TotpRow = typeof totpSecrets.$inferSelect

/** Even if it is not confirmed. */
export const findTotp = async (db: Db | Tx, userId: number): Promise<TotpRow | undefined> =>
  (await db.select().from(totpSecrets).where(eq(totpSecrets.userId, userId)))[0]

/** Saves a secret that is not confirmed, in place of an earlier one. False if the user has a confirmed one. */
export async function saveUnconfirmed(
  tx: Tx,
  { userId, secret, createdAt }: Pick<TotpRow, 'userId' | 'secret' | 'createdAt'>,
): Promise<boolean> {
  const rows = await tx
    .insert(totpSecrets)
    .values({ userId, secret, createdAt })
    .onConflictDoUpdate({
      target: totpSecrets.userId,
      set: { secret, createdAt },
      setWhere: isNull(totpSecrets.confirmedAt),
    })
    .returning({ userId: totpSecrets.userId })
  return rows.length > 0
}

/** False if the secret was replaced or confirmed meanwhile. `step`: of the code that confirms it, which cannot be used again. */
export async function confirmTotp(
  tx: Tx,
  { userId, secret }: TotpRow,
  step: number,
  confirmedAt: number,
): Promise<boolean> {
  const rows = await tx
    .update(totpSecrets)
    .set({ confirmedAt, lastStep: step })
    .where(and(eq(totpSecrets.userId, userId), eq(totpSecrets.secret, secret), isNull(totpSecrets.confirmedAt)))
    .returning({ userId: totpSecrets.userId })
  return rows.length > 0
}

/** Uses up the code of this step. Of several callers with one code, one succeeds. */
export async function takeStep(tx: Tx, userId: number, secret: string, step: number): Promise<boolean> {
  const rows = await tx
    .update(totpSecrets)
    .set({ lastStep: step })
    .where(
      and(
        eq(totpSecrets.userId, userId),
        eq(totpSecrets.secret, secret),
        isNotNull(totpSecrets.confirmedAt),
        lt(totpSecrets.lastStep, step),
      ),
    )
    .returning({ userId: totpSecrets.userId })
  return rows.length > 0
}

/** Whether sign-ins ask for codes of an authenticator app. */
export async function hasTotp(db: Db | Tx, userId: number): Promise<boolean> {
  const row = await findTotp(db, userId)
  return row !== undefined && row.confirmedAt !== null
}

/** Deletes the secret that the user shares with the app. False if sign-ins do not ask for codes. */
export async function deleteTotp(tx: Tx, userId: number): Promise<boolean> {
  const rows = await tx
    .delete(totpSecrets)
    .where(eq(totpSecrets.userId, userId))
    .returning({ confirmedAt: totpSecrets.confirmedAt })
  return rows.some((row) => row.confirmedAt !== null)
}

/** Deletes a secret that was confirmed at `since` or later. */
export async function deleteTotpSince(tx: Tx, userId: number, since: number): Promise<void> {
  const rows = await tx
    .select({ userId: totpSecrets.userId })
    .from(totpSecrets)
    .where(and(eq(totpSecrets.userId, userId), gte(totpSecrets.confirmedAt, since)))
  if (rows.length > 0) await deleteTotp(tx, userId)
}

const matching = (userId: number, hash: string) => and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.hash, hash))

export const hasRecoveryCode = async (db: Db, userId: number, hash: string): Promise<boolean> =>
  (await db.select({ hash: recoveryCodes.hash }).from(recoveryCodes).where(matching(userId, hash))).length > 0

/** Of several callers with one recovery code, one succeeds. */
export const takeRecoveryCode = async (tx: Tx, userId: number, hash: string): Promise<boolean> =>
  (await tx.delete(recoveryCodes).where(matching(userId, hash)).returning({ hash: recoveryCodes.hash })).length > 0

export async function countRecoveryCodes(db: Db | Tx, userId: number): Promise<number> {
  const rows = await db.select({ n: count() }).from(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  return Number(rows[0]?.n ?? 0)
}

/** Recovery codes stand for another second factor: without one, they are deleted. */
export async function deleteRecoveryCodes(tx: Tx, userId: number): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
}

export async function replaceRecoveryCodes(tx: Tx, userId: number, hashes: readonly string[]): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  await tx.insert(recoveryCodes).values(hashes.map((hash) => ({ userId, hash })))
}
