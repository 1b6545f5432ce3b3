import { and, eq } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { orgShares } from '#db/schema/shares.ts'
import { type AdminList, within } from '#domains/admin/index.ts'

import { copyName, type ShareRow, sharesWithNames } from '../shares.store.ts'
import type { AdminSharesQuery } from './shares.admin.model.ts'

/** Ids grow with `createdAt`, which has no index. */
export const filteredShares = (query: AdminSharesQuery): AdminList<ShareRow> => {
  const { entityType, keyword, userId, orgId, sort } = query
  return {
    table: orgShares,
    scope: orgId === undefined ? undefined : eq(orgShares.orgId, orgId),
    where: and(
      entityType === undefined ? undefined : eq(orgShares.entityType, entityType),
      userId === undefined ? undefined : eq(orgShares.sharedBy, userId),
      within(orgShares.createdAt, query),
      keyword ? contains(copyName, keyword) : undefined,
    ),
    order: [orgShares.id],
    isReversed: sort !== 'createdAt',
    select: sharesWithNames,
  }
}
