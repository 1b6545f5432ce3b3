import type { AppContext } from '#context'
import type { Owner } from '#http/endpoint.ts'
import { zoneOf } from '#http/validate.ts'
import type { ContentType } from '#lib/content-type.ts'
import { byDay, type DayRange, lastDays, type OffsetSpan } from '#lib/days.ts'

import { categoryTree } from '../categories/store.ts'
import { trashBegins } from '../codes/rules.ts'
import { codesReader } from '../codes/service.ts'
import type { CodeStats, DaysQuery } from './model.ts'
import * as store from './store.ts'

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
