/** Files of many passes, for printing. A file of any size holds some rows and one picture in memory. */

import type { AppContext } from '#context'
import type { Db } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import { type ExportFile, sendExport } from '#http/exports.ts'
import { noPermission } from '#http/permissions.ts'
import { countPrinted } from '#http/printed.ts'
import { PRODUCT, siteOf } from '#http/site.ts'
import { titleIn } from '#http/tables.ts'
import { zoneOf } from '#http/validate.ts'
import { localTime } from '#lib/days.ts'
import { uniqueFileNames } from '#lib/file-name.ts'
import type { Locale } from '#lib/localized.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { pause } from '#lib/pause.ts'
import { encodeQr } from '#lib/qr/index.ts'
import { CSV_START, csvRow } from '#lib/spreadsheets/csv-writer.ts'
import type { Cell } from '#lib/spreadsheets/xlsx-writer.ts'
import type { ZipEntry } from '#lib/zip.ts'

import { zoneOf as zoneOfActivity } from '../activities.rules.ts'
import type { Asking } from '../visibility/visibility.service.ts'
import { PASSES_PER_SHEET, sheetOf } from './export.sheet.ts'
import type { PassesQuery, PassView } from './passes.model.ts'
import { statusOf } from './passes.rules.ts'
import { toPassView, visiblePasses } from './passes.service.ts'
import { passesAfter, type PassRow } from './passes.store.ts'

/** Passes in one file. An archive of that many pictures has about 30 MB. */
const MAX_EXPORT = 20_000
/** Rows read at once, which takes about a millisecond. */
const ROWS_PER_READ = 100
/** Pixels of a picture: version 6 with its margin has 49 modules, of which each gets 12. */
const PICTURE_SIDE = 588

const TYPES = { zip: 'application/zip', pdf: 'application/pdf', csv: 'text/csv; charset=utf-8' } as const

export async function exportPasses(
  ctx: AppContext,
  activityId: number,
  query: PassesQuery & { readonly format: keyof typeof TYPES },
  asking: Asking,
  caller: Pick<Caller, 'locale' | 'signal'>,
): Promise<Response> {
  const { activity, isManager } = await visiblePasses(ctx, activityId, asking)
  if (!isManager) throw noPermission
  const zone = zoneOf(query, zoneOfActivity(activity))
  const party = await partyOf(ctx, asking.viewer.userId, caller)
  return sendExport(ctx, party, async ({ read: db }): Promise<ExportFile> => {
    const { locale } = caller
    const { format } = query
    const { name, shortName } = siteOf(ctx)
    const serverName = name === PRODUCT ? '' : shortName
    const now = ctx.clock.now()
    const table = { ctx, db, activityId, activityName: activity.name, serverName, query, locale, now, zone }
    let selected = 0
    for await (const rows of selectedRows(table)) selected += rows.length
    if (selected > MAX_EXPORT)
      throw badRequest(
        `A file has at most ${MAX_EXPORT} passes: select a status, a user or a keyword`,
        `单个文件最多包含 ${MAX_EXPORT} 张通行证，请按状态、用户或关键字筛选`,
      )
    const pieces = await WRITERS[format](table)
    return { pieces, type: TYPES[format], name: `passes-${activityId}.${format}`, rows: selected }
  })
}

// The modules that load zlib are imported when they are needed: the start of the server should not wait for them.
const WRITERS: Readonly<Record<keyof typeof TYPES, (table: Table) => MaybePromise<ExportFile['pieces']>>> = {
  csv: csvPieces,
  zip: async (table) => (await import('#lib/zip.ts')).zipOf(pictures(table), table.now),
  pdf: async (table) => {
    const { pdfOf } = await import('#lib/pdf/writer.ts')
    return pdfOf(sheets(table), { title: table.activityName, language: table.locale, createdAt: table.now })
  },
}

interface Table {
  readonly ctx: AppContext
  readonly db: Db
  readonly activityId: number
  readonly activityName: string
  readonly serverName: string
  readonly query: PassesQuery
  readonly locale: Locale
  readonly now: number
  readonly zone: string
}

