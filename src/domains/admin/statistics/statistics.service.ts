/** The dashboard: how many rows there are, and how many of them were created on each day. */

import { type AppContext, perContext } from '#context'
import { zoneOf } from '#http/validate.ts'
import { dayName, lastDays } from '#lib/days.ts'
import { QuarterHours } from '#lib/quarter-hours.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import type { Numbers, Statistics, StatisticsQuery } from './statistics.model.ts'
import {
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
  readonly lastActivity: QuarterHours
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
  const { quarters: lastActivity } = await collected(countLastActivity(db, at - LONGEST))
  return { at, totals: totals as Numbers, created: created as Snapshot['created'], lastActivity }
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
  const { at, totals, created, lastActivity } = snapshots(ctx).get(ALL) ?? (await snapshots(ctx).fetch(ALL))!
  const range = lastDays(at, Number(query.days), zone)
  const days = Object.fromEntries(NAMES.map((name) => [name, created[name].byDay(range)])) as Record<
    keyof Numbers,
    number[]
  >
  return {
    totals,
    activeUsers: lastActivity.since(range),
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
