import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import type { Page } from '#db/paging.ts'
import { pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { assetCategories, assets } from '#db/schema/assets.ts'
import { orgMembers } from '#db/schema/orgs.ts'
import {
  assetReservationItems as items,
  assetReservations as reservations,
  type ReservationStatus,
} from '#db/schema/reservations.ts'
import type { Db, Tx } from '#db/store.ts'
import { within } from '#domains/admin/index.ts'

import type { AllReservationsQuery, ReservationsQuery } from './reservations.model.ts'

export type ReservationRow = typeof reservations.$inferSelect
export type ItemRow = typeof items.$inferSelect

export const versionOfReservation = versionIn(reservations)

const p = sql.placeholder
const orgById = prepared((db) =>
  db
    .select({ orgId: reservations.orgId })
    .from(reservations)
    .where(eq(reservations.id, p('id'))),
)

/** The organization of a reservation; undefined for an unknown id. */
export const organizationOfReservation = async (db: Db, id: number): Promise<number | undefined> =>
  (await orgById(db, { id }))[0]?.orgId

const one = (orgId: number, id: number) => and(eq(reservations.orgId, orgId), eq(reservations.id, id))

export async function findReservation(db: Db | Tx, orgId: number, id: number): Promise<ReservationRow | undefined> {
  return (await db.select().from(reservations).where(one(orgId, id)))[0]
}

/** The same, locked until the write ends. */
export async function lockReservation(tx: Tx, orgId: number, id: number): Promise<ReservationRow | undefined> {
  if (dialect === 'sqlite') return findReservation(tx, orgId, id)
  return (
    await tx
      .select()
      .from(reservations)
      .where(sql`${one(orgId, id)} for update`)
  )[0]
}

/** Locks a membership, so that the reservations of a member are counted one after the other. False if there is none. */
export async function lockMember(tx: Tx, orgId: number, userId: number): Promise<boolean> {
  const where = and(eq(orgMembers.orgId, orgId), eq(orgMembers.userId, userId))
  const rows = await tx
    .select({ userId: orgMembers.userId })
    .from(orgMembers)
    .where(dialect === 'sqlite' ? where : sql`${where} for update`)
  return rows.length > 0
}

/** By reservation, in the order of their ids. */
export async function itemsOf(db: Db | Tx, ids: readonly number[]): Promise<Map<number, ItemRow[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select()
    .from(items)
    .where(inArray(items.reservationId, [...ids]))
    .orderBy(asc(items.id))
  return Map.groupBy(rows, (row) => row.reservationId)
}

/** The reservation that this request of the user has made since `since`. An older one lets the name go. */
export async function findByRequest(
  tx: Tx,
  userId: number,
  requestId: string,
  since: number,
): Promise<ReservationRow | undefined> {
  const isIt = and(eq(reservations.createdBy, userId), eq(reservations.requestId, requestId))
  const [row] = await tx
    .select()
    .from(reservations)
    .where(and(isIt, isNotNull(reservations.requestId)))
  if (row === undefined || row.createdAt >= since) return row
  await tx.update(reservations).set({ requestId: null }).where(eq(reservations.id, row.id))
  return undefined
}

type Managed = 'id' | 'version' | 'createdAt' | 'updatedAt'

export async function insertReservation(tx: Tx, values: Omit<ReservationRow, Managed>): Promise<ReservationRow> {
  const [row] = await tx
    .insert(reservations)
    .values({ ...values, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

export type NewItem = Pick<ItemRow, 'assetId' | 'supplyId' | 'quantity' | 'categoryId' | 'name' | 'assetNo'>

/** Inserts the items of a reservation. From now on nobody else can have their assets. */
export async function insertItems(
  tx: Tx,
  { id, orgId, startsAt, endsAt }: ReservationRow,
  given: readonly NewItem[],
): Promise<ItemRow[]> {
  const times = { startsAt, endsAt, busyUntil: endsAt }
  return tx
    .insert(items)
    .values(given.map((item) => ({ ...item, ...times, reservationId: id, orgId })))
    .returning()
}

export const deleteItems = async (tx: Tx, ids: readonly number[]): Promise<void> =>
  void (ids.length > 0 && (await tx.delete(items).where(inArray(items.id, [...ids]))))

export const updateItem = async (tx: Tx, id: number, change: Partial<ItemRow>): Promise<void> =>
  void (await tx.update(items).set(change).where(eq(items.id, id)))

/** Items of the other reservations of a person by which some of these supplies are out; without an account, those of everybody without one. */
export const outItemsOf = (
  tx: Tx,
  { id, orgId, userId }: ReservationRow,
  supplyIds: readonly number[],
): Promise<(Pick<ItemRow, 'supplyId' | 'busyUntil'> & Pick<ReservationRow, 'userId' | 'personName'>)[]> =>
  tx
    .select({
      supplyId: items.supplyId,
      busyUntil: items.busyUntil,
      userId: reservations.userId,
      personName: reservations.personName,
    })
    .from(items)
    .innerJoin(reservations, eq(reservations.id, items.reservationId))
    .where(
      and(
        eq(items.orgId, orgId),
        inArray(items.supplyId, [...supplyIds]),
        isNotNull(items.supplyId),
        isNotNull(items.busyUntil),
        eq(items.state, 'OUT'),
        ne(items.reservationId, id),
        userId === null ? isNull(reservations.userId) : eq(reservations.userId, userId),
      ),
    )

/** Items that still keep something have other times. */
export const moveItems = async (tx: Tx, id: number, { from, to }: { from: number; to: number }): Promise<void> =>
  void (await tx
    .update(items)
    .set({ startsAt: from, endsAt: to, busyUntil: to })
    .where(and(eq(items.reservationId, id), isNotNull(items.busyUntil))))

/** `row` as it was read in this write. */
export async function updateReservation(
  tx: Tx,
  { id, orgId, version }: ReservationRow,
  change: Partial<ReservationRow>,
): Promise<ReservationRow> {
  const [row] = await tx
    .update(reservations)
    .set({ ...change, version: version + 1, updatedAt: tx.stamp })
    .where(one(orgId, id))
    .returning()
  return row!
}

/** Nobody has to wait for these reservations any longer. */
export const release = async (tx: Tx, where: SQL): Promise<void> =>
  void (await tx
    .update(items)
    .set({ busyUntil: null })
    .where(and(isNotNull(items.busyUntil), where)))

export const releaseItems = (tx: Tx, ids: readonly number[]): Promise<void> =>
  release(tx, inArray(items.reservationId, [...ids]))
/** Those that were not picked up. */
export const releaseWaiting = (tx: Tx, id: number): Promise<void> =>
  release(tx, and(eq(items.reservationId, id), eq(items.state, 'WAITING'))!)

export const OPEN = ['REQUESTED', 'APPROVED', 'OUT'] as const satisfies ReservationStatus[]
const UPCOMING = ['REQUESTED', 'APPROVED'] as const satisfies ReservationStatus[]

/** Reservations, or items of reservations, that have not expired. */
export const isUnexpired = (now: number) => or(isNull(reservations.expiresAt), gt(reservations.expiresAt, now))

/** The open reservations for a member, and the assets in them. */
export async function countOpen(
  tx: Tx,
  orgId: number,
  userId: number,
  now: number,
  except?: number,
): Promise<{ reservations: number; items: number }> {
  const [row] = await tx
    .select({
      reservations: sql<number>`count(distinct ${reservations.id})`.mapWith(Number),
      items:
        sql<number>`count(case when ${items.busyUntil} is not null and ${items.assetId} is not null then 1 end)`.mapWith(
          Number,
        ),
    })
    .from(reservations)
    .leftJoin(items, eq(items.reservationId, reservations.id))
    .where(
      and(
        eq(reservations.orgId, orgId),
        eq(reservations.userId, userId),
        inArray(reservations.status, [...OPEN]),
        isUnexpired(now),
        except === undefined ? undefined : sql`${reservations.id} <> ${except}`,
      ),
    )
  return row!
}

/** Number of the reservations of an organization that are open. */
export async function countOpenOfOrg(db: Db | Tx, orgId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(reservations)
    .where(and(eq(reservations.orgId, orgId), inArray(reservations.status, [...OPEN])))
  return row!.n
}

/** The categories of an organization with what each says about reservations itself. */
export const bookingNodes = (db: Db | Tx, orgId: number) =>
  db
    .select({ id: assetCategories.id, parentId: assetCategories.parentId, booking: assetCategories.booking })
    .from(assetCategories)
    .where(and(eq(assetCategories.owner, orgId), isNull(assetCategories.deletedAt)))

// Lists.

const itemWhere = (db: Db, where: SQL | undefined) =>
  exists(
    db
      .select({ one: sql`1` })
      .from(items)
      .where(and(eq(items.reservationId, reservations.id), where)),
  )

/** `categoryIds`: of the category that the query names, and those below it. Newest first. */
export function reservationsPage(
  db: Db,
  orgId: number,
  query: Omit<ReservationsQuery, 'orgId' | 'mine'>,
  categoryIds: readonly number[] | undefined,
  now: number,
): Promise<Page<ReservationRow>> {
  const { status, assetId, userId, from, to } = query
  const ofCategories = () =>
    exists(
      db
        .select({ one: sql`1` })
        .from(items)
        .innerJoin(assets, eq(assets.id, items.assetId))
        .where(and(eq(items.reservationId, reservations.id), inArray(assets.categoryId, [...categoryIds!]))),
    )
  const where = and(
    eq(reservations.orgId, orgId),
    status === undefined ? undefined : statusWhere(status, now),
    userId === undefined ? undefined : and(eq(reservations.userId, userId), isNotNull(reservations.userId)),
    assetId === undefined ? undefined : itemWhere(db, and(eq(items.assetId, assetId), isNotNull(items.assetId))),
    categoryIds && ofCategories(),
    from === undefined ? undefined : gt(reservations.endsAt, from),
    to === undefined ? undefined : lt(reservations.startsAt, to),
  )
  return pageOf(db, reservations, { where, orderBy: [desc(reservations.id)], page: query })
}

/** A reservation that has expired is EXPIRED, also if the job has not seen it yet. */
function statusWhere(statuses: readonly ReservationStatus[], now: number): SQL | undefined {
  const stored = inArray(reservations.status, [...statuses])
  const isOver = and(inArray(reservations.status, [...UPCOMING]), lte(reservations.expiresAt, now))!
  const isUpcoming = statuses.some((status) => (UPCOMING as readonly string[]).includes(status))
  if (statuses.includes('EXPIRED')) return or(stored, isOver)
  return isUpcoming ? and(stored, or(isUnexpired(now), eq(reservations.status, 'OUT'))) : stored
}

export const allReservations = ({ status, orgId, userId, from, to, sort }: AllReservationsQuery) => ({
  table: reservations,
  scope: and(
    orgId === undefined ? undefined : eq(reservations.orgId, orgId),
    within(reservations.createdAt, { from, to }),
  ),
  where: and(
    status === undefined ? undefined : inArray(reservations.status, [...status]),
    userId === undefined ? undefined : eq(reservations.createdBy, userId),
  ),
  order: [reservations.createdAt, reservations.id],
  isReversed: sort !== 'createdAt',
  select: (db: Pick<Db, 'select'>) => db.select().from(reservations).$dynamic(),
})
