import { and, eq, gt, inArray, lte } from 'drizzle-orm'

import { trustedDevices } from '#db/schema/passkeys.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

/** Trusts the device until then, or longer. */
export async function trustDevice(tx: Tx, userId: number, deviceKey: string, trustedUntil: number): Promise<void> {
  await tx
    .insert(trustedDevices)
    .values({ userId, deviceKey, trustedUntil })
    .onConflictDoUpdate({ target: [trustedDevices.userId, trustedDevices.deviceKey], set: { trustedUntil } })
}

export const isTrustedDevice = async (db: Db | Tx, userId: number, deviceKey: string, now: number): Promise<boolean> =>
  (
    await db
      .select({ userId: trustedDevices.userId })
      .from(trustedDevices)
      .where(
        and(
          eq(trustedDevices.userId, userId),
          eq(trustedDevices.deviceKey, deviceKey),
          gt(trustedDevices.trustedUntil, now),
        ),
      )
  ).length > 0

/** Until when devices of the user are trusted, by their keys. */
export async function trustOf(db: Db, userId: number, now: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .select()
    .from(trustedDevices)
    .where(and(eq(trustedDevices.userId, userId), gt(trustedDevices.trustedUntil, now)))
  return new Map(rows.map((row) => [row.deviceKey, row.trustedUntil]))
}

/** Ends the trust in devices with one of these keys, or in all. Returns how many were trusted. */
export async function endTrust(tx: Tx, userId: number, deviceKeys?: readonly string[]): Promise<number> {
  const rows = await tx
    .delete(trustedDevices)
    .where(and(eq(trustedDevices.userId, userId), deviceKeys && inArray(trustedDevices.deviceKey, [...deviceKeys])))
    .returning({ userId: trustedDevices.userId })
  return rows.length
}

/** Deletes at most `limit`. Returns how many it deleted. */
export const deleteExpiredTrust = (tx: Tx, now: number, limit: number): Promise<number> =>
  deleteSome(tx, trustedDevices, lte(trustedDevices.trustedUntil, now), limit)
