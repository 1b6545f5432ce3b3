/** Stores a received file: decides its type from the bytes, re-encodes images, checks the quota, and writes the bytes and then the row. */

import { rm } from 'node:fs/promises'

import type { AppContext } from '#context'
import type { Capture, FileType } from '#db/schema/files.ts'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { AppError, notFound } from '#http/errors.ts'

import { keepBytes, type TemporaryFile, withStoredBytes } from '../bytes/service.ts'
import { usedStorage } from '../bytes/store.ts'
import { emptyFile, notAccepted, notAnImage, storageFull, tooManyPixels } from '../errors.ts'
import { isAcceptedAs } from '../rules.ts'
import { charge, storageQuota } from '../service.ts'
import { existsOwner, type FileRow, findFile, insertFile } from '../store.ts'
import { storedName } from './rules.ts'

export interface NewUpload {
  readonly owner: Owner
  readonly type: FileType
  /** As the client sent it. */
  readonly name: string
  /** Makes a repeated upload recognizable (`findByRequest`). */
  readonly requestId: string | null
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
  const quota = await storageQuota(ctx)
  // Decoding an image is work, and its stored size is only known afterwards.
  if (quota > 0 && (await usedStorage(ctx.db.read, upload.owner)) >= quota) throw storageFull()
  const content = await contentOf(ctx, upload.type, source)
  const { file, thumbnail } = content
  try {
    return await withStoredBytes(ctx, thumbnail === null ? [file] : [file, thumbnail], ([bytes, thumbnailBytes]) =>
      ctx.db.write('files.storeUpload', (tx) =>
        within(tx, async () => {
          const { owner, type, requestId } = upload
          if (!(await existsOwner(tx, owner))) throw notFound()
          await charge(tx, owner, file.size, quota)
          const id = await insertFile(tx, {
            uploaderId: owner.userId,
            orgId: owner.orgId,
            type,
            name: storedName(upload.name, content.extensions),
            mime: content.mime,
            size: file.size,
            width: content.width,
            height: content.height,
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
  readonly extensions: readonly string[]
  readonly width: number | null
  readonly height: number | null
  readonly capture: Capture | null
  /** Deletes the temporary files of a re-encoded image. */
  dispose(): Promise<void>
}

const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'application/pdf': ['pdf'],
  'text/plain': ['txt', 'md', 'log'],
}

async function typeOf(path: string): Promise<string | undefined> {
  const head = await Bun.file(path).slice(0, 512).bytes()
  const latin = Buffer.from(head).toString('latin1')
  if (latin.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (latin.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (/^GIF8[79]a/.test(latin)) return 'image/gif'
  if (/^RIFF....WEBP/s.test(latin)) return 'image/webp'
  if (latin.startsWith('%PDF-')) return 'application/pdf'
  if (latin.startsWith('PK\x03\x04')) return 'application/zip'
  return /[\0<]/.test(latin) ? undefined : 'text/plain'
}

async function contentOf(ctx: AppContext, type: FileType, source: TemporaryFile): Promise<Content> {
  const mime = await typeOf(source.path)
  if (mime === undefined || !isAcceptedAs(type, mime, await getSetting(ctx, 'upload.types'))) throw notAccepted()
  if (!mime.startsWith('image/'))
    return {
      file: source,
      thumbnail: null,
      mime,
      extensions: EXTENSIONS[mime] ?? [mime.replace(/.*\//, '')],
      width: null,
      height: null,
      capture: null,
      dispose: async () => undefined,
    }
  const [output, thumbnailOutput] = [await ctx.staging.newPath(), await ctx.staging.newPath()]
  const dispose = async (): Promise<void> => {
    await rm(output, { force: true })
    await rm(thumbnailOutput, { force: true })
  }
  try {
    const stored = mime === 'image/gif' ? 'image/png' : mime
    const input = await Bun.file(source.path).bytes()
    const facts = await new Bun.Image(input).metadata()
    if (facts.width * facts.height > 40_000_000) throw tooManyPixels()
    const image = new Bun.Image(input)
    await (
      stored === 'image/jpeg' ? image.jpeg({ quality: 90 }) : stored === 'image/png' ? image.png() : image.webp()
    ).write(output)
    const small = new Bun.Image(input)
    await (Math.max(facts.width, facts.height) > 400 ? small.resize(400, 400, { fit: 'inside' }) : small)
      .webp()
      .write(thumbnailOutput)
    const result = await new Bun.Image(await Bun.file(output).bytes()).metadata()
    return {
      file: await described(output),
      thumbnail: await described(thumbnailOutput),
      mime: stored,
      extensions: EXTENSIONS[stored]!,
      width: result.width,
      height: result.height,
      capture: null,
      dispose,
    }
  } catch (error) {
    await dispose()
    if (error instanceof AppError) throw error
    throw notAnImage()
  }
}

async function described(path: string): Promise<TemporaryFile> {
  const bytes = await Bun.file(path).bytes()
  return { path, size: bytes.length, sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') }
}
