/** The row of an activity, as all topics read it. */

import { and, desc, eq, getTableColumns, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'

import { jsonText } from '#db/dialect.ts'
import { isNotErasedOwner } from '#db/erasures.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { users } from '#db/schema/accounts.ts'
import { activities, activityCounters, purgedActivities, registrations } from '#db/schema/activities.ts'
import { activityMessages as messages } from '#db/schema/activity-messages.ts'
import { files } from '#db/schema/files.ts'
import { organizations } from '#db/schema/orgs.ts'
import type { Builders, Db, Tx, WriteOptions } from '#db/store.ts'

const p = sql.placeholder

/** An activity with what its answers say about the owner and the cover. */
const shown = {
  ...getTableColumns(activities),
  orgName: organizations.name,
  orgStatus: organizations.status,
  orgVisibility: organizations.visibility,
  orgAvatar: organizations.avatar,
  /** The nickname of the user who owns a personal activity. */
  ownerNickname: users.nickname,
  ownerAvatar: users.avatar,
  coverPublicKey: files.publicKey,
  coverMime: files.mime,
}

/** An owner below 0 is a user, above 0 an organization (db/owner-key.ts). */
export const activitiesWithOwners = (db: Pick<Builders, 'select'>) =>
  db
    .select(shown)
    .from(activities)
    .leftJoin(organizations, eq(organizations.id, activities.owner))
    .leftJoin(users, eq(users.id, sql`-${activities.owner}`))
    .leftJoin(files, eq(files.id, activities.coverFileId))

/** The name of a user, or of the guest of a registration that is joined beside. */
export const participantName = sql<string>`coalesce(${users.nickname}, ${registrations.name})`

/** The address of a registration that managers see: of a guest, or of a user as long as `registration.contact` is EMAIL. */
export const shownEmail = sql<string | null>`case when ${registrations.userId} is null then ${registrations.email}
  when ${registrations.email} is null then null
  when (select ${jsonText(activities.registration, 'contact')} from ${activities} where ${activities.id} = ${registrations.activityId}) = 'EMAIL'
  then ${registrations.email} end`

export const isLive = isNull(activities.deletedAt).inlineParams()

/** Of users whose content is being erased, those that were cancelled are found until the participants are notified. */
const isFound = and(isLive, or(isNotErasedOwner(activities.owner), eq(activities.status, 'CANCELLED')))

const byId = prepared((db) => activitiesWithOwners(db).where(and(eq(activities.id, p('id')), isFound)))
const byUuid = prepared((db) => activitiesWithOwners(db).where(and(eq(activities.uuid, p('uuid')), isFound)))
const byCheckInUuid = prepared((db) =>
  activitiesWithOwners(db).where(and(eq(activities.checkInUuid, p('uuid')), isFound)),
)

export const versionOfActivity = versionIn(activities)

export type ActivityRow = Awaited<ReturnType<typeof byId>>[number]

/** Any activity that is not deleted: the caller checks who may see it (visibility.service.ts). */
export const findActivity = async (db: Db | Tx, id: number): Promise<ActivityRow | undefined> =>
  (await byId(db, { id }))[0]

/** Uuids are in lower case. */
export const findByUuid = async (db: Db | Tx, id: string): Promise<ActivityRow | undefined> =>
  (await byUuid(db, { uuid: id.toLowerCase() }))[0]

/** By the uuid of the check-in page. */
export const findByCheckInUuid = async (db: Db | Tx, id: string): Promise<ActivityRow | undefined> =>
  (await byCheckInUuid(db, { uuid: id.toLowerCase() }))[0]

/**
 * Option of writes that count something in activities many times a second: two processes that change the counters of the same activity at the same
 * time would conflict, so they take turns.
 */
export const IN_ORDER: WriteOptions = { inOrder: 'activity_counters' }

const countersById = prepared((db) =>
  db
    .select()
    .from(activityCounters)
    .where(eq(activityCounters.activityId, p('id'))),
)
export type CountersRow = Awaited<ReturnType<typeof countersById>>[number]

export const findCounters = async (db: Db | Tx, id: number): Promise<CountersRow> =>
  (await countersById(db, { id }))[0]!

/** The start of the activity before it was moved last. Changes without a notice to participants do not count. */
export async function findEarlierStart(db: Db, { id, startTime }: ActivityRow): Promise<number | undefined> {
  const [told] = await db
    .select({ changes: messages.changes })
    .from(messages)
    .where(and(eq(messages.activityId, id), eq(messages.kind, 'MOVED'), inArray(messages.state, ['RUNNING', 'DONE'])))
    .orderBy(desc(messages.id))
    .limit(1)
  const change = told?.changes.find(({ field }) => field === 'startTime')
  // Moved back without a notice, it is where it was.
  return typeof change?.before === 'number' && change.after === startTime ? change.before : undefined
}

/** For lists of the rows of one activity, which a job may still have to delete. */
export const isNotPurged = (activityId: number): SQL =>
  sql`not exists (select 1 from ${purgedActivities} where ${purgedActivities.activityId} = ${activityId})`
