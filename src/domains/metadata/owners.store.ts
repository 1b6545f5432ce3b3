/** Owners of metadata: whether they exist, and deleting the rows of those that no longer do. */

import { and, eq, gt, inArray, isNull, notExists } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { users } from '#db/schema/accounts.ts'
import {
  metaBindings,
  metaFields,
  metaFormulaUses,
  metaRemovedOwners,
  metaTemplateFields,
  metaTemplates,
  metaValues,
} from '#db/schema/meta.ts'
import { organizations } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

import { GLOBAL } from './metadata.rules.ts'
import { objectNames } from './objects/objects.store.ts'

/** Always true for scope GLOBAL. */
export async function existsOwner(db: Db | Tx, owner: number): Promise<boolean> {
  if (owner === GLOBAL) return true
  const rows =
    owner > 0
      ? await db.select({ id: organizations.id }).from(organizations).where(eq(organizations.id, owner))
      : await db
          .select({ id: users.id })
          .from(users)
          .where(and(eq(users.id, -owner), eq(users.status, 'ACTIVE')))
  return rows.length > 0
}

/** Whether the user has a field or a template. */
export async function hasMetadata(db: Db | Tx, userId: number): Promise<boolean> {
  const names = await objectNames(db)
  for (const table of [metaFields, metaTemplates]) {
    const rows = await db
      .select({ id: table.id })
      .from(table)
      .where(and(inArray(table.objectName, names), eq(table.owner, -userId), isNull(table.deletedAt)))
      .limit(1)
    if (rows.length > 0) return true
  }
  return false
}

export async function insertRemovedOwner(tx: Tx, owner: OwnerKey): Promise<void> {
  await tx.insert(metaRemovedOwners).values({ owner }).onConflictDoNothing()
}

/** At most `limit` removed owners greater than `after`, ascending. */
export async function removedOwners(db: Db, after: OwnerKey, limit: number): Promise<OwnerKey[]> {
  const rows = await db
    .select()
    .from(metaRemovedOwners)
    .where(gt(metaRemovedOwners.owner, after))
    .orderBy(metaRemovedOwners.owner)
    .limit(limit)
  return rows.map(({ owner }) => owner)
}

/** Rows that one write deletes at most, which takes some milliseconds. */
const ROWS_PER_WRITE = 500

/**
 * Deletes a template or a field of a removed owner, or some of its bindings. Fields that still have values stay: the job that deletes
 * the values also releases their files. False if there is nothing more to delete now.
 */
export async function purgeSome(tx: Tx, owner: OwnerKey): Promise<boolean> {
  const names = await objectNames(tx)
  const [template] = await tx
    .select({ id: metaTemplates.id })
    .from(metaTemplates)
    .where(and(inArray(metaTemplates.objectName, names), eq(metaTemplates.owner, owner)))
    .limit(1)
  if (template !== undefined) {
    await purgeTemplate(tx, template.id)
    return true
  }
  const ofOwner = and(inArray(metaFields.objectName, names), eq(metaFields.owner, owner))
  const value = tx.select({ id: metaValues.id }).from(metaValues).where(eq(metaValues.fieldId, metaFields.id))
  const fields = await tx
    .select({ id: metaFields.id })
    .from(metaFields)
    .where(and(ofOwner, notExists(value)))
    .limit(ROWS_PER_WRITE)
  if (fields.length > 0) {
    await purgeFields(
      tx,
      fields.map(({ id }) => id),
    )
    return true
  }
  const left = await tx.select({ id: metaFields.id }).from(metaFields).where(ofOwner).limit(1)
  if (left.length === 0) await tx.delete(metaRemovedOwners).where(eq(metaRemovedOwners.owner, owner))
  return false
}

async function purgeTemplate(tx: Tx, id: number): Promise<void> {
  const bound = await tx
    .select({ objectName: metaBindings.objectName, entityId: metaBindings.entityId })
    .from(metaBindings)
    .where(eq(metaBindings.templateId, id))
    .limit(ROWS_PER_WRITE)
  const [first] = bound
  if (first !== undefined) {
    const entityIds = bound.map(({ entityId }) => entityId)
    const ofEntities = and(eq(metaBindings.objectName, first.objectName), inArray(metaBindings.entityId, entityIds))
    await tx.delete(metaBindings).where(and(ofEntities, eq(metaBindings.templateId, id)))
    return
  }
  await tx.delete(metaTemplateFields).where(eq(metaTemplateFields.templateId, id))
  await tx.delete(metaTemplates).where(eq(metaTemplates.id, id))
}

/** Only templates and formulas of the same owner name the fields. The templates are gone. */
async function purgeFields(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.delete(metaFormulaUses).where(inArray(metaFormulaUses.fieldId, [...ids]))
  await tx.delete(metaFormulaUses).where(inArray(metaFormulaUses.usesId, [...ids]))
  await tx.delete(metaFields).where(inArray(metaFields.id, [...ids]))
}
