/** Exports of many codes. An export of any size holds some rows and one picture in memory. */

import type { AppContext } from '#context'
import type { Db, HeavyReads } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { type ExportFile, sendExport } from '#http/exports.ts'
import { countPrinted } from '#http/printed.ts'
import { columnsIn, tableFile } from '#http/tables.ts'
import { invalid } from '#http/validate.ts'
import { localTime } from '#lib/days.ts'
import { uniqueFileNames } from '#lib/file-name.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { encodeQr, type Look, type Matrix } from '#lib/qr/index.ts'
import { CSV_START, csvRow } from '#lib/spreadsheets/csv-writer.ts'
import type { Cell, Sheet } from '#lib/spreadsheets/xlsx-writer.ts'
import { pathsOf } from '#lib/tree.ts'
import type { ZipEntry } from '#lib/zip.ts'

import { categoryTree } from '../categories/categories.store.ts'
import { levelFor, opensOf } from '../codes/codes.rules.ts'
import { categoriesUnder, codesReader } from '../codes/codes.service.ts'
import { codeIds, codesByIds, countCodes, type QrCodeRow } from '../codes/codes.store.ts'
import { pictureContent, publicUrlOf, shortUrlOf } from '../codes/codes.view.ts'
import { drawCode, withLook } from '../pictures/pictures.service.ts'
import { type LinkRow, linksOf } from '../slugs.store.ts'
import { type ExportCodes, MAX_EXPORT } from './export.model.ts'
import { allCodes } from './export.store.ts'

/** Rows read at once, which takes about a millisecond. */
const ROWS_PER_READ = 100

/** Streams the selected codes. Throws 404 if one of `ids` does not belong to the owner, before anything is sent. */
export async function exportCodes(
  ctx: AppContext,
  owner: Owner,
  input: ExportCodes,
  zone: string,
  caller: Caller,
): Promise<Response> {
  const reader = { locale: caller.locale, zone }
  const party = await partyOf(ctx, owner.userId, caller)
  return sendExport(ctx, party, (reads) => startExport(ctx, reads, owner, input, reader), input.ids?.length)
}

async function startExport(
  ctx: AppContext,
  reads: HeavyReads,
  owner: Owner,
  input: ExportCodes,
  reader: Reader,
): Promise<ExportFile> {
  const chosen =
    input.all === true ? await everyCode(ctx, reads, owner, input) : await chosenIds(ctx, reads, owner, input)
  const categories = pathsOf(await categoryTree.all(ctx.db.read, owner.userId))
  const { format } = input
  const table = { ctx, db: reads.read, rows: chosen.rows, categories, ...reader, format }
  const now = ctx.clock.now()
  // Archives and pictures load zlib, which the start of the server should not wait for.
  const file =
    format === 'zip' || format === 'plain'
      ? {
          pieces: (await import('#lib/zip.ts')).zipOf(pictures(table, { ...input, userId: owner.userId }), now),
          type: 'application/zip',
        }
      : await tableFile(sheetOf(table), format, now)
  const day = localTime(now, reader.zone).toPlainDate().toString()
  return { ...file, name: `qr-codes-${day}.${format === 'plain' ? 'zip' : format}`, rows: chosen.count }
}

interface Chosen {
  readonly count: number
  readonly rows: AsyncIterable<(QrCodeRow | undefined)[]>
}

/** All codes of the owner, which are read while they are sent. */
async function everyCode(ctx: AppContext, reads: HeavyReads, owner: Owner, input: ExportCodes): Promise<Chosen> {
  const { ids, categoryId, format } = input
  if (ids || categoryId != null)
    throw badRequest(
      '`all` selects all codes: leave ids and categoryId out',
      '`all` 表示全部二维码，请勿同时提供 ids 或 categoryId',
    )
  const count = await countCodes(ctx.db.read, owner)
  const most = MOST_ROWS[format]
  if (count > most)
    throw badRequest(
      `A file of this format has at most ${most} codes: export as CSV`,
      `此格式的文件最多 ${most} 个二维码，请导出为 CSV`,
    )
  return { count, rows: allCodes(reads.read, owner, ROWS_PER_READ) }
}

