/** Shapes of activities in requests and answers. */

import { ACTIVITY_STATUSES, ACTIVITY_VISIBILITIES, REGISTRATION_CONTACTS } from '#db/schema/activities.ts'
import {
  Enum,
  Id,
  Latitude,
  Line,
  Longitude,
  Model,
  Multiline,
  Name,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  RowVersion,
  Sort,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import type { Locale } from '#lib/localized.ts'
import { HOUR } from '#platform/clock.ts'

import { MaxUses } from '../passes/passes.model.ts'
import { ActivityDescription, DescriptionFormat, DescriptionHtml } from './description.model.ts'

const OWNER_TYPES = ['PERSONAL', 'ORGANIZATION'] as const
const PHASES = ['NOW', 'UPCOMING', 'PAST'] as const
const MAX_QUESTIONS = 20
const MAX_CAPACITY = 1_000_000

export const LOCALES = ['en', 'zh'] as const satisfies readonly Locale[]
const ActivityLanguage = Enum(LOCALES, {
  examples: ['en'],
  description: 'Of pages and mails for people whose own language is not known',
})
const ActivityZone = Line(64, 1, {
  description: 'IANA name of the zone in which pages, passes, mails and exports name the times',
  examples: ['Asia/Shanghai'],
})

/** Deleted activities no longer count for the quota, but their rows stay. A club enters its programme of a year in one go. */
export const CREATION_BUDGET = {
  name: 'activities',
  counts: { en: 'new activities', zh: '新活动' },
  per: 'user',
  limit: 500,
  windowMs: HOUR,
} as const

/** Three hours after the example of `Time`. */
const Later = { ...Time, examples: [1_767_236_400_000] }

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

export const ActivityStatusName = Named('ActivityStatus', Enum(ACTIVITY_STATUSES, { examples: ['ACTIVE'] }))
export const Visibility = Named('ActivityVisibility', Enum(ACTIVITY_VISIBILITIES, { examples: ['PUBLIC'] }))
export const OwnerType = Named('ActivityOwnerType', Enum(OWNER_TYPES, { examples: ['PERSONAL'] }))
const Phase = Named(
  'ActivityPhase',
  Enum(PHASES, {
    examples: ['UPCOMING'],
    description:
      'Each activity is in one phase at a time: NOW has begun and not ended, UPCOMING has not begun, and PAST has ended, or is ENDED or CANCELLED',
  }),
)
const ScopeType = Named('RestrictedScopeType', Enum(['ORGANIZATION'], { examples: ['ORGANIZATION'] }))

const PROVINCE = 'Zhejiang'
const CITY = 'Hangzhou'
const DISTRICT = 'Xihu'
const LOCATION = '1 West Lake Road, Hall B'
/** All three parts are in one SQL index, which on PostgreSQL holds 2,704 bytes: at most 3 bytes for each of these UTF-16 units. */
const MAX_PLACE_UNITS = 250
const place = (example: string) => optional({ ...Line(50, 0, { examples: [example] }), maxLength: MAX_PLACE_UNITS })
const RegionInput = Model(
  'ActivityRegionInput',
  { description: 'Replaces the whole region' },
  { province: place(PROVINCE), city: place(CITY), district: place(DISTRICT) },
)

const Radius = Type.Integer({ minimum: 10, maximum: 100_000, examples: [200] })
/** Unlimited if 0. */
const MaxPerUser = Type.Integer({ minimum: 0, maximum: 10_000, description: '0 = unlimited', examples: [1] })
const ShortCode = Type.String({
  pattern: '^[A-Za-z0-9]{4,12}$',
  description: '4 to 12 letters or digits, compared without case',
  examples: ['LAKE24'],
})

const RotatingSeconds = Type.Integer({ minimum: 15, maximum: 300, examples: [30] })

const CheckInConfigInput = Model(
  'CheckInConfigInput',
  { description: 'Absent fields stay as they are' },
  {
    radiusMeters: optional({
      ...Radius,
      description: 'Users must be within this distance of the position of the check-in, or else of the activity',
    }),
    latitude: optional(Latitude),
    longitude: optional(Longitude),
    maxPerUser: optional(MaxPerUser),
    shortCode: optional(ShortCode),
    opensAt: optional({ ...Time, description: 'By default as soon as the activity is ACTIVE' }),
    closesAt: optional({ ...Later, description: 'By default the end of the activity' }),
    registeredOnly: optional(Type.Boolean({ description: 'Only users with a CONFIRMED registration can check in' })),
    rotatingSeconds: optional({
      ...RotatingSeconds,
      description:
        'The kiosk shows another code after so many seconds, and only its present and previous codes are good; null = off',
    }),
  },
)

const AutoIssue = Type.Boolean({
  description:
    'Whether everyone who has a place gets a pass, in the same write. It is revoked when the registration ends. Needs `hasPass` and registration',
  examples: [false],
})
const PassConfigInput = Model(
  'PassConfigInput',
  { description: 'Values of passes for which the request and the template give none. Absent fields stay as they are' },
  {
    templateId: optional({ ...Id, description: 'A pass template of the same owner' }),
    validFrom: optional(Time),
    validTo: optional(Later),
    maxUses: optional(MaxUses),
    autoIssue: optional(AutoIssue),
  },
)

const QuestionKey = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,31}$', examples: ['tshirt'] })
const Guests = Type.Boolean({
  description:
    'Whether people without an account can register, by name and e-mail. Not for RESTRICTED activities, and only on a server with a mail server',
  examples: [false],
})
const RetentionDays = Type.Integer({
  minimum: 1,
  maximum: 365,
  description: 'Days after the end for which the data of guests is kept; null = `guests.retentionDays` of the server',
  examples: [30],
})
const Capacity = Type.Integer({ minimum: 1, maximum: MAX_CAPACITY, examples: [200] })
const PersonalOnly = Type.Boolean({
  description:
    'Whether registering needs a personal invitation: the common invite code then only shows the activity. No effect if it is RESTRICTED. False by default',
  examples: [false],
})
const Approval = Type.Boolean({
  description:
    'Whether everybody who registers is WAITING until a manager confirms them. If it is turned off, the list moves up',
  examples: [false],
})
const Contact = Enum(REGISTRATION_CONTACTS, {
  description:
    'EMAIL: who registers needs a proved e-mail address, and managers see it. Show this before somebody registers. Those who have registered before are not shown',
  examples: ['NONE'],
})
const RegistrationInput = Model(
  'ActivityRegistrationInput',
  { description: 'Absent fields stay as they are; null ends registration' },
  {
    capacity: optional({ ...Capacity, description: 'Places; null = unlimited' }),
    waitlist: optional(Type.Boolean()),
    approval: optional(Approval),
    contact: optional({ ...Contact, description: `${Contact.description}. NONE by default` }),
    opensAt: optional({ ...Time, description: 'By default as soon as the activity is ACTIVE' }),
    closesAt: optional({ ...Later, description: 'By default the start of the activity' }),
    personalOnly: optional(PersonalOnly),
    guests: optional(Guests),
    guestRetentionDays: optional(RetentionDays),
    questions: optional(
      Type.Array(
        Model('RegistrationQuestionInput', {
          key: QuestionKey,
          label: Line(100, 1, { examples: ['Size of the T-shirt'] }),
          required: optional(Type.Boolean()),
        }),
        { maxItems: MAX_QUESTIONS },
      ),
    ),
  },
)

