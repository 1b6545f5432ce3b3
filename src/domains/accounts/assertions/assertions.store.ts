import { and, asc, count, eq, gte, lt, lte, ne, or, sql } from 'drizzle-orm'

import { passkeys, requiredPasskeys, usedChallenges } from '#db/schema/passkeys.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

import type { Challenge } from './assertions.rules.ts'

export type PasskeyRow = typeof passkeys.$inferSelect

/** Oldest first; at most `MAX_PASSKEYS`. */
export const passkeysOf = (db: Db | Tx, userId: number): Promise<PasskeyRow[]> =>
  db.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(asc(passkeys.id))

export const findByCredential = async (db: Db, credentialId: string): Promise<PasskeyRow | undefined> =>
  (await db.select().from(passkeys).where(eq(passkeys.credentialId, credentialId)))[0]

const isOwn = (userId: number, id: number) => and(eq(passkeys.id, id), eq(passkeys.userId, userId))
const isUsable = eq(passkeys.suspect, false)

/** Whether the user has this passkey, and nothing suggests that somebody has copied it. */
export const isUsablePasskey = async (tx: Tx, userId: number, id: number): Promise<boolean> =>
  (
    await tx
      .select({ id: passkeys.id })
      .from(passkeys)
      .where(and(isOwn(userId, id), isUsable))
  ).length > 0

export async function countUsable(db: Db | Tx, userId: number): Promise<number> {
  const rows = await db
    .select({ n: count() })
    .from(passkeys)
    .where(and(eq(passkeys.userId, userId), isUsable))
  return Number(rows[0]?.n ?? 0)
}

/** Undefined if a user has this credential already. */
export async function insertPasskey(tx: Tx, row: typeof passkeys.$inferInsert): Promise<PasskeyRow | undefined> {
  return (await tx.insert(passkeys).values(row).onConflictDoNothing().returning())[0]
}

/** Undefined if the user has no such passkey. */
export const renamePasskey = async (
  tx: Tx,
  userId: number,
  id: number,
  name: string,
): Promise<PasskeyRow | undefined> => (await tx.update(passkeys).set({ name }).where(isOwn(userId, id)).returning())[0]

export const deletePasskey = async (tx: Tx, userId: number, id: number): Promise<PasskeyRow | undefined> =>
  (await tx.delete(passkeys).where(isOwn(userId, id)).returning())[0]

/** Deletes passkeys of the user: all, those that were not made on this device, or those made at `since` or later. */
export async function deletePasskeysOf(
  tx: Tx,
  userId: number,
  which: { readonly exceptDevice?: string; readonly since?: number } = {},
): Promise<void> {
  const { exceptDevice, since } = which
  await tx
    .delete(passkeys)
    .where(
      and(
        eq(passkeys.userId, userId),
        exceptDevice === undefined ? undefined : ne(passkeys.createdOn, exceptDevice),
        since === undefined ? undefined : gte(passkeys.createdAt, since),
      ),
    )
}

/** Of several callers with one challenge, one succeeds. */
export const takeChallenge = async (tx: Tx, used: Challenge): Promise<boolean> =>
  (await tx.insert(usedChallenges).values(used).onConflictDoNothing().returning()).length > 0

/**
 * Stores that the passkey signed. False, and nothing changes, if it was removed, is suspect, or has a counter that did not grow. Authenticators that
 * count nothing always say 0.
 */
export async function recordUse(
  tx: Tx,
  id: number,
  { counter, backedUp, userVerified, now }: { counter: number; backedUp: boolean; userVerified: boolean; now: number },
): Promise<boolean> {
  const grows = or(lt(passkeys.counter, counter), and(eq(passkeys.counter, 0), sql`${counter} = 0`))
  const rows = await tx
    .update(passkeys)
    .set({ counter, backedUp, lastUsedAt: now, ...(userVerified && { userVerified }) })
    .where(and(eq(passkeys.id, id), isUsable, grows))
    .returning({ id: passkeys.id })
  return rows.length > 0
}

/** False if the passkey is suspect already or was removed. */
export const markSuspect = async (tx: Tx, id: number): Promise<boolean> =>
  (
    await tx
      .update(passkeys)
      .set({ suspect: true })
      .where(and(eq(passkeys.id, id), isUsable))
      .returning({ id: passkeys.id })
  ).length > 0

export const isRequired = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await db.select().from(requiredPasskeys).where(eq(requiredPasskeys.userId, userId))).length > 0

/** False if they are required already. */
export const requirePasskeys = async (tx: Tx, userId: number, since: number): Promise<boolean> =>
  (await tx.insert(requiredPasskeys).values({ userId, since }).onConflictDoNothing().returning()).length > 0

/** `since`: only if they are required since then or later. False if they are not. */
export const endRequirement = async (tx: Tx, userId: number, since = 0): Promise<boolean> =>
  (
    await tx
      .delete(requiredPasskeys)
      .where(and(eq(requiredPasskeys.userId, userId), gte(requiredPasskeys.since, since)))
      .returning()
  ).length > 0

/** Deletes at most `limit`. Returns how many it deleted. */
export const deleteExpiredChallenges = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, usedChallenges, lte(usedChallenges.expiresAt, now), limit)
