/** Calendar days in a time zone, exact over changes of its offset: what statistics "by day" are made of. */
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** A stretch of time with one offset from UTC. A moment `t` in it falls on day number `floor((t + offset) / DAY)`. */
export interface Stretch {
  /** Epoch milliseconds, inclusive. */
  from: number
  /** Epoch milliseconds, exclusive. */
  to: number
  /** Milliseconds to add to UTC. */
  offset: number
}

export interface DayRange {
  stretches: Stretch[]
  /** Day numbers (days since 1970-01-01 in the zone) of the first and the last day, both included. */
  firstDay: number
  lastDay: number
}

const FIXED = /^(?:UTC|GMT)?([+-])(\d{2}):?(\d{2})$/

/**
 * The offset from UTC, in milliseconds, that holds at a moment in a zone: an IANA name (`Asia/Shanghai`, `UTC`) or a fixed
 * offset (`+08:00`, at most 14 hours, as ISO 8601 writes it). Undefined for anything else.
 */
export function zoneOffset(zone: string): ((at: number) => number) | undefined {
  const fixed = FIXED.exec(zone)
  if (fixed) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3])
    if (Number(fixed[3]) > 59 || minutes > 14 * 60) return undefined
    const offset = (fixed[1] === '-' ? -minutes : minutes) * MINUTE
    return () => offset
  }
  if (zone === 'UTC') return () => 0
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(zone)) return undefined
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    return (at) => wallClock(format, at) - Math.floor(at / 1000) * 1000
  } catch {
    return undefined
  }
}

/** The wall clock's reading as if it were UTC. */
function wallClock(format: Intl.DateTimeFormat, at: number): number {
  const part: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value)
  return Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute'], part['second'])
}

/** The `days` calendar days that end with the one `now` falls on. */
export function lastDays(now: number, days: number, offsetAt: (at: number) => number): DayRange {
  const lastDay = dayNumber(now, offsetAt(now))
  const firstDay = lastDay - days + 1
  // Offsets reach from -12 to +14 hours and a day lasts at most 25: two days more on each side hold every moment asked for.
  const stretches = constantOffsets((firstDay - 2) * DAY, (lastDay + 3) * DAY, offsetAt)
  return { stretches: stretches.flatMap((s) => clip(s, firstDay, lastDay)), firstDay, lastDay }
}

/** The part of a stretch whose moments fall on the days asked for. */
function clip({ from, to, offset }: Stretch, firstDay: number, lastDay: number): Stretch[] {
  const start = Math.max(from, firstDay * DAY - offset)
  const end = Math.min(to, (lastDay + 1) * DAY - offset)
  return start < end ? [{ from: start, to: end, offset }] : []
}

/** Cuts a span where the offset changes. Changes less than a day apart are not told from each other; no zone has had such. */
function constantOffsets(from: number, to: number, offsetAt: (at: number) => number): Stretch[] {
  const stretches: Stretch[] = []
  let start = from
  let offset = offsetAt(from)
  for (let at = from; at < to; at += DAY) {
    const next = Math.min(at + DAY, to)
    const nextOffset = offsetAt(next)
    if (nextOffset === offset) continue
    let before = at
    let after = next
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (offsetAt(middle) === offset) before = middle
      else after = middle
    }
    stretches.push({ from: start, to: after, offset })
    start = after
    offset = nextOffset
  }
  stretches.push({ from: start, to, offset })
  return stretches
}

export const dayNumber = (at: number, offset: number): number => Math.floor((at + offset) / DAY)

/** `2026-03-08` for a day number. */
export const dayName = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)

/** One entry per day of the range, also where nothing was counted. `counts`: how many per day number. */
export function byDay(range: DayRange, counts: ReadonlyMap<number, number>): { date: string; count: number }[] {
  return Array.from({ length: range.lastDay - range.firstDay + 1 }, (_, i) => {
    const day = range.firstDay + i
    return { date: dayName(day), count: counts.get(day) ?? 0 }
  })
}
