import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, min, ne, or, sql } from 'drizzle-orm'

import { dialect, isOneOf, notByIndex } from '#db/dialect.ts'
import { users } from '#db/schema/accounts.ts'
import { checkIns, registrations } from '#db/schema/activities.ts'
import { activityInvitations as invitations } from '#db/schema/activity-invitations.ts'
import { activityMessageRecipients as recipients, activityMessages as messages } from '#db/schema/activity-messages.ts'
import { passes, passListUses } from '#db/schema/passes.ts'
import type { Db } from '#db/store.ts'

import { participantName, shownEmail } from '../activities.store.ts'
import { passColumns } from '../passes/passes.store.ts'
import { type Filter, meets } from '../registrations/filters.store.ts'

export interface Participants {
  readonly activityId: number
  readonly filter: Filter
  readonly newestFirst: boolean
}

export type ParticipantRow = Awaited<ReturnType<typeof participantsAfter>>[number]

const shown = {
  id: registrations.id,
  activityId: registrations.activityId,
  userId: registrations.userId,
  status: registrations.status,
  source: registrations.source,
  email: shownEmail,
  language: registrations.language,
  answers: registrations.answers,
  note: registrations.note,
  confirmedAt: registrations.confirmedAt,
  waitOrder: registrations.waitOrder,
  createdAt: registrations.createdAt,
  nickname: participantName,
}

/**
 * At most `limit` registrations after the one that is given, each with whether it meets the filter: a statement that looked for matches only could
 * read all of them. The filter has at most one status, or not PENDING.
 */
export function participantsAfter(
  db: Db,
  { activityId, filter, newestFirst }: Participants,
  after: { readonly createdAt: number; readonly id: number } | undefined,
  limit: number,
) {
  const { id, createdAt } = registrations
  const [order, beyond] = newestFirst ? [desc, lt] : [asc, gt]
  const rest =
    after && or(beyond(createdAt, after.createdAt), and(eq(createdAt, after.createdAt), beyond(id, after.id)))
  const [status, another] = filter.status ?? []
  return db
    .select({
      ...shown,
      isMatch: sql<boolean>`case when ${meets(db, activityId, filter)} then 1 else 0 end`.mapWith(Boolean),
    })
    .from(registrations)
    .leftJoin(users, eq(users.id, registrations.userId))
    .where(
      and(
        eq(registrations.activityId, activityId),
        status === undefined || another !== undefined
          ? ne(registrations.status, 'PENDING').inlineParams()
          : eq(registrations.status, status),
        rest,
      ),
    )
    .orderBy(order(createdAt), order(id))
    .limit(limit)
}

export type ExportedRow = Awaited<ReturnType<typeof participantsByIds>>[number]

/** In the order of the ids. */
export async function participantsByIds(db: Db, activityId: number, ids: readonly number[]) {
  const rows = await db
    .select(shown)
    .from(registrations)
    .leftJoin(users, eq(users.id, registrations.userId))
    .where(and(isOneOf(registrations.id, ids), eq(notByIndex(registrations.activityId), activityId)))
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((one) => found.get(one) ?? [])
}

/** Messages of the activity that were sent to the person: at most `limit` rows, of the latest 200 messages. */
export async function messagesOf(db: Db, activityId: number, person: number, limit: number) {
  const latest = db
    .select({ id: messages.id, kind: messages.kind, at: messages.sendAt })
    .from(messages)
    .where(eq(messages.activityId, activityId))
    .orderBy(desc(messages.id))
    .limit(200)
    .as('latest')
  return db
    .select({
      messageId: latest.id,
      kind: latest.kind,
      at: latest.at,
      channel: recipients.channel,
      state: recipients.state,
      sentAt: recipients.sentAt,
      reason: recipients.reason,
    })
    .from(latest)
    .innerJoin(recipients, and(eq(recipients.messageId, latest.id), eq(recipients.person, person)))
    .orderBy(desc(latest.id), asc(recipients.channel))
    .limit(limit)
}

/** The personal invitations that the registration has used, as far as a mail was asked for. There are a few at most. */
export const invitationsOf = (db: Db, registrationId: number) =>
  db
    .select({
      state: invitations.mailState,
      reason: invitations.mailReason,
      sentAt: invitations.sentAt,
      createdAt: invitations.createdAt,
    })
    .from(invitations)
    .where(
      and(
        eq(invitations.usedBy, registrationId),
        isNotNull(invitations.usedBy).inlineParams(),
        isNotNull(invitations.mailState),
      ),
    )
    .orderBy(desc(invitations.id))
    .limit(MAX_INVITATIONS)
/** A registration that is cancelled can use another one. */
const MAX_INVITATIONS = 20

export interface Person {
  readonly id: number
  readonly userId: number | null
}

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
        // With an index that has it, SQLite would read all passes of the activity.
        isNull(notByIndex(passes.deletedAt)),
      ),
    )
    .orderBy(asc(passes.id))

/** The uses of these passes of the activity on check-in lists. */
export const listUsesOf = (db: Db, activityId: number, passIds: readonly number[]) =>
  db
    .select({ passId: passListUses.passId, listId: passListUses.listId, usedCount: passListUses.usedCount })
    .from(passListUses)
    .where(and(eq(passListUses.activityId, activityId), isOneOf(passListUses.passId, passIds)))

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
