import { and, count, desc, eq, gte, isNull, lt, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { pagedTable } from '#db/lists.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { qrCodes, scanRecords } from '#db/schema/qr-codes.ts'
import type { Db, Tx } from '#db/store.ts'
import { updatedAtFor } from '#db/updated-at.ts'
import type { OffsetSpan } from '#lib/days.ts'
import { DAY } from '#platform/clock.ts'

import type { ListQuery, UpdateScan } from './model.ts'

export type ScanRow = typeof scanRecords.$inferSelect
type NewScan = Omit<typeof scanRecords.$inferInsert, 'id' | 'userId'>

const ownedBy = (userId: number, ...more: (SQL | undefined)[]) => and(eq(scanRecords.userId, userId), ...more)

const listed = pagedTable(scanRecords, ['id', 'userId', 'scannedAt', 'createdAt'])
const ofUser = listed.list({
  owner: ['userId'],
  orders: { scannedAt: ['scannedAt', 'createdAt', 'id'] },
  sort: '-scannedAt',
  select: (db) => db.select().from(scanRecords).$dynamic(),
})

/** Newest first. */
export const scansPage = (db: Db, userId: number, query: PageInput): Promise<Page<ScanRow>> =>
  ofUser.page(db, { userId }, query)

export function filteredPage(db: Db, userId: number, query: ListQuery): Promise<Page<ScanRow>> {
  const { favorite, contentType, source, from, to, keyword } = query
  const texts = [scanRecords.content, scanRecords.title, scanRecords.address]
  const where = ownedBy(
    userId,
    favorite === undefined ? undefined : eq(scanRecords.favorite, favorite),
    contentType === undefined ? undefined : eq(scanRecords.contentType, contentType),
    source === undefined ? undefined : eq(scanRecords.source, source),
    from === undefined ? undefined : gte(scanRecords.scannedAt, from),
    to === undefined ? undefined : lt(scanRecords.scannedAt, to),
    keyword ? or(...texts.map((column) => contains(column, keyword))) : undefined,
  )
  return pageOf(db, scanRecords, {
    where,
    orderBy: [desc(scanRecords.scannedAt), desc(scanRecords.id)],
    page: query,
  })
}

/** A code that the user may see: one of their own, or a public one. Codes in the trash are not found. */
export async function findVisibleCode(
  db: Db,
  userId: number,
  uuid: string,
): Promise<{ id: number; name: string } | undefined> {
  const [row] = await visibleCode(db, { userId, uuid })
  return row
}

const visibleCode = prepared((db) =>
  db
    .select({ id: qrCodes.id, name: qrCodes.name })
    .from(qrCodes)
    .where(
      and(
        eq(qrCodes.uuid, sql.placeholder('uuid')),
        isNull(qrCodes.deletedAt),
        or(eq(qrCodes.isPublic, true), and(eq(qrCodes.userId, sql.placeholder('userId')), eq(qrCodes.orgId, 0))),
      ),
    ),
)

export async function insertScan(tx: Tx, userId: number, values: NewScan): Promise<ScanRow> {
  const [row] = await tx
    .insert(scanRecords)
    .values({ ...values, userId })
    .returning()
  listed.inserted(tx, row!)
  return row!
}

export async function updateScan(tx: Tx, userId: number, id: number, change: UpdateScan): Promise<ScanRow | undefined> {
  const [row] = await tx
    .update(scanRecords)
    .set({ ...change, updatedAt: updatedAtFor(scanRecords, change, tx.stamp) })
    .where(ownedBy(userId, eq(scanRecords.id, id)))
    .returning()
  return row
}

/** False if the user has no such record. */
export async function deleteScan(tx: Tx, userId: number, id: number): Promise<boolean> {
  const [row] = await tx
    .delete(scanRecords)
    .where(ownedBy(userId, eq(scanRecords.id, id)))
    .returning(listed.columns)
  if (row) listed.deleted(tx, row)
  return row !== undefined
}

export async function scanTotals(db: Db, userId: number) {
  return db
    .select({
      contentType: scanRecords.contentType,
      source: scanRecords.source,
      favorite: scanRecords.favorite,
      n: count(),
    })
    .from(scanRecords)
    .where(ownedBy(userId))
    .groupBy(scanRecords.contentType, scanRecords.source, scanRecords.favorite)
}

/** Number of scans on each day, by day number since 1970 in the offset of this part of the range. */
export async function scansByDay(db: Db, userId: number, { from, to, offset }: OffsetSpan) {
  const day = sql<number>`(${scanRecords.scannedAt} + ${sql.raw(String(offset))}) / ${sql.raw(String(DAY))}`.mapWith(
    Number,
  )
  return db
    .select({ day, n: count() })
    .from(scanRecords)
    .where(ownedBy(userId, gte(scanRecords.scannedAt, from), lt(scanRecords.scannedAt, to)))
    .groupBy(day)
}
