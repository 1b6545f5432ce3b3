import type { AppContext } from '#context'
import { readerFor } from '#db/paging.ts'
import { inSlices } from '#db/slices.ts'
import type { Db, HeavyReads } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid, zoneOf } from '#http/validate.ts'
import type { ContentType } from '#lib/content-type.ts'
import { byDay, dayName, type DayRange, daysBetween, lastDays, type OffsetSpan } from '#lib/days.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { categoryTree } from '../categories/categories.store.ts'
import { trashBegins } from '../codes/codes.rules.ts'
import { codesReader } from '../codes/codes.service.ts'
import { findCode } from '../codes/codes.store.ts'
import { pendingScans } from '../codes/scan-counter.ts'
import { deleteOldScanCounts, scansOfCodeByHour } from '../scan-counts.store.ts'
import { breakdown, type Details, monthOf, OTHER, utcDay } from '../visits/visits.rules.ts'
import { deleteOldDetails, deleteOldVisitors, detailsOfCode, mergeMonths } from '../visits/visits.store.ts'
import { type CodeStats, type DaysQuery, MAX_DAYS, type ScansOfCode, type StatsQuery } from './stats.model.ts'
import * as store from './stats.store.ts'

/** The range that a query asks for. */
export const daysOf = (query: DaysQuery, now: number): DayRange => lastDays(now, query.days, zoneOf(query))

/** Counts by day. `count` returns the counts by day number for a part of the range with one UTC offset. */
export async function countDays(
  range: DayRange,
  count: (part: OffsetSpan) => Promise<{ day: number; n: number }[]>,
): Promise<CodeStats['byDay']> {
  const days = new Map<number, number>()
  for (const part of range.spans) for (const { day, n } of await count(part)) days.set(day, (days.get(day) ?? 0) + n)
  return byDay(range, days)
}

/** Codes in the list of the most scanned. */
const TOP = 20

const largestFirst = (a: { count: number }, b: { count: number }) => b.count - a.count

export async function codeStats(ctx: AppContext, owner: Owner, query: StatsQuery): Promise<CodeStats> {
  const now = ctx.clock.now()
  const range = periodOf(query, now)
  const db = await codesReader(ctx, owner)
  const categories = await store.countByCategory(db, owner)
  const ids = categories.flatMap(({ categoryId }) => (categoryId === null ? [] : [categoryId]))
  const names = new Map(
    (await categoryTree.findMany(db, owner.userId, ids)).map((category) => [category.id, category.name]),
  )
  // Codes whose category has just been deleted have none.
  const byCategory = new Map<number | null, number>()
  for (const { categoryId, n } of categories) {
    const id = categoryId !== null && names.has(categoryId) ? categoryId : null
    byCategory.set(id, (byCategory.get(id) ?? 0) + n)
  }
  const types = await store.countByType(db, owner)
  const total = types.reduce((sum, type) => sum + type.n, 0)
  const totals = await store.totals(db, owner, trashBegins(now))
  const days = range.lastDay - range.firstDay + 1
  const heavy = readerFor(ctx.db, Math.max(total, Math.min(totals.scanCount, total * days * COUNTS_A_DAY)))
  const { first, last } = utcDaysOf(range, now)
  return {
    total,
    ...totals,
    byCategory: [...byCategory]
      .map(([categoryId, n]) => ({
        categoryId,
        name: categoryId === null ? null : names.get(categoryId)!,
        count: n,
      }))
      .toSorted(largestFirst),
    byType: types
      .map(({ contentType, n }) => ({ contentType: contentType as ContentType, count: n }))
      .toSorted(largestFirst),
    byDay: await countDays(range, (part) => store.countByDay(db, owner, part)),
    top: await store.mostScanned(heavy, owner, range, TOP),
    robots: await store.countRobots(heavy, owner, first, last),
  }
}

/** The period that a query asks for. @throws AppError 400 */
export function periodOf(query: StatsQuery, now: number): DayRange & { readonly from: number; readonly to: number } {
  const zone = zoneOf(query)
  const { from, to } = query
  if (from !== undefined && from >= (to ?? now + 1))
    throw invalid('query.from', 'must be before the end', '必须早于结束时间')
  const range =
    from === undefined ? lastDays((to ?? now + 1) - 1, query.days, zone) : daysBetween(from, to ?? now + 1, zone)
  if (range.lastDay - range.firstDay >= MAX_DAYS)
    throw invalid('query.from', `must be at most ${MAX_DAYS} days before the end`, `距结束时间不能超过 ${MAX_DAYS} 天`)
  return { ...range, from: range.spans[0]!.from, to: range.spans.at(-1)!.to }
}

