/**
 * Counts how often public pages are opened. A view adds to a number in memory, and the numbers are written together within a
 * second: a code on a busy poster costs one write a second, not one a visitor, and no visitor waits for the disk. A crash can
 * lose the last second of counts, an orderly stop loses none. What is not written yet is added where a count is shown.
 */

import { type AppContext, perContext } from '#context'
import { SECOND } from '#platform/clock.ts'

import { addScans } from '../codes/store.ts'

const WRITE_EVERY_MS = SECOND
/** Codes written in one transaction, so that other writers never wait long. */
const CODES_PER_WRITE = 200

interface Pending {
  readonly counts: Map<number, number>
  timer: Timer | undefined
  /** The last flush asked for; flushes run one after the other, else a count could be written twice. */
  flushed: Promise<void>
}

const pendingOf = perContext<Pending>(() => ({ counts: new Map(), timer: undefined, flushed: Promise.resolve() }))

export function countScan(ctx: AppContext, id: number): void {
  const pending = pendingOf(ctx)
  pending.counts.set(id, (pending.counts.get(id) ?? 0) + 1)
  pending.timer ??= setTimeout(() => {
    pending.timer = undefined
    flushScans(ctx).catch((error: unknown) =>
      ctx.log.error('scan counts not written; kept for the next try', { error }),
    )
  }, WRITE_EVERY_MS)
}

/** Views counted but not written yet. */
export const pendingScans = (ctx: AppContext, id: number): number => pendingOf(ctx).counts.get(id) ?? 0

/** Writes what is counted so far. Rejects when the database refuses; the counts are then kept. */
export function flushScans(ctx: AppContext): Promise<void> {
  const pending = pendingOf(ctx)
  clearTimeout(pending.timer)
  pending.timer = undefined
  return (pending.flushed = pending.flushed.catch(() => {}).then(() => writeAll(ctx, pending.counts)))
}

async function writeAll(ctx: AppContext, counts: Map<number, number>): Promise<void> {
  while (counts.size > 0) {
    const some = [...counts.entries().take(CODES_PER_WRITE)]
    await ctx.db.write('qrCodes.flushScans', async (tx) => {
      for (const [id, count] of some) await addScans(tx, id, count)
      tx.afterCommit(() => some.forEach(([id, count]) => subtract(counts, id, count)))
    })
  }
}

function subtract(counts: Map<number, number>, id: number, written: number): void {
  const left = counts.get(id)! - written
  if (left > 0) counts.set(id, left)
  else counts.delete(id)
}
