import { and, asc, count, desc, eq, exists, inArray, isNull, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { isInJson } from '#db/dialect.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { type FieldType, metaFields, metaFormulaUses, metaObjects } from '#db/schema/meta.ts'
import { searchPage } from '#db/search.ts'
import type { Db, SQLiteColumn, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import type { ScopeFilters } from '../metadata.model.ts'
import { GLOBAL } from '../metadata.rules.ts'

export type FieldRow = typeof metaFields.$inferSelect

export const versionOfField = versionIn(metaFields)

const p = sql.placeholder

/** Every list of fields and templates begins with the widest scope. */
export const widestFirst = (owner: SQLiteColumn): SQL =>
  sql`case when ${owner} = 0 then 0 when ${owner} > 0 then 1 else 2 end`

const order = [widestFirst(metaFields.owner), asc(metaFields.sortOrder), asc(metaFields.id)]
const isLive = isNull(metaFields.deletedAt)
const isVisible = and(
  eq(metaFields.objectName, p('objectName')),
  sql`${metaFields.owner} in (0, ${p('orgOwner')}, ${p('userOwner')})`,
  isLive,
)

const visible = prepared((db) =>
  db
    .select()
    .from(metaFields)
    .where(isVisible)
    .orderBy(...order),
)

/** Fields of scope GLOBAL, of the organization if there is one, and of the viewer: in this order, then by sort order and id. */
export const visibleFields = (db: Db | Tx, objectName: string, viewer: Owner): Promise<FieldRow[]> =>
  visible(db, { objectName, orgOwner: viewer.orgId, userOwner: -viewer.userId })

const readable = prepared((db) =>
  db
    .select()
    .from(metaFields)
    .where(
      and(
        isVisible,
        or(isNull(metaFields.entityColumn), isInJson(metaFields.entityColumn, p('columns'))),
        exists(
          db
            .select({ one: sql`1` })
            .from(metaObjects)
            .where(and(eq(metaObjects.name, p('objectName')), eq(metaObjects.enabled, true))),
        ),
      ),
    )
    .orderBy(...order),
)

/** Those of the visible fields that can have values for entities of which no other fixed columns hold one: none while the object is disabled. */
export const readableFields = (
  db: Db | Tx,
  objectName: string,
  viewer: Owner,
  columns: readonly string[],
): Promise<FieldRow[]> =>
  readable(db, {
    objectName,
    orgOwner: viewer.orgId,
    userOwner: -viewer.userId,
    columns: JSON.stringify(columns),
  })

export interface FieldFilters {
  readonly type?: FieldType
  readonly keyword?: string
}

const filtersOf = ({ type, keyword }: FieldFilters): SQL | undefined =>
  and(
    type === undefined ? undefined : eq(metaFields.type, type),
    keyword ? sql`(${contains(metaFields.name, keyword)} or ${contains(metaFields.key, keyword)})` : undefined,
  )

/** A page of the fields that the owners have. `ids`: only these. */
export const fieldsPage = (
  db: Db,
  objectName: string,
  owners: readonly number[],
  query: FieldFilters & PageInput,
  ids?: readonly number[],
): Promise<Page<FieldRow>> =>
  pageOf(db, metaFields, {
    where: and(
      eq(metaFields.objectName, objectName),
      inArray(metaFields.owner, [...owners]),
      isLive,
      filtersOf(query),
      ids === undefined ? undefined : inArray(metaFields.id, [...ids]),
    ),
    orderBy: order,
    page: query,
  })

/** Whose fields or templates an administrator asked for. */
export function ownedAs(
  columns: { readonly objectName: SQLiteColumn; readonly owner: SQLiteColumn },
  { objectName, scope, orgId, userId }: ScopeFilters,
): SQL | undefined {
  const inScope = { GLOBAL: sql`${columns.owner} = 0`, ORG: sql`${columns.owner} > 0`, USER: sql`${columns.owner} < 0` }
  return and(
    objectName === undefined ? undefined : eq(columns.objectName, objectName),
    scope && inScope[scope],
    orgId === undefined ? undefined : eq(columns.owner, orgId),
    userId === undefined ? undefined : eq(columns.owner, -userId),
  )
}

/** Fields of all owners, newest first. With a keyword `db` is that of a search. */
export function allFieldsPage(db: Db, query: FieldFilters & ScopeFilters & PageInput): Promise<Page<FieldRow>> {
  const where = and(isLive, ownedAs(metaFields, query), filtersOf(query))
  const page = { page: query.page, size: query.size }
  if (!query.keyword) return pageOf(db, metaFields, { where, orderBy: [desc(metaFields.id)], page })
  return searchPage<FieldRow>(
    db,
    {
      table: metaFields,
      scope: undefined,
      order: [metaFields.id],
      isReversed: true,
      where,
      select: (from) => from.select().from(metaFields).$dynamic() as never,
    },
    page,
  )
}

const byId = prepared((db) =>
  db
    .select()
    .from(metaFields)
    .where(and(eq(metaFields.id, p('id')), isLive)),
)

/** Any owner's: the caller checks whose it is. */
export const findField = async (db: Db | Tx, id: number): Promise<FieldRow | undefined> => (await byId(db, { id }))[0]

/** Fields of the object that belong to one of the owners, in no particular order. */
export async function fieldsWithIds(
  db: Db | Tx,
  objectName: string,
  owners: readonly number[],
  ids: readonly number[],
): Promise<FieldRow[]> {
  if (ids.length === 0) return []
  return db
    .select()
    .from(metaFields)
    .where(
      and(
        inArray(metaFields.id, [...ids]),
        eq(metaFields.objectName, objectName),
        inArray(metaFields.owner, [...owners]),
        isLive,
      ),
    )
}

const ofOwner = (objectName: string, owner: number): SQL | undefined =>
  and(eq(metaFields.objectName, objectName), eq(metaFields.owner, owner), isLive)

export interface FieldUsage {
  readonly n: number
  /** Characters of the configurations. */
  readonly characters: number
  /** Those of the COMPUTED fields. */
  readonly formulas: number
}

/** How many fields the owner has of the object, and the characters of their configurations. `exceptId`: without this field. */
export async function fieldUsage(db: Tx, objectName: string, owner: number, exceptId = 0): Promise<FieldUsage> {
  const size = sql`length(${metaFields.config})`
  const sizeOfFormula = sql`case when ${metaFields.type} = 'COMPUTED' then ${size} else 0 end`
  const [row] = await db
    .select({
      n: count(),
      characters: sql`coalesce(sum(${size}), 0)`.mapWith(Number),
      formulas: sql`coalesce(sum(${sizeOfFormula}), 0)`.mapWith(Number),
    })
    .from(metaFields)
    .where(and(ofOwner(objectName, owner), ne(metaFields.id, exceptId)))
  return row!
}

export const fieldWithKey = async (
  db: Tx,
  objectName: string,
  owner: number,
  key: string,
): Promise<FieldRow | undefined> =>
  (
    await db
      .select()
      .from(metaFields)
      .where(and(ofOwner(objectName, owner), eq(metaFields.key, key)))
  )[0]

/** The keys by which formulas of the owner's fields name fields. The owner's own come last, so that they replace the wider ones. */
export async function keysFor(db: Tx, objectName: string, owner: number): Promise<Map<string, number>> {
  const rows = await db
    .select({ id: metaFields.id, key: metaFields.key })
    .from(metaFields)
    .where(and(eq(metaFields.objectName, objectName), inArray(metaFields.owner, [GLOBAL, owner]), isLive))
    .orderBy(widestFirst(metaFields.owner))
  return new Map(rows.map((row) => [row.key, row.id]))
}

export const columnIsTaken = async (db: Tx, objectName: string, column: FieldRow['entityColumn']): Promise<boolean> => {
  const rows = await db
    .select({ id: metaFields.id })
    .from(metaFields)
    .where(and(eq(metaFields.objectName, objectName), eq(metaFields.entityColumn, column!), isLive))
    .limit(1)
  return rows.length > 0
}

export type NewField = Pick<
  FieldRow,
  'objectName' | 'owner' | 'name' | 'type' | 'entityColumn' | 'config' | 'description' | 'sortOrder'
> & { readonly key: string | undefined }

/** A field without a key gets `f` and its id. The caller has checked that a given key and column are free. */
export async function insertField(tx: Tx, { key, ...values }: NewField): Promise<FieldRow> {
  const [row] = await tx
    .insert(metaFields)
    // No key of a client is empty.
    .values({ ...values, key: key ?? '', createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  if (key !== undefined) return row!
  let generated = `f${row!.id}`
  // Somebody chose this key for another field before.
  while (await fieldWithKey(tx, row!.objectName, row!.owner, generated)) generated += 'x'
  await tx.update(metaFields).set({ key: generated }).where(eq(metaFields.id, row!.id))
  return { ...row!, key: generated }
}

export async function updateField(tx: Tx, row: FieldRow, change: Partial<FieldRow>): Promise<FieldRow> {
  const changed = { ...change, version: row.version + 1, updatedAt: tx.stamp }
  await tx
    .update(metaFields)
    .set(changed)
    .where(and(eq(metaFields.id, row.id), eq(metaFields.owner, row.owner)))
  return { ...row, ...changed }
}

/** Its values stay. Templates no longer show it, because they show live fields only. */
export async function deleteField(tx: Tx, row: FieldRow): Promise<void> {
  await updateField(tx, row, { deletedAt: tx.stamp })
  await setFormulaUses(tx, row.id, [])
}

export async function setFormulaUses(tx: Tx, fieldId: number, usesIds: readonly number[]): Promise<void> {
  await tx.delete(metaFormulaUses).where(eq(metaFormulaUses.fieldId, fieldId))
  if (usesIds.length > 0) await tx.insert(metaFormulaUses).values(usesIds.map((usesId) => ({ fieldId, usesId })))
}

/** For each COMPUTED field of the owner and of scope GLOBAL: the fields that its formula names. */
export async function formulaUses(db: Db | Tx, objectName: string, owner: number): Promise<Map<number, number[]>> {
  const rows = await db
    .select({ fieldId: metaFormulaUses.fieldId, usesId: metaFormulaUses.usesId })
    .from(metaFields)
    .innerJoin(metaFormulaUses, eq(metaFormulaUses.fieldId, metaFields.id))
    .where(and(eq(metaFields.objectName, objectName), inArray(metaFields.owner, [GLOBAL, owner]), isLive))
  const uses = new Map<number, number[]>()
  for (const { fieldId, usesId } of rows) uses.set(fieldId, [...(uses.get(fieldId) ?? []), usesId])
  return uses
}
