/** The devices on which users have signed in. */

import { and, asc, eq, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { knownDevices } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'

import { KNOWN_DEVICES_KEPT } from '../model.ts'

const devicesOf = prepared((db) =>
  db
    .select({ deviceKey: knownDevices.deviceKey, removedAt: knownDevices.removedAt })
    .from(knownDevices)
    .where(eq(knownDevices.userId, sql.placeholder('userId')))
    .orderBy(asc(knownDevices.lastSeenAt), asc(knownDevices.deviceKey)),
)

const seeDevice = prepared((db) =>
  db
    .insert(knownDevices)
    .values({
      userId: sql.placeholder('userId'),
      deviceKey: sql.placeholder('deviceKey'),
      firstSeenAt: sql.placeholder('now'),
      lastSeenAt: sql.placeholder('now'),
      removedAt: null,
    })
    .onConflictDoUpdate({
      target: [knownDevices.userId, knownDevices.deviceKey],
      set: { lastSeenAt: sql`excluded.last_seen_at`, removedAt: null },
    }),
)

/**
 * Stores that the user signs in on the device. `known`: a device of an earlier sign-in that the user has not removed since.
 * `first`: nobody has signed in to this account before. Of each user the `KNOWN_DEVICES_KEPT` latest devices are kept.
 */
export async function recordDevice(
  tx: Tx,
  userId: number,
  deviceKey: string,
  now: number,
): Promise<'known' | 'new' | 'first'> {
  const devices = await devicesOf(tx, { userId })
  await seeDevice(tx, { userId, deviceKey, now })
  const device = devices.find((row) => row.deviceKey === deviceKey)
  const oldest = device === undefined && devices.length >= KNOWN_DEVICES_KEPT ? devices[0] : undefined
  if (oldest) await deleteDevice(tx, userId, oldest.deviceKey)
  if (devices.length === 0) return 'first'
  return device !== undefined && device.removedAt === null ? 'known' : 'new'
}

async function deleteDevice(tx: Tx, userId: number, deviceKey: string): Promise<void> {
  await tx.delete(knownDevices).where(and(eq(knownDevices.userId, userId), eq(knownDevices.deviceKey, deviceKey)))
}

/** The next sign-in on the device is reported to the user again. */
export async function forgetDevice(tx: Tx, userId: number, deviceKey: string, now: number): Promise<void> {
  await tx
    .update(knownDevices)
    .set({ removedAt: now })
    .where(and(eq(knownDevices.userId, userId), eq(knownDevices.deviceKey, deviceKey)))
}

export async function deleteDevicesOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(knownDevices).where(eq(knownDevices.userId, userId))
}
