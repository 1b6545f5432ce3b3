/** Files that belong to things of other domains: a photo, an avatar, a cover. Each belongs to one thing at a time. */

import type { AppContext } from '#context'
import type { FileEntity, FileType } from '#db/schema/files.ts'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { limited } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { randomCode } from '#platform/ids.ts'

import { dropBytes } from './bytes/service.ts'
import { chargeStorage, refundStorage, retainBlobById } from './bytes/store.ts'
import * as store from './store.ts'

const storageFull = () =>
  limited(
    'The storage quota is used up: delete files, or ask an administrator for more',
    '存储空间已用完，请删除文件或联系管理员',
    3600,
  )

const notAttachable = (path: string) =>
  invalid(
    path,
    'must be the id of your own unused file of the right type and owner',
    '须为您上传的、类型和归属相符且未被使用的文件',
  )

/** Unguessable: 22 of 62 characters have 130 bits. */
const PUBLIC_KEY_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PUBLIC_KEY_LENGTH = 22

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
 * nothing. @throws AppError 400
 */
export async function attachFile(tx: Tx, owner: Owner, fileId: number, to: AttachTo): Promise<store.FileRow> {
  const { type, entityType, entityId, isPublic, path } = to
  const publicKey = isPublic ? randomCode(PUBLIC_KEY_ALPHABET, PUBLIC_KEY_LENGTH) : null
  if (!(await store.attach(tx, owner, fileId, type, { entityType, entityId, publicKey }))) throw notAttachable(path)
  return (await store.findFile(tx, fileId))!
}

/** Deletes the file of a thing, when the thing is deleted or gets another file. Nothing happens if there is no such file. */
export async function releaseFile(ctx: AppContext, tx: Tx, fileId: number): Promise<void> {
  const file = await store.deleteFile(tx, fileId)
  if (file === undefined) return
  await refundStorage(tx, { userId: file.uploaderId, orgId: file.orgId }, file.size)
  await dropBytes(ctx, tx, file.blobId)
  if (file.thumbnailBlobId !== null) await dropBytes(ctx, tx, file.thumbnailBlobId)
}

/** The bytes that an owner may store; 0 = unlimited. Read it before the write. */
export const storageQuota = (ctx: AppContext) => getSetting(ctx, 'quota.storage')

/** Adds `bytes` to the storage of the owner. @throws AppError 429 if the quota does not allow it */
export async function charge(tx: Tx, owner: Owner, bytes: number, quota: number): Promise<void> {
  if (!(await chargeStorage(tx, owner, bytes, quota))) throw storageFull()
}

/** Copies a file to a thing of another owner; the bytes are stored once, and count for both. @throws AppError 429 */
export async function copyFile(
  tx: Tx,
  file: store.FileRow,
  owner: Owner,
  to: { readonly entityType: FileEntity; readonly entityId: number },
  quota: number,
): Promise<number> {
  await charge(tx, owner, file.size, quota)
  await retainBlobById(tx, file.blobId)
  if (file.thumbnailBlobId !== null) await retainBlobById(tx, file.thumbnailBlobId)
  const id = await store.insertFile(tx, {
    uploaderId: owner.userId,
    orgId: owner.orgId,
    type: file.type,
    name: file.name,
    mime: file.mime,
    size: file.size,
    width: file.width,
    height: file.height,
    blobId: file.blobId,
    thumbnailBlobId: file.thumbnailBlobId,
    ...to,
    publicKey: null,
    capture: file.capture,
    requestId: null,
  })
  return id!
}
