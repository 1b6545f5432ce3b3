/** Files, and the things of other domains that they belong to: a photo, an avatar, a cover. Each belongs to one thing at a time. */

import type { AppContext } from '#context'
import type { OwnerKey } from '#db/owner-key.ts'
import type { FileEntity, FileType } from '#db/schema/files.ts'
import type { Tx } from '#db/store.ts'
import { can, refusalIn } from '#domains/access/index.ts'
import { contributions } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { OrgPoint } from '#permission-points'
import { randomCode } from '#platform/ids.ts'

import { dropBytes } from './bytes.service.ts'
import { retainBlobById } from './bytes.store.ts'
import { fileInUse, notAttachable, notYourFile, storageFull } from './files.errors.ts'
import type { FileView } from './files.model.ts'
import { orgPointsFor, pointsToClear, type StorageQuota } from './files.rules.ts'
import * as store from './files.store.ts'
import { toFileView } from './files.view.ts'

/** Unguessable: 22 of 62 characters have 130 bits. */
const PUBLIC_KEY_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PUBLIC_KEY_LENGTH = 22

/** A file that belongs to nothing is visible to its uploader, any other to those who may see the thing that it belongs to. */
export async function mayRead(
  ctx: AppContext,
  userId: number,
  file: Pick<store.FileRow, 'entityType' | 'entityId' | 'uploaderId'>,
): Promise<boolean> {
  const { entityType, entityId, uploaderId } = file
  if (entityType === null || entityId === null) return uploaderId === userId
  for (const visible of contributions(ctx, 'fileEntities'))
    if (await visible[entityType]?.(ctx, userId, entityId, file)) return true
  return false
}

/** @throws AppError 404 if there is no such file, or the user may not see it */
export async function findVisibleFile(ctx: AppContext, userId: number, id: number): Promise<store.FileRow> {
  const file = await store.findFile(ctx.db.read, id)
  if (file === undefined || !(await mayRead(ctx, userId, file))) throw notFound()
  return file
}

export const getFile = async (ctx: AppContext, actor: Actor, id: number): Promise<FileView> =>
  toFileView(ctx, await findVisibleFile(ctx, actor.userId, id))

/** @throws AppError 403 unless the user may upload files of this type for the organization */
export async function requireSupplier(ctx: AppContext, userId: number, orgId: number, type: FileType): Promise<void> {
  const points = orgPointsFor(type) ?? []
  if (!(await holdsOne(ctx, userId, orgId, points))) throw await refusalIn(ctx, userId, orgId, points[0] ?? '')
}

async function holdsOne(ctx: AppContext, userId: number, orgId: number, points: readonly OrgPoint[]): Promise<boolean> {
  for (const point of points) if (await can(ctx, userId, 'ORG', orgId, point)) return true
  return false
}

/** Deletes a file that belongs to nothing. Nothing is deleted in an organization that is disabled. @throws AppError 400, 403 or 404 */
export async function deleteUnusedFile(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  const { userId } = actor
  const file = await store.findFile(ctx.db.read, id)
  if (file === undefined) throw notFound()
  const isManager = file.orgId !== 0 && (await holdsOne(ctx, userId, file.orgId, pointsToClear(file.type)))
  if (!isManager && !(await mayRead(ctx, userId, file))) throw notFound()
  if (!isManager && file.uploaderId !== userId) throw notYourFile()
  const refusal = await refusalIn(ctx, userId, file.orgId, 'org:update')
  await ctx.db.write('files.deleteUnused', async (tx) => {
    if (!(await store.isWritable(tx, file.orgId))) throw refusal
    const deleted = await store.deleteFile(tx, id, 'unused')
    if (deleted !== undefined) return forget(ctx, tx, deleted)
    const used = await store.findFile(tx, id)
    throw used?.entityType ? fileInUse(used.entityType) : notFound()
  })
}

export interface AttachTo {
  readonly type: FileType
  readonly entityType: FileEntity
  readonly entityId: number
  /** Gives the image an address that anyone can read (`publicImageUrl`). */
  readonly isPublic?: boolean
  /** Of the field with the id, for the error: `body.fileId`. */
  readonly path: string
}

/**
 * Gives a file to a thing of the owner. The file must be the caller's own upload, of this type and for the same owner, and belong to
 * nothing. The result has the `capture` of the image, which the file itself loses. @throws AppError 400
 */
