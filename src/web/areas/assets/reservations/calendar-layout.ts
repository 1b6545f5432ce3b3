/** Where entries are drawn in a calendar whose columns are days. Pure. */

import type { AssetCalendarEntry } from '../../../api/types.ts'

/** The days that are shown: moments at which they begin, and the end of the last one. */
export interface Span {
  readonly days: readonly string[]
  readonly from: number
  readonly to: number
}

export interface Bar {
  readonly entry: AssetCalendarEntry
  /** Percent of the width. */
  readonly left: number
  readonly width: number
  /** Entries at the same time are below each other: from 0. */
  readonly lane: number
}

/** The bars of the entries of one thing, the earliest first. */
export function barsOf(entries: readonly AssetCalendarEntry[], { from, to }: Span): Bar[] {
  const percent = (time: number) => ((Math.min(Math.max(time, from), to) - from) / (to - from)) * 100
  /** The ends of the last entries of the lanes. */
  const ends: number[] = []
  return entries
    .filter((entry) => entry.from < to && (entry.to ?? to) > from)
    .toSorted((a, b) => a.from - b.from)
    .map((entry) => {
      const free = ends.findIndex((end) => end <= entry.from)
      const lane = free === -1 ? ends.length : free
      // Without an end it goes on forever.
      ends[lane] = entry.to ?? Number.POSITIVE_INFINITY
      const left = percent(entry.from)
      return { entry, left, width: percent(entry.to ?? to) - left, lane }
    })
}

/** The entries by the asset or supply that they are about. */
export function byThing(entries: readonly AssetCalendarEntry[]): Map<string, AssetCalendarEntry[]> {
  const things = new Map<string, AssetCalendarEntry[]>()
  for (const entry of entries) {
    const key = thingOf(entry)
    const others = things.get(key)
    if (others === undefined) things.set(key, [entry])
    else others.push(entry)
  }
  return things
}

export const thingOf = ({ assetId, supplyId }: Pick<AssetCalendarEntry, 'assetId' | 'supplyId'>): string =>
  assetId === null ? `supply ${supplyId}` : `asset ${assetId}`
