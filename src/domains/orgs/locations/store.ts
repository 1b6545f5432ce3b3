import { and, eq } from 'drizzle-orm'

import { orgLocations } from '#db/schema/locations.ts'
import type { Tx } from '#db/store.ts'
import { treeIn } from '#db/tree.ts'
import { updatedAtFor } from '#db/updated-at.ts'

import { MAX_DEPTH } from './model.ts'

export type LocationRow = typeof orgLocations.$inferSelect
export type LocationChange = Partial<Pick<LocationRow, 'name' | 'description' | 'latitude' | 'longitude'>>

export const locationTree = treeIn(orgLocations, { owner: orgLocations.orgId, maxDepth: MAX_DEPTH })

const one = (orgId: number, id: number) => and(eq(orgLocations.orgId, orgId), eq(orgLocations.id, id))

export async function insertLocation(
  tx: Tx,
  orgId: number,
  values: Pick<LocationRow, 'name' | 'description' | 'parentId' | 'latitude' | 'longitude'>,
): Promise<LocationRow> {
  const [row] = await tx
    .insert(orgLocations)
    .values({ ...values, orgId, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

/** Undefined if the organization has no such location. */
export async function updateLocation(
  tx: Tx,
  orgId: number,
  id: number,
  change: LocationChange,
): Promise<LocationRow | undefined> {
  const [row] = await tx
    .update(orgLocations)
    .set({ ...change, updatedAt: updatedAtFor(orgLocations, change, tx.stamp) })
    .where(one(orgId, id))
    .returning()
  return row
}

export async function deleteLocation(tx: Tx, orgId: number, id: number): Promise<void> {
  await tx.delete(orgLocations).where(one(orgId, id))
}
