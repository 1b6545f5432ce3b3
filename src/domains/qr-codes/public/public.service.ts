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

import { opensOf } from '../codes/codes.rules.ts'
import { designUrl, pictureContent, publicUrlOf, renderPath, styleView } from '../codes/codes.view.ts'
import { countScan, pendingScans } from '../codes/scan-counter.ts'
import { lead, type Led, type Visitor } from '../links/leading.service.ts'
import { isHidden } from '../links/links.rules.ts'
import { linkIn } from '../links/links.store.ts'
import { keyPicture, PICTURE_POLICY } from '../pictures/pictures.service.ts'
import { picture } from '../render/render.service.ts'
import type { Found } from './holders.service.ts'
import { CONTACT_FILE, EVENT_FILE, PNG_FILE, type PublicQrCode, SVG_FILE } from './public.model.ts'
import { findPublic } from './public.store.ts'

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')

type Row = NonNullable<Awaited<ReturnType<typeof findPublic>>>

const rowOf = async (ctx: AppContext, uuid: string): Promise<Row | undefined> =>
  UUID.test(uuid) ? findPublic(ctx.db.read, uuid.toLowerCase()) : undefined

/** Returns a public code and counts a scan. Undefined for private, deleted and unknown codes alike, and for those that only a scan may show. */
export async function viewPublic(ctx: AppContext, uuid: string): Promise<PublicQrCode | undefined> {
  const row = await rowOf(ctx, uuid)
  if (row === undefined || isHidden({ ...row, link: linkIn(row) }, ctx.clock.now())) return undefined
  countScan(ctx, row.id)
  return viewOf(ctx, row)
}

export interface PublicScan {
  readonly view: PublicQrCode
  readonly slug: string | null
  readonly found: Found
  /** Undefined for the share page. */
  readonly led: Led | undefined
}

/** Opens the public link of a code: its share page, or whatever its short link opens. Undefined as for `viewPublic`. */
export async function openPublic(
  ctx: AppContext,
  uuid: string,
  visitor: Visitor & { readonly asksForPage: boolean },
): Promise<PublicScan | undefined> {
  const row = await rowOf(ctx, uuid)
  if (row === undefined) return undefined
  const { slug } = row
  const found = {
    ...row,
    asked: slug ?? '',
    isLabel: false,
    opens: opensOf(row),
    link: linkIn(row),
  }
  const leads = found.opens === 'TARGET' && !visitor.asksForPage
  const led = leads || isHidden(found, ctx.clock.now()) ? await lead(ctx, found, visitor) : undefined
  // Codes that open the page count each opening, as they did before there were short links.
  if (led === undefined && found.opens !== 'TARGET') countScan(ctx, row.id)
  return { view: await viewOf(ctx, row), slug, found, led }
}

/** The code that a slug leads to, as its share page shows it. */
export async function viewByUuid(ctx: AppContext, uuid: string): Promise<PublicQrCode | undefined> {
  const row = await rowOf(ctx, uuid)
  return row && viewOf(ctx, row)
}

async function viewOf(ctx: AppContext, row: Row): Promise<PublicQrCode> {
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
  const hides = isHidden({ ...row, link: linkIn(row) }, ctx.clock.now())
  if (file === PNG_FILE || file === SVG_FILE) {
    const content = pictureContent(ctx, row)
    if (hides && content === row.content) throw notFound()
    countPrinted(ctx, content)
    const format = file === PNG_FILE ? 'png' : 'svg'
    const frameless = new URL(request.url).searchParams.get('frame') === '0'
    const designed =
      row.pictureKey === null
        ? undefined
        : await keyPicture(ctx, row.pictureKey, { format, size: FILE_SIZE, frameless })
    if (designed) return fileResponse(request, designed.bytes, designed.type, designed.etag, 'inline', PICTURE_POLICY)
    const drawn = await picture(ctx, { content, size: FILE_SIZE, format, ...styleView(content, row.style) })
    return fileResponse(request, drawn.bytes, drawn.type, drawn.etag, 'inline')
  }
  const text =
    file === CONTACT_FILE
      ? contactFile(row.content)
      : file === EVENT_FILE
        ? eventFile(row.content, { uid: `${row.uuid}@tessera`, writtenAt: row.updatedAt })
        : undefined
  if (hides || text === undefined) throw notFound()
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
  policy = "default-src 'none'",
): Response {
  return cached(request, typeof body === 'string' ? body : new Blob([body]), etag, {
    'content-type': type,
    'content-disposition': disposition,
    // An SVG that is opened directly is a document and could run scripts.
    'content-security-policy': policy,
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
