/** Rows of guests: registrations of people without an account. */

import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'

import { isAnyOf, isOneOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { activities, registrations } from '#db/schema/activities.ts'
import type { Db, Tx } from '#db/store.ts'

import { listed, noteStatus, type RegistrationRow } from './registrations.store.ts'

const p = sql.placeholder

export const isGuest = isNull(registrations.userId).inlineParams()
/** Guests whose data was not deleted. */
const isKept = and(isGuest, isNull(registrations.erasedAt).inlineParams())

const bySecret = prepared((db) =>
  db
    .select()
    .from(registrations)
    .where(and(eq(registrations.secretHash, p('secretHash')), isNotNull(registrations.secretHash).inlineParams())),
)

/** The guest to whose page the link leads. */
export const findGuestBySecret = async (db: Db | Tx, secretHash: string): Promise<RegistrationRow | undefined> =>
  (await bySecret(db, { secretHash }))[0]

const byAddress = prepared((db) =>
  db
    .select()
    .from(registrations)
    .where(
      and(
        eq(registrations.activityId, p('activityId')),
        eq(registrations.email, p('email')),
        isGuest,
        isNotNull(registrations.email).inlineParams(),
      ),
    ),
)

/** `email`: in lower case. */
export const findGuestByAddress = async (
  db: Db | Tx,
  activityId: number,
  email: string,
): Promise<RegistrationRow | undefined> => (await byAddress(db, { activityId, email }))[0]

const byId = prepared((db) =>
  db
    .select()
    .from(registrations)
    .where(eq(registrations.id, p('id'))),
)

/** A registration of any activity, with or without an account. */
export const findAnyRegistration = async (db: Db | Tx, id: number): Promise<RegistrationRow | undefined> =>
  (await byId(db, { id }))[0]

/** Guests of these ids. */
export const findGuests = (db: Db | Tx, ids: readonly number[]): Promise<RegistrationRow[]> =>
  db
    .select()
    .from(registrations)
    .where(and(isOneOf(registrations.id, ids), isGuest))

type Columns = typeof registrations.$inferInsert
/** The columns that a request decides. `email` in lower case, or null. */
export type NewGuest = Pick<Columns, 'activityId' | 'status' | 'source' | 'email' | 'language' | 'answers'> & {
  readonly name: string
} & Partial<Pick<Columns, 'secret' | 'secretHash' | 'note' | 'emailConfirmedAt' | 'reason' | 'invitationId'>>

const timesOf = (tx: Tx, status: Columns['status']) => ({
  confirmedAt: status === 'CONFIRMED' ? tx.stamp : null,
  waitOrder: null,
  createdAt: tx.stamp,
  updatedAt: tx.stamp,
})

/** The caller has taken the place that the status names. Fails if the address has a row in this activity. */
export async function insertGuest(tx: Tx, values: NewGuest): Promise<RegistrationRow> {
  const [row] = await tx
    .insert(registrations)
    .values({ ...values, ...timesOf(tx, values.status) })
    .returning()
  listed.inserted(tx, row!)
  noteStatus(tx, undefined, row!)
  return row!
}

/** Uses the row of an ended registration again. */
export const renewGuest = async (tx: Tx, before: RegistrationRow, values: NewGuest): Promise<RegistrationRow> =>
  (await changeGuest(tx, before, {
    emailConfirmedAt: null,
    note: '',
    reason: '',
    autoPassId: null,
    ...values,
    ...timesOf(tx, values.status),
  }))!

/** Changes a guest that is still as it was read. Undefined, and nothing is changed, if it is not. */
export async function changeGuest(
  tx: Tx,
  before: RegistrationRow,
  change: Partial<Columns>,
): Promise<RegistrationRow | undefined> {
  const [row] = await tx
    .update(registrations)
    .set({ updatedAt: tx.stamp, ...change })
    .where(and(eq(registrations.id, before.id), eq(registrations.status, before.status), isGuest))
    .returning()
  if (row !== undefined) {
    listed.updated(tx, before, row)
    noteStatus(tx, before, row)
  }
  return row
}

const isPending = eq(registrations.status, 'PENDING').inlineParams()

/** PENDING registrations of the activity. There are some thousand at most. */
export async function countPending(tx: Tx, activityId: number): Promise<number> {
  const [row] = await tx
    .select({ n: count() })
    .from(registrations)
    .where(and(eq(registrations.activityId, activityId), isPending))
  return row!.n
}

/** The PENDING registration of the activity that began first. */
export async function oldestPending(tx: Tx, activityId: number): Promise<RegistrationRow | undefined> {
  const [row] = await tx
    .select()
    .from(registrations)
    .where(and(eq(registrations.activityId, activityId), isPending))
    .orderBy(asc(registrations.createdAt), asc(registrations.id))
    .limit(1)
  return row
}

/** Deletes PENDING registrations: nobody has registered. Returns their number. */
export async function deletePending(tx: Tx, ids: readonly number[]): Promise<number> {
  const rows = await tx
    .delete(registrations)
    .where(and(isOneOf(registrations.id, ids), isPending))
    .returning(listed.columns)
  for (const row of rows) listed.deleted(tx, row)
  return rows.length
}

/** Deletes at most `limit` PENDING registrations that began before `since`. Returns their number. */
export async function deleteOldPending(tx: Tx, since: number, limit: number): Promise<number> {
  const some = tx
    .select({ id: registrations.id })
    .from(registrations)
    .where(and(isPending, lt(registrations.createdAt, since)))
    .orderBy(asc(registrations.createdAt), asc(registrations.id))
    .limit(limit)
  const rows = await tx.delete(registrations).where(isAnyOf(registrations.id, some)).returning(listed.columns)
  for (const row of rows) listed.deleted(tx, row)
  return rows.length
}

const idsOf = async (db: Db | Tx, where: SQL | undefined, order: 'updatedAt' | 'id', limit: number) => {
  const rows = await db
    .select({ id: registrations.id })
    .from(registrations)
    .where(where)
    .orderBy(asc(registrations[order]), asc(registrations.id))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** At most `limit` guests who cancelled before `since` and whose data is still there. */
export const cancelledGuests = (tx: Tx, since: number, limit: number): Promise<number[]> =>
  idsOf(
    tx,
    and(eq(registrations.status, 'CANCELLED').inlineParams(), isKept, lt(registrations.updatedAt, since)),
    'updatedAt',
    limit,
  )

/** Guests with a place: at most `limit` with ids greater than `after`, ascending. */
export const confirmedGuests = (db: Db, activityId: number, after: number, limit: number): Promise<number[]> =>
  idsOf(
    db,
    and(
      eq(registrations.activityId, activityId),
      isKept,
      eq(registrations.status, 'CONFIRMED'),
      gt(registrations.id, after),
    ),
    'id',
    limit,
  )

/** At most `limit` guests of the activity whose data is still there. */
export const keptGuests = (tx: Tx, activityId: number, limit: number): Promise<number[]> =>
  idsOf(tx, and(eq(registrations.activityId, activityId), isKept), 'id', limit)

/** The next activity, by id, with guests whose data is still there. Deleted activities too. */
export async function nextWithGuests(db: Db, after: number) {
  const [next] = await db
    .select({ activityId: registrations.activityId })
    .from(registrations)
    .where(and(gt(registrations.activityId, after), isKept))
    .orderBy(asc(registrations.activityId))
    .limit(1)
  if (next === undefined) return undefined
  const { id, registration, endTime, endedAt } = activities
  const [row] = await db.select({ id, registration, endTime, endedAt }).from(activities).where(eq(id, next.activityId))
  return row
}

/** Activities, and their names, in which a guest with this address has a place or waits for one. */
export const activitiesOfAddress = (tx: Tx, email: string, limit: number) =>
  tx
    .select({ id: activities.id, name: activities.name })
    .from(registrations)
    .innerJoin(activities, eq(activities.id, registrations.activityId))
    .where(
      and(
        eq(registrations.email, email),
        isGuest,
        isNotNull(registrations.email).inlineParams(),
        inArray(registrations.status, ['CONFIRMED', 'WAITING']),
        isNull(activities.deletedAt),
        eq(activities.status, 'ACTIVE'),
      ),
    )
    .orderBy(asc(activities.id))
    .limit(limit)

/** In place of the name of a guest whose data was deleted. */
export const ERASED_NAME = 'Guest'

/** Deletes the data of guests, whose rows stay. Returns the ids of those whose data was there. */
export async function eraseGuestRows(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const rows = await tx
    .update(registrations)
    .set({
      name: ERASED_NAME,
      email: null,
      emailConfirmedAt: null,
      language: null,
      secret: null,
      secretHash: null,
      answers: {},
      note: '',
      reason: '',
      erasedAt: tx.stamp,
      updatedAt: tx.stamp,
    })
    .where(and(isOneOf(registrations.id, ids), isKept))
    .returning({ id: registrations.id })
  return rows.map(({ id }) => id)
}
