import { and, asc, eq, isNull, ne, or, sql } from 'drizzle-orm'

import { oidcProviders } from '#db/schema/oidc.ts'
import type { Db, Tx } from '#db/store.ts'

export type ProviderRow = typeof oidcProviders.$inferSelect
export type NewProvider = Omit<ProviderRow, 'id' | 'lastError' | 'checkedAt' | 'createdAt' | 'updatedAt'>

/** In the order in which they were added; at most 20. */
export const listProviders = (db: Db | Tx): Promise<ProviderRow[]> =>
  db.select().from(oidcProviders).orderBy(asc(oidcProviders.id))

export async function findProvider(db: Db | Tx, id: number): Promise<ProviderRow | undefined> {
  return (await db.select().from(oidcProviders).where(eq(oidcProviders.id, id)))[0]
}

export async function findByKey(db: Db | Tx, key: string): Promise<ProviderRow | undefined> {
  return (await db.select().from(oidcProviders).where(eq(oidcProviders.key, key)))[0]
}

/** Undefined if the key is taken. */
export async function insertProvider(tx: Tx, provider: NewProvider): Promise<ProviderRow | undefined> {
  const rows = await tx
    .insert(oidcProviders)
    .values({ ...provider, createdAt: tx.stamp, updatedAt: tx.stamp })
    .onConflictDoNothing({ target: oidcProviders.key })
    .returning()
  return rows[0]
}

/** The result of its last check counts no longer. */
export async function updateProvider(tx: Tx, id: number, change: Partial<NewProvider>): Promise<ProviderRow> {
  const rows = await tx
    .update(oidcProviders)
    .set({ ...change, lastError: null, checkedAt: null, updatedAt: tx.stamp })
    .where(eq(oidcProviders.id, id))
    .returning()
  return rows[0]!
}

/** Lines of an organization that is dissolved are removed. The result of the last check still counts. */
export async function updateRoleMap(tx: Tx, id: number, roleMap: ProviderRow['roleMap']): Promise<void> {
  await tx.update(oidcProviders).set({ roleMap, updatedAt: tx.stamp }).where(eq(oidcProviders.id, id))
}

export async function deleteProvider(tx: Tx, id: number): Promise<void> {
  await tx.delete(oidcProviders).where(eq(oidcProviders.id, id))
}

/** Only if it is another one than before: a provider that is down is asked often. */
export async function saveError(tx: Tx, { id, updatedAt }: ProviderRow, lastError: string): Promise<void> {
  await tx
    .update(oidcProviders)
    .set({ lastError })
    .where(
      and(
        eq(oidcProviders.id, id),
        eq(oidcProviders.updatedAt, updatedAt),
        or(isNull(oidcProviders.lastError), ne(oidcProviders.lastError, lastError)),
      ),
    )
}

/** `now`: epoch milliseconds. */
export async function saveChecked(tx: Tx, { id, updatedAt }: ProviderRow, now: number): Promise<void> {
  await tx
    .update(oidcProviders)
    .set({ lastError: null, checkedAt: now })
    .where(and(eq(oidcProviders.id, id), eq(oidcProviders.updatedAt, updatedAt)))
}

/** Whether a provider that is enabled was checked at `since` or later. */
export async function wasChecked(db: Db, since: number): Promise<boolean> {
  const rows = await db
    .select({ one: sql`1` })
    .from(oidcProviders)
    .where(and(eq(oidcProviders.enabled, true), sql`${oidcProviders.checkedAt} >= ${since}`))
    .limit(1)
  return rows.length > 0
}
