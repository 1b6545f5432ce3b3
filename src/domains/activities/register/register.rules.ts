/** Decisions about activities: the columns that a request sets, transitions, codes and the rules of check-in. Pure. */

import type {
  activities,
  ActivityStatus,
  CheckInConfig,
  PassConfig,
  RegistrationConfig,
} from '#db/schema/activities.ts'
import type { OrgStatus } from '#db/schema/orgs.ts'
import type { FieldProblem } from '#http/errors.ts'
import { tooLong } from '#http/normalize.ts'
import { isZoneName } from '#lib/days.ts'
import { ownLink } from '#lib/own-link.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import * as errors from '../activities.errors.ts'
import { INVITE_CODE_LENGTH, normalizeInviteCode } from '../visibility/visibility.rules.ts'
import { MAX_PLAIN } from './description.model.ts'
import type { ListQuery, UpdateActivity } from './register.model.ts'

export { zoneOf } from '../activities.rules.ts'

type Row = typeof activities.$inferSelect

/** The columns that requests decide. */
export type ActivityFields = Pick<
  Row,
  | 'name'
  | 'description'
  | 'descriptionFormat'
  | 'province'
  | 'city'
  | 'district'
  | 'location'
  | 'latitude'
  | 'longitude'
  | 'startTime'
  | 'endTime'
  | 'timeZone'
  | 'language'
  | 'coverFileId'
  | 'visibility'
  | 'hasCheckIn'
  | 'hasPass'
  | 'checkInConfig'
  | 'passConfig'
  | 'passTemplateId'
  | 'autoIssue'
  | 'registration'
  | 'capacity'
  | 'autoNotices'
  | 'contactEmail'
>

const NO_CHECK_IN_RULES: CheckInConfig = {
  radiusMeters: null,
  latitude: null,
  longitude: null,
  maxPerUser: 1,
  shortCode: null,
  opensAt: null,
  closesAt: null,
  registeredOnly: false,
  rotatingSeconds: null,
}
const NO_PASS_VALUES: PassConfig = { validFrom: null, validTo: null, maxUses: null }
const OPEN_REGISTRATION: Required<RegistrationConfig> = {
  waitlist: false,
  opensAt: null,
  closesAt: null,
  questions: [],
  personalOnly: false,
  guests: false,
  guestRetentionDays: null,
  approval: false,
  contact: 'NONE',
}

/** The defaults. A request for a new activity must give the name and the times. */
export const NEW_ACTIVITY: ActivityFields = {
  name: '',
  startTime: 0,
  endTime: 0,
  description: '',
  descriptionFormat: 'PLAIN',
  province: '',
  city: '',
  district: '',
  location: '',
  latitude: null,
  longitude: null,
  timeZone: '',
  language: 'en',
  coverFileId: null,
  visibility: 'INVITE_ONLY',
  hasCheckIn: false,
  hasPass: false,
  checkInConfig: NO_CHECK_IN_RULES,
  passConfig: NO_PASS_VALUES,
  passTemplateId: null,
  autoIssue: false,
  registration: null,
  capacity: 0,
  autoNotices: true,
  contactEmail: null,
}

/** Like a type of TypeBox: what JSON of a request may contain. */
type Given<T> = { readonly [K in keyof T]?: T[K] | null | undefined }

/** The fields of `before`, and those that are given in their place; null stands for the default. */
const merged = <T extends object>(before: T, given: Given<T>, defaults: T): T =>
  Object.fromEntries(
    (Object.keys(defaults) as (keyof T)[]).map((name) => [
      name,
      // Rows of older versions lack fields of their JSON.
      (given[name] === undefined ? before[name] : given[name]) ?? defaults[name],
    ]),
  ) as T

/** A new activity, or `before` with the fields of the request. */
export function fieldsOf(input: UpdateActivity, before: ActivityFields): ActivityFields {
  const { region, checkInConfig, passConfig, registration, contactEmail, ...plain } = input
  const given = { ...plain, contactEmail: contactEmail?.toLowerCase() ?? contactEmail }
  const fields: { -readonly [K in keyof ActivityFields]: ActivityFields[K] } = merged(before, given, NEW_ACTIVITY)
  if (region !== undefined) {
    fields.province = region?.province ?? ''
    fields.city = region?.city ?? ''
    fields.district = region?.district ?? ''
  }
  if (checkInConfig !== undefined)
    fields.checkInConfig = checkInConfig
      ? merged(before.checkInConfig, checkInConfig, NO_CHECK_IN_RULES)
      : NO_CHECK_IN_RULES
  if (passConfig !== undefined) {
    fields.passConfig = passConfig ? merged(before.passConfig, passConfig, NO_PASS_VALUES) : NO_PASS_VALUES
    if (passConfig?.templateId !== undefined || passConfig === null)
      fields.passTemplateId = passConfig?.templateId ?? null
    if (passConfig?.autoIssue !== undefined || passConfig === null) fields.autoIssue = passConfig?.autoIssue ?? false
  }
  if (registration === null) {
    fields.registration = null
    fields.capacity = 0
  } else if (registration !== undefined) {
    const { capacity, questions, ...times } = registration
    const asked = questions && questions.map((question) => ({ ...question, required: question.required ?? false }))
    fields.registration = merged(
      before.registration ?? OPEN_REGISTRATION,
      { ...times, questions: asked },
      OPEN_REGISTRATION,
    )
    if (capacity !== undefined) fields.capacity = capacity ?? 0
  }
  // A change to RESTRICTED closes the form for guests.
  if (fields.visibility === 'RESTRICTED' && fields.registration?.guests && registration?.guests !== true)
    fields.registration = { ...fields.registration, guests: false }
  return fields
}

