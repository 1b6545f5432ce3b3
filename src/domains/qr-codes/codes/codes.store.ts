import { and, asc, count, desc, eq, exists, getTableColumns, inArray, isNull, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains, someContains } from '#db/contains.ts'
import { isOneOf, notByIndex } from '#db/dialect.ts'
import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { whileRoom } from '#db/list-totals.ts'
import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOfQuery, sortBy } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { users } from '#db/schema/accounts.ts'
import { categories, categoryCleanUps, qrCodes, scanRecords } from '#db/schema/qr-codes.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { recordDeleted } from '#db/tombstones.ts'
import type { SyncRevival } from '#domains/contributions.ts'
import type { Owner } from '#http/endpoint.ts'
import { uuid } from '#platform/ids.ts'

import { changePicture, deletePictures } from '../looks/looks.store.ts'
import { removeLinks } from '../slugs.store.ts'
import type { ListQuery } from './codes.model.ts'
import { type CodeChange, differences, type NewCode } from './codes.rules.ts'
import { noteCode } from './notes.store.ts'

export type QrCodeRow = typeof qrCodes.$inferSelect

export const versionOfCode = versionIn(qrCodes)

const p = sql.placeholder

export const listed = pagedTable(qrCodes, [
  'id',
  'userId',
  'orgId',
  'deletedAt',
  'pinned',
  'sortOrder',
  'name',
  'scanCount',
  'createdAt',
  'updatedAt',
])

/** Codes as clients see them: without a category as soon as it is deleted, also while the row still refers to it. */
export const shownCodes = (db: Pick<Builders, 'select'>) =>
  db
    .select({ ...getTableColumns(qrCodes), categoryId: categories.id })
    .from(qrCodes)
    .leftJoin(categories, eq(categories.id, qrCodes.categoryId))
    .$dynamic()

const lists = {
  orders: {
    standard: ['pinned', 'sortOrder', 'createdAt', 'id'],
    name: ['name', 'createdAt', 'id'],
    createdAt: ['createdAt', 'id'],
    updatedAt: ['updatedAt', 'createdAt', 'id'],
    scanCount: ['scanCount', 'createdAt', 'id'],
  },
  sort: 'standard',
  select: shownCodes,
} as const

const ofUser = listed.list({
  owner: ['userId'],
  where: { orgId: 0, deletedAt: null },
  total: 'qr_codes.personal',
  ...lists,
})
const ofOrganization = listed.list({
  owner: ['orgId'],
  where: { deletedAt: null },
  whereNot: { orgId: 0 },
  total: 'qr_codes.org',
  ...lists,
})

/** The list of all codes of the owner outside the trash, by its total. */
export const listOf = (owner: OwnerKey) =>
  owner < 0 ? (['qr_codes.personal', -owner] as const) : (['qr_codes.org', owner] as const)

const byAge = { orders: { createdAt: ['createdAt', 'id'] }, sort: '-createdAt', select: shownCodes } as const
/** The codes of all owners, for the console: those outside the trash, and those in it. */
export const allLive = listed.list({ owner: [], where: { deletedAt: null }, total: 'qr_codes.all', ...byAge })
export const allTrashed = listed.list({ owner: [], whereNot: { deletedAt: null }, total: 'qr_codes.trash', ...byAge })

/** A page of all codes of the owner outside the trash, as countCodes counts them. */
export const codesPage = (
  db: Db,
  { userId, orgId }: Owner,
  page: PageInput & { sort?: ListQuery['sort'] },
): Promise<Page<QrCodeRow>> =>
  orgId === 0 ? ofUser.page(db, { userId }, page) : ofOrganization.page(db, { orgId }, page)

export const countCodes = async (db: Db, owner: Owner): Promise<number> =>
  (await codesPage(db, owner, { page: 1, size: 1 })).total

