import { and, asc, count, desc, eq, gt, gte, lt, lte, sql } from 'drizzle-orm'

import { qrCodes, qrCodeScans } from '#db/schema/qr-codes.ts'
import { qrLinks } from '#db/schema/qr-links.ts'
import { qrScanDetails } from '#db/schema/qr-visits.ts'
import type { Db } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import type { OffsetSpan } from '#lib/days.ts'
import { DAY } from '#platform/clock.ts'

import { isLive, ownedBy } from '../codes/codes.store.ts'

const live = (owner: Owner) => and(ownedBy(owner), isLive)

export const countByCategory = (db: Db, owner: Owner) =>
  db.select({ categoryId: qrCodes.categoryId, n: count() }).from(qrCodes).where(live(owner)).groupBy(qrCodes.categoryId)

export const countByType = (db: Db, owner: Owner) =>
  db
    .select({ contentType: qrCodes.contentType, n: count() })
    .from(qrCodes)
    .where(live(owner))
    .groupBy(qrCodes.contentType)

/** Number of codes created on each day, by day number since 1970 in the offset of this part of the range. */
export function countByDay(db: Db, owner: Owner, { from, to, offset }: OffsetSpan) {
  // Literals instead of parameters: PostgreSQL would not treat the two occurrences of `day` as the same expression.
  const day = sql<number>`(${qrCodes.createdAt} + ${sql.raw(String(offset))}) / ${sql.raw(String(DAY))}`.mapWith(Number)
  return db
    .select({ day, n: count() })
    .from(qrCodes)
    .where(and(live(owner), gte(qrCodes.createdAt, from), lt(qrCodes.createdAt, to)))
    .groupBy(day)
}

/** `trashSince`: the time at which the codes that can be restored begin. */
export async function totals(db: Db, owner: Owner, trashSince: number) {
  const [codes] = await db
    .select({
      publicCount: sql<number>`coalesce(sum(case when ${eq(qrCodes.isPublic, true)} then 1 else 0 end), 0)`.mapWith(
        Number,
      ),
      scanCount: sql<number>`coalesce(sum(${qrCodes.scanCount}), 0)`.mapWith(Number),
    })
    .from(qrCodes)
    .where(live(owner))
  const [pinned] = await db
    .select({ n: count() })
    .from(qrCodes)
    .where(and(live(owner), eq(qrCodes.pinned, true)))
  const [trash] = await db
    .select({ n: count() })
    .from(qrCodes)
    .where(and(ownedBy(owner), gte(qrCodes.deletedAt, trashSince)))
  return { publicCount: codes!.publicCount, scanCount: codes!.scanCount, pinnedCount: pinned!.n, trashCount: trash!.n }
}

/** The codes with the most scans in a period, the most scanned first. */
export function mostScanned(
  db: Db,
  owner: Owner,
  { from, to }: { readonly from: number; readonly to: number },
  limit: number,
): Promise<{ id: number; name: string; count: number }[]> {
  const scans = sql<number>`sum(${qrCodeScans.scans})`.mapWith(Number)
  return db
    .select({ id: qrCodes.id, name: qrCodes.name, count: scans })
    .from(qrCodes)
    .innerJoin(qrCodeScans, eq(qrCodeScans.qrCodeId, qrCodes.id))
    .where(and(live(owner), gt(qrCodes.scanCount, 0), gte(qrCodeScans.startsAt, from), lt(qrCodeScans.startsAt, to)))
    .groupBy(qrCodes.id, qrCodes.name)
    .orderBy(desc(scans), asc(qrCodes.id))
    .limit(limit)
}

/** Openings by robots on the UTC days from `first` to `last`. */
export async function countRobots(db: Db, owner: Owner, first: number, last: number): Promise<number> {
  const [row] = await db
    .select({ n: sql<number>`coalesce(sum(${qrScanDetails.robots}), 0)`.mapWith(Number) })
    .from(qrCodes)
    .innerJoin(qrScanDetails, eq(qrScanDetails.qrCodeId, qrCodes.id))
    .where(and(live(owner), gte(qrScanDetails.day, first), lte(qrScanDetails.day, last)))
  return row!.n
}

/** Scans of a code that another service counted. */
export async function earlierScans(db: Db, qrCodeId: number): Promise<number> {
  const [row] = await db.select({ n: qrLinks.earlierScans }).from(qrLinks).where(eq(qrLinks.qrCodeId, qrCodeId))
  return row?.n ?? 0
}
