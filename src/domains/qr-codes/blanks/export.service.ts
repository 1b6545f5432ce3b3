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
import type { ShadedPage } from '#lib/pdf/writer.ts'
import {
  designSymbol,
  type Look,
  PLAIN,
  type Scene,
  sceneOf,
  sceneToSvg,
  type SvgOptions,
} from '#lib/qr/design/index.ts'
import type { Pictures } from '#lib/qr/design/raster.ts'
import type { Cell } from '#lib/spreadsheets/xlsx-writer.ts'
import type { ZipEntry } from '#lib/zip.ts'

import { shortUrlInPicture, shortUrlOf } from '../codes/codes.view.ts'
import { labelPixels } from '../drawing/drawing.service.ts'
import { findDesign } from '../looks/looks.store.ts'
import { readLook } from '../pictures/pictures.service.ts'
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
  query: ExportBatch,
  caller: Caller,
): Promise<Response> =>
  sendExport(ctx, await partyOf(ctx, owner.userId, caller), async ({ read }): Promise<ExportFile> => {
    const batch = await store.findBatch(ctx.db.read, ownerKey(owner), id)
    if (batch === undefined) throw notFound()
    const labels = labelsOf(ctx, read, batch)
    const { format, widthMm } = query
    const drawn = { ctx, batch, labels, ...(await lookOf(ctx, owner, batch, query)), widthMm, locale: caller.locale }
    const name = `labels-${batch.id}.${format}`
    return { ...(await FILES[format](drawn)), name, rows: batch.last - batch.first + 1 }
  })

/** As the design of the batch is now. A batch whose design was deleted is plain. */
async function lookOf(
  ctx: AppContext,
  owner: Owner,
  { designId }: store.BatchRow,
  { format, widthMm }: ExportBatch,
): Promise<{ readonly look: Look; readonly pictures: Pictures }> {
  const isDesigned = designId !== null && format !== 'csv'
  const design = isDesigned ? await findDesign(ctx.db.read, ownerKey(owner), designId) : undefined
  if (design === undefined) return { look: PLAIN, pictures: {} }
  // Each SVG contains its pictures, so they have no more pixels than are seen.
  return readLook(ctx, owner.userId, design.look, format === 'zip' ? labelPixels(widthMm) : undefined)
}

interface Drawn {
  readonly ctx: AppContext
  readonly batch: store.BatchRow
  readonly labels: AsyncIterable<Label>
  readonly look: Look
  readonly pictures: Pictures
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
  async zip(drawn) {
    const [{ zipOf }, { pngDataUri }] = await Promise.all([import('#lib/zip.ts'), import('#lib/qr/design/png.ts')])
    const { logo, strip } = drawn.pictures
    const hrefs = { logo: pngDataUri(logo), strip: pngDataUri(strip) }
    return { pieces: zipOf(svgs(drawn, hrefs), drawn.ctx.clock.now()), type: 'application/zip' }
  },
  async pdf({ batch, labels, look, pictures, widthMm, locale }) {
    const [{ pdfOf }, { MM, Page }, { sceneOperators, shownIn }] = await Promise.all([
      import('#lib/pdf/writer.ts'),
      import('#lib/pdf/page.ts'),
      import('#lib/qr/design/pdf.ts'),
    ])
    const width = widthMm * MM
    // The same for all labels: the height of a frame is a part of its width.
    const any = sceneFor('', look)
    const paper = { width: round(width), height: round(width * (any.height / any.width + NUMBER_BAND)) }
    async function* pages(): AsyncGenerator<ShadedPage> {
      for await (const { number, content } of labels) {
        const scene = sceneFor(content, look)
        const page = new Page()
        page.rectangle({ x: 0, y: 0, ...paper }, look.bg)
        page.fitted(number, width * MARGIN, width * BASELINE, width * (1 - 2 * MARGIN), width * NUMBER_SIZE, look.fg)
        const { operators, shadings } = sceneOperators(scene, width / scene.width, paper.height, shownIn(pictures))
        yield { content: `${page.content}\n${operators}`, shadings }
        await pause()
      }
    }
    const description = { title: batch.name, language: locale, createdAt: batch.createdAt, paper }
    const pieces = pdfOf(pages(), { ...description, pictures: [pictures.logo, pictures.strip] })
    return { pieces, type: 'application/pdf' }
  },
}

const sceneFor = (content: string, look: Look): Scene => sceneOf(designSymbol(content, look), look)

/** Parts of the width of a label: the height of the strip with the number, and where and how large the number is in it. */
const NUMBER_BAND = 0.14
const NUMBER_SIZE = 0.12
const BASELINE = 0.04
const MARGIN = 0.05

/** Hundredths of a point are 0.004 mm. */
const round = (points: number): number => Math.round(points * 100) / 100

async function* cellsOf(labels: AsyncIterable<Label>): AsyncGenerator<readonly Cell[]> {
  for await (const { number, shortUrl } of labels) yield [number, shortUrl]
}

const utf8 = new TextEncoder()

async function* svgs(
  { labels, look, widthMm }: Drawn,
  hrefs: Pick<SvgOptions, 'logo' | 'strip'>,
): AsyncGenerator<ZipEntry> {
  for await (const { number, content } of labels) {
    const title = look.frame?.text ? `${look.frame.text} ${number}` : number
    const svg = sceneToSvg(sceneFor(content, look), { size: 0, widthMm, title, ...hrefs })
    yield { name: `${number}.svg`, data: utf8.encode(svg), deflate: true }
    await pause()
  }
}
