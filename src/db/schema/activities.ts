import { sql, type SQLWrapper } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { Locale } from '#lib/localized.ts'

import { col, inByteOrder, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'
import { users } from './accounts.ts'

export const ACTIVITY_STATUSES = ['DRAFT', 'ACTIVE', 'ENDED', 'CANCELLED'] as const
export type ActivityStatus = (typeof ACTIVITY_STATUSES)[number]

export const ACTIVITY_VISIBILITIES = ['PUBLIC', 'RESTRICTED', 'INVITE_ONLY'] as const
export type ActivityVisibility = (typeof ACTIVITY_VISIBILITIES)[number]

/** How the description is written. */
export const ACTIVITY_FORMATS = ['PLAIN', 'MARKDOWN'] as const
export type ActivityFormat = (typeof ACTIVITY_FORMATS)[number]

/** All of these are null or a value; 0 check-ins per user means unlimited. */
export interface CheckInConfig {
  readonly radiusMeters: number | null
  /** The centre of the radius, in degrees; both null for the position of the activity. */
  readonly latitude: number | null
  readonly longitude: number | null
  readonly maxPerUser: number
  /** As the manager typed it; compared without case. */
  readonly shortCode: string | null
  readonly opensAt: number | null
  readonly closesAt: number | null
  /** Whether only users with a CONFIRMED registration can check in. Absent in rows of older versions, like the next one. */
  readonly registeredOnly?: boolean
  /** How long each code of the kiosk is shown; null or absent if the code of the check-in page stays the same. */
  readonly rotatingSeconds?: number | null
}

/** Values of passes that are issued without a template or other values. The template is in a column of its own. */
export interface PassConfig {
  readonly validFrom: number | null
  readonly validTo: number | null
  readonly maxUses: number | null
}

export interface RegistrationQuestion {
  readonly key: string
  readonly label: string
  readonly required: boolean
}

/** EMAIL: managers see the proved addresses of accounts that register. */
export const REGISTRATION_CONTACTS = ['NONE', 'EMAIL'] as const
export type RegistrationContact = (typeof REGISTRATION_CONTACTS)[number]

/** The capacity is in a column of its own. */
export interface RegistrationConfig {
  readonly waitlist: boolean
  readonly opensAt: number | null
  readonly closesAt: number | null
  readonly questions: readonly RegistrationQuestion[]
  /** Whether registering needs a personal invitation. Absent in rows of older versions. */
  readonly personalOnly?: boolean
  /** Whether people without an account can register. Absent in rows of older versions, like the next one. */
  readonly guests?: boolean
  /** Days after the end for which the data of guests is kept; null or absent: the setting. */
  readonly guestRetentionDays?: number | null
  /** Whether everybody waits until a manager confirms them. Absent in rows of earlier versions. */
  readonly approval?: boolean
  /** Absent in rows of earlier versions: NONE. */
  readonly contact?: RegistrationContact
}

const isNotNull = (column: SQLiteColumn) => sql`${column} is not null`

export const activities = table(
  'activities',
  {
    id: col.id(),
    uuid: col.text('uuid').notNull(),
    /** In the link of the check-in page. Another one than `uuid`, because knowing it replaces the short code. */
    checkInUuid: col.text('check_in_uuid').notNull(),
    /** See db/owner-key.ts. */
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    /** Who created it. */
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    name: col.text('name').notNull(),
    description: col.text('description').notNull().default(''),
    descriptionFormat: col.text('description_format').$type<ActivityFormat>().notNull().default('PLAIN'),
    province: col.text('province').notNull().default(''),
    city: col.text('city').notNull().default(''),
    district: col.text('district').notNull().default(''),
    location: col.text('location').notNull().default(''),
    /** Degrees (WGS 84); both or neither. */
    latitude: col.real('latitude'),
    longitude: col.real('longitude'),
    startTime: col.time('start_time').notNull(),
    endTime: col.time('end_time').notNull(),
    /** IANA name; empty for that of the server. */
    timeZone: col.text('time_zone').notNull().default(''),
    /** The language of pages and mails for people whose own is not known. */
    language: col.text('language').$type<Locale>().notNull().default('en'),
    coverFileId: col.int('cover_file_id'),
    visibility: col.text('visibility').$type<ActivityVisibility>().notNull(),
    /** Set if and only if the visibility is INVITE_ONLY. */
    inviteCode: col.text('invite_code'),
    status: col.text('status').$type<ActivityStatus>().notNull().default('DRAFT'),
    /**
     * The end of an activity that discovery shows; null if it does not: unless PUBLIC and ACTIVE, in a DISABLED organization, and soon
     * after the end. See discovery.store.ts.
     */
    discoverUntil: col.time('discover_until'),
    /** Whether members of the organization see it in lists: PUBLIC or RESTRICTED, and no DRAFT. */
    isListed: col.bool('is_listed').notNull().default(false),
    hasCheckIn: col.bool('has_check_in').notNull().default(false),
    hasPass: col.bool('has_pass').notNull().default(false),
    checkInConfig: col.json<CheckInConfig>('check_in_config').notNull(),
    passConfig: col.json<PassConfig>('pass_config').notNull(),
    passTemplateId: col.int('pass_template_id'),
    /** Whether everyone who has a place gets a pass. Only with passes and registration. */
    autoIssue: col.bool('auto_issue').notNull().default(false),
    /** Null if users cannot register. */
    registration: col.json<RegistrationConfig>('registration'),
    /** Places for registrations; 0 = unlimited. */
    capacity: col.int('capacity').notNull().default(0),
    /** Whether participants are notified of another date or place and of a cancellation, unless a request says otherwise. */
    autoNotices: col.bool('auto_notices').notNull().default(true),
    /** Where replies to its mails go; in lower case. */
    contactEmail: col.text('contact_email'),
    version: col.int('version').notNull().default(1),
    /** Shared by the activities that one request made by repeating another activity. */
    seriesId: col.text('series_id'),
    /** When it became ENDED or CANCELLED. */
    endedAt: col.time('ended_at'),
    deletedAt: col.time('deleted_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => {
    const { discoverUntil, province, city, district, startTime, createdAt, id } = t
    const discovered = isNotNull(discoverUntil)
    return [
      uniqueIndex('activities_uuid').on(t.uuid),
      uniqueIndex('activities_check_in_uuid').on(t.checkInUuid),
      // The orders of the lists of an owner, for managers and for members.
      index('activities_start').on(t.owner, t.deletedAt, t.startTime, t.createdAt, t.id),
      index('activities_created').on(t.owner, t.deletedAt, t.createdAt, t.id),
      index('activities_name').on(t.owner, t.deletedAt, t.name, t.createdAt, t.id),
      index('activities_listed_start').on(t.owner, t.deletedAt, t.isListed, t.startTime, t.createdAt, t.id),
      index('activities_listed_created').on(t.owner, t.deletedAt, t.isListed, t.createdAt, t.id),
      index('activities_listed_name').on(t.owner, t.deletedAt, t.isListed, t.name, t.createdAt, t.id),
      // The orders of discovery, everywhere and in a region. The columns after the id are those that filters compare, so that rows are
      // counted without being read.
      index('activities_discover_start')
        .on(startTime, createdAt, id, discoverUntil, province, city, district)
        .where(discovered),
      index('activities_discover_created')
        .on(createdAt, id, discoverUntil, startTime, province, city, district)
        .where(discovered),
      index('activities_discover_province_start')
        .on(province, startTime, createdAt, id, discoverUntil)
        .where(discovered),
      index('activities_discover_province_created')
        .on(province, createdAt, id, discoverUntil, startTime)
        .where(discovered),
      index('activities_discover_city_start')
        .on(province, city, startTime, createdAt, id, discoverUntil)
        .where(discovered),
      index('activities_discover_city_created')
        .on(province, city, createdAt, id, discoverUntil, startTime)
        .where(discovered),
      index('activities_discover_district_start')
        .on(province, city, district, startTime, createdAt, id, discoverUntil)
        .where(discovered),
      index('activities_discover_district_created')
        .on(province, city, district, createdAt, id, discoverUntil, startTime)
        .where(discovered),
      // Finds those whose end has passed.
      index('activities_discover_until').on(discoverUntil, startTime, province, city, district).where(discovered),
      index('activities_template').on(t.passTemplateId).where(isNotNull(t.passTemplateId)),
      index('activities_user').on(t.userId, t.createdAt, t.id),
      // For the console. Partial, because an index that begins with `deleted_at` would be taken for queries by ids.
      index('activities_all')
        .on(createdAt, id)
        .where(sql`${t.deletedAt} is null`),
    ]
  },
)

/** Numbers of an activity that change with each check-in, pass and registration. A row of its own, so that the activity stays unchanged. */
export const activityCounters = table(
  'activity_counters',
  {
    activityId: col
      .int('activity_id')
      .primaryKey()
      .references(() => activities.id),
    checkIns: col.int('check_ins').notNull().default(0),
    /** Users who checked in at least once. */
    checkedInUsers: col.int('checked_in_users').notNull().default(0),
    passes: col.int('passes').notNull().default(0),
    /** Uses of all passes: the sum of `used_count`. */
    passUses: col.int('pass_uses').notNull().default(0),
    /** Registrations that are CONFIRMED. Compared with the capacity in the write that confirms one. */
    confirmed: col.int('confirmed').notNull().default(0),
    waiting: col.int('waiting').notNull().default(0),
  },
  // For the job that gives places to users on waiting lists.
  (t) => [
    index('activity_counters_waiting')
      .on(t.activityId)
      .where(sql`${t.waiting} > 0`),
  ],
)

/** MANUAL: by a manager of the activity. */
export const CHECK_IN_METHODS = ['GPS', 'CODE', 'QR', 'MANUAL'] as const
export type CheckInMethod = (typeof CHECK_IN_METHODS)[number]

export const checkIns = table(
  'check_ins',
  {
    id: col.id(),
    activityId: col
      .int('activity_id')
      .notNull()
      .references(() => activities.id),
    /** Null for somebody without an account. */
    userId: col.int('user_id').references(() => users.id),
    /** Of somebody without an account. */
    registrationId: col.int('registration_id'),
    /** 1 for the first check-in of the user in the activity. */
    sequence: col.int('sequence').notNull(),
    method: col.text('method').$type<CheckInMethod>().notNull(),
    /** Metres from the centre of the radius, if the activity has one. */
    distance: col.int('distance'),
    checkedInAt: col.time('checked_in_at').notNull(),
  },
  (t) => [
    index('check_ins_activity').on(t.activityId, t.checkedInAt, t.id),
    index('check_ins_user').on(t.activityId, t.userId, t.checkedInAt, t.id),
    // The check-ins of a user, and whether there are any.
    index('check_ins_of_user').on(t.userId, t.checkedInAt, t.id),
    index('check_ins_registration')
      .on(t.registrationId, t.checkedInAt)
      .where(sql`${t.registrationId} is not null`),
    index('check_ins_time').on(t.checkedInAt, t.id),
  ],
)

/** How often a user has checked in. The limit per user is a condition of the write that raises it. */
export const checkInUsers = table(
  'check_in_users',
  {
    activityId: col.int('activity_id').notNull(),
    /** See `personOf`. */
    userId: col.int('user_id').notNull(),
    count: col.int('count').notNull(),
    /** Check-ins that administrators deleted since the first of those that are left: their numbers are not given again. */
    deleted: col.int('deleted').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.activityId, t.userId] })],
)

