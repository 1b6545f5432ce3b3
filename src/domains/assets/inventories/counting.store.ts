import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, lte, ne, or, type SQL, sql } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { assetCountReminders as reminders } from '#db/schema/asset-maintenance.ts'
import { assetCategories, assets, inventories, inventoryItems } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'

import type { InventoryRow } from './inventories.rules.ts'

/** An inventory whose assets do not all have their dates yet. */
export async function firstCounting(db: Db): Promise<InventoryRow | undefined> {
  const rows = await db
    .select()
    .from(inventories)
    .where(isNotNull(inventories.countedUpTo))
    .orderBy(asc(inventories.id))
    .limit(1)
  return rows[0]
}

export async function findCounting(tx: Tx, id: number): Promise<InventoryRow | undefined> {
  const rows = await tx
    .select()
    .from(inventories)
    .where(and(eq(inventories.id, id), isNotNull(inventories.countedUpTo)))
  return rows[0]
}

export const setCountedUpTo = async (tx: Tx, id: number, countedUpTo: number | null): Promise<void> =>
  void (await tx.update(inventories).set({ countedUpTo }).where(eq(inventories.id, id)))

/** At most `limit` expected assets that were found, with ids greater than `after`. */
export async function foundAssets(tx: Tx, inventoryId: number, after: number, limit: number): Promise<number[]> {
  const rows = await tx
    .select({ id: inventoryItems.assetId })
    .from(inventoryItems)
    .where(
      and(
        eq(inventoryItems.inventoryId, inventoryId),
        gt(inventoryItems.assetId, after),
        inArray(inventoryItems.state, ['FOUND', 'MISPLACED']),
      ),
    )
    .orderBy(asc(inventoryItems.assetId))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** The months between counts of the assets of a category: as the nearest category above that has them. */
export async function intervals(tx: Tx, owner: OwnerKey): Promise<(category: number | null) => number | undefined> {
  const rows = await tx
    .select({ id: assetCategories.id, parentId: assetCategories.parentId, months: assetCategories.countEveryMonths })
    .from(assetCategories)
    .where(and(eq(assetCategories.owner, owner), isNull(assetCategories.deletedAt)))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return (category) => {
    const seen = new Set<number>()
    for (let at = category; at !== null && !seen.has(at); at = byId.get(at)?.parentId ?? null) {
      seen.add(at)
      const months = byId.get(at)?.months
      if (months != null) return months
    }
    return undefined
  }
}

/** Assets to be counted until a day, of which nobody was notified. With the condition of the index `assets_count`. */
const untold = (day: string): SQL =>
  and(
    isNull(assets.deletedAt),
    isNotNull(assets.nextCountOn),
    lte(assets.nextCountOn, day),
    ne(assets.status, 'SCRAPPED'),
    or(isNull(reminders.day), ne(reminders.day, assets.nextCountOn)),
  )!

export async function ownersToNotify(db: Db, day: string): Promise<OwnerKey[]> {
  const rows = await db
    .selectDistinct({ owner: assets.owner })
    .from(assets)
    .leftJoin(reminders, eq(reminders.assetId, assets.id))
    .where(untold(day))
  return rows.map(({ owner }) => owner)
}

/** The numbers of these assets by category, which count as told from now on. */
export async function takeUntold(tx: Tx, owner: OwnerKey, day: string): Promise<{ name: string | null; n: number }[]> {
  const where = and(eq(assets.owner, owner), untold(day))
  const groups = await tx
    .select({ name: assetCategories.name, n: count() })
    .from(assets)
    .leftJoin(reminders, eq(reminders.assetId, assets.id))
    .leftJoin(assetCategories, eq(assetCategories.id, assets.categoryId))
    .where(where)
    .groupBy(assets.categoryId, assetCategories.name)
    .orderBy(desc(count()), asc(assets.categoryId))
  if (groups.length === 0) return []
  await tx
    .insert(reminders)
    .select(
      tx
        .select({ assetId: assets.id, day: sql<string>`${assets.nextCountOn}`.as('day') })
        .from(assets)
        .leftJoin(reminders, eq(reminders.assetId, assets.id))
        .where(where),
    )
    .onConflictDoUpdate({ target: reminders.assetId, set: { day: sql`excluded.day` } })
  return groups
}
