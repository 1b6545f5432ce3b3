import { and, count, desc, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { pagedTable } from '#db/lists.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { qrCodes, scanRecords } from '#db/schema/qr-codes.ts'
import type { Db, Tx } from '#db/store.ts'
import type { OffsetSpan } from '#lib/days.ts'
import { DAY } from '#platform/clock.ts'

import type { ListQuery, UpdateScan } from './model.ts'

export type ScanRow = typeof scanRecords.$inferSelect
type NewScan = Omit<typeof scanRecords.$inferInsert, 'id' | 'userId'>

const of = (userId: number, ...more: (SQL | undefined)[]) => and(eq(scanRecords.userId, userId), ...more)

const listed = pagedTable(scanRecords, ['id', 'userId', 'scannedAt'])
const whole = listed.list({
  owner: ['userId'],
  orders: { scannedAt: ['scannedAt', 'id'] },
  sort: '-scannedAt',
  select: (db) => db.select().from(scanRecords).$dynamic(),
})

/** Newest first. */
export const wholePage = (db: Db, userId: number, query: PageInput): Promise<Page<ScanRow>> =>
  whole.page(db, { userId }, query)

export function filteredPage(db: Db, userId: number, query: ListQuery): Promise<Page<ScanRow>> {
  const { favorite, contentType, source, from, to, keyword } = query
  const texts = [scanRecords.content, scanRecords.title, scanRecords.address]
  const where = of(
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

/** A code that `userId` may know of: their own, or a public one. Not what is in the trash. */
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
        sql`${qrCodes.deletedAt} is null`,
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
    .set({ ...change, updatedAt: tx.stamp })
    .where(of(userId, eq(scanRecords.id, id)))
    .returning()
  return row
}

/** False when there is no such record of the user's. */
export async function deleteScan(tx: Tx, userId: number, id: number): Promise<boolean> {
  const [row] = await tx
    .delete(scanRecords)
    .where(of(userId, eq(scanRecords.id, id)))
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
    .where(of(userId))
    .groupBy(scanRecords.contentType, scanRecords.source, scanRecords.favorite)
}

/** How many scans fall on each day number of a stretch. */
export async function scansByDay(db: Db, userId: number, { from, to, offset }: OffsetSpan) {
  const day = sql<number>`(${scanRecords.scannedAt} + ${sql.raw(String(offset))}) / ${sql.raw(String(DAY))}`.mapWith(
    Number,
  )
  return db
    .select({ day, n: count() })
    .from(scanRecords)
    .where(of(userId, gte(scanRecords.scannedAt, from), lt(scanRecords.scannedAt, to)))
    .groupBy(day)
}
