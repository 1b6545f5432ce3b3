import { and, eq, gt, inArray, isNull, lt, ne, or, type SQL } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import type { Page } from '#db/paging.ts'
import { users } from '#db/schema/accounts.ts'
import { activities } from '#db/schema/activities.ts'
import { organizations } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'
import type { AdminList } from '#domains/admin/index.ts'
import type { Owner } from '#http/endpoint.ts'

import type { ActivityRow } from '../activities.store.ts'
import { listed, lists } from '../register/register.store.ts'
import type { AdminListQuery } from './activities.admin.model.ts'

const all = listed.list({
  owner: [],
  where: { deletedAt: null },
  total: 'activities.all',
  orders: { createdAt: lists.orders.createdAt },
  sort: '-createdAt',
  select: lists.select,
})

export const allPage = (db: Db, { page, size, sort }: AdminListQuery): Promise<Page<ActivityRow>> =>
  all.page(db, {}, { page, size, sort })

/** The same list with the filters of the query. */
export const filtered = (query: AdminListQuery): AdminList<ActivityRow> => ({
  table: activities,
  scope: and(
    isNull(activities.deletedAt).inlineParams(),
    query.userId === undefined ? undefined : eq(activities.userId, query.userId),
    query.orgId === undefined ? undefined : eq(activities.owner, query.orgId),
    hasOwner(query),
  ),
  period: query,
  where: and(
    query.status === undefined ? undefined : eq(activities.status, query.status),
    query.visibility === undefined ? undefined : eq(activities.visibility, query.visibility),
    query.ownerId === undefined ? isOf(query.ownerType) : undefined,
    query.keyword
      ? or(
          ...[activities.name, activities.description, activities.location].map((text) =>
            contains(text, query.keyword!),
          ),
        )
      : undefined,
  ),
  order: [activities.createdAt, activities.id],
  isReversed: query.sort !== 'createdAt',
  nulls: query.orgId === undefined ? [] : [activities.deletedAt],
  select: lists.select,
})

/** See db/owner-key.ts. */
function hasOwner({ ownerType, ownerId }: AdminListQuery): SQL | undefined {
  if (ownerId === undefined) return undefined
  if (ownerType === undefined) return inArray(activities.owner, [ownerId, -ownerId])
  return eq(activities.owner, ownerType === 'ORGANIZATION' ? ownerId : -ownerId)
}

function isOf(ownerType: AdminListQuery['ownerType']): SQL | undefined {
  if (ownerType === undefined) return undefined
  return ownerType === 'ORGANIZATION' ? gt(activities.owner, 0) : lt(activities.owner, 0)
}

/** The user as the owner of personal activities; undefined if there is no such account. */
export async function personalOwner(tx: Tx, id: number): Promise<Owner | undefined> {
  const [row] = await tx
    .select({ userId: users.id })
    .from(users)
    .where(and(eq(users.id, id), ne(users.status, 'DELETED')))
  return row && { userId: row.userId, orgId: 0 }
}

/** The organization as the owner of activities, which its own owner creates; undefined if it does not exist. */
export async function organizationOwner(tx: Tx, id: number): Promise<Owner | undefined> {
  const [row] = await tx
    .select({ userId: organizations.ownerId, orgId: organizations.id })
    .from(organizations)
    .where(eq(organizations.id, id))
  return row
}
