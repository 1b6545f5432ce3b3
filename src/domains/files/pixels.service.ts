/** The pixels of pictures that the server draws itself. */

import { rm } from 'node:fs/promises'

import { LRUCache } from 'lru-cache'

import { type AppContext, perContext } from '#context'
import type { FileEntity } from '#db/schema/files.ts'
import { notFound } from '#http/errors.ts'
import type { Pixels } from '#lib/qr/design/raster.ts'
import type { Size } from '#platform/images/port.ts'

import { idsOfEntity } from './avatars.store.ts'
import { findBlob } from './bytes.store.ts'
import { type FileRow, findFile } from './files.store.ts'
import { isImage } from './files.view.ts'

/** Bytes of the pixels that are kept: some dozens of logos and strips. */
const CACHED_PIXELS = 32 * 1024 * 1024

const pixelsOf = perContext(
  () =>
    new LRUCache<string, Pixels>({
      maxSize: CACHED_PIXELS,
      sizeCalculation: ({ rgba }) => Math.max(1, rgba.length),
    }),
)

/**
 * The pixels of an image, scaled down to `within`. Whether the user may see the file is for the caller to check.
 * @throws AppError, UnusableImage, ImageQueueFull, BlobError
 */
export async function loadPixels(ctx: AppContext, userId: number, file: FileRow, within: Size): Promise<Pixels> {
  const key = `${file.sha256} ${file.mime} ${within.width}`
  const cache = pixelsOf(ctx)
  const known = cache.get(key)
  if (known !== undefined) return known
  const blob = await findBlob(ctx.db.read, file.blobId)
  const bytes = blob && (await ctx.blobs.read(blob.key))
  if (bytes === undefined) throw notFound()
  const input = await ctx.staging.receive(bytes instanceof Blob ? bytes.stream() : bytes, file.size)
  const output = await ctx.staging.newPath()
  try {
    const size = await ctx.images.readPixels(input.path, file.mime, output, within, userId)
    const pixels = { ...size, rgba: await Bun.file(output).bytes() }
    cache.set(key, pixels)
    return pixels
  } finally {
    await input.dispose()
    await rm(output, { force: true })
  }
}

/** The pixels of the first image of a thing; undefined if it has none. */
export async function pictureOf(
  ctx: AppContext,
  userId: number,
  entityType: FileEntity,
  entityId: number,
  within: Size,
): Promise<Pixels | undefined> {
  const [id] = await idsOfEntity(ctx.db.read, entityType, entityId)
  const file = id === undefined ? undefined : await findFile(ctx.db.read, id)
  return file === undefined || !isImage(file) ? undefined : loadPixels(ctx, userId, file, within)
}
