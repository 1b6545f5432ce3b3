import type { AppContext } from '#context'
import { readerFor } from '#db/paging.ts'
import { inSlices } from '#db/slices.ts'
import type { Job } from '#domains/domain.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { zoneOf } from '#http/validate.ts'
import type { ContentType } from '#lib/content-type.ts'
import { byDay, type DayRange, lastDays, type OffsetSpan } from '#lib/days.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { categoryTree } from '../categories/categories.store.ts'
import { trashBegins } from '../codes/codes.rules.ts'
import { codesReader } from '../codes/codes.service.ts'
import { findCode } from '../codes/codes.store.ts'
import { pendingScans } from '../codes/scan-counter.ts'
import { deleteOldScanCounts, scansOfCodeByDay } from '../scan-counts.store.ts'
import { type CodeStats, type DaysQuery, MAX_DAYS, type ScansOfCode } from './stats.model.ts'
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

const largestFirst = (a: { count: number }, b: { count: number }) => b.count - a.count

export async function codeStats(ctx: AppContext, owner: Owner, query: DaysQuery): Promise<CodeStats> {
  const now = ctx.clock.now()
  const range = daysOf(query, now)
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
  return {
    total: types.reduce((sum, type) => sum + type.n, 0),
    ...(await store.totals(db, owner, trashBegins(now))),
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
  }
}

/** Scans of a code by day. Those of the last second, which are not written yet, belong to today. */
export async function codeScanStats(ctx: AppContext, owner: Owner, id: number, query: DaysQuery): Promise<ScansOfCode> {
  const code = await findCode(ctx.db.read, owner, id)
  if (code === undefined) throw notFound()
  const pending = pendingScans(ctx, id)
  // A code has at most one count for each scan.
  const db = readerFor(ctx.db, Math.min(code.scanCount, query.days * COUNTS_A_DAY))
  const days = await countDays(daysOf(query, ctx.clock.now()), (part) => scansOfCodeByDay(db, id, part))
  return {
    total: code.scanCount + pending,
    byDay: days.map((day, i) => (i === days.length - 1 ? { ...day, count: day.count + pending } : day)),
  }
}

/** Quarters of an hour. */
const COUNTS_A_DAY = 96
/** The longest statistics, and two days for the difference of time zones. */
const KEPT_MS = (MAX_DAYS + 2) * DAY

function deleteOldCounts(ctx: AppContext): Promise<void> {
  const before = ctx.clock.now() - KEPT_MS
  return inSlices(ctx, 'qrCodes.deleteOldScanCounts', (tx, limit) => deleteOldScanCounts(tx, before, limit))
}

export const oldCountsJob: Job = { name: 'qrCodes.deleteOldScanCounts', every: 6 * HOUR, run: deleteOldCounts }
