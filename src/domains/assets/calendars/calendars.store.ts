import { and, asc, count, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, min, ne, or } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { users } from '#db/schema/accounts.ts'
import { assetMaintenanceDues as dues, assetMaintenancePlans as plans } from '#db/schema/asset-maintenance.ts'
import { assetCalendars, assetLoans, assets } from '#db/schema/assets.ts'
import { assetReservationItems as items, assetReservations as reservations } from '#db/schema/reservations.ts'
import type { Db, Tx } from '#db/store.ts'

export type CalendarRow = typeof assetCalendars.$inferSelect

const one = (userId: number, owner: OwnerKey) => and(eq(assetCalendars.userId, userId), eq(assetCalendars.owner, owner))

export async function findCalendar(db: Db, userId: number, owner: OwnerKey): Promise<CalendarRow | undefined> {
  const rows = await db.select().from(assetCalendars).where(one(userId, owner))
  return rows[0]
}

/** The calendar with this secret, if its user is active. */
export async function findBySecret(db: Db, secretHash: string): Promise<CalendarRow | undefined> {
  const rows = await db
    .select({ calendar: assetCalendars })
    .from(assetCalendars)
    .innerJoin(users, eq(users.id, assetCalendars.userId))
    .where(and(eq(assetCalendars.secretHash, secretHash), eq(users.status, 'ACTIVE')))
  return rows[0]?.calendar
}

/** Replaces the secret that the user had before. */
export async function saveCalendar(tx: Tx, row: Omit<CalendarRow, 'id' | 'createdAt'>): Promise<void> {
  const { secretHash, locale } = row
  await tx
    .insert(assetCalendars)
    .values({ ...row, createdAt: tx.stamp })
    .onConflictDoUpdate({
      target: [assetCalendars.userId, assetCalendars.owner],
      set: { secretHash, locale, createdAt: tx.stamp },
    })
}

/** False if there was none. */
export async function deleteCalendar(tx: Tx, userId: number, owner: OwnerKey): Promise<boolean> {
  const rows = await tx.delete(assetCalendars).where(one(userId, owner)).returning({ id: assetCalendars.id })
  return rows.length > 0
}

export async function deleteCalendarsOfUser(tx: Tx, userId: number): Promise<void> {
  await tx.delete(assetCalendars).where(eq(assetCalendars.userId, userId))
}

/** Those of these users in an organization. */
export async function deleteCalendarsOfMembers(tx: Tx, orgId: number, userIds: readonly number[]): Promise<void> {
  await tx
    .delete(assetCalendars)
    .where(and(inArray(assetCalendars.userId, [...userIds]), eq(assetCalendars.owner, orgId)))
}

/** The first warranties that end in these days, inclusive. */
export const warranties = (db: Db, owner: OwnerKey, from: string, to: string, limit: number) =>
  db
    .select({
      uuid: assets.uuid,
      name: assets.name,
      assetNo: assets.assetNo,
      warrantyExpiry: assets.warrantyExpiry,
      updatedAt: assets.updatedAt,
    })
    .from(assets)
    .where(
      and(
        eq(assets.owner, owner),
        isNull(assets.deletedAt),
        ne(assets.status, 'SCRAPPED'),
        gte(assets.warrantyExpiry, from),
        lte(assets.warrantyExpiry, to),
      ),
    )
    .orderBy(asc(assets.warrantyExpiry), asc(assets.id))
    .limit(limit)

/** The first maintenance that is due in these days, inclusive. */
export const maintenance = (db: Db, owner: OwnerKey, from: string, to: string, limit: number) =>
  db
    .select({
      planId: plans.id,
      planName: plans.name,
      uuid: assets.uuid,
      name: assets.name,
      assetNo: assets.assetNo,
      dueOn: dues.dueOn,
      updatedAt: plans.updatedAt,
    })
    .from(dues)
    .innerJoin(assets, eq(assets.id, dues.assetId))
    .innerJoin(plans, eq(plans.id, dues.planId))
    .where(and(eq(dues.owner, owner), gte(dues.dueOn, from), lte(dues.dueOn, to)))
    .orderBy(asc(dues.dueOn), asc(dues.assetId), asc(dues.planId))
    .limit(limit)

/** The last loans that are open and have a due date. */
export const dueLoans = (db: Db, owner: OwnerKey, limit: number) =>
  db
    .select({
      id: assetLoans.id,
      name: assets.name,
      assetNo: assets.assetNo,
      personName: assetLoans.personName,
      nickname: users.nickname,
      dueAt: assetLoans.dueAt,
      checkedOutAt: assetLoans.checkedOutAt,
    })
    .from(assetLoans)
    .innerJoin(assets, eq(assets.id, assetLoans.assetId))
    .leftJoin(users, eq(users.id, assetLoans.userId))
    .where(and(eq(assetLoans.owner, owner), isNull(assetLoans.checkedInAt), isNotNull(assetLoans.dueAt)))
    .orderBy(desc(assetLoans.id))
    .limit(limit)

/** The first reservations that are open in this time: of one member, or all of them. */
export function openReservations(
  db: Db,
  orgId: number,
  {
    userId,
    from,
    to,
    now,
  }: { readonly userId?: number; readonly from: number; readonly to: number; readonly now: number },
  limit: number,
) {
  const { id, startsAt, endsAt, personName, userName, updatedAt, expiresAt } = reservations
  return db
    .select({
      id,
      startsAt,
      endsAt,
      personName,
      userName,
      nickname: users.nickname,
      updatedAt,
      name: min(items.name),
      things: count(items.id),
    })
    .from(reservations)
    .innerJoin(items, and(eq(items.reservationId, id), isNotNull(items.busyUntil)))
    .leftJoin(users, eq(users.id, reservations.userId))
    .where(
      and(
        eq(reservations.orgId, orgId),
        inArray(reservations.status, ['REQUESTED', 'APPROVED', 'OUT']),
        or(isNull(expiresAt), gt(expiresAt, now)),
        gt(endsAt, from),
        lt(startsAt, to),
        userId === undefined ? undefined : and(eq(reservations.userId, userId), isNotNull(reservations.userId)),
      ),
    )
    .groupBy(id, startsAt, endsAt, personName, userName, users.nickname, updatedAt)
    .orderBy(asc(startsAt), asc(id))
    .limit(limit)
}
