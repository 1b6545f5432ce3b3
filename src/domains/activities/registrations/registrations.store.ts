import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import type { Page, PageInput } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import {
  activities,
  activityCounters as counters,
  registrations,
  type RegistrationStatus,
} from '#db/schema/activities.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { updatedAtFor } from '#db/updated-at.ts'

import { participantName, shownEmail } from '../activities.store.ts'
import { MAX_WAITING } from './registrations.model.ts'
import { type Answers, givesPlaces } from './registrations.rules.ts'

const p = sql.placeholder

export type RegistrationRow = typeof registrations.$inferSelect

const ofUser = prepared((db) =>
  db
    .select()
    .from(registrations)
    .where(and(eq(registrations.activityId, p('activityId')), eq(registrations.userId, p('userId')))),
)

export const findRegistration = async (
  db: Db | Tx,
  activityId: number,
  userId: number,
): Promise<RegistrationRow | undefined> => (await ofUser(db, { activityId, userId }))[0]

export const listed = pagedTable(registrations, ['id', 'activityId', 'status', 'createdAt'])

export const withNickname = (db: Pick<Builders, 'select'>) =>
  db
    .select({
      id: registrations.id,
      activityId: registrations.activityId,
      userId: registrations.userId,
      status: registrations.status,
      source: registrations.source,
      name: registrations.name,
      email: shownEmail,
      emailConfirmedAt: registrations.emailConfirmedAt,
      language: registrations.language,
      answers: registrations.answers,
      note: registrations.note,
      reason: registrations.reason,
      confirmedAt: registrations.confirmedAt,
      waitOrder: registrations.waitOrder,
      createdAt: registrations.createdAt,
      nickname: participantName,
    })
    .from(registrations)
    .leftJoin(users, eq(users.id, registrations.userId))
    .$dynamic()

export type ListedRow = Awaited<ReturnType<typeof withNickname>>[number]

const byTime = { orders: { createdAt: ['createdAt', 'id'] }, sort: '-createdAt', select: withNickname } as const
const byStatus = { ...byTime, orders: { ...byTime.orders, status: ['status', 'createdAt', 'id'] } } as const
/** Without those that guests have not confirmed. */
const ofActivity = listed.list({
  owner: ['activityId'],
  whereNot: { status: 'PENDING' },
  total: 'registrations.activity',
  ...byStatus,
})
const ofActivityByStatus = listed.list({ owner: ['activityId', 'status'], ...byTime })

export interface IndexedQuery extends PageInput {
  readonly status?: RegistrationStatus | undefined
  readonly sort?: 'createdAt' | '-createdAt' | 'status' | '-status' | undefined
}

/** Newest first, unless another order is asked for. Those of one status are in the order of time. */
export const registrationsPage = (
  db: Db,
  activityId: number,
  { status, sort, ...page }: IndexedQuery,
): Promise<Page<ListedRow>> =>
  status === undefined
    ? ofActivity.page(db, { activityId }, { ...page, sort })
    : ofActivityByStatus.page(
        db,
        { activityId, status },
        { ...page, sort: sort === 'createdAt' || sort === 'status' ? 'createdAt' : '-createdAt' },
      )

/** The order of the waiting list; of equal ones the lower id is first. */
export const waitOrder = sql<number>`coalesce(${registrations.waitOrder}, ${registrations.createdAt})`
export const waitOrderOf = (row: Pick<RegistrationRow, 'waitOrder' | 'createdAt'>): number =>
  row.waitOrder ?? row.createdAt
export const isWaiting = eq(registrations.status, 'WAITING').inlineParams()

const waitingBefore = prepared((db) =>
  db
    .select({ n: count() })
    .from(registrations)
    .where(
      and(
        eq(registrations.activityId, p('activityId')),
        isWaiting,
        // SQLite does not look up tuples that begin with an expression, and read all who wait.
        sql`${waitOrder} >= ${p('fromOrder')} and ${waitOrder} <= ${p('order')}`,
        sql`(${waitOrder}, ${registrations.id}) >= (${p('fromOrder')}, ${p('fromId')})`,
        sql`(${waitOrder}, ${registrations.id}) < (${p('order')}, ${p('id')})`,
      ),
    ),
)

type Place = Pick<RegistrationRow, 'activityId' | 'waitOrder' | 'createdAt' | 'id'>

/** People who wait before `to`; with `from`, only that person and those after them. */
export const countWaitingBefore = async (db: Db, to: Place, from?: Place): Promise<number> =>
  (
    await waitingBefore(db, {
      activityId: to.activityId,
      fromOrder: from === undefined ? Number.MIN_SAFE_INTEGER : waitOrderOf(from),
      fromId: from?.id ?? 0,
      order: waitOrderOf(to),
      id: to.id,
    })
  )[0]!.n

