/** The statistics of a code as a table, one row for each number. */

import type { AppContext } from '#context'
import { partyOf } from '#domains/access/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { sendExport } from '#http/exports.ts'
import { columnsIn, dayStamp, tableFile, type TableFormat, titleIn } from '#http/tables.ts'
import { zoneOf } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import type { Cell } from '#lib/spreadsheets/xlsx-writer.ts'

import type { ScansOfCode, StatsQuery } from './stats.model.ts'
import { codeScanStats } from './stats.service.ts'

const COLUMNS = [
  { en: 'Counted by', zh: '统计项', width: 24 },
  { en: 'Value', zh: '值', width: 30 },
  { en: 'Number', zh: '数量', width: 12 },
] as const

const TITLES = {
  total: { en: 'All scans', zh: '扫码总数' },
  earlierScans: { en: 'Scans before the import', zh: '导入前的扫码次数' },
  visitors: { en: 'Visitors per day, added up', zh: '每日访客数之和' },
  robots: { en: 'Robots', zh: '机器人' },
  day: { en: 'Day', zh: '日期', isTime: true },
  hour: { en: 'Hour', zh: '小时', isTime: true },
  device: { en: 'Device', zh: '设备' },
  language: { en: 'Language', zh: '语言' },
  country: { en: 'Country', zh: '国家' },
  referrer: { en: 'Page with the link', zh: '来源网站' },
  rule: { en: 'Rule', zh: '规则' },
  visitorDay: { en: 'Visitors (UTC day)', zh: '访客（UTC 日期）' },
} as const

/** Streams the statistics of a code. @throws AppError 404, 429 */
export async function exportScanStats(
  ctx: AppContext,
  owner: Owner,
  id: number,
  query: StatsQuery & { readonly format: TableFormat },
  caller: Caller,
): Promise<Response> {
  const party = await partyOf(ctx, owner.userId, caller)
  const zone = zoneOf(query)
  return sendExport(ctx, party, async (reads) => {
    const rows = [...rowsOf(await codeScanStats(ctx, owner, id, query, reads), caller.locale, zone)]
    const now = ctx.clock.now()
    const sheet = { name: 'scans', columns: columnsIn(COLUMNS, caller.locale, zone), rows }
    const file = await tableFile(sheet, query.format, now)
    return { ...file, name: `scans-${id}-${dayStamp(now, zone)}.${query.format}`, rows: rows.length }
  })
}

function* rowsOf(stats: ScansOfCode, locale: Locale, zone: string): Generator<Cell[]> {
  const title = (key: keyof typeof TITLES): string => titleIn(locale, zone, TITLES[key])
  for (const key of ['total', 'earlierScans', 'visitors', 'robots'] as const) yield [title(key), '', stats[key]]
  for (const { date, count } of stats.byDay) yield [title('day'), date, count]
  for (const { hour, count } of stats.byHour) yield [title('hour'), `${String(hour).padStart(2, '0')}:00`, count]
  const breakdowns = [
    ['device', stats.byDevice],
    ['language', stats.byLanguage],
    ['country', stats.byCountry],
    ['referrer', stats.byReferrer],
    ['rule', stats.byRule],
  ] as const
  for (const [key, rows] of breakdowns) for (const { value, count } of rows) yield [title(key), value ?? '', count]
  for (const { date, visitors } of stats.byVisitorDay) yield [title('visitorDay'), date, visitors]
}
