import { and, eq, gt, gte, inArray, lte, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { mailRefusals as refusals } from '#db/schema/delivery.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

/** Adds a refusal, the first one again if the last is not after `since`. `address`: its hash, as everywhere here. */
export async function addRefusal(tx: Tx, address: string, since: number): Promise<void> {
  await tx
    .insert(refusals)
    .values({ address, refusals: 1, lastAt: tx.stamp })
    .onConflictDoUpdate({
      target: refusals.address,
      set: {
        refusals: sql`case when ${refusals.lastAt} > ${since} then ${refusals.refusals} + 1 else 1 end`,
        lastAt: tx.stamp,
      },
    })
}

const deleteByAddress = prepared((db) => db.delete(refusals).where(eq(refusals.address, sql.placeholder('address'))))

export async function deleteRefusals(tx: Tx, address: string): Promise<void> {
  await deleteByAddress(tx, { address })
}

/** Those of the addresses with at least `min` refusals, the last one after `since`. */
export async function refusedAmong(
  db: Db | Tx,
  addresses: readonly string[],
  min: number,
  since: number,
): Promise<Set<string>> {
  const rows = await db
    .select({ address: refusals.address })
    .from(refusals)
    .where(and(inArray(refusals.address, [...addresses]), gte(refusals.refusals, min), gt(refusals.lastAt, since)))
  return new Set(rows.map((row) => row.address))
}

/** Deletes at most `limit` that are too old to count. Returns how many it deleted. */
export const deleteOldRefusals = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, refusals, lte(refusals.lastAt, before), limit)
