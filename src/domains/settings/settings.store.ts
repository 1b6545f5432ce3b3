import { eq } from 'drizzle-orm'

import { settings } from '#db/schema/settings.ts'
import type { Db, Tx } from '#db/store.ts'

export type SettingRow = typeof settings.$inferSelect

export const listSettings = (db: Db | Tx): Promise<SettingRow[]> =>
  db.select({ key: settings.key, value: settings.value, updatedAt: settings.updatedAt }).from(settings)

export async function upsertSetting(tx: Tx, key: string, value: unknown): Promise<void> {
  await tx
    .insert(settings)
    .values({ key, value, updatedAt: tx.stamp })
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedAt: tx.stamp } })
}

export async function deleteSetting(tx: Tx, key: string): Promise<void> {
  await tx.delete(settings).where(eq(settings.key, key))
}
