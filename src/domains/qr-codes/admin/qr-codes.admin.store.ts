/** Codes, scan records and categories of all users. A code of an organization belongs to the user who created it, too. */

import { and, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import type { Page } from '#db/paging.ts'
import { organizations } from '#db/schema/orgs.ts'
import { categories, qrCodes, scanRecords } from '#db/schema/qr-codes.ts'
import { qrLinks } from '#db/schema/qr-links.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { isOnHost } from '#db/web-host.ts'
import { type AdminList, within } from '#domains/admin/index.ts'

import type { CategoryRow } from '../categories/categories.store.ts'
import {
  allLive,
  allTrashed,
  containsKeyword as codeContains,
  inCategories,
  inOrganization,
  isLive,
  ownedBy,
  type QrCodeRow,
  shownCodes,
} from '../codes/codes.store.ts'
import { allScans, containsKeyword as scanContains, type ScanRow } from '../scans/scans.store.ts'
import type { AllCategoriesQuery, AllCodesQuery, AllScansQuery } from './qr-codes.admin.model.ts'

const isReversed = ({ sort }: Pick<AllCodesQuery, 'sort'>): boolean => sort !== 'createdAt'

export const allCodesPage = (db: Db, query: AllCodesQuery): Promise<Page<QrCodeRow>> =>
  (query.deleted ? allTrashed : allLive).page(db, {}, query)

/** A category that the filter selects, with its sub-categories. Its codes are found by their owner. */
export interface Branch {
  readonly ownerId: number
  readonly categoryIds: readonly number[]
}

/** More codes of one user than a search should sort again for each of its slices. */
const MANY = 5000

/** Whether the user has created more codes than a search can sort. */
export async function hasManyCodes(db: Db, userId: number): Promise<boolean> {
  const rows = await db.select({ id: qrCodes.id }).from(qrCodes).where(eq(qrCodes.userId, userId)).limit(1).offset(MANY)
  return rows.length > 0
}

/**
 * `category`: null selects the codes without a category, undefined all codes. `hasMany`: no index has the codes of a user in the order of
 * the list, so a search among few of them sorts them for each slice, and a search among many reads the codes of all users in order.
 */
export function filteredCodes(
  query: AllCodesQuery,
  category: Branch | null | undefined,
  hasMany: boolean,
): AdminList<QrCodeRow> {
  const { userId, orgId, keyword, contentType, isPublic, isDynamic, blocked, host, deleted } = query
  const others = and(
    category === null ? inCategories(null) : undefined,
    contentType === undefined ? undefined : eq(qrCodes.contentType, contentType),
    isPublic === undefined ? undefined : eq(qrCodes.isPublic, isPublic),
    isDynamic === undefined ? undefined : eq(qrCodes.isDynamic, isDynamic),
    blocked === undefined ? undefined : blocked ? isNotNull(qrCodes.blockedAt) : isNull(qrCodes.blockedAt),
    host === undefined ? undefined : leadsTo(host),
    keyword ? codeContains(keyword) : undefined,
  )
  const ofUser = userId === undefined ? undefined : eq(qrCodes.userId, userId)
  const isSearchedForUser = others !== undefined && hasMany
  return {
    table: qrCodes,
    scope: and(
      deleted ? isNotNull(qrCodes.deletedAt) : isLive,
      isSearchedForUser ? undefined : ofUser,
      orgId === undefined ? undefined : inOrganization(orgId),
      category ? and(ownedBy({ userId: category.ownerId, orgId: 0 }), inCategories(category.categoryIds)) : undefined,
    ),
    period: query,
    where: isSearchedForUser ? and(ofUser, others) : others,
    order: [qrCodes.createdAt, qrCodes.id],
    isReversed: isReversed(query),
    nulls: deleted || (orgId === undefined && !category) ? [] : [qrCodes.deletedAt],
    select: shownCodes,
  }
}

/** `host`: as `parseName` returns it. */
const leadsTo = (host: string): SQL | undefined =>
  or(
    isOnHost(qrCodes.content, host),
    sql`exists (select 1 from ${qrLinks} where ${qrLinks.qrCodeId} = ${qrCodes.id} and ${or(isOnHost(qrLinks.fallbackUrl, host), contains(qrLinks.rules, host))})`,
  )

/** The user to whom a code belongs: of an organization's, the owner of the organization. */
export async function ownerOfCode(tx: Tx, { userId, orgId }: Pick<QrCodeRow, 'userId' | 'orgId'>): Promise<number> {
  if (orgId === 0) return userId
  const [org] = await tx
    .select({ ownerId: organizations.ownerId })
    .from(organizations)
    .where(eq(organizations.id, orgId))
  return org!.ownerId
}

/** Also a code in the trash. */
export async function findAnyCode(tx: Db | Tx, id: number): Promise<QrCodeRow | undefined> {
  return (await shownCodes(tx).where(eq(qrCodes.id, id)))[0]
}

export async function findAnyCategory(db: Db | Tx, id: number): Promise<CategoryRow | undefined> {
  return (await db.select().from(categories).where(eq(categories.id, id)))[0]
}

export const allScansPage = (db: Db, query: AllScansQuery): Promise<Page<ScanRow>> => allScans.page(db, {}, query)

export function filteredScans(query: AllScansQuery): AdminList<ScanRow> {
  const { userId, qrCodeId, source, contentType, keyword } = query
  return {
    table: scanRecords,
    scope: and(
      userId === undefined ? undefined : eq(scanRecords.userId, userId),
      qrCodeId === undefined ? undefined : eq(scanRecords.qrCodeId, qrCodeId),
    ),
    period: query,
    where: and(
      source === undefined ? undefined : eq(scanRecords.source, source),
      contentType === undefined ? undefined : eq(scanRecords.contentType, contentType),
      keyword ? scanContains(keyword) : undefined,
    ),
    order: [scanRecords.createdAt, scanRecords.id],
    isReversed: isReversed(query),
    select: (db: Pick<Builders, 'select'>) => db.select().from(scanRecords).$dynamic(),
  }
}

export const allCategories = (query: AllCategoriesQuery): AdminList<CategoryRow> => ({
  table: categories,
  scope: and(
    query.userId === undefined ? undefined : eq(categories.userId, query.userId),
    // Categories are personal.
    query.orgId === undefined ? undefined : sql`1 = 0`,
  ),
  period: query,
  total:
    query.userId === undefined && query.orgId === undefined && within(categories.createdAt, query) === undefined
      ? 'categories.all'
      : undefined,
  where: query.keyword ? contains(categories.name, query.keyword) : undefined,
  order: [categories.createdAt, categories.id],
  isReversed: isReversed(query),
  select: (db: Pick<Builders, 'select'>) => db.select().from(categories).$dynamic(),
})
