/**
 * Counts the codes, labels, passes and posters that are fetched for printing and lead to the public address. The domain `server` writes the
 * numbers; requests only add in memory.
 */

import { type AppContext, perContext } from '#context'
import { SECOND } from '#platform/clock.ts'

/** Of one second. Above it, a thing may count twice. */
const MAX_REMEMBERED = 50_000
/** The pages to which printed codes lead, below the public address. */
const PAGE = /^\/(?:s|q|public)\//i

interface Printed {
  /** By public address. */
  readonly counts: Map<string, number>
  /** Hashes of the links that were counted in this second. */
  readonly counted: Set<number | bigint>
  second: number
  /** Called when there is something to write. */
  wake: () => void
}

export const printedOf = perContext((): Printed => ({
  counts: new Map(),
  counted: new Set(),
  second: 0,
  wake: () => {},
}))

/** `link`: the content of the code that is fetched. One that does not lead to the public address is not counted, such as a short link at another host. */
export function countPrinted(ctx: AppContext, link: string): void {
  const { publicUrl } = ctx.config
  const { length } = publicUrl
  if (!PAGE.test(link.slice(length, length + 8)) || link.slice(0, length).toLowerCase() !== publicUrl.toLowerCase())
    return
  const printed = printedOf(ctx)
  const second = Math.floor(ctx.clock.now() / SECOND)
  if (second !== printed.second || printed.counted.size >= MAX_REMEMBERED) {
    printed.counted.clear()
    printed.second = second
  }
  const object = Bun.hash(link)
  if (printed.counted.has(object)) return
  printed.counted.add(object)
  addPrinted(ctx, 1)
}

export function addPrinted(ctx: AppContext, things: number): void {
  const { counts, wake } = printedOf(ctx)
  const { publicUrl } = ctx.config
  counts.set(publicUrl, (counts.get(publicUrl) ?? 0) + things)
  wake()
}