/** Entries of an archive without zip64, and rows of a sheet. */
const MOST_ROWS = { zip: 65_000, plain: 65_000, xlsx: 1_048_575, csv: Infinity } as const

async function chosenIds(ctx: AppContext, reads: HeavyReads, owner: Owner, input: ExportCodes): Promise<Chosen> {
  const { ids, categoryId } = input
  const chosen = (some: readonly number[]) => ({ count: some.length, rows: rowsOf(reads.read, owner, some) })
  if (ids && categoryId != null) throw badRequest('Give either ids or categoryId', '请提供 ids 或 categoryId 之一')
  if (!ids) {
    const categoryIds = await categoriesUnder(ctx, owner, categoryId)
    const all = await codeIds(await codesReader(ctx, owner, reads), owner, categoryIds, MAX_EXPORT + 1)
    if (all.length > MAX_EXPORT)
      throw badRequest(
        `An export has at most ${MAX_EXPORT} codes: select a category or list the ids`,
        `单次最多导出 ${MAX_EXPORT} 个二维码，请选择分类或指定二维码`,
      )
    return chosen(all)
  }
  // Checked here because the schema's check takes a microsecond per id.
  if (new Set(ids).size !== ids.length) throw invalid('body.ids', 'must not contain duplicates', '不能有重复项')
  for await (const rows of rowsOf(reads.read, owner, ids)) if (rows.some((row) => row === undefined)) throw notFound()
  return chosen(ids)
}

/** Reads the rows of `ids` in this order, some at a time. Rows that do not exist (anymore) are undefined. */
async function* rowsOf(db: Db, owner: Owner, ids: readonly number[]): AsyncGenerator<(QrCodeRow | undefined)[]> {
  for (let at = 0; at < ids.length; at += ROWS_PER_READ) {
    const some = ids.slice(at, at + ROWS_PER_READ)
    const found = new Map((await codesByIds(db, owner, some)).map((row) => [row.id, row]))
    yield some.map((id) => found.get(id))
    await pause()
  }
}

/** The language of the titles, and the time zone (as `timeZone` returns it) of the times. */
interface Reader {
  readonly locale: Locale
  readonly zone: string
}

interface Table extends Reader {
  ctx: AppContext
  db: Db
  /** Codes that were deleted since the export began are left out. */
  rows: AsyncIterable<(QrCodeRow | undefined)[]>
  /** Paths of the categories, by id. */
  categories: ReadonlyMap<number, string>
  format: ExportCodes['format']
}

/** The columns of a table: their titles, and their widths in characters. */
const COLUMNS = [
  { en: 'ID', zh: 'ID', width: 10 },
  { en: 'UUID', zh: 'UUID', width: 38 },
  { en: 'Name', zh: '名称', width: 30 },
  { en: 'Content', zh: '内容', width: 50 },
  { en: 'Type', zh: '类型', width: 10 },
  { en: 'Category', zh: '分类', width: 30 },
  { en: 'Tags', zh: '标签', width: 25 },
  { en: 'Remark', zh: '备注', width: 40 },
  { en: 'Public', zh: '公开', width: 10 },
  { en: 'Scans', zh: '扫描次数', width: 10 },
  { en: 'Public link', zh: '公开链接', width: 65 },
  { en: 'Created', zh: '创建时间', width: 20, isTime: true },
  { en: 'Slug', zh: '短链后缀', width: 20 },
  { en: 'Short URL', zh: '短链接', width: 40 },
  { en: 'Opens', zh: '扫码打开', width: 10 },
  { en: 'Target', zh: '目标', width: 50 },
  { en: 'Rules', zh: '规则', width: 40 },
  { en: 'Fallback URL', zh: '备用链接', width: 40 },
  { en: 'Expires at', zh: '到期时间', width: 20, isTime: true },
  { en: 'Max scans', zh: '扫描上限', width: 10 },
  { en: 'Scan count', zh: '扫描总数', width: 10 },
] as const
const FILE = { en: 'File', zh: '文件' }
const SHEET = { en: 'QR codes', zh: '二维码' }

const columnsOf = ({ locale, zone }: Table) => columnsIn(COLUMNS, locale, zone)

