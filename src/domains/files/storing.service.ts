/** Stores a received file: decides its type from the bytes, re-encodes images, checks the quota, and writes the bytes and then the row. */

import { rm } from 'node:fs/promises'

import type { AppContext } from '#context'
import type { Capture, FileType } from '#db/schema/files.ts'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { type AppError, notFound } from '#http/errors.ts'
import { mediaOf } from '#lib/file-type.ts'
import { UnusableImage, type UnusableReason } from '#platform/images/port.ts'

import { keepBytes, type TemporaryFile, withStoredBytes } from './bytes.service.ts'
import { emptyFile, heicOff, mislabelled, notAccepted, notAnImage, storageFull, tooManyPixels } from './files.errors.ts'
import { isAcceptedAs, isUsedUp } from './files.rules.ts'
import { charge, storageQuota } from './files.service.ts'
import { existsOwner, type FileRow, findFile, insertFile, storageUse } from './files.store.ts'
import { isMislabelled, storedName } from './storing.rules.ts'

export interface NewUpload {
  readonly owner: Owner
  readonly type: FileType
  /** As the client sent it. */
  readonly name: string
  /** Makes a repeated upload recognizable (`findByRequest`). */
  readonly requestId: string | null
  /** Bytes that the owner's storage already counts for it, as for one file. */
  readonly reserved?: number
}

/** Inserts the row of the stored file. @throws AppError 404 or 429 */
export type InsertFile = () => Promise<FileRow>

/**
 * Stores `source` and runs `within` in a write, which calls `insert` to keep the file; otherwise the bytes are deleted. The caller has
 * checked that the user may upload for the owner, and disposes of `source`.
 * @throws AppError 400, 413, 415 or 429, BlobError, ImageQueueFull
 */
export async function storeUpload<T>(
  ctx: AppContext,
  upload: NewUpload,
  source: TemporaryFile,
  within: (tx: Tx, insert: InsertFile) => Promise<T>,
): Promise<T> {
  if (source.size === 0) throw emptyFile()
  const { owner, type, requestId, reserved } = upload
  const quota = await storageQuota(ctx)
  // Decoding an image is work, and its stored size is only known afterwards.
  if (isUsedUp(await storageUse(ctx.db.read, owner), quota, reserved)) throw storageFull()
  const content = await contentOf(ctx, upload, source)
  const { file, thumbnail } = content
  try {
    return await withStoredBytes(ctx, thumbnail === null ? [file] : [file, thumbnail], ([bytes, thumbnailBytes]) =>
      ctx.db.write('files.storeUpload', (tx) =>
        within(tx, async () => {
          if (!(await existsOwner(tx, owner))) throw notFound()
          await charge(tx, owner, file.size, quota)
          const id = await insertFile(tx, {
            uploaderId: owner.userId,
            orgId: owner.orgId,
            type,
            name: storedName(upload.name, content.mime),
            mime: content.mime,
            size: file.size,
            width: content.width,
            height: content.height,
            durationMs: content.durationMs,
            blobId: await keepBytes(tx, bytes!),
            thumbnailBlobId: thumbnailBytes === undefined ? null : await keepBytes(tx, thumbnailBytes),
            entityType: null,
            entityId: null,
            publicKey: null,
            capture: content.capture,
            requestId,
          })
          return (await findFile(tx, id))!
        }),
      ),
    )
  } finally {
    await content.dispose()
  }
}

/** The parts of an upload that are stored. */
interface Content {
  readonly file: TemporaryFile
  readonly thumbnail: TemporaryFile | null
  readonly mime: string
  readonly width: number | null
  readonly height: number | null
  readonly durationMs: number | null
  readonly capture: Capture | null
  /** Deletes the temporary files of a re-encoded image. */
  dispose(): Promise<void>
}

async function contentOf(ctx: AppContext, { type, owner, name }: NewUpload, source: TemporaryFile): Promise<Content> {
  const media = await mediaOf(Bun.file(source.path))
  if (media === undefined || !isAcceptedAs(type, media.type, await getSetting(ctx, 'upload.types'))) throw notAccepted()
  const { type: mime, durationMs } = media
  if (isMislabelled(name, mime)) throw mislabelled()
  return mime.startsWith('image/')
    ? imageContent(ctx, mime, source, owner.userId)
    : {
        file: source,
        thumbnail: null,
        mime,
        width: null,
        height: null,
        durationMs,
        capture: null,
        dispose: () => Promise.resolve(),
      }
}

async function imageContent(ctx: AppContext, mime: string, source: TemporaryFile, userId: number): Promise<Content> {
  const [output, thumbnailOutput] = [await ctx.staging.newPath(), await ctx.staging.newPath()]
  try {
    const processed = await ctx.images.process(source.path, mime, output, thumbnailOutput, userId)
    const { image, thumbnail, capture } = processed
    return {
      file: processed,
      thumbnail,
      mime: image.mime,
      width: image.width,
      height: image.height,
      durationMs: null,
      capture,
      async dispose() {
        await rm(output, { force: true })
        await rm(thumbnailOutput, { force: true })
      },
    }
  } catch (error) {
    throw error instanceof UnusableImage ? UNUSABLE[error.reason]() : error
  }
}

const UNUSABLE: Readonly<Record<UnusableReason, () => AppError>> = {
  undecodable: notAnImage,
  'too-many-pixels': tooManyPixels,
  'heic-off': heicOff,
  // Only of logos.
  'too-small': notAnImage,
}
