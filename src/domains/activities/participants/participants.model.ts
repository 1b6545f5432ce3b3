/** Shapes of the list of participants, for those who manage the activity. */

import { INVITATION_SKIP_REASONS } from '#db/schema/activity-invitations.ts'
import { MESSAGE_CHANNELS, MESSAGE_KINDS, RECIPIENT_STATES, SKIP_REASONS } from '#db/schema/activity-messages.ts'
import {
  ActivityExportZone,
  Enum,
  Id,
  Line,
  Model,
  Multiline,
  Nullable,
  PageOf,
  PageQuery,
  Sort,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { Status as PassStatusName } from '../passes/passes.model.ts'
import { filterParameters } from '../registrations/filters.model.ts'
import { AnswersInput, registrationFields } from '../registrations/registrations.model.ts'

const fields = {
  ...registrationFields,
  nickname: Text('Lin', { description: 'Of the account, or the name of the guest' }),
  email: Nullable(
    Text('lin@example.org', {
      description:
        'Of a guest, or with `registration.contact` EMAIL the one that a user had proved when they registered',
    }),
  ),
  note: Nullable(Text('Wheelchair', { description: 'For managers (`activity:update`) only, otherwise null' })),
  confirmedAt: Nullable({
    ...Time,
    description: 'When it became CONFIRMED last. Null unless it is, or if that was not stored',
  }),
  pass: Nullable(
    Type.Object({ id: Id, status: PassStatusName }, { description: 'The live pass, or else the newest one' }),
  ),
  checkedInAt: Nullable({ ...Time, description: 'The first check-in' }),
}
export const ListedRegistration = Model('ListedRegistration', fields)
export type ListedRegistration = Static<typeof ListedRegistration>
export const RegistrationPage = PageOf(ListedRegistration)

export const ListQuery = PageQuery({
  ...filterParameters,
  sort: Sort(['createdAt', 'name', 'status', 'position']),
  format: Type.Optional(
    Enum(['json', 'xlsx', 'csv'], {
      default: 'json',
      description: '`xlsx` and `csv` answer with a table of all pages',
    }),
  ),
  tz: ActivityExportZone,
  lang: Type.Optional(
    Enum(['en', 'zh'], { description: 'Of titles and words of the table; that of `Accept-Language` by default' }),
  ),
  notes: Type.Optional(
    Type.Boolean({ description: 'Whether the table has the notes, for which you need `activity:update`' }),
  ),
  orgId: Type.Optional(Id),
})
export type ListQuery = Static<typeof ListQuery>

export const ManagedRegistration = Model('ManagedRegistration', { ...fields, activityId: Id })
export type ManagedRegistration = Static<typeof ManagedRegistration>

const SENT_KINDS = [
  ...MESSAGE_KINDS.filter((kind) => kind !== 'CANCELLED'),
  'CONFIRMED',
  'WAITING',
  'REJECTED',
  'CANCELLED',
  'PASS',
  'INVITATION',
] as const
const REASONS = [...new Set([...SKIP_REASONS, ...INVITATION_SKIP_REASONS])]

export const RegistrationDetails = Model('RegistrationDetails', {
  ...fields,
  activityId: Id,
  sent: Type.Array(
    Model('SentToParticipant', {
      kind: Enum(SENT_KINDS, {
        description:
          'CANCELLED: the registration was cancelled by a manager, or the activity was cancelled. INVITATION: the one that the person has used',
      }),
      messageId: Nullable({ ...Id, description: 'Of a message to many participants' }),
      channel: Enum(MESSAGE_CHANNELS),
      state: Enum(RECIPIENT_STATES),
      sentAt: Nullable(Time),
      reason: Nullable(
        Enum(REASONS, { description: 'TOO_MANY and ENDED: of an INVITATION that was not mailed, see `mail` there' }),
      ),
      createdAt: Time,
    }),
    { description: 'The news and messages to the person, the latest first, at most 200 rows' },
  ),
})
export type RegistrationDetails = Static<typeof RegistrationDetails>

export const ById = Type.Object({ registrationId: Id })

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

const SET_STATUSES = ['CONFIRMED', 'WAITING', 'CANCELLED', 'REJECTED'] as const
export const MAX_REASON = 200
export const MAX_NOTE = 2000
export const Reason = Line(MAX_REASON, 0, {
  description: 'Of a registration that is rejected or cancelled. The person sees it',
  examples: ['The workshop is for beginners'],
})
export const Note = Multiline(MAX_NOTE, 0, { description: 'For managers only', examples: ['Wheelchair'] })
export const GuestName = Line(100, 1, { examples: ['Lin Mei'] })
export const GuestEmail = Line(254, 0, { examples: ['lin@example.org'] })
export const GuestLanguage = Enum(['en', 'zh'], {
  description: 'Of mails and of the page of the guest',
  examples: ['en'],
})
export const OverCapacity = Type.Boolean({
  description: 'Whether more people may be confirmed than the activity has places; false by default',
  examples: [false],
})
export const Notify = Type.Boolean({ description: 'Whether the person is notified; true by default', examples: [true] })

/** The examples are of accounts. */
export const OF_GUESTS = { examples: [null] }

export const UpdateRegistration = Model('UpdateRegistration', {
  status: Type.Optional(
    Enum(SET_STATUSES, {
      description:
        'From CONFIRMED and WAITING to any other, from PENDING to any, and from CANCELLED and REJECTED to CONFIRMED or WAITING, where the ' +
        'person becomes the last one. Confirming does not depend on the waiting list',
      examples: ['CONFIRMED'],
    }),
  ),
  position: {
    ...optional(
      Type.Integer({
        description:
          'The place in the waiting list of a WAITING one. The others move on; beyond an end, it is that end',
      }),
    ),
    // Not of the registration of the examples.
    examples: [null],
  },
  name: { ...optional({ ...GuestName, description: 'Of a guest. Null changes nothing' }), ...OF_GUESTS },
  email: {
    ...optional({
      ...GuestEmail,
      description: 'Of a guest. Another address is not confirmed, and ends the link of the guest',
    }),
    ...OF_GUESTS,
  },
  answers: {
    ...optional({ ...AnswersInput, description: 'Replaces the answers. None is required from managers' }),
    // The activity of the examples asks nothing.
    examples: [null],
  },
  note: optional(Note),
  language: { ...optional(GuestLanguage), ...OF_GUESTS },
  reason: optional(Reason),
  overCapacity: optional(OverCapacity),
  notify: optional(Notify),
  orgId: optional(Id),
})
export type UpdateRegistration = Static<typeof UpdateRegistration>

export const CancelQuery = Type.Object({
  orgId: Type.Optional(Id),
  notify: Type.Optional(Notify),
  reason: Type.Optional(Reason),
  erase: Type.Optional(
    Type.Boolean({
      description: 'Permanently deletes the name, address, answers and note of a guest',
      examples: [false],
    }),
  ),
})
export type CancelQuery = Static<typeof CancelQuery>
