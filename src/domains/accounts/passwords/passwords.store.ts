import { and, eq, isNull, lte, sql } from 'drizzle-orm'

import { passwordTries, users } from '#db/schema/accounts.ts'
import { deleteSome } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'

import { passwordColumns, type StoredPassword } from '../users/users.store.ts'
import { type Attempts, expiresAt } from './passwords.rules.ts'

export async function findAttempts(tx: Tx, key: string): Promise<Attempts | undefined> {
  const rows = await tx
    .select({ triedAt: passwordTries.triedAt, lockedUntil: passwordTries.lockedUntil, locks: passwordTries.locks })
    .from(passwordTries)
    .where(eq(passwordTries.key, key))
  return rows[0]
}

/** `until`: when the row can be deleted. */
export async function saveAttempts(
  tx: Tx,
  key: string,
  attempts: Attempts,
  until = expiresAt(attempts),
): Promise<void> {
  const row = { ...attempts, triedAt: [...attempts.triedAt], expiresAt: until }
  await tx
    .insert(passwordTries)
    .values({ key, ...row })
    .onConflictDoUpdate({ target: passwordTries.key, set: row })
}

export async function deleteAttempts(tx: Tx, key: string): Promise<void> {
  await tx.delete(passwordTries).where(eq(passwordTries.key, key))
}

/** Deletes at most `limit`. Returns how many it deleted. */
export const deleteExpiredAttempts = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, passwordTries, lte(passwordTries.expiresAt, now), limit)

/** False if the user already has a password. */
export async function setPasswordOnce(tx: Tx, userId: number, password: StoredPassword): Promise<boolean> {
  const rows = await tx
    .update(users)
    .set({ ...passwordColumns(password), updatedAt: tx.stamp })
    .where(and(eq(users.id, userId), isNull(users.passwordHash)))
    .returning({ id: users.id })
  return rows.length > 0
}

/**
 * Stores a hash of the same password with other parameters. Returns false and changes nothing if the stored hash is no longer
 * `before`.
 */
export async function rehashPassword(tx: Tx, userId: number, before: string, after: string): Promise<boolean> {
  const rows = await tx
    .update(users)
    .set({ passwordHash: after })
    .where(and(eq(users.id, userId), eq(users.passwordHash, before)))
    .returning({ id: users.id })
  return rows.length > 0
}

/** Stores whether the password with this hash is strong, which is learned when it is entered. */
export async function ratePassword(tx: Tx, userId: number, { hash, isStrong }: StoredPassword): Promise<void> {
  await tx
    .update(users)
    .set({ passwordIsStrong: isStrong })
    .where(and(eq(users.id, userId), eq(users.passwordHash, hash)))
}

/** Sets or (null) removes the password; earlier access tokens stop working. */
export async function replacePassword(tx: Tx, userId: number, password: StoredPassword | null): Promise<void> {
  await tx
    .update(users)
    .set({ ...passwordColumns(password), tokenVersion: sql`${users.tokenVersion} + 1`, updatedAt: tx.stamp })
    .where(eq(users.id, userId))
}
