/** The rows behind `Idempotency-Key` (http/repeats.ts). */

import { and, desc, eq, gt, lte, ne } from 'drizzle-orm'

import { DAY } from '#platform/clock.ts'

import { repeatKeys } from './schema/repeat-keys.ts'
import { deleteSome } from './slices.ts'
import type { Db, Tx } from './store.ts'

/** How long a key is kept. */
const KEPT_MS = DAY
/** Keys of one user; the oldest are deleted. */
export const MAX_KEYS = 10_000
/** Characters that each key may take on average. A user whose answers are larger has fewer keys. */
const CHARACTERS_PER_KEY = 4096

export interface RepeatKey {
  readonly userId: number
  readonly key: string
  readonly fingerprint: string
  readonly content: string
  readonly createdAt: number
}

/** Undefined if the user has no such key, or if it is older than 24 hours. */
export async function findRepeatKey(
  db: Db | Tx,
  userId: number,
  key: string,
  now: number,
): Promise<RepeatKey | undefined> {
  const [row] = await db
    .select()
    .from(repeatKeys)
    .where(and(eq(repeatKeys.userId, userId), eq(repeatKeys.key, key), gt(repeatKeys.createdAt, now - KEPT_MS)))
  return row
}

/** Inserts or replaces the row, and deletes the oldest of the user if they have too many. */
export async function saveRepeatKey(tx: Tx, row: RepeatKey): Promise<void> {
  const { userId, key, content } = row
  const [last] = await tx
    .select({ position: repeatKeys.position })
    .from(repeatKeys)
    .where(and(eq(repeatKeys.userId, userId), ne(repeatKeys.key, key)))
    .orderBy(desc(repeatKeys.position))
    .limit(1)
  const position = (last?.position ?? 0) + Math.max(content.length, CHARACTERS_PER_KEY)
  const values = { ...row, position }
  await tx
    .insert(repeatKeys)
    .values(values)
    .onConflictDoUpdate({ target: [repeatKeys.userId, repeatKeys.key], set: values })
  await tx
    .delete(repeatKeys)
    .where(and(eq(repeatKeys.userId, userId), lte(repeatKeys.position, position - MAX_KEYS * CHARACTERS_PER_KEY)))
}

async function deleteRepeatKey(tx: Tx, userId: number, key: string): Promise<void> {
  await tx.delete(repeatKeys).where(and(eq(repeatKeys.userId, userId), eq(repeatKeys.key, key)))
}

/** Those of a deleted account. */
export async function deleteRepeatKeysOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(repeatKeys).where(eq(repeatKeys.userId, userId))
}

/** Deletes at most `limit`. Returns how many it deleted. */
export const deleteExpiredRepeatKeys = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, repeatKeys, lte(repeatKeys.createdAt, now - KEPT_MS), limit)

/** For the edge, which gets them from app.ts. */
export const repeatKeyRows = { find: findRepeatKey, save: saveRepeatKey, delete: deleteRepeatKey }
export type RepeatKeys = typeof repeatKeyRows
