/** Shapes of personal invitations to an activity. */

import { INVITATION_MAIL_STATES, INVITATION_SKIP_REASONS } from '#db/schema/activity-invitations.ts'
import {
  Enum,
  Id,
  Line,
  Model,
  Multiline,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { RequestId } from '../batches/batches.model.ts'
import { LOCALES } from '../register/register.model.ts'

/** Of one request. */
export const MAX_ITEMS = 1000
export const MAX_OF_ACTIVITY = 20_000
/** Mails a day that a user may send to strangers from personal activities. */
export const MAILS_OF_USER = 50
/** Invitations a day to one address, from the whole server. */
export const MAILS_TO_ADDRESS = 3

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

const Language = Enum(LOCALES, { examples: ['en'], description: 'Of the mail; that of the activity by default' })
const State = Named(
  'ActivityInvitationState',
  Enum(['OPEN', 'USED', 'EXPIRED', 'REVOKED'], {
    examples: ['OPEN'],
    description: 'EXPIRED: `expiresAt` has passed. The code of a REVOKED or EXPIRED one is a wrong code',
  }),
)

export const NewInvitations = Model('NewActivityInvitations', {
  items: optional(
    Type.Array(
      Model('NewActivityInvitation', {
        email: optional(
          Line(254, 1, { description: 'At most one OPEN invitation for each address', examples: ['lin@example.org'] }),
        ),
        name: optional(Line(100, 1, { examples: ['Lin Mei'] })),
        language: optional(Language),
      }),
      { minItems: 1, maxItems: MAX_ITEMS, description: 'Give either `items` or `count`' },
    ),
  ),
  count: optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_ITEMS,
      description: 'So many invitations without names and addresses',
      examples: [null],
    }),
  ),
  // The time of an example would be in the past some day.
  expiresAt: { ...optional({ ...Time, description: 'In the future. Never by default' }), examples: [null] },
  overCapacity: optional(
    Type.Boolean({ description: 'They give places even if all are taken. False by default', examples: [false] }),
  ),
  send: optional(
    Type.Boolean({ description: 'Whether those with an address are mailed. True by default', examples: [false] }),
  ),
  text: optional(
    Multiline(500, 0, {
      description: 'Plain text in the mails. Mail programs make no links of the addresses in it',
      examples: ['We would be glad to see you there.'],
    }),
  ),
  requestId: optional(RequestId),
  orgId: optional(Id),
})
export type NewInvitations = Static<typeof NewInvitations>

export const InvitationView = Model('ActivityInvitation', {
  id: Id,
  code: Text('KQ7MPX2WRT4H', { description: 'For one registration, of an account or of a guest' }),
  url: Text('http://localhost:8080/s/activity/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f?code=KQ7MPX2WRT4H'),
  email: Nullable(Text('lin@example.org')),
  name: Nullable(Text('Lin Mei')),
  language: Nullable(Language),
  state: State,
  mail: Nullable(
    Model(
      'ActivityInvitationMail',
      { description: 'Null if none was asked for' },
      {
        state: Enum(INVITATION_MAIL_STATES, { examples: ['SENT'] }),
        reason: Nullable(
          Enum(INVITATION_SKIP_REASONS, {
            examples: ['OPTED_OUT'],
            description:
              `Of SKIPPED. OPTED_OUT: the owner of the address wants no invitations. SUPPRESSED: mail servers refused it. TOO_MANY: ` +
              `it had ${MAILS_TO_ADDRESS} invitations that day. ENDED: the invitation or the activity, before the mail was sent`,
          }),
        ),
      },
    ),
  ),
  sentAt: Nullable(Time),
  openedAt: Nullable({
    ...Time,
    description: 'When its page was opened first, perhaps by a program that checks the links of mails',
  }),
  registrationId: Nullable({ ...Id, description: 'The registration that used it' }),
  overCapacity: Type.Boolean(),
  expiresAt: Nullable(Time),
  createdAt: Time,
})
export type InvitationView = Static<typeof InvitationView>

export const InvitationList = Model('ActivityInvitationList', { items: Type.Array(InvitationView) })
export type InvitationList = Static<typeof InvitationList>
export const InvitationPage = PageOf(InvitationView)

const filters = {
  state: Type.Optional(State),
  keyword: Type.Optional(Line(100, 0, { description: 'Searched for in address, name and code', examples: ['lin'] })),
}
export const InvitationsQuery = PageQuery({ ...filters, orgId: Type.Optional(Id) })
export type InvitationsQuery = Static<typeof InvitationsQuery>
export const AnyInvitationsQuery = PageQuery(filters)

export const ByInvitation = Type.Object({ id: Id, invitationId: Id })
