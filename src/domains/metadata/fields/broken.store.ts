/** Formulas that name a deleted field. Their rows in `meta_formula_uses` are kept until their owners have been notified. */

import { and, eq, exists, gt, inArray, isNotNull } from 'drizzle-orm'

import { metaFields, metaFormulaUses, metaObjects } from '#db/schema/meta.ts'
import { organizations } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

import { GLOBAL } from '../metadata.rules.ts'
import type { FieldRow } from './fields.store.ts'

/** Takes some of these formulas off the list. Returns how many, and the users who own them: for an organization its owner. */
export async function takeFormulas(
  tx: Tx,
  usesId: number,
  limit: number,
): Promise<{ readonly taken: number; readonly userIds: readonly number[] }> {
  const rows = await tx
    .select({ fieldId: metaFormulaUses.fieldId, owner: metaFields.owner })
    .from(metaFormulaUses)
    .innerJoin(metaFields, eq(metaFields.id, metaFormulaUses.fieldId))
    .where(eq(metaFormulaUses.usesId, usesId))
    .limit(limit)
  if (rows.length === 0) return { taken: 0, userIds: [] }
  const fieldIds = rows.map((row) => row.fieldId)
  await tx
    .delete(metaFormulaUses)
    .where(and(eq(metaFormulaUses.usesId, usesId), inArray(metaFormulaUses.fieldId, fieldIds)))
  const owners = rows.map((row) => row.owner)
  const orgIds = owners.filter((owner) => owner > 0)
  const ofOrgs =
    orgIds.length === 0
      ? []
      : await tx.select({ id: organizations.ownerId }).from(organizations).where(inArray(organizations.id, orgIds))
  return {
    taken: rows.length,
    userIds: [...owners.filter((owner) => owner < 0).map((owner) => -owner), ...ofOrgs.map(({ id }) => id)],
  }
}

/** The first deleted field after this one that formulas still name. Only GLOBAL fields can be named by those of another scope. */
export async function nextNamedField(db: Db, afterId: number): Promise<FieldRow | undefined> {
  const naming = db
    .select({ id: metaFormulaUses.fieldId })
    .from(metaFormulaUses)
    .where(eq(metaFormulaUses.usesId, metaFields.id))
  const rows = await db
    .select()
    .from(metaFields)
    .where(
      and(
        // For the index of lists.
        inArray(metaFields.objectName, db.select({ name: metaObjects.name }).from(metaObjects)),
        eq(metaFields.owner, GLOBAL),
        isNotNull(metaFields.deletedAt),
        gt(metaFields.id, afterId),
        exists(naming),
      ),
    )
    .orderBy(metaFields.id)
    .limit(1)
  return rows[0]
}
