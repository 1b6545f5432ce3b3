import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gte,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'

import { contains, someTextContains } from '#db/contains.ts'
import { isOneOf } from '#db/dialect.ts'
import type { Select } from '#db/list-order.ts'
import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import { ownerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { users } from '#db/schema/accounts.ts'
import { albumPhotos, albumPurgedCodes } from '#db/schema/album.ts'
import { files } from '#db/schema/files.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { recordDeleted } from '#db/tombstones.ts'
import type { SyncRevival, SyncState } from '#domains/contributions.ts'
import type { FileRow } from '#domains/files/index.ts'
import type { Owner } from '#http/endpoint.ts'

import type { PhotosQuery } from './album.model.ts'
import type { NewPhoto, PhotoChange } from './album.rules.ts'

const p = sql.placeholder

const shown = {
  id: albumPhotos.id,
  userId: albumPhotos.userId,
  orgId: albumPhotos.orgId,
  // Null as soon as the code is deleted permanently, also while the photo still refers to it.
  qrCodeId: qrCodes.id,
  takenAt: albumPhotos.takenAt,
  latitude: albumPhotos.latitude,
  longitude: albumPhotos.longitude,
  address: albumPhotos.address,
  watermark: albumPhotos.watermark,
  version: albumPhotos.version,
  createdAt: albumPhotos.createdAt,
  updatedAt: albumPhotos.updatedAt,
  fileId: files.id,
  name: files.name,
  mime: files.mime,
  size: files.size,
  width: files.width,
  height: files.height,
  thumbnailBlobId: files.thumbnailBlobId,
}

/** A photo with its file. */
export type PhotoRow = Pick<
  typeof albumPhotos.$inferSelect,
  | 'id'
  | 'userId'
  | 'orgId'
  | 'qrCodeId'
  | 'takenAt'
  | 'latitude'
  | 'longitude'
  | 'address'
  | 'watermark'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
> & { readonly fileId: number } & Pick<FileRow, 'name' | 'mime' | 'size' | 'width' | 'height' | 'thumbnailBlobId'>

/**
 * Every photo has a file. The outer join only fixes the order of the tables: with an inner join, SQLite begins with all files of
 * photos, by the index on their entity, and sorts.
 */
export const versionOfPhoto = versionIn(albumPhotos)

export const photosWithFiles = (db: Pick<Builders, 'select'>): Select<PhotoRow> =>
  db
    .select(shown)
    .from(albumPhotos)
    .leftJoin(files, and(eq(files.entityType, 'PHOTO').inlineParams(), eq(files.entityId, albumPhotos.id)))
    .leftJoin(qrCodes, eq(qrCodes.id, albumPhotos.qrCodeId))
    .$dynamic() as unknown as Select<PhotoRow>

export const photosByIds = (tx: Tx, ids: readonly number[]): Promise<PhotoRow[]> =>
  photosWithFiles(tx).where(inArray(albumPhotos.id, [...ids])) as unknown as Promise<PhotoRow[]>

const listed = pagedTable(albumPhotos, ['id', 'userId', 'orgId', 'qrCodeId', 'sortTime', 'createdAt'])

const lists = {
  orders: { takenAt: ['sortTime', 'createdAt', 'id'], createdAt: ['createdAt', 'id'] },
  sort: '-takenAt',
  select: photosWithFiles,
} as const

const ofUser = listed.list({ owner: ['userId'], where: { orgId: 0 }, total: 'album_photos.personal', ...lists })
const ofOrganization = listed.list({ owner: ['orgId'], whereNot: { orgId: 0 }, total: 'album_photos.org', ...lists })
const ofCode = listed.list({ owner: ['qrCodeId'], ...lists })
const ofAll = listed.list({
  owner: [],
  total: 'album_photos.all',
  orders: { createdAt: lists.orders.createdAt },
  sort: '-createdAt',
  select: photosWithFiles,
})

/** All owners' photos, for the console. */
export const allPhotosPage = (
  db: Db,
  page: PageInput & { readonly sort?: 'createdAt' | '-createdAt' | undefined },
): Promise<Page<PhotoRow>> => ofAll.page(db, {}, page)

/** The photos of an owner, or those of one QR code, which belong to the owner of the code: the caller checks who that is. */
export type Album = Owner | { readonly qrCodeId: number }

type Order = { readonly sort?: PhotosQuery['sort'] }

/** Newest first, unless another order is asked for. */
export function photosPage(db: Db, album: Album, page: PageInput & Order): Promise<Page<PhotoRow>> {
  if ('qrCodeId' in album) return ofCode.page(db, album, page)
  const { userId, orgId } = album
  return orgId === 0 ? ofUser.page(db, { userId }, page) : ofOrganization.page(db, { orgId }, page)
}

/** The literal 0 lets the planner use the partial indexes. */
const ownedBy = ({ userId, orgId }: Owner): SQL | undefined =>
  orgId === 0
    ? and(eq(albumPhotos.userId, userId), eq(albumPhotos.orgId, 0).inlineParams())
    : and(eq(albumPhotos.orgId, orgId), ne(albumPhotos.orgId, 0).inlineParams())

const inAlbum = (album: Album): SQL | undefined =>
  'qrCodeId' in album ? eq(albumPhotos.qrCodeId, album.qrCodeId) : ownedBy(album)

const filters = ({ from, to, hasLocation }: PhotosQuery): SQL | undefined =>
  and(
    from === undefined ? undefined : gte(albumPhotos.sortTime, from),
    to === undefined ? undefined : lte(albumPhotos.sortTime, to),
    hasLocation === undefined ? undefined : (hasLocation ? isNotNull : isNull)(albumPhotos.latitude),
  )

/** Ignores the keyword of the query. */
export function filteredPage(db: Db, album: Album, query: PhotosQuery): Promise<Page<PhotoRow>> {
  const where = and(inAlbum(album), filters(query))
  const { sort = lists.sort } = query
  const direction = sort.startsWith('-') ? desc : asc
  const order = lists.orders[sort.endsWith('takenAt') ? 'takenAt' : 'createdAt']
  return pageOfQuery(
    query,
    photosWithFiles(db)
      .where(where)
      .orderBy(...order.map((name) => direction(albumPhotos[name]))),
    db.select({ n: count() }).from(albumPhotos).where(where),
  )
}

export const keywordMatches = (keyword: string): SQL | undefined =>
  or(
    contains(files.name, keyword),
    contains(albumPhotos.address, keyword),
    someTextContains(albumPhotos.watermark, keyword),
  )

/** Photos that contain the keyword and pass the filters of the query. `db` is that of `Store.search`. */
export function searchPhotos(db: Db, album: Album, query: PhotosQuery & { keyword: string }): Promise<Page<PhotoRow>> {
  const where = and(filters(query), keywordMatches(query.keyword))
  if ('qrCodeId' in album) return ofCode.search(db, album, query, where)
  const { userId, orgId } = album
  return orgId === 0 ? ofUser.search(db, { userId }, query, where) : ofOrganization.search(db, { orgId }, query, where)
}

const personalById = prepared((db) =>
  photosWithFiles(db).where(
    and(eq(albumPhotos.id, p('id')), eq(albumPhotos.userId, p('userId')), eq(albumPhotos.orgId, 0)),
  ),
)
const organizationsById = prepared((db) =>
  photosWithFiles(db).where(and(eq(albumPhotos.id, p('id')), eq(albumPhotos.orgId, p('orgId')))),
)

/** Undefined if the photo belongs to another owner. */
export async function findPhoto(db: Db | Tx, { userId, orgId }: Owner, id: number): Promise<PhotoRow | undefined> {
  const rows = orgId === 0 ? await personalById(db, { id, userId }) : await organizationsById(db, { id, orgId })
  return rows[0]
}

const anyById = prepared((db) => photosWithFiles(db).where(eq(albumPhotos.id, p('id'))))

/** A photo of any owner. */
export const findAnyPhoto = async (db: Db | Tx, id: number): Promise<PhotoRow | undefined> =>
  (await anyById(db, { id }))[0]

const ownerById = prepared((db) =>
  db
    .select({ userId: albumPhotos.userId, orgId: albumPhotos.orgId })
    .from(albumPhotos)
    .where(eq(albumPhotos.id, p('id'))),
)

/** Who owns a photo: the organization, or the user if `orgId` is 0. */
export const ownerOfPhoto = async (db: Db, id: number): Promise<Owner | undefined> => (await ownerById(db, { id }))[0]

/** The organization of a photo: 0 for a personal photo, undefined for an unknown id. */
export const organizationOfPhoto = async (db: Db, id: number): Promise<number | undefined> =>
  (await ownerOfPhoto(db, id))?.orgId

/** Adds a photo without a file, which the same write must attach. Returns its id. */
export async function insertPhoto(
  tx: Tx,
  { userId, orgId }: Owner,
  photo: NewPhoto,
  revived?: SyncRevival,
): Promise<number> {
  const [row] = await tx
    .insert(albumPhotos)
    .values({
      ...revived,
      ...photo,
      userId,
      orgId,
      sortTime: photo.takenAt ?? tx.stamp,
      createdAt: tx.stamp,
      updatedAt: tx.stamp,
    })
    .returning(listed.columns)
  listed.inserted(tx, row!)
  note(tx, { type: 'album_photo.created', owner: ownerKey({ userId, orgId }), id: row!.id })
  return row!.id
}

/** Changes values of a photo, and moves it in the lists. The caller has found the photo in the same write. */
export async function updatePhoto(tx: Tx, owner: Owner, id: number, change: PhotoChange): Promise<void> {
  const isTheirs = and(eq(albumPhotos.id, id), ownedBy(owner))
  const [before] = await tx.select(listed.columns).from(albumPhotos).where(isTheirs)
  if (before === undefined) return
  const [after] = await tx
    .update(albumPhotos)
    .set({
      ...change,
      ...(change.takenAt !== undefined && { sortTime: change.takenAt ?? before.createdAt }),
      version: sql`${albumPhotos.version} + 1`,
      updatedAt: tx.stamp,
    })
    .where(isTheirs)
    .returning(listed.columns)
  listed.updated(tx, before, after!)
}

/** Returns the state of its tombstone. Undefined if the owner has no such photo; of several concurrent calls, one deletes it. */
export async function deletePhoto(tx: Tx, owner: Owner, id: number): Promise<SyncState | undefined> {
  const [row] = await tx
    .delete(albumPhotos)
    .where(and(eq(albumPhotos.id, id), ownedBy(owner)))
    .returning({ ...listed.columns, version: albumPhotos.version })
  if (row === undefined) return undefined
  listed.deleted(tx, row)
  const deleted = { id, owner: ownerKey(row), version: row.version + 1 }
  await recordDeleted(tx, 'albumPhoto', [deleted])
  return { ...deleted, updatedAt: tx.stamp, isDeleted: true }
}

/** Deletes photos of any owners, with tombstones. The caller has deleted their files. */
export async function deletePhotos(tx: Tx, ids: readonly number[]): Promise<void> {
  const rows = await tx
    .delete(albumPhotos)
    .where(inArray(albumPhotos.id, [...ids]))
    .returning({ ...listed.columns, version: albumPhotos.version })
  for (const row of rows) listed.deleted(tx, row)
  await recordDeleted(
    tx,
    'albumPhoto',
    rows.map((row) => ({ id: row.id, owner: ownerKey(row), version: row.version + 1 })),
  )
}

/** Those of the codes to which photos refer. */
export async function codesWithPhotos(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const photos = tx.select({ id: albumPhotos.id }).from(albumPhotos).where(eq(albumPhotos.qrCodeId, qrCodes.id))
  const rows = await tx
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(isOneOf(qrCodes.id, ids), exists(photos)))
  return rows.map((row) => row.id)
}

