/** Queries of the parts of digests about reservations and supplies. */

import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, ne } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { users } from '#db/schema/accounts.ts'
import { assetCategories, assets } from '#db/schema/assets.ts'
import { orgMembers } from '#db/schema/orgs.ts'
import { assetReservationItems as items, assetReservations as reservations } from '#db/schema/reservations.ts'
import { supplies, supplyLoans } from '#db/schema/supplies.ts'
import type { Db } from '#db/store.ts'

import { bookingsOfMany } from '../categories/categories.store.ts'
import { COUNTED, type DigestOwner, type DigestPerson } from './digests.model.ts'
import type { LoanThing } from './parts.store.ts'

const LIMIT = COUNTED + 1
/** Requests of all organizations of a user that are looked through. */
const REQUESTS = 500

const orgsOf = (owners: readonly DigestOwner[]): number[] => owners.flatMap(({ owner }) => (owner > 0 ? owner : []))

/** Decides whether the user gets a thing for which an owner may have named users: they, if one of them is there, or else the keepers. */
async function receives(
  db: Db,
  { userId, owners }: DigestPerson,
  named: readonly number[],
): Promise<(owner: OwnerKey, named: readonly number[]) => boolean> {
  const orgIds = orgsOf(owners)
  const others = [...new Set(named)].filter((id) => id !== userId)
  const rows =
    orgIds.length === 0 || others.length === 0
      ? []
      : await db
          .select({ orgId: orgMembers.orgId, userId: orgMembers.userId })
          .from(orgMembers)
          .innerJoin(users, eq(users.id, orgMembers.userId))
          .where(and(inArray(orgMembers.orgId, orgIds), inArray(orgMembers.userId, others), eq(users.status, 'ACTIVE')))
  const ready = new Set(rows.map((row) => `${row.orgId} ${row.userId}`))
  const keeps = new Set(owners.flatMap(({ owner, isKeeper }) => (isKeeper ? owner : [])))
  return (owner, ids) => ids.includes(userId) || (keeps.has(owner) && !ids.some((id) => ready.has(`${owner} ${id}`)))
}

export interface ReservationThing {
  /** For whom it is. */
  readonly person: string
  readonly from: number
  readonly to: number
  readonly things: readonly { readonly name: string; readonly assetNo: string; readonly quantity: number }[]
}

/** Requests for which the user decides: as a keeper of a category, or else of the organization. The earliest first. */
export async function requestedOf(db: Db, person: DigestPerson): Promise<ReservationThing[]> {
  const orgIds = orgsOf(person.owners)
  if (orgIds.length === 0) return []
  const rows = await db
    .select()
    .from(reservations)
    .where(and(inArray(reservations.orgId, orgIds), eq(reservations.status, 'REQUESTED')))
    .orderBy(asc(reservations.startsAt), asc(reservations.id))
    .limit(REQUESTS)
  const parts = await itemsOf(db, rows)
  const bookings = await bookingsOfMany(
    db,
    [...parts.values()].flat().flatMap(({ categoryId }) => categoryId ?? []),
  )
  const namedOf = ({ id }: { id: number }): number[] =>
    (parts.get(id) ?? []).flatMap(({ categoryId }) => bookings.get(categoryId ?? 0)?.keeperIds ?? [])
  const isMine = await receives(db, person, rows.flatMap(namedOf))
  return rows.filter((row) => isMine(row.orgId, namedOf(row))).map((row) => toThing(row, parts))
}

/** Approved reservations of the user that begin before the time that the organization gives. The earliest first. */
export async function pickUpsOf(
  db: Db,
  { userId, owners }: DigestPerson,
  before: (owner: DigestOwner) => number,
): Promise<ReservationThing[]> {
  const times = new Map(owners.map((owner) => [owner.owner, before(owner)]))
  const rows = await db
    .select()
    .from(reservations)
    .where(and(eq(reservations.userId, userId), eq(reservations.status, 'APPROVED')))
    .orderBy(asc(reservations.startsAt), asc(reservations.id))
    .limit(LIMIT)
  const near = rows.filter(({ orgId, startsAt }) => startsAt < (times.get(orgId) ?? 0))
  const parts = await itemsOf(db, near)
  return near.map((row) => toThing(row, parts))
}

type Row = typeof reservations.$inferSelect
type Item = Awaited<ReturnType<typeof itemsOf>> extends Map<number, (infer One)[]> ? One : never

const toThing = (
  { id, userName, personName, startsAt, endsAt }: Row,
  parts: ReadonlyMap<number, readonly Item[]>,
): ReservationThing => ({
  person: userName ?? personName ?? '',
  from: startsAt,
  to: endsAt,
  things: parts.get(id) ?? [],
})

