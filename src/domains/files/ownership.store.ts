/** The identity of this installation, as a row of `server_state`. */

import { eq } from 'drizzle-orm'

import { INSTALLATION, type Installation } from '#db/installation.ts'
import { serverState } from '#db/schema/settings.ts'
import type { Db, Tx } from '#db/store.ts'

export async function findInstallation(db: Db | Tx): Promise<Installation | undefined> {
  const [row] = await db.select({ value: serverState.value }).from(serverState).where(eq(serverState.key, INSTALLATION))
  return row && (JSON.parse(row.value) as Installation)
}

/** Returns the one that another process has stored first, if any. */
export async function createInstallation(tx: Tx, installation: Installation): Promise<Installation> {
  const value = JSON.stringify(installation)
  await tx.insert(serverState).values({ key: INSTALLATION, value }).onConflictDoNothing({ target: serverState.key })
  return (await findInstallation(tx))!
}

export async function updateInstallation(tx: Tx, installation: Installation): Promise<void> {
  await tx
    .update(serverState)
    .set({ value: JSON.stringify(installation) })
    .where(eq(serverState.key, INSTALLATION))
}
