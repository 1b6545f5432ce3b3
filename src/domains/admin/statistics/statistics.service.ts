/** The dashboard: how many rows there are, and how many of them were created on each day. */

import { type AppContext, perContext } from '#context'
import { dialect } from '#db/dialect.ts'
import { zoneOf } from '#http/validate.ts'
import { dayName, type DayRange, lastDays } from '#lib/days.ts'
import { QUARTER_HOUR, QuarterHours, quartersOf } from '#lib/quarter-hours.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import type { Numbers, Statistics, StatisticsQuery } from './statistics.model.ts'
import {
  countActive,
  countAll,
  countByQuarter,
  countLastActivity,
  type QuarterRow,
  SERIES,
  type Series,
} from './statistics.store.ts'

/** The days of the longest period. Its first day began at most so long ago, also where clocks were changed since. */
const LONGEST = 92 * DAY

const NAMES = Object.keys(SERIES) as (keyof Numbers)[]

/** Numbers for every period and every time zone. */
interface Snapshot {
  readonly at: number
  readonly totals: Numbers
  readonly created: Readonly<Record<keyof Numbers, QuarterHours>>
}

const ALL = 0

const snapshots = perContext(
  (ctx) =>
    new ReadCache<typeof ALL, Snapshot>({
      max: 1,
      maxAge: MINUTE,
      now: () => ctx.clock.now(),
      load: () => takeSnapshot(ctx),
    }),
)

/** One computation at a time in each process, on the worker and in short statements, however many administrators ask. */
async function takeSnapshot(ctx: AppContext): Promise<Snapshot> {
  const at = ctx.clock.now()
  const { readInWorker: db } = await ctx.db.heavyReads()
  const totals: Partial<Numbers> = {}
  const created: Partial<Record<keyof Numbers, QuarterHours>> = {}
  for (const name of NAMES) {
    const series: Series = SERIES[name]
    // A total of bytes reads all rows, and a count only an index.
    const from = series.total === undefined ? 0 : at - LONGEST
    const { quarters, total } = await collected(countByQuarter(db, series, from))
    created[name] = quarters
    totals[name] = series.total === undefined ? total : await countAll(db, series.total, series)
  }
  return { at, totals: totals as Numbers, created: created as Snapshot['created'] }
}

/** For SQLite: when each user was active for the last time. */
const lastActivity = perContext(
  (ctx) =>
    new ReadCache<typeof ALL, QuarterHours>({
      max: 1,
      maxAge: MINUTE,
      now: () => ctx.clock.now(),
      async load() {
        const { readInWorker: db } = await ctx.db.heavyReads()
        return (await collected(countLastActivity(db, ctx.clock.now() - LONGEST))).quarters
      },
    }),
)

/** The beginnings of three periods in all time zones. */
const MOST_BEGINNINGS = 300

/** For PostgreSQL: how many users have been active since a moment. One is counted at a time, because each count takes several processors. */
const activeUsers = perContext((ctx) => {
  let last: Promise<unknown> = Promise.resolve()
  return new ReadCache<number, number>({
    max: MOST_BEGINNINGS,
    maxAge: MINUTE,
    now: () => ctx.clock.now(),
    load(since) {
      const count = async () => countActive((await ctx.db.heavyReads()).readInWorker, since)
      const counting = last.then(count, count)
      last = counting
      return counting
    },
  })
})

async function activeSince(ctx: AppContext, range: DayRange): Promise<number> {
  if (dialect === 'sqlite') return (lastActivity(ctx).get(ALL) ?? (await lastActivity(ctx).fetch(ALL))!).since(range)
  const since = quartersOf(range).first * QUARTER_HOUR
  return activeUsers(ctx).get(since) ?? (await activeUsers(ctx).fetch(since))!
}

async function collected(steps: AsyncIterable<readonly QuarterRow[]>) {
  const quarters = new QuarterHours()
  let total = 0
  for await (const rows of steps)
    for (const { quarter, n } of rows) {
      quarters.add(quarter, n)
      total += n
    }
  return { quarters, total }
}

/** Up to a minute old. @throws AppError 400 for an unknown time zone */
export async function showStatistics(ctx: AppContext, query: StatisticsQuery): Promise<Statistics> {
  const zone = zoneOf(query)
  const kept = snapshots(ctx).get(ALL)
  const range = lastDays(kept?.at ?? ctx.clock.now(), Number(query.days), zone)
  const [snapshot, active] = await Promise.all([kept ?? snapshots(ctx).fetch(ALL), activeSince(ctx, range)])
  const { at, totals, created } = snapshot!
  const days = Object.fromEntries(NAMES.map((name) => [name, created[name].byDay(range)])) as Record<
    keyof Numbers,
    number[]
  >
  return {
    totals,
    activeUsers: active,
    byDay: Array.from({ length: Number(query.days) }, (_, i) => ({
      date: dayName(range.firstDay + i),
      users: days.users[i]!,
      organizations: days.organizations[i]!,
      qrCodes: days.qrCodes[i]!,
      scans: days.scans[i]!,
      assets: days.assets[i]!,
      activities: days.activities[i]!,
      storageBytes: days.storageBytes[i]!,
    })),
    generatedAt: at,
  }
}
