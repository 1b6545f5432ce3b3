import { and, asc, eq, gt, isNull } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { registrations } from '#db/schema/activities.ts'
import type { Db, Tx } from '#db/store.ts'

import { participantName } from '../activities.store.ts'

/** A CONFIRMED registration for which `autoIssue` has issued no pass. */
const isOpen = and(eq(registrations.status, 'CONFIRMED'), isNull(registrations.autoPassId))

/** Those of the registrations, with the names of their people. */
export const placesWithoutPass = (tx: Tx, activityId: number, ids: readonly number[]) =>
  tx
    .select({
      id: registrations.id,
      userId: registrations.userId,
      email: registrations.email,
      emailConfirmedAt: registrations.emailConfirmedAt,
      holderName: participantName,
    })
    .from(registrations)
    .leftJoin(users, eq(users.id, registrations.userId))
    .where(and(isOneOf(registrations.id, ids), eq(registrations.activityId, activityId), isOpen))
    .orderBy(asc(registrations.id))

/** At most `limit` of the activity with ids greater than `after`, ascending. */
export const nextPlaces = (db: Db, activityId: number, after: number, limit: number) =>
  db
    .select({ id: registrations.id })
    .from(registrations)
    .where(and(eq(registrations.activityId, activityId), gt(registrations.id, after), isOpen))
    .orderBy(asc(registrations.id))
    .limit(limit)

const given = jsonRows('given', { id: 'int', autoPassId: 'int' })
const setAll = prepared((db) =>
  db
    .update(registrations)
    .set({ autoPassId: given.autoPassId })
    .from(given.rows)
    .where(eq(registrations.id, given.id))
    .returning({ id: registrations.id }),
)

/** Notes the passes that were issued for registrations. */
export async function setAutoPasses(
  tx: Tx,
  passes: readonly { readonly id: number; readonly autoPassId: number }[],
): Promise<void> {
  await setAll(tx, given.values(passes))
}
