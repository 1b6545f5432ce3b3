/** The texts in the form of an activity, and the body of the request that they stand for. */

import type { Activity, ActivityVisibility, BodyOf } from '../../api/types.ts'
import { inputTime } from '../../i18n/format.ts'
import { timeOf } from './words.ts'

export interface Question {
  /** Keeps the answers that users have given. */
  readonly key: string
  readonly label: string
  readonly required: boolean
}

export interface Values {
  readonly name: string
  readonly description: string
  readonly startTime: string
  readonly endTime: string
  readonly location: string
  readonly latitude: string
  readonly longitude: string
  readonly province: string
  readonly city: string
  readonly district: string
  readonly visibility: ActivityVisibility
  readonly hasRegistration: boolean
  readonly capacity: string
  readonly waitlist: boolean
  readonly registrationOpens: string
  readonly registrationCloses: string
  readonly questions: readonly Question[]
  readonly hasCheckIn: boolean
  readonly radiusMeters: string
  readonly shortCode: string
  readonly maxPerUser: string
  readonly checkInOpens: string
  readonly checkInCloses: string
  readonly hasPass: boolean
  readonly passUses: string
  readonly passFrom: string
  readonly passTo: string
  readonly templateId: string
}

/** Tomorrow from ten to twelve. */
function tomorrow(): { startTime: string; endTime: string } {
  const start = new Date()
  start.setDate(start.getDate() + 1)
  start.setHours(10, 0, 0, 0)
  return { startTime: inputTime(start.getTime()), endTime: inputTime(start.getTime() + 2 * 3_600_000) }
}

export const emptyValues = (): Values => ({
  name: '',
  description: '',
  ...tomorrow(),
  location: '',
  latitude: '',
  longitude: '',
  province: '',
  city: '',
  district: '',
  visibility: 'INVITE_ONLY',
  hasRegistration: false,
  capacity: '',
  waitlist: true,
  registrationOpens: '',
  registrationCloses: '',
  questions: [],
  hasCheckIn: true,
  radiusMeters: '',
  shortCode: '',
  maxPerUser: '1',
  checkInOpens: '',
  checkInCloses: '',
  hasPass: false,
  passUses: '1',
  passFrom: '',
  passTo: '',
  templateId: '',
})

/** The parts of an activity that can be changed. */
export type Saved = Pick<
  Activity,
  | 'name'
  | 'description'
  | 'startTime'
  | 'endTime'
  | 'location'
  | 'latitude'
  | 'longitude'
  | 'region'
  | 'coverUrl'
  | 'visibility'
  | 'registration'
  | 'hasCheckIn'
  | 'checkInConfig'
  | 'hasPass'
  | 'passConfig'
>

export function valuesOf(activity: Saved): Values {
  const { checkInConfig, passConfig, registration, region } = activity
  return {
    name: activity.name,
    description: activity.description,
    startTime: inputTime(activity.startTime),
    endTime: inputTime(activity.endTime),
    location: activity.location ?? '',
    latitude: textOf(activity.latitude),
    longitude: textOf(activity.longitude),
    province: region?.province ?? '',
    city: region?.city ?? '',
    district: region?.district ?? '',
    visibility: activity.visibility,
    hasRegistration: registration !== null,
    capacity: textOf(registration?.capacity),
    waitlist: registration?.waitlist ?? true,
    registrationOpens: inputTime(registration?.opensAt),
    registrationCloses: inputTime(registration?.closesAt),
    questions: registration?.questions ?? [],
    hasCheckIn: activity.hasCheckIn,
    radiusMeters: textOf(checkInConfig.radiusMeters),
    shortCode: checkInConfig.shortCode ?? '',
    maxPerUser: textOf(checkInConfig.maxPerUser),
    checkInOpens: inputTime(checkInConfig.opensAt),
    checkInCloses: inputTime(checkInConfig.closesAt),
    hasPass: activity.hasPass,
    passUses: textOf(passConfig.maxUses),
    passFrom: inputTime(passConfig.validFrom),
    passTo: inputTime(passConfig.validTo),
    templateId: textOf(passConfig.templateId),
  }
}

/** Rules of parts that are turned off stay as they are on the server, so that turning them on again brings them back. */
export function bodyOf(values: Values): BodyOf<'activities.create'> {
  return {
    name: values.name.trim(),
    description: values.description.trim(),
    startTime: timeOf(values.startTime) ?? 0,
    endTime: timeOf(values.endTime) ?? 0,
    location: values.location.trim() || null,
    latitude: numberOf(values.latitude),
    longitude: numberOf(values.longitude),
    region: {
      province: values.province.trim() || null,
      city: values.city.trim() || null,
      district: values.district.trim() || null,
    },
    visibility: values.visibility,
    hasCheckIn: values.hasCheckIn,
    hasPass: values.hasPass,
    registration: values.hasRegistration
      ? {
          capacity: numberOf(values.capacity),
          waitlist: values.waitlist,
          opensAt: timeOf(values.registrationOpens),
          closesAt: timeOf(values.registrationCloses),
          questions: values.questions
            .filter(({ label }) => label.trim() !== '')
            .map(({ key, label, required }) => ({ key, label: label.trim(), required })),
        }
      : null,
    ...(values.hasCheckIn && {
      checkInConfig: {
        radiusMeters: numberOf(values.radiusMeters),
        shortCode: values.shortCode.trim() || null,
        maxPerUser: numberOf(values.maxPerUser),
        opensAt: timeOf(values.checkInOpens),
        closesAt: timeOf(values.checkInCloses),
      },
    }),
    ...(values.hasPass && {
      passConfig: {
        maxUses: numberOf(values.passUses),
        validFrom: timeOf(values.passFrom),
        validTo: timeOf(values.passTo),
        templateId: numberOf(values.templateId),
      },
    }),
  }
}

/** The first of `q1`, `q2`, … that no question has. */
export function newKey(questions: readonly Question[]): string {
  let n = questions.length + 1
  while (questions.some(({ key }) => key === `q${n}`)) n++
  return `q${n}`
}

const textOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value)
const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))