async function itemsOf(db: Db, rows: readonly Row[]) {
  if (rows.length === 0) return new Map<number, never[]>()
  const found = await db
    .select({
      reservationId: items.reservationId,
      name: items.name,
      assetNo: items.assetNo,
      quantity: items.quantity,
      categoryId: assets.categoryId,
    })
    .from(items)
    .leftJoin(assets, eq(assets.id, items.assetId))
    .where(
      inArray(
        items.reservationId,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(asc(items.id))
  return Map.groupBy(found, ({ reservationId }) => reservationId)
}

/** Organizations with requests, and users whom their categories name. */
export async function peopleOfRequests(db: Db) {
  const rows = await db
    .selectDistinct({ orgId: reservations.orgId })
    .from(reservations)
    // With the condition of the index of those that can expire.
    .where(and(isNotNull(reservations.expiresAt), eq(reservations.status, 'REQUESTED')))
  const owners = rows.map(({ orgId }) => orgId)
  const userIds: number[] = []
  for (let at = 0; at < owners.length; at += 500) {
    const booked = await db
      .select({ booking: assetCategories.booking })
      .from(assetCategories)
      .where(
        and(
          inArray(assetCategories.owner, owners.slice(at, at + 500)),
          isNull(assetCategories.deletedAt),
          isNotNull(assetCategories.booking),
        ),
      )
    for (const { booking } of booked) userIds.push(...booking!.keeperIds)
  }
  return { userIds, owners }
}

/** Users with approved reservations that begin before `to`. */
export async function peopleOfPickUps(db: Db, to: number): Promise<number[]> {
  const rows = await db
    .selectDistinct({ userId: reservations.userId })
    .from(reservations)
    .where(
      and(
        isNotNull(reservations.expiresAt),
        eq(reservations.status, 'APPROVED'),
        lt(reservations.startsAt, to),
        isNotNull(reservations.userId),
      ),
    )
  return rows.map(({ userId }) => userId!)
}

const isLow = and(isNull(supplies.deletedAt), isNotNull(supplies.lowSince))

export interface LowThing {
  readonly name: string
  readonly supplyNo: string
  readonly unit: string
  readonly stock: number
  /** Up to the target, or to the minimum without one. */
  readonly toOrder: number
}

/** Supplies that are low: of the user as a named keeper, or else as one of the owner. */
export async function lowOf(db: Db, person: DigestPerson): Promise<LowThing[]> {
  const rows = await db
    .select()
    .from(supplies)
    .where(
      and(
        inArray(
          supplies.owner,
          person.owners.map(({ owner }) => owner),
        ),
        isLow,
      ),
    )
    .orderBy(asc(supplies.owner), asc(supplies.id))
    .limit(LIMIT)
  const isMine = await receives(
    db,
    person,
    rows.flatMap(({ keeperIds }) => keeperIds),
  )
  return rows
    .filter(({ owner, keeperIds }) => isMine(owner, keeperIds))
    .map(({ name, supplyNo, unit, stock, minimum, target }) => ({
      name,
      supplyNo,
      unit,
      stock,
      toOrder: Math.max(0, (target ?? minimum ?? 0) - stock),
    }))
}

export async function peopleOfLow(db: Db) {
  const owners = await db.selectDistinct({ owner: supplies.owner }).from(supplies).where(isLow)
  const named = await db
    .select({ keeperIds: supplies.keeperIds })
    .from(supplies)
    .where(and(isLow, ne(supplies.keeperIds, [])))
  return { owners: owners.map(({ owner }) => owner), userIds: named.flatMap(({ keeperIds }) => keeperIds) }
}

/** Supplies that the user is to return. */
export async function dueSupplies(
  db: Db,
  { userId, owners }: DigestPerson,
  range: (owner: DigestOwner) => { readonly from: number; readonly to: number },
): Promise<LoanThing[]> {
  const ranges = new Map(owners.map((owner) => [owner.owner, range(owner)]))
  const rows = await db
    .select({
      owner: supplies.owner,
      name: supplies.name,
      supplyNo: supplies.supplyNo,
      quantity: supplyLoans.quantity,
      dueAt: supplyLoans.dueAt,
    })
    .from(supplyLoans)
    .innerJoin(supplies, eq(supplies.id, supplyLoans.supplyId))
    .where(
      and(
        eq(supplyLoans.userId, userId),
        ne(supplyLoans.userId, 0),
        isNotNull(supplyLoans.dueAt),
        gt(supplyLoans.quantity, 0),
        isNull(supplies.deletedAt),
      ),
    )
    .limit(LIMIT)
  return rows
    .filter(({ owner, dueAt }) => {
      const within = ranges.get(owner)
      return within !== undefined && dueAt! >= within.from && dueAt! < within.to
    })
    .map(({ name, supplyNo, quantity, dueAt }) => ({
      name: `${quantity} × ${name}`,
      assetNo: supplyNo,
      dueAt: dueAt!,
      borrower: null,
    }))
}

/** Users who are to return supplies before `to`. */
export async function peopleOfSupplies(db: Db, to: number): Promise<number[]> {
  const rows = await db
    .selectDistinct({ userId: supplyLoans.userId })
    .from(supplyLoans)
    .where(and(ne(supplyLoans.userId, 0), lt(supplyLoans.dueAt, to)))
  return rows.map(({ userId }) => userId)
}
