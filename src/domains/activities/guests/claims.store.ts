import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm'

import { activityCounters, checkIns, checkInUsers, registrations } from '#db/schema/activities.ts'
import { passes } from '#db/schema/passes.ts'
import type { Tx } from '#db/store.ts'

import { listed as listedCheckIns } from '../check-ins/check-ins.store.ts'
import { listed as listedPasses, markChanged, passColumns } from '../passes/passes.store.ts'
import { listed, type RegistrationRow } from '../registrations/registrations.store.ts'

/** Gives the row of a guest to a user, whose own ended row (`own`) gives way. Its link ends. */
export async function giveRegistration(
  tx: Tx,
  before: RegistrationRow,
  userId: number,
  own: RegistrationRow | undefined,
): Promise<RegistrationRow> {
  if (own !== undefined) {
    const [gone] = await tx.delete(registrations).where(eq(registrations.id, own.id)).returning(listed.columns)
    listed.deleted(tx, gone!)
  }
  const [row] = await tx
    .update(registrations)
    .set({
      userId,
      name: null,
      email: null,
      emailConfirmedAt: null,
      language: null,
      secret: null,
      secretHash: null,
      updatedAt: tx.stamp,
    })
    .where(eq(registrations.id, before.id))
    .returning()
  listed.updated(tx, before, row!)
  return row!
}

/** Ends the live pass of the user or the guest that has expired, so that the other one can be the live one. */
export async function releaseExpired(
  tx: Tx,
  activityId: number,
  userId: number,
  registrationId: number,
  now: number,
): Promise<void> {
  const held = await tx
    .select(passColumns)
    .from(passes)
    .where(
      and(
        eq(passes.activityId, activityId),
        isNotNull(passes.liveHolderId),
        inArray(passes.liveHolderId, [userId, -registrationId]),
      ),
    )
  if (held.length < 2) return
  const expired = held.filter(({ validTo }) => validTo !== null && validTo < now).slice(0, 1)
  for (const { id, validTo } of expired)
    await tx
      .update(passes)
      .set({ validTo, followsActivity: false, liveHolderId: null, expiredAt: now, updatedAt: tx.stamp })
      .where(eq(passes.id, id))
  await markChanged(tx, expired)
}

/** Gives the passes of a guest to a user without a live one. */
export async function givePasses(tx: Tx, registrationId: number, userId: number): Promise<void> {
  const ofGuest = and(eq(passes.registrationId, registrationId), isNotNull(passes.registrationId))
  const before = await tx.select(listedPasses.columns).from(passes).where(ofGuest)
  const rows = await tx
    .update(passes)
    .set({
      holderUserId: userId,
      liveHolderId: sql`case when ${passes.liveHolderId} is null then null else ${userId} end`,
      updatedAt: tx.stamp,
    })
    .where(ofGuest)
    .returning(listedPasses.columns)
  for (const row of rows)
    listedPasses.updated(
      tx,
      before.find(({ id }) => id === row.id)!,
      row,
    )
}

/** Gives the check-ins of a guest, which a manager has entered, to a user, who may have checked in too. */
export async function giveCheckIns(tx: Tx, { id, activityId }: RegistrationRow, userId: number): Promise<void> {
  const ofGuest = and(eq(checkIns.registrationId, id), isNotNull(checkIns.registrationId))
  const before = await tx.select(listedCheckIns.columns).from(checkIns).where(ofGuest)
  const rows = await tx
    .update(checkIns)
    .set({ userId, registrationId: null })
    .where(ofGuest)
    .returning(listedCheckIns.columns)
  for (const row of rows)
    listedCheckIns.updated(
      tx,
      before.find((one) => one.id === row.id)!,
      row,
    )
  const [counted] = await tx
    .delete(checkInUsers)
    .where(and(eq(checkInUsers.activityId, activityId), eq(checkInUsers.userId, -id)))
    .returning({ count: checkInUsers.count, deleted: checkInUsers.deleted })
  if (counted === undefined) return
  const { count, deleted } = counted
  const own = and(eq(checkInUsers.activityId, activityId), eq(checkInUsers.userId, userId))
  const [other] = await tx.select({ count: checkInUsers.count }).from(checkInUsers).where(own)
  if (other === undefined) return void (await tx.insert(checkInUsers).values({ activityId, userId, count, deleted }))
  await tx
    .update(checkInUsers)
    .set({ count: sql`${checkInUsers.count} + ${count}`, deleted: sql`${checkInUsers.deleted} + ${deleted}` })
    .where(own)
  if (count === 0 || other.count === 0) return
  // They were two people before.
  await tx
    .update(activityCounters)
    .set({ checkedInUsers: sql`${activityCounters.checkedInUsers} - 1` })
    .where(eq(activityCounters.activityId, activityId))
}
