/** Album photos: personal ones, and those of organizations. */

import type { AppContext } from '#context'
import { mapPage, type Page, readerFor } from '#db/paging.ts'
import type { Watermark } from '#db/schema/album.ts'
import { finishInSlices } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { EventRows, SyncRevival, SyncState } from '#domains/contributions.ts'
import {
  attachFile,
  copyFile,
  findByRequest,
  findFile,
  releaseFile,
  storageQuota,
  storeUpload,
  urlsOf,
} from '#domains/files/index.ts'
import { findCode } from '#domains/qr-codes/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { ReceivedFile } from '#http/form.ts'
import { checkPosition, invalid } from '#http/validate.ts'

import { type AddPhoto, MAX_WATERMARK, type PhotosQuery, PhotoView } from './album.model.ts'
import { isUnfiltered, newPhoto } from './album.rules.ts'
import * as store from './album.store.ts'
import { personalPhotos } from './own-data.store.ts'

/** Another owner's QR code, or one in the trash, selects nothing. */
export async function listPhotos(
  ctx: AppContext,
  owner: Owner,
  query: PhotosQuery & { readonly qrCodeId?: number },
): Promise<Page<PhotoView>> {
  const { qrCodeId, page, size } = query
  if (qrCodeId === undefined) return albumPage(ctx, owner, owner, query)
  if ((await findCode(ctx.db.read, owner, qrCodeId)) === undefined) return { items: [], total: 0, page, size }
  return albumPage(ctx, owner, { qrCodeId }, query)
}

/** @throws AppError 404 if the owner has no such code outside the trash */
export async function listPhotosOfCode(
  ctx: AppContext,
  owner: Owner,
  qrCodeId: number,
  query: PhotosQuery,
): Promise<Page<PhotoView>> {
  if ((await findCode(ctx.db.read, owner, qrCodeId)) === undefined) throw notFound()
  return albumPage(ctx, owner, { qrCodeId }, query)
}

async function albumPage(
  ctx: AppContext,
  owner: Owner,
  album: store.Album,
  query: PhotosQuery,
): Promise<Page<PhotoView>> {
  return mapPage(await rowsPage(ctx, owner, album, query), (row) => toView(ctx, row))
}

async function rowsPage(
  ctx: AppContext,
  owner: Owner,
  album: store.Album,
  query: PhotosQuery,
): Promise<Page<store.PhotoRow>> {
  if (isUnfiltered(query)) return store.photosPage(ctx.db.read, album, query)
  const { keyword } = query
  if (keyword) return ctx.db.search(owner.userId, (db) => store.searchPhotos(db, album, { ...query, keyword }))
  const { total } = await store.photosPage(ctx.db.read, album, { page: 1, size: 1 })
  return store.filteredPage(readerFor(ctx.db, total), album, query)
}

export async function getPhoto(ctx: AppContext, owner: Owner, id: number): Promise<PhotoView> {
  const row = await store.findPhoto(ctx.db.read, owner, id)
  if (row === undefined) throw notFound()
  return toView(ctx, row)
}

/** Adds a photo with an earlier upload, or with the file of the form: its bytes are then deleted if the photo is refused. */
export async function addPhoto(
  ctx: AppContext,
  owner: Owner,
  input: AddPhoto,
  received: ReceivedFile | undefined,
): Promise<PhotoView> {
  const { fileId } = input
  checkPosition(input)
  checkWatermark(input.watermark)
  if (received === undefined) {
    if (fileId == null) throw noFile()
    return toView(ctx, await ctx.db.write('album.addPhoto', (tx) => insertPhoto(tx, owner, input, fileId)))
  }
  if (fileId != null) throw twoFiles()
  const upload = { owner, type: 'album', name: received.name, requestId: input.requestId ?? null } as const
  const row =
    (await photoOfRequest(ctx.db.read, owner, input)) ??
    (await storeUpload(
      ctx,
      upload,
      received,
      async (tx, insert) =>
        (await photoOfRequest(tx, owner, input)) ?? (await insertPhoto(tx, owner, input, (await insert()).id)),
    ))
  return toView(ctx, row)
}

/** The photo of a form that is repeated because its answer was lost. @throws AppError 400 if another file has the `requestId` */
async function photoOfRequest(db: Db | Tx, owner: Owner, { requestId }: AddPhoto): Promise<store.PhotoRow | undefined> {
  const file = requestId == null ? undefined : await findByRequest(db, owner.userId, requestId)
  if (file === undefined) return undefined
  const photo = file.entityType === 'PHOTO' ? await store.findPhoto(db, owner, file.entityId!) : undefined
  if (photo === undefined) throw invalid('body.requestId', 'was used for another file', '已用于其他文件')
  return photo
}

const noFile = () =>
  invalid('body.fileId', 'is required, unless a form contains the file', '不能为空，除非以表单上传文件')
const twoFiles = () => invalid('body.fileId', 'must be absent if a form contains the file', '表单包含文件时不能填写')

/** `part` of the request that contains the watermark. */
export function checkWatermark(watermark: Watermark | null | undefined, part = 'body'): void {
  if (watermark != null && Buffer.byteLength(JSON.stringify(watermark)) > MAX_WATERMARK)
    throw invalid(
      `${part}.watermark`,
      `must have at most ${MAX_WATERMARK} bytes of JSON`,
      `JSON 不能超过 ${MAX_WATERMARK} 字节`,
    )
}

/**
 * Adds a photo with an unused upload of the owner, which loses its EXIF data: only the photo has time and position from then on. The
 * caller has checked position and watermark. `part` of the request that contains the input.
 */
