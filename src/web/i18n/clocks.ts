/** The clocks of time zones other than that of the browser. Zones are IANA names. Pure. */

/** Creating one takes longer than using it a hundred times. */
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone)
  if (clock === undefined) {
    const digits = '2-digit'
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: digits,
      day: digits,
      hour: digits,
      minute: digits,
      second: digits,
    })
    clocks.set(zone, clock)
  }
  return clock
}

/** Milliseconds to add to UTC. */
export function offsetAt(time: number, zone: string): number {
  const parts = clockOf(zone).formatToParts(time)
  const [year, month, day, hour, minute, second] = (['year', 'month', 'day', 'hour', 'minute', 'second'] as const).map(
    (type) => Number(parts.find((part) => part.type === type)?.value),
  ) as [number, number, number, number, number, number]
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000
}

/** Whether clocks in both zones show the same at that moment. */
export const isSameClock = (time: number, a: string, b: string): boolean =>
  a === b || offsetAt(time, a) === offsetAt(time, b)

/** `2026-11-23T14:05` on the clocks of the zone, for an input of the type `datetime-local`. */
export const wallTime = (time: number, zone: string): string =>
  new Date(time + offsetAt(time, zone)).toISOString().slice(0, 16)

/**
 * The moment at which clocks of the zone show this. Of two, the earlier one; a time that clocks leave out is that much later. NaN for texts that
 * are no times.
 */
export function momentOf(text: string, zone: string): number {
  const wall = Date.parse(`${text}Z`)
  if (Number.isNaN(wall)) return wall
  const first = wall - offsetAt(wall, zone)
  const offset = offsetAt(first, zone)
  const moment = wall - offset
  return offsetAt(moment, zone) === offset ? moment : first
}

/** `New York`; names of cities are in English. */
export const cityOf = (zone: string): string => zone.split('/').at(-1)!.replaceAll('_', ' ')
