import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  ne,
  or,
  type SQL,
  sql,
  type SQLWrapper,
} from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { dialect, isAnyOf, isWholeText, notByIndex } from '#db/dialect.ts'
import { isNotErasedPersonal } from '#db/erasures.ts'
import { pagedTable } from '#db/lists.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { qrCodes, qrCodeScans, scanPurgedCodes, scanRecordCounts, scanRecords } from '#db/schema/qr-codes.ts'
import { qrScanDetails } from '#db/schema/qr-visits.ts'
import type { Db, Tx } from '#db/store.ts'
import { recordDeleted, type Tombstone } from '#db/tombstones.ts'
import { updatedAtFor, versionFor } from '#db/updated-at.ts'
import type { SyncRevival } from '#domains/contributions.ts'
import type { OffsetSpan } from '#lib/days.ts'
import { DAY } from '#platform/clock.ts'

import type { ListQuery, UpdateScan } from './scans.model.ts'

export type ScanRow = typeof scanRecords.$inferSelect
/** All values of a new record but those that its insert decides. */
export type ScanValues = Omit<ScanRow, 'id' | 'userId' | 'version'>

const ownedBy = (userId: number, ...more: (SQL | undefined)[]) => and(eq(scanRecords.userId, userId), ...more)

const listed = pagedTable(scanRecords, ['id', 'userId', 'scannedAt', 'createdAt'])
const ofUser = listed.list({
  owner: ['userId'],
  total: 'scan_records.user',
  orders: { scannedAt: ['scannedAt', 'createdAt', 'id'] },
  sort: '-scannedAt',
  select: (db) => db.select().from(scanRecords).$dynamic(),
})

