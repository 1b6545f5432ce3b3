import { eq, lte } from 'drizzle-orm'

import { passwordTries } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'

import { saysNothingFrom, type Tries } from './tries.ts'

export async function triesOf(tx: Tx, key: string): Promise<Tries | undefined> {
  const rows = await tx
    .select({ triedAt: passwordTries.triedAt, lockedUntil: passwordTries.lockedUntil })
    .from(passwordTries)
    .where(eq(passwordTries.key, key))
  return rows[0]
}

export async function saveTries(tx: Tx, key: string, tries: Tries): Promise<void> {
  const row = { triedAt: [...tries.triedAt], lockedUntil: tries.lockedUntil, expiresAt: saysNothingFrom(tries) }
  await tx
    .insert(passwordTries)
    .values({ key, ...row })
    .onConflictDoUpdate({ target: passwordTries.key, set: row })
}

export async function forgetTries(tx: Tx, key: string): Promise<void> {
  await tx.delete(passwordTries).where(eq(passwordTries.key, key))
}

export async function deleteExpiredTries(tx: Tx, now: number): Promise<void> {
  await tx.delete(passwordTries).where(lte(passwordTries.expiresAt, now))
}