/** Clears a code from at most `limit` of its photos, whose versions rise. Returns their number. */
export async function clearCode(tx: Tx, qrCodeId: number, limit: number): Promise<number> {
  const before = await tx
    .select(listed.columns)
    .from(albumPhotos)
    .where(eq(albumPhotos.qrCodeId, qrCodeId))
    // Photos that were added together are on the same pages.
    .orderBy(asc(albumPhotos.createdAt), asc(albumPhotos.id))
    .limit(limit)
  if (before.length === 0) return 0
  const ids = before.map((row) => row.id)
  await tx
    .update(albumPhotos)
    .set({ qrCodeId: null, version: sql`${albumPhotos.version} + 1`, updatedAt: tx.stamp })
    .where(inArray(albumPhotos.id, ids))
    .returning({ id: albumPhotos.id })
  for (const row of before) listed.updated(tx, row, { ...row, qrCodeId: null })
  return before.length
}

/** Leaves the rest of the photos of a deleted code to the job. */
export async function insertPurgedCode(tx: Tx, qrCodeId: number): Promise<void> {
  await tx.insert(albumPurgedCodes).values({ qrCodeId }).onConflictDoNothing()
}

export async function deletePurgedCode(tx: Tx, qrCodeId: number): Promise<void> {
  await tx.delete(albumPurgedCodes).where(eq(albumPurgedCodes.qrCodeId, qrCodeId))
}

export async function firstPurgedCode(db: Db): Promise<number | undefined> {
  return (await db.select().from(albumPurgedCodes).limit(1))[0]?.qrCodeId
}

const anyPersonal = prepared((db) => {
  const photo = db
    .select({ id: albumPhotos.id })
    .from(albumPhotos)
    .where(and(eq(albumPhotos.userId, p('userId')), eq(albumPhotos.orgId, 0).inlineParams()))
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, p('userId')), exists(photo)))
})

/** Whether the user has a personal photo. */
export const hasPhotos = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await anyPersonal(db, { userId })).length > 0

export async function countOfOrg(db: Db | Tx, orgId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(albumPhotos)
    .where(ownedBy({ userId: 0, orgId }))
  return row!.n
}
