import { settings } from '#db/schema/settings.ts'
import type { Db, Tx } from '#db/store.ts'

export const listSettings = (db: Db) => db.select({ key: settings.key, value: settings.value }).from(settings)

export async function upsertSetting(tx: Tx, key: string, value: unknown): Promise<void> {
  await tx
    .insert(settings)
    .values({ key, value, updatedAt: tx.stamp })
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedAt: tx.stamp } })
}
