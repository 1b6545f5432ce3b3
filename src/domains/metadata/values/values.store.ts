import { and, desc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { isOneOf } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import {
  metaBindings,
  metaFields,
  metaFormulaUses,
  metaTemplateFields,
  metaTemplates,
  metaValues,
} from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'
import type { MetaObjectName } from '#domains/contributions.ts'

import type { Part } from '../types/types.rules.ts'
import type { FieldRow, ValueRow } from './values.model.ts'

const columns = {
  id: metaValues.id,
  entityId: metaValues.entityId,
  fieldId: metaValues.fieldId,
  position: metaValues.position,
  text: metaValues.text,
  key: metaValues.key,
  number: metaValues.number,
}

/** Entities that one statement reads. */
const ENTITIES_PER_QUERY = 500

/** SQLite takes 32,766 parameters, of which each row needs 9. */
const ROWS_PER_INSERT = 1000

export interface EntitiesOf {
  readonly objectName: string
  readonly owners: readonly OwnerKey[]
  readonly entityIds: readonly number[]
}

/** The values of entities in these fields, in no particular order. */
export async function findValues(
  db: Db | Tx,
  { objectName, owners, entityIds }: EntitiesOf,
  fieldIds: readonly number[],
): Promise<ValueRow[]> {
  if (fieldIds.length === 0) return []
  const rows: ValueRow[] = []
  for (let i = 0; i < entityIds.length; i += ENTITIES_PER_QUERY)
    rows.push(
      ...(await db
        .select(columns)
        .from(metaValues)
        .where(
          and(
            eq(metaValues.objectName, objectName),
            isOneOf(metaValues.entityId, entityIds.slice(i, i + ENTITIES_PER_QUERY)),
            // The signs keep the planner from looking up every field for every entity: an entity has few values.
            sql`+${metaValues.fieldId} in ${[...fieldIds]}`,
            sql`+${metaValues.owner} in ${[...owners]}`,
          ),
        )),
    )
  return rows
}

/** Deleted fields with a value of the entity, the latest first. */
export async function deletedFieldsWithValue(
  db: Db,
  { objectName, owners, entityIds }: EntitiesOf,
  fieldOwners: readonly number[],
  limit: number,
): Promise<FieldRow[]> {
  const withValue = db
    .select({ id: metaValues.fieldId })
    .from(metaValues)
    .where(
      and(
        eq(metaValues.objectName, objectName),
        isOneOf(metaValues.entityId, entityIds),
        inArray(metaValues.owner, [...owners]),
      ),
    )
  return db
    .select()
    .from(metaFields)
    .where(
      and(
        inArray(metaFields.id, withValue),
        inArray(metaFields.owner, [...fieldOwners]),
        isNotNull(metaFields.deletedAt),
      ),
    )
    .orderBy(desc(metaFields.id))
    .limit(limit)
}

/** The characters of texts and options that entities have in these fields. Entities without any are left out. */
export async function textLengths(
  db: Db | Tx,
  { objectName, owners, entityIds }: EntitiesOf,
  fieldIds: readonly number[],
): Promise<Map<number, number>> {
  const lengths = new Map<number, number>()
  for (let i = 0; i < entityIds.length; i += ENTITIES_PER_QUERY) {
    const rows = await db
      .select({
        id: metaValues.entityId,
        n: sql`sum(coalesce(length(${metaValues.text}), length(${metaValues.key}), 0))`.mapWith(Number),
      })
      .from(metaValues)
      .where(
        and(
          eq(metaValues.objectName, objectName),
          isOneOf(metaValues.entityId, entityIds.slice(i, i + ENTITIES_PER_QUERY)),
          sql`+${metaValues.fieldId} in ${[...fieldIds]}`,
          sql`+${metaValues.owner} in ${[...owners]}`,
        ),
      )
      .groupBy(metaValues.entityId)
    for (const { id, n } of rows) lengths.set(id, n)
  }
  return lengths
}

export interface NewRow {
  readonly entityId: number
  readonly fieldId: number
  readonly position: number
  readonly part: Part
}

export interface ChangedRow extends NewRow {
  readonly id: number
}

/** The columns that all rows of a write share. */
interface Common {
  readonly objectName: string
  readonly owner: OwnerKey
}

const columnsOf = ({ entityId, fieldId, position, part: { text, key, number } }: NewRow, common: Common) => ({
  ...common,
  entityId,
  fieldId,
  position,
  text,
  key,
  number,
})

/** Returns the ids of the rows, in the order of `rows`. */
export async function insertValues(tx: Tx, common: Common, rows: readonly NewRow[]): Promise<number[]> {
  const ids = new Map<string, number>()
  const nameOf = ({ entityId, fieldId, position }: Omit<NewRow, 'part'>) => `${entityId} ${fieldId} ${position}`
  const { id, entityId, fieldId, position } = metaValues
  for (let i = 0; i < rows.length; i += ROWS_PER_INSERT) {
    const inserted = await tx
      .insert(metaValues)
      .values(rows.slice(i, i + ROWS_PER_INSERT).map((row) => columnsOf(row, common)))
      .returning({ id, entityId, fieldId, position })
    for (const row of inserted) ids.set(nameOf(row), row.id)
  }
  return rows.map((row) => ids.get(nameOf(row))!)
}

/** Gives rows their new positions and values. */
export async function replaceValues(tx: Tx, common: Common, rows: readonly ChangedRow[]): Promise<void> {
  const excluded = (column: SQLiteColumn) => sql`excluded.${sql.identifier(column.name)}`
  const { position, text, key, number } = metaValues
  // In the order of the ids: on PostgreSQL, writes that lock the same rows in different orders deadlock.
  const sorted = rows.toSorted((a, b) => a.id - b.id)
  for (let i = 0; i < sorted.length; i += ROWS_PER_INSERT)
    await tx
      .insert(metaValues)
      .values(sorted.slice(i, i + ROWS_PER_INSERT).map((row) => ({ ...columnsOf(row, common), id: row.id })))
      .onConflictDoUpdate({
        target: metaValues.id,
        set: {
          position: excluded(position),
          text: excluded(text),
          key: excluded(key),
          number: excluded(number),
        },
        setWhere: eq(metaValues.owner, sql`excluded.owner`),
      })
}

/** Gives rows positions that no row has, so that they can change places. */
export async function clearPositions(tx: Tx, owner: OwnerKey, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .update(metaValues)
    .set({ position: sql`-1 - ${metaValues.position}` })
    .where(and(isOneOf(metaValues.id, ids), eq(metaValues.owner, owner)))
}

export async function deleteValues(tx: Tx, owner: OwnerKey, ids: readonly number[]): Promise<void> {
  for (let i = 0; i < ids.length; i += ROWS_PER_INSERT)
    await tx
      .delete(metaValues)
      .where(and(isOneOf(metaValues.id, ids.slice(i, i + ROWS_PER_INSERT)), eq(metaValues.owner, owner)))
}

/** All values of an entity with the owners and types of their fields, also those in fields that other users see. */
/** Deletes those of the rows that hold one of these files. */
export const deleteFileValues = (tx: Tx, ids: readonly number[], fileIds: readonly number[]) =>
  tx
    .delete(metaValues)
    .where(and(inArray(metaValues.id, [...ids]), inArray(metaValues.number, [...fileIds])))
    .returning({ objectName: metaValues.objectName, entityId: metaValues.entityId })

export const allValuesOf = (tx: Tx, objectName: string, entityId: number, owner: OwnerKey) =>
  tx
    .select({ ...columns, fieldOwner: metaFields.owner, type: metaFields.type })
    .from(metaValues)
    .innerJoin(metaFields, eq(metaFields.id, metaValues.fieldId))
    .where(and(eq(metaValues.objectName, objectName), eq(metaValues.entityId, entityId), eq(metaValues.owner, owner)))

export async function setOwner(
  tx: Tx,
  objectName: string,
  entityId: number,
  from: OwnerKey,
  to: OwnerKey,
): Promise<void> {
  await tx
    .update(metaValues)
    .set({ owner: to })
    .where(and(eq(metaValues.objectName, objectName), eq(metaValues.entityId, entityId), eq(metaValues.owner, from)))
}

/** The value to which a file belongs, and the owner of its field. */
export async function findValueWithField(db: Db, id: number) {
  const [row] = await db
    .select({
      objectName: metaValues.objectName,
      entityId: metaValues.entityId,
      owner: metaValues.owner,
      fieldOwner: metaFields.owner,
    })
    .from(metaValues)
    .innerJoin(metaFields, eq(metaFields.id, metaValues.fieldId))
    .where(eq(metaValues.id, id))
  return row as (typeof row & { objectName: MetaObjectName }) | undefined
}

/** For each of the formulas, by the id of its field: the ids of the fields that it names, by their keys. */
export async function operandsOf(db: Db | Tx, fieldIds: readonly number[]): Promise<Map<number, Map<string, number>>> {
  const uses = new Map<number, Map<string, number>>(fieldIds.map((id) => [id, new Map()]))
  if (fieldIds.length === 0) return uses
  const rows = await db
    .select({ fieldId: metaFormulaUses.fieldId, usesId: metaFormulaUses.usesId, key: metaFields.key })
    .from(metaFormulaUses)
    .innerJoin(metaFields, eq(metaFields.id, metaFormulaUses.usesId))
    .where(inArray(metaFormulaUses.fieldId, [...fieldIds]))
  for (const { fieldId, usesId, key } of rows) uses.get(fieldId)!.set(key, usesId)
  return uses
}

/** Whether a template requires any of the fields. */
export async function isRequiredAnywhere(db: Db | Tx, fieldIds: readonly number[]): Promise<boolean> {
  if (fieldIds.length === 0) return false
  const rows = await db
    .select({ id: metaTemplates.id })
    .from(metaTemplateFields)
    .innerJoin(metaTemplates, eq(metaTemplates.id, metaTemplateFields.templateId))
    .where(
      and(
        isOneOf(metaTemplateFields.fieldId, fieldIds),
        eq(metaTemplateFields.required, true),
        isNull(metaTemplates.deletedAt),
      ),
    )
    .limit(1)
  return rows.length > 0
}

/** Those of the entities to which templates are bound. */
export async function boundEntities(
  db: Db | Tx,
  objectName: string,
  entityIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const bound = new Set<number>()
  for (let i = 0; i < entityIds.length; i += ENTITIES_PER_QUERY) {
    const ids = entityIds.slice(i, i + ENTITIES_PER_QUERY)
    const rows = await db
      .selectDistinct({ id: metaBindings.entityId })
      .from(metaBindings)
      .where(and(eq(metaBindings.objectName, objectName), isOneOf(metaBindings.entityId, ids)))
    for (const { id } of rows) bound.add(id)
  }
  return bound
}
