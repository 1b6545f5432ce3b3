import { and, count, desc, eq, exists, gte, inArray, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { insertFrom, jsonRows, together } from '#db/json-rows.ts'
import type { Select } from '#db/list-order.ts'
import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import { type Page, type PageInput } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import {
  activities,
  activityCounters,
  type CheckInMethod,
  checkIns,
  checkInSlots,
  checkInUsers,
  registrations,
} from '#db/schema/activities.ts'
import { type Elsewhere, searchPage } from '#db/search.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import type { OffsetSpan } from '#lib/days.ts'
import { getOrSet } from '#lib/get-or-set.ts'
import { HOUR } from '#platform/clock.ts'

import { isLive, participantName } from '../activities.store.ts'
import type { RecordsQuery } from './check-ins.model.ts'
import { type Accepted, slotOf } from './check-ins.rules.ts'

const p = sql.placeholder

export const shown = {
  id: checkIns.id,
  activityId: checkIns.activityId,
  userId: checkIns.userId,
  registrationId: checkIns.registrationId,
  /** Of a deleted account, the name that stands for it. */
  nickname: participantName,
  method: checkIns.method,
  distance: checkIns.distance,
  sequence: checkIns.sequence,
  checkedInAt: checkIns.checkedInAt,
}

export type CheckInRow = Pick<
  typeof checkIns.$inferSelect,
  'id' | 'activityId' | 'userId' | 'registrationId' | 'method' | 'distance' | 'sequence' | 'checkedInAt'
> & { readonly nickname: string }

/** Users of check-ins always exist, unless a guest has checked in. The outer joins also make SQLite begin with the check-ins, which are in the order of an index. */
const withUsers = (db: Pick<Builders, 'select'>): Select<CheckInRow> =>
  db
    .select(shown)
    .from(checkIns)
    .leftJoin(users, eq(users.id, checkIns.userId))
    .leftJoin(registrations, eq(registrations.id, checkIns.registrationId))
    .$dynamic() as unknown as Select<CheckInRow>

export const checkInsByIds = (tx: Tx, ids: readonly number[]): Promise<CheckInRow[]> =>
  withUsers(tx).where(inArray(checkIns.id, [...ids])) as unknown as Promise<CheckInRow[]>

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

const ofMethod = ({ method }: Pick<Filters, 'method'>): SQL | undefined =>
  method === undefined ? undefined : eq(checkIns.method, method)

/** Check-ins of people whose name contains the keyword. */
export const ofPeople = (keyword: string): Elsewhere => ({
  tables: [
    { key: checkIns.userId, id: users.id, where: contains(users.nickname, keyword) },
    { key: checkIns.registrationId, id: registrations.id, where: contains(registrations.name, keyword) },
  ],
  // The name of a guest, unless there is a user: see `participantName`.
  where: ([user, registration]) => or(user, and(isNull(checkIns.userId), registration)),
})

/** Check-ins that pass the filters, newest first. Reads all of the period: `db` is that of `Store.search`. */
export const searchRecords = (db: Db, records: Records, query: Filters & PageInput): Promise<Page<CheckInRow>> =>
  searchPage(
    db,
    {
      table: checkIns,
      scope: among(records, query),
      order: [checkIns.checkedInAt, checkIns.id],
      isReversed: true,
      where: ofMethod(query),
      elsewhere: query.keyword ? ofPeople(query.keyword) : undefined,
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
  const { keyword } = filters
  const isMatch = and(ofMethod(filters), keyword ? contains(participantName, keyword) : undefined)
  const rest = before && sql`(${checkIns.checkedInAt}, ${checkIns.id}) < (${before.checkedInAt}, ${before.id})`
  return db
    .select({ ...shown, isMatch: sql<boolean>`case when ${isMatch ?? sql`1 = 1`} then 1 else 0 end`.mapWith(Boolean) })
    .from(checkIns)
    .leftJoin(users, eq(users.id, checkIns.userId))
    .leftJoin(registrations, eq(registrations.id, checkIns.registrationId))
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

const asked = jsonRows('asked', { nth: 'int', activityId: 'int', userId: 'int', registeredOnly: 'int' })

const hasPlace = (db: Builders): SQL =>
  exists(
    db
      .select({ id: registrations.id })
      .from(registrations)
      .where(
        and(
          eq(registrations.activityId, asked.activityId),
          eq(registrations.userId, asked.userId),
          eq(registrations.status, 'CONFIRMED').inlineParams(),
        ),
      ),
  )

const facts = prepared((db) =>
  db
    .select({
      nth: asked.nth.mapWith(Number),
      nickname: users.nickname,
      isOpen: sql`${activities.id} is not null`.mapWith(Boolean),
      count: checkInUsers.count,
      deleted: checkInUsers.deleted,
    })
    .from(asked.rows)
    .innerJoin(users, eq(users.id, asked.userId))
    .leftJoin(
      activities,
      and(
        eq(activities.id, asked.activityId),
        eq(activities.status, 'ACTIVE').inlineParams(),
        eq(activities.hasCheckIn, true).inlineParams(),
        isLive,
        sql`(${asked.registeredOnly} = 0 or ${hasPlace(db)})`,
      ),
    )
    .leftJoin(checkInUsers, and(eq(checkInUsers.activityId, asked.activityId), eq(checkInUsers.userId, asked.userId))),
)

const counts = jsonRows('counts', { activityId: 'int', userId: 'int', count: 'int' })
const setCounts = (db: Builders) =>
  insertFrom(db, checkInUsers, counts).onConflictDoUpdate({
    target: [checkInUsers.activityId, checkInUsers.userId],
    set: { count: sql`excluded.count` },
  })

const slots = jsonRows('slots', { activityId: 'int', slot: 'int', method: 'text', count: 'int' })
const addToSlots = (db: Builders) =>
  insertFrom(db, checkInSlots, slots).onConflictDoUpdate({
    target: [checkInSlots.activityId, checkInSlots.slot, checkInSlots.method],
    set: { count: sql`${checkInSlots.count} + excluded.count` },
  })

const sums = jsonRows('sums', { activityId: 'int', checkIns: 'int', users: 'int' })
const addToActivities = (db: Builders) =>
  db
    .update(activityCounters)
    .set({
      checkIns: sql`${activityCounters.checkIns} + ${sums.checkIns}`,
      checkedInUsers: sql`${activityCounters.checkedInUsers} + ${sums.users}`,
    })
    .from(sums.rows)
    .where(eq(activityCounters.activityId, sums.activityId))

const given = jsonRows('given', {
  activityId: 'int',
  userId: 'int',
  registrationId: 'int',
  sequence: 'int',
  method: 'text',
  distance: 'int',
  checkedInAt: 'int',
})
const insertGiven = (db: Builders) =>
  insertFrom(db, checkIns, given).returning({ ...listed.columns, sequence: checkIns.sequence })

const storeAll = together(setCounts, addToSlots, addToActivities, insertGiven)

/** A user who is at the activity. */
export interface Arrival extends Accepted {
  readonly activityId: number
  readonly userId: number
  /** Check-ins that a user may have; 0 = unlimited. */
  readonly max: number
  /** Whether the user needs a CONFIRMED registration. */
  readonly registeredOnly: boolean
}

/**
 * Records check-ins at the time of the write and counts them, in a write that is `IN_ORDER`. Those of users who have checked in `max` times, and of
 * activities that have stopped taking check-ins or users who have lost their place since the caller looked at them, are undefined and not recorded.
 */
export async function insertCheckIns(tx: Tx, arrivals: readonly Arrival[]): Promise<(CheckInRow | undefined)[]> {
  const ids = arrivals.map(({ activityId, userId, registeredOnly }, nth) => ({
    nth,
    activityId,
    userId,
    registeredOnly: Number(registeredOnly),
  }))
  const found = (await facts(tx, asked.values(ids))).toSorted((a, b) => a.nth - b.nth)
  const checkedInAt = tx.stamp
  const slot = slotOf(checkedInAt)
  const byUser = new Map<string, { activityId: number; userId: number; count: number }>()
  const bySlot = new Map<string, { activityId: number; slot: number; method: CheckInMethod; count: number }>()
  const byActivity = new Map<number, { activityId: number; checkIns: number; users: number }>()
  const rows = arrivals.map(({ activityId, userId, max, method, distance }, i) => {
    const { isOpen, deleted, nickname, ...before } = found[i]!
    const user = getOrSet(byUser, `${activityId} ${userId}`, { activityId, userId, count: before.count ?? 0 })
    if (!isOpen || (max !== 0 && user.count >= max)) return undefined
    user.count++
    getOrSet(bySlot, `${activityId} ${method}`, { activityId, slot, method, count: 0 }).count++
    const sum = getOrSet(byActivity, activityId, { activityId, checkIns: 0, users: 0 })
    sum.checkIns++
    if (user.count === 1) sum.users++
    const sequence = user.count + (deleted ?? 0)
    return { activityId, userId, registrationId: null, nickname, sequence, method, distance, checkedInAt }
  })
  const recorded = rows.filter((row) => row !== undefined)
  if (recorded.length === 0) return rows as undefined[]
  const inserted = await storeAll(tx, {
    ...counts.values([...byUser.values()].filter(({ count }) => count > 0)),
    ...slots.values([...bySlot.values()]),
    ...sums.values([...byActivity.values()]),
    ...given.values(recorded),
  })
  for (const row of inserted) {
    listed.inserted(tx, row)
    note(tx, { type: 'check_in.created', activityId: row.activityId, id: row.id })
  }
  const key = (row: Pick<CheckInRow, 'activityId' | 'userId' | 'sequence'>) =>
    `${row.activityId} ${row.userId} ${row.sequence}`
  const idOf = new Map(inserted.map((row) => [key(row), row.id]))
  return rows.map((row) => row && { ...row, id: idOf.get(key(row))! })
}

/** A participant whom a manager checks in. */
export interface CheckedInByHand {
  readonly activityId: number
  readonly userId: number | null
  /** Of a guest. */
  readonly registrationId: number | null
}

const personIn = ({ userId, registrationId }: Omit<CheckedInByHand, 'activityId'>): number => userId ?? -registrationId!

/** Records and counts it, in a write that is `IN_ORDER`. Undefined, with nothing recorded, if the person has checked in already. */
export async function insertByHand(tx: Tx, participant: CheckedInByHand): Promise<number | undefined> {
  const { activityId } = participant
  const person = personIn(participant)
  const [before] = await tx
    .select({ count: checkInUsers.count, deleted: checkInUsers.deleted })
    .from(checkInUsers)
    .where(and(eq(checkInUsers.activityId, activityId), eq(checkInUsers.userId, person)))
  if (before !== undefined && before.count > 0) return undefined
  const checkedInAt = tx.stamp
  const row = { ...participant, sequence: 1 + (before?.deleted ?? 0), method: 'MANUAL', distance: null, checkedInAt }
  const [inserted] = await storeAll(tx, {
    ...counts.values([{ activityId, userId: person, count: 1 }]),
    ...slots.values([{ activityId, slot: slotOf(checkedInAt), method: 'MANUAL', count: 1 }]),
    ...sums.values([{ activityId, checkIns: 1, users: 1 }]),
    ...given.values([row]),
  })
  listed.inserted(tx, inserted!)
  note(tx, { type: 'check_in.created', activityId, id: inserted!.id })
  return inserted!.id
}

/** The latest check-in of a participant; with `method`, of those of this method. */
export async function latestOf(
  db: Db | Tx,
  { activityId, userId, registrationId }: CheckedInByHand,
  method?: CheckInMethod,
): Promise<CheckInRow | undefined> {
  const isTheirs =
    userId === null
      ? and(eq(checkIns.registrationId, registrationId!), sql`${checkIns.registrationId} is not null`)
      : and(eq(checkIns.activityId, activityId), eq(checkIns.userId, userId))
  const [row] = await withUsers(db)
    .where(and(isTheirs, method === undefined ? undefined : eq(checkIns.method, method)))
    .orderBy(desc(checkIns.checkedInAt), desc(checkIns.id))
    .limit(1)
  return row
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