/** The records of all users, for the console. */
export const allScans = listed.list({
  owner: [],
  total: 'scan_records.all',
  orders: { createdAt: ['createdAt', 'id'] },
  sort: '-createdAt',
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
  const { page, size, keyword } = query
  return ofUser.search(db, { userId }, { page, size }, and(filters(query), containsKeyword(keyword)))
}

export const containsKeyword = (keyword: string): SQL | undefined =>
  or(...[scanRecords.content, scanRecords.title, scanRecords.address].map((column) => contains(column, keyword)))

const p = sql.placeholder
const idAndName = { id: qrCodes.id, name: qrCodes.name }
export interface FoundCode {
  readonly id: number
  readonly name: string
}

const isNotErased = isNotErasedPersonal(qrCodes.userId, qrCodes.orgId)

const liveByUuid = prepared((db) =>
  db
    .select({ ...idAndName, userId: qrCodes.userId, orgId: qrCodes.orgId, isPublic: qrCodes.isPublic })
    .from(qrCodes)
    .where(and(eq(qrCodes.uuid, p('uuid')), isNull(qrCodes.deletedAt), isNotErased)),
)

/** A code of any owner outside the trash. */
export const findByUuid = async (db: Db, uuid: string) => (await liveByUuid(db, { uuid }))[0]

const liveById = prepared((db) =>
  db
    .select({ ...idAndName, userId: qrCodes.userId, orgId: qrCodes.orgId, isPublic: qrCodes.isPublic })
    .from(qrCodes)
    .where(and(eq(qrCodes.id, p('id')), isNull(qrCodes.deletedAt), isNotErased)),
)

/** A code of any owner outside the trash. */
export const findById = async (db: Db, id: number) => (await liveById(db, { id }))[0]

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

const addToCount = prepared((db) =>
  db
    .insert(scanRecordCounts)
    .values({ userId: p('userId'), records: p('by') })
    .onConflictDoUpdate({
      target: scanRecordCounts.userId,
      set: { records: sql`${scanRecordCounts.records} + excluded.records` },
    })
    .returning({ records: scanRecordCounts.records }),
)

/** Of records beyond the quota, the most that the insert of another deletes, so that users who have too many come down to it. */
const DELETED_BY_INSERT = 50

interface Inserting {
  /** The oldest records beyond it are deleted; 0 = unlimited. */
  readonly quota: number
  /** The id and the version of a record that was deleted and comes back. */
  readonly revived?: SyncRevival | undefined
}

/**
 * Null if the code was deleted since it was looked for. Locked, because PostgreSQL loses track of the versions of a row that SERIALIZABLE writes have read
 * if one that is READ COMMITTED (recording.store.ts) changes it in between.
 */
const keptCode = sql`(select ${qrCodes.id} from ${qrCodes} where ${qrCodes.id} = ${p('qrCodeId')}${dialect === 'postgres' ? sql` for no key update` : sql``})`

const columns = {
  userId: p('userId'),
  content: p('content'),
  contentType: p('contentType'),
  source: p('source'),
  qrCodeId: keptCode,
  title: p('title'),
  favorite: p('favorite'),
  latitude: p('latitude'),
  longitude: p('longitude'),
  address: p('address'),
  scannedAt: p('scannedAt'),
  createdAt: p('createdAt'),
  updatedAt: p('updatedAt'),
}
const insertOne = prepared((db) => db.insert(scanRecords).values(columns).returning())
const insertAgain = prepared((db) =>
  db
    .insert(scanRecords)
    .values({ ...columns, id: p('id'), version: p('version') })
    .returning(),
)

export async function insertScan(
  tx: Tx,
  userId: number,
  values: ScanValues,
  { quota, revived }: Inserting,
): Promise<ScanRow> {
  // First, because other inserts of the user wait for it on PostgreSQL.
  const [counted] = await addToCount(tx, { userId, by: 1 })
  const given = { ...values, userId }
  const [row] = revived ? await insertAgain(tx, { ...given, ...revived }) : await insertOne(tx, given)
  listed.inserted(tx, row!)
  const beyond = quota === 0 ? 0 : counted!.records - quota
  if (beyond > 0) await deleteRows(tx, userId, oldest(tx, userId, Math.min(beyond, DELETED_BY_INSERT), row!.id))
  return row!
}

/** The ids of the records of a user that were made first, without the record `but`. */
const oldest = (tx: Tx, userId: number, limit: number, but = 0) =>
  tx
    .select({ id: scanRecords.id })
    .from(scanRecords)
    .where(ownedBy(userId, ne(scanRecords.id, but)))
    .orderBy(asc(scanRecords.createdAt), asc(scanRecords.id))
    .limit(limit)

/** Deletes the oldest records of a user beyond the quota, at most `limit`. Returns their number. */
export async function deleteOldest(tx: Tx, userId: number, quota: number, limit: number): Promise<number> {
  const [counted] = await tx.select().from(scanRecordCounts).where(eq(scanRecordCounts.userId, userId))
  const beyond = Math.min((counted?.records ?? 0) - quota, limit)
  return beyond > 0 ? (await deleteRows(tx, userId, oldest(tx, userId, beyond))).length : 0
}

/** Users with more than `quota` records. */
export async function usersWithMoreThan(db: Db, quota: number): Promise<number[]> {
  const rows = await db
    .select({ userId: scanRecordCounts.userId })
    .from(scanRecordCounts)
    .where(gt(scanRecordCounts.records, quota))
  return rows.map((row) => row.userId)
}

/** Deletes records of a user and leaves their tombstones, which are returned. */
async function deleteRows(tx: Tx, userId: number, ids: number[] | SQLWrapper): Promise<Tombstone[]> {
  const isOwn = sql`${notByIndex(scanRecords.userId)} = ${userId}`
  const rows = await tx
    .delete(scanRecords)
    .where(and(Array.isArray(ids) ? inArray(scanRecords.id, ids) : isAnyOf(scanRecords.id, ids), isOwn))
    .returning({ ...listed.columns, version: scanRecords.version })
  if (rows.length === 0) return []
  for (const row of rows) listed.deleted(tx, row)
  await addToCount(tx, { userId, by: -rows.length })
  const tombstones = rows.map(({ id, version }) => ({ owner: -userId, id, version: version + 1 }))
  await recordDeleted(tx, 'scanRecord', tombstones)
  return tombstones
}

export async function updateScan(tx: Tx, userId: number, id: number, change: UpdateScan): Promise<ScanRow | undefined> {
  const [row] = await tx
    .update(scanRecords)
    .set({
      ...change,
      version: versionFor(scanRecords, change),
      updatedAt: updatedAtFor(scanRecords, change, tx.stamp),
    })
    .where(ownedBy(userId, eq(scanRecords.id, id)))
    .returning()
  return row
}

/** Returns the version of the tombstone; undefined if the user has no such record. */
export async function deleteScan(tx: Tx, userId: number, id: number): Promise<number | undefined> {
  return (await deleteRows(tx, userId, [id]))[0]?.version
}

/** Those of the codes that have scan records or were scanned. */
export async function codesWithScans(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const scans = tx.select({ id: scanRecords.id }).from(scanRecords).where(eq(scanRecords.qrCodeId, qrCodes.id))
  const counts = tx.select({ id: qrCodeScans.qrCodeId }).from(qrCodeScans).where(eq(qrCodeScans.qrCodeId, qrCodes.id))
  const visits = tx
    .select({ id: qrScanDetails.qrCodeId })
    .from(qrScanDetails)
    .where(eq(qrScanDetails.qrCodeId, qrCodes.id))
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(inArray(qrCodes.id, [...ids]), or(exists(scans), exists(counts), exists(visits))))
  return rows.map((row) => row.id)
}

/** Clears a code from at most `limit` of its scan records, of all users. Returns their number. */
export async function clearCode(tx: Tx, qrCodeId: number, limit: number): Promise<number> {
  const some = await tx
    .select({ id: scanRecords.id })
    .from(scanRecords)
    .where(eq(scanRecords.qrCodeId, qrCodeId))
    .limit(limit)
  if (some.length === 0) return 0
  const ids = some.map((row) => row.id)
  await tx
    .update(scanRecords)
    .set({ qrCodeId: null, version: sql`${scanRecords.version} + 1`, updatedAt: tx.stamp })
    .where(inArray(scanRecords.id, ids))
  return ids.length
}

/** Leaves the rest of the scan records of a deleted code to the job. */
export async function insertPurgedCode(tx: Tx, qrCodeId: number): Promise<void> {
  await tx.insert(scanPurgedCodes).values({ qrCodeId }).onConflictDoNothing()
}

export async function deletePurgedCode(tx: Tx, qrCodeId: number): Promise<void> {
  await tx.delete(scanPurgedCodes).where(eq(scanPurgedCodes.qrCodeId, qrCodeId))
}

export async function firstPurgedCode(db: Db): Promise<number | undefined> {
  return (await db.select().from(scanPurgedCodes).limit(1))[0]?.qrCodeId
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