/** The codes of an organization, also those in the trash. The literal 0 lets the planner use the partial indexes for organizations. */
export const inOrganization = (orgId: number): SQL | undefined =>
  and(eq(qrCodes.orgId, orgId), ne(qrCodes.orgId, 0).inlineParams())

/** The owner's codes, also those in the trash. All members of an organization see all of its codes. */
export const ownedBy = ({ userId, orgId }: Owner): SQL | undefined =>
  orgId === 0 ? and(eq(qrCodes.userId, userId), eq(qrCodes.orgId, 0).inlineParams()) : inOrganization(orgId)

export const isLive = isNull(qrCodes.deletedAt)

/** The owner's codes with these ids that are not in the trash. Without statistics, SQLite would look for each code of the owner in the ids. */
const among = ({ userId, orgId }: Owner, ids: readonly number[]): SQL | undefined =>
  and(
    isOneOf(qrCodes.id, ids),
    orgId === 0 ? eq(notByIndex(qrCodes.userId), userId) : undefined,
    eq(notByIndex(qrCodes.orgId), orgId),
    isNull(notByIndex(qrCodes.deletedAt)),
  )

/** A filter by category: null selects codes without a category, undefined all codes. */
export type CategoryIds = readonly number[] | null | undefined

export function inCategories(ids: CategoryIds): SQL | undefined {
  if (ids === undefined) return undefined
  if (ids !== null) return inArray(qrCodes.categoryId, [...ids])
  const deleted = sql`(select ${categoryCleanUps.categoryId} from ${categoryCleanUps})`
  return or(isNull(qrCodes.categoryId), inArray(qrCodes.categoryId, deleted))
}

/** The order of the interface (spec §4.2), made total by the id. */
const standardOrder = [desc(qrCodes.pinned), asc(qrCodes.sortOrder), asc(qrCodes.createdAt), asc(qrCodes.id)]

const filters = ({ contentType, isPublic, pinned }: ListQuery, categoryIds: CategoryIds): SQL | undefined =>
  and(
    inCategories(categoryIds),
    contentType === undefined ? undefined : eq(qrCodes.contentType, contentType),
    isPublic === undefined ? undefined : eq(qrCodes.isPublic, isPublic),
    pinned === undefined ? undefined : eq(qrCodes.pinned, pinned),
  )

/** Ignores the keyword of the query. */
export function filteredPage(
  db: Db,
  owner: Owner,
  query: ListQuery,
  categoryIds: CategoryIds,
): Promise<Page<QrCodeRow>> {
  const chosen = query.ids ? among(owner, query.ids) : and(ownedBy(owner), isLive)
  const where = and(chosen, filters(query, categoryIds))
  const orderBy = query.sort ? sortBy(qrCodes, query.sort) : standardOrder
  return pageOfQuery(
    query,
    shownCodes(db)
      .where(where)
      .orderBy(...orderBy),
    db.select({ n: count() }).from(qrCodes).where(where),
  )
}

export const containsKeyword = (keyword: string): SQL | undefined =>
  or(
    ...[qrCodes.name, qrCodes.content, qrCodes.remark].map((column) => contains(column, keyword)),
    someContains(qrCodes.tags, keyword),
  )

/** Codes that contain the keyword and pass the filters of the query. `db` is that of `Store.search`. */
export function searchCodes(
  db: Db,
  { userId, orgId }: Owner,
  query: ListQuery & { keyword: string },
  categoryIds: CategoryIds,
): Promise<Page<QrCodeRow>> {
  const chosen = query.ids && among({ userId, orgId }, query.ids)
  const where = and(chosen, filters(query, categoryIds), containsKeyword(query.keyword))
  return orgId === 0 ? ofUser.search(db, { userId }, query, where) : ofOrganization.search(db, { orgId }, query, where)
}

/** The ids of at most `limit` codes, in the standard order. */
export async function codeIds(db: Db, owner: Owner, categoryIds: CategoryIds, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(ownedBy(owner), isLive, inCategories(categoryIds)))
    .orderBy(...standardOrder)
    .limit(limit)
  return rows.map((row) => row.id)
}