export async function attachFile(tx: Tx, owner: Owner, fileId: number, to: AttachTo): Promise<store.FileRow> {
  const { type, entityType, entityId, isPublic, path } = to
  const file = await store.findFile(tx, fileId)
  if (file?.uploaderId !== owner.userId || file.orgId !== owner.orgId || file.type !== type || file.entityType !== null)
    throw notAttachable(path)
  const publicKey = isPublic ? newPublicKey() : null
  const attachment = { entityType, entityId, publicKey }
  if (!(await store.attach(tx, fileId, attachment))) throw notAttachable(path)
  return { ...file, ...attachment }
}

const newPublicKey = () => randomCode(PUBLIC_KEY_ALPHABET, PUBLIC_KEY_LENGTH)

/**
 * Gives the image of a thing an address that anyone can read (`publicImageUrl`), or ends that address: it is never used again. Nothing
 * changes if the image is already public, or not.
 */
export async function setPublic(tx: Tx, fileId: number, isPublic: boolean): Promise<void> {
  const file = await store.findFile(tx, fileId)
  if (file === undefined || (file.publicKey !== null) === isPublic) return
  await store.setPublicKey(tx, fileId, isPublic ? newPublicKey() : null)
}

/** Deletes the file of a thing, when the thing is deleted or gets another file. Nothing happens if there is no such file. */
export async function releaseFile(ctx: AppContext, tx: Tx, fileId: number): Promise<void> {
  const file = await store.deleteFile(tx, fileId)
  if (file !== undefined) await forget(ctx, tx, file)
}

async function forget(ctx: AppContext, tx: Tx, file: store.DeletedFile): Promise<void> {
  await store.refundStorage(tx, { userId: file.uploaderId, orgId: file.orgId }, file.size)
  await dropBytes(ctx, tx, file.blobId)
  if (file.thumbnailBlobId !== null) await dropBytes(ctx, tx, file.thumbnailBlobId)
}

/** Read it before the write. */
export const storageQuota = async (ctx: AppContext): Promise<StorageQuota> => ({
  bytes: await getSetting(ctx, 'quota.storage'),
  files: await getSetting(ctx, 'quota.files'),
})

/** Adds a file of `bytes` to the storage of the owner. @throws AppError 429 if the quota does not allow it */
export async function charge(tx: Tx, owner: Owner, bytes: number, quota: StorageQuota): Promise<void> {
  if (!(await store.chargeStorage(tx, owner, bytes, quota))) throw storageFull()
}

/** Copies a file to a thing of another owner; the bytes are stored once, and count for both. @throws AppError 429 */
export async function copyFile(
  tx: Tx,
  file: store.FileRow,
  owner: Owner,
  to: { readonly entityType: FileEntity; readonly entityId: number },
  quota: StorageQuota,
): Promise<number> {
  await charge(tx, owner, file.size, quota)
  await retainBlobById(tx, file.blobId)
  if (file.thumbnailBlobId !== null) await retainBlobById(tx, file.thumbnailBlobId)
  return store.insertFile(tx, {
    uploaderId: owner.userId,
    orgId: owner.orgId,
    type: file.type,
    name: file.name,
    mime: file.mime,
    size: file.size,
    width: file.width,
    height: file.height,
    durationMs: file.durationMs,
    blobId: file.blobId,
    thumbnailBlobId: file.thumbnailBlobId,
    ...to,
    publicKey: null,
    capture: null,
    requestId: null,
  })
}

/** Deletes the avatar of a user or organization that is being deleted. */
export async function deleteAvatar(ctx: AppContext, tx: Tx, owner: OwnerKey): Promise<void> {
  for (const file of await store.deleteAvatar(tx, owner)) await forget(ctx, tx, file)
}

/** Statements that delete a file and release its storage and bytes. */
const STATEMENTS_OF_FILE = 4

/** Deletes what a deleted user has uploaded, or members for a dissolved organization, and nobody used. As `RemoveRemains`. */
export async function deleteUnused(ctx: AppContext, tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  const rows = await store.deleteSomeUnused(tx, owner, Math.ceil(limit / STATEMENTS_OF_FILE))
  for (const file of rows) await forget(ctx, tx, file)
  return rows.length * STATEMENTS_OF_FILE
}

/** Files that the user uploaded, but those of messages and groups. As `EraseContent`. */
export async function eraseFiles(ctx: AppContext, tx: Tx, userId: number, limit: number): Promise<number> {
  const rows = await store.deleteSomePersonal(tx, userId, Math.ceil(limit / STATEMENTS_OF_FILE))
  for (const file of rows) await forget(ctx, tx, file)
  return rows.length * STATEMENTS_OF_FILE
}
