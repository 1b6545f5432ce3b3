import { and, asc, count, desc, eq } from 'drizzle-orm'

import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { versionIn } from '#db/row-version.ts'
import { assetImportMappings, type ImportKind } from '#db/schema/asset-imports.ts'
import type { Db, Tx } from '#db/store.ts'

export type MappingRow = typeof assetImportMappings.$inferSelect
export type MappingValues = Pick<MappingRow, 'name' | 'nameKey' | 'headings' | 'headingsKey' | 'options'>

export const versionOfMapping = versionIn(assetImportMappings)

const one = (owner: OwnerKey, id: number) => and(eq(assetImportMappings.owner, owner), eq(assetImportMappings.id, id))

const ofKind = (owner: OwnerKey, kind: ImportKind) =>
  and(eq(assetImportMappings.owner, owner), eq(assetImportMappings.kind, kind))!

/** Undefined if it belongs to another owner. */
export async function findMapping(db: Db | Tx, owner: OwnerKey, id: number): Promise<MappingRow | undefined> {
  const [row] = await db.select().from(assetImportMappings).where(one(owner, id))
  return row
}

/** The organization of a mapping: 0 for a personal one, undefined for an unknown id. */
export async function organizationOfMapping(db: Db, id: number): Promise<number | undefined> {
  const [row] = await db
    .select({ owner: assetImportMappings.owner })
    .from(assetImportMappings)
    .where(eq(assetImportMappings.id, id))
  return row && orgOf(row.owner)
}

/** In the order of their names. An owner has at most 50. */
export const mappingsPage = (db: Db, owner: OwnerKey, kind: ImportKind, page: PageInput): Promise<Page<MappingRow>> =>
  pageOf(db, assetImportMappings, {
    where: ofKind(owner, kind),
    orderBy: [asc(assetImportMappings.nameKey)],
    page,
  })

/** The latest one with these headings. */
export async function mappingFor(db: Db, owner: OwnerKey, kind: ImportKind, headingsKey: string) {
  const [row] = await db
    .select({ id: assetImportMappings.id, name: assetImportMappings.name })
    .from(assetImportMappings)
    .where(and(ofKind(owner, kind), eq(assetImportMappings.headingsKey, headingsKey)))
    .orderBy(desc(assetImportMappings.updatedAt))
    .limit(1)
  return row
}

/** The headings of all mappings of an owner for files of this kind. */
export async function savedHeadings(db: Db, owner: OwnerKey, kind: ImportKind): Promise<string[]> {
  const rows = await db
    .select({ headings: assetImportMappings.headings })
    .from(assetImportMappings)
    .where(ofKind(owner, kind))
  return rows.flatMap(({ headings }) => headings)
}

export async function countMappings(tx: Tx, owner: OwnerKey): Promise<number> {
  const [row] = await tx.select({ n: count() }).from(assetImportMappings).where(eq(assetImportMappings.owner, owner))
  return row!.n
}

/** Violates the index `asset_import_mappings_name` if another mapping of the owner has the name. */
export async function insertMapping(
  tx: Tx,
  owner: OwnerKey,
  values: MappingValues & Pick<MappingRow, 'kind' | 'createdBy'>,
): Promise<MappingRow> {
  const [row] = await tx
    .insert(assetImportMappings)
    .values({ ...values, owner, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

/** `row` must have been read in this write. Without a value that differs nothing is written. Violates the index like `insertMapping`. */
export async function updateMapping(tx: Tx, row: MappingRow, values: MappingValues): Promise<MappingRow> {
  const { name, headings, options } = row
  if (Bun.deepEquals({ name, headings, options }, { ...values, nameKey: undefined, headingsKey: undefined })) return row
  const [after] = await tx
    .update(assetImportMappings)
    .set({ ...values, version: row.version + 1, updatedAt: tx.stamp })
    .where(one(row.owner, row.id))
    .returning()
  return after!
}

/** Returns whether there was one. */
export async function deleteMapping(tx: Tx, owner: OwnerKey, id: number): Promise<boolean> {
  const rows = await tx.delete(assetImportMappings).where(one(owner, id)).returning({ id: assetImportMappings.id })
  return rows.length > 0
}

/** When the account or the organization ends. At most 50. */
export async function deleteMappingsOf(tx: Tx, owner: OwnerKey): Promise<void> {
  await tx.delete(assetImportMappings).where(eq(assetImportMappings.owner, owner))
}