/** Oldest first, in the order of their issue. */
async function* selectedRows({ db, activityId, query, now }: Table): AsyncGenerator<PassRow[]> {
  const keyword = query.keyword?.toLowerCase() ?? ''
  const isSelected = (row: PassRow): boolean =>
    (query.userId === undefined || row.holderUserId === query.userId) &&
    (query.status === undefined || statusOf(row, now) === query.status) &&
    (keyword === '' ||
      row.uuid === keyword ||
      [row.holderName, ...row.fields.map(({ value }) => value)].some((text) => text.toLowerCase().includes(keyword)))
  let after = 0
  for (;;) {
    const rows = await passesAfter(db, activityId, after, ROWS_PER_READ)
    yield rows.filter(isSelected)
    if (rows.length < ROWS_PER_READ) return
    after = rows.at(-1)!.id
    await pause()
  }
}

const TITLES = [
  { en: 'ID', zh: 'ID' },
  { en: 'UUID', zh: 'UUID' },
  { en: 'Holder', zh: '持有人' },
  { en: 'User ID', zh: '用户 ID' },
  { en: 'Fields', zh: '信息' },
  { en: 'Status', zh: '状态' },
  { en: 'Valid from', zh: '生效时间', isTime: true },
  { en: 'Valid to', zh: '失效时间', isTime: true },
  { en: 'Uses', zh: '已用次数' },
  { en: 'Most uses', zh: '可用次数' },
  { en: 'QR content', zh: '二维码内容' },
  { en: 'Page', zh: '页面' },
] as const
const FILE = { en: 'File', zh: '文件' }

const titlesIn = ({ locale, zone }: Table): string[] => TITLES.map((title) => titleIn(locale, zone, title))

/** In the order of `TITLES`. */
const cellsOf = ({ zone }: Table, pass: PassView): Cell[] => [
  pass.id,
  pass.uuid,
  pass.holderName,
  pass.holderUserId ?? '',
  pass.fields.map(({ label, value }) => `${label}: ${value}`).join('\n'),
  pass.status,
  pass.validFrom === null ? '' : localTime(pass.validFrom, zone),
  pass.validTo === null ? '' : localTime(pass.validTo, zone),
  pass.usedCount,
  pass.maxUses === 0 ? '' : pass.maxUses,
  pass.qrContent!,
  pass.publicUrl,
]

async function* views(table: Table): AsyncGenerator<PassView> {
  for await (const rows of selectedRows(table))
    for (const row of rows) {
      const view = await toPassView(table.ctx, row, { showsContent: true })
      countPrinted(table.ctx, view.publicUrl)
      yield view
    }
}

async function* csvPieces(table: Table): AsyncGenerator<Uint8Array> {
  const utf8 = new TextEncoder()
  yield utf8.encode(CSV_START + csvRow(titlesIn(table)))
  for await (const pass of views(table)) yield utf8.encode(csvRow(cellsOf(table, pass)))
}

async function* pictures(table: Table): AsyncGenerator<ZipEntry> {
  const { toPng } = await import('#lib/qr/png.ts')
  const nameOf = uniqueFileNames('.png')
  let index = CSV_START + csvRow([FILE[table.locale], ...titlesIn(table)])
  for await (const pass of views(table)) {
    const name = nameOf(pass.holderName)
    index += csvRow([name, ...cellsOf(table, pass)])
    const matrix = encodeQr(pass.qrContent!, 'L')
    const side = Math.max(PICTURE_SIDE, matrix.side + 8)
    yield { name, data: toPng(matrix, { size: side, margin: 4, fg: '000000', bg: 'ffffff' }) }
    await pause()
  }
  yield { name: 'index.csv', data: new TextEncoder().encode(index), deflate: true }
}

/** A page for every eight passes; at least one. */
async function* sheets(table: Table): AsyncGenerator<string> {
  let some: PassView[] = []
  let isEmpty = true
  for await (const pass of views(table)) {
    some.push(pass)
    if (some.length < PASSES_PER_SHEET) continue
    yield sheetOf(some, table)
    isEmpty = false
    some = []
    await pause()
  }
  if (some.length > 0 || isEmpty) yield sheetOf(some, table)
}