/** Characters of a cell in a workbook. Only rules can have more. */
const MAX_CELL = 32_767
/** An import refuses it, so that nobody loses rules. */
const TOO_LONG = { en: 'Too long for a workbook: export as CSV', zh: '内容过长，无法写入工作簿，请导出为 CSV' }

function rulesCell({ format, locale }: Table, how: LinkRow | undefined): string {
  if (how === undefined || how.rules.length === 0) return ''
  const text = JSON.stringify(how.rules)
  return format === 'xlsx' && text.length > MAX_CELL ? TOO_LONG[locale] : text
}

/** In the order of `COLUMNS`. Tags are separated by commas. `how`: how the code leads, if that is not only to its content. */
function cellsOf(table: Table, row: QrCodeRow, how: LinkRow | undefined): Cell[] {
  const { ctx, categories, zone } = table
  const link = publicUrlOf(ctx, row.uuid)
  countPrinted(ctx, link)
  const opens = opensOf(row)
  return [
    row.id,
    row.uuid,
    row.name,
    row.content,
    row.contentType,
    (row.categoryId !== null && categories.get(row.categoryId)) || '',
    row.tags.join(', '),
    row.remark,
    row.isPublic,
    row.scanCount,
    link,
    localTime(row.createdAt, zone),
    row.slug ?? '',
    row.slug === null ? '' : shortUrlOf(ctx, row.slug),
    opens ?? '',
    opens === null ? '' : row.content,
    rulesCell(table, how),
    how?.fallbackUrl ?? '',
    how?.expiresAt == null ? '' : localTime(how.expiresAt, zone),
    how?.maxScans ?? '',
    row.scanCount,
  ]
}

/** The rows of a table, with how they lead. */
async function* linked({ db, rows }: Table): AsyncGenerator<readonly [QrCodeRow, LinkRow | undefined]> {
  for await (const some of rows) {
    const present = some.filter((row) => row !== undefined)
    // Only codes with a slug have a link, and most have none.
    const ids = present.filter(({ slug }) => slug !== null).map(({ id }) => id)
    const links = ids.length > 0 ? await linksOf(db, ids) : undefined
    for (const row of present) yield [row, links?.get(row.id)]
  }
}

type PictureOptions = Pick<ExportCodes, 'format' | 'size' | 'frame'> & { readonly userId: number }

async function* pictures(table: Table, { format, size, frame, userId }: PictureOptions): AsyncGenerator<ZipEntry> {
  const { toPng } = await import('#lib/qr/png.ts')
  const nameOf = uniqueFileNames('.png')
  let index = CSV_START + csvRow([FILE[table.locale], ...columnsOf(table).map(({ title }) => title)])
  for await (const [row, how] of linked(table)) {
    const name = nameOf(row.name)
    index += csvRow([name, ...cellsOf(table, row, how)])
    const designed = format === 'plain' || row.designId === null ? undefined : await withLook(table.ctx, row)
    if (designed?.look) {
      const options = { format: 'png', size, widthMm: undefined, frameless: frame === false, mayGrow: true } as const
      yield { name, data: await drawCode(table.ctx, userId, designed, options) }
    } else {
      const { matrix, look } = pictureOf(pictureContent(table.ctx, row), row.style, size)
      yield { name, data: toPng(matrix, look) }
    }
    await pause()
  }
  yield { name: 'index.csv', data: new TextEncoder().encode(index), deflate: true }
}

function pictureOf(content: string, style: QrCodeRow['style'], size: number): { matrix: Matrix; look: Look } {
  const { fg = '000000', bg = 'ffffff', margin = 4 } = style
  const matrix = encodeQr(content, levelFor(content, style.level))
  return { matrix, look: { size: Math.max(size, matrix.side + 2 * margin), margin, fg, bg } }
}

const sheetOf = (table: Table): Sheet => ({
  name: SHEET[table.locale],
  columns: columnsOf(table),
  rows: sheetRows(table),
})

async function* sheetRows(table: Table): AsyncGenerator<readonly Cell[]> {
  for await (const [row, how] of linked(table)) yield cellsOf(table, row, how)
}
