import { and, count, desc, eq, inArray, sql } from 'drizzle-orm'

import { note } from '#db/notes.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { activities } from '#db/schema/activities.ts'
import { passTemplates } from '#db/schema/passes.ts'
import type { Db, Tx } from '#db/store.ts'
import { updatedAtFor } from '#db/updated-at.ts'

export type TemplateRow = typeof passTemplates.$inferSelect
export type TemplateValues = Omit<TemplateRow, 'id' | 'owner' | 'userId' | 'createdAt' | 'updatedAt'>

const owned = (owner: OwnerKey, id: number) => and(eq(passTemplates.owner, owner), eq(passTemplates.id, id))

/** Newest first. An owner has at most 100. */
export const templatesPage = (db: Db, owner: OwnerKey, page: PageInput): Promise<Page<TemplateRow>> =>
  pageOf(db, passTemplates, {
    where: eq(passTemplates.owner, owner),
    orderBy: [desc(passTemplates.createdAt), desc(passTemplates.id)],
    page,
  })

/** Undefined if it belongs to another owner. */
export async function findTemplate(db: Db | Tx, owner: OwnerKey, id: number): Promise<TemplateRow | undefined> {
  const [row] = await db.select().from(passTemplates).where(owned(owner, id))
  return row
}

/** Those of the owner among these, by their ids. */
export async function templatesById(
  db: Db | Tx,
  owner: OwnerKey,
  ids: readonly number[],
): Promise<Map<number, TemplateRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select()
    .from(passTemplates)
    .where(and(eq(passTemplates.owner, owner), inArray(passTemplates.id, [...new Set(ids)])))
  return new Map(rows.map((row) => [row.id, row]))
}

/** The organization of a template: 0 for a personal one, undefined for an unknown id. */
export async function organizationOfTemplate(db: Db, id: number): Promise<number | undefined> {
  const [row] = await db.select({ owner: passTemplates.owner }).from(passTemplates).where(eq(passTemplates.id, id))
  return row && orgOf(row.owner)
}

export async function countTemplates(db: Db | Tx, owner: OwnerKey): Promise<number> {
  const [row] = await db.select({ n: count() }).from(passTemplates).where(eq(passTemplates.owner, owner))
  return row!.n
}

export async function insertTemplate(
  tx: Tx,
  owner: OwnerKey,
  userId: number,
  values: TemplateValues,
): Promise<TemplateRow> {
  const [row] = await tx
    .insert(passTemplates)
    .values({ ...values, owner, userId, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

export async function updateTemplate(
  tx: Tx,
  owner: OwnerKey,
  id: number,
  change: Partial<TemplateValues>,
): Promise<TemplateRow | undefined> {
  const [row] = await tx
    .update(passTemplates)
    .set({ ...change, updatedAt: updatedAtFor(passTemplates, change, tx.stamp) })
    .where(owned(owner, id))
    .returning()
  return row
}

/** False if the owner has no such template. */
export async function deleteTemplate(tx: Tx, owner: OwnerKey, id: number): Promise<boolean> {
  const rows = await tx.delete(passTemplates).where(owned(owner, id)).returning({ id: passTemplates.id })
  return rows.length === 1
}

/** Clears a template from at most `limit` activities, which are all of its owner. Returns their number. */
export async function clearTemplate(tx: Tx, owner: OwnerKey, templateId: number, limit: number): Promise<number> {
  const using = tx
    .select({ id: activities.id })
    .from(activities)
    .where(and(eq(activities.passTemplateId, templateId), eq(activities.owner, owner)))
    .limit(limit)
  const rows = await tx
    .update(activities)
    .set({ passTemplateId: null, version: sql`${activities.version} + 1`, updatedAt: tx.stamp })
    .where(inArray(activities.id, using))
    .returning({ id: activities.id })
  for (const { id } of rows) note(tx, { type: 'activity.updated', owner, id })
  return rows.length
}
