import { and, eq, inArray, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { registrations } from '#db/schema/activities.ts'
import type { Db } from '#db/store.ts'

const p = sql.placeholder

const live = prepared((db) =>
  db
    .select({ id: registrations.id })
    .from(registrations)
    .where(
      and(
        eq(registrations.activityId, p('activityId')),
        eq(registrations.userId, p('userId')),
        inArray(registrations.status, ['CONFIRMED', 'WAITING']).inlineParams(),
      ),
    ),
)

/** Whether the user has a place in the activity, or waits for one. */
export const isRegisteredFor = async (db: Db, activityId: number, userId: number): Promise<boolean> =>
  (await live(db, { activityId, userId })).length > 0
