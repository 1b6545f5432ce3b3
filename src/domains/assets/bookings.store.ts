/**
 * The times in which assets are reserved or lent. Everything that makes an asset busy first locks its row, so that of two writes that want it
 * for the same time the second one sees the first (docs/adr/0051-reservations.md).
 */

import { and, asc, eq, exists, gt, inArray, isNotNull, isNull, lt, ne, notExists, or, type SQL, sql } from 'drizzle-orm'

import { dialect, isOneOf } from '#db/dialect.ts'
import { assetLoans, assets } from '#db/schema/assets.ts'
import { assetReservationItems as items, assetReservations as reservations } from '#db/schema/reservations.ts'
import type { Db, SQLiteColumn, Tx } from '#db/store.ts'
import { topic } from '#platform/bus.ts'

/** Locks the assets until the write ends, in the order of their ids. On SQLite, writes run one after the other. */
export async function lockAssets(tx: Tx, ids: readonly number[]): Promise<void> {
  if (dialect === 'sqlite' || ids.length === 0) return
  await tx
    .select({ id: assets.id })
    .from(assets)
    .where(inArray(assets.id, [...new Set(ids)]))
    .orderBy(sql`${assets.id} for update`)
}

/** A time: `to` is the first moment that is no longer part of it. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** For loans without a due date. */
export const FOR_EVER = Number.MAX_SAFE_INTEGER

interface Question extends Span {
  readonly now: number
  /** A reservation that does not count, nor do its loans. */
  readonly except?: number | undefined
  /** A user whose reservations do not count. */
  readonly exceptUser?: number | null | undefined
}

/** Times in which an item keeps its asset from others, until its reservation expires. */
const isKept = ({ from, to, now, except, exceptUser }: Question): SQL =>
  and(
    gt(items.busyUntil, from),
    isNotNull(items.busyUntil),
    lt(items.startsAt, to),
    or(isNull(reservations.expiresAt), gt(reservations.expiresAt, now)),
    except === undefined ? undefined : ne(reservations.id, except),
    exceptUser == null ? undefined : or(isNull(reservations.userId), ne(reservations.userId, exceptUser)),
  )!

const isLent = ({ from, to, now, except }: Question): SQL =>
  and(
    isNull(assetLoans.checkedInAt),
    lt(assetLoans.checkedOutAt, to),
    // An overdue loan does not block later times.
    or(isNull(assetLoans.dueAt), and(gt(assetLoans.dueAt, from), gt(assetLoans.dueAt, now))),
    except === undefined ? undefined : or(isNull(assetLoans.reservationId), ne(assetLoans.reservationId, except)),
  )!

export interface BusyTime {
  readonly assetId: number
  readonly from: number
  /** Null for a loan without a due date. */
  readonly to: number | null
}

/** Reservations of these assets by others in a time. */
export async function reservedTimes(db: Db | Tx, assetIds: readonly number[], question: Question): Promise<BusyTime[]> {
  if (assetIds.length === 0) return []
  const rows = await db
    .select({ assetId: items.assetId, from: items.startsAt, to: items.busyUntil })
    .from(items)
    .innerJoin(reservations, eq(reservations.id, items.reservationId))
    .where(and(isOneOf(items.assetId, assetIds), isNotNull(items.assetId), isKept(question)))
    .orderBy(asc(items.startsAt), asc(items.id))
    .limit(MAX_TIMES)
  return rows.map((row) => ({ ...row, assetId: row.assetId! }))
}

/** Enough for an error, which lists 50. */
const MAX_TIMES = 500

/** Reservations and open loans of these assets in a time. */
export async function busyTimes(db: Db | Tx, assetIds: readonly number[], question: Question): Promise<BusyTime[]> {
  if (assetIds.length === 0) return []
  const loans = await db
    .select({ assetId: assetLoans.assetId, from: assetLoans.checkedOutAt, to: assetLoans.dueAt })
    .from(assetLoans)
    .where(and(isOneOf(assetLoans.assetId, assetIds), isLent(question)))
    .limit(MAX_TIMES)
  return [...loans, ...(await reservedTimes(db, assetIds, question))]
}

export interface PoolTime extends Span {
  readonly supplyId: number
  readonly quantity: number
}

/** How many of these supplies are reserved in a time, and when. */
export async function poolTimes(db: Db | Tx, supplyIds: readonly number[], question: Question): Promise<PoolTime[]> {
  if (supplyIds.length === 0) return []
  const rows = await db
    .select({ supplyId: items.supplyId, quantity: items.quantity, from: items.startsAt, to: items.busyUntil })
    .from(items)
    .innerJoin(reservations, eq(reservations.id, items.reservationId))
    .where(and(isOneOf(items.supplyId, supplyIds), isNotNull(items.supplyId), isKept(question)))
  return rows.map((row) => ({ ...row, supplyId: row.supplyId!, to: row.to! }))
}

/** Whether somebody has reserved some of a supply for now or later. */
export const isPoolReserved = async (db: Db | Tx, supplyId: number, now: number): Promise<boolean> =>
  (await poolTimes(db, [supplyId], { from: now, to: FOR_EVER, now })).length > 0

