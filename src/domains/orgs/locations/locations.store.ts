import { and, eq } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { orgLocations } from '#db/schema/locations.ts'
import type { Db, Tx } from '#db/store.ts'
import { treeIn } from '#db/tree.ts'
import { updatedAtFor } from '#db/updated-at.ts'
import type { RefSource } from '#domains/contributions.ts'
import { pathsOf } from '#lib/tree.ts'
import { uuid } from '#platform/ids.ts'

import { MAX_DEPTH } from './locations.model.ts'

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
    .values({ ...values, orgId, uuid: uuid(), createdAt: tx.stamp, updatedAt: tx.stamp })
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

/** Of any organization: the caller checks who may see it. */
export async function findLocationByUuid(db: Db, id: string): Promise<LocationRow | undefined> {
  const [row] = await db.select().from(orgLocations).where(eq(orgLocations.uuid, id.toLowerCase()))
  return row
}

/** The path of a location in the web application. */
export async function locationPath(db: Db, id: number): Promise<string | undefined> {
  const [row] = await db.select({ orgId: orgLocations.orgId }).from(orgLocations).where(eq(orgLocations.id, id))
  return row && `/console/orgs/${row.orgId}?tab=locations&location=${id}`
}

/** Locations as targets of metadata values. In texts they are named by their path: `Campus / Hall B`. */
export const locationTarget: RefSource = {
  readPoint: 'location:read',
  async titles(db, owner, ids) {
    const rows = await db
      .select({ id: orgLocations.id, name: orgLocations.name })
      .from(orgLocations)
      .where(and(eq(orgLocations.orgId, owner), isOneOf(orgLocations.id, ids)))
    return new Map(rows.map((row) => [row.id, row.name]))
  },
  async byTexts(db, owner, texts) {
    if (owner < 0 || texts.length === 0) return new Map()
    const byPath = new Map<string, number[]>()
    for (const [id, path] of pathsOf(await locationTree.all(db, owner)))
      byPath.set(comparedPath(path), [...(byPath.get(comparedPath(path)) ?? []), id])
    return new Map(
      texts.flatMap((text) => {
        const [id, ...others] = byPath.get(comparedPath(text)) ?? []
        return id === undefined || others.length > 0 ? [] : [[text, id]]
      }),
    )
  },
}

/** A path as it is compared: case and spaces around slashes do not matter. */
const comparedPath = (path: string): string =>
  path
    .normalize('NFC')
    .trim()
    .replace(/\s*\/\s*/g, '/')
    .toLowerCase()