/** The codes with these ids that belong to the owner and are not in the trash, in no particular order. */
export const codesByIds = (db: Db, owner: Owner, ids: readonly number[]): Promise<QrCodeRow[]> =>
  shownCodes(db).where(among(owner, ids))

const personalById = prepared((db) =>
  shownCodes(db).where(and(eq(qrCodes.id, p('id')), eq(qrCodes.userId, p('userId')), eq(qrCodes.orgId, 0), isLive)),
)
const organizationsById = prepared((db) =>
  shownCodes(db).where(and(eq(qrCodes.id, p('id')), eq(qrCodes.orgId, p('orgId')), isLive)),
)

const anyPersonal = prepared((db) =>
  shownCodes(db).where(and(eq(qrCodes.id, p('id')), eq(qrCodes.userId, p('userId')), eq(qrCodes.orgId, 0))),
)
const anyOfOrganization = prepared((db) =>
  shownCodes(db).where(and(eq(qrCodes.id, p('id')), eq(qrCodes.orgId, p('orgId')))),
)

/** Undefined if the code belongs to another owner or is in the trash. */
export async function findCode(db: Db | Tx, { userId, orgId }: Owner, id: number): Promise<QrCodeRow | undefined> {
  const rows = orgId === 0 ? await personalById(db, { id, userId }) : await organizationsById(db, { id, orgId })
  return rows[0]
}

/** The same, but also finds a code in the trash. */
export async function findAnyCode(tx: Tx, { userId, orgId }: Owner, id: number): Promise<QrCodeRow | undefined> {
  const rows = orgId === 0 ? await anyPersonal(tx, { id, userId }) : await anyOfOrganization(tx, { id, orgId })
  return rows[0]
}

const organizationIdOf = prepared((db) =>
  db
    .select({ orgId: qrCodes.orgId })
    .from(qrCodes)
    .where(eq(qrCodes.id, p('id'))),
)

/** The organization of a code, also of one in the trash: 0 for a personal code, undefined for an unknown id. */
export const organizationOfCode = async (db: Db, id: number): Promise<number | undefined> =>
  (await organizationIdOf(db, { id }))[0]?.orgId

const placeholders = {
  uuid: p('uuid'),
  userId: p('userId'),
  orgId: p('orgId'),
  name: p('name'),
  content: p('content'),
  contentType: p('contentType'),
  categoryId: p('categoryId'),
  tags: p('tags'),
  remark: p('remark'),
  style: p('style'),
  isPublic: p('isPublic'),
  isDynamic: p('isDynamic'),
  pinned: p('pinned'),
  sortOrder: p('sortOrder'),
  opens: p('opens'),
  createdAt: p('now'),
  updatedAt: p('now'),
}
const insert = prepared((db) => db.insert(qrCodes).values(placeholders).returning({ id: qrCodes.id }))
const insertAgain = prepared((db) =>
  db
    .insert(qrCodes)
    .values({ ...placeholders, id: p('id'), version: p('version') })
    .returning({ id: qrCodes.id }),
)

const given = jsonRows('given', {
  uuid: 'text',
  userId: 'int',
  name: 'text',
  content: 'text',
  contentType: 'text',
  tags: 'text',
  remark: 'text',
  style: 'text',
  isPublic: 'bool',
  isDynamic: 'bool',
  pinned: 'bool',
  sortOrder: 'int',
  now: 'int',
  place: 'int',
  quota: 'int',
})
const insertGiven = prepared((db) => {
  const { rows, values: _, now, place, quota, ...columns } = given
  const room = whileRoom('qr_codes.personal', { owner: given.userId, place, quota })
  return insertFrom(db, qrCodes, {
    rows: sql`${rows} ${room}`,
    ...columns,
    createdAt: now,
    updatedAt: now,
  }).returning({ id: qrCodes.id, uuid: qrCodes.uuid })
})