/**
 * Whether nobody has an asset of the organization in a time. For queries of many assets: two looks into indexes for each. PostgreSQL makes a join of
 * NOT EXISTS, for which it sorts all assets; it does not in a CASE, of which it expects that every second asset is free. Of a subquery that is
 * null it expects one in two hundred, so that it took a page for costly and compiled the query for two seconds.
 */
export function isFree(db: Db | Tx, assetId: SQLiteColumn, orgId: number, question: Question): SQL {
  const reserved = db
    .select({ one: sql`1` })
    .from(items)
    .innerJoin(reservations, eq(reservations.id, items.reservationId))
    .where(and(eq(items.assetId, assetId), isNotNull(items.assetId), eq(items.orgId, orgId), isKept(question)))
  const lent = db
    .select({ one: sql`1` })
    .from(assetLoans)
    .where(and(eq(assetLoans.assetId, assetId), eq(assetLoans.owner, orgId), isLent(question)))
  return sql`case when exists ${reserved} then false when exists ${lent} then false else true end`
}

/** The ids of the assets of an organization that somebody has in a time: all that `isFree` excludes. */
export function busyAssets(db: Db | Tx, orgId: number, question: Question) {
  const reserved = db
    .select({ id: sql<number>`${items.assetId}`.as('id') })
    .from(items)
    .innerJoin(reservations, eq(reservations.id, items.reservationId))
    .where(and(eq(items.orgId, orgId), isNotNull(items.assetId), isKept(question)))
  const lent = db
    .select({ id: sql<number>`${assetLoans.assetId}`.as('id') })
    .from(assetLoans)
    .where(and(eq(assetLoans.owner, orgId), isLent(question)))
  return sql`(select id from ${reserved} as reserved union select id from ${lent} as lent)`
}

/** Those of the assets that somebody has reserved for now or later. */
export async function reservedAmong(db: Db | Tx, assetIds: readonly number[], now: number): Promise<Set<number>> {
  if (assetIds.length === 0) return new Set()
  const rows = await db
    .selectDistinct({ id: items.assetId })
    .from(items)
    .innerJoin(reservations, eq(reservations.id, items.reservationId))
    .where(and(isOneOf(items.assetId, assetIds), isNotNull(items.assetId), isKept({ from: now, to: FOR_EVER, now })))
  return new Set(rows.map(({ id }) => id!))
}

/** Published when reservations have lost assets, so that the people are notified. */
export const assetsLost = topic<null>('assets.reservationsLost')

const anyBusyItem = (tx: Tx) =>
  tx
    .select({ one: sql`1` })
    .from(items)
    .where(and(eq(items.reservationId, reservations.id), isNotNull(items.busyUntil)))

/** Ends what waits for assets that are scrapped, lost or deleted. Reservations without another asset are cancelled. */
export async function endWaiting(tx: Tx, assetIds: readonly number[]): Promise<void> {
  if (assetIds.length === 0) return
  const ended = await tx
    .update(items)
    .set({ busyUntil: null, lostAt: tx.stamp })
    .where(
      and(
        isOneOf(items.assetId, assetIds),
        isNotNull(items.assetId),
        isNotNull(items.busyUntil),
        eq(items.state, 'WAITING'),
      ),
    )
    .returning({ reservationId: items.reservationId })
  if (ended.length === 0) return
  const ids = [...new Set(ended.map((row) => row.reservationId))].toSorted((a, b) => a - b)
  const closed = { expiresAt: null, announceAt: null }
  await touch(tx, and(inArray(reservations.id, ids), isUpcoming, notExists(anyBusyItem(tx)))!, {
    ...closed,
    status: 'CANCELLED',
  })
  await finish(tx, ids)
  tx.publish(assetsLost, null)
}

const isUpcoming = inArray(reservations.status, ['REQUESTED', 'APPROVED'])

/** Changes reservations, whose versions rise. Returns their ids. */
export async function touch(
  tx: Tx,
  where: SQL,
  change: Partial<typeof reservations.$inferInsert>,
): Promise<{ id: number }[]> {
  return tx
    .update(reservations)
    .set({ ...change, version: sql`${reservations.version} + 1`, updatedAt: tx.stamp })
    .where(where)
    .returning({ id: reservations.id })
}

/** A reservation without an item that is out or waits is RETURNED. */
export async function finish(tx: Tx, ids: readonly number[]): Promise<void> {
  const isOpen = and(inArray(reservations.id, [...ids]), eq(reservations.status, 'OUT'))
  await touch(tx, and(isOpen, notExists(anyBusyItem(tx)))!, { status: 'RETURNED', expiresAt: null })
}

/** The loans have ended: so have the items of reservations that they belong to. */
export async function itemsReturned(
  tx: Tx,
  loans: readonly { readonly id: number; readonly reservationId: number | null }[],
): Promise<void> {
  const ids = [...new Set(loans.flatMap(({ reservationId }) => reservationId ?? []))].toSorted((a, b) => a - b)
  if (ids.length === 0) return
  await tx
    .update(items)
    .set({ state: 'RETURNED', busyUntil: null })
    .where(
      and(
        inArray(items.reservationId, ids),
        inArray(
          items.loanId,
          loans.map(({ id }) => id),
        ),
      ),
    )
  await touch(tx, and(inArray(reservations.id, ids), exists(anyBusyItem(tx)))!, {})
  await finish(tx, ids)
}