const confirm = prepared((db) =>
  db
    .update(counters)
    .set({ confirmed: sql`${counters.confirmed} + 1` })
    .where(
      and(
        eq(counters.activityId, p('activityId')),
        eq(counters.waiting, 0).inlineParams(),
        sql`${counters.confirmed} < ${p('places')}`,
      ),
    )
    .returning({ activityId: counters.activityId }),
)
const wait = prepared((db) =>
  db
    .update(counters)
    .set({ waiting: sql`${counters.waiting} + ${p('people')}` })
    .where(
      and(
        eq(counters.activityId, p('activityId')),
        sql`${counters.waiting} + ${p('people')} <= ${sql.raw(String(MAX_WAITING))}`,
      ),
    )
    .returning({ activityId: counters.activityId }),
)

/** False if all places are taken, or if others wait for one. The caller inserts the registration. */
export const takePlace = async (tx: Tx, activityId: number, places: number): Promise<boolean> =>
  (await confirm(tx, { activityId, places })).length > 0

/** False if the waiting list has no room for them. The caller inserts the registrations. */
export const joinWaitingList = async (tx: Tx, activityId: number, people = 1): Promise<boolean> =>
  (await wait(tx, { activityId, people })).length > 0

const confirmSome = prepared((db) =>
  db
    .update(counters)
    .set({ confirmed: sql`${counters.confirmed} + ${p('people')}` })
    .where(and(eq(counters.activityId, p('activityId')), sql`${counters.confirmed} + ${p('people')} <= ${p('places')}`))
    .returning({ activityId: counters.activityId }),
)
/** Takes places for people whom a manager confirms, whether or not others wait. False if there are not so many. */
export const takePlaces = async (tx: Tx, activityId: number, people: number, places: number): Promise<boolean> =>
  (await confirmSome(tx, { activityId, people, places })).length > 0

const HELD: readonly RegistrationStatus[] = ['CONFIRMED', 'WAITING']

/** Notes another status for webhooks. `before`: undefined for a new registration. */
export function noteStatus(
  tx: Tx,
  before: Pick<RegistrationRow, 'status'> | undefined,
  { id, activityId, status }: Pick<RegistrationRow, 'id' | 'activityId' | 'status'>,
): void {
  if (before?.status === status) return
  if (status === 'CONFIRMED') note(tx, { type: 'registration.confirmed', activityId, id })
  else if (status === 'WAITING') note(tx, { type: 'registration.waiting', activityId, id })
  else if (before !== undefined && HELD.includes(before.status))
    note(tx, { type: 'registration.cancelled', activityId, id })
}

/** A new registration, or the one that the user has cancelled (`before`) with new values. */
export async function saveRegistration(
  tx: Tx,
  before: RegistrationRow | undefined,
  values: Pick<RegistrationRow, 'activityId' | 'userId' | 'status' | 'answers' | 'email'>,
): Promise<RegistrationRow> {
  const confirmedAt = values.status === 'CONFIRMED' ? tx.stamp : null
  const times = { confirmedAt, waitOrder: null, createdAt: tx.stamp, updatedAt: tx.stamp }
  if (before === undefined) {
    const [row] = await tx
      .insert(registrations)
      .values({ ...values, ...times })
      .returning()
    listed.inserted(tx, row!)
    noteStatus(tx, undefined, row!)
    return row!
  }
  const [row] = await tx
    .update(registrations)
    .set({ ...values, ...times, reason: '' })
    .where(and(eq(registrations.id, before.id), eq(registrations.status, 'CANCELLED')))
    .returning()
  listed.updated(tx, before, row!)
  noteStatus(tx, before, row!)
  return row!
}

export async function setAnswers(tx: Tx, { id }: RegistrationRow, answers: Answers): Promise<RegistrationRow> {
  const change = { answers }
  const [row] = await tx
    .update(registrations)
    .set({ ...change, updatedAt: updatedAtFor(registrations, change, tx.stamp) })
    .where(eq(registrations.id, id))
    .returning()
  return row!
}

/** Rows that one statement changes. */
const CHUNK = 500

/** Cancels registrations that are CONFIRMED or WAITING, and counts them. */
export async function cancelRegistrations(tx: Tx, rows: readonly RegistrationRow[]): Promise<RegistrationRow[]> {
  const cancelled: RegistrationRow[] = []
  for (let at = 0; at < rows.length; at += CHUNK) {
    const some = rows.slice(at, at + CHUNK)
    const before = new Map(some.map((row) => [row.id, row]))
    const changed = await tx
      .update(registrations)
      .set({ status: 'CANCELLED', autoPassId: null, updatedAt: tx.stamp })
      .where(and(isOneOf(registrations.id, [...before.keys()]), ne(registrations.status, 'CANCELLED')))
      .returning()
    for (const row of changed) {
      listed.updated(tx, before.get(row.id)!, row)
      noteStatus(tx, before.get(row.id), row)
    }
    cancelled.push(...changed)
    await uncount(
      tx,
      changed.map(({ id }) => before.get(id)!),
    )
  }
  return cancelled
}

