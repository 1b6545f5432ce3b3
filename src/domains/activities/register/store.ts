import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { activities } from '#db/schema/activities.ts'
import { organizations } from '#db/schema/orgs.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

const p = sql.placeholder

/** An activity with what its answers say about the owner. */
const shown = {
  ...getTableColumns(activities),
  orgName: organizations.name,
  orgStatus: organizations.status,
  orgVisibility: organizations.visibility,
  /** The nickname of the user who owns a personal activity. */
  ownerNickname: users.nickname,
}

/** An owner below 0 is a user, above 0 an organization (db/owner-key.ts). */
const activitiesWithOwners = (db: Pick<Builders, 'select'>) =>
  db
    .select(shown)
    .from(activities)
    .leftJoin(organizations, eq(organizations.id, activities.owner))
    .leftJoin(users, eq(users.id, sql`-${activities.owner}`))

const exists = isNull(activities.deletedAt).inlineParams()

const byId = prepared((db) => activitiesWithOwners(db).where(and(eq(activities.id, p('id')), exists)))
const byUuid = prepared((db) => activitiesWithOwners(db).where(and(eq(activities.uuid, p('uuid')), exists)))
const byCheckInUuid = prepared((db) =>
  activitiesWithOwners(db).where(and(eq(activities.checkInUuid, p('uuid')), exists)),
)

export type ActivityRow = Awaited<ReturnType<typeof byId>>[number]

/** Any activity that is not deleted: the caller checks who may see it (visibility/service.ts). */
export const findActivity = async (db: Db | Tx, id: number): Promise<ActivityRow | undefined> =>
  (await byId(db, { id }))[0]

/** Uuids are in lower case. */
export const findByUuid = async (db: Db | Tx, uuid: string): Promise<ActivityRow | undefined> =>
  (await byUuid(db, { uuid: uuid.toLowerCase() }))[0]

/** By the uuid of the check-in page. */
export const findByCheckInUuid = async (db: Db | Tx, uuid: string): Promise<ActivityRow | undefined> =>
  (await byCheckInUuid(db, { uuid: uuid.toLowerCase() }))[0]
