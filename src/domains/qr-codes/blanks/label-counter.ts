/** Counts scans of labels like those of codes (`codes/scan-counter.ts`): in memory, and written together within a second. */

import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import { SECOND } from '#platform/clock.ts'

import { addToScanCounts } from './blanks.store.ts'

interface Pending {
  counts: Map<string, number>
  timer: Timer | undefined
  /** The latest flush. Flushes run one after the other, because otherwise a count could be written twice. */
  flushed: Promise<void>
}

const pendingOf = perContext<Pending>(() => ({ counts: new Map(), timer: undefined, flushed: Promise.resolve() }))

export function countLabelScan(ctx: AppContext, slug: string): void {
  const pending = pendingOf(ctx)
  pending.counts.set(slug, (pending.counts.get(slug) ?? 0) + 1)
  pending.timer ??= outsideRequest(() =>
    setTimeout(() => {
      pending.timer = undefined
      flushLabelScans(ctx).catch((error: unknown) =>
        ctx.log.error('scan counts of labels could not be written; they are kept for the next attempt', { error }),
      )
    }, SECOND),
  )
}

/** Scans that are counted but not yet written. */
export const pendingLabelScans = (ctx: AppContext, slug: string): number => pendingOf(ctx).counts.get(slug) ?? 0

/** Writes all pending counts. Rejects if the database fails; the counts are then kept. */
export function flushLabelScans(ctx: AppContext): Promise<void> {
  const pending = pendingOf(ctx)
  clearTimeout(pending.timer)
  pending.timer = undefined
  return (pending.flushed = pending.flushed.catch(() => {}).then(() => writeAll(ctx, pending.counts)))
}

async function writeAll(ctx: AppContext, counts: Map<string, number>): Promise<void> {
  if (counts.size === 0) return
  const some = [...counts]
  await ctx.db.write('qrCodes.flushLabelScans', async (tx) => {
    await addToScanCounts(tx, some)
    tx.afterCommit(() => {
      for (const [slug, count] of some) {
        const left = counts.get(slug)! - count
        if (left > 0) counts.set(slug, left)
        else counts.delete(slug)
      }
    })
  })
}
