import { and, asc, count, eq, gt, gte, isNull, lt, lte, type SQL, sql, sum } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { sessions, users } from '#db/schema/accounts.ts'
import { activities } from '#db/schema/activities.ts'
import { assets } from '#db/schema/assets.ts'
import { files } from '#db/schema/files.ts'
import { organizations } from '#db/schema/orgs.ts'
import { qrCodes, scanRecords } from '#db/schema/qr-codes.ts'
import type { Db } from '#db/store.ts'
import { QUARTER_HOUR } from '#lib/quarter-hours.ts'

/** Rows that are counted by day. An index begins with `createdAt` and has the condition `live`. */
export interface Series {
  readonly table: SQLiteTable
  readonly createdAt: SQLiteColumn
  /** The rows that are not deleted. */
  readonly live?: SQL
  /** The column that is summed up; without it, rows are counted. */
  readonly bytes?: SQLiteColumn
}

export const SERIES = {
  users: { table: users, createdAt: users.createdAt, live: sql`${users.status} <> 'DELETED'` },
  organizations: { table: organizations, createdAt: organizations.createdAt },
  qrCodes: { table: qrCodes, createdAt: qrCodes.createdAt, live: isNull(qrCodes.deletedAt) },
  scans: { table: scanRecords, createdAt: scanRecords.createdAt },
  assets: { table: assets, createdAt: assets.createdAt, live: isNull(assets.deletedAt) },
  activities: { table: activities, createdAt: activities.createdAt, live: isNull(activities.deletedAt) },
  storageBytes: { table: files, createdAt: files.createdAt, bytes: files.size },
} satisfies Record<string, Series>

/** Rows that one statement reads, so that other statements of the worker do not wait for long. About 2 ms for counts. */
const STEP_ROWS = 20_000
/** The same for users, each with a look at the sessions. */
const STEP_USERS = 5000

const numberOf = ({ bytes }: Series): SQL<number> =>
  bytes === undefined ? count() : sql`coalesce(${sum(bytes)}, 0)`.mapWith(Number)

/** Reads an index only: a million rows take about 30 ms. */
export const countAll = async (db: Db, { table, live }: Series): Promise<number> =>
  (await db.select({ n: count() }).from(table).where(live))[0]!.n

// A literal instead of a parameter: PostgreSQL would not treat two occurrences of the expression as the same.
const quarter = (time: SQL | SQLiteColumn): SQL<number> =>
  sql<number>`${time} / ${sql.raw(String(QUARTER_HOUR))}`.mapWith(Number)

export interface QuarterRow {
  readonly quarter: number
  readonly n: number
}

/** Counts rows created from `from` on by quarter-hours, in statements of limited length. Times in epoch milliseconds. */
export async function* countByQuarter(
  db: Db,
  series: Series,
  from: number,
  stepRows = STEP_ROWS,
): AsyncGenerator<readonly QuarterRow[]> {
  const { table, createdAt, live } = series
  for (let at: number | undefined = from; at !== undefined;) {
    const rest = and(live, gte(createdAt, at))
    const [last] = await db
      .select({ at: createdAt })
      .from(table)
      .where(rest)
      .orderBy(asc(createdAt))
      .limit(1)
      .offset(stepRows)
    // A step is longer if so many rows have the same time.
    const to: number | undefined = last && Math.max(Number(last.at), at + 1)
    yield await db
      .select({ quarter: quarter(createdAt), n: numberOf(series) })
      .from(table)
      .where(and(rest, to === undefined ? undefined : lt(createdAt, to)))
      .groupBy(quarter(createdAt))
    at = to
  }
}

/** By quarter-hours, the users who were active then for the last time: signed in or used a session. Not before `from`. */
export async function* countLastActivity(
  db: Db,
  from: number,
  stepUsers = STEP_USERS,
): AsyncGenerator<readonly QuarterRow[]> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const [last] = await db
      .select({ id: users.id })
      .from(users)
      .where(gt(users.id, after))
      .orderBy(asc(users.id))
      .limit(1)
      .offset(stepUsers)
    const latest = sql<number>`max(case when ${users.lastLoginAt} > ${sessions.lastActiveAt} or ${sessions.id} is null
      then ${users.lastLoginAt} else ${sessions.lastActiveAt} end)`
    const people = db
      .select({ at: latest.as('at') })
      .from(users)
      .leftJoin(sessions, eq(sessions.userId, users.id))
      .where(and(gt(users.id, after), last && lte(users.id, last.id), SERIES.users.live))
      .groupBy(users.id)
      .as('people')
    yield await db
      .select({ quarter: quarter(sql`${people.at}`), n: count() })
      .from(people)
      .where(sql`${people.at} >= ${from}`)
      .groupBy(quarter(sql`${people.at}`))
    after = last?.id
  }
}
