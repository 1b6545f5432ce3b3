/** Downloads of many codes. They are made while they are sent: an export holds some rows and one picture in memory, however large. */

import type { AppContext } from '#context'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { CSV_START, csvRow } from '#lib/csv.ts'
import { uniqueFileNames } from '#lib/file-name.ts'
import { encodeQr, toPng } from '#lib/qr/index.ts'
import { toXlsx, XLSX_TYPE } from '#lib/xlsx.ts'
import { type ZipEntry, zipOf } from '#lib/zip.ts'

import { categoryTree } from '../categories/store.ts'
import { levelFor } from '../codes/rules.ts'
import type { QrCodeRow } from '../codes/store.ts'
import { readerFor } from '../list/reader.ts'
import { categoriesUnder } from '../list/service.ts'
import type { Owner } from '../owner.ts'
import { type ExportCodes, MAX_EXPORT } from './model.ts'
import { codeIds, codesByIds } from './store.ts'
import { cellsOf, COLUMNS } from './table.ts'

/** Rows read at once: about a millisecond. */
const ROWS_PER_READ = 100

const TYPES = { zip: 'application/zip', xlsx: XLSX_TYPE, csv: 'text/csv; charset=utf-8' } as const

/** Other requests get their turn. */
const pause = (): Promise<void> => new Promise((go) => setImmediate(go))

/** Streams the codes meant. 404 when one of `ids` is not the owner's, before anything is sent. */
export async function exportCodes(ctx: AppContext, owner: Owner, input: ExportCodes): Promise<Response> {
  const ids = await chosenIds(ctx, owner, input)
  const categories = new Map((await categoryTree.all(ctx.db.read, owner.userId)).map(({ id, name }) => [id, name]))
  const table = { ctx, rows: rowsOf(ctx, owner, ids), categories }
  const now = ctx.clock.now()
  const pieces = {
    zip: () => zipOf(pictures(table, input.size), now),
    xlsx: () => toXlsx(sheetRows(table), 'QR codes', now),
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
    const all = await codeIds(await readerFor(ctx, owner), owner, categoryIds, MAX_EXPORT + 1)
    if (all.length > MAX_EXPORT)
      throw badRequest(
        `An export holds at most ${MAX_EXPORT} codes: choose a category or name the codes`,
        `单次最多导出 ${MAX_EXPORT} 个二维码，请选择分类或指定二维码`,
      )
    return all
  }
  // Not by the schema: its way to find duplicates takes a microsecond an id.
  if (new Set(ids).size !== ids.length) throw invalid('body.ids', 'must not contain duplicates', '不能有重复项')
  for await (const rows of rowsOf(ctx, owner, ids)) if (rows.some((row) => row === undefined)) throw notFound()
  return ids
}

/** The rows behind `ids`, some at a time, in their order; undefined for those that are not (or no more) there. */
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
  /** A code that went to the trash since the export began is left out. */
  rows: AsyncIterable<(QrCodeRow | undefined)[]>
  categories: ReadonlyMap<number, string>
}

const present = (rows: readonly (QrCodeRow | undefined)[]): QrCodeRow[] => rows.filter((row) => row !== undefined)

async function* pictures({ ctx, rows, categories }: Table, size: number): AsyncGenerator<ZipEntry> {
  const nameOf = uniqueFileNames('.png')
  let index = CSV_START + csvRow(['file', ...COLUMNS])
  for await (const some of rows)
    for (const row of present(some)) {
      const name = nameOf(row.name)
      index += csvRow([name, ...cellsOf(ctx, row, categories)])
      yield { name, data: pictureOf(row, size) }
      await pause()
    }
  yield { name: 'index.csv', data: new TextEncoder().encode(index), deflate: true }
}

function pictureOf({ content, style }: QrCodeRow, size: number): Uint8Array {
  const { fg = '000000', bg = 'ffffff', margin = 4 } = style
  const matrix = encodeQr(content, levelFor(content, style.level))
  return toPng(matrix, { size: Math.max(size, matrix.side + 2 * margin), margin, fg, bg })
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

/** Asks for the next piece when the client has taken the last one, and stops when the client goes away. */
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
        ctx.log.error('an export was cut short', { error })
        controller.error(error)
      }
    },
    async cancel() {
      isWanted = false
      await pieces.return(undefined)
    },
  })
}
