import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, min, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { dialect } from '#db/dialect.ts'
import { users } from '#db/schema/accounts.ts'
import { checkIns, registrations, type RegistrationStatus } from '#db/schema/activities.ts'
import { passes } from '#db/schema/passes.ts'
import type { Db } from '#db/store.ts'

import { participantName } from '../activities.store.ts'
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
  const isMatch: SQL = keyword ? contains(participantName, keyword) : sql`1 = 1`
  return db
    .select({
      id,
      activityId: registrations.activityId,
      userId: registrations.userId,
      status: registrations.status,
      answers: registrations.answers,
      waitOrder: registrations.waitOrder,
      createdAt,
      nickname: participantName,
      isMatch: sql<boolean>`case when ${isMatch} then 1 else 0 end`.mapWith(Boolean),
    })
    .from(registrations)
    .leftJoin(users, eq(users.id, registrations.userId))
    .where(
      and(
        eq(registrations.activityId, activityId),
        status === undefined ? ne(registrations.status, 'PENDING').inlineParams() : eq(registrations.status, status),
        rest,
      ),
    )
    .orderBy(order(createdAt), order(id))
    .limit(limit)
}

export type Person = Pick<ParticipantRow, 'id' | 'userId'>

const usersAmong = (people: readonly Person[]): number[] => people.flatMap(({ userId }) => userId ?? [])
const guestsAmong = (people: readonly Person[]): number[] =>
  people.filter(({ userId }) => userId === null).map(({ id }) => id)

/** The passes of these people for the activity, oldest first, each with `personOf` its holder. */
export const passesOf = (db: Db, activityId: number, people: readonly Person[]) =>
  db
    .select({
      id: passes.id,
      person: sql<number>`coalesce(${passes.holderUserId}, -${passes.registrationId})`.mapWith(Number),
      liveHolderId: passes.liveHolderId,
      validTo: passColumns.validTo,
      maxUses: passes.maxUses,
      usedCount: passes.usedCount,
      revokedAt: passes.revokedAt,
      expiredAt: passColumns.expiredAt,
    })
    .from(passes)
    .where(
      and(
        or(
          and(
            eq(passes.activityId, activityId),
            isNotNull(passes.holderUserId),
            inArray(passes.holderUserId, usersAmong(people)),
          ),
          and(isNotNull(passes.registrationId), inArray(passes.registrationId, guestsAmong(people))),
        ),
        isNull(passes.deletedAt),
      ),
    )
    .orderBy(asc(passes.id))

/** When these people checked in first, by `personOf`. */
export async function firstCheckIns(
  db: Db,
  activityId: number,
  people: readonly Person[],
): Promise<ReadonlyMap<number, number>> {
  const { userId, registrationId, checkedInAt } = checkIns
  const ofUsers = and(eq(checkIns.activityId, activityId), inArray(userId, usersAmong(people)))
  const ofGuests = and(isNotNull(registrationId), inArray(registrationId, guestsAmong(people)))
  const rows = await db
    .select({ userId, registrationId, at: min(checkedInAt) })
    .from(checkIns)
    .where(or(ofUsers, ofGuests))
    .groupBy(userId, registrationId)
  return new Map(rows.map((row) => [row.userId ?? -row.registrationId!, row.at!]))
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
