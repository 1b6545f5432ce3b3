import { and, eq, inArray, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm'

import { pagedTable } from '#db/lists.ts'
import type { Page, PageInput } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { organizations } from '#db/schema/orgs.ts'
import { qrCodes, scanRecords } from '#db/schema/qr-codes.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

import type { Owner } from '../owner.ts'
import type { ListQuery } from './model.ts'

export type QrCodeRow = typeof qrCodes.$inferSelect
/** What makes a new row; the rest is the database's or begins at nothing. */
export type NewRow = Pick<
  QrCodeRow,
  'uuid' | 'name' | 'content' | 'contentType' | 'categoryId' | 'tags' | 'remark' | 'style' | 'isPublic'
>
export type Change = Partial<
  Omit<QrCodeRow, 'id' | 'uuid' | 'userId' | 'orgId' | 'createdAt' | 'version' | 'updatedAt'>
>

const p = sql.placeholder

const listed = pagedTable(qrCodes, [
  'id',
  'userId',
  'orgId',
  'deletedAt',
  'pinned',
  'sortOrder',
  'name',
  'scanCount',
  'createdAt',
  'updatedAt',
])

const lists = {
  orders: {
    standard: ['pinned', 'sortOrder', 'createdAt', 'id'],
    name: ['name', 'id'],
    createdAt: ['createdAt', 'id'],
    updatedAt: ['updatedAt', 'id'],
    scanCount: ['scanCount', 'id'],
  },
  sort: 'standard',
  select: (db: Builders) => db.select().from(qrCodes).$dynamic(),
} as const

const ofUser = listed.list({ owner: ['userId'], where: { orgId: 0, deletedAt: null }, ...lists })
const ofOrganization = listed.list({ owner: ['orgId'], where: { deletedAt: null }, whereNot: { orgId: 0 }, ...lists })

/** All codes of the owner outside the trash. */
export const codesPage = (
  db: Db,
  { userId, orgId }: Owner,
  page: PageInput & { sort?: ListQuery['sort'] },
): Promise<Page<QrCodeRow>> =>
  orgId === 0 ? ofUser.page(db, { userId }, page) : ofOrganization.page(db, { orgId }, page)

/** Number of codes of the owner outside the trash. */
export const countCodes = async (db: Db, owner: Owner): Promise<number> =>
  (await codesPage(db, owner, { page: 1, size: 1 })).total

/** All codes of an organization. The literal 0 lets the planner use the partial indexes for organizations. */
export const inOrganization = (orgId: number): SQL | undefined =>
  and(eq(qrCodes.orgId, orgId), ne(qrCodes.orgId, 0).inlineParams())

/** The user's own codes, or all codes of the organization. */
export const ownedBy = ({ userId, orgId }: Owner): SQL | undefined =>
  orgId === 0 ? and(eq(qrCodes.userId, userId), eq(qrCodes.orgId, 0)) : inOrganization(orgId)

const personalById = prepared((db) =>
  db
    .select()
    .from(qrCodes)
    .where(
      and(eq(qrCodes.id, p('id')), eq(qrCodes.userId, p('userId')), eq(qrCodes.orgId, 0), isNull(qrCodes.deletedAt)),
    ),
)
const organizationsById = prepared((db) =>
  db
    .select()
    .from(qrCodes)
    .where(and(eq(qrCodes.id, p('id')), eq(qrCodes.orgId, p('orgId')), isNull(qrCodes.deletedAt))),
)

/** Undefined when it is not the owner's or in the trash. */
export async function findCode(db: Db | Tx, { userId, orgId }: Owner, id: number): Promise<QrCodeRow | undefined> {
  const rows = orgId === 0 ? await personalById(db, { id, userId }) : await organizationsById(db, { id, orgId })
  return rows[0]
}

const insert = prepared((db) =>
  db
    .insert(qrCodes)
    .values({
      uuid: p('uuid'),
      userId: p('userId'),
      orgId: p('orgId'),
      name: p('name'),
      content: p('content'),
      contentType: p('contentType'),
      categoryId: p('categoryId'),
      tags: p('tags'),
      remark: p('remark'),
      style: p('style'),
      isPublic: p('isPublic'),
      createdAt: p('now'),
      updatedAt: p('now'),
    })
    .returning({ id: qrCodes.id }),
)

export async function insertCode(tx: Tx, owner: Owner, row: NewRow): Promise<QrCodeRow> {
  const now = tx.stamp
  const [inserted] = await insert(tx, { ...row, userId: owner.userId, orgId: owner.orgId, now })
  const code = {
    ...row,
    id: inserted!.id,
    userId: owner.userId,
    orgId: owner.orgId,
    pinned: false,
    sortOrder: 0,
    scanCount: 0,
    version: 1,
    deletedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  listed.inserted(tx, code)
  return code
}

/** `row`: as read in this write. */
export async function updateCode(tx: Tx, owner: Owner, row: QrCodeRow, change: Change): Promise<QrCodeRow> {
  const changed = { ...change, version: row.version + 1, updatedAt: tx.stamp }
  await tx
    .update(qrCodes)
    .set(changed)
    .where(and(ownedBy(owner), eq(qrCodes.id, row.id)))
    .returning({ id: qrCodes.id })
  const after = { ...row, ...changed }
  listed.updated(tx, row, after)
  return after
}

const addToScans = prepared((db) =>
  db
    .update(qrCodes)
    .set({ scanCount: sql`${qrCodes.scanCount} + ${p('count')}` })
    .where(eq(qrCodes.id, p('id')))
    .returning(listed.columns),
)

/** Adds to the number of scans. This is not a change of the code: its version and `updatedAt` stay. */
export async function addScans(tx: Tx, id: number, count: number): Promise<void> {
  const [row] = await addToScans(tx, { id, count })
  if (row) listed.updated(tx, { ...row, scanCount: row.scanCount - count }, row)
}

/** Moves the codes of a category, also those in the trash, to no category. */
export async function clearCategory(tx: Tx, owner: Owner, categoryId: number): Promise<void> {
  // Two statements, so that each finds its rows by the index that begins with owner and deletion.
  for (const deletion of [isNull(qrCodes.deletedAt), isNotNull(qrCodes.deletedAt)]) {
    const where = and(ownedBy(owner), deletion, eq(qrCodes.categoryId, categoryId))
    const before = await tx.select(listed.columns).from(qrCodes).where(where)
    await tx
      .update(qrCodes)
      .set({ categoryId: null, version: sql`${qrCodes.version} + 1`, updatedAt: tx.stamp })
      .where(where)
      .returning({ id: qrCodes.id })
    for (const row of before) listed.updated(tx, row, { ...row, updatedAt: tx.stamp })
  }
}

/** Deletes the codes for good. Their scan records stay, without the link. Returns how many there were. */
export async function purgeCodes(tx: Tx, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0
  await tx
    .update(scanRecords)
    .set({ qrCodeId: null })
    .where(inArray(scanRecords.qrCodeId, [...ids]))
  const rows = await tx
    .delete(qrCodes)
    .where(inArray(qrCodes.id, [...ids]))
    .returning(listed.columns)
  for (const row of rows) listed.deleted(tx, row)
  return rows.length
}

/** Whether the owner has at least `limit` codes outside the trash. Looks at no more of them than that. */
export async function hasAtLeast(db: Db | Tx, owner: Owner, limit: number): Promise<boolean> {
  if (limit <= 0) return true
  const rows = await db
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(ownedBy(owner), isNull(qrCodes.deletedAt)))
    .limit(1)
    .offset(limit - 1)
  return rows.length > 0
}

const organizationById = prepared((db) =>
  db
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.id, sql.placeholder('id'))),
)

export const organizationExists = async (tx: Tx, id: number): Promise<boolean> =>
  (await organizationById(tx, { id })).length > 0