/** Check-ins by time and method, so that statistics cost the same at ten check-ins and at a million. */
export const checkInSlots = table(
  'check_in_slots',
  {
    activityId: col.int('activity_id').notNull(),
    /** Start of a quarter of an hour: every time zone begins its hours at one. Epoch milliseconds. */
    slot: col.time('slot').notNull(),
    method: col.text('method').$type<CheckInMethod>().notNull(),
    count: col.int('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.activityId, t.slot, t.method] })],
)

/** PENDING: a guest who has not confirmed their address. */
export const REGISTRATION_STATUSES = ['CONFIRMED', 'WAITING', 'CANCELLED', 'PENDING', 'REJECTED'] as const
export type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number]

/** ACCOUNT and GUEST registered themselves; MANUAL and IMPORT were entered by a manager. */
export const REGISTRATION_SOURCES = ['ACCOUNT', 'GUEST', 'MANUAL', 'IMPORT'] as const
export type RegistrationSource = (typeof REGISTRATION_SOURCES)[number]

/**
 * All that the list of participants is filtered by, but texts and ids: `CONFIRMED.IMPORT.guest.pass.in`. An index has the rows of each activity by it, and
 * `list_totals` have their numbers (migration 0082). The index has this text.
 */
export const facetOf = (t: Record<'status' | 'source' | 'userId' | 'hasPass' | 'cameIn', SQLWrapper>) =>
  sql<string>`(${t.status} || '.' || ${t.source} || case when ${t.userId} is null then '.guest' else '' end || case when ${t.hasPass} then '.pass' else '' end || case when ${t.cameIn} then '.in' else '' end)`

/**
 * A user has at most one registration for an activity, and so has an address of guests; after a cancellation, the same row is used again.
 * Guests are people without an account.
 */
export const registrations = table(
  'registrations',
  {
    id: col.id(),
    activityId: col
      .int('activity_id')
      .notNull()
      .references(() => activities.id),
    /** Null for a guest. */
    userId: col.int('user_id').references(() => users.id),
    status: col.text('status').$type<RegistrationStatus>().notNull(),
    source: col.text('source').$type<RegistrationSource>().notNull().default('ACCOUNT'),
    /** Of a guest. */
    name: col.text('name'),
    /** In lower case. Of a guest, or the proved address that a user has shared with the managers of the activity. */
    email: col.text('email'),
    /** When the guest proved the address. */
    emailConfirmedAt: col.time('email_confirmed_at'),
    /** Of a guest. */
    language: col.text('language').$type<Locale>(),
    /** Of the page of a guest. */
    secretHash: col.text('secret_hash'),
    /** The secret, encrypted (platform/seal.ts): mails contain the link again. */
    secret: col.text('secret'),
    /** The personal invitation that a guest has named and uses by confirming. */
    invitationId: col.int('invitation_id'),
    answers: col.json<Readonly<Record<string, string>>>('answers').notNull(),
    /** For managers only. */
    note: col.text('note').notNull().default(''),
    /** Why it was rejected, cancelled or moved. Shown to the person. */
    reason: col.text('reason').notNull().default(''),
    /** The pass that `autoIssue` has issued for it, which is revoked when it ends. Null once it is CANCELLED. */
    autoPassId: col.int('auto_pass_id'),
    /** When it became CONFIRMED last. Null in rows of versions that did not store it. */
    confirmedAt: col.time('confirmed_at'),
    /** The place in the waiting list if it is another one than that of `createdAt`. */
    waitOrder: col.real('wait_order'),
    /** Whether the person holds a live pass, and has checked in or was let in by a gate. Triggers of migration 0082 keep both. */
    hasPass: col.bool('has_pass').notNull().default(false),
    cameIn: col.bool('came_in').notNull().default(false),
    /**
     * The name that lists show, with ASCII letters in lower case: that of the account, or of the guest. Triggers of migration 0110 keep it. On
     * PostgreSQL, earlier rows are null until a job has filled them.
     */
    sortName: col.text('sort_name'),
    /** When the data of a guest was deleted. The row stays, because it counts. */
    erasedAt: col.time('erased_at'),
    /** When the person registered, or registered again after a cancellation. The order of the waiting list, unless `waitOrder` is set. */
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('registrations_user').on(t.activityId, t.userId),
    uniqueIndex('registrations_guest')
      .on(t.activityId, t.email)
      .where(sql`${t.userId} is null and ${t.email} is not null`),
    uniqueIndex('registrations_secret')
      .on(t.secretHash)
      .where(sql`${t.secretHash} is not null`),
    index('registrations_listed')
      .on(t.activityId, t.createdAt, t.id)
      .where(sql`${t.status} <> 'PENDING'`),
    index('registrations_ids').on(t.activityId, t.id),
    index('registrations_status').on(t.activityId, t.status, t.createdAt, t.id),
    index('registrations_facets').on(t.activityId, facetOf(t), t.createdAt, t.id),
    // With the status, so that rows before a page are not read.
    index('registrations_names')
      .on(t.activityId, inByteOrder(t.sortName), t.createdAt, t.id, t.status)
      .where(sql`${t.status} <> 'PENDING'`),
    // For the job that fills earlier rows.
    index('registrations_unnamed')
      .on(t.id)
      .where(sql`${t.sortName} is null`),
    index('registrations_waiting')
      .on(t.activityId, sql`coalesce(${t.waitOrder}, ${t.createdAt})`, t.id)
      .where(sql`${t.status} = 'WAITING'`),
    index('registrations_of_user').on(t.userId),
    // For the jobs that delete guests who did not confirm, who cancelled, and whose activity is over.
    index('registrations_pending')
      .on(t.createdAt, t.id)
      .where(sql`${t.status} = 'PENDING'`),
    index('registrations_cancelled_guests')
      .on(t.updatedAt, t.id)
      .where(sql`${t.status} = 'CANCELLED' and ${t.userId} is null and ${t.erasedAt} is null`),
    index('registrations_guests')
      .on(t.activityId, t.id)
      .where(sql`${t.userId} is null and ${t.erasedAt} is null`),
    // Guests with the address that somebody has proved.
    index('registrations_address')
      .on(t.email)
      .where(sql`${t.userId} is null and ${t.email} is not null`),
  ],
)

/**
 * One number for somebody who takes part: the id of the user or, of a guest, that of the registration below 0. Columns that hold it have no foreign
 * key.
 */
export const personOf = ({ userId, id }: { readonly userId: number | null; readonly id: number }): number =>
  userId ?? -id

/** The link of the screen that shows the check-in code of an activity. */
export const activityKiosks = table(
  'activity_kiosks',
  {
    activityId: col
      .int('activity_id')
      .primaryKey()
      .references(() => activities.id),
    secretHash: col.text('secret_hash').notNull(),
    /** The secret, encrypted (platform/seal.ts): managers see the link again. */
    secret: col.text('secret').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [uniqueIndex('activity_kiosks_secret').on(t.secretHash)],
)

/** Activities that administrators deleted. A job deletes their rows in steps, at last the activity and this row. */
export const purgedActivities = table('purged_activities', {
  activityId: col.int('activity_id').primaryKey(),
  deletedAt: col.time('deleted_at').notNull(),
})
