import { eq } from 'drizzle-orm'

import { serverState } from '#db/schema/settings.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Release } from '#platform/release-notice.ts'

import type { UpdateView } from './releases.model.ts'

const KEY = 'server.release'

export interface Look {
  /** When the job looks again, epoch milliseconds. */
  readonly nextAt: number
  readonly checkedAt: number | null
  readonly problem: UpdateView['problem']
  /** The newest release that is known. */
  readonly release: Release | null
}

export async function findLook(db: Db | Tx): Promise<Look | undefined> {
  const [row] = await db.select({ value: serverState.value }).from(serverState).where(eq(serverState.key, KEY))
  return row && (JSON.parse(row.value) as Look)
}

export async function saveLook(tx: Tx, look: Look): Promise<void> {
  const value = JSON.stringify(look)
  await tx
    .insert(serverState)
    .values({ key: KEY, value })
    .onConflictDoUpdate({ target: serverState.key, set: { value } })
}
