import { eq, lte } from 'drizzle-orm'

import { passwordTries } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'

import { type Attempts, expiresAt } from './rules.ts'

export async function findAttempts(tx: Tx, key: string): Promise<Attempts | undefined> {
  const rows = await tx
    .select({ triedAt: passwordTries.triedAt, lockedUntil: passwordTries.lockedUntil })
    .from(passwordTries)
    .where(eq(passwordTries.key, key))
  return rows[0]
}

export async function saveAttempts(tx: Tx, key: string, attempts: Attempts): Promise<void> {
  const row = { triedAt: [...attempts.triedAt], lockedUntil: attempts.lockedUntil, expiresAt: expiresAt(attempts) }
  await tx
    .insert(passwordTries)
    .values({ key, ...row })
    .onConflictDoUpdate({ target: passwordTries.key, set: row })
}

export async function deleteAttempts(tx: Tx, key: string): Promise<void> {
  await tx.delete(passwordTries).where(eq(passwordTries.key, key))
}

export async function deleteExpiredAttempts(tx: Tx, now: number): Promise<void> {
  await tx.delete(passwordTries).where(lte(passwordTries.expiresAt, now))
}