const writable = {
  name: Name,
  description: optional(ActivityDescription),
  descriptionFormat: optional({ ...DescriptionFormat, description: 'PLAIN by default' }),
  region: optional(RegionInput),
  location: optional(Line(200, 0, { examples: [LOCATION] })),
  latitude: optional({ ...Latitude, description: 'Give both coordinates or neither' }),
  longitude: optional(Longitude),
  startTime: Time,
  endTime: { ...Later, description: 'After the start' },
  timeZone: Type.Optional({
    ...ActivityZone,
    description: `${ActivityZone.description}. By default that of your latest activity, or else of the server`,
  }),
  language: Type.Optional({
    ...ActivityLanguage,
    description: `${ActivityLanguage.description}. By default that of the request that creates it`,
  }),
  coverFileId: optional({ ...Id, description: 'An unused upload of yours, of type `activity` and for the same owner' }),
  hasCheckIn: optional(Type.Boolean()),
  hasPass: optional(Type.Boolean()),
  visibility: optional({
    ...Visibility,
    description: 'INVITE_ONLY by default. RESTRICTED: members of the organization; not for personal activities',
  }),
  restrictedScopeType: optional(ScopeType),
  restrictedScopeId: optional({ ...Id, description: 'The organization that owns the activity, which is the default' }),
  checkInConfig: optional(CheckInConfigInput),
  passConfig: optional(PassConfigInput),
  registration: optional(RegistrationInput),
  autoNotices: optional(
    Type.Boolean({
      description: 'Notify participants of another date or place and of a cancellation; true by default',
    }),
  ),
  contactEmail: {
    ...optional(Line(254, 1, { description: 'Replies to its mails go here: an address that you have proved' })),
    // The address of an example would have to be proved.
    examples: [null],
  },
}

