import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { assetMaintenanceRecords as records } from '#db/schema/asset-maintenance.ts'
import { assetCategories, assets, type Depreciation } from '#db/schema/assets.ts'
import type { Db } from '#db/store.ts'

import { assetsWhere } from '../register/register.store.ts'
import { type CostsQuery, MAX_GROUPS } from './reports.model.ts'

const { id, name, assetNo, categoryId, purchaseDate, purchasePrice, status, scrappedAt, createdAt } = assets
const columns = { id, name, assetNo, categoryId, purchaseDate, purchasePrice, status, scrappedAt, createdAt }
export type ReportedAsset = Pick<typeof assets.$inferSelect, keyof typeof columns>

/** Rows read at once. */
const ROWS = 1000

/** The owner's assets in the order in which they were registered, in slices. `categoryIds`: only in these, or null for those without one. */
export async function* assetSlices(
  db: Db,
  owner: OwnerKey,
  categoryIds: readonly number[] | null | undefined,
): AsyncGenerator<ReportedAsset[]> {
  const inCategory =
    categoryIds === undefined
      ? undefined
      : categoryIds === null
        ? isNull(categoryId)
        : inArray(categoryId, [...categoryIds])
  const select = (after: SQL, limit: number): Promise<ReportedAsset[]> =>
    db
      .select(columns)
      .from(assets)
      .where(assetsWhere(owner, and(inCategory, after)))
      .orderBy(asc(createdAt), asc(id))
      .limit(limit)
  for (let last: Pick<ReportedAsset, 'createdAt' | 'id'> = { createdAt: -1, id: 0 }; ;) {
    // A comparison of both columns at once would read all assets that were imported together.
    const rows = await select(and(eq(createdAt, last.createdAt), gt(id, last.id))!, ROWS)
    if (rows.length < ROWS) rows.push(...(await select(gt(createdAt, last.createdAt), ROWS - rows.length)))
    if (rows.length > 0) yield rows
    if (rows.length < ROWS) return
    last = rows.at(-1)!
  }
}

/** How the assets of each category lose value: as the nearest category above that says so. */
export async function depreciations(
  db: Db,
  owner: OwnerKey,
): Promise<(category: number | null) => Depreciation | undefined> {
  const rows = await db
    .select({ id: assetCategories.id, parentId: assetCategories.parentId, depreciation: assetCategories.depreciation })
    .from(assetCategories)
    .where(and(eq(assetCategories.owner, owner), isNull(assetCategories.deletedAt)))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return (category) => {
    const seen = new Set<number>()
    for (let at = category; at !== null && !seen.has(at); at = byId.get(at)?.parentId ?? null) {
      seen.add(at)
      const found = byId.get(at)?.depreciation
      if (found != null) return found
    }
    return undefined
  }
}

const withCost = (owner: OwnerKey, { from, to }: CostsQuery): SQL =>
  and(
    eq(records.owner, owner),
    isNotNull(records.cost),
    from ? gte(records.doneOn, from) : undefined,
    to ? lte(records.doneOn, to) : undefined,
    isNull(assets.deletedAt),
  )!

// Sums can be greater than the numbers that JavaScript has exactly.
const cost = sql`cast(sum(${records.cost}) as text)`.mapWith(String).as('cost')
const n = sql`count(*)`.mapWith(Number).as('n')

/** The costs of maintenance: all, and the most expensive assets, categories and suppliers. */
export async function maintenanceCosts(db: Db, owner: OwnerKey, query: CostsQuery) {
  const where = withCost(owner, query)
  const dearest = desc(sql`sum(${records.cost})`)
  const of = { n, cost }
  const [all] = await db
    .select({ n, cost: sql`cast(coalesce(sum(${records.cost}), 0) as text)`.mapWith(String) })
    .from(records)
    .innerJoin(assets, eq(assets.id, records.assetId))
    .where(where)
  const byAsset = await db
    .select({ assetId: assets.id, name: assets.name, assetNo: assets.assetNo, ...of })
    .from(records)
    .innerJoin(assets, eq(assets.id, records.assetId))
    .where(where)
    .groupBy(assets.id, assets.name, assets.assetNo)
    .orderBy(dearest, asc(assets.id))
    .limit(MAX_GROUPS)
  const byCategory = await db
    .select({ categoryId: assets.categoryId, ...of })
    .from(records)
    .innerJoin(assets, eq(assets.id, records.assetId))
    .where(where)
    .groupBy(assets.categoryId)
    .orderBy(dearest, asc(assets.categoryId))
    .limit(MAX_GROUPS)
  const bySupplier = await db
    .select({ supplier: records.supplier, ...of })
    .from(records)
    .innerJoin(assets, eq(assets.id, records.assetId))
    .where(where)
    .groupBy(records.supplier)
    .orderBy(dearest, asc(records.supplier))
    .limit(MAX_GROUPS)
  return { all: all!, byAsset, byCategory, bySupplier }
}
