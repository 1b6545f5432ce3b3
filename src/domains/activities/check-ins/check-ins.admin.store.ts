import { and, eq, or, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import type { Select } from '#db/list-order.ts'
import type { Page } from '#db/paging.ts'
import { users } from '#db/schema/accounts.ts'
import {
  activities,
  activityCounters,
  checkIns,
  checkInSlots,
  checkInUsers,
  registrations,
} from '#db/schema/activities.ts'
import type { Elsewhere } from '#db/search.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import type { AdminList } from '#domains/admin/index.ts'

import { isNotPurged } from '../activities.store.ts'
import type { AdminRecordsQuery } from './check-ins.admin.model.ts'
import { slotOf } from './check-ins.rules.ts'
import { type CheckInRow, listed, ofPeople, shown } from './check-ins.store.ts'

export type AdminRow = CheckInRow & Pick<typeof activities.$inferSelect, 'owner'> & { readonly activityName: string }

/** The activity always exists, and so does a user, unless it is a guest. The outer joins also make SQLite begin with the check-ins, which are in the order of an index. */
const withActivities = (db: Pick<Builders, 'select'>): Select<AdminRow> =>
  db
    .select({ ...shown, activityName: activities.name, owner: activities.owner })
    .from(checkIns)
    .leftJoin(users, eq(users.id, checkIns.userId))
    .leftJoin(registrations, eq(registrations.id, checkIns.registrationId))
    .leftJoin(activities, eq(activities.id, checkIns.activityId))
    .$dynamic() as unknown as Select<AdminRow>

const all = listed.list({
  owner: [],
  total: 'check_ins.all',
  orders: { createdAt: ['checkedInAt', 'id'] },
  sort: '-createdAt',
  select: withActivities,
})

export const allPage = (db: Db, query: AdminRecordsQuery): Promise<Page<AdminRow>> => all.page(db, {}, query)

/** The same list with the filters of the query. Ids and times are answered by the indexes of each order. */
export const filtered = ({
  activityId,
  userId,
  orgId,
  method,
  keyword,
  sort,
  ...period
}: AdminRecordsQuery): AdminList<AdminRow> => ({
  table: checkIns,
  scope: and(
    activityId === undefined ? undefined : and(eq(checkIns.activityId, activityId), isNotPurged(activityId)),
    userId === undefined ? undefined : eq(checkIns.userId, userId),
  ),
  period,
  where: and(
    method === undefined ? undefined : eq(checkIns.method, method),
    orgId === undefined ? undefined : eq(activities.owner, orgId),
  ),
  elsewhere: keyword ? naming(keyword) : undefined,
  order: [checkIns.checkedInAt, checkIns.id],
  isReversed: sort !== 'createdAt',
  select: withActivities,
})

function naming(keyword: string): Elsewhere {
  const people = ofPeople(keyword)
  return {
    tables: [
      ...people.tables,
      { key: checkIns.activityId, id: activities.id, where: contains(activities.name, keyword) },
    ],
    where: (found) => or(people.where(found), found.at(-1)),
  }
}

export async function findRecord(db: Db | Tx, id: number): Promise<AdminRow | undefined> {
  const [row] = await withActivities(db).where(eq(checkIns.id, id)).limit(1)
  return row
}

/**
 * Deletes a check-in and takes it out of all counts, so that the user can check in once more. False, with nothing changed, if it is gone.
 * The numbers of the user's other check-ins stay, and the next one gets a new number.
 */
export async function deleteRecord(tx: Tx, id: number): Promise<boolean> {
  const [row] = await tx.delete(checkIns).where(eq(checkIns.id, id)).returning()
  if (row === undefined) return false
  listed.deleted(tx, row)
  const { activityId, method } = row
  const ofUser = and(
    eq(checkInUsers.activityId, activityId),
    eq(checkInUsers.userId, row.userId ?? -row.registrationId!),
  )
  const [user] = await tx
    .update(checkInUsers)
    .set({ count: sql`${checkInUsers.count} - 1`, deleted: sql`${checkInUsers.deleted} + 1` })
    .where(ofUser)
    .returning({ count: checkInUsers.count })
  const wasLast = user?.count === 0
  if (wasLast) await tx.delete(checkInUsers).where(ofUser)
  const inSlot = and(
    eq(checkInSlots.activityId, activityId),
    eq(checkInSlots.slot, slotOf(row.checkedInAt)),
    eq(checkInSlots.method, method),
  )
  const [slot] = await tx
    .update(checkInSlots)
    .set({ count: sql`${checkInSlots.count} - 1` })
    .where(inSlot)
    .returning({ count: checkInSlots.count })
  if (slot?.count === 0) await tx.delete(checkInSlots).where(inSlot)
  await tx
    .update(activityCounters)
    .set({
      checkIns: sql`${activityCounters.checkIns} - 1`,
      checkedInUsers: sql`${activityCounters.checkedInUsers} - ${wasLast ? 1 : 0}`,
    })
    .where(eq(activityCounters.activityId, activityId))
    .returning({ activityId: activityCounters.activityId })
  return true
}
