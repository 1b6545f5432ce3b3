import { and, eq, inArray, or } from 'drizzle-orm'

import { metaFields, metaObjects, metaPurges, metaValues } from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'

export type Purge = typeof metaPurges.$inferSelect

/** `objectName` of owners. */
export const OWNER = ''

export async function insertPurges(tx: Tx, purges: readonly Purge[]): Promise<void> {
  if (purges.length === 0) return
  await tx
    .insert(metaPurges)
    .values([...purges])
    .onConflictDoNothing()
}

/** Those of the entities that have values. */
export async function entitiesWithValues(tx: Tx, objectName: string, ids: readonly number[]): Promise<number[]> {
  const rows = await tx
    .selectDistinct({ id: metaValues.entityId })
    .from(metaValues)
    .where(and(eq(metaValues.objectName, objectName), inArray(metaValues.entityId, [...ids])))
  return rows.map((row) => row.id)
}

export const firstPurge = async (db: Db | Tx): Promise<Purge | undefined> =>
  (await db.select().from(metaPurges).limit(1))[0]

export async function deletePurge(tx: Tx, { objectName, target }: Purge): Promise<void> {
  await tx.delete(metaPurges).where(and(eq(metaPurges.objectName, objectName), eq(metaPurges.target, target)))
}

/** Deletes at most `limit` values of the entity or owner. Returns the types of their fields and their numbers, which are ids of files. */
export async function deleteSome(tx: Tx, { objectName, target }: Purge, limit: number) {
  // Values in fields of a user belong to the owners of their entities.
  const fieldsOfOwner = tx
    .select({ id: metaFields.id })
    .from(metaFields)
    .where(
      and(
        inArray(metaFields.objectName, tx.select({ name: metaObjects.name }).from(metaObjects)),
        eq(metaFields.owner, target),
      ),
    )
  const where =
    objectName === OWNER
      ? or(eq(metaValues.owner, target), inArray(metaValues.fieldId, fieldsOfOwner))
      : and(eq(metaValues.objectName, objectName), eq(metaValues.entityId, target))
  const rows = await tx
    .select({ id: metaValues.id, number: metaValues.number, type: metaFields.type })
    .from(metaValues)
    .innerJoin(metaFields, eq(metaFields.id, metaValues.fieldId))
    .where(where)
    .limit(limit)
  if (rows.length > 0)
    await tx.delete(metaValues).where(
      inArray(
        metaValues.id,
        rows.map((row) => row.id),
      ),
    )
  return rows
}
