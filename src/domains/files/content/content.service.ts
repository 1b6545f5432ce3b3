/** The bytes of files, for users who may see them, for holders of a signed URL, and those of public images for everyone. */

import type { AppContext } from '#context'
import { answerBytes } from '#http/byte-response.ts'
import { addressOf } from '#http/caller.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { SECOND } from '#platform/clock.ts'

import type { Disposition, Variant } from '../files.model.ts'
import { findVisibleFile, mayRead } from '../files.service.ts'
import { contentUrl, isImage } from '../files.view.ts'
import type { ContentQuery, SignedUrl, SignedUrlQuery } from './content.model.ts'
import { type ContentRow, findContent, findPublicContent } from './content.store.ts'

/** `actor` is undefined for a signed URL. */
export async function readContent(
  ctx: AppContext,
  actor: Actor | undefined,
  request: Request,
  id: number,
  { variant, disposition }: ContentQuery,
): Promise<Response> {
  const find = () => findContent(ctx.db.read, id, variant)
  const content = await find()
  if (content === undefined) throw notFound()
  if (actor !== undefined && !(await mayRead(ctx, actor.userId, content))) throw notFound()
  // The bytes of a file never change, so a copy is good as long as its address. With a token it is asked for each time.
  const cacheControl =
    actor === undefined ? `private, max-age=${secondsLeft(ctx, request)}, immutable` : 'private, no-cache'
  return answer(ctx, request, content, variant, disposition, cacheControl, find)
}

/**
 * The bytes of a file for a caller who may see the thing that it belongs to: the caller of this function has checked that. Caches must ask
 * again each time, because that can end before the file does.
 */
export async function answerContent(
  ctx: AppContext,
  request: Request,
  id: number,
  { variant, disposition }: ContentQuery,
): Promise<Response> {
  const find = () => findContent(ctx.db.read, id, variant)
  const content = await find()
  if (content === undefined) throw notFound()
  return answer(ctx, request, content, variant, disposition, 'private, no-cache', find)
}

function secondsLeft(ctx: AppContext, request: Request): number {
  // The signature was checked for the last value, if there are several.
  const expires = Number(addressOf(request).searchParams.getAll('expires').at(-1))
  return Math.max(0, expires - Math.ceil(ctx.clock.now() / SECOND))
}

/** A new picture has a new key, so every cache may keep the old one. */
export async function readPublicImage(
  ctx: AppContext,
  request: Request,
  key: string,
  variant: Variant,
): Promise<Response> {
  const find = () => findPublicContent(ctx.db.read, key, variant)
  const content = await find()
  if (content === undefined) throw notFound()
  return answer(ctx, request, content, variant, 'inline', 'public, max-age=31536000, immutable', find)
}

/** `find` finds the row again, to tell a file that is deleted meanwhile from one whose bytes are lost. */
function answer(
  ctx: AppContext,
  request: Request,
  content: ContentRow,
  variant: Variant,
  disposition: Disposition,
  cacheControl: string,
  find: () => Promise<ContentRow | undefined>,
): Promise<Response> {
  const isThumbnail = variant === 'THUMBNAIL'
  const stored = {
    size: content.size,
    etag: `"${content.sha256}"`,
    type: isThumbnail ? 'image/webp' : content.mime,
    disposition: isThumbnail || isImage(content) ? disposition : 'attachment',
    name: isThumbnail ? content.name.replace(/\.[^.]*$|$/, '.webp') : content.name,
    headers: {
      'cache-control': cacheControl,
      // If a browser ever showed a file as a document, it could load and run nothing.
      'content-security-policy': "default-src 'none'; sandbox",
      // Pages of other origins may show it: the address is the permission, and no cookie is sent along that could be abused.
      'cross-origin-resource-policy': 'cross-origin',
    },
  } as const
  return answerBytes(request, stored, async (range) => {
    const bytes = await ctx.blobs.read(content.key, range)
    if (bytes === undefined && (await find()) === undefined) throw notFound()
    return bytes
  })
}

/** Signs a URL of a file that the caller may see. */
export async function createSignedUrl(
  ctx: AppContext,
  actor: Actor,
  { fileId, variant, disposition, expiresIn }: SignedUrlQuery,
): Promise<SignedUrl> {
  const file = await findVisibleFile(ctx, actor.userId, fileId)
  if (variant === 'THUMBNAIL' && file.thumbnailBlobId === null) throw notFound()
  const expires = Math.floor(ctx.clock.now() / SECOND) + expiresIn
  return { url: contentUrl(ctx, fileId, variant, disposition, expires), expiresAt: expires * SECOND }
}
