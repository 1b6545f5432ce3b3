/** Reservations that end by themselves, with a membership, with an account or with the organization. */

import { and, asc, eq, inArray, isNotNull, lte } from 'drizzle-orm'

import { assetReservationItems as items, assetReservations as reservations } from '#db/schema/reservations.ts'
import { isAmongFirst } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'

import { finish, touch } from '../bookings.store.ts'
import { type ItemRow, OPEN, release, type ReservationRow } from './reservations.store.ts'

/** Reservations that expire now, the earliest first. */
export const expiring = (tx: Tx, now: number, limit: number): Promise<ReservationRow[]> =>
  tx
    .select()
    .from(reservations)
    .where(and(isNotNull(reservations.expiresAt), lte(reservations.expiresAt, now)))
    .orderBy(asc(reservations.expiresAt), asc(reservations.id))
    .limit(limit)

/** Reservations whose people are to be reminded of the pick-up. */
export const announced = (tx: Tx, now: number, limit: number): Promise<ReservationRow[]> =>
  tx
    .select()
    .from(reservations)
    .where(and(isNotNull(reservations.announceAt), lte(reservations.announceAt, now)))
    .orderBy(asc(reservations.announceAt), asc(reservations.id))
    .limit(limit)

/** No reminder for this one, whose version stays. */
export const forgetAnnouncement = async (tx: Tx, id: number): Promise<void> =>
  void (await tx.update(reservations).set({ announceAt: null }).where(eq(reservations.id, id)))

/** Items whose assets were lost, of which nobody has been notified. */
export const lostItems = (tx: Tx, limit: number): Promise<ItemRow[]> =>
  tx.select().from(items).where(isNotNull(items.lostAt)).orderBy(asc(items.lostAt), asc(items.id)).limit(limit)

export const clearLost = async (tx: Tx, ids: readonly number[]): Promise<void> =>
  void (
    ids.length > 0 &&
    (await tx
      .update(items)
      .set({ lostAt: null })
      .where(inArray(items.id, [...ids])))
  )

/** Cancels what members who left had reserved, and gives back what still waits for them. */
export async function cancelOfMembers(tx: Tx, orgId: number, userIds: readonly number[]): Promise<void> {
  const isTheirs = and(
    eq(reservations.orgId, orgId),
    inArray(reservations.userId, [...userIds]),
    isNotNull(reservations.userId),
  )
  const rows = await tx
    .select({ id: reservations.id, status: reservations.status })
    .from(reservations)
    .where(and(isTheirs, inArray(reservations.status, [...OPEN])))
    .orderBy(asc(reservations.id))
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await release(tx, and(inArray(items.reservationId, ids), eq(items.state, 'WAITING'))!)
  const closed = { expiresAt: null, announceAt: null }
  const upcoming = rows.filter(({ status }) => status !== 'OUT').map(({ id }) => id)
  if (upcoming.length > 0) await touch(tx, inArray(reservations.id, upcoming), { ...closed, status: 'CANCELLED' })
  await finish(tx, ids)
}

/** Takes the name of a user whose account has ended from at most `limit` reservations. Returns their number. */
export async function forgetNames(tx: Tx, userId: number, limit: number): Promise<number> {
  const where = and(eq(reservations.userId, userId), isNotNull(reservations.userId), isNotNull(reservations.userName))
  const changed = await tx
    .update(reservations)
    .set({ userName: null })
    .where(isAmongFirst(tx, reservations, { where, limit }))
    .returning({ id: reservations.id })
  return changed.length
}

/** Deletes at most `limit` reservations of an organization that was dissolved. Returns their number. */
export async function deleteSomeOfOrg(tx: Tx, orgId: number, limit: number): Promise<number> {
  const rows = await tx
    .select({ id: reservations.id })
    .from(reservations)
    .where(eq(reservations.orgId, orgId))
    .limit(Math.min(limit, MOST_AT_ONCE))
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  await tx.delete(items).where(inArray(items.reservationId, ids))
  await tx.delete(reservations).where(inArray(reservations.id, ids))
  return ids.length
}
/** A reservation can have hundreds of items. */
const MOST_AT_ONCE = 200
