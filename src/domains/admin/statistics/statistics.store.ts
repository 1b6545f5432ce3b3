import { and, asc, count, eq, exists, gt, gte, isNull, lt, lte, or, type SQL, sql, sum } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { dialect } from '#db/dialect.ts'
import { type KeptTotal, totalOf } from '#db/list-totals.ts'
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
  /** The list of these rows, of which PostgreSQL keeps the total. */
  readonly total?: KeptTotal
}

export const SERIES = {
  users: { table: users, createdAt: users.createdAt, live: sql`${users.status} <> 'DELETED'`, total: 'users.all' },
  organizations: { table: organizations, createdAt: organizations.createdAt, total: 'organizations.all' },
  qrCodes: { table: qrCodes, createdAt: qrCodes.createdAt, live: isNull(qrCodes.deletedAt), total: 'qr_codes.all' },
  scans: { table: scanRecords, createdAt: scanRecords.createdAt, total: 'scan_records.all' },
  assets: { table: assets, createdAt: assets.createdAt, live: isNull(assets.deletedAt), total: 'assets.all' },
  activities: {
    table: activities,
    createdAt: activities.createdAt,
    live: isNull(activities.deletedAt),
    total: 'activities.all',
  },
  storageBytes: { table: files, createdAt: files.createdAt, bytes: files.size },
} satisfies Record<string, Series>

/**
 * Rows that one statement reads, so that other statements of the worker do not wait for long. About 2 ms for counts. On PostgreSQL, where none waits,
 * one statement reads all of them, with all processors that it may have.
 */
const STEP_ROWS = dialect === 'sqlite' ? 20_000 : Number.POSITIVE_INFINITY
/** The same for users, each with a look at the sessions. */
const STEP_USERS = 20_000

const numberOf = ({ bytes }: Series): SQL<number> =>
  bytes === undefined ? count() : sql`coalesce(${sum(bytes)}, 0)`.mapWith(Number)

/** On SQLite it reads an index only: a million rows take about 30 ms. */
export const countAll = (db: Db, total: KeptTotal, { table, live }: Series): Promise<number> =>
  totalOf(db, total, { table, where: live })

// A literal instead of a parameter: PostgreSQL would not treat two occurrences of the expression as the same.
const QUARTER = sql.raw(String(QUARTER_HOUR))
const quarter = (time: SQL | SQLiteColumn): SQL<number> => sql<number>`${time} / ${QUARTER}`.mapWith(Number)

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
  if (stepRows === Number.POSITIVE_INFINITY && series.bytes === undefined)
    return yield await countRanges(db, series, from)
  for (let at: number | undefined = from; at !== undefined;) {
    const rest = and(live, gte(createdAt, at))
    const [last] =
      stepRows === Number.POSITIVE_INFINITY
        ? []
        : await db.select({ at: createdAt }).from(table).where(rest).orderBy(asc(createdAt)).limit(1).offset(stepRows)
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

/** More than a year. Rows of the future, from a time in which the clock was wrong, belong to no day that is shown. */
const MOST_QUARTERS = 40_000

/**
 * For PostgreSQL, which cannot know how few quarter-hours a million rows have: it groups them in one process. Each quarter-hour is a part of the index,
 * and reading its parts one by one takes half as long.
 */
function countRanges(db: Db, { table, createdAt, live }: Series, from: number): Promise<readonly QuarterRow[]> {
  const since = and(live, gte(createdAt, from))
  const edge = (end: 'min' | 'max') =>
    sql`(select ${sql.raw(end)}(${createdAt}) from ${table} where ${since}) / ${QUARTER}`
  const last = sql`least(${edge('max')}, ${from}::bigint / ${QUARTER} + ${sql.raw(String(MOST_QUARTERS))})`
  const inRange = sql`${createdAt} >= quarter * ${QUARTER} and ${createdAt} < (quarter + 1) * ${QUARTER}`
  return db
    .select({ quarter: sql`quarter`.mapWith(Number), n: sql`n`.mapWith(Number) })
    .from(
      sql`generate_series(${edge('min')}, ${last}) as quarter cross join lateral (select count(*) as n from ${table} where ${and(since, inRange)}) as counted`,
    )
    .where(sql`n > 0`)
}

/**
 * By quarter-hours, the users who were active then for the last time: signed in or used a session. Not before `from`. For SQLite, where one reading of
 * all users serves all periods.
 */
export async function* countLastActivity(
  db: Db,
  from: number,
  stepUsers = STEP_USERS,
): AsyncGenerator<readonly QuarterRow[]> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const last: number | undefined = await idAfter(db, after, stepUsers)
    const inStep = (id: SQLiteColumn) => and(gt(id, after!), last === undefined ? undefined : lte(id, last))
    // Both know those of the period from an index. Joined first, all users and sessions took three times as long.
    const signIns = db
      .select({ id: users.id, at: sql<number>`${users.lastLoginAt}`.as('at') })
      .from(users)
      .where(and(inStep(users.id), gte(users.lastLoginAt, from), SERIES.users.live))
    const uses = db
      .select({ id: sessions.userId, at: sql<number>`${sessions.lastActiveAt}`.as('at') })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(and(inStep(sessions.userId), gte(sessions.lastActiveAt, from), SERIES.users.live))
    const seen = signIns.unionAll(uses).as('seen')
    const people = db
      .select({ at: sql`max(${seen.at})`.as('latest') })
      .from(seen)
      .groupBy(seen.id)
      .as('people')
    yield await db
      .select({ quarter: quarter(sql`${people.at}`), n: count() })
      .from(people)
      .groupBy(quarter(sql`${people.at}`))
    after = last
  }
}

/**
 * How many users signed in or used a session since then. PostgreSQL reads both tables once, with all processors that it may have, because nothing is
 * grouped by user: the latest time of each of a million users took it 2.1 s, and this takes it 0.9 s of several processors. In one statement, so that
 * nobody who signs in meanwhile is missed.
 */
export async function countActive(db: Db, since: number): Promise<number> {
  const signedIn = gte(users.lastLoginAt, since)
  const some = db.select({ n: count() }).from(users).where(and(SERIES.users.live, signedIn))
  const hasUsed = exists(
    db
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(eq(sessions.userId, users.id), gte(sessions.lastActiveAt, since))),
  )
  const others = db
    .select({ n: count() })
    .from(users)
    .where(and(SERIES.users.live, or(isNull(users.lastLoginAt), lt(users.lastLoginAt, since)), hasUsed))
  const [row] = await db.select({ n: sql`${some} + ${others}`.mapWith(Number) }).from(sql`(select 1) as one`)
  return row!.n
}

/** The id of the user who comes `steps` users later; undefined behind the last one. */
async function idAfter(db: Db, after: number, steps: number): Promise<number | undefined> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(gt(users.id, after))
    .orderBy(asc(users.id))
    .limit(1)
    .offset(steps)
  return row?.id
}
