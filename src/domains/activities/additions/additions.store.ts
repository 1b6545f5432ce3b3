import { and, eq, inArray, ne, sql } from 'drizzle-orm'

import { isOneOf, notByIndex } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { activities, registrations } from '#db/schema/activities.ts'
import type { Db, Tx } from '#db/store.ts'

import { listed, noteStatus, type RegistrationRow } from '../registrations/registrations.store.ts'

/** Those of the users who have registered for an activity of this owner. */
export async function registeredWithOwner(db: Db, owner: OwnerKey, userIds: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectDistinct({ userId: registrations.userId })
    .from(registrations)
    .innerJoin(activities, eq(activities.id, registrations.activityId))
    .where(and(inArray(registrations.userId, [...userIds]), eq(notByIndex(activities.owner), owner)))
  return new Set(rows.map(({ userId }) => userId!))
}

/** Registrations of these users for the activity, by the user. */
export async function registrationsOf(
  tx: Tx,
  activityId: number,
  userIds: readonly number[],
): Promise<Map<number, RegistrationRow>> {
  if (userIds.length === 0) return new Map()
  const rows = await tx
    .select()
    .from(registrations)
    .where(and(eq(registrations.activityId, activityId), isOneOf(registrations.userId, userIds)))
  return new Map(rows.map((row) => [row.userId!, row]))
}

/** Registrations of guests with these addresses, by the address. */
export async function guestsOf(
  db: Db | Tx,
  activityId: number,
  emails: readonly string[],
): Promise<Map<string, RegistrationRow>> {
  if (emails.length === 0) return new Map()
  const rows = await db
    .select()
    .from(registrations)
    .where(
      and(
        eq(registrations.activityId, activityId),
        isOneOf(registrations.email, emails),
        // The condition of the index.
        sql`${registrations.userId} is null and ${registrations.email} is not null`,
      ),
    )
  return new Map(rows.map((row) => [row.email!, row]))
}

/** The registration of the person of `row` for another activity. */
export async function findSamePerson(
  tx: Tx,
  activityId: number,
  { userId, email }: Pick<RegistrationRow, 'userId' | 'email'>,
): Promise<RegistrationRow | undefined> {
  if (userId !== null) return (await registrationsOf(tx, activityId, [userId])).get(userId)
  return email === null ? undefined : (await guestsOf(tx, activityId, [email])).get(email)
}

export type NewRegistration = Pick<
  RegistrationRow,
  | 'activityId'
  | 'userId'
  | 'status'
  | 'source'
  | 'name'
  | 'email'
  | 'emailConfirmedAt'
  | 'language'
  | 'secretHash'
  | 'secret'
  | 'answers'
  | 'note'
>

const timesOf = (tx: Tx, status: RegistrationRow['status']) => ({
  confirmedAt: status === 'CONFIRMED' ? tx.stamp : null,
  waitOrder: null,
  reason: '',
  createdAt: tx.stamp,
  updatedAt: tx.stamp,
})

/** Rows that one statement inserts. */
const CHUNK = 100

/** In their order. */
export async function insertRegistrations(tx: Tx, given: readonly NewRegistration[]): Promise<RegistrationRow[]> {
  const inserted: RegistrationRow[] = []
  for (let at = 0; at < given.length; at += CHUNK) {
    const rows = await tx
      .insert(registrations)
      .values(given.slice(at, at + CHUNK).map((row) => ({ ...row, ...timesOf(tx, row.status) })))
      .returning()
    for (const row of rows) {
      listed.inserted(tx, row)
      noteStatus(tx, undefined, row)
    }
    inserted.push(...rows.toSorted((a, b) => a.id - b.id))
    await tx.pause()
  }
  return inserted
}

/** Uses a registration that has ended again. */
export async function reviveRegistration(
  tx: Tx,
  before: RegistrationRow,
  given: NewRegistration,
): Promise<RegistrationRow> {
  const [row] = await tx
    .update(registrations)
    .set({ ...given, ...timesOf(tx, given.status) })
    .where(
      and(eq(registrations.id, before.id), ne(registrations.status, 'CONFIRMED'), ne(registrations.status, 'WAITING')),
    )
    .returning()
  listed.updated(tx, before, row!)
  noteStatus(tx, before, row!)
  return row!
}
