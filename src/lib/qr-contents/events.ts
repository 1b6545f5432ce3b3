/** Events: the first VEVENT of a content, alone or inside a VCALENDAR. */

import { fold, linesOf, type Property, propertyOf, unescaped } from './fields.ts'

/** A time as the code writes it. */
export interface Moment {
  /** Epoch milliseconds of the same date and time in UTC. */
  readonly at: number
  /** A day without a time. */
  readonly isDay: boolean
  /** `UTC`, the name of a time zone, or empty if the time is that of the place. Any text. */
  readonly zone: string
}

export interface CalendarEvent {
  readonly type: 'event'
  readonly title: string
  readonly start: Moment
  /** Exclusive: an event of one day ends on the next. */
  readonly end: Moment | undefined
  readonly location: string
  readonly description: string
  readonly url: string
}

const EVENT = /^BEGIN:(?:VEVENT|VCALENDAR)\b/i

/** Undefined if there is no event with a start. */
export function readEvent(text: string): CalendarEvent | undefined {
  const properties = (EVENT.test(text) ? eventLines(text) : []).flatMap((line) => propertyOf(line) ?? [])
  const find = (name: string) => properties.find((property) => property.name === name)
  const textOf = (name: string) => unescaped(find(name)?.value ?? '', true).trim()
  const start = momentOf(find('DTSTART'))
  if (start === undefined) return undefined
  return {
    type: 'event',
    title: textOf('SUMMARY'),
    start,
    end: momentOf(find('DTEND')),
    location: textOf('LOCATION'),
    description: textOf('DESCRIPTION'),
    url: textOf('URL'),
  }
}

/** The lines of the first event, without those of its alarms. Codes often leave out the end. */
function eventLines(text: string): string[] {
  const lines = linesOf(text)
  const first = lines.findIndex((line) => /^BEGIN:VEVENT\s*$/i.test(line))
  if (first < 0) return []
  const found: string[] = []
  let depth = 0
  for (const line of lines.slice(first + 1)) {
    if (/^BEGIN:/i.test(line)) depth++
    else if (!/^END:/i.test(line)) {
      if (depth === 0) found.push(line)
    } else if (depth-- === 0) break
  }
  return found
}

const TIME = /^(\d{4})-?(\d{2})-?(\d{2})(?:T(\d{2}):?(\d{2}):?(\d{2})?(Z)?)?$/i

function momentOf(property: Property | undefined): Moment | undefined {
  const [, year, month, day, hour, minute, second = '0', utc] = TIME.exec(property?.value.trim() ?? '') ?? []
  if (property === undefined || year === undefined) return undefined
  const at = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second),
  )
  const date = new Date(at)
  // Date.UTC counts on: the 31st of June would be the 1st of July.
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  if (!exists || Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59) return undefined
  const zone = property.parameters.find((parameter) => /^TZID=/i.test(parameter))?.slice('TZID='.length) ?? ''
  return { at, isDay: hour === undefined, zone: utc === undefined ? zone.replaceAll('"', '') : 'UTC' }
}

/**
 * The event as an `.ics` file, with everything that the code says about it. Calendars ask for a unique id and a time of writing, which
 * codes leave out. Undefined if the content is no event.
 */
export function eventFile(content: string, { uid, writtenAt }: { uid: string; writtenAt: number }): string | undefined {
  const text = content.trim()
  if (readEvent(text) === undefined) return undefined
  const lines = eventLines(text).filter((line) => propertyOf(line) !== undefined)
  const has = (name: string) => lines.some((line) => propertyOf(line)?.name === name)
  const stamp = new Date(writtenAt).toISOString().replace(/[-:]|\.\d+/g, '')
  return fold([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Tessera//QR code//EN',
    'BEGIN:VEVENT',
    ...(has('UID') ? [] : [`UID:${uid}`]),
    ...(has('DTSTAMP') ? [] : [`DTSTAMP:${stamp}`]),
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
  ])
}