const NAMES = Object.keys(NEW_ACTIVITY) as (keyof ActivityFields)[]

/** `input`: which scope the request names. `orgId`: the organization that owns the activity, or 0. */
export function problemsOf(fields: ActivityFields, input: UpdateActivity, orgId: number): FieldProblem[] {
  const { checkInConfig, passConfig, registration } = fields
  const problems: FieldProblem[] = []
  const checkPair = (place: { readonly latitude: number | null; readonly longitude: number | null }, path: string) => {
    if ((place.latitude === null) === (place.longitude === null)) return
    problems.push(errors.halfAPosition(`${path}.${place.latitude === null ? 'latitude' : 'longitude'}`))
  }
  const checkOrder = (from: number | null, to: number | null, path: string) => {
    if (from !== null && to !== null && to <= from) problems.push(errors.endsTooEarly(path))
  }
  if (fields.descriptionFormat === 'PLAIN' && fields.description.length > MAX_PLAIN)
    problems.push({ path: 'body.description', text: tooLong(MAX_PLAIN) })
  checkOrder(fields.startTime, fields.endTime, 'body.endTime')
  if (input.timeZone !== undefined && !isZoneName(input.timeZone)) problems.push(errors.wrongZone('body.timeZone'))
  checkPair(fields, 'body')
  checkPair(checkInConfig, 'body.checkInConfig')
  if (checkInConfig.radiusMeters !== null && checkInConfig.latitude === null && fields.latitude === null)
    problems.push(errors.radiusWithoutPosition('body.checkInConfig.radiusMeters'))
  checkOrder(checkInConfig.opensAt, checkInConfig.closesAt, 'body.checkInConfig.closesAt')
  checkOrder(passConfig.validFrom, passConfig.validTo, 'body.passConfig.validTo')
  if (fields.autoIssue && (!fields.hasPass || registration === null))
    problems.push(errors.autoIssueNeedsBoth('body.passConfig.autoIssue'))
  if (registration !== null) {
    checkOrder(registration.opensAt, registration.closesAt, 'body.registration.closesAt')
    for (const [i, { key }] of registration.questions.entries())
      if (registration.questions.findIndex((question) => question.key === key) < i)
        problems.push(errors.questionTwice(`body.registration.questions.${i}.key`))
  }
  if (fields.visibility === 'RESTRICTED') {
    if (registration?.guests) problems.push(errors.guestsAmongMembers('body.registration.guests'))
    if (orgId === 0) problems.push(errors.restrictedToNobody('body.visibility'))
    else if (input.restrictedScopeId != null && input.restrictedScopeId !== orgId)
      problems.push(errors.foreignScope('body.restrictedScopeId'))
  }
  return problems
}

/** The values of `after` that the row does not have yet. */
export const differences = (row: ActivityFields, after: ActivityFields): Partial<ActivityFields> =>
  Object.fromEntries(NAMES.filter((name) => !Bun.deepEquals(after[name], row[name])).map((name) => [name, after[name]]))

/** Whether members of the organization see the activity in lists. */
export const isListed = ({ visibility, status }: Pick<Row, 'visibility' | 'status'>): boolean =>
  visibility !== 'INVITE_ONLY' && status !== 'DRAFT'

/** The end of an activity that discovery shows; null if it does not. Discovery clears it again after the end. */
export const discoverUntil = (
  row: Pick<Row, 'visibility' | 'status' | 'deletedAt' | 'endTime'> & { readonly orgStatus: OrgStatus | null },
): number | null => {
  const { visibility, status, deletedAt, endTime, orgStatus } = row
  const isPublic = visibility === 'PUBLIC' && status === 'ACTIVE' && deletedAt === null
  return isPublic && orgStatus !== 'DISABLED' ? endTime : null
}

/** Whether everyone may see the cover, without signing in. */
export const hasPublicCover = ({ visibility, status }: Pick<Row, 'visibility' | 'status'>): boolean =>
  visibility === 'PUBLIC' && status !== 'DRAFT'

const NEXT: Readonly<Record<ActivityStatus, readonly ActivityStatus[]>> = {
  DRAFT: ['ACTIVE'],
  ACTIVE: ['ENDED', 'CANCELLED'],
  ENDED: [],
  CANCELLED: [],
}