/** Takes registrations with these values out of the counts of their activities. */
export async function uncount(tx: Tx, rows: readonly Pick<RegistrationRow, 'activityId' | 'status'>[]): Promise<void> {
  for (const [activityId, some] of Map.groupBy(rows, (row) => row.activityId)) {
    const n = (status: RegistrationStatus) => some.filter((row) => row.status === status).length
    await tx
      .update(counters)
      .set({
        confirmed: sql`${counters.confirmed} - ${n('CONFIRMED')}`,
        waiting: sql`${counters.waiting} - ${n('WAITING')}`,
      })
      .where(eq(counters.activityId, activityId))
  }
}

/** Confirms the first `limit` registrations of the waiting list, of which there must be so many. */
export async function confirmFirst(tx: Tx, activityId: number, limit: number): Promise<RegistrationRow[]> {
  const first = await tx
    .select()
    .from(registrations)
    .where(and(eq(registrations.activityId, activityId), isWaiting))
    .orderBy(asc(waitOrder), asc(registrations.id))
    .limit(limit)
  const before = new Map(first.map((row) => [row.id, row]))
  const confirmed = await tx
    .update(registrations)
    .set({ status: 'CONFIRMED', confirmedAt: tx.stamp, waitOrder: null, updatedAt: tx.stamp })
    .where(and(isOneOf(registrations.id, [...before.keys()]), isWaiting))
    .returning()
  for (const row of confirmed) {
    listed.updated(tx, before.get(row.id)!, row)
    noteStatus(tx, before.get(row.id), row)
  }
  const n = confirmed.length
  await tx
    .update(counters)
    .set({ confirmed: sql`${counters.confirmed} + ${n}`, waiting: sql`${counters.waiting} - ${n}` })
    .where(eq(counters.activityId, activityId))
  return confirmed
}

const isLive = inArray(registrations.status, ['CONFIRMED', 'WAITING'])
const isActive = and(eq(activities.status, 'ACTIVE'), isNull(activities.deletedAt))

/** Registrations of a user for activities that are not over; with `orgId`, for the RESTRICTED ones of that organization. */
export async function registrationsOfUser(tx: Tx, userId: number, orgId?: number): Promise<RegistrationRow[]> {
  const restricted = and(eq(activities.owner, orgId ?? 0), eq(activities.visibility, 'RESTRICTED'))
  const rows = await tx
    .select({ registration: registrations })
    .from(registrations)
    .innerJoin(activities, eq(activities.id, registrations.activityId))
    .where(and(eq(registrations.userId, userId), isLive, isActive, orgId === undefined ? undefined : restricted))
  return rows.map((row) => row.registration)
}

/** Of an account that is being deleted: answers and addresses are about the person. */
export const deletePersonalData = async (tx: Tx, userId: number): Promise<void> =>
  void (await tx.update(registrations).set({ answers: {}, email: null }).where(eq(registrations.userId, userId)))

const anyOfUser = prepared((db) =>
  db
    .select({ id: registrations.id })
    .from(registrations)
    .where(eq(registrations.userId, p('userId')))
    .limit(1),
)

/** Whether the user has ever registered for an activity. */
export const hasRegistrations = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await anyOfUser(db, { userId })).length > 0

/** Those of the activities that have a waiting list, at most `limit`. */
export async function withWaitingList(tx: Tx, activityIds: readonly number[], limit: number): Promise<number[]> {
  const rows = await tx
    .select({ id: counters.activityId })
    .from(counters)
    .where(and(inArray(counters.activityId, [...activityIds]), gt(counters.waiting, 0)))
    .limit(limit)
  return rows.map((row) => row.id)
}

/** Activities that have free places and users who wait for them. */
export async function withFreePlaces(db: Db, now: number): Promise<number[]> {
  const hasPlaces = or(eq(activities.capacity, 0), lt(counters.confirmed, activities.capacity))
  const rows = await db
    .select({
      id: counters.activityId,
      status: activities.status,
      registration: activities.registration,
      startTime: activities.startTime,
      endTime: activities.endTime,
    })
    .from(counters)
    .innerJoin(activities, eq(activities.id, counters.activityId))
    .where(
      and(
        gt(counters.waiting, 0).inlineParams(),
        isActive,
        isNotNull(activities.registration),
        gt(activities.endTime, now),
        hasPlaces,
      ),
    )
  return rows.filter((row) => givesPlaces(row, now)).map((row) => row.id)
}

/** Users with a place: at most `limit` with ids greater than `afterUserId`, ascending. */
export async function registeredUsers(
  db: Db | Tx,
  activityId: number,
  afterUserId: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .select({ userId: registrations.userId })
    .from(registrations)
    .where(
      and(
        eq(registrations.activityId, activityId),
        // Not those of guests, whose column is null.
        gt(registrations.userId, afterUserId),
        eq(registrations.status, 'CONFIRMED'),
      ),
    )
    .orderBy(asc(registrations.userId))
    .limit(limit)
  return rows.map((row) => row.userId!)
}
