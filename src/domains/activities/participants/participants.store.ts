import { and, asc, desc, eq, gt, inArray, isNull, lt, min, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { dialect } from '#db/dialect.ts'
import { users } from '#db/schema/accounts.ts'
import { checkIns, registrations, type RegistrationStatus } from '#db/schema/activities.ts'
import { passes } from '#db/schema/passes.ts'
import type { Db } from '#db/store.ts'

import { passColumns } from '../passes/passes.store.ts'

export interface Participants {
  readonly activityId: number
  readonly status: RegistrationStatus | undefined
  /** Part of the nickname. */
  readonly keyword: string | undefined
  readonly newestFirst: boolean
}

export type ParticipantRow = Awaited<ReturnType<typeof participantsAfter>>[number]

/**
 * At most `limit` registrations after the one that is given, each with whether its nickname has the keyword: a statement that looked for
 * matches only could read all of them.
 */
export function participantsAfter(
  db: Db,
  { activityId, status, keyword, newestFirst }: Participants,
  after: { readonly createdAt: number; readonly id: number } | undefined,
  limit: number,
) {
  const { id, createdAt } = registrations
  const [order, beyond] = newestFirst ? [desc, lt] : [asc, gt]
  const rest =
    after && or(beyond(createdAt, after.createdAt), and(eq(createdAt, after.createdAt), beyond(id, after.id)))
  const isMatch: SQL = keyword ? contains(users.nickname, keyword) : sql`1 = 1`
  return db
    .select({
      id,
      activityId: registrations.activityId,
      userId: registrations.userId,
      status: registrations.status,
      answers: registrations.answers,
      createdAt,
      nickname: users.nickname,
      isMatch: sql<boolean>`case when ${isMatch} then 1 else 0 end`.mapWith(Boolean),
    })
    .from(registrations)
    .innerJoin(users, eq(users.id, registrations.userId))
    .where(
      and(
        eq(registrations.activityId, activityId),
        status === undefined ? undefined : eq(registrations.status, status),
        rest,
      ),
    )
    .orderBy(order(createdAt), order(id))
    .limit(limit)
}

/** The passes of these users for the activity, oldest first. */
export const passesOf = (db: Db, activityId: number, userIds: readonly number[]) =>
  db
    .select({
      id: passes.id,
      holderUserId: passes.holderUserId,
      liveHolderId: passes.liveHolderId,
      validTo: passColumns.validTo,
      maxUses: passes.maxUses,
      usedCount: passes.usedCount,
      revokedAt: passes.revokedAt,
      expiredAt: passColumns.expiredAt,
    })
    .from(passes)
    .where(and(eq(passes.activityId, activityId), inArray(passes.holderUserId, [...userIds]), isNull(passes.deletedAt)))
    .orderBy(asc(passes.id))

/** When these users checked in first. */
export async function firstCheckIns(
  db: Db,
  activityId: number,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .select({ userId: checkIns.userId, at: min(checkIns.checkedInAt) })
    .from(checkIns)
    .where(and(eq(checkIns.activityId, activityId), inArray(checkIns.userId, [...userIds])))
    .groupBy(checkIns.userId)
  return new Map(rows.map(({ userId, at }) => [userId, at!]))
}

/** Questions that the activity no longer asks still have answers. At most `limit` keys of all answers, in order. */
export async function answeredKeys(db: Db, activityId: number, limit: number): Promise<string[]> {
  const { answers } = registrations
  const each =
    dialect === 'sqlite'
      ? sql`json_each(${answers}) as answer`
      : sql`jsonb_object_keys(${answers}::jsonb) as answer(key)`
  const rows = await db
    .selectDistinct({ key: sql<string>`answer.key`.as('key') })
    .from(registrations)
    .innerJoin(each, sql`1 = 1`)
    .where(eq(registrations.activityId, activityId))
    .orderBy(sql`1`)
    .limit(limit)
  return rows.map((row) => row.key)
}