export const canBecome = (from: ActivityStatus, to: ActivityStatus): boolean => NEXT[from].includes(to)
export const canBeEdited = (status: ActivityStatus): boolean => status === 'DRAFT' || status === 'ACTIVE'
export const canBeDeleted = (status: ActivityStatus): boolean => status !== 'ACTIVE'

/** The content of the QR code of an activity. */
export const qrContentOf = ({ id, inviteCode }: Pick<Row, 'id' | 'inviteCode'>): string =>
  inviteCode === null ? `activity:${id}` : `activity:${id}:${inviteCode}`

/** A text that a user scanned or typed, as far as it names an activity. */
export type Scanned =
  /** The content of the QR code of an activity. */
  | { readonly kind: 'activity'; readonly id: number; readonly code: string | undefined }
  /** The link of a landing page on this server. `uuid` is in lower case. */
  | {
      readonly kind: 'page'
      readonly page: 'activity' | 'check-in'
      readonly uuid: string
      readonly code: string | undefined
      /** The rotating code of a kiosk. */
      readonly rotating: string | undefined
    }
  | { readonly kind: 'other link' }
  | { readonly kind: 'text'; readonly text: string }

/** The parameter of the link of a check-in page that holds the rotating code. */
export const ROTATING_PARAMETER = 't'

const QR_CONTENT = /^activity:(\d{1,15})(?::([^:]*))?$/i
const LANDING_PATH = new RegExp(`^/s/(activity|check-in)/(${UUID_PATTERN})/?$`, 'i')

export function scannedIn(content: string, addresses: readonly string[]): Scanned {
  const text = content.trim()
  const [, id, code] = QR_CONTENT.exec(text) ?? []
  if (id !== undefined) return { kind: 'activity', id: Number(id), code: code || undefined }
  const link = ownLink(text, addresses)
  if (link === undefined) return /^https?:/i.test(text) ? { kind: 'other link' } : { kind: 'text', text }
  const [, page, uuid] = LANDING_PATH.exec(link.path) ?? []
  if (page === undefined || uuid === undefined) return { kind: 'other link' }
  return {
    kind: 'page',
    page: page.toLowerCase() as 'activity' | 'check-in',
    uuid: uuid.toLowerCase(),
    code: link.query.get('code') || undefined,
    rotating: link.query.get(ROTATING_PARAMETER) || undefined,
  }
}

/** The invite code of this activity in a text that a user scanned or typed. It may be wrong. Undefined if there is none. */
export function inviteCodeIn(
  content: string,
  row: Pick<Row, 'id' | 'uuid'>,
  addresses: readonly string[],
): string | undefined {
  const scanned = scannedIn(content, addresses)
  const code = codeOf(scanned, row)
  return code === undefined ? undefined : normalizeInviteCode(code)
}

function codeOf(scanned: Scanned, { id, uuid }: Pick<Row, 'id' | 'uuid'>): string | undefined {
  if (scanned.kind === 'activity') return scanned.id === id ? scanned.code : undefined
  if (scanned.kind === 'page') return scanned.page === 'activity' && scanned.uuid === uuid ? scanned.code : undefined
  if (scanned.kind !== 'text') return undefined
  return normalizeInviteCode(scanned.text).length === INVITE_CODE_LENGTH ? scanned.text : undefined
}

export interface CheckInPolicy {
  /** Null: as soon as the activity is ACTIVE. */
  readonly opensAt: number | null
  readonly closesAt: number
  readonly radius: { readonly meters: number; readonly latitude: number; readonly longitude: number } | null
  /** 0 = unlimited. */
  readonly maxPerUser: number
  readonly shortCode: string | null
  /** Whether only users with a CONFIRMED registration can check in. */
  readonly registeredOnly: boolean
  /** Null unless the code rotates: then the code of the screen is needed, and replaces the short code. */
  readonly rotatingSeconds: number | null
}

/** The rules of check-in with their defaults. */
export function checkInPolicy(row: Pick<Row, 'checkInConfig' | 'endTime' | 'latitude' | 'longitude'>): CheckInPolicy {
  const { radiusMeters, opensAt, closesAt, maxPerUser, shortCode, ...own } = row.checkInConfig
  const { registeredOnly = false, rotatingSeconds = null } = own
  const { latitude, longitude } = own.latitude === null ? row : own
  const hasRadius = radiusMeters !== null && latitude !== null && longitude !== null
  return {
    opensAt,
    closesAt: closesAt ?? row.endTime,
    radius: hasRadius ? { meters: radiusMeters, latitude, longitude } : null,
    maxPerUser,
    shortCode,
    registeredOnly,
    rotatingSeconds,
  }
}

/** Whether the query asks for all activities of the list, in any order. */
export const isUnfiltered = ({ keyword, ...query }: ListQuery): boolean =>
  !keyword &&
  ([query.status, query.visibility, query.from, query.to, query.phase, query.seriesId] as const).every(
    (filter) => filter === undefined,
  )
