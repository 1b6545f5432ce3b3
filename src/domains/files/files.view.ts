import type { AppContext } from '#context'
import { HOUR, SECOND } from '#platform/clock.ts'

import { type Disposition, type FileView, URL_SECONDS, type Variant } from './files.model.ts'
import type { FileRow } from './files.store.ts'

/** The purpose that signatures of contents are bound to. */
export const CONTENT_URL = 'file content'

/** `expires`: epoch seconds. */
export function contentUrl(
  ctx: AppContext,
  id: number,
  variant: Variant,
  disposition: Disposition,
  expires: number,
): string {
  const signature = ctx.signer.sign(CONTENT_URL, id, variant, disposition, expires)
  return `${ctx.config.publicUrl}/api/files/${id}/content?variant=${variant}&disposition=${disposition}&expires=${expires}&signature=${signature}`
}

/** The end, in epoch seconds, of addresses made now: a full hour, 1 to 2 hours on. */
export const expiryOfUrls = (now: number): number => Math.ceil((now + URL_SECONDS * SECOND) / HOUR) * (HOUR / SECOND)

/** Uploaded images are re-encoded to one of these types. Only they are shown by browsers; every other file is saved. */
const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp'])

export const isImage = ({ mime }: Pick<FileRow, 'mime'>): boolean => IMAGE_TYPES.has(mime)

/** Signed addresses of a file and of its thumbnail, for `<img>` and downloads. */
export function urlsOf(
  ctx: AppContext,
  file: Pick<FileRow, 'id' | 'mime' | 'thumbnailBlobId'>,
): { url: string; thumbnailUrl: string | null } {
  const expires = expiryOfUrls(ctx.clock.now())
  return {
    url: contentUrl(ctx, file.id, 'ORIGINAL', isImage(file) ? 'inline' : 'attachment', expires),
    thumbnailUrl: file.thumbnailBlobId === null ? null : contentUrl(ctx, file.id, 'THUMBNAIL', 'inline', expires),
  }
}

const PUBLIC_IMAGES = '/public/images/'

/** The address of a public image; null if there is none. */
export const publicImageUrl = (ctx: AppContext, publicKey: string | null): string | null =>
  publicKey === null ? null : ctx.config.publicUrl + publicImagePath(publicKey)

export const publicImagePath = (publicKey: string): string => PUBLIC_IMAGES + publicKey

/**
 * The address of the picture of a user or an organization as clients get it. Of uploaded pictures only the path is stored, so that they
 * are found at a changed `PUBLIC_URL` too.
 */
export const avatarUrl = (ctx: AppContext, stored: string | null): string | null =>
  stored?.startsWith(PUBLIC_IMAGES) ? ctx.config.publicUrl + stored : stored

export const toFileView = (ctx: AppContext, row: FileRow): FileView => ({
  id: row.id,
  type: row.type,
  name: row.name,
  mime: row.mime,
  size: row.size,
  width: row.width,
  height: row.height,
  sha256: row.sha256,
  ...urlsOf(ctx, row),
  storage: ctx.blobs.storage,
  entityType: row.entityType,
  entityId: row.entityId,
  orgId: row.orgId === 0 ? null : row.orgId,
  uploaderId: row.uploaderId,
  createdAt: row.createdAt,
})