/** Scans of a code. Those that are not written yet, mostly of the last second, belong to the present hour. */
export async function codeScanStats(
  ctx: AppContext,
  owner: Owner,
  id: number,
  query: StatsQuery,
  reads: HeavyReads = ctx.db,
): Promise<ScansOfCode> {
  const code = await findCode(ctx.db.read, owner, id)
  if (code === undefined) throw notFound()
  const now = ctx.clock.now()
  const period = periodOf(query, now)
  const pending = pendingScans(ctx, id)
  // A code has at most one count for each scan.
  const db = readerFor(reads, Math.min(code.scanCount, (period.lastDay - period.firstDay + 1) * COUNTS_A_DAY))
  const hours: { hour: number; n: number }[] = []
  for (const part of period.spans) {
    hours.push(...(await scansOfCodeByHour(db, id, part)))
    if (part.from <= now && now < part.to) hours.push({ hour: Math.floor((now + part.offset) / HOUR), n: pending })
  }
  const rows = await detailsOfPeriod(db, id, period, now)
  const details = rows.map((row): Details => row.details)
  return {
    total: code.scanCount + pending,
    visitors: rows.reduce((sum, row) => sum + row.visitors, 0),
    robots: rows.reduce((sum, row) => sum + row.robots, 0),
    earlierScans: await store.earlierScans(db, id),
    byDay: byDay(
      period,
      sums(hours, ({ hour }) => Math.floor(hour / 24)),
    ),
    byHour: hoursOf(sums(hours, ({ hour }) => hour % 24)),
    byDevice: named(breakdown(details, 'device')),
    byLanguage: named(breakdown(details, 'language')),
    byCountry: breakdown(details, 'country'),
    byReferrer: named(breakdown(details, 'referrer')),
    byRule: named(breakdown(details, 'rule')),
    byVisitorDay: visitorDays(rows, period),
    from: period.from,
    to: period.to,
    generatedAt: now,
  }
}

function sums(hours: readonly { hour: number; n: number }[], keyOf: (one: { hour: number }) => number) {
  const counts = new Map<number, number>()
  for (const one of hours) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + one.n)
  return counts
}

const hoursOf = (counts: ReadonlyMap<number, number>): ScansOfCode['byHour'] =>
  Array.from({ length: 24 }, (_, hour) => ({ hour, count: counts.get(hour) ?? 0 }))

/** Only countries can be unknown. */
const named = (rows: ReturnType<typeof breakdown>) => rows.map(({ value, count }) => ({ value: value ?? OTHER, count }))

/** The UTC days that a period touches, and the months of those that may be merged. */
function utcDaysOf({ from, to }: { readonly from: number; readonly to: number }, now: number) {
  const first = utcDay(from)
  return { first: first < daysBegin(now) ? monthOf(first) : first, last: utcDay(to - 1) }
}

function detailsOfPeriod(db: Db, id: number, period: { readonly from: number; readonly to: number }, now: number) {
  const { first, last } = utcDaysOf(period, now)
  return detailsOfCode(db, id, first, last)
}

function visitorDays(
  rows: readonly { readonly day: number; readonly visitors: number }[],
  { from, to }: { readonly from: number; readonly to: number },
): ScansOfCode['byVisitorDay'] {
  const visitors = new Map(rows.map((row) => [row.day, row.visitors]))
  const first = Math.min(utcDay(from), rows[0]?.day ?? Infinity)
  return Array.from({ length: utcDay(to - 1) - first + 1 }, (_, i) => ({
    date: dayName(first + i),
    visitors: visitors.get(first + i) ?? 0,
  }))
}

/** Quarters of an hour. */
const COUNTS_A_DAY = 96
/** The longest statistics, and two days for the difference of time zones. */
const KEPT_MS = (MAX_DAYS + 2) * DAY
/** How long breakdowns are kept by day. */
const DAYS_KEPT = 400

/** The first day of the months whose breakdowns may still be kept by day. */
const daysBegin = (now: number): number => monthOf(utcDay(now) - DAYS_KEPT)

async function deleteOldCounts(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  const days = await getSetting(ctx, 'scans.retentionDays')
  const kept = days === 0 ? KEPT_MS : Math.min(KEPT_MS, days * DAY)
  await inSlices(ctx, 'qrCodes.deleteOldScanCounts', (tx, limit) => deleteOldScanCounts(tx, now - kept, limit))
  if (days > 0)
    await inSlices(ctx, 'qrCodes.deleteOldScanDetails', (tx, limit) => deleteOldDetails(tx, utcDay(now) - days, limit))
  await inSlices(ctx, 'qrCodes.mergeScanMonths', (tx, limit) => mergeMonths(tx, daysBegin(now), limit))
}

export const oldCountsJob: Job = { name: 'qrCodes.deleteOldScanCounts', every: 6 * HOUR, run: deleteOldCounts }

/** Writes of scans of the last seconds of a day may still need its salt. */
const SALT_KEPT_MS = 5 * MINUTE

function deleteVisitors(ctx: AppContext): Promise<void> {
  const today = utcDay(ctx.clock.now() - SALT_KEPT_MS)
  return inSlices(ctx, 'qrCodes.deleteVisitors', (tx, limit) => deleteOldVisitors(tx, today, limit))
}

export const visitorsJob: Job = { name: 'qrCodes.deleteVisitors', every: 10 * MINUTE, run: deleteVisitors }
