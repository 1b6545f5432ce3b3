/**
 * Calendar days in a time zone for statistics by day, exact across changes of its UTC offset. Temporal would replace this file;
 * Bun does not have it yet.
 */

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** A span of time with one UTC offset. A moment `t` in it falls on day number `floor((t + offset) / DAY)`. */
export interface OffsetSpan {
  /** Epoch milliseconds, inclusive. */
  from: number
  /** Epoch milliseconds, exclusive. */
  to: number
  /** Milliseconds to add to UTC. */
  offset: number
}

export interface DayRange {
  spans: OffsetSpan[]
  /** Day numbers (days since 1970-01-01 in the zone) of the first and the last day, inclusive. */
  firstDay: number
  lastDay: number
}

const FIXED = /^(?:UTC|GMT)?([+-])(\d{2}):?(\d{2})$/

/**
 * Returns a function from a moment (epoch milliseconds) to the zone's UTC offset in milliseconds. `zone` is an IANA name
 * (`Asia/Shanghai`, `UTC`) or a fixed offset as in ISO 8601 (`+08:00`, at most 14 hours); undefined for other texts.
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

/** The local date and time in the zone, read as if they were UTC. */
function wallClock(format: Intl.DateTimeFormat, at: number): number {
  const part: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value)
  return Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute'], part['second'])
}

/** The last `days` calendar days, including the day of `now`. */
export function lastDays(now: number, days: number, offsetAt: (at: number) => number): DayRange {
  const lastDay = dayNumber(now, offsetAt(now))
  const firstDay = lastDay - days + 1
  // Offsets are between -12 and +14 hours and a day has at most 25, so two more days on each side cover every moment.
  const spans = constantOffsets((firstDay - 2) * DAY, (lastDay + 3) * DAY, offsetAt)
  return { spans: spans.flatMap((span) => clip(span, firstDay, lastDay)), firstDay, lastDay }
}

/** The part of a span whose moments fall on the requested days. */
function clip({ from, to, offset }: OffsetSpan, firstDay: number, lastDay: number): OffsetSpan[] {
  const start = Math.max(from, firstDay * DAY - offset)
  const end = Math.min(to, (lastDay + 1) * DAY - offset)
  return start < end ? [{ from: start, to: end, offset }] : []
}

/** Splits a period where the offset changes. Finds one change per day; no zone has ever had two. */
function constantOffsets(from: number, to: number, offsetAt: (at: number) => number): OffsetSpan[] {
  const spans: OffsetSpan[] = []
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
    spans.push({ from: start, to: after, offset })
    start = after
    offset = nextOffset
  }
  spans.push({ from: start, to, offset })
  return spans
}

export const dayNumber = (at: number, offset: number): number => Math.floor((at + offset) / DAY)

/** The date of a day number: `2026-03-08`. */
export const dayName = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)

/** One entry for each day of the range, including days without any. `counts` maps day numbers to counts. */
export function byDay(range: DayRange, counts: ReadonlyMap<number, number>): { date: string; count: number }[] {
  return Array.from({ length: range.lastDay - range.firstDay + 1 }, (_, i) => {
    const day = range.firstDay + i
    return { date: dayName(day), count: counts.get(day) ?? 0 }
  })
}
