import type { AppContext } from '#context'
import type { LandingPageType } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import type { Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { ContentType } from '#lib/content-type.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import { pictureContent, publicUrlOf, renderPath, styleView } from '../codes/view.ts'
import type { PublicQrCode } from './model.ts'
import { countScan, pendingScans } from './scan-counter.ts'
import { findPublic } from './store.ts'

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')

/** Returns a public code and counts a scan. Undefined for private, deleted and unknown codes alike. */
export async function viewPublic(ctx: AppContext, uuid: string): Promise<PublicQrCode | undefined> {
  const row = UUID.test(uuid) ? await findPublic(ctx.db.read, uuid.toLowerCase()) : undefined
  if (row === undefined) return undefined
  countScan(ctx, row.id)
  const pictured = pictureContent(ctx, row)
  return {
    uuid: row.uuid,
    name: row.name,
    content: row.content,
    contentType: row.contentType as ContentType,
    style: styleView(pictured, row.style),
    isDynamic: row.isDynamic,
    scanCount: row.scanCount + pendingScans(ctx, row.id),
    imageUrl: ctx.config.publicUrl + renderPath(pictured, row.style),
    publicUrl: publicUrlOf(ctx, row.uuid),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** A landing page that another domain contributes. `type` in any case. Throws 404 for unknown types and ids. */
export async function landingPage(
  ctx: AppContext,
  { type, id }: { readonly type: string; readonly id: string },
  { caller, request }: { readonly caller: Caller; readonly request: Request },
): Promise<Response> {
  const name = type.toLowerCase()
  for (const pages of contributions(ctx, 'landingPages')) {
    // Any text of the path, even `constructor`.
    const page = Object.hasOwn(pages, name) ? pages[name as LandingPageType] : undefined
    const response = await page?.(ctx, { id, caller, request })
    if (response) return response
  }
  throw notFound()
}
