/** Events: the first VEVENT of a content, alone or inside a VCALENDAR. */

import { escaped, fold, linesOf, type Property, propertyOf, unescaped } from './fields.ts'

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
    end: momentOf(find('DTEND')) ?? endAfter(start, find('DURATION')?.value.trim()),
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

const DURATION = /^P(?:(\d{1,3})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:\d{1,5}S)?)?)$/i

/** The end of an event with a duration (RFC 5545 §3.3.6) instead of an end. */
function endAfter(start: Moment, duration: string | undefined): Moment | undefined {
  const [found, weeks = 0, days = 0, hours = 0, minutes = 0] = DURATION.exec(duration ?? '') ?? []
  if (found === undefined) return undefined
  const length = (((Number(weeks) * 7 + Number(days)) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000
  return length === 0 ? undefined : { ...start, at: start.at + length }
}

/** `20260102T030405`, or `20260102` for a day. */
function timeOf({ at, isDay }: Pick<Moment, 'at' | 'isDay'>): string {
  const digits = new Date(at).toISOString().replace(/[-:]|\.\d+Z/g, '')
  return isDay ? digits.slice(0, 8) : digits
}

/** `DTSTART;TZID=Europe/Berlin:20260102T030405` */
function timeLine(name: string, moment: Moment): string {
  const { isDay, zone } = moment
  if (isDay) return `${name};VALUE=DATE:${timeOf(moment)}`
  if (zone === 'UTC') return `${name}:${timeOf(moment)}Z`
  const quoted = /[:;,]/.test(zone) ? `"${zone}"` : zone
  return `${name}${zone && `;TZID=${quoted}`}:${timeOf(moment)}`
}

/**
 * The event as an `.ics` file, with exactly what pages show of it. An id of the code could replace another event in the visitor's calendar,
 * a repetition or participants could add what nobody has seen. Undefined if the content is no event.
 */
export function eventFile(content: string, { uid, writtenAt }: { uid: string; writtenAt: number }): string | undefined {
  const event = readEvent(content.trim())
  if (event === undefined) return undefined
  const { title, start, end, location, description, url } = event
  const named = (name: string, value: string) => (value === '' ? [] : [`${name}:${escaped(value)}`])
  return fold([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Tessera//QR code//EN',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${timeOf({ at: writtenAt, isDay: false })}Z`,
    timeLine('DTSTART', start),
    ...(end === undefined ? [] : [timeLine('DTEND', end)]),
    ...named('SUMMARY', title),
    ...named('LOCATION', location),
    ...named('DESCRIPTION', description),
    // Addresses are not escaped (RFC 5545 §3.3.13).
    ...(/^https?:\/\/[^\s\p{Cc}]+$/iu.test(url) ? [`URL:${url}`] : []),
    'END:VEVENT',
    'END:VCALENDAR',
  ])
}
