/**
 * Counts how often public pages are opened. A view increments a counter in memory, and the counters are written together within a
 * second: a popular code costs one write a second instead of one per visitor, and no visitor waits for the disk. A crash loses at most
 * the last second of counts, an orderly stop loses none. Views that add the pending count show the exact number. Scans that users record
 * are counted in the write of their record.
 */

import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import { SECOND } from '#platform/clock.ts'

import { addScanCounts } from '../scan-counts.store.ts'
import { addScans } from './codes.store.ts'

const WRITE_EVERY_MS = SECOND
/** Codes updated in one transaction, so that other writes do not wait long. */
const CODES_PER_WRITE = 200

interface Pending {
  readonly counts: Map<number, number>
  timer: Timer | undefined
  /** The latest flush. Flushes run one after the other, because otherwise a count could be written twice. */
  flushed: Promise<void>
}

const pendingOf = perContext<Pending>(() => ({ counts: new Map(), timer: undefined, flushed: Promise.resolve() }))

export function countScan(ctx: AppContext, id: number): void {
  const pending = pendingOf(ctx)
  pending.counts.set(id, (pending.counts.get(id) ?? 0) + 1)
  pending.timer ??= outsideRequest(() =>
    setTimeout(() => {
      pending.timer = undefined
      flushScans(ctx).catch((error: unknown) =>
        ctx.log.error('scan counts could not be written; they are kept for the next attempt', { error }),
      )
    }, WRITE_EVERY_MS),
  )
}

/** Views that are counted but not yet written. */
export const pendingScans = (ctx: AppContext, id: number): number => pendingOf(ctx).counts.get(id) ?? 0

/** Writes all pending counts. Rejects if the database fails; the counts are then kept. */
export function flushScans(ctx: AppContext): Promise<void> {
  const pending = pendingOf(ctx)
  clearTimeout(pending.timer)
  pending.timer = undefined
  return (pending.flushed = pending.flushed.catch(() => {}).then(() => writeAll(ctx, pending.counts)))
}

async function writeAll(ctx: AppContext, counts: Map<number, number>): Promise<void> {
  while (counts.size > 0) {
    // In the order in which other writes lock the codes.
    const some = [...counts.entries().take(CODES_PER_WRITE)].toSorted(([a], [b]) => a - b)
    await ctx.db.write('qrCodes.flushScans', async (tx) => {
      const counted: (typeof some)[number][] = []
      for (const [id, count] of some) if (await addScans(tx, id, count)) counted.push([id, count])
      await addScanCounts(tx, counted, tx.stamp)
      tx.afterCommit(() => some.forEach(([id, count]) => subtract(counts, id, count)))
    })
  }
}

function subtract(counts: Map<number, number>, id: number, written: number): void {
  const left = counts.get(id)! - written
  if (left > 0) counts.set(id, left)
  else counts.delete(id)
}
