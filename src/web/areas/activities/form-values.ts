/** The values in the form of an activity, and the body of the request that they stand for. */

import type { Activity, ActivityVisibility, BodyOf } from '../../api/types.ts'
import { momentOf, wallTime } from '../../i18n/clocks.ts'
import { timeZone } from '../../i18n/format.ts'
import { nested } from '../../ui/use-form.tsx'

export interface Question {
  /** Keeps the answers that users have given. */
  readonly key: string
  readonly label: string
  readonly required: boolean
}

export interface Values {
  readonly name: string
  readonly description: string
  readonly descriptionFormat: Activity['descriptionFormat']
  readonly startTime: number | null
  readonly endTime: number | null
  readonly timeZone: string
  readonly coverUrl: string | null
  /** Without it, the cover stays. */
  readonly coverFileId?: number | null
  readonly location: string
  readonly latitude: number | null
  readonly longitude: number | null
  readonly 'region.province': string
  readonly 'region.city': string
  readonly 'region.district': string
  readonly visibility: ActivityVisibility
  readonly hasRegistration: boolean
  readonly 'registration.capacity': number | null
  readonly 'registration.waitlist': boolean
  readonly 'registration.guests': boolean
  readonly 'registration.guestRetentionDays': number | null
  readonly 'registration.opensAt': number | null
  readonly 'registration.closesAt': number | null
  readonly 'registration.personalOnly': boolean
  readonly 'registration.questions': readonly Question[]
  readonly 'registration.approval': boolean
  readonly 'registration.contact': 'NONE' | 'EMAIL'
  readonly hasCheckIn: boolean
  readonly 'checkInConfig.radiusMeters': number | null
  readonly 'checkInConfig.shortCode': string
  readonly 'checkInConfig.maxPerUser': number | null
  readonly 'checkInConfig.opensAt': number | null
  readonly 'checkInConfig.closesAt': number | null
  readonly 'checkInConfig.registeredOnly': boolean
  readonly 'checkInConfig.rotatingSeconds': number | null
  readonly hasPass: boolean
  readonly 'passConfig.maxUses': number | null
  readonly 'passConfig.validFrom': number | null
  readonly 'passConfig.validTo': number | null
  readonly 'passConfig.templateId': number | null
  readonly 'passConfig.autoIssue': boolean
  readonly autoNotices: boolean
  readonly contactEmail: string
}

const TIMES = [
  'startTime',
  'endTime',
  'registration.opensAt',
  'registration.closesAt',
  'checkInConfig.opensAt',
  'checkInConfig.closesAt',
  'passConfig.validFrom',
  'passConfig.validTo',
] as const satisfies readonly (keyof Values)[]

/** The times that are given, the start first. */
export const timesIn = (values: Values): number[] =>
  TIMES.map((name) => values[name]).filter((time) => time !== null && !Number.isNaN(time)) as number[]

/** The same times on the clocks of another zone: 10:00 stays 10:00. */
export const clocksKept = (values: Values, zone: string): Partial<Values> => ({
  timeZone: zone,
  ...Object.fromEntries(
    TIMES.flatMap((name) => {
      const time = values[name]
      return time === null || Number.isNaN(time) ? [] : [[name, momentOf(wallTime(time, values.timeZone), zone)]]
    }),
  ),
})

/** Tomorrow from ten to twelve. */
function tomorrow(): { startTime: number; endTime: number } {
  const start = new Date()
  start.setDate(start.getDate() + 1)
  const startTime = start.setHours(10, 0, 0, 0)
  return { startTime, endTime: startTime + 2 * 3_600_000 }
}

export const emptyValues = (): Values => ({
  name: '',
  description: '',
  descriptionFormat: 'PLAIN',
  ...tomorrow(),
  timeZone: timeZone(),
  coverUrl: null,
  location: '',
  latitude: null,
  longitude: null,
  'region.province': '',
  'region.city': '',
  'region.district': '',
  visibility: 'INVITE_ONLY',
  hasRegistration: false,
  'registration.capacity': null,
  'registration.waitlist': true,
  'registration.guests': false,
  'registration.guestRetentionDays': null,
  'registration.opensAt': null,
  'registration.closesAt': null,
  'registration.personalOnly': false,
  'registration.questions': [],
  'registration.approval': false,
  'registration.contact': 'NONE',
  hasCheckIn: true,
  'checkInConfig.radiusMeters': null,
  'checkInConfig.shortCode': '',
  'checkInConfig.maxPerUser': 1,
  'checkInConfig.opensAt': null,
  'checkInConfig.closesAt': null,
  'checkInConfig.registeredOnly': false,
  'checkInConfig.rotatingSeconds': null,
  hasPass: false,
  'passConfig.maxUses': 1,
  'passConfig.validFrom': null,
  'passConfig.validTo': null,
  'passConfig.templateId': null,
  'passConfig.autoIssue': false,
  autoNotices: true,
  contactEmail: '',
})

