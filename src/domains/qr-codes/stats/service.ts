import type { AppContext } from '#context'
import type { ContentType } from '#lib/content-type.ts'
import { byDay } from '#lib/days.ts'

import { categoryTree } from '../categories/store.ts'
import { readerFor } from '../list/reader.ts'
import type { Owner } from '../owner.ts'
import { daysOf } from './days.ts'
import type { CodeStats } from './model.ts'
import * as store from './store.ts'

const largestFirst = (a: { count: number }, b: { count: number }) => b.count - a.count

export async function codeStats(
  ctx: AppContext,
  owner: Owner,
  query: { days: number; tz: string },
): Promise<CodeStats> {
  const range = daysOf(query, ctx.clock.now())
  const db = await readerFor(ctx, owner)
  const categories = await store.countByCategory(db, owner)
  const ids = categories.flatMap(({ categoryId }) => (categoryId === null ? [] : [categoryId]))
  const names = new Map(
    (await categoryTree.findMany(db, owner.userId, ids)).map((category) => [category.id, category.name]),
  )
  const types = await store.countByType(db, owner)
  const totals = await store.totals(db, owner)
  const days = new Map<number, number>()
  for (const span of range.spans)
    for (const { day, n } of await store.countByDay(db, owner, span)) days.set(day, (days.get(day) ?? 0) + n)
  return {
    total: types.reduce((sum, type) => sum + type.n, 0),
    publicCount: totals.publicCount,
    pinnedCount: totals.pinnedCount,
    trashCount: totals.trashCount,
    scanCount: totals.scanCount,
    byCategory: categories
      .map(({ categoryId, n }) => ({
        categoryId,
        name: categoryId === null ? null : (names.get(categoryId) ?? null),
        count: n,
      }))
      .toSorted(largestFirst),
    byType: types
      .map(({ contentType, n }) => ({ contentType: contentType as ContentType, count: n }))
      .toSorted(largestFirst),
    byDay: byDay(range, days),
  }
}
