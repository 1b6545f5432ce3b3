import { and, count, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { type Page, pageOf, sortBy } from '#db/paging.ts'
import { categories, categoryCleanUps, qrCodes } from '#db/schema/qr-codes.ts'
import type { Db, Tx } from '#db/store.ts'
import { recordDeleted } from '#db/tombstones.ts'
import { treeIn, treeOrder } from '#db/tree.ts'
import { updatedAtFor, versionFor } from '#db/updated-at.ts'
import type { MetaObject, SyncRevival } from '#domains/contributions.ts'

import { type ListQuery, MAX_DEPTH } from './categories.model.ts'

export type CategoryRow = typeof categories.$inferSelect

export const categoryTree = treeIn(categories, { owner: categories.userId, maxDepth: MAX_DEPTH })

const ownedBy = (userId: number, ...more: (SQL | undefined)[]) => and(eq(categories.userId, userId), ...more)

export function categoriesPage(db: Db, userId: number, query: ListQuery): Promise<Page<CategoryRow>> {
  const where = ownedBy(
    userId,
    query.parentId === undefined ? undefined : childOf(query.parentId),
    query.keyword ? contains(categories.name, query.keyword) : undefined,
  )
  const orderBy = query.sort === undefined ? treeOrder(categories) : sortBy(categories, query.sort)
  return pageOf(db, categories, { where, orderBy, page: query })
}

/** 0: the top level. */
const childOf = (parentId: number) => (parentId === 0 ? isNull(categories.parentId) : eq(categories.parentId, parentId))

const liveCodes = (userId: number) =>
  and(eq(qrCodes.userId, userId), eq(qrCodes.orgId, 0).inlineParams(), isNull(qrCodes.deletedAt))

/** Number of personal codes directly in each of `ids`, without the trash. Categories without codes are left out. */
export async function codeCounts(db: Db | Tx, userId: number, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  return counted(db, and(liveCodes(userId), inArray(qrCodes.categoryId, [...ids])))
}

/** The same for categories of any users. */
export async function codeCountsOf(db: Db, rows: readonly CategoryRow[]): Promise<Map<number, number>> {
  if (rows.length === 0) return new Map()
  return counted(db, or(...rows.map(({ userId, id }) => and(liveCodes(userId), eq(qrCodes.categoryId, id)))))
}

async function counted(db: Db | Tx, where: SQL | undefined): Promise<Map<number, number>> {
  const rows = await db
    .select({ id: qrCodes.categoryId, n: count() })
    .from(qrCodes)
    .where(where)
    .groupBy(qrCodes.categoryId)
  return new Map(rows.map((row) => [row.id!, row.n]))
}

/** The columns that a request sets. */
export type CategoryFields = Pick<CategoryRow, 'name' | 'color' | 'parentId' | 'pinned' | 'sortOrder'>

/** `revived`: the id and the version of a category that was deleted and comes back. */
export async function insertCategory(
  tx: Tx,
  userId: number,
  values: CategoryFields,
  revived?: SyncRevival,
): Promise<CategoryRow> {
  // Codes that it has not lost yet stay in it.
  if (revived) await deleteCleanUp(tx, revived.id)
  const [row] = await tx
    .insert(categories)
    .values({ ...values, ...revived, userId, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

/** Undefined if the user has no such category. */
export async function updateCategory(
  tx: Tx,
  userId: number,
  id: number,
  change: Partial<CategoryFields>,
): Promise<CategoryRow | undefined> {
  const [row] = await tx
    .update(categories)
    .set({
      ...change,
      version: versionFor(categories, change),
      updatedAt: updatedAtFor(categories, change, tx.stamp),
    })
    .where(ownedBy(userId, eq(categories.id, id)))
    .returning()
  return row
}

/** Deletes a category without children. Returns the version of its tombstone. */
export async function deleteCategory(tx: Tx, userId: number, id: number): Promise<number> {
  const [row] = await tx
    .delete(categories)
    .where(ownedBy(userId, eq(categories.id, id)))
    .returning({ version: categories.version })
  const version = row!.version + 1
  await recordDeleted(tx, 'category', [{ owner: -userId, id, version }])
  return version
}

export type CleanUp = typeof categoryCleanUps.$inferSelect

export async function insertCleanUp(tx: Tx, cleanUp: CleanUp): Promise<void> {
  await tx.insert(categoryCleanUps).values(cleanUp)
}

export async function deleteCleanUp(tx: Tx, categoryId: number): Promise<void> {
  await tx.delete(categoryCleanUps).where(eq(categoryCleanUps.categoryId, categoryId))
}

export async function firstCleanUp(db: Db | Tx): Promise<CleanUp | undefined> {
  return (await db.select().from(categoryCleanUps).limit(1))[0]
}

/** Moves the categories directly below one to its parent. Returns their number. */
export async function moveChildren(tx: Tx, userId: number, id: number, parentId: number | null): Promise<number> {
  const moved = await tx
    .update(categories)
    .set({ parentId, version: sql`${categories.version} + 1`, updatedAt: tx.stamp })
    .where(ownedBy(userId, eq(categories.parentId, id)))
    .returning({ id: categories.id })
  return moved.length
}

/** Categories as things that have metadata. They belong to users only, so no member of an organization sees any. */
export const categoryObject: MetaObject = {
  readPoint: 'qr_code:read',
  async findEntities(db, ids) {
    const rows = await db
      .select({ id: categories.id, userId: categories.userId, name: categories.name })
      .from(categories)
      .where(inArray(categories.id, [...ids]))
    return rows.map((row) => ({ id: row.id, owner: -row.userId, title: row.name, templateIds: [], columns: {} }))
  },
  isLive: (id) => sql`exists (select 1 from ${categories} where ${categories.id} = ${id})`,
  entities: {
    table: categories,
    id: categories.id,
    order: [categories.createdAt, categories.id],
    where: (owner) => ownedBy(-owner),
  },
}