/** The parts of an activity that can be changed. */
export type Saved = Pick<
  Activity,
  | 'name'
  | 'description'
  | 'descriptionFormat'
  | 'startTime'
  | 'endTime'
  | 'timeZone'
  | 'location'
  | 'latitude'
  | 'longitude'
  | 'region'
  | 'coverFileId'
  | 'coverUrl'
  | 'visibility'
  | 'registration'
  | 'hasCheckIn'
  | 'checkInConfig'
  | 'hasPass'
  | 'passConfig'
  | 'autoNotices'
  | 'contactEmail'
>

/** @param before the same activity as it was read before: pictures that are not public have another address each time */
export function valuesOf(activity: Saved, before = activity): Values {
  const { checkInConfig, passConfig, registration, region } = activity
  return {
    name: activity.name,
    description: activity.description,
    descriptionFormat: activity.descriptionFormat,
    startTime: activity.startTime,
    endTime: activity.endTime,
    timeZone: activity.timeZone,
    coverUrl: (activity.coverFileId === before.coverFileId ? before : activity).coverUrl,
    location: activity.location ?? '',
    latitude: activity.latitude,
    longitude: activity.longitude,
    'region.province': region?.province ?? '',
    'region.city': region?.city ?? '',
    'region.district': region?.district ?? '',
    visibility: activity.visibility,
    hasRegistration: registration !== null,
    'registration.capacity': registration?.capacity ?? null,
    'registration.waitlist': registration?.waitlist ?? true,
    'registration.guests': registration?.guests ?? false,
    'registration.guestRetentionDays': registration?.guestRetentionDays ?? null,
    'registration.opensAt': registration?.opensAt ?? null,
    'registration.closesAt': registration?.closesAt ?? null,
    'registration.personalOnly': registration?.personalOnly ?? false,
    'registration.questions': registration?.questions ?? [],
    'registration.approval': registration?.approval ?? false,
    'registration.contact': registration?.contact ?? 'NONE',
    hasCheckIn: activity.hasCheckIn,
    'checkInConfig.radiusMeters': checkInConfig.radiusMeters,
    'checkInConfig.shortCode': checkInConfig.shortCode ?? '',
    'checkInConfig.maxPerUser': checkInConfig.maxPerUser,
    'checkInConfig.opensAt': checkInConfig.opensAt,
    'checkInConfig.closesAt': checkInConfig.closesAt,
    'checkInConfig.registeredOnly': checkInConfig.registeredOnly,
    'checkInConfig.rotatingSeconds': checkInConfig.rotatingSeconds,
    hasPass: activity.hasPass,
    'passConfig.maxUses': passConfig.maxUses,
    'passConfig.validFrom': passConfig.validFrom,
    'passConfig.validTo': passConfig.validTo,
    'passConfig.templateId': passConfig.templateId,
    'passConfig.autoIssue': passConfig.autoIssue,
    autoNotices: activity.autoNotices,
    contactEmail: activity.contactEmail ?? '',
  }
}

type Body = BodyOf<'activities.create'>

/** Rules of parts that are turned off stay as they are on the server, so that turning them on again brings them back. */
export function bodyOf(values: Values): Body {
  const given = Object.entries(values)
    .filter(([name]) => name !== 'coverUrl' && name !== 'hasRegistration')
    .map(([name, value]) => [name, typeof value === 'string' ? value.trim() || null : value])
  const { registration, checkInConfig, passConfig, ...body } = nested(Object.fromEntries(given)) as unknown as Body
  const questions = values['registration.questions']
    .filter(({ label }) => label.trim() !== '')
    .map(({ key, label, required }) => ({ key, label, required }))
  return {
    ...body,
    registration: values.hasRegistration ? { ...registration, questions } : null,
    ...(values.hasCheckIn && { checkInConfig }),
    // Without passes, there is none to issue.
    ...(values.hasPass ? { passConfig } : values['passConfig.autoIssue'] && { passConfig: { autoIssue: false } }),
  }
}

/** For `useForm`: the picture shows no problem of its own. */
export const paths = { coverFileId: [] }

/** The first of `q1`, `q2`, … that no question has. */
export function newKey(questions: readonly Question[]): string {
  let n = questions.length + 1
  while (questions.some(({ key }) => key === `q${n}`)) n++
  return `q${n}`
}
