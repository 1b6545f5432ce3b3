/** The next step of visitors, links to calendars, and data for search engines. Pure. */

import type { ActivityStatus, RegistrationConfig } from '#db/schema/activities.ts'

import { checkInPolicy } from '../register/register.rules.ts'
import { phaseOf } from '../registrations/registrations.rules.ts'

/** Where visitors stand who want to take part. `register`, `wait`, `checkIn`: what the main button does; otherwise they sign in. */
export type Step = 'over' | 'checkIn' | 'register' | 'wait' | 'early' | 'closed' | 'full' | 'signIn'

type Shown = Parameters<typeof checkInPolicy>[0] & {
  readonly status: ActivityStatus
  readonly startTime: number
  readonly hasCheckIn: boolean
  readonly registration: RegistrationConfig | null
}

/** `left`: free places; undefined if they are unlimited. */
export function stepOf(row: Shown, left: number | undefined, now: number): Step {
  const { registration, startTime, endTime } = row
  if (row.status !== 'ACTIVE' || endTime < now) return 'over'
  if (row.hasCheckIn) {
    const { opensAt, closesAt } = checkInPolicy(row)
    if (now >= (opensAt ?? startTime) && now < closesAt) return 'checkIn'
  }
  if (registration === null) return 'signIn'
  const phase = phaseOf(registration, { startTime, endTime }, now)
  if (phase !== 'open') return phase === 'early' ? 'early' : 'closed'
  if (left !== 0 || registration.approval) return 'register'
  return registration.waitlist ? 'wait' : 'full'
}

/** An activity as calendars on the web take it. */
export interface Entry {
  readonly name: string
  readonly text: string
  readonly place: string
  readonly startTime: number
  readonly endTime: number
  readonly zone: string
}

/** UTF-16 units of a text in a link: browsers and servers refuse long addresses. */
const MAX_TEXT = 500

const iso = (at: number): string => new Date(at).toISOString().replace('.000', '')

/** Forms that are filled in and that the visitor saves. The services learn of the activity only when one of the links is opened. */
export function calendarLinks(entry: Entry): { readonly google: string; readonly outlook: string } {
  const { name, place, startTime, endTime, zone } = entry
  const text = entry.text.slice(0, MAX_TEXT).toWellFormed()
  const compact = (at: number) => iso(at).replace(/[-:]|\.\d+/g, '')
  const google = new URLSearchParams({
    action: 'TEMPLATE',
    text: name,
    dates: `${compact(startTime)}/${compact(endTime)}`,
    details: text,
    location: place,
    // Fixed offsets, which the address of the page may name, are none.
    ...(/^[A-Za-z]/.test(zone) && { ctz: zone }),
  })
  const outlook = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: name,
    startdt: iso(startTime),
    enddt: iso(endTime),
    body: text,
    location: place,
  })
  return {
    google: `https://calendar.google.com/calendar/render?${google}`,
    outlook: `https://outlook.live.com/calendar/0/action/compose?${outlook}`,
  }
}

export interface EventFacts {
  readonly row: Readonly<Record<'name' | 'province' | 'city' | 'district' | 'location', string>> & {
    readonly status: ActivityStatus
    readonly startTime: number
    readonly endTime: number
    readonly latitude: number | null
    readonly longitude: number | null
  }
  readonly zone: string
  readonly url: string
  readonly text: string
  readonly imageUrl: string | null
  readonly organizer: {
    readonly name: string | null
    readonly isOrganization: boolean
    readonly imageUrl: string | null
  }
  readonly address: string
  /** The start before it was moved. */
  readonly earlierStart: number | undefined
}

/** Shown in results of search engines. */
const MAX_DESCRIPTION = 2000

/** An `Event` of schema.org. */
export function eventData({ row, zone, url, text, imageUrl, organizer, address, earlierStart }: EventFacts): object {
  const at = (time: number) =>
    Temporal.Instant.fromEpochMilliseconds(time).toString({ timeZone: zone, smallestUnit: 'second' })
  const { latitude, longitude } = row
  const moved = earlierStart === undefined ? 'EventScheduled' : 'EventRescheduled'
  const geo = latitude !== null && longitude !== null && { geo: { '@type': 'GeoCoordinates', latitude, longitude } }
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: row.name,
    url,
    startDate: at(row.startTime),
    endDate: at(row.endTime),
    eventStatus: `https://schema.org/${row.status === 'CANCELLED' ? 'EventCancelled' : moved}`,
    ...(earlierStart !== undefined && { previousStartDate: at(earlierStart) }),
    ...(text !== '' && { description: text.slice(0, MAX_DESCRIPTION).toWellFormed() }),
    ...(imageUrl !== null && { image: [imageUrl] }),
    ...((address !== '' || geo) && {
      location: {
        '@type': 'Place',
        name: row.location || address || row.name,
        ...(address !== '' && { address }),
        ...geo,
      },
    }),
    ...(organizer.name !== null && {
      organizer: {
        '@type': organizer.isOrganization ? 'Organization' : 'Person',
        name: organizer.name,
        ...(organizer.imageUrl !== null && { image: organizer.imageUrl }),
      },
    }),
  }
}
