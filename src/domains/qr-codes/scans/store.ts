import { and, asc, count, desc, eq, gte, inArray, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { isWholeText } from '#db/dialect.ts'
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

function filters({ favorite, contentType, source, from, to }: ListQuery): SQL | undefined {
  return and(
    favorite === undefined ? undefined : eq(scanRecords.favorite, favorite),
    contentType === undefined ? undefined : eq(scanRecords.contentType, contentType),
    source === undefined ? undefined : eq(scanRecords.source, source),
    from === undefined ? undefined : gte(scanRecords.scannedAt, from),
    to === undefined ? undefined : lt(scanRecords.scannedAt, to),
  )
}

/** Ignores the keyword of the query. */
export const filteredPage = (db: Db, userId: number, query: ListQuery): Promise<Page<ScanRow>> =>
  pageOf(db, scanRecords, {
    where: ownedBy(userId, filters(query)),
    orderBy: [desc(scanRecords.scannedAt), desc(scanRecords.id)],
    page: query,
  })

/** Records that contain the keyword and pass the filters of the query. `db` is that of `Store.search`. */
export function searchScans(db: Db, userId: number, query: ListQuery & { keyword: string }): Promise<Page<ScanRow>> {
  const texts = [scanRecords.content, scanRecords.title, scanRecords.address]
  const { page, size, keyword } = query
  const where = and(filters(query), or(...texts.map((column) => contains(column, keyword))))
  return ofUser.search(db, { userId }, { page, size }, where)
}

const p = sql.placeholder
const idAndName = { id: qrCodes.id, name: qrCodes.name }
export interface FoundCode {
  readonly id: number
  readonly name: string
}

const liveByUuid = prepared((db) =>
  db
    .select({ ...idAndName, userId: qrCodes.userId, orgId: qrCodes.orgId, isPublic: qrCodes.isPublic })
    .from(qrCodes)
    .where(and(eq(qrCodes.uuid, p('uuid')), isNull(qrCodes.deletedAt))),
)

/** A code of any owner outside the trash. */
export const findByUuid = async (db: Db, uuid: string) => (await liveByUuid(db, { uuid }))[0]

const personalByContent = prepared((db) =>
  db
    .select(idAndName)
    .from(qrCodes)
    .where(
      and(
        eq(qrCodes.userId, p('userId')),
        eq(qrCodes.orgId, 0).inlineParams(),
        isNull(qrCodes.deletedAt),
        isWholeText(qrCodes.content, p('content')),
      ),
    )
    .orderBy(asc(qrCodes.id))
    .limit(1),
)

/** The user's oldest code with exactly this content. */
export const findPersonalByContent = async (db: Db, userId: number, content: string): Promise<FoundCode | undefined> =>
  (await personalByContent(db, { userId, content }))[0]

/** The oldest code of the first of these organizations that has one with exactly this content. */
export async function findOrganizationsByContent(
  db: Db,
  orgIds: readonly number[],
  content: string,
): Promise<FoundCode | undefined> {
  const [row] = await db
    .select(idAndName)
    .from(qrCodes)
    .where(
      and(
        inArray(qrCodes.orgId, [...orgIds]),
        ne(qrCodes.orgId, 0).inlineParams(),
        isNull(qrCodes.deletedAt),
        isWholeText(qrCodes.content, content),
      ),
    )
    .orderBy(asc(qrCodes.orgId), asc(qrCodes.id))
    .limit(1)
  return row
}

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
