import { and, count, desc, eq, gte, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import type { Select } from '#db/list-order.ts'
import { pagedTable } from '#db/lists.ts'
import { type Page, type PageInput } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { activities, activityCounters, checkIns, checkInSlots, checkInUsers } from '#db/schema/activities.ts'
import { searchPage } from '#db/search.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import type { OffsetSpan } from '#lib/days.ts'
import { HOUR } from '#platform/clock.ts'

import type { RecordsQuery } from './check-ins.model.ts'
import { type Accepted, slotOf } from './check-ins.rules.ts'

const p = sql.placeholder

export const shown = {
  id: checkIns.id,
  activityId: checkIns.activityId,
  userId: checkIns.userId,
  /** Of a deleted account, the name that stands for it. */
  nickname: users.nickname,
  method: checkIns.method,
  distance: checkIns.distance,
  sequence: checkIns.sequence,
  checkedInAt: checkIns.checkedInAt,
}

export type CheckInRow = Pick<
  typeof checkIns.$inferSelect,
  'id' | 'activityId' | 'userId' | 'method' | 'distance' | 'sequence' | 'checkedInAt'
> & { readonly nickname: string }

/** Users of check-ins always exist. The outer join only makes SQLite begin with the check-ins, which are in the order of an index. */
const withUsers = (db: Pick<Builders, 'select'>): Select<CheckInRow> =>
  db
    .select(shown)
    .from(checkIns)
    .leftJoin(users, eq(users.id, checkIns.userId))
    .$dynamic() as unknown as Select<CheckInRow>

export const listed = pagedTable(checkIns, ['id', 'activityId', 'userId', 'checkedInAt'])
const lists = { orders: { time: ['checkedInAt', 'id'] }, sort: '-time', select: withUsers } as const
const ofActivity = listed.list({ owner: ['activityId'], total: 'check_ins.activity', ...lists })
const ofUser = listed.list({ owner: ['activityId', 'userId'], ...lists })

/** The check-ins of an activity, or those of one user in it. The caller checks who may see them. */
export interface Records {
  readonly activityId: number
  readonly userId: number | null
}

/** Newest first. */
export const recordsPage = (db: Db, { activityId, userId }: Records, page: PageInput): Promise<Page<CheckInRow>> =>
  userId === null ? ofActivity.page(db, { activityId }, page) : ofUser.page(db, { activityId, userId }, page)

type Filters = Pick<RecordsQuery, 'method' | 'from' | 'to' | 'keyword'>

const among = ({ activityId, userId }: Records, { from, to }: Pick<Filters, 'from' | 'to'>): SQL | undefined =>
  and(
    eq(checkIns.activityId, activityId),
    userId === null ? undefined : eq(checkIns.userId, userId),
    from === undefined ? undefined : gte(checkIns.checkedInAt, from),
    to === undefined ? undefined : lte(checkIns.checkedInAt, to),
  )

const matches = ({ method, keyword }: Pick<Filters, 'method' | 'keyword'>): SQL | undefined =>
  and(
    method === undefined ? undefined : eq(checkIns.method, method),
    keyword ? contains(users.nickname, keyword) : undefined,
  )

/** Check-ins that pass the filters, newest first. Reads all of the period: `db` is that of `Store.search`. */
export const searchRecords = (db: Db, records: Records, query: Filters & PageInput): Promise<Page<CheckInRow>> =>
  searchPage(
    db,
    {
      table: checkIns,
      scope: among(records, query),
      order: [checkIns.checkedInAt, checkIns.id],
      isReversed: true,
      where: matches(query),
      select: withUsers,
    },
    { page: query.page, size: query.size },
  )

/** The number of check-ins in the period, by any user and method. Reads the index of all of them. */
export async function countIn(db: Db, records: Records, period: Pick<Filters, 'from' | 'to'>): Promise<number> {
  const [row] = await db.select({ n: count() }).from(checkIns).where(among(records, period))
  return row!.n
}

/**
 * At most `limit` check-ins of the period before the one that is given, newest first, each with whether it passes the other filters: a
 * statement that looked for matches only could read all of them.
 */
export function recordsBefore(
  db: Db,
  records: Records,
  filters: Filters,
  before: { readonly checkedInAt: number; readonly id: number } | undefined,
  limit: number,
): Promise<(CheckInRow & { isMatch: boolean })[]> {
  const isMatch = matches(filters)
  const rest = before && sql`(${checkIns.checkedInAt}, ${checkIns.id}) < (${before.checkedInAt}, ${before.id})`
  return db
    .select({ ...shown, isMatch: sql<boolean>`case when ${isMatch ?? sql`1 = 1`} then 1 else 0 end`.mapWith(Boolean) })
    .from(checkIns)
    .leftJoin(users, eq(users.id, checkIns.userId))
    .where(and(among(records, filters), rest))
    .orderBy(desc(checkIns.checkedInAt), desc(checkIns.id))
    .limit(limit) as unknown as Promise<(CheckInRow & { isMatch: boolean })[]>
}

const countOfUser = prepared((db) =>
  db
    .select({ count: checkInUsers.count })
    .from(checkInUsers)
    .where(and(eq(checkInUsers.activityId, p('activityId')), eq(checkInUsers.userId, p('userId')))),
)

/** How often the user has checked in. */
export const timesCheckedIn = async (db: Db | Tx, activityId: number, userId: number): Promise<number> =>
  (await countOfUser(db, { activityId, userId }))[0]?.count ?? 0

const nickname = prepared((db) =>
  db
    .select({ nickname: users.nickname })
    .from(users)
    .where(eq(users.id, p('id'))),
)

export const nicknameOf = async (db: Db, userId: number): Promise<string> =>
  (await nickname(db, { id: userId }))[0]!.nickname

const openById = prepared((db) =>
  db
    .select({ id: activities.id })
    .from(activities)
    .where(
      and(
        eq(activities.id, p('id')),
        eq(activities.status, 'ACTIVE'),
        eq(activities.hasCheckIn, true),
        isNull(activities.deletedAt),
      ),
    ),
)

const nextOfUser = prepared((db) =>
  db
    .insert(checkInUsers)
    .values({ activityId: p('activityId'), userId: p('userId'), count: 1 })
    .onConflictDoUpdate({
      target: [checkInUsers.activityId, checkInUsers.userId],
      set: { count: sql`${checkInUsers.count} + 1` },
      setWhere: lt(checkInUsers.count, p('max')),
    })
    .returning({ count: checkInUsers.count, deleted: checkInUsers.deleted }),
)

const insertOne = prepared((db) =>
  db
    .insert(checkIns)
    .values({
      activityId: p('activityId'),
      userId: p('userId'),
      sequence: p('sequence'),
      method: p('method'),
      distance: p('distance'),
      checkedInAt: p('at'),
    })
    .returning(listed.columns),
)

const countInSlot = prepared((db) =>
  db
    .insert(checkInSlots)
    .values({ activityId: p('activityId'), slot: p('slot'), method: p('method'), count: 1 })
    .onConflictDoUpdate({
      target: [checkInSlots.activityId, checkInSlots.slot, checkInSlots.method],
      set: { count: sql`${checkInSlots.count} + 1` },
    }),
)

const countInActivity = prepared((db) =>
  db
    .update(activityCounters)
    .set({
      checkIns: sql`${activityCounters.checkIns} + 1`,
      checkedInUsers: sql`${activityCounters.checkedInUsers} + ${p('users')}`,
    })
    .where(eq(activityCounters.activityId, p('activityId'))),
)

/**
 * Records a check-in at the time of the write and counts it. Returns undefined, with nothing changed, if the user has checked in `max`
 * times (0 = unlimited), or if the activity has stopped taking check-ins since the caller looked at it.
 */
export async function insertCheckIn(
  tx: Tx,
  { activityId, userId, max }: { readonly activityId: number; readonly userId: number; readonly max: number },
  { method, distance }: Accepted,
): Promise<Omit<CheckInRow, 'nickname'> | undefined> {
  if ((await openById(tx, { id: activityId })).length === 0) return undefined
  const [user] = await nextOfUser(tx, { activityId, userId, max: max === 0 ? Number.MAX_SAFE_INTEGER : max })
  if (user === undefined) return undefined
  const sequence = user.count + user.deleted
  const at = tx.stamp
  const [row] = await insertOne(tx, { activityId, userId, sequence, method, distance, at })
  listed.inserted(tx, row!)
  await countInSlot(tx, { activityId, slot: slotOf(at), method })
  await countInActivity(tx, { activityId, users: user.count === 1 ? 1 : 0 })
  return { id: row!.id, activityId, userId, method, distance, sequence, checkedInAt: at }
}

/** Numbers of check-ins by hour of the day and method, in a period with one UTC offset. */
export function countByHour(db: Db, activityId: number, { from, to, offset }: OffsetSpan) {
  // Literals instead of parameters: PostgreSQL would not treat the two occurrences of `hour` as the same expression.
  const [plus, perHour] = [sql.raw(String(offset)), sql.raw(String(HOUR))]
  const hour = sql<number>`((${checkInSlots.slot} + ${plus}) / ${perHour}) % 24`.mapWith(Number)
  return db
    .select({ hour, method: checkInSlots.method, n: sql<number>`sum(${checkInSlots.count})`.mapWith(Number) })
    .from(checkInSlots)
    .where(and(eq(checkInSlots.activityId, activityId), gte(checkInSlots.slot, from), lt(checkInSlots.slot, to)))
    .groupBy(hour, checkInSlots.method)
}

const anyOfUser = prepared((db) =>
  db
    .select({ id: checkIns.id })
    .from(checkIns)
    .where(eq(checkIns.userId, p('userId')))
    .limit(1),
)

/** Whether the user ever checked in. */
export const hasCheckedIn = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await anyOfUser(db, { userId })).length > 0
