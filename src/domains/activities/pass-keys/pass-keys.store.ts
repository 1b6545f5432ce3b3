import { and, desc, eq, isNull, lt, max, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { passKeys } from '#db/schema/passes.ts'
import type { Db, Tx } from '#db/store.ts'

export type PassKeyRow = typeof passKeys.$inferSelect

const all = prepared((db) => db.select().from(passKeys).orderBy(passKeys.id))
const byId = prepared((db) =>
  db
    .select()
    .from(passKeys)
    .where(eq(passKeys.id, sql.placeholder('id'))),
)
const live = prepared((db) => db.select().from(passKeys).where(isNull(passKeys.retiredAt)).orderBy(desc(passKeys.id)))

/** Every key, the oldest first; at most 255. */
export const listKeys = (db: Db | Tx): Promise<PassKeyRow[]> => all(db)

export const findKey = async (db: Db | Tx, id: number): Promise<PassKeyRow | undefined> => (await byId(db, { id }))[0]

/** Keys that are not retired, the newest first. */
export const liveKeys = (db: Db | Tx): Promise<PassKeyRow[]> => live(db)

export async function newestKeyId(tx: Tx): Promise<number> {
  const [row] = await tx.select({ id: max(passKeys.id) }).from(passKeys)
  return row?.id ?? 0
}

/** False if another write has just made a key with this id. */
export async function insertKey(
  tx: Tx,
  key: Pick<PassKeyRow, 'id' | 'publicKey' | 'sealedSeed' | 'createdAt'>,
): Promise<boolean> {
  const rows = await tx.insert(passKeys).values(key).onConflictDoNothing().returning({ id: passKeys.id })
  return rows.length === 1
}

/** Retires the keys that were made before this time. */
export async function retireKeysBefore(tx: Tx, before: number, now: number): Promise<void> {
  await tx
    .update(passKeys)
    .set({ retiredAt: now })
    .where(and(isNull(passKeys.retiredAt), lt(passKeys.createdAt, before)))
    .returning({ id: passKeys.id })
}
