/**
 * Finds the changes of a page in many sources that are each in the order of positions. A page ends at a position, with everything that has
 * it, so that the rows of one write are never divided.
 */

import type { SyncEntityName, SyncScope } from '#db/schema/sync.ts'
import type { SyncRange } from '#domains/contributions.ts'

/** A change that a client has to hear of. */
export interface Found {
  /** Its place among all changes: a stamp. */
  readonly position: number
  readonly entity: SyncEntityName
  /** The organization that owns the row; 0 for a personal row. */
  readonly orgId: number
  readonly id: number
  /** The last change of the row, if that is known: rows of a page are sorted by it. */
  readonly stamp: number
  readonly isDeleted: boolean
  /** A row that this device has pushed, and gets once more. */
  readonly isResent?: boolean
  /** The user can no longer read this scope of the organization. `id` is 0. */
  readonly closes?: SyncScope
}

export interface Source {
  /** Changes with positions in the range, in their order, at most `limit`. */
  find(range: SyncRange, limit: number): Promise<readonly Found[]>
}

export interface FoundPage {
  readonly found: readonly Found[]
  /** All changes with positions up to this one are on the page. */
  readonly end: number
  readonly hasMore: boolean
}

interface Part {
  readonly source: Source
  found: readonly Found[]
  /** Whether the source may have more changes than these. */
  readonly isFull: boolean
}

const byPosition = (a: Found, b: Found): number => a.position - b.position

/**
 * The end of the page if there is nothing else than `parts`, and the position up to which further sources have to be searched: that of
 * the first change after the page.
 */
function boundsOf(parts: readonly Part[], limit: number, until: number): { end: number; bound: number } {
  let count = 0
  for (const { found } of parts) count += found.length
  if (count < limit) return { end: until, bound: until }
  const sorted = parts.flatMap(({ found }) => found).toSorted(byPosition)
  const end = sorted[limit - 1]!.position
  return { end, bound: sorted.find(({ position }) => position > end)?.position ?? until }
}

/**
 * The next `limit` changes after `range.after`, and all others at the position of the last one. Sources of one group are searched at the
 * same time, and each group only up to the end of the page as far as it is known: the cost follows the page, not the sources.
 */
export async function findPage(
  groups: readonly (readonly Source[])[],
  range: SyncRange,
  limit: number,
): Promise<FoundPage> {
  const parts: Part[] = []
  let bounds = { end: range.until, bound: range.until }
  for (const group of groups) {
    const searched = { after: range.after, until: bounds.bound }
    const results = await Promise.all(group.map((source) => source.find(searched, limit + 1)))
    for (const [i, found] of results.entries())
      if (found.length > 0) parts.push({ source: group[i]!, found, isFull: found.length > limit })
    bounds = boundsOf(parts, limit, range.until)
  }
  const { end } = bounds
  // A source that stopped in the middle of the last position of the page has more of it.
  const cut = parts.filter(({ found, isFull }) => isFull && found.at(-1)!.position === end)
  for (const part of cut) {
    const before = part.found.filter(({ position }) => position < end)
    part.found = [...before, ...(await part.source.find({ after: end - 1, until: end }, Number.MAX_SAFE_INTEGER))]
  }
  let hasMore = parts.some(({ found }) => found.at(-1)!.position > end)
  for (const { source } of cut)
    hasMore ||= end < range.until && (await source.find({ after: end, until: range.until }, 1)).length > 0
  const found = parts.flatMap((part) => part.found.filter(({ position }) => position <= end)).toSorted(byPosition)
  return { found, end, hasMore }
}
