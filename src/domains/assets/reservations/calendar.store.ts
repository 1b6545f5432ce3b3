/** Entries of the calendar of an organization. */

import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { assetMaintenanceDues as dues, assetMaintenancePlans as plans } from '#db/schema/asset-maintenance.ts'
import { assetLoans, assets } from '#db/schema/assets.ts'
import { assetReservationItems as items, assetReservations as reservations } from '#db/schema/reservations.ts'
import type { Db } from '#db/store.ts'

import { isUnexpired } from './reservations.store.ts'

export interface CalendarFilter {
  readonly from: number
  readonly to: number
  readonly now: number
  readonly assetId?: number | undefined
  readonly categoryIds?: readonly number[] | undefined
  readonly locationIds?: readonly number[] | undefined
}

const assetFilter = ({ assetId, categoryIds, locationIds }: CalendarFilter): SQL | undefined =>
  and(
    assetId === undefined ? undefined : eq(assets.id, assetId),
    categoryIds && inArray(assets.categoryId, [...categoryIds]),
    locationIds && inArray(assets.locationId, [...locationIds]),
  )

const nameOf = (named: typeof reservations | typeof assetLoans) =>
  named === reservations
    ? sql<string | null>`coalesce(${reservations.personName}, ${reservations.userName}, ${users.nickname})`
    : sql<string | null>`coalesce(${assetLoans.personName}, ${users.nickname})`

/** Assets and supplies that open reservations keep in a time. */
export const reservedEntries = (db: Db, orgId: number, filter: CalendarFilter, limit: number) =>
  db
    .select({
      assetId: items.assetId,
      supplyId: items.supplyId,
      quantity: items.quantity,
      from: items.startsAt,
      to: items.busyUntil,
      reservationId: items.reservationId,
      userId: reservations.userId,
      name: nameOf(reservations),
    })
    .from(items)
    .innerJoin(reservations, eq(reservations.id, items.reservationId))
    .leftJoin(users, eq(users.id, reservations.userId))
    .leftJoin(assets, eq(assets.id, items.assetId))
    .where(
      and(
        eq(items.orgId, orgId),
        isNotNull(items.busyUntil),
        gt(items.busyUntil, filter.from),
        lt(items.startsAt, filter.to),
        isUnexpired(filter.now),
        assetFilter(filter),
      ),
    )
    .orderBy(asc(items.startsAt), asc(items.id))
    .limit(limit)

/** Open loans without a reservation in a time. */
export const lentEntries = (db: Db, orgId: number, filter: CalendarFilter, limit: number) =>
  db
    .select({
      assetId: assetLoans.assetId,
      from: assetLoans.checkedOutAt,
      to: assetLoans.dueAt,
      userId: assetLoans.userId,
      name: nameOf(assetLoans),
    })
    .from(assetLoans)
    .innerJoin(assets, eq(assets.id, assetLoans.assetId))
    .leftJoin(users, eq(users.id, assetLoans.userId))
    .where(
      and(
        eq(assetLoans.owner, orgId),
        isNull(assetLoans.checkedInAt),
        isNull(assetLoans.reservationId),
        lt(assetLoans.checkedOutAt, filter.to),
        or(isNull(assetLoans.dueAt), gt(assetLoans.dueAt, filter.from)),
        assetFilter(filter),
      ),
    )
    .orderBy(asc(assetLoans.checkedOutAt), asc(assetLoans.id))
    .limit(limit)

/** Maintenance that is due on these days, inclusive. */
export const maintenanceEntries = (
  db: Db,
  orgId: number,
  { from, to }: { readonly from: string; readonly to: string },
  filter: CalendarFilter,
  limit: number,
) =>
  db
    .select({ assetId: dues.assetId, day: dues.dueOn, name: plans.name })
    .from(dues)
    .innerJoin(assets, eq(assets.id, dues.assetId))
    .innerJoin(plans, eq(plans.id, dues.planId))
    .where(and(eq(dues.owner, orgId), gte(dues.dueOn, from), lte(dues.dueOn, to), assetFilter(filter)))
    .orderBy(asc(dues.dueOn), asc(dues.assetId), asc(dues.planId))
    .limit(limit)
