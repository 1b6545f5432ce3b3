import { serverState } from '#db/schema/settings.ts'
import type { Db } from '#db/store.ts'

/** Resolves when the database answers a query; rejects when it does not. */
export async function ping(db: Db): Promise<void> {
  await db.select({ key: serverState.key }).from(serverState).limit(1)
}