export const CreateActivity = Model('CreateActivity', {
  ...writable,
  orgId: optional({ ...Id, description: 'The organization that owns the activity; without it, the activity is yours' }),
  ownerType: optional({ ...OwnerType, description: 'With `ownerId`, another way to name the organization' }),
  ownerId: optional(Id),
})
export type CreateActivity = Static<typeof CreateActivity>

/** How participants are notified of the change. */
const noticeFields = {
  notify: optional(
    Type.Boolean({
      description:
        'Whether participants are notified of another date or place, or of the cancellation. `autoNotices` by default',
    }),
  ),
  noticeText: optional(
    Multiline(500, 0, {
      description: 'Plain text that is added to the notice',
      examples: ['The hall is being repaired.'],
    }),
  ),
}

/** Absent fields stay; null clears a field or sets its default. */
export const UpdateActivity = Named(
  'UpdateActivity',
  Type.Partial(Type.Object({ ...writable, ...noticeFields, orgId: Type.Optional(Nullable(Id)) })),
)
export type UpdateActivity = Static<typeof UpdateActivity>

export const SetStatus = Model('SetActivityStatus', {
  status: ActivityStatusName,
  ...noticeFields,
  orgId: Type.Optional(Nullable(Id)),
})
export type SetStatus = Static<typeof SetStatus>

const SERIES = '3d1c8a52-6a0f-4f0e-9c1b-2f1e0a9d8c7b'

export const ListQuery = PageQuery({
  orgId: Type.Optional(Id),
  ownerType: Type.Optional(OwnerType),
  ownerId: Type.Optional(Id),
  status: Type.Optional(ActivityStatusName),
  visibility: Type.Optional(Visibility),
  keyword: Type.Optional(
    Line(100, 0, { description: 'Searched for in name, description and location', examples: ['lake'] }),
  ),
  from: Type.Optional({ ...Time, description: 'Only activities that end at this time or later' }),
  to: Type.Optional({ ...Time, description: 'Only activities that start at this time or earlier' }),
  phase: Type.Optional(Phase),
  seriesId: Type.Optional(Line(36, 1, { description: 'Only activities of this series', examples: [SERIES] })),
  registered: Type.Optional(
    Type.Boolean({
      description:
        '`true` lists the activities of all owners for which you have a place or are on the waiting list. Not together with an organization',
    }),
  ),
  sort: Sort(['startTime', 'createdAt', 'name']),
})
export type ListQuery = Static<typeof ListQuery>

const Total = Type.Integer({ minimum: 0, examples: [3] })

export const Region = Named(
  'ActivityRegion',
  Type.Object({
    province: Nullable(Text(PROVINCE)),
    city: Nullable(Text(CITY)),
    district: Nullable(Text(DISTRICT)),
  }),
)

const CheckInConfigView = Model('CheckInConfig', {
  radiusMeters: Nullable(Radius),
  latitude: Nullable(Latitude),
  longitude: Nullable(Longitude),
  maxPerUser: MaxPerUser,
  shortCode: Nullable({ ...ShortCode, description: 'For managers only' }),
  opensAt: Nullable(Time),
  closesAt: Nullable(Time),
  registeredOnly: Type.Boolean(),
  rotatingSeconds: Nullable(RotatingSeconds),
})

