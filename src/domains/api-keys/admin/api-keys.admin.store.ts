import { and, eq, gt, isNotNull, isNull, lte, or } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { users } from '#db/schema/accounts.ts'
import { apiKeys } from '#db/schema/api-keys.ts'
import { type AdminList, within } from '#domains/admin/index.ts'

import type { KeyRow } from '../api-keys.store.ts'
import type { AdminKeysQuery } from './api-keys.admin.model.ts'

/** The keys of all users. */
export function allKeys(query: AdminKeysQuery, now: number): AdminList<{ readonly key: KeyRow }> {
  const { userId, orgId, status, keyword, sort } = query
  const columns = [apiKeys.name, apiKeys.prefix, users.username, users.nickname]
  const isLive = and(isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, now))
  const hasEnded = or(isNotNull(apiKeys.revokedAt), lte(apiKeys.expiresAt, now))
  return {
    table: apiKeys,
    scope:
      userId !== undefined ? eq(apiKeys.userId, userId) : orgId === undefined ? undefined : eq(apiKeys.orgId, orgId),
    where: and(
      userId !== undefined && orgId !== undefined ? eq(apiKeys.orgId, orgId) : undefined,
      status === undefined ? undefined : status === 'ACTIVE' ? isLive : hasEnded,
      within(apiKeys.createdAt, query),
      keyword ? or(...columns.map((column) => contains(column, keyword))) : undefined,
    ),
    order: [apiKeys.id],
    isReversed: sort !== 'createdAt',
    select: (db) => db.select({ key: apiKeys }).from(apiKeys).innerJoin(users, eq(users.id, apiKeys.userId)).$dynamic(),
  }
}
