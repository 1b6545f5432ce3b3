import { and, eq } from 'drizzle-orm'

import { serverState } from '#db/schema/settings.ts'
import type { Db, Tx } from '#db/store.ts'

const KEY = 'accounts.setupLink'

export interface SetupLink {
  /** SHA-256 of the link's token. */
  readonly hash: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export async function findSetupLink(db: Db): Promise<SetupLink | undefined> {
  const rows = await db.select({ value: serverState.value }).from(serverState).where(eq(serverState.key, KEY))
  return rows[0] && (JSON.parse(rows[0].value) as SetupLink)
}

/** Replaces the previous link. */
export async function saveSetupLink(tx: Tx, link: SetupLink): Promise<void> {
  const value = JSON.stringify(link)
  await tx
    .insert(serverState)
    .values({ key: KEY, value })
    .onConflictDoUpdate({ target: serverState.key, set: { value } })
}

/** Deletes the link. True for exactly one of several callers. */
export async function takeSetupLink(tx: Tx, link: SetupLink): Promise<boolean> {
  const rows = await tx
    .delete(serverState)
    .where(and(eq(serverState.key, KEY), eq(serverState.value, JSON.stringify(link))))
    .returning({ key: serverState.key })
  return rows.length > 0
}

export async function deleteSetupLink(tx: Tx): Promise<void> {
  await tx.delete(serverState).where(eq(serverState.key, KEY))
}
