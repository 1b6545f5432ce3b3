import { and, asc, desc, eq, inArray, isNull, or, type SQL } from 'drizzle-orm'

import { contains, someContains } from '#db/contains.ts'
import { type Page, pageOf, sortBy } from '#db/paging.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Db } from '#db/store.ts'

import type { ListQuery } from '../codes/model.ts'
import { ownedBy, type QrCodeRow } from '../codes/store.ts'
import type { Owner } from '../owner.ts'

export function inCategories(ids: CategoryIds): SQL | undefined {
  if (ids === undefined) return undefined
  return ids === null ? isNull(qrCodes.categoryId) : inArray(qrCodes.categoryId, [...ids])
}

/** The categories a list is about; null: codes in none; undefined: all codes. */
export type CategoryIds = readonly number[] | null | undefined

export function filteredPage(
  db: Db,
  owner: Owner,
  query: ListQuery,
  categoryIds: CategoryIds,
): Promise<Page<QrCodeRow>> {
  return pageOf(db, qrCodes, {
    where: filterOf(owner, query, categoryIds),
    orderBy: query.sort === undefined ? inListOrder : sortBy(qrCodes, query.sort),
    page: query,
  })
}

function filterOf(owner: Owner, query: ListQuery, categoryIds: CategoryIds): SQL | undefined {
  const { keyword, contentType, isPublic, pinned } = query
  return and(
    ownedBy(owner),
    isNull(qrCodes.deletedAt),
    inCategories(categoryIds),
    contentType === undefined ? undefined : eq(qrCodes.contentType, contentType),
    isPublic === undefined ? undefined : eq(qrCodes.isPublic, isPublic),
    pinned === undefined ? undefined : eq(qrCodes.pinned, pinned),
    keyword
      ? or(
          ...[qrCodes.name, qrCodes.content, qrCodes.remark].map((column) => contains(column, keyword)),
          someContains(qrCodes.tags, keyword),
        )
      : undefined,
  )
}

/** The interface's order (spec §4.2), made total. */
export const inListOrder = [desc(qrCodes.pinned), asc(qrCodes.sortOrder), asc(qrCodes.createdAt), asc(qrCodes.id)]
