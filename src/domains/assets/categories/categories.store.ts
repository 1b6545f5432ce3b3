import { and, asc, count, eq, exists, gt, inArray, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { isOneOf } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { orgOf } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { assetMaintenanceWork } from '#db/schema/asset-maintenance.ts'
import { assetCategories, assetCategoryCleanUps, assetCategoryTemplates, assets } from '#db/schema/assets.ts'
import { metaTemplates } from '#db/schema/meta.ts'
import type { Booking } from '#db/schema/reservations.ts'
import { supplies } from '#db/schema/supplies.ts'
import { isAmongFirst } from '#db/slices.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { recordDeleted, tombstoneOf } from '#db/tombstones.ts'
import { treeIn } from '#db/tree.ts'
import { within } from '#domains/admin/index.ts'
import type { SyncRevival } from '#domains/contributions.ts'

import { updateRows } from '../register/register.store.ts'
import { type AllAssetCategoriesQuery, MAX_DEPTH } from './categories.model.ts'
import type { Node, Templates } from './categories.rules.ts'

export type CategoryRow = typeof assetCategories.$inferSelect

export const versionOfCategory = versionIn(assetCategories)

const p = sql.placeholder

export const assetCategoryTree = treeIn(assetCategories, {
  owner: assetCategories.owner,
  maxDepth: MAX_DEPTH,
  deletedAt: assetCategories.deletedAt,
})

const isLive = isNull(assetCategories.deletedAt)

const byId = prepared((db) =>
  db
    .select()
    .from(assetCategories)
    .where(and(eq(assetCategories.id, p('id')), isLive)),
)

/** A category of any owner, for administrators. */
export const findAnyCategory = async (db: Db | Tx, id: number): Promise<CategoryRow | undefined> =>
  (await byId(db, { id }))[0]

/** The organization of a category: 0 for a personal one, undefined if there is none with this id. */
export async function organizationOfCategory(db: Db, id: number): Promise<number | undefined> {
  const row = await findAnyCategory(db, id)
  return row && orgOf(row.owner)
}

/** The columns that a request sets. */
export type CategoryFields = Pick<
  CategoryRow,
  'name' | 'color' | 'shared' | 'parentId' | 'pinned' | 'sortOrder' | 'depreciation' | 'countEveryMonths' | 'booking'
>

/** `revived`: the id and the version of a category that was deleted permanently and comes back. */
export async function insertCategory(
  tx: Tx,
  owner: OwnerKey,
  values: Pick<CategoryRow, 'userId' | 'name' | 'color' | 'parentId' | 'shared'> & Partial<CategoryFields>,
  revived?: SyncRevival,
): Promise<CategoryRow> {
  const [row] = await tx
    .insert(assetCategories)
    .values({ ...values, ...revived, owner, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

const raised = (tx: Tx) => ({ version: sql`${assetCategories.version} + 1`, updatedAt: tx.stamp })

/** Also of a deleted category. Raises the version, whatever `change` contains. */
export async function updateCategory(
  tx: Tx,
  owner: OwnerKey,
  id: number,
  change: Partial<CategoryFields & Pick<CategoryRow, 'deletedAt'>>,
): Promise<CategoryRow> {
  const [row] = await tx
    .update(assetCategories)
    .set({ ...change, ...raised(tx) })
    .where(and(eq(assetCategories.owner, owner), eq(assetCategories.id, id)))
    .returning()
  return row!
}

/** The caller has checked that it exists, and takes its assets out. */
export async function deleteCategory(tx: Tx, owner: OwnerKey, id: number): Promise<CategoryRow> {
  await tx.delete(assetCategoryTemplates).where(eq(assetCategoryTemplates.categoryId, id))
  return updateCategory(tx, owner, id, { deletedAt: tx.stamp })
}

/** The columns that decide who sees the categories of an organization. */
export const categoryNodes = (db: Db | Tx, owner: OwnerKey): Promise<Node[]> =>
  db
    .select({
      id: assetCategories.id,
      parentId: assetCategories.parentId,
      shared: assetCategories.shared,
      userId: assetCategories.userId,
    })
    .from(assetCategories)
    .where(and(eq(assetCategories.owner, owner), isLive))

/** Clients that synchronize get these categories, although they have not changed: other users see them now. */
export async function stampCategories(tx: Tx, owner: OwnerKey, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .update(assetCategories)
    .set({ updatedAt: tx.stamp })
    .where(and(eq(assetCategories.owner, owner), isOneOf(assetCategories.id, ids)))
}

/** Moves the categories directly below one to its parent. Returns their number. */
export async function moveChildren(tx: Tx, owner: OwnerKey, id: number, parentId: number | null): Promise<number> {
  const moved = await tx
    .update(assetCategories)
    .set({ parentId, ...raised(tx) })
    .where(and(eq(assetCategories.owner, owner), isLive, eq(assetCategories.parentId, id)))
    .returning({ id: assetCategories.id })
  return moved.length
}

/** Deletes all categories of an organization that is being dissolved, and what remains of those that were deleted before. */
export async function deleteOfOrg(tx: Tx, orgId: number): Promise<void> {
  const ids = tx.select({ id: assetCategories.id }).from(assetCategories).where(eq(assetCategories.owner, orgId))
  await tx.delete(assetCategoryTemplates).where(inArray(assetCategoryTemplates.categoryId, ids))
  await tx.delete(assetCategoryCleanUps).where(eq(assetCategoryCleanUps.owner, orgId))
  await tx.delete(assetMaintenanceWork).where(eq(assetMaintenanceWork.owner, orgId))
  const { id, version, deletedAt } = assetCategories
  const deleted = await tx
    .delete(assetCategories)
    .where(eq(assetCategories.owner, orgId))
    .returning({ id, version, deletedAt })
  await recordDeleted(
    tx,
    'assetCategory',
    deleted.map((row) => tombstoneOf(orgId, row)),
  )
}

// Templates.

/** A template that is being deleted is taken off categories in steps, and is no longer shown meanwhile. */
const isTemplateLive = and(eq(metaTemplates.id, assetCategoryTemplates.templateId), isNull(metaTemplates.deletedAt))

/** The templates of categories. Those without any are left out. */
export async function categoryTemplates(db: Db | Tx, categoryIds: readonly number[]): Promise<Map<number, Templates>> {
  if (categoryIds.length === 0) return new Map()
  const rows = await db
    .select({
      categoryId: assetCategoryTemplates.categoryId,
      templateId: assetCategoryTemplates.templateId,
      isDefault: assetCategoryTemplates.isDefault,
    })
    .from(assetCategoryTemplates)
    .innerJoin(metaTemplates, isTemplateLive)
    .where(inArray(assetCategoryTemplates.categoryId, [...categoryIds]))
    .orderBy(asc(assetCategoryTemplates.categoryId), asc(assetCategoryTemplates.position))
  const found = new Map<number, Templates>()
  for (const [categoryId, bound] of Map.groupBy(rows, (row) => row.categoryId)) {
    const templateIds = bound.map((row) => row.templateId)
    found.set(categoryId, {
      templateIds,
      defaultTemplateId: bound.find((row) => row.isDefault)?.templateId ?? templateIds[0]!,
    })
  }
  return found
}

/** The path from each category to the top level: `start` is the category, `level` 1 at itself. */
const pathsFrom = (categoryIds: readonly number[]) => sql`(
  with recursive path (start, id, parent_id, level) as (
    select id, id, parent_id, 1 from ${assetCategories} where ${inArray(sql`id`, [...categoryIds])}
    union all
    select path.start, node.id, node.parent_id, path.level + 1 from path
      join ${assetCategories} as node on node.id = path.parent_id
      where path.level < ${sql.raw(String(MAX_DEPTH))}
  ) select start, id, level from path) as path`

/**
 * The templates of each category; a category without templates has those of its nearest ancestor with templates. The default one comes
 * first, then the others in their order. Categories for which there are none are left out.
 */
export async function templateIdsOfMany(
  db: Db | Tx,
  categoryIds: readonly number[],
): Promise<Map<number, readonly number[]>> {
  if (categoryIds.length === 0) return new Map()
  const paths = await db
    .select({
      start: sql`start`.mapWith(Number),
      id: sql`id`.mapWith(Number),
    })
    .from(pathsFrom([...new Set(categoryIds)]))
    .orderBy(sql`level`)
  const templates = await categoryTemplates(db, [...new Set(paths.map((row) => row.id))])
  const found = new Map<number, readonly number[]>()
  for (const { start, id } of paths) {
    const own = templates.get(id)
    if (own === undefined || found.has(start)) continue
    const { templateIds, defaultTemplateId } = own
    found.set(start, [defaultTemplateId!, ...templateIds.filter((templateId) => templateId !== defaultTemplateId)])
  }
  return found
}

/** How the assets of each category may be reserved. A category that does not say has the answer of its nearest ancestor that does. */
export async function bookingsOfMany(db: Db | Tx, categoryIds: readonly number[]): Promise<Map<number, Booking>> {
  if (categoryIds.length === 0) return new Map()
  const paths = await db
    .select({ start: sql`start`.mapWith(Number), booking: assetCategories.booking })
    .from(pathsFrom([...new Set(categoryIds)]))
    .innerJoin(assetCategories, eq(assetCategories.id, sql`path.id`))
    .where(isNotNull(assetCategories.booking))
    .orderBy(sql`level`)
  const found = new Map<number, Booking>()
  for (const { start, booking } of paths) if (!found.has(start)) found.set(start, booking!)
  return found
}

export const templateIdsOf = async (db: Db | Tx, categoryId: number): Promise<readonly number[]> =>
  (await templateIdsOfMany(db, [categoryId])).get(categoryId) ?? []

/** Replaces the templates of a category. */
export async function setTemplates(
  tx: Tx,
  categoryId: number,
  { templateIds, defaultTemplateId }: Templates,
): Promise<void> {
  await tx.delete(assetCategoryTemplates).where(eq(assetCategoryTemplates.categoryId, categoryId))
  if (templateIds.length === 0) return
  await tx.insert(assetCategoryTemplates).values(
    templateIds.map((templateId, position) => ({
      categoryId,
      templateId,
      position,
      isDefault: templateId === defaultTemplateId,
    })),
  )
}

/** Takes a template off at most `limit` categories, whose versions rise. Returns their number. */
export async function dropTemplate(tx: Tx, templateId: number, limit: number): Promise<number> {
  const rows = await tx
    .select({ categoryId: assetCategoryTemplates.categoryId })
    .from(assetCategoryTemplates)
    .where(eq(assetCategoryTemplates.templateId, templateId))
    .limit(limit)
  if (rows.length === 0) return 0
  const ids = rows.map((row) => row.categoryId)
  await tx
    .delete(assetCategoryTemplates)
    .where(and(eq(assetCategoryTemplates.templateId, templateId), inArray(assetCategoryTemplates.categoryId, ids)))
  await tx.update(assetCategories).set(raised(tx)).where(inArray(assetCategories.id, ids))
  return rows.length
}

/** A deleted template that is still bound to categories. */
export async function firstDeletedTemplate(db: Db): Promise<number | undefined> {
  const bound = db
    .select({ id: assetCategoryTemplates.categoryId })
    .from(assetCategoryTemplates)
    .where(eq(assetCategoryTemplates.templateId, metaTemplates.id))
  const [row] = await db
    .select({ id: metaTemplates.id })
    .from(metaTemplates)
    .where(and(isNotNull(metaTemplates.deletedAt), exists(bound)))
    .limit(1)
  return row?.id
}

// Assets.

const liveAssets = (owner: OwnerKey, inCategory: SQL | undefined) =>
  and(eq(assets.owner, owner), isNull(assets.deletedAt), inCategory)

/** Whether more than `limit` assets of the owner are in a category. Reads at most that many rows of an index. */
export async function hasMoreAssets(db: Db, owner: OwnerKey, limit: number): Promise<boolean> {
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(liveAssets(owner, isNotNull(assets.categoryId)))
    .limit(1)
    .offset(limit)
  return rows.length > 0
}

const grouped = (db: Db, where: SQL | undefined) =>
  db.select({ id: assets.categoryId, n: count() }).from(assets).where(where).groupBy(assets.categoryId)

/** Number of assets directly in each category of the owner, or in some of them. Categories without assets are left out. */
export async function assetCounts(db: Db, owner: OwnerKey, ...ids: readonly number[]): Promise<Map<number, number>> {
  const inCategory = ids.length === 0 ? isNotNull(assets.categoryId) : inArray(assets.categoryId, [...ids])
  return new Map((await grouped(db, liveAssets(owner, inCategory))).map((row) => [row.id!, row.n]))
}

/** The same for categories of any owners. */
export async function assetCountsOf(db: Db, rows: readonly CategoryRow[]): Promise<Map<number, number>> {
  if (rows.length === 0) return new Map()
  const where = or(...rows.map((row) => liveAssets(row.owner, eq(assets.categoryId, row.id))))
  return new Map((await grouped(db, where)).map((row) => [row.id!, row.n]))
}

/** Takes at most `limit` assets and supplies out of a category; their versions rise. Returns their number. */
export async function clearCategory(tx: Tx, owner: OwnerKey, categoryId: number, limit: number): Promise<number> {
  const inCategory = and(eq(supplies.owner, owner), eq(supplies.categoryId, categoryId))
  const cleared = await tx
    .update(supplies)
    .set({ categoryId: null, version: sql`${supplies.version} + 1` })
    .where(isAmongFirst(tx, supplies, { where: inCategory, limit }))
    .returning({ id: supplies.id })
  if (cleared.length === limit) return limit
  const rows = await tx
    .select()
    .from(assets)
    .where(liveAssets(owner, eq(assets.categoryId, categoryId)))
    .limit(limit - cleared.length)
  await updateRows(
    tx,
    rows.map((row) => ({ row, change: { categoryId: null } })),
  )
  return cleared.length + rows.length
}

/** Leaves the assets of a deleted category to the job. */
export async function insertCleanUp(tx: Tx, owner: OwnerKey, categoryId: number): Promise<void> {
  await tx.insert(assetCategoryCleanUps).values({ owner, categoryId })
}

export async function deleteCleanUp(tx: Tx, categoryId: number): Promise<void> {
  await tx.delete(assetCategoryCleanUps).where(eq(assetCategoryCleanUps.categoryId, categoryId))
}

export type CleanUp = typeof assetCategoryCleanUps.$inferSelect

/** That of this category, or any. */
export async function findCleanUp(db: Db | Tx, categoryId?: number): Promise<CleanUp | undefined> {
  const where = categoryId === undefined ? undefined : eq(assetCategoryCleanUps.categoryId, categoryId)
  return (await db.select().from(assetCategoryCleanUps).where(where).limit(1))[0]
}

// Administration.

export const allCategories = ({ scope, orgId, userId, keyword, from, to, sort }: AllAssetCategoriesQuery) => ({
  table: assetCategories,
  scope: and(
    isLive,
    orgId === undefined ? undefined : eq(assetCategories.owner, orgId),
    within(assetCategories.createdAt, { from, to }),
  ),
  where: and(
    scope && (scope === 'ORG' ? gt(assetCategories.owner, 0) : lt(assetCategories.owner, 0)),
    userId === undefined ? undefined : eq(assetCategories.userId, userId),
    keyword ? contains(assetCategories.name, keyword) : undefined,
  ),
  order: [assetCategories.createdAt, assetCategories.id],
  isReversed: sort !== 'createdAt',
  select: (db: Pick<Builders, 'select'>) => db.select().from(assetCategories).$dynamic(),
})
