import { and, asc, count, eq, gt, gte, inArray, isNull, lt, or, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { note } from '#db/notes.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { users } from '#db/schema/accounts.ts'
import { activityCounters, checkInUsers, registrations } from '#db/schema/activities.ts'
import { orgMembers } from '#db/schema/orgs.ts'
import { passes, passIssues } from '#db/schema/passes.ts'
import type { Db, Tx } from '#db/store.ts'

import { isKept, listed, markChanged, passColumns, type PassRow, validToNow } from '../passes/passes.store.ts'

/** The issue with this request id; undefined if there is none. */
export async function findIssue(
  db: Db | Tx,
  activityId: number,
  userId: number,
  requestId: string,
): Promise<number | undefined> {
  const [row] = await db
    .select({ id: passIssues.id })
    .from(passIssues)
    .where(
      and(
        eq(passIssues.activityId, activityId),
        eq(passIssues.userId, userId),
        eq(passIssues.requestId, requestId),
        // The condition of the index.
        sql`${passIssues.requestId} is not null`,
      ),
    )
  return row?.id
}

/** Returns the id; undefined if there is an issue with this request id. */
export async function insertIssue(
  tx: Tx,
  activityId: number,
  userId: number,
  requestId: string | null,
): Promise<number | undefined> {
  const [row] = await tx
    .insert(passIssues)
    .values({ activityId, userId, requestId, createdAt: tx.stamp })
    .onConflictDoNothing()
    .returning({ id: passIssues.id })
  return row?.id
}

export async function countOfIssue(db: Db, issueId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(passes)
    .where(and(eq(passes.issueId, issueId), isKept))
  return row!.n
}

/** At most `limit` passes of an issue after the pass with the id `after`, in the order of the request. */
export const passesOfIssue = (db: Db | Tx, issueId: number, after: number, limit: number): Promise<PassRow[]> =>
  db
    .select(passColumns)
    .from(passes)
    .where(and(eq(passes.issueId, issueId), isKept, gt(passes.id, after)))
    .orderBy(asc(passes.id))
    .limit(limit)

/** The nicknames of those of the users who are active. */
export async function activeUsers(db: Db | Tx, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db
    .select({ id: users.id, nickname: users.nickname })
    .from(users)
    .where(and(inArray(users.id, [...ids]), eq(users.status, 'ACTIVE')))
  return new Map(rows.map((row) => [row.id, row.nickname]))
}

/** Those of the users who are members of the organization, have registered or have checked in. */
export async function participants(
  db: Db,
  activity: { readonly id: number; readonly owner: OwnerKey },
  ids: readonly number[],
): Promise<Set<number>> {
  const found = await Promise.all([
    db
      .select({ userId: orgMembers.userId })
      .from(orgMembers)
      .where(and(eq(orgMembers.orgId, orgOf(activity.owner)), isOneOf(orgMembers.userId, ids))),
    db
      .select({ userId: registrations.userId })
      .from(registrations)
      .where(and(eq(registrations.activityId, activity.id), isOneOf(registrations.userId, ids))),
    db
      .select({ userId: checkInUsers.userId })
      .from(checkInUsers)
      .where(and(eq(checkInUsers.activityId, activity.id), isOneOf(checkInUsers.userId, ids))),
  ])
  return new Set(found.flat().map(({ userId }) => userId!))
}

/** Those of the users who are active, have a place in the activity and no live pass for it. */
export async function registeredWithoutPass(
  db: Db | Tx,
  activityId: number,
  userIds: readonly number[],
  now: number,
): Promise<Set<number>> {
  const rows = await db
    .select({ userId: registrations.userId })
    .from(registrations)
    .innerJoin(users, eq(users.id, registrations.userId))
    .leftJoin(
      passes,
      and(
        eq(passes.activityId, registrations.activityId),
        eq(passes.liveHolderId, registrations.userId),
        // The condition of the index.
        sql`${passes.liveHolderId} is not null`,
        // The job may not have reached an expired pass yet.
        or(isNull(validToNow), gte(validToNow, now)),
      ),
    )
    .where(
      and(
        eq(registrations.activityId, activityId),
        isOneOf(registrations.userId, userIds),
        eq(registrations.status, 'CONFIRMED'),
        eq(users.status, 'ACTIVE'),
        isNull(passes.id),
      ),
    )
  return new Set(rows.map(({ userId }) => userId!))
}

/** A guest who gets a pass. */
export type GuestHolder = Pick<typeof registrations.$inferSelect, 'id' | 'email' | 'emailConfirmedAt'> & {
  readonly name: string
}

/** Those of the guests, by their registrations, who have a place in the activity and no live pass for it. */
export async function guestsWithoutPass(
  db: Db | Tx,
  activityId: number,
  ids: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, GuestHolder>> {
  if (ids.length === 0) return new Map()
  const { id, name, email, emailConfirmedAt } = registrations
  const rows = await db
    .select({ id, name, email, emailConfirmedAt })
    .from(registrations)
    .leftJoin(
      passes,
      and(
        eq(passes.activityId, registrations.activityId),
        eq(passes.liveHolderId, sql`-${registrations.id}`),
        // The condition of the index.
        sql`${passes.liveHolderId} is not null`,
        or(isNull(validToNow), gte(validToNow, now)),
      ),
    )
    .where(
      and(
        eq(registrations.activityId, activityId),
        isOneOf(registrations.id, ids),
        isNull(registrations.userId),
        eq(registrations.status, 'CONFIRMED'),
        isNull(passes.id),
      ),
    )
    .orderBy(asc(registrations.id))
  return new Map(rows.map((row) => [row.id, { ...row, name: row.name ?? '' }]))
}

/**
 * Ends expired passes of these people (`personOf`), so that they can get new ones: those that the job has not reached yet, and those that follow the
 * activity, which keep its present end from now on.
 */
export async function expirePassesOf(
  tx: Tx,
  activityId: number,
  people: readonly number[],
  now: number,
): Promise<void> {
  const expired = and(eq(passes.activityId, activityId), liveOf(people), lt(validToNow, now))
  const followers = await tx
    .select({ id: passes.id, activityId: passes.activityId })
    .from(passes)
    .where(and(expired, eq(passes.followsActivity, true)))
  await markChanged(tx, followers)
  await tx
    .update(passes)
    .set({ validTo: validToNow, followsActivity: false, liveHolderId: null, expiredAt: now, updatedAt: tx.stamp })
    .where(expired)
    .returning({ id: passes.id })
}

const liveOf = (people: readonly number[]) =>
  and(sql`${passes.liveHolderId} is not null`, inArray(passes.liveHolderId, [...people]))

/** Until when the live passes of these users are valid, by the user; null for no end. */
export async function liveUntil(
  db: Db | Tx,
  activityId: number,
  userIds: readonly number[],
): Promise<Map<number, number | null>> {
  const rows = await db
    .select({ userId: passes.liveHolderId, validTo: passColumns.validTo })
    .from(passes)
    .where(and(eq(passes.activityId, activityId), liveOf(userIds)))
  return new Map(rows.map(({ userId, validTo }) => [userId!, validTo]))
}

/** Those of the people (`personOf`) who have a live pass. */
export async function liveHolders(tx: Tx, activityId: number, people: readonly number[]): Promise<Set<number>> {
  const rows = await tx
    .select({ person: passes.liveHolderId })
    .from(passes)
    .where(and(eq(passes.activityId, activityId), liveOf(people)))
  return new Set(rows.map(({ person }) => person!))
}

export type NewPass = Pick<
  typeof passes.$inferInsert,
  | 'uuid'
  | 'activityId'
  | 'issueId'
  | 'templateId'
  | 'color'
  | 'holderUserId'
  | 'registrationId'
  | 'liveHolderId'
  | 'holderName'
  | 'fields'
  | 'keyId'
  | 'validFrom'
  | 'validTo'
  | 'followsActivity'
  | 'maxUses'
>

/** In their order. */
export async function insertPasses(tx: Tx, given: readonly NewPass[]): Promise<PassRow[]> {
  const rows = await tx
    .insert(passes)
    .values(given.map((pass) => ({ ...pass, createdAt: tx.stamp, updatedAt: tx.stamp })))
    .returning(passColumns)
  for (const row of rows) {
    listed.inserted(tx, row)
    note(tx, { type: 'pass.issued', activityId: row.activityId, id: row.id })
  }
  return rows.toSorted((a, b) => a.id - b.id)
}

export async function countPasses(tx: Tx, activityId: number, added: number): Promise<void> {
  await tx
    .update(activityCounters)
    .set({ passes: sql`${activityCounters.passes} + ${added}` })
    .where(eq(activityCounters.activityId, activityId))
    .returning({ activityId: activityCounters.activityId })
}
