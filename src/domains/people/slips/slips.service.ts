/** The start codes of an import, as a workbook and as slips: sealed in a row until each was downloaded, for 15 minutes. */

import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import { can } from '#domains/access/index.ts'
import type { Job } from '#domains/domain.ts'
import type { Caller } from '#http/endpoint.ts'
import { forbidden, notFound } from '#http/errors.ts'
import { siteOf } from '#http/site.ts'
import { tableFile } from '#http/tables.ts'
import type { Locale } from '#lib/localized.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'

import { type PrintedSlip, type SheetQuery, TYPES } from './slips.model.ts'
import { slipPages, WORDS } from './slips.rules.ts'
import * as store from './slips.store.ts'

const LIFETIME_MS = 15 * MINUTE
const PURPOSE = 'user import sheet'
/** Path of the page on which a start code is used. Its contents are in the fragment, which browsers send to no server. */
const START_PATH = '/console/start'

export interface Slip {
  readonly name: string
  readonly username: string
  readonly code: string
  readonly email?: string | undefined
  /** Undefined for the language of the import. */
  readonly language: Locale | undefined
}

export const startUrl = (ctx: AppContext, { username, code }: Pick<Slip, 'username' | 'code'>): string =>
  `${ctx.config.publicUrl}${START_PATH}#${new URLSearchParams({ account: username, code }).toString()}`

/** The contents for `saveSheet`. Thousands of slips take some milliseconds, so seal them before the write. */
export function sealSlips(ctx: AppContext, slips: readonly Slip[]): string {
  const rows = slips.map(({ name, username, code, language }): PrintedSlip => ({ name, username, code, language }))
  return ctx.seal.seal(JSON.stringify(rows))
}

/** `contents`: those of `sealSlips`. Returns the address of the files. */
export async function saveSheet(ctx: AppContext, tx: Tx, userId: number, contents: string): Promise<string> {
  const expires = Math.floor((ctx.clock.now() + LIFETIME_MS) / SECOND)
  const id = await store.insertSheet(tx, { userId, contents, expiresAt: expires * SECOND })
  const signature = ctx.signer.sign(PURPOSE, id, userId, expires)
  return `${ctx.config.publicUrl}/api/admin/user-imports/${id}/sheet?user=${userId}&expires=${expires}&signature=${signature}`
}

const badLink = () => forbidden('This address is not valid', '链接无效')
const linkExpired = () => forbidden('This address has expired; the codes are gone', '链接已过期，初始码已清除')

/** @throws AppError 403 unless the link is valid and its user may still make users, 404 for a file that was downloaded */
export async function downloadSheet(
  ctx: AppContext,
  request: Request,
  id: number,
  { user: userId, expires, signature, format = 'xlsx' }: SheetQuery,
  { locale }: Pick<Caller, 'locale'>,
): Promise<Response> {
  if (!ctx.signer.isValid(signature, PURPOSE, id, userId, expires)) throw badLink()
  if (expires * SECOND <= ctx.clock.now()) throw linkExpired()
  if (!(await can(ctx, userId, 'PLATFORM', 0, 'user:create'))) throw badLink()
  const headers = {
    'content-type': TYPES[format],
    'content-disposition': `attachment; filename="start-codes.${format}"`,
    'cache-control': 'private, no-store',
    'content-security-policy': "default-src 'none'; sandbox",
  }
  // A program that only asks about the file must not take it away.
  if (request.method === 'HEAD') return new Response(null, { headers })
  const which = { id, userId, format, now: ctx.clock.now() }
  const sealed = await store.findFile(ctx.db.read, which)
  const text = sealed === undefined ? undefined : ctx.seal.open(sealed)
  if (text === undefined) throw notFound()
  const pieces = format === 'pdf' ? pdfPieces : xlsxPieces
  // Whole before it is taken away, so that a failure leaves it.
  const file: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of await pieces(ctx, JSON.parse(text) as PrintedSlip[], locale))
    file.push(new Uint8Array(piece))
  if (!(await ctx.db.write('people.takeSheet', (tx) => store.takeFile(tx, which)))) throw notFound()
  ctx.log.info('start codes downloaded', { userId, format })
  return new Response(new Blob(file), { headers })
}

async function xlsxPieces(ctx: AppContext, slips: readonly PrintedSlip[], locale: Locale) {
  const words = WORDS[locale]
  const columns = [
    { title: words.name, width: 30 },
    { title: words.username, width: 24 },
    { title: words.code, width: 24, format: 'text' },
    { title: words.page, width: 40 },
  ] as const
  const page = `${ctx.config.publicUrl}${START_PATH}`
  const rows = slips.map(({ name, username, code }) => [name, username, code, page])
  const { pieces } = await tableFile({ name: words.title, columns, rows }, 'xlsx', ctx.clock.now())
  return pieces
}

async function pdfPieces(ctx: AppContext, slips: readonly PrintedSlip[], locale: Locale) {
  const { pdfOf } = await import('#lib/pdf/writer.ts')
  const pages = slipPages(slips, {
    locale,
    server: siteOf(ctx).name,
    page: `${ctx.config.publicUrl}${START_PATH}`,
    urlOf: (slip) => startUrl(ctx, slip),
  })
  return pdfOf(pages, { title: WORDS[locale].title, language: locale, createdAt: ctx.clock.now() })
}

export const sheetsJob: Job = {
  name: 'people.deleteSheets',
  every: MINUTE,
  run: (ctx) =>
    inSlices(ctx, 'people.deleteSheets', (tx, limit) => store.deleteExpiredSheets(tx, ctx.clock.now(), limit)),
}
