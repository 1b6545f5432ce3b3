import type { AppContext } from '#context'
import type { LandingPageType } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import { findForm } from '#domains/found/index.ts'
import { contentDisposition } from '#http/byte-response.ts'
import type { Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { countPrinted } from '#http/printed.ts'
import { cached } from '#http/respond.ts'
import type { ContentType } from '#lib/content-type.ts'
import { safeFileName } from '#lib/file-name.ts'
import { contactFile, eventFile } from '#lib/qr-contents/index.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import { designUrl, pictureContent, publicUrlOf, renderPath, styleView } from '../codes/codes.view.ts'
import { countScan, pendingScans } from '../codes/scan-counter.ts'
import { picture } from '../render/render.service.ts'
import { CONTACT_FILE, EVENT_FILE, PNG_FILE, type PublicQrCode, SVG_FILE } from './public.model.ts'
import { findPublic } from './public.store.ts'

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')

const rowOf = async (ctx: AppContext, uuid: string) =>
  UUID.test(uuid) ? findPublic(ctx.db.read, uuid.toLowerCase()) : undefined

/** Returns a public code and counts a scan. Undefined for private, deleted and unknown codes alike. */
export async function viewPublic(ctx: AppContext, uuid: string): Promise<PublicQrCode | undefined> {
  const row = await rowOf(ctx, uuid)
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
    imageUrl:
      row.pictureKey === null ? ctx.config.publicUrl + renderPath(pictured, row.style) : designUrl(ctx, row.pictureKey),
    publicUrl: publicUrlOf(ctx, row.uuid),
    found: await findForm(ctx, 'QR_CODE', { id: row.id, isLost: false }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** Pixels. */
const FILE_SIZE = 1024

/** A file of a public code by its name. @throws AppError 404 for other codes and names, and if the content is no contact or event */
export async function publicFile(
  ctx: AppContext,
  { uuid, file }: { readonly uuid: string; readonly file: string },
  request: Request,
): Promise<Response> {
  const row = await rowOf(ctx, uuid)
  if (row === undefined) throw notFound()
  if (file === PNG_FILE || file === SVG_FILE) {
    const content = pictureContent(ctx, row)
    countPrinted(ctx, content)
    const format = file === PNG_FILE ? 'png' : 'svg'
    const drawn = await picture(ctx, { content, size: FILE_SIZE, format, ...styleView(content, row.style) })
    return fileResponse(request, drawn.bytes, drawn.type, drawn.etag, 'inline')
  }
  const text =
    file === CONTACT_FILE
      ? contactFile(row.content)
      : file === EVENT_FILE
        ? eventFile(row.content, { uid: `${row.uuid}@tessera`, writtenAt: row.updatedAt })
        : undefined
  if (text === undefined) throw notFound()
  const extension = file.slice(file.lastIndexOf('.'))
  return fileResponse(
    request,
    text,
    file === CONTACT_FILE ? 'text/vcard; charset=utf-8' : 'text/calendar; charset=utf-8',
    `"${Bun.hash(text).toString(36)}"`,
    contentDisposition('attachment', safeFileName(row.name) + extension),
  )
}

/** Caches ask each time, because the code may become private. */
function fileResponse(
  request: Request,
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  etag: string,
  disposition: string,
): Response {
  return cached(request, typeof body === 'string' ? body : new Blob([body]), etag, {
    'content-type': type,
    'content-disposition': disposition,
    // An SVG that is opened directly is a document and could run scripts.
    'content-security-policy': "default-src 'none'",
    'x-robots-tag': 'noindex',
  })
}

/** A landing page that another domain contributes. `type` in any case. Throws 404 for unknown types and ids. */
export async function landingPage(
  ctx: AppContext,
  { type, id }: { readonly type: string; readonly id: string },
  visit: { readonly userId: number; readonly caller: Caller; readonly request: Request },
): Promise<Response> {
  const name = type.toLowerCase()
  for (const pages of contributions(ctx, 'landingPages')) {
    // Any text of the path, even `constructor`.
    const page = Object.hasOwn(pages, name) ? pages[name as LandingPageType] : undefined
    const response = await page?.(ctx, { ...visit, id })
    if (response) return response
  }
  throw notFound()
}
