import { and, asc, count, desc, eq, gte, isNull, lte, max, sql } from 'drizzle-orm'

import { keptTotal } from '#db/list-totals.ts'
import { prepared } from '#db/prepared.ts'
import { registrations } from '#db/schema/activities.ts'
import { activityGates as gates, gateDevices as devices } from '#db/schema/activity-gates.ts'
import { activityMessages as messages } from '#db/schema/activity-messages.ts'
import { passMinutes } from '#db/schema/passes.ts'
import type { Db } from '#db/store.ts'

const p = sql.placeholder
const total = (list: Parameters<typeof keptTotal>[0]) => keptTotal(list, sql`${p('activityId')}`).mapWith(Number)

const totals = prepared((db) =>
  db
    .select({ used: total('passes.used'), revoked: total('passes.revoked'), inside: total('passes.inside') })
    .from(sql`(select 1) as one_row`),
)

/** The passes of the activity that were used, were revoked and are inside, as triggers keep their numbers. */
export const passTotals = async (db: Db, activityId: number) => (await totals(db, { activityId }))[0]!

const ofMinutes = prepared((db) =>
  db
    .select({ at: passMinutes.minute, entries: passMinutes.entries })
    .from(passMinutes)
    .where(
      and(
        eq(passMinutes.activityId, p('activityId')),
        gte(passMinutes.minute, p('from')),
        lte(passMinutes.minute, p('to')),
      ),
    ),
)

/** The entries of these minutes; minutes without one may be left out. */
export async function entriesByMinute(
  db: Db,
  activityId: number,
  from: number,
  to: number,
): Promise<ReadonlyMap<number, number>> {
  const rows = await ofMinutes(db, { activityId, from, to })
  return new Map(rows.map(({ at, entries }) => [at, entries]))
}

/** Guests who have not confirmed their address. The number that an activity may have is limited. */
export async function countPending(db: Db, activityId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(registrations)
    .where(and(eq(registrations.activityId, activityId), eq(registrations.status, 'PENDING')))
  return row!.n
}

/** So many may an activity have. */
const MOST_GATES = 50

const liveGates = prepared((db) =>
  db
    .select({
      gateId: gates.id,
      name: gates.name,
      admitted: sql`coalesce(sum(${devices.admitted}), 0)`.mapWith(Number),
      refused: sql`coalesce(sum(${devices.refused}), 0)`.mapWith(Number),
      waiting: sql`coalesce(sum(${devices.waiting}), 0)`.mapWith(Number),
      lastSeenAt: max(devices.lastSeenAt),
    })
    .from(gates)
    .leftJoin(devices, eq(devices.gateId, gates.id))
    .where(
      and(
        eq(gates.activityId, p('activityId')),
        isNull(gates.revokedAt).inlineParams(),
        sql`coalesce(${gates.expiresAt}, ${p('ownExpiry')}) > ${p('now')}`,
      ),
    )
    .groupBy(gates.id, gates.name)
    .orderBy(asc(gates.id))
    .limit(MOST_GATES),
)

/** The gates of the activity that have not ended, with the sums of their devices. `ownExpiry`: when those without an end of their own expire. */
export const gatesOf = (db: Db, activityId: number, ownExpiry: number, now: number) =>
  liveGates(db, { activityId, ownExpiry, now })

/** Ten a day for three months. */
const MOST_MESSAGES = 1000

const newestMessages = prepared((db) =>
  db
    .select({ createdBy: messages.createdBy, state: messages.state, counts: messages.counts, sendAt: messages.sendAt })
    .from(messages)
    .where(eq(messages.activityId, p('activityId')))
    .orderBy(desc(messages.id))
    .limit(MOST_MESSAGES),
)

/** The newest 1,000 of the activity, the newest first. */
export const messagesOf = (db: Db, activityId: number) => newestMessages(db, { activityId })
