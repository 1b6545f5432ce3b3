import { serverState } from '#db/schema/settings.ts'
import type { Db } from '#db/store.ts'

/** Rejects if the database does not answer a query. */
export async function ping(db: Db): Promise<void> {
  await db.select({ key: serverState.key }).from(serverState).limit(1)
}
