import { type AppContext, perContext } from '#context'
import type { QrStyle } from '#db/schema/qr-codes.ts'
import type { ContentType } from '#lib/content-type.ts'
import type { Locale } from '#lib/localized.ts'
import { inPicture, shortLinks } from '#lib/short-link.ts'

import { WARNING_TEXTS } from './codes.errors.ts'
import type { QrCodeView, Warning, WrittenQrCode } from './codes.model.ts'
import { levelFor, opensOf } from './codes.rules.ts'
import type { QrCodeRow } from './codes.store.ts'
import { pendingScans } from './scan-counter.ts'

export const publicUrlOf = (ctx: AppContext, uuid: string): string => `${ctx.config.publicUrl}/public/qr/${uuid}`

const linksOf = perContext(({ config }) => shortLinks(config.publicUrl, config.shortUrl))

export const shortUrlOf = (ctx: AppContext, slug: string): string => linksOf(ctx).start + slug

/** A short link as pictures hold it. */
export const shortUrlInPicture = (ctx: AppContext, slug: string): string => inPicture(linksOf(ctx), slug)

/** The columns that decide what the pictures of a code hold. */
export type Pictured = Pick<QrCodeRow, 'isDynamic' | 'uuid' | 'slug' | 'content'>

/** The text that the pictures of a code hold. */
export function pictureContent(ctx: AppContext, { isDynamic, uuid, slug, content }: Pictured): string {
  if (!isDynamic) return content
  return slug === null ? publicUrlOf(ctx, uuid) : shortUrlInPicture(ctx, slug)
}

/** Path of a code's picture on this server. */
export function renderPath(content: string, style: QrStyle): string {
  let path = `/api/qrcode/render?content=${encodeURIComponent(content)}`
  if (style.level !== undefined) path += `&level=${style.level}`
  if (style.margin !== undefined) path += `&margin=${style.margin}`
  if (style.fg !== undefined) path += `&fg=${style.fg}`
  if (style.bg !== undefined) path += `&bg=${style.bg}`
  return path
}

/** The address of a picture with a design. */
export const designUrl = (ctx: AppContext, key: string): string => `${ctx.config.publicUrl}/api/qrcode/design/${key}`

/** The address of a code's plain picture. */
export const qrCodePictureUrl = (ctx: AppContext, code: Pictured & Pick<QrCodeRow, 'style'>): string =>
  ctx.config.publicUrl + renderPath(pictureContent(ctx, code), code.style)

export const toView = (ctx: AppContext, row: QrCodeRow): QrCodeView => {
  const { style } = row
  const pictured = pictureContent(ctx, row)
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    content: row.content,
    contentType: row.contentType as ContentType,
    categoryId: row.categoryId,
    tags: row.tags,
    remark: row.remark,
    style: styleView(pictured, style),
    isPublic: row.isPublic,
    isDynamic: row.isDynamic,
    pinned: row.pinned,
    sortOrder: row.sortOrder,
    orgId: row.orgId === 0 ? null : row.orgId,
    userId: row.userId,
    scanCount: row.scanCount + pendingScans(ctx, row.id),
    imageUrl: row.pictureKey === null ? qrCodePictureUrl(ctx, row) : designUrl(ctx, row.pictureKey),
    publicUrl: publicUrlOf(ctx, row.uuid),
    slug: row.slug,
    shortUrl: row.slug === null ? null : shortUrlOf(ctx, row.slug),
    pictureContent: pictured,
    opens: opensOf(row),
    designId: row.designId,
    blockedAt: row.blockedAt,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** A code that a request wrote. `before`: the code before it, unless it is new. `isDynamic`: whether the request said that it be dynamic. */
export function writtenView(
  ctx: AppContext,
  row: QrCodeRow,
  { before, isDynamic, locale }: { before?: Pictured; isDynamic: boolean; locale: Locale },
): WrittenQrCode {
  const view = toView(ctx, row)
  const warnings: Warning[] = []
  const warn = (code: Warning['code'], details: Warning['details']) =>
    warnings.push({ code, message: WARNING_TEXTS[code][locale], details })
  if (isDynamic && !row.isPublic) warn('NOT_PUBLIC', null)
  const pictured = before && pictureContent(ctx, before)
  if (pictured !== undefined && pictured !== view.pictureContent)
    warn('PICTURE_CHANGED', { before: pictured, after: view.pictureContent })
  return { ...view, warnings }
}

/** `pictured` as `pictureContent` returns it. */
export const styleView = (pictured: string, style: QrCodeRow['style']): QrCodeView['style'] => ({
  fg: style.fg ?? '000000',
  bg: style.bg ?? 'ffffff',
  level: levelFor(pictured, style.level),
  margin: style.margin ?? 4,
})
