import { and, eq, isNotNull } from 'drizzle-orm'

import type { Select } from '#db/list-order.ts'
import type { Page } from '#db/paging.ts'
import { activities } from '#db/schema/activities.ts'
import { passes } from '#db/schema/passes.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { type AdminList, within } from '#domains/admin/index.ts'

import { isNotPurged } from '../activities.store.ts'
import { isKept, listed, matching, passColumns, type PassRow } from '../passes/passes.store.ts'
import type { AdminPassesQuery } from './passes.admin.model.ts'

export type AdminRow = PassRow & Pick<typeof activities.$inferSelect, 'owner'> & { readonly activityName: string }

/** Activities of passes always exist. The outer join only makes SQLite begin with the passes, which are in the order of an index. */
const withActivities = (db: Pick<Builders, 'select'>): Select<AdminRow> =>
  db
    .select({ ...passColumns, activityName: activities.name, owner: activities.owner })
    .from(passes)
    .leftJoin(activities, eq(activities.id, passes.activityId))
    .$dynamic() as unknown as Select<AdminRow>

const all = listed.list({
  owner: [],
  where: { deletedAt: null },
  total: 'passes.all',
  orders: { createdAt: ['createdAt', 'id'] },
  sort: '-createdAt',
  select: withActivities,
})

export const allPage = (db: Db, query: AdminPassesQuery): Promise<Page<AdminRow>> => all.page(db, {}, query)

/** The same list with the filters of the query. */
export function filtered(
  { activityId, userId, orgId, status, keyword, from, to, sort }: AdminPassesQuery,
  now: number,
): AdminList<AdminRow> {
  const period = within(passes.createdAt, { from, to })
  // The indexes of activities and holders continue with the id, which rises with the time.
  const isOfOne = activityId !== undefined || userId !== undefined
  return {
    table: passes,
    scope: and(
      isKept,
      activityId === undefined ? undefined : and(eq(passes.activityId, activityId), isNotPurged(activityId)),
      userId === undefined ? undefined : and(eq(passes.holderUserId, userId), isNotNull(passes.holderUserId)),
    ),
    period: isOfOne ? undefined : { from, to },
    where: and(
      matching({ status, keyword }, now),
      orgId === undefined ? undefined : eq(activities.owner, orgId),
      isOfOne ? period : undefined,
    ),
    order: isOfOne ? [passes.id] : [passes.createdAt, passes.id],
    isReversed: sort !== 'createdAt',
    select: withActivities,
  }
}

export async function findAnyPass(db: Db | Tx, id: number): Promise<AdminRow | undefined> {
  const [row] = await withActivities(db)
    .where(and(eq(passes.id, id), isKept))
    .limit(1)
  return row
}
