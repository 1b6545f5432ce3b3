import { eq } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { removals } from '#db/schema/removals.ts'
import type { Db, Tx } from '#db/store.ts'

export async function insertRemoval(tx: Tx, owner: OwnerKey): Promise<void> {
  await tx.insert(removals).values({ owner }).onConflictDoNothing()
}

export async function deleteRemoval(tx: Tx, owner: OwnerKey): Promise<void> {
  await tx.delete(removals).where(eq(removals.owner, owner))
}

/** The owner of the first row. */
export const firstRemoval = async (db: Db): Promise<OwnerKey | undefined> =>
  (await db.select().from(removals).limit(1))[0]?.owner
