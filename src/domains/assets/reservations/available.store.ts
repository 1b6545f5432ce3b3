/** Assets that members may reserve, and those of them that are free in a time. */

import { and, asc, count, eq, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'

import type { ReadDb } from '#db/engine/write.ts'
import { sumOfTotals } from '#db/list-totals.ts'
import { offsetOf, type Page, type PageInput } from '#db/paging.ts'
import { assets } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'

import { busyAssets, isFree } from '../bookings.store.ts'
import { assetsAmong } from '../listing.store.ts'
import { type AssetRow, assetsByIds, assetsWhere } from '../register/register.store.ts'

export interface Bookable {
  readonly orgId: number
  /** Categories whose assets are bookable unless they say otherwise. */
  readonly bookableIds: readonly number[]
  /** Only assets of these categories. */
  readonly categoryIds?: readonly number[] | undefined
}

/** The rows of the index `assets_bookable` of which each says whether it can be reserved. The statuses are literals, as in the index. */
const isBookableRow = ({ bookableIds, categoryIds }: Bookable): SQL =>
  and(
    inArray(assets.status, ['IN_USE', 'IDLE']).inlineParams(),
    or(
      eq(assets.bookable, true),
      bookableIds.length === 0
        ? undefined
        : and(isNull(assets.bookable), isNotNull(assets.categoryId), inArray(assets.categoryId, [...bookableIds])),
    ),
    categoryIds && inArray(assets.categoryId, [...categoryIds]),
  )!
const isBookableAsset = (bookable: Bookable): SQL => assetsWhere(bookable.orgId, isBookableRow(bookable))

type Question = Parameters<typeof isFree>[3]

/** By number; those in `first` come before the others, those in `without` are left out. */
export const freeAssets = (
  tx: Tx,
  bookable: Bookable,
  question: Question,
  {
    limit,
    first,
    without,
  }: { readonly limit: number; readonly first: readonly number[]; readonly without: readonly number[] },
): Promise<AssetRow[]> =>
  tx
    .select()
    .from(assets)
    .where(
      and(
        isBookableAsset(bookable),
        without.length === 0 ? undefined : sql`${assets.id} not in ${[...without]}`,
        isFree(tx, assets.id, bookable.orgId, question),
      ),
    )
    .orderBy(
      ...(first.length === 0 ? [] : [sql`case when ${inArray(assets.id, [...first])} then 0 else 1 end`]),
      asc(assets.assetNo),
      asc(assets.id),
    )
    .limit(limit)

/**
 * By number. The total is a sum that triggers keep, less the few that somebody has in this time, and the page is found in an index: counting the
 * free ones looked at each asset of the organization.
 */
export async function availablePage(
  db: Db,
  bookable: Bookable,
  question: Question,
  page: PageInput,
): Promise<Page<AssetRow>> {
  const where = and(isBookableAsset(bookable), isFree(db, assets.id, bookable.orgId, question))
  const isBusy = inArray(assets.id, busyAssets(db, bookable.orgId, question))
  const busy = db
    .select({ n: count() })
    .from(assets)
    .where(assetsAmong(bookable.orgId, and(isBookableRow(bookable), isBusy)))
  const total = sql`${bookableTotal(bookable)} - (${busy})`.mapWith(Number)
  const counted = sql`(${db.select({ n: count() }).from(assets).where(where)})`.mapWith(Number)
  const isChecked = (db as ReadDb).checksPages
  const [row] = await db.select({ total, ...(isChecked && { counted }) }).from(sql`(select 1) as one_row`)
  if (isChecked && row!.total !== row!.counted)
    throw new Error(`the number of free assets is wrong: ${JSON.stringify(row)}`)
  const answer = { page: page.page, size: page.size, total: row!.total }
  if (offsetOf(page) >= answer.total) return { ...answer, items: [] }
  const found = await db
    .select({ id: assets.id })
    .from(assets)
    .where(where)
    .orderBy(asc(assets.assetNo), asc(assets.id))
    .limit(page.size)
    .offset(offsetOf(page))
  const ids = found.map(({ id }) => id)
  const rows = new Map((await assetsByIds(db, bookable.orgId, ids)).map((asset) => [asset.id, asset]))
  return { ...answer, items: ids.flatMap((id) => rows.get(id) ?? []) }
}

function bookableTotal({ orgId, bookableIds, categoryIds }: Bookable): SQL {
  if (categoryIds === undefined)
    return sql`${sumOfTotals('assets.bookable', [orgId])} + ${sumOfTotals('assets.inheriting', bookableIds)}`
  const wanted = new Set(categoryIds)
  const inheriting = bookableIds.filter((id) => wanted.has(id))
  return sql`${sumOfTotals('assets.bookable_of', categoryIds)} + ${sumOfTotals('assets.inheriting', inheriting)}`
}
