import { and, desc, eq, gte, isNull, or, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { passes } from '#db/schema/passes.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

export type PassRow = typeof passes.$inferSelect

const byId = prepared((db) =>
  db
    .select()
    .from(passes)
    .where(eq(passes.id, p('id'))),
)
const byUuid = prepared((db) =>
  db
    .select()
    .from(passes)
    .where(eq(passes.uuid, p('uuid'))),
)

/** Any pass: the caller checks who may see it, and that its activity exists. */
export const findPass = async (db: Db | Tx, id: number): Promise<PassRow | undefined> => (await byId(db, { id }))[0]

export const findPassByUuid = async (db: Db | Tx, uuid: string): Promise<PassRow | undefined> =>
  (await byUuid(db, { uuid: uuid.toLowerCase() }))[0]

/** A pass is live until it expires or is revoked; uses do not matter, because a holder who left may come back. */
const isLive = and(
  isNull(passes.revokedAt).inlineParams(),
  isNull(passes.expiredAt).inlineParams(),
  or(isNull(passes.validTo), gte(passes.validTo, p('now'))),
)

const liveOfUser = prepared((db) =>
  db
    .select()
    .from(passes)
    .where(and(eq(passes.holderUserId, p('userId')), eq(passes.activityId, p('activityId')), isLive))
    .orderBy(desc(passes.id))
    .limit(100),
)

/** The user's passes that are neither expired nor revoked, the newest first. */
export const livePassesOf = (db: Db | Tx, activityId: number, userId: number, now: number): Promise<PassRow[]> =>
  liveOfUser(db, { activityId, userId, now })

/** Counting stops here: it is enough to say that there are many. */
const MOST_COUNTED = 1000

/** The number of passes of the activity that are neither expired nor revoked; at most 1,000. */
export async function countLive(db: Db | Tx, activityId: number, now: number): Promise<number> {
  const rows = await someLive(db, { activityId, now })
  return rows.length
}

const someLive = prepared((db) =>
  db
    .select({ id: passes.id })
    .from(passes)
    .where(and(eq(passes.activityId, p('activityId')), isLive))
    .limit(MOST_COUNTED),
)
