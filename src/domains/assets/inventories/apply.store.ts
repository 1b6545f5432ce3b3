import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'

import { isOneOf, notByIndex } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { assets, inventoryItems, type InventoryState } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'

import type { AssetRow } from '../register/register.store.ts'
import type { ItemRow } from './inventories.rules.ts'

/** At most `limit` items in these states, of assets with ids greater than `after`, ascending. */
export const itemsIn = (
  db: Db | Tx,
  inventoryId: number,
  states: readonly InventoryState[],
  after: number,
  limit: number,
): Promise<ItemRow[]> =>
  db
    .select()
    .from(inventoryItems)
    .where(
      and(
        eq(inventoryItems.inventoryId, inventoryId),
        gt(inventoryItems.assetId, after),
        inArray(inventoryItems.state, [...states]),
      ),
    )
    .orderBy(asc(inventoryItems.assetId))
    .limit(limit)

/** The owner's assets with these ids. */
export const assetsAlsoDeleted = async (db: Db | Tx, owner: OwnerKey, ids: readonly number[]): Promise<AssetRow[]> =>
  ids.length === 0
    ? []
    : db
        .select()
        .from(assets)
        .where(and(inArray(assets.id, [...ids]), sql`${notByIndex(assets.owner)} = ${owner}`))

export async function markApplied(tx: Tx, inventoryId: number, assetIds: readonly number[]): Promise<void> {
  await tx
    .update(inventoryItems)
    .set({ appliedAt: tx.stamp })
    .where(and(eq(inventoryItems.inventoryId, inventoryId), isOneOf(inventoryItems.assetId, assetIds)))
}