const PassConfigView = Model('PassConfig', {
  templateId: Nullable(Id),
  validFrom: Nullable(Time),
  validTo: Nullable(Time),
  maxUses: Nullable(MaxUses),
  autoIssue: AutoIssue,
})

const RegistrationView = Model('ActivityRegistration', {
  capacity: Nullable({ ...Capacity, description: 'Places; null = unlimited' }),
  waitlist: Type.Boolean(),
  approval: Approval,
  contact: Contact,
  opensAt: Nullable(Time),
  closesAt: Nullable(Time),
  personalOnly: PersonalOnly,
  guests: Guests,
  guestRetentionDays: Nullable(RetentionDays),
  questions: Type.Array(
    Model('RegistrationQuestion', { key: QuestionKey, label: Text('Size of the T-shirt'), required: Type.Boolean() }),
  ),
})

const StatsView = Model('ActivityStats', {
  checkIns: Total,
  checkedInUsers: { ...Total, description: 'Users who checked in at least once' },
  passes: { ...Total, description: 'Issued passes' },
  passUses: { ...Total, description: 'Accepted entries with passes' },
  registrations: Type.Object({ confirmed: Total, waiting: Total }),
})

const itemFields = {
  id: Id,
  uuid: Type.String({ format: 'uuid', examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }),
  name: Text('Lake cleanup'),
  description: Text('Bring gloves and boots', { description: 'As it was written. Empty if there is none' }),
  region: Nullable(Region),
  location: Nullable(Text(LOCATION)),
  latitude: Nullable(Latitude),
  longitude: Nullable(Longitude),
  startTime: Time,
  endTime: Time,
  timeZone: ActivityZone,
  coverFileId: Nullable(Id),
  coverUrl: Nullable(
    Text('https://qr.example.org/public/images/5hYt0QmZr8KpWc2LxVbN3a', {
      description:
        'Public if the activity is PUBLIC and not a DRAFT, otherwise a signed address, valid for at least an hour',
    }),
  ),
  hasCheckIn: Type.Boolean(),
  hasPass: Type.Boolean(),
  ownerType: OwnerType,
  ownerId: Id,
  ownerName: Nullable(
    Text('Green Lake Club', { description: 'Null for an INTERNAL organization of which you are not a member' }),
  ),
  createdBy: { ...Id, description: 'The user who created it' },
  visibility: Visibility,
  restrictedScopeType: Nullable(ScopeType),
  restrictedScopeId: Nullable(Id),
  inviteCode: Nullable(Text('KQ7MPX2WRT', { description: 'Of an INVITE_ONLY activity, for managers only' })),
  status: ActivityStatusName,
  qrContent: Nullable(
    Text('activity:42', { description: 'Contains the invite code if the activity is INVITE_ONLY: for managers only' }),
  ),
  registration: Nullable(RegistrationView),
  seriesId: Nullable(
    Text(SERIES, { description: 'Shared by the activities that one request made by repeating another one' }),
  ),
  canManage: Type.Boolean({ description: 'Whether you manage the activity as a whole (`activity:update`)' }),
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
}

export const ActivityItem = Model('ActivityItem', itemFields)
export type ActivityItem = Static<typeof ActivityItem>
export const ActivityPage = PageOf(ActivityItem)

export const ActivityView = Model('Activity', {
  ...itemFields,
  language: ActivityLanguage,
  autoNotices: Type.Boolean({
    description: 'Participants are notified of another date or place and of a cancellation',
  }),
  contactEmail: Nullable(Text('lin@example.org', { description: 'Where replies to its mails go. For managers only' })),
  descriptionFormat: DescriptionFormat,
  descriptionHtml: DescriptionHtml,
  checkInConfig: CheckInConfigView,
  passConfig: PassConfigView,
  stats: Nullable({ ...StatsView, description: 'For managers only' }),
})
export type ActivityView = Static<typeof ActivityView>