export async function insertPhoto(
  tx: Tx,
  owner: Owner,
  input: AddPhoto,
  fileId: number,
  part = 'body',
  revived?: SyncRevival,
): Promise<store.PhotoRow> {
  if (input.qrCodeId != null) await checkCode(tx, owner, input.qrCodeId, part)
  const file = await findFile(tx, fileId)
  const id = await store.insertPhoto(tx, owner, newPhoto(input, file?.capture ?? null), revived)
  await attachFile(tx, owner, fileId, { type: 'album', entityType: 'PHOTO', entityId: id, path: `${part}.fileId` })
  return (await store.findPhoto(tx, owner, id))!
}

export async function checkCode(tx: Tx, owner: Owner, id: number, part: string): Promise<void> {
  if ((await findCode(tx, owner, id)) === undefined)
    throw invalid(`${part}.qrCodeId`, 'must be the id of a QR code of the same owner', '须为同一归属的二维码')
}

/** Physically: the photo, its file, its share if it is a copy, and the bytes with their last reference. */
export async function deletePhoto(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  await ctx.db.write('album.deletePhoto', async (tx) => {
    if ((await deleteWithFile(ctx, tx, owner, id)) === undefined) throw notFound()
  })
}

/** The same in a write. Returns the state of the tombstone; undefined if the owner has no such photo. */
export async function deleteWithFile(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  id: number,
): Promise<SyncState | undefined> {
  const photo = await store.findPhoto(tx, owner, id)
  const deleted = photo && (await store.deletePhoto(tx, owner, id))
  if (deleted !== undefined) await releaseFile(ctx, tx, photo!.fileId)
  return deleted
}

/**
 * Prepares copies of a user's own photos that belong to an organization. The returned function runs in a write, returns the copy's id,
 * and throws 404 if the user has no such photo, or the error of the organization's storage quota. A copy has no QR code, because the
 * code of the original belongs to the user.
 */
export async function prepareCopy(ctx: AppContext) {
  const quota = await storageQuota(ctx)
  return async (tx: Tx, userId: number, sourceId: number, orgId: number): Promise<number> => {
    const source = await store.findPhoto(tx, { userId, orgId: 0 }, sourceId)
    if (source === undefined) throw notFound()
    const { takenAt, latitude, longitude, address, watermark } = source
    const owner = { userId, orgId }
    const copy = { qrCodeId: null, takenAt, latitude, longitude, address, watermark }
    const id = await store.insertPhoto(tx, owner, copy)
    const file = await findFile(tx, source.fileId)
    await copyFile(tx, file!, owner, { entityType: 'PHOTO', entityId: id }, quota)
    return id
  }
}

export async function deleteCopy(ctx: AppContext, tx: Tx, orgId: number, id: number): Promise<void> {
  await deleteWithFile(ctx, tx, { userId: 0, orgId }, id)
}

/** Whether the user may see a photo and so its file. */
export async function mayRead(ctx: AppContext, userId: number, id: number): Promise<boolean> {
  const owner = await store.ownerOfPhoto(ctx.db.read, id)
  if (owner === undefined) return false
  if (owner.orgId === 0) return owner.userId === userId
  return access.can(ctx, userId, 'ORG', owner.orgId, 'album:read')
}

/** Photos that lose their code in one write, which takes some milliseconds. */
const PHOTOS_PER_WRITE = 200

/**
 * Clears codes that are being deleted permanently from their photos. The photos change, so that clients that synchronize notice. A code
 * can have a million photos: those beyond the first are left to the job, and until then their answers show no code either.
 */
export async function clearPurgedCodes(tx: Tx, ids: readonly number[]): Promise<void> {
  let left = PHOTOS_PER_WRITE
  for (const id of await store.codesWithPhotos(tx, ids)) {
    left -= await store.clearCode(tx, id, left)
    if (left === 0) await store.insertPurgedCode(tx, id)
  }
}

/** Clears deleted codes from the photos that were too many for the write that deleted the code. */
export const clearRemaining = (ctx: AppContext): Promise<void> =>
  finishInSlices(ctx, 'album.clearPurgedCode', {
    first: store.firstPurgedCode,
    work: store.clearCode,
    end: store.deletePurgedCode,
  })

/** Photos as webhooks tell of them. */
const photos: EventRows = {
  schema: PhotoView,
  name: 'name',
  rows: async (ctx, tx, _owner, ids) => (await store.photosByIds(tx, ids)).map((row) => toView(ctx, row)),
}
export const eventRows = { album_photo: photos }

export const toView = (ctx: AppContext, row: store.PhotoRow): PhotoView => ({
  id: row.id,
  fileId: row.fileId,
  ...urlsOf(ctx, { id: row.fileId, mime: row.mime, thumbnailBlobId: row.thumbnailBlobId }),
  qrCodeId: row.qrCodeId,
  orgId: row.orgId === 0 ? null : row.orgId,
  takenAt: row.takenAt,
  latitude: row.latitude,
  longitude: row.longitude,
  address: row.address,
  watermark: row.watermark,
  uploaderId: row.userId,
  name: row.name,
  width: row.width,
  height: row.height,
  size: row.size,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

/** Statements that delete a photo with its file. */
const STATEMENTS_OF_PHOTO = 5

/** The user's own photos; copies that organizations have stay. As `EraseContent`. */
export async function erasePhotos(ctx: AppContext, tx: Tx, userId: number, limit: number): Promise<number> {
  const rows = await personalPhotos(tx, userId, Math.ceil(limit / STATEMENTS_OF_PHOTO))
  for (const { fileId } of rows) if (fileId !== null) await releaseFile(ctx, tx, fileId)
  if (rows.length > 0)
    await store.deletePhotos(
      tx,
      rows.map(({ id }) => id),
    )
  return rows.length * STATEMENTS_OF_PHOTO
}
