/** The pictures of codes with their designs, and checks of designs that somebody is drawing. */

import { LRUCache } from 'lru-cache'

import { type AppContext, perContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { QrLook } from '#db/schema/qr-designs.ts'
import { findFiles } from '#domains/files/index.ts'
import { contentDisposition } from '#http/byte-response.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { countPrinted } from '#http/printed.ts'
import { matches } from '#http/respond.ts'
import { invalid, invalidAll } from '#http/validate.ts'
import { safeFileName } from '#lib/file-name.ts'
import type { Locale } from '#lib/localized.ts'
import { designSymbol, LEAST_MODULE_MM, type Look, PLAIN, readableFromMm } from '#lib/qr/design/index.ts'
import { QrTooLong } from '#lib/qr/index.ts'

import { noSuchCode } from '../codes/codes.errors.ts'
import { findCode, type QrCodeRow } from '../codes/codes.store.ts'
import { pictureContent, type Pictured, styleView } from '../codes/codes.view.ts'
import { replacedSince } from '../designs/designs.service.ts'
import { tooLongFor } from '../drawing/drawing.errors.ts'
import { checkDesign, drawDesign, type Drawing, loadPictures } from '../drawing/drawing.service.ts'
import { noSuchDesign } from '../looks/looks.errors.ts'
import { filesOf, lookOf, PLAIN as PLAIN_LOOK } from '../looks/looks.rules.ts'
import { checkFiles, drawnLook } from '../looks/looks.service.ts'
import { type DesignRow, findAnyDesign, findDesign, findPicture } from '../looks/looks.store.ts'
import type { CheckDesign, DesignCheck, DesignQuery, PictureQuery } from './pictures.model.ts'

/** A look with the pictures in it. `within`: their greatest sizes. */
export async function readLook(
  ctx: AppContext,
  userId: number,
  stored: QrLook,
  within?: Parameters<typeof loadPictures>[3],
) {
  const files = await findFiles(ctx.db.read, filesOf(stored))
  const fileOf = (id: number | null | undefined) => files.find((file) => file.id === id)
  const shown = { logo: fileOf(stored.logo?.fileId), strip: fileOf(stored.frame?.textFileId) }
  const pictures = await loadPictures(ctx, userId, shown, within)
  return { look: drawnLook(stored, files), pictures }
}

export async function checkLook(
  ctx: AppContext,
  owner: Owner,
  input: CheckDesign,
  locale: Locale,
): Promise<DesignCheck> {
  const before = await chosenDesign(ctx, owner, input)
  const stored = lookOf(before?.look ?? PLAIN_LOOK, input.design ?? {})
  if (input.design != null) await checkFiles(ctx, owner, stored, before)
  const content = await contentToCheck(ctx, owner, input)
  const widthMm = input.widthMm ?? undefined
  const { look, pictures } = await readLook(ctx, owner.userId, stored)
  const { problems, ...checked } = await checkDesign(ctx, owner.userId, look, content, pictures, widthMm)
  return {
    ok: checked.ok,
    symbol: checked.symbol,
    moduleMm: checked.moduleMm === null ? null : Math.round(checked.moduleMm * 1000) / 1000,
    spare: checked.spare,
    problems: problems.map(({ code, path, text }) => ({ code, path, message: text[locale] })),
    hints: hintsOf(checked.moduleMm, widthMm, locale),
  }
}

async function chosenDesign(ctx: AppContext, owner: Owner, input: CheckDesign): Promise<DesignRow | undefined> {
  if (input.designId == null) {
    if (input.design == null)
      throw invalid('body.design', 'is required: give design or designId', '不能为空：请提供 design 或 designId')
    return undefined
  }
  const row = await findDesign(ctx.db.read, ownerKey(owner), input.designId)
  if (row === undefined) throw invalidAll([noSuchDesign('body.designId')])
  return row
}

async function contentToCheck(ctx: AppContext, owner: Owner, input: CheckDesign): Promise<string> {
  if ((input.content == null) === (input.qrCodeId == null))
    throw invalid('body.content', 'is required: give either content or qrCodeId', '请提供 content 或 qrCodeId 之一')
  if (input.content != null) return input.content
  const code = await findCode(ctx.db.read, owner, input.qrCodeId!)
  if (code === undefined) throw invalidAll([noSuchCode('body.qrCodeId')])
  return pictureContent(ctx, code)
}

function hintsOf(moduleMm: number | null, widthMm: number | undefined, locale: Locale): DesignCheck['hints'] {
  if (moduleMm === null || widthMm === undefined) return []
  const centimetres = Math.round(readableFromMm(widthMm) / 10)
  const distance = { en: `Can be read from about ${centimetres} cm`, zh: `可在约 ${centimetres} 厘米处识别` }
  const small = {
    en: `The modules are smaller than ${LEAST_MODULE_MM} mm: many phones cannot read them`,
    zh: `模块小于 ${LEAST_MODULE_MM} 毫米，很多手机无法识别`,
  }
  return [
    ...(moduleMm < LEAST_MODULE_MM ? [{ code: 'SMALL_MODULE' as const, message: small[locale] }] : []),
    { code: 'READABLE_FROM' as const, message: distance[locale] },
  ]
}

/** A code as its picture needs it. */
export type PicturedCode = Pictured & Pick<QrCodeRow, 'name' | 'style'> & { readonly look: QrLook | null }

interface Options extends Pick<Drawing, 'format' | 'size' | 'widthMm' | 'frameless'> {
  /** A size that is too small for the content becomes larger. */
  readonly mayGrow?: boolean
}

/** Draws a code with its design, or in its plain style. `userId`: who waits. @throws AppError 400 if the size is too small */
export async function drawCode(
  ctx: AppContext,
  userId: number,
  code: PicturedCode,
  { mayGrow = false, ...options }: Options,
): Promise<Uint8Array<ArrayBuffer>> {
  const content = pictureContent(ctx, code)
  countPrinted(ctx, content)
  const { look, pictures } = code.look
    ? await readLook(ctx, userId, code.look)
    : { look: plainLook(content, code.style), pictures: {} }
  const modules = modulesOf(content, look)
  if (options.format === 'png' && options.size < modules && !mayGrow)
    throw invalid(
      'query.size',
      `is too small for this content: at least ${modules} pixels`,
      `对此内容过小：至少需要 ${modules} 像素`,
    )
  const size = Math.max(options.size, modules)
  return drawDesign(ctx, { content, look, pictures, title: look.frame?.text || code.name, ...options, size })
}

const plainLook = (content: string, style: QrCodeRow['style']): Look => ({ ...PLAIN, ...styleView(content, style) })

/** On each side, with the margin. */
function modulesOf(content: string, look: Look): number {
  try {
    return designSymbol(content, look).matrix.side + 2 * look.margin
  } catch (error) {
    if (error instanceof QrTooLong) throw invalidAll([{ path: 'design.level', text: tooLongFor(error.level) }])
    throw error
  }
}

const TYPES = { png: 'image/png', svg: 'image/svg+xml', pdf: 'application/pdf' } as const
/** Millimetres. */
const DEFAULT_WIDTH = 50
const DEFAULT_SIZE = 1024
const DOTS_PER_MM = 300 / 25.4

/** The picture of a code of the owner. @throws AppError 404 */
export async function codePicture(ctx: AppContext, owner: Owner, id: number, query: PictureQuery): Promise<Response> {
  const row = await findCode(ctx.db.read, owner, id)
  if (row === undefined) throw notFound()
  const { format, widthMm } = query
  const wished = widthMm === undefined ? DEFAULT_SIZE : Math.round(widthMm * DOTS_PER_MM)
  const bytes = await drawCode(ctx, owner.userId, await withLook(ctx, row), {
    format,
    size: query.size ?? Math.min(2048, Math.max(64, wished)),
    widthMm: format === 'pdf' ? (widthMm ?? DEFAULT_WIDTH) : widthMm,
    frameless: query.frame === '0',
  })
  return new Response(bytes, {
    headers: {
      'content-type': TYPES[format],
      'content-disposition': contentDisposition('attachment', `${safeFileName(row.name)}.${format}`),
      'cache-control': 'private, no-cache',
      'content-security-policy': PICTURE_POLICY,
    },
  })
}

/** An SVG that is opened directly is a document and could run scripts. Its logo is part of it. */
export const PICTURE_POLICY = "default-src 'none'; img-src data:"

/** With the look of its design, if it has one. */
export async function withLook<T extends Pick<QrCodeRow, 'designId'>>(
  ctx: AppContext,
  row: T,
): Promise<T & { look: QrLook | null }> {
  const design = row.designId === null ? undefined : await findAnyDesign(ctx.db.read, row.designId)
  return { ...row, look: design?.look ?? null }
}

/** Bytes of pictures and their keys. */
const CACHE_BYTES = 16 * 1024 * 1024

const cacheOf = perContext(
  () =>
    new LRUCache<string, Uint8Array<ArrayBuffer>>({
      maxSize: CACHE_BYTES,
      sizeCalculation: (bytes, key) => bytes.length + 2 * key.length + 200,
    }),
)

/** Undefined if there is no such picture, or if it was replaced long ago. @throws AppError 400 if the size is too small */
export async function keyPicture(
  ctx: AppContext,
  key: string,
  { format, size, frameless }: Pick<Options, 'size' | 'frameless'> & { readonly format: 'png' | 'svg' },
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string; readonly etag: string } | undefined> {
  const row = await findPicture(ctx.db.read, key, replacedSince(ctx.clock.now()))
  if (row === undefined) return undefined
  const name = `${key} ${format} ${size} ${frameless}`
  const cache = cacheOf(ctx)
  let bytes = cache.get(name)
  if (bytes === undefined) {
    const code = { ...row.source, style: {}, name: 'QR code', look: row.look }
    // Nobody in particular waits: pictures of the public take turns together.
    bytes = await drawCode(ctx, 0, code, { format, size, widthMm: undefined, frameless })
    cache.set(name, bytes)
  }
  return { bytes, type: TYPES[format], etag: `"${Bun.hash(name).toString(36)}"` }
}

/** The picture with this key. It never changes. @throws AppError 404, or 400 if the size is too small */
export async function designPicture(
  ctx: AppContext,
  key: string,
  { format, size, frame }: DesignQuery,
  request: Request,
): Promise<Response> {
  const picture = await keyPicture(ctx, key, { format, size, frameless: frame === '0' })
  if (picture === undefined) throw notFound()
  const { bytes, type, etag } = picture
  const headers = {
    'content-type': type,
    etag,
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': PICTURE_POLICY,
  }
  return matches(request.headers.get('if-none-match'), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(bytes, { headers })
}
