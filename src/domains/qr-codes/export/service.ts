/** Exports of many codes. They are generated while they are sent, so an export of any size holds some rows and one picture in memory. */

import type { AppContext } from '#context'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { CSV_START, csvRow } from '#lib/csv.ts'
import { uniqueFileNames } from '#lib/file-name.ts'
import { encodeQr, type Look, type Matrix } from '#lib/qr/index.ts'
import type { ZipEntry } from '#lib/zip.ts'

import { categoryTree } from '../categories/store.ts'
import { levelFor } from '../codes/rules.ts'
import { categoriesUnder, codesReader } from '../codes/service.ts'
import { codeIds, codesByIds, type QrCodeRow } from '../codes/store.ts'
import { pictureContent, publicUrlOf } from '../codes/view.ts'
import { type ExportCodes, MAX_EXPORT } from './model.ts'

/** Rows read at once, which takes about a millisecond. */
const ROWS_PER_READ = 100

const TYPES = {
  zip: 'application/zip',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
} as const

/** Lets other requests run. */
const pause = (): Promise<void> => new Promise((go) => setImmediate(go))

/** Streams the selected codes. Throws 404 if one of `ids` does not belong to the owner, before anything is sent. */
export async function exportCodes(ctx: AppContext, owner: Owner, input: ExportCodes): Promise<Response> {
  const ids = await chosenIds(ctx, owner, input)
  const categories = new Map((await categoryTree.all(ctx.db.read, owner.userId)).map(({ id, name }) => [id, name]))
  const table = { ctx, rows: rowsOf(ctx, owner, ids), categories }
  const now = ctx.clock.now()
  // Archives and pictures load zlib, which the start of the server should not wait for.
  const pieces = await {
    zip: async () => (await import('#lib/zip.ts')).zipOf(pictures(table, input.size), now),
    xlsx: async () => (await import('#lib/xlsx.ts')).toXlsx(sheetRows(table), 'QR codes', now),
    csv: () => csvPieces(table),
  }[input.format]()
  return new Response(streamOf(ctx, pieces), {
    headers: {
      'content-type': TYPES[input.format],
      'content-disposition': `attachment; filename="qr-codes-${new Date(now).toISOString().slice(0, 10)}.${input.format}"`,
      'cache-control': 'no-store',
    },
  })
}

async function chosenIds(ctx: AppContext, owner: Owner, input: ExportCodes): Promise<number[]> {
  const { ids, categoryId } = input
  if (ids && categoryId != null) throw badRequest('Give either ids or categoryId', '请提供 ids 或 categoryId 之一')
  if (!ids) {
    const categoryIds = await categoriesUnder(ctx, owner, categoryId)
    const all = await codeIds(await codesReader(ctx, owner), owner, categoryIds, MAX_EXPORT + 1)
    if (all.length > MAX_EXPORT)
      throw badRequest(
        `An export has at most ${MAX_EXPORT} codes: select a category or list the ids`,
        `单次最多导出 ${MAX_EXPORT} 个二维码，请选择分类或指定二维码`,
      )
    return all
  }
  // Checked here because the schema's check takes a microsecond per id.
  if (new Set(ids).size !== ids.length) throw invalid('body.ids', 'must not contain duplicates', '不能有重复项')
  for await (const rows of rowsOf(ctx, owner, ids)) if (rows.some((row) => row === undefined)) throw notFound()
  return ids
}

/** Reads the rows of `ids` in this order, some at a time. Rows that do not exist (anymore) are undefined. */
async function* rowsOf(
  ctx: AppContext,
  owner: Owner,
  ids: readonly number[],
): AsyncGenerator<(QrCodeRow | undefined)[]> {
  for (let at = 0; at < ids.length; at += ROWS_PER_READ) {
    const some = ids.slice(at, at + ROWS_PER_READ)
    const found = new Map((await codesByIds(ctx.db.read, owner, some)).map((row) => [row.id, row]))
    yield some.map((id) => found.get(id))
    await pause()
  }
}

interface Table {
  ctx: AppContext
  /** Codes that were deleted since the export began are left out. */
  rows: AsyncIterable<(QrCodeRow | undefined)[]>
  categories: ReadonlyMap<number, string>
}

const COLUMNS = [
  'id',
  'uuid',
  'name',
  'content',
  'contentType',
  'category',
  'tags',
  'remark',
  'isPublic',
  'scanCount',
  'publicUrl',
  'createdAt',
] as const

/** In the order of `COLUMNS`. Times are ISO 8601 in UTC, tags are separated by commas. */
const cellsOf = (ctx: AppContext, row: QrCodeRow, categories: ReadonlyMap<number, string>): (string | number)[] => [
  row.id,
  row.uuid,
  row.name,
  row.content,
  row.contentType,
  (row.categoryId !== null && categories.get(row.categoryId)) || '',
  row.tags.join(', '),
  row.remark,
  String(row.isPublic),
  row.scanCount,
  publicUrlOf(ctx, row.uuid),
  new Date(row.createdAt).toISOString(),
]

const present = (rows: readonly (QrCodeRow | undefined)[]): QrCodeRow[] => rows.filter((row) => row !== undefined)

async function* pictures({ ctx, rows, categories }: Table, size: number): AsyncGenerator<ZipEntry> {
  const { toPng } = await import('#lib/qr/png.ts')
  const nameOf = uniqueFileNames('.png')
  let index = CSV_START + csvRow(['file', ...COLUMNS])
  for await (const some of rows)
    for (const row of present(some)) {
      const name = nameOf(row.name)
      index += csvRow([name, ...cellsOf(ctx, row, categories)])
      const { matrix, look } = pictureOf(pictureContent(ctx, row), row.style, size)
      yield { name, data: toPng(matrix, look) }
      await pause()
    }
  yield { name: 'index.csv', data: new TextEncoder().encode(index), deflate: true }
}

function pictureOf(content: string, style: QrCodeRow['style'], size: number): { matrix: Matrix; look: Look } {
  const { fg = '000000', bg = 'ffffff', margin = 4 } = style
  const matrix = encodeQr(content, levelFor(content, style.level))
  return { matrix, look: { size: Math.max(size, matrix.side + 2 * margin), margin, fg, bg } }
}

async function* sheetRows({ ctx, rows, categories }: Table): AsyncGenerator<readonly (string | number)[]> {
  yield COLUMNS
  for await (const some of rows) for (const row of present(some)) yield cellsOf(ctx, row, categories)
}

async function* csvPieces({ ctx, rows, categories }: Table): AsyncGenerator<Uint8Array> {
  const utf8 = new TextEncoder()
  yield utf8.encode(CSV_START + csvRow(COLUMNS))
  for await (const some of rows)
    yield utf8.encode(
      present(some)
        .map((row) => csvRow(cellsOf(ctx, row, categories)))
        .join(''),
    )
}

/** Generates the next piece when the client has taken the last one, and stops when the client disconnects. */
function streamOf(ctx: AppContext, pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  let isWanted = true
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next()
        if (!isWanted) return
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        ctx.log.error('an export failed while it was being sent', { error })
        controller.error(error)
      }
    },
    async cancel() {
      isWanted = false
      await pieces.return(undefined)
    },
  })
}