/** A new code without a category, which the user may have if they would then have at most `quota`; 0 = unlimited. */
export interface Personal {
  readonly userId: number
  readonly code: NewCode
  readonly quota: number
}

/**
 * Inserts codes of many users by one statement, on PostgreSQL only. Returns them in the same order; those for which there may be no room
 * (`whileRoom`) are undefined and not inserted.
 */
export async function insertPersonal(tx: Tx, list: readonly Personal[]): Promise<(QrCodeRow | undefined)[]> {
  const now = tx.stamp
  const places = new Map<number, number>()
  const codes = list.map(({ userId, code }) => ({ ...code, uuid: uuid(), userId, orgId: 0 }))
  const rows = codes.map(({ tags, style, ...code }, i) => {
    const place = (places.get(code.userId) ?? 0) + 1
    places.set(code.userId, place)
    const { quota } = list[i]!
    return { ...code, tags: JSON.stringify(tags), style: JSON.stringify(style), now, place, quota }
  })
  const ids = new Map((await insertGiven(tx, given.values(rows))).map((row) => [row.uuid, row.id]))
  return codes.map((code) => {
    const id = ids.get(code.uuid)
    return id === undefined ? undefined : inserted(code, id, now)
  })
}

/** `revived`: the id and the version of a code that was deleted permanently and comes back. It gets a new uuid. */
export async function insertCode(tx: Tx, owner: Owner, fields: NewCode, revived?: SyncRevival): Promise<QrCodeRow> {
  const now = tx.stamp
  const fresh = { ...fields, uuid: uuid(), userId: owner.userId, orgId: owner.orgId }
  const [row] = revived ? await insertAgain(tx, { ...fresh, ...revived, now }) : await insert(tx, { ...fresh, now })
  const code = inserted(fresh, row!.id, now, revived?.version)
  listed.inserted(tx, code)
  noteCode(tx, 'created', code, true)
  return code
}

const setSlug = prepared((db) =>
  db
    .update(qrCodes)
    .set({ slug: sql`${p('slug')}` })
    .where(eq(qrCodes.id, p('id')))
    .returning({ id: qrCodes.id }),
)

/** Gives its slug to a code that the write has just inserted. */
export async function insertSlug(tx: Tx, row: QrCodeRow, slug: string): Promise<QrCodeRow> {
  await setSlug(tx, { id: row.id, slug })
  noteCode(tx, 'updated', row)
  return { ...row, slug }
}

const inserted = (
  given: NewCode & Pick<QrCodeRow, 'uuid' | 'userId' | 'orgId'>,
  id: number,
  now: number,
  version = 1,
): QrCodeRow => ({
  ...given,
  slug: null,
  designId: null,
  pictureKey: null,
  id,
  scanCount: 0,
  blockedAt: null,
  version,
  deletedAt: null,
  createdAt: now,
  updatedAt: now,
})

/**
 * `row` must have been read in this write. Returns the row as it is now. Without a value that differs from the row, nothing is written
 * and the version stays, unless something has changed that other tables hold (`isChanged`).
 */
export async function updateCode(
  tx: Tx,
  owner: Owner,
  row: QrCodeRow,
  input: CodeChange,
  isChanged = false,
): Promise<QrCodeRow> {
  const change = differences(row, input)
  if (Object.keys(change).length === 0 && !isChanged) return row
  const picture = await changePicture(tx, row, { ...row, ...change })
  const changed = { ...change, ...picture, version: row.version + 1, updatedAt: tx.stamp }
  await tx
    .update(qrCodes)
    .set(changed)
    .where(and(ownedBy(owner), eq(qrCodes.id, row.id)))
    .returning({ id: qrCodes.id })
  const after = { ...row, ...changed }
  listed.updated(tx, row, after)
  if (after.deletedAt === null) noteCode(tx, 'updated', row)
  else if (row.deletedAt === null) noteCode(tx, 'deleted', row)
  return after
}

