/** Writes how many codes were printed for each address, some seconds after they were fetched. A crash loses those that were not written yet. */

import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import type { Db, Tx } from '#db/store.ts'
import { printedOf } from '#http/printed.ts'
import { normalAddress } from '#lib/own-link.ts'
import { SECOND } from '#platform/clock.ts'

import { addToAddress, printedOn } from './printed.store.ts'

const WRITE_EVERY_MS = 10 * SECOND

interface Writer {
  timer: Timer | undefined
  /** The latest write. They run one after the other, because otherwise a number could be written twice. */
  written: Promise<void>
}

const writerOf = perContext<Writer>(() => ({ timer: undefined, written: Promise.resolve() }))

export function followPrinted(ctx: AppContext): void {
  const writer = writerOf(ctx)
  const write = () => {
    writer.timer = undefined
    flushPrinted(ctx).catch((error: unknown) =>
      ctx.log.error('the number of printed codes could not be written; it is kept for the next attempt', { error }),
    )
  }
  printedOf(ctx).wake = () => void (writer.timer ??= outsideRequest(() => setTimeout(write, WRITE_EVERY_MS)))
}

/** Writes all numbers of this process. Rejects if the database fails; the numbers are then kept. */
export function flushPrinted(ctx: AppContext): Promise<void> {
  const writer = writerOf(ctx)
  clearTimeout(writer.timer)
  writer.timer = undefined
  return (writer.written = writer.written.catch(() => {}).then(() => writeAll(ctx, printedOf(ctx).counts)))
}

async function writeAll(ctx: AppContext, counts: Map<string, number>): Promise<void> {
  for (const [address, printed] of counts)
    await ctx.db.write('server.printed', async (tx) => {
      await addToAddress(tx, normalAddress(address) ?? address, printed)
      tx.afterCommit(() => {
        const left = counts.get(address)! - printed
        if (left > 0) counts.set(address, left)
        else counts.delete(address)
      })
    })
}

/** The numbers of addresses, with those of this process that are not written yet. */
export async function printedNumbers(
  ctx: AppContext,
  db: Db | Tx,
  addresses: readonly string[],
): Promise<(address: string) => number> {
  const nameOf = (address: string) => normalAddress(address) ?? address
  const written = await printedOn(db, addresses.map(nameOf))
  const waiting = Map.groupBy(printedOf(ctx).counts, ([address]) => nameOf(address))
  return (address) => {
    const name = nameOf(address)
    const more = waiting.get(name) ?? []
    return more.reduce((sum, [, printed]) => sum + printed, written.get(name) ?? 0)
  }
}
