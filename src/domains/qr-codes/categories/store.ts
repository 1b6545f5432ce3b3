import { and, asc, count, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { type Page, plainPage } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { categories, qrCodes } from '#db/schema/qr-codes.ts'
import type { Db, Tx } from '#db/store.ts'

import { clearCategory } from '../codes/store.ts'
import type { ListQuery } from './model.ts'

export type CategoryRow = typeof categories.$inferSelect
type NewCategory = Omit<typeof categories.$inferInsert, 'id' | 'userId'>
type Change = Partial<Pick<CategoryRow, 'name' | 'color' | 'parentId' | 'pinned' | 'sortOrder'>>

const of = (userId: number, ...more: (SQL | undefined)[]) => and(eq(categories.userId, userId), ...more)

/** The interface's order (spec §4.2), made total. */
const inOrder = [desc(categories.pinned), asc(categories.sortOrder), asc(categories.createdAt), asc(categories.id)]

export async function findCategory(db: Db | Tx, userId: number, id: number): Promise<CategoryRow | undefined> {
  const [row] = await db
    .select()
    .from(categories)
    .where(of(userId, eq(categories.id, id)))
  return row
}

export const findCategories = (db: Db | Tx, userId: number, ids: readonly number[]): Promise<CategoryRow[]> =>
  db
    .select()
    .from(categories)
    .where(of(userId, inArray(categories.id, [...ids])))

export const allCategories = (db: Db | Tx, userId: number): Promise<CategoryRow[]> =>
  db
    .select()
    .from(categories)
    .where(of(userId))
    .orderBy(...inOrder)

export async function countCategories(db: Db | Tx, userId: number): Promise<number> {
  const [row] = await db.select({ n: count() }).from(categories).where(of(userId))
  return row!.n
}

export function categoriesPage(db: Db, userId: number, query: ListQuery): Promise<Page<CategoryRow>> {
  const where = of(
    userId,
    query.parentId === undefined ? undefined : under(query.parentId),
    query.keyword ? contains(categories.name, query.keyword) : undefined,
  )
  return plainPage(
    query,
    (limit, offset) =>
      db
        .select()
        .from(categories)
        .where(where)
        .orderBy(...orderOf(query.sort))
        .limit(limit)
        .offset(offset),
    () => db.select({ n: count() }).from(categories).where(where),
  )
}

function orderOf(sort: ListQuery['sort']): SQL[] {
  if (sort === undefined) return inOrder
  const [field, direction] = sort.startsWith('-') ? [sort.slice(1), desc] : [sort, asc]
  return [direction(categories[field as 'name' | 'createdAt' | 'sortOrder']), direction(categories.id)]
}

const under = (parentId: number) => (parentId === 0 ? isNull(categories.parentId) : eq(categories.parentId, parentId))

/** Direct children of any of `parents`. */
export async function childIds(db: Db | Tx, userId: number, parents: readonly number[]): Promise<number[]> {
  if (parents.length === 0) return []
  const rows = await db
    .select({ id: categories.id })
    .from(categories)
    .where(of(userId, inArray(categories.parentId, [...parents])))
  return rows.map((row) => row.id)
}

/** Live personal codes directly in each of `ids`; a category without any is missing. */
export async function codeCounts(db: Db | Tx, userId: number, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: qrCodes.categoryId, n: count() })
    .from(qrCodes)
    .where(and(liveCodesOf(userId), inArray(qrCodes.categoryId, [...ids])))
    .groupBy(qrCodes.categoryId)
  return new Map(rows.map((row) => [row.id!, row.n]))
}

const liveCodesOf = (userId: number) => and(eq(qrCodes.userId, userId), eq(qrCodes.orgId, 0), isNull(qrCodes.deletedAt))

export async function insertCategory(tx: Tx, userId: number, values: NewCategory): Promise<CategoryRow> {
  const [row] = await tx
    .insert(categories)
    .values({ ...values, userId })
    .returning()
  return row!
}

export async function updateCategory(
  tx: Tx,
  userId: number,
  id: number,
  change: Change,
): Promise<CategoryRow | undefined> {
  const [row] = await tx
    .update(categories)
    .set({ ...change, updatedAt: tx.stamp })
    .where(of(userId, eq(categories.id, id)))
    .returning()
  return row
}

const place = prepared((db) =>
  db
    .update(categories)
    .set({ sortOrder: sql`${sql.placeholder('sortOrder')}`, updatedAt: sql`${sql.placeholder('now')}` })
    .where(and(eq(categories.userId, sql.placeholder('userId')), eq(categories.id, sql.placeholder('id')))),
)

export async function placeCategory(tx: Tx, userId: number, id: number, sortOrder: number): Promise<void> {
  await place(tx, { userId, id, sortOrder, now: tx.stamp })
}

export async function pinCategories(tx: Tx, userId: number, ids: readonly number[], pinned: boolean): Promise<number> {
  const rows = await tx
    .update(categories)
    .set({ pinned, updatedAt: tx.stamp })
    .where(of(userId, inArray(categories.id, [...ids])))
    .returning({ id: categories.id })
  return rows.length
}

/** The category goes, its codes (also those in the trash) move to none. Sub-categories are the caller's to look for first. */
export async function deleteCategory(tx: Tx, userId: number, id: number): Promise<void> {
  await clearCategory(tx, { userId, orgId: 0 }, id)
  await tx.delete(categories).where(of(userId, eq(categories.id, id)))
}