/** Blocks a code, or unblocks it with null. `row` must have been read in this write. Returns the row as it is now. */
export async function setBlocked(tx: Tx, row: QrCodeRow, blockedAt: number | null): Promise<QrCodeRow> {
  const changed = { blockedAt, version: row.version + 1, updatedAt: tx.stamp }
  await tx.update(qrCodes).set(changed).where(eq(qrCodes.id, row.id)).returning({ id: qrCodes.id })
  const after = { ...row, ...changed }
  listed.updated(tx, row, after)
  if (row.deletedAt === null) noteCode(tx, 'updated', row)
  return after
}

const counted = jsonRows('counted', { id: 'int', scans: 'int' })
const addToScans = prepared((db) =>
  db
    .update(qrCodes)
    .set({ scanCount: sql`${qrCodes.scanCount} + ${counted.scans}` })
    .from(counted.rows)
    .where(eq(qrCodes.id, counted.id))
    .returning(listed.columns),
)

/** Adds to the numbers of scans by the ids of codes. Versions and `updatedAt` stay, because the codes do not change. Returns the ids that exist. */
export async function addScans(tx: Tx, scans: ReadonlyMap<number, number>): Promise<ReadonlySet<number>> {
  const rows = await addToScans(tx, counted.values(Array.from(scans, ([id, n]) => ({ id, scans: n }))))
  for (const row of rows) {
    const count = scans.get(row.id)!
    listed.updated(tx, { ...row, scanCount: row.scanCount - count }, row)
    if (count > 0) note(tx, { type: 'qr_code.scanned', owner: ownerKey(row), id: row.id, data: { count } })
  }
  return new Set(rows.map(({ id }) => id))
}

/** Deletes codes permanently, in the trash or not. Returns the number of codes deleted. */
export async function purgeCodes(tx: Tx, ids: readonly number[]): Promise<number> {
  await removeLinks(tx, ids)
  const rows = await tx
    .delete(qrCodes)
    .where(inArray(qrCodes.id, [...ids]))
    .returning({ ...listed.columns, version: qrCodes.version })
  for (const row of rows) {
    listed.deleted(tx, row)
    if (row.deletedAt === null) noteCode(tx, 'deleted', row)
  }
  await deletePictures(tx, ids)
  // The version of a code in the trash has been raised when it was moved there.
  const tombstones = rows.map(({ id, version, deletedAt, ...row }) => ({
    owner: ownerKey(row),
    id,
    ...(deletedAt === null ? { version: version + 1 } : { version, deletedAt }),
  }))
  await recordDeleted(tx, 'qrCode', tombstones)
  return rows.length
}

const anyContent = prepared((db) => {
  const userId = p('userId')
  const code = db.select({ id: qrCodes.id }).from(qrCodes).where(eq(qrCodes.userId, userId))
  const category = db.select({ id: categories.id }).from(categories).where(eq(categories.userId, userId))
  const scan = db.select({ id: scanRecords.id }).from(scanRecords).where(eq(scanRecords.userId, userId))
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), or(exists(code), exists(category), exists(scan))))
})

/** Whether the user has a code, also in the trash or in an organization, a category or a scan record. */
export const hasContent = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await anyContent(db, { userId })).length > 0

const personalCount = prepared((db) =>
  db
    .select({ n: count() })
    .from(qrCodes)
    .where(and(eq(qrCodes.userId, p('userId')), eq(qrCodes.orgId, 0), isLive)),
)
const organizationsCount = prepared((db) =>
  db
    .select({ n: count() })
    .from(qrCodes)
    .where(and(eq(qrCodes.orgId, p('orgId')), ne(qrCodes.orgId, 0).inlineParams(), isLive)),
)

/** Codes of the owner outside the trash, as the write sees them. Walks over all of them: 0.2 ms for 10,000. */
export async function countLive(tx: Tx, owner: OwnerKey): Promise<number> {
  const [row] = owner < 0 ? await personalCount(tx, { userId: -owner }) : await organizationsCount(tx, { orgId: owner })
  return row!.n
}
