/** Batches of labels for printing. An export of any size holds some rows and one picture in memory. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Db } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { type ExportFile, sendExport } from '#http/exports.ts'
import { countPrinted } from '#http/printed.ts'
import { columnsIn, tableFile } from '#http/tables.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { encodeQr, type Matrix, toSvg } from '#lib/qr/index.ts'
import type { Cell } from '#lib/spreadsheets/xlsx-writer.ts'
import type { ZipEntry } from '#lib/zip.ts'

import { shortUrlInPicture, shortUrlOf } from '../codes/codes.view.ts'
import type { ExportBatch } from './blanks.model.ts'
import * as store from './blanks.store.ts'

/** Rows read at once, which takes about a millisecond. */
const ROWS_PER_READ = 200

const COLUMNS = [
  { en: 'Number', zh: '编号', width: 20 },
  { en: 'Address', zh: '地址', width: 50 },
] as const

/** Streams the labels of a batch in the order of their numbers, without those that are void. @throws AppError 404, 429 */
export const exportBatch = async (
  ctx: AppContext,
  owner: Owner,
  id: number,
  { format, widthMm }: ExportBatch,
  caller: Caller,
): Promise<Response> =>
  sendExport(ctx, await partyOf(ctx, owner.userId, caller), async ({ read }): Promise<ExportFile> => {
    const batch = await store.findBatch(ctx.db.read, ownerKey(owner), id)
    if (batch === undefined) throw notFound()
    const labels = labelsOf(ctx, read, batch)
    const drawn = { ctx, batch, labels, widthMm, locale: caller.locale }
    const name = `labels-${batch.id}.${format}`
    return { ...(await FILES[format](drawn)), name, rows: batch.last - batch.first + 1 }
  })

interface Drawn {
  readonly ctx: AppContext
  readonly batch: store.BatchRow
  readonly labels: AsyncIterable<Label>
  readonly widthMm: number
  readonly locale: Locale
}

interface Label {
  readonly number: string
  readonly shortUrl: string
  /** Of its picture. */
  readonly content: string
}

async function* labelsOf(ctx: AppContext, read: Db, batch: store.BatchRow): AsyncGenerator<Label> {
  let rows: store.BlankRow[]
  let after = batch.first - 1
  do {
    rows = await store.blanksAfter(read, batch, after, ROWS_PER_READ)
    for (const { slug, number, status } of rows) {
      if (status === 'VOID') continue
      const shortUrl = shortUrlOf(ctx, slug)
      countPrinted(ctx, shortUrl)
      yield { number, shortUrl, content: shortUrlInPicture(ctx, slug) }
    }
    after = rows.at(-1)?.nth ?? after
  } while (rows.length === ROWS_PER_READ)
}

const FILES: Readonly<Record<ExportBatch['format'], (drawn: Drawn) => Promise<Pick<ExportFile, 'pieces' | 'type'>>>> = {
  csv: ({ ctx, batch, labels, locale }) =>
    tableFile(
      { name: batch.name, columns: columnsIn(COLUMNS, locale, 'UTC'), rows: cellsOf(labels) },
      'csv',
      ctx.clock.now(),
    ),
  // Archives and documents load zlib, which the start of the server should not wait for.
  async zip({ ctx, labels }) {
    const { zipOf } = await import('#lib/zip.ts')
    return { pieces: zipOf(pictures(labels), ctx.clock.now()), type: 'application/zip' }
  },
  async pdf({ batch, labels, widthMm, locale }) {
    const [{ pdfOf }, { MM, Page }] = await Promise.all([import('#lib/pdf/writer.ts'), import('#lib/pdf/page.ts')])
    const width = widthMm * MM
    const paper = { width: round(width), height: round(width * (1 + NUMBER_BAND)) }
    async function* pages(): AsyncGenerator<string> {
      for await (const { number, content } of labels) {
        const page = new Page()
        page.qr(matrixOf(content), 0, width * NUMBER_BAND, width)
        page.fitted(number, width * MARGIN, width * BASELINE, width * (1 - 2 * MARGIN), width * NUMBER_SIZE)
        yield page.content
        await pause()
      }
    }
    const { name: title, createdAt } = batch
    return { pieces: pdfOf(pages(), { title, language: locale, createdAt, paper }), type: 'application/pdf' }
  },
}

/** Parts of the width of a label: the height of the strip with the number, and where and how large the number is in it. */
const NUMBER_BAND = 0.14
const NUMBER_SIZE = 0.12
const BASELINE = 0.06
const MARGIN = 0.05

/** Hundredths of a point are 0.004 mm. */
const round = (points: number): number => Math.round(points * 100) / 100

async function* cellsOf(labels: AsyncIterable<Label>): AsyncGenerator<readonly Cell[]> {
  for await (const { number, shortUrl } of labels) yield [number, shortUrl]
}

async function* pictures(labels: AsyncIterable<Label>): AsyncGenerator<ZipEntry> {
  const look = { size: 1024, margin: 4, fg: '000000', bg: 'ffffff' }
  for await (const { number, content } of labels) {
    yield { name: `${number}.svg`, data: new TextEncoder().encode(toSvg(matrixOf(content), look)), deflate: true }
    await pause()
  }
}

const matrixOf = (content: string): Matrix => encodeQr(content, 'M')
