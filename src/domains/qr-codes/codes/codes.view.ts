import type { AppContext } from '#context'
import type { QrStyle } from '#db/schema/qr-codes.ts'
import type { ContentType } from '#lib/content-type.ts'

import type { QrCodeView } from './codes.model.ts'
import { levelFor } from './codes.rules.ts'
import type { QrCodeRow } from './codes.store.ts'
import { pendingScans } from './scan-counter.ts'

export const publicUrlOf = (ctx: AppContext, uuid: string): string => `${ctx.config.publicUrl}/public/qr/${uuid}`

/** The text that the pictures of a code hold. */
export const pictureContent = (
  ctx: AppContext,
  { isDynamic, uuid, content }: Pick<QrCodeRow, 'isDynamic' | 'uuid' | 'content'>,
): string => (isDynamic ? publicUrlOf(ctx, uuid) : content)

/** Path of a code's picture on this server. */
export function renderPath(content: string, style: QrStyle): string {
  let path = `/api/qrcode/render?content=${encodeURIComponent(content)}`
  if (style.level !== undefined) path += `&level=${style.level}`
  if (style.margin !== undefined) path += `&margin=${style.margin}`
  if (style.fg !== undefined) path += `&fg=${style.fg}`
  if (style.bg !== undefined) path += `&bg=${style.bg}`
  return path
}

/** The address of a code's picture. */
export const qrCodePictureUrl = (
  ctx: AppContext,
  code: Pick<QrCodeRow, 'isDynamic' | 'uuid' | 'content' | 'style'>,
): string => ctx.config.publicUrl + renderPath(pictureContent(ctx, code), code.style)

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
    imageUrl: qrCodePictureUrl(ctx, row),
    publicUrl: publicUrlOf(ctx, row.uuid),
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** `pictured` as `pictureContent` returns it. */
export const styleView = (pictured: string, style: QrCodeRow['style']): QrCodeView['style'] => ({
  fg: style.fg ?? '000000',
  bg: style.bg ?? 'ffffff',
  level: levelFor(pictured, style.level),
  margin: style.margin ?? 4,
})
