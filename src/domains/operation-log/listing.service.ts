/** Lists the rows of the operation log, and exports them as a table. */

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import type { Db } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import { adminPage } from '#domains/admin/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import { type ExportFile, sendExport } from '#http/exports.ts'
import { columnsIn, dayStamp, tableFile, type TableFormat, type TitledColumn } from '#http/tables.ts'
import { zoneOf } from '#http/validate.ts'
import { localTime } from '#lib/days.ts'
import { pause } from '#lib/pause.ts'
import type { Cell, Sheet } from '#lib/spreadsheets/xlsx-writer.ts'

import * as store from './listing.store.ts'
import type { LogQuery, LogView } from './operation-log.model.ts'
import type { LogRow } from './operation-log.store.ts'

const toLogView = (row: LogRow): LogView => ({
  id: row.id,
  actorId: row.actorId,
  actorName: row.actorName,
  apiKey: row.apiKeyId === null ? null : { id: row.apiKeyId, name: row.apiKeyName ?? '' },
  action: row.action,
  targetType: row.targetType,
  targetId: row.targetId,
  targetName: row.targetName,
  before: row.before,
  after: row.after,
  ipAddress: row.ipAddress,
  requestId: row.requestId,
  createdAt: row.createdAt,
  hash: row.hash,
  previousHash: row.previousHash,
})

/** @throws SearchRefused */
export async function listLogs(ctx: AppContext, { userId }: Actor, query: LogQuery): Promise<Page<LogView>> {
  const range = await store.rangeOf(ctx.db.read, query)
  const filters = store.filtersOf(query)
  const page = { page: query.page, size: query.size }
  if (range.isDense && filters.indexed === undefined && filters.others === undefined)
    return mapPage(await store.densePage(ctx.db.read, range, page), toLogView)
  return mapPage(await adminPage(ctx, userId, store.filteredList(range, filters), page), toLogView)
}

/** A sheet has at most 1,048,576 rows. */
const MAX_EXPORT = 1_000_000
/** Rows read at once, which takes some milliseconds. */
const ROWS_PER_READ = 250

const COLUMNS: readonly (TitledColumn & { readonly of: (row: LogRow, zone: string) => Cell })[] = [
  { en: 'ID', zh: 'ID', width: 10, of: (row) => row.id },
  { en: 'Time', zh: '时间', width: 20, isTime: true, of: (row, zone) => localTime(row.createdAt, zone) },
  { en: 'Administrator ID', zh: '管理员 ID', width: 12, of: (row) => row.actorId },
  { en: 'Administrator', zh: '管理员', width: 20, of: (row) => row.actorName },
  { en: 'Action', zh: '操作', width: 24, of: (row) => row.action },
  { en: 'Target type', zh: '对象类型', width: 16, of: (row) => row.targetType },
  { en: 'Target ID', zh: '对象 ID', width: 12, of: (row) => row.targetId },
  { en: 'Target', zh: '对象名称', width: 24, of: (row) => row.targetName },
  { en: 'Before', zh: '更改前', width: 40, of: (row) => fieldsCell(row.before) },
  { en: 'After', zh: '更改后', width: 40, of: (row) => fieldsCell(row.after) },
  { en: 'IP address', zh: 'IP 地址', width: 16, of: (row) => row.ipAddress },
  { en: 'Request ID', zh: '请求 ID', width: 20, of: (row) => row.requestId },
  { en: 'Hash', zh: '哈希', width: 46, of: (row) => row.hash },
  { en: 'Previous hash', zh: '前一行哈希', width: 46, of: (row) => row.previousHash },
  { en: 'API key', zh: 'API 密钥', width: 20, of: (row) => row.apiKeyName },
]

/** Longer texts do not fit into a cell of Excel. */
const MAX_CELL = 32_767

function fieldsCell(fields: LogRow['before']): string | null {
  if (fields === null) return null
  const text = JSON.stringify(fields)
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1)}…` : text
}

/** @throws AppError 400 or 429 */
export const exportLogs = async (
  ctx: AppContext,
  { userId }: Actor,
  query: LogQuery,
  format: TableFormat,
  caller: Caller,
): Promise<Response> =>
  sendExport(ctx, await partyOf(ctx, userId, caller), async ({ read }): Promise<ExportFile> => {
    const { locale } = caller
    const zone = zoneOf(query)
    const range = await store.rangeOf(ctx.db.read, query)
    if (range.last - range.first >= MAX_EXPORT)
      throw badRequest(
        `An export covers at most ${MAX_EXPORT} rows: choose a shorter period with \`from\` and \`to\``,
        `单次导出最多涵盖 ${MAX_EXPORT} 行，请用 from 和 to 缩短时间范围`,
      )
    const sheet: Sheet = {
      name: { en: 'Operation log', zh: '操作日志' }[locale],
      columns: columnsIn(COLUMNS, locale, zone),
      rows: rowsOf(read, range, store.filtersOf(query), zone),
    }
    const now = ctx.clock.now()
    const name = `operation-log-${dayStamp(now, zone)}.${format}`
    return { ...(await tableFile(sheet, format, now)), name, rows: range.last - range.first + 1 }
  })

async function* rowsOf(
  db: Db,
  range: Parameters<typeof store.rowsBefore>[1],
  filters: Parameters<typeof store.rowsBefore>[2],
  zone: string,
): AsyncGenerator<readonly Cell[]> {
  for (let before = range.last + 1; ;) {
    const rows = await store.rowsBefore(db, range, filters, before, ROWS_PER_READ)
    for (const { row, isMatch } of rows) if (Number(isMatch) === 1) yield COLUMNS.map((column) => column.of(row, zone))
    if (rows.length < ROWS_PER_READ) return
    before = rows.at(-1)!.row.id
    await pause()
  }
}
