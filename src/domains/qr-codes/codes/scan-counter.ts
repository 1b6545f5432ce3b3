/**
 * Counts how often codes are opened. A scan is counted in memory, and the counts are written together within a second: a popular code
 * costs one write a second instead of one per visitor, and no visitor waits for the disk. A crash loses at most the last second of counts
 * and the write under way, an orderly stop loses none. Views that add the pending count show the exact number. Scans that users record are
 * counted in the write of their record.
 */

import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import { SECOND } from '#platform/clock.ts'

import { addScanCounts, quarterOf } from '../scan-counts.store.ts'
import { addVisit, type Counts, newCounts, utcDay, type Visit, visitorOf } from '../visits/visits.rules.ts'
import { addVisits, MAX_VISITORS, type Visited } from '../visits/visits.store.ts'
import { addScans } from './codes.store.ts'

const WRITE_EVERY_MS = SECOND
/** Codes updated in one transaction, so that other writes do not wait long. */
const CODES_PER_WRITE = 250
/** Codes whose scans are broken down. While the database cannot be written, others are only counted, which takes little memory. */
const MAX_DETAILED = 20_000

/** Scans of a code in a quarter of an hour. */
interface Part {
  scans: number
  robots: number
  /** Undefined if no scan is broken down. */
  counts: Counts | undefined
  readonly visitors: Set<string>
}
/** By the start of the quarter of an hour, mostly one. */
type Parts = Map<number, Part>

interface Pending {
  readonly waiting: Map<number, Parts>
  /** In the writes under way, or in one that failed and is repeated. */
  writing: Map<number, Parts>
  timer: Timer | undefined
  /** The latest flush. Flushes run one after the other, because otherwise a count could be written twice. */
  flushed: Promise<void>
}

const pendingOf = perContext<Pending>(() => ({
  waiting: new Map(),
  writing: new Map(),
  timer: undefined,
  flushed: Promise.resolve(),
}))

/** Counts a scan, or with a robot only the robot. `visit`: given for codes whose scans are broken down. */
export function countScan(ctx: AppContext, id: number, visit?: Visit): void {
  const pending = pendingOf(ctx)
  const part = partOf(pending, id, quarterOf(ctx.clock.now()))
  if (visit?.isRobot) part.robots++
  else {
    part.scans++
    if (visit !== undefined && !visit.isOptedOut && pending.waiting.size <= MAX_DETAILED) {
      addVisit((part.counts ??= newCounts()), visit)
      if (part.visitors.size < MAX_VISITORS) part.visitors.add(visitorOf(visit))
    }
  }
  pending.timer ??= outsideRequest(() =>
    setTimeout(() => {
      pending.timer = undefined
      flushScans(ctx).catch((error: unknown) =>
        ctx.log.error('scan counts could not be written; they are kept for the next attempt', { error }),
      )
    }, WRITE_EVERY_MS),
  )
}

function partOf({ waiting }: Pending, id: number, quarter: number): Part {
  let parts = waiting.get(id)
  if (parts === undefined) waiting.set(id, (parts = new Map()))
  let part = parts.get(quarter)
  if (part === undefined) parts.set(quarter, (part = { scans: 0, robots: 0, counts: undefined, visitors: new Set() }))
  return part
}

const scansIn = (parts: Parts | undefined): number =>
  parts === undefined ? 0 : parts.values().reduce((sum, { scans }) => sum + scans, 0)

/** Scans that are counted but not yet written. */
export function pendingScans(ctx: AppContext, id: number): number {
  const { waiting, writing } = pendingOf(ctx)
  return scansIn(waiting.get(id)) + scansIn(writing.get(id))
}

/** Writes all pending counts. Rejects if the database fails; the counts are then kept. */
export function flushScans(ctx: AppContext): Promise<void> {
  const pending = pendingOf(ctx)
  clearTimeout(pending.timer)
  pending.timer = undefined
  return (pending.flushed = pending.flushed.catch(() => {}).then(() => writeAll(ctx, pending)))
}

async function writeAll(ctx: AppContext, pending: Pending): Promise<void> {
  for (;;) {
    if (pending.writing.size === 0) {
      // In the order in which other writes lock the codes, and in which a write finds them on few pages.
      pending.writing = new Map([...pending.waiting].toSorted(([a], [b]) => a - b))
      pending.waiting.clear()
    }
    if (pending.writing.size === 0) return
    const some = [...pending.writing.entries().take(CODES_PER_WRITE)]
    const isDetailed = await getSetting(ctx, 'scans.details')
    await ctx.db.write('qrCodes.flushScans', async (tx) => {
      await writeScans(tx, some, { isDetailed, today: utcDay(ctx.clock.now()) })
      tx.afterCommit(() => some.forEach(([id]) => pending.writing.delete(id)))
    })
  }
}

async function writeScans(
  tx: Tx,
  list: readonly (readonly [id: number, parts: Parts])[],
  { isDetailed, today }: { readonly isDetailed: boolean; readonly today: number },
): Promise<void> {
  const existing = await addScans(tx, new Map(list.map(([id, parts]) => [id, scansIn(parts)])))
  const counts: { qrCodeId: number; startsAt: number; scans: number }[] = []
  const visits: Visited[] = []
  for (const [id, parts] of list) {
    if (!existing.has(id)) continue
    for (const [startsAt, part] of parts) {
      if (part.scans > 0) counts.push({ qrCodeId: id, startsAt, scans: part.scans })
      const isBrokenDown = isDetailed && part.counts !== undefined
      if (!isBrokenDown && part.robots === 0) continue
      visits.push({
        id,
        day: utcDay(startsAt),
        robots: part.robots,
        counts: (isBrokenDown ? part.counts : undefined) ?? newCounts(),
        visitors: isBrokenDown ? part.visitors : new Set(),
      })
    }
  }
  await addScanCounts(tx, counts)
  await addVisits(tx, visits, today)
}
