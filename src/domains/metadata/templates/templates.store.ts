import { and, asc, count, desc, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { metaBindings, metaFields, metaTemplateFields, metaTemplates } from '#db/schema/meta.ts'
import { searchPage } from '#db/search.ts'
import type { Db, Tx } from '#db/store.ts'

import { ownedAs, widestFirst } from '../fields/fields.store.ts'
import type { ScopeFilters } from '../metadata.model.ts'
import { GLOBAL } from '../metadata.rules.ts'

export type TemplateRow = typeof metaTemplates.$inferSelect

export const versionOfTemplate = versionIn(metaTemplates)
/** A field of a template. */
export interface TemplateField {
  readonly fieldId: number
  readonly group: string
  readonly required: boolean
}

const p = sql.placeholder
const isLive = isNull(metaTemplates.deletedAt)

const ofOwners = (objectName: string, owners: readonly number[]): SQL | undefined =>
  and(eq(metaTemplates.objectName, objectName), inArray(metaTemplates.owner, [...owners]), isLive)

/** The widest scope first, then the oldest first. */
export const templatesPage = (
  db: Db,
  objectName: string,
  owners: readonly number[],
  { keyword, ...page }: PageInput & { readonly keyword?: string },
): Promise<Page<TemplateRow>> =>
  pageOf(db, metaTemplates, {
    where: and(ofOwners(objectName, owners), keyword ? contains(metaTemplates.name, keyword) : undefined),
    orderBy: [widestFirst(metaTemplates.owner), asc(metaTemplates.id)],
    page,
  })

/** Templates of all owners, newest first. With a keyword `db` is that of a search. */
export function allTemplatesPage(
  db: Db,
  query: ScopeFilters & PageInput & { readonly keyword?: string },
): Promise<Page<TemplateRow>> {
  const { keyword } = query
  const page = { page: query.page, size: query.size }
  const where = and(isLive, ownedAs(metaTemplates, query), keyword ? contains(metaTemplates.name, keyword) : undefined)
  if (!keyword) return pageOf(db, metaTemplates, { where, orderBy: [desc(metaTemplates.id)], page })
  return searchPage<TemplateRow>(
    db,
    {
      table: metaTemplates,
      scope: undefined,
      order: [metaTemplates.id],
      isReversed: true,
      where,
      select: (from) => from.select().from(metaTemplates).$dynamic() as never,
    },
    page,
  )
}

const byId = prepared((db) =>
  db
    .select()
    .from(metaTemplates)
    .where(and(eq(metaTemplates.id, p('id')), isLive)),
)

/** Any owner's: the caller checks whose it is. */
export const findTemplate = async (db: Db | Tx, id: number): Promise<TemplateRow | undefined> =>
  (await byId(db, { id }))[0]

/** Those of the templates that exist and belong to one of the owners, in the order of `ids`. */
export async function templatesWithIds(
  db: Db | Tx,
  objectName: string,
  owners: readonly number[],
  ids: readonly number[],
): Promise<TemplateRow[]> {
  if (ids.length === 0) return []
  const rows = await db
    .select()
    .from(metaTemplates)
    .where(and(inArray(metaTemplates.id, [...ids]), ofOwners(objectName, owners)))
  const found = new Map(rows.map((row) => [row.id, row]))
  return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
}

/** The ids that are unknown in the scope of an owner of entities, which has the GLOBAL templates of the object and its own. */
export async function unknownTemplates(
  db: Db | Tx,
  objectName: string,
  owner: OwnerKey,
  ids: readonly number[],
): Promise<number[]> {
  const known = new Set((await templatesWithIds(db, objectName, [GLOBAL, owner], ids)).map((row) => row.id))
  return ids.filter((id) => !known.has(id))
}

/** The default of the owner, or else that of scope GLOBAL. */
export async function defaultTemplate(
  db: Db | Tx,
  objectName: string,
  owner: OwnerKey,
): Promise<TemplateRow | undefined> {
  const rows = await db
    .select()
    .from(metaTemplates)
    .where(and(ofOwners(objectName, [GLOBAL, owner]), eq(metaTemplates.isDefault, true)))
  return rows.find((row) => row.owner === owner) ?? rows[0]
}

const bound = prepared((db) =>
  db
    .select({ templateId: metaBindings.templateId })
    .from(metaBindings)
    .where(and(eq(metaBindings.objectName, p('objectName')), eq(metaBindings.entityId, p('entityId'))))
    .orderBy(asc(metaBindings.position), asc(metaBindings.templateId)),
)

/** Templates that are bound to the entity, also deleted ones, in the order in which they were bound. */
export const boundTemplateIds = async (db: Db | Tx, objectName: string, entityId: number): Promise<number[]> =>
  (await bound(db, { objectName, entityId })).map((row) => row.templateId)

/** The fields of templates, in their order. Deleted fields are left out. */
export async function fieldsOfTemplates(
  db: Db | Tx,
  templateIds: readonly number[],
): Promise<Map<number, TemplateField[]>> {
  const fields = new Map<number, TemplateField[]>(templateIds.map((id) => [id, []]))
  if (templateIds.length === 0) return fields
  const rows = await db
    .select({
      templateId: metaTemplateFields.templateId,
      fieldId: metaTemplateFields.fieldId,
      group: metaTemplateFields.group,
      required: metaTemplateFields.required,
    })
    .from(metaTemplateFields)
    .innerJoin(metaFields, eq(metaFields.id, metaTemplateFields.fieldId))
    .where(and(inArray(metaTemplateFields.templateId, [...templateIds]), isNull(metaFields.deletedAt)))
    .orderBy(asc(metaTemplateFields.templateId), asc(metaTemplateFields.position))
  for (const { templateId, ...field } of rows) fields.get(templateId)!.push(field)
  return fields
}

/** Templates without fields are left out. */
export async function templateFieldCounts(db: Db | Tx, templateIds: readonly number[]): Promise<Map<number, number>> {
  if (templateIds.length === 0) return new Map()
  const rows = await db
    .select({ id: metaTemplateFields.templateId, n: count() })
    .from(metaTemplateFields)
    .innerJoin(metaFields, eq(metaFields.id, metaTemplateFields.fieldId))
    .where(and(inArray(metaTemplateFields.templateId, [...templateIds]), isNull(metaFields.deletedAt)))
    .groupBy(metaTemplateFields.templateId)
  return new Map(rows.map((row) => [row.id, row.n]))
}

export async function countTemplates(tx: Tx, objectName: string, owner: number): Promise<number> {
  const [row] = await tx
    .select({ n: count() })
    .from(metaTemplates)
    .where(ofOwners(objectName, [owner]))
  return row!.n
}

/** Takes the mark of the default from the owner's other templates. */
export async function clearDefault(tx: Tx, objectName: string, owner: number, exceptId = 0): Promise<void> {
  await tx
    .update(metaTemplates)
    .set({ isDefault: false, version: sql`${metaTemplates.version} + 1`, updatedAt: tx.stamp })
    .where(and(ofOwners(objectName, [owner]), eq(metaTemplates.isDefault, true), ne(metaTemplates.id, exceptId)))
}

/** If it is to be the default, no other template of the owner may be: see `clearDefault`. */
export async function insertTemplate(
  tx: Tx,
  values: Pick<TemplateRow, 'objectName' | 'owner' | 'name' | 'description' | 'isDefault' | 'sourceId'>,
): Promise<TemplateRow> {
  const [row] = await tx
    .insert(metaTemplates)
    .values({ ...values, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

export async function updateTemplate(
  tx: Tx,
  row: TemplateRow,
  change: Partial<Pick<TemplateRow, 'name' | 'description' | 'isDefault' | 'deletedAt'>>,
): Promise<TemplateRow> {
  const changed = { ...change, version: row.version + 1, updatedAt: tx.stamp }
  await tx
    .update(metaTemplates)
    .set(changed)
    .where(and(eq(metaTemplates.id, row.id), eq(metaTemplates.owner, row.owner)))
  return { ...row, ...changed }
}

/** Replaces all fields of a template. The order of the array is that of the template. */
export async function setFields(tx: Tx, templateId: number, fields: readonly TemplateField[]): Promise<void> {
  await tx.delete(metaTemplateFields).where(eq(metaTemplateFields.templateId, templateId))
  if (fields.length > 0)
    await tx.insert(metaTemplateFields).values(fields.map((field, position) => ({ ...field, templateId, position })))
}
