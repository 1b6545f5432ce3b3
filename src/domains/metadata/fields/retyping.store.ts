/** Reading all values of a field in steps. */

import { and, asc, count, eq, gt, inArray, isNull, type SQL, sql } from 'drizzle-orm'

import { metaValues } from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'
import { isWrittenSince, type WriteMark } from '#db/write-marks.ts'

import type { Part } from '../types/types.rules.ts'

export type ValueRow = Pick<typeof metaValues.$inferSelect, 'owner' | 'entityId' | 'text' | 'key' | 'number'>

const columns = {
  owner: metaValues.owner,
  entityId: metaValues.entityId,
  text: metaValues.text,
  key: metaValues.key,
  number: metaValues.number,
}

const firstPartOf = (fieldId: number): SQL | undefined =>
  and(eq(metaValues.fieldId, fieldId), eq(metaValues.position, 0))

/** The number of entities with a value in the field. */
export async function countValues(db: Db, fieldId: number): Promise<number> {
  const [row] = await db.select({ n: count() }).from(metaValues).where(firstPartOf(fieldId))
  return row!.n
}

/**
 * First parts of the values after `after`, at most `limit`, in the order of the index `meta_values_number`: every step begins where the
 * last one ended, so that all steps together read each value once. All values of a field have a number, or none has.
 */
export async function nextFirstParts(
  db: Db,
  fieldId: number,
  after: ValueRow | undefined,
  limit: number,
): Promise<ValueRow[]> {
  const select = (where: SQL | undefined, most: number) =>
    db
      .select(columns)
      .from(metaValues)
      .where(and(firstPartOf(fieldId), where))
      .orderBy(asc(metaValues.owner), asc(metaValues.number), asc(metaValues.entityId))
      .limit(most)
  if (after === undefined) return select(undefined, limit)
  const ofSameOwner = await select(and(eq(metaValues.owner, after.owner), isAfter(after)), limit)
  if (ofSameOwner.length === limit) return ofSameOwner
  return [...ofSameOwner, ...(await select(gt(metaValues.owner, after.owner), limit - ofSameOwner.length))]
}

const isAfter = ({ number, entityId }: ValueRow): SQL | undefined =>
  number === null
    ? and(isNull(metaValues.number), gt(metaValues.entityId, entityId))
    : sql`(${metaValues.number}, ${metaValues.entityId}) > (${number}, ${entityId})`

/** All parts of the values of some entities, in their order. */
export const allParts = (
  db: Db | Tx,
  objectName: string,
  fieldId: number,
  entityIds: readonly number[],
): Promise<ValueRow[]> =>
  db
    .select(columns)
    .from(metaValues)
    .where(
      and(
        eq(metaValues.objectName, objectName),
        inArray(metaValues.entityId, [...entityIds]),
        eq(metaValues.fieldId, fieldId),
      ),
    )
    .orderBy(asc(metaValues.entityId), asc(metaValues.position))

/** Entities whose value in the field was written since `mark` (`markWrites`). */
export async function writtenSince(tx: Tx, fieldId: number, mark: WriteMark): Promise<number[]> {
  const rows = await tx
    .selectDistinct({ entityId: metaValues.entityId })
    .from(metaValues)
    .where(and(eq(metaValues.fieldId, fieldId), isWrittenSince(metaValues, mark)))
  return rows.map(({ entityId }) => entityId)
}

/** A value of one part, with all that its row contains besides. */
export type WholeRow = Omit<typeof metaValues.$inferInsert, 'id'> & Part

/** The first parts of at most `limit` values. */
export const firstParts = (tx: Tx, fieldId: number, limit: number): Promise<WholeRow[]> =>
  tx
    .select({
      ...columns,
      objectName: metaValues.objectName,
      fieldId: metaValues.fieldId,
      position: metaValues.position,
    })
    .from(metaValues)
    .where(firstPartOf(fieldId))
    .limit(limit)

/** Rows that one statement inserts. */
const ROWS_PER_INSERT = 500

/** Replaces all values of a field. */
export async function replaceValues(tx: Tx, fieldId: number, rows: readonly WholeRow[]): Promise<void> {
  await tx.delete(metaValues).where(eq(metaValues.fieldId, fieldId))
  for (let i = 0; i < rows.length; i += ROWS_PER_INSERT)
    await tx.insert(metaValues).values(rows.slice(i, i + ROWS_PER_INSERT))
}
