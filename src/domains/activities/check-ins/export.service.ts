/** The check-ins of an activity as a workbook. It is generated while it is sent. */

import type { AppContext } from '#context'
import { readerFor } from '#db/paging.ts'
import type { CheckInMethod } from '#db/schema/activities.ts'
import type { Db, HeavyReads } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { type ExportFile, sendExport } from '#http/exports.ts'
import { columnsIn, dayStamp, tableFile } from '#http/tables.ts'
import { zoneOf } from '#http/validate.ts'
import { localTime } from '#lib/days.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import type { Cell } from '#lib/spreadsheets/xlsx-writer.ts'

import { zoneOf as zoneOfActivity } from '../activities.rules.ts'
import { findActivity } from '../activities.store.ts'
import type { Asking } from '../visibility/visibility.service.ts'
import { tooManyForWorkbook } from './check-ins.errors.ts'
import type { RecordsQuery } from './check-ins.model.ts'
import { visibleRecords } from './check-ins.service.ts'
import * as store from './check-ins.store.ts'

/** A sheet has room for 1,048,575 below its titles. */
const MAX_ROWS = 1_000_000

const COLUMNS = [
  { en: 'Time', zh: '签到时间', width: 20, isTime: true },
  { en: 'Name', zh: '昵称', width: 30 },
  { en: 'User ID', zh: '用户 ID', width: 12 },
  { en: 'Check-in no.', zh: '第几次签到', width: 12 },
  { en: 'Method', zh: '签到方式', width: 14 },
  { en: 'Distance (m)', zh: '距离（米）', width: 14 },
  { en: 'ID', zh: 'ID', width: 12 },
] as const

const METHODS: Readonly<Record<CheckInMethod, Localized>> = {
  GPS: { en: 'Position', zh: '定位' },
  CODE: { en: 'Short code', zh: '签到码' },
  QR: { en: 'QR code', zh: '二维码' },
  MANUAL: { en: 'By hand', zh: '人工' },
}

/** @throws AppError 404 and 403 if the caller may not see the activity, 400 if a sheet has no room for the check-ins */
export const exportRecords = async (
  ctx: AppContext,
  id: number,
  query: RecordsQuery,
  asking: Asking,
  caller: Pick<Caller, 'locale' | 'signal'>,
): Promise<Response> =>
  sendExport(ctx, await partyOf(ctx, asking.viewer.userId, caller), async (reads): Promise<ExportFile> => {
    const { locale } = caller
    const records = await visibleRecords(ctx, id, query, asking)
    const activity = await findActivity(ctx.db.read, id)
    if (activity === undefined) throw notFound()
    const zone = zoneOf(query, zoneOfActivity(activity))
    const count = records === undefined ? 0 : await countRows(ctx, reads, records, query)
    const now = ctx.clock.now()
    const sheet = {
      name: { en: 'Check-ins', zh: '签到记录' }[locale],
      columns: columnsIn(COLUMNS, locale, zone),
      rows: records === undefined ? [] : rowsOf(reads.read, records, query, locale, zone),
    }
    return {
      ...(await tableFile(sheet, 'xlsx', now)),
      name: `check-ins-${id}-${dayStamp(now, zone)}.xlsx`,
      rows: count,
    }
  })

/**
 * The rows to read. Other filters than the period do not count: finding their matches would take a second for each million.
 * @throws AppError 400
 */
async function countRows(
  ctx: AppContext,
  reads: HeavyReads,
  records: store.Records,
  query: RecordsQuery,
): Promise<number> {
  const { total } = await store.recordsPage(ctx.db.read, records, { page: 1, size: 1 })
  if (total <= MAX_ROWS) return total
  const inPeriod = await store.countIn(readerFor(reads, total), records, query)
  if (inPeriod > MAX_ROWS) throw tooManyForWorkbook(MAX_ROWS)
  return inPeriod
}

/** Rows read at once, which takes about a millisecond. */
const ROWS_PER_READ = 250

async function* rowsOf(
  db: Db,
  records: store.Records,
  query: RecordsQuery,
  locale: Locale,
  zone: string,
): AsyncGenerator<readonly Cell[]> {
  for (let before: store.CheckInRow | undefined; ;) {
    const rows = await store.recordsBefore(db, records, query, before, ROWS_PER_READ)
    for (const row of rows)
      if (row.isMatch)
        yield [
          localTime(row.checkedInAt, zone),
          row.nickname,
          row.userId,
          row.sequence,
          METHODS[row.method][locale],
          row.distance,
          row.id,
        ]
    if (rows.length < ROWS_PER_READ) return
    before = rows.at(-1)!
    await pause()
  }
}
