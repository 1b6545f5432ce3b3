import { contactLookUps, normalizeEmail } from '#domains/accounts/index.ts'
import { limitOf } from '#domains/settings/index.ts'
import type { Budget } from '#http/budget.ts'
import {
  AnyOf,
  Enum,
  Id,
  Line,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
  Untyped,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

/** Users in one request, over all three lists. */
export const MAX_TARGETS = 100

const targets = {
  userIds: Type.Optional(Type.Array(Id, { maxItems: MAX_TARGETS })),
  emails: Type.Optional(Type.Array(Line(254, 1, { examples: ['lin@example.org'] }), { maxItems: MAX_TARGETS })),
  phones: Type.Optional(Type.Array(Line(32, 1, { examples: ['13800138000'] }), { maxItems: MAX_TARGETS })),
}

/** At least one user. */
export const Invite = AnyOf('InviteMembers', ['userIds', 'emails', 'phones'], {
  ...targets,
  roleId: Type.Optional({
    ...Id,
    description: 'The role that they get, MEMBER if left out. You need the permissions to change roles of members',
  }),
})
export type Invite = Static<typeof Invite>
export type Targets = Omit<Invite, 'roleId'>

interface ByTargets {
  readonly body: Targets
}
const contactsIn = ({ body }: ByTargets): number => (body.emails?.length ?? 0) + (body.phones?.length ?? 0)

/** Of invitations and join links: each sends notifications to other users. */
export const TARGET_BUDGETS: readonly Budget<ByTargets>[] = [
  ...contactLookUps(contactsIn),
  {
    name: 'invitations',
    counts: { en: 'invitations and join links', zh: '邀请或加入链接' },
    per: 'user',
    limit: limitOf('budget.invitationsPerUser'),
    windowMs: DAY,
    durable: true,
    cost: (input) => contactsIn(input) + (input.body.userIds?.length ?? 0),
  },
]

/** Without users, only the link is returned. */
export const ShareLink = Model('ShareJoinLink', targets)

/** Whom an item of an answer is about. */
const target = {
  target: Untyped(Type.Union([Id, Type.String()]), {
    description: 'The user id as a number, or the e-mail address or phone number as a string, as you gave it',
    examples: ['lin@example.org'],
  }),
  userId: Nullable({ ...Id, description: '`target` if it is a user id' }),
  contact: Nullable(Text('lin@example.org', { description: '`target` if it is an e-mail address or phone number' })),
}

export const Invited = Model('InviteResult', {
  items: Type.Array(
    Type.Object({
      ...target,
      status: Enum(['INVITED', 'ALREADY_MEMBER', 'ALREADY_INVITED', 'NOT_FOUND']),
      invitationId: Type.Optional(Id),
    }),
  ),
})
export type Invited = Static<typeof Invited>

export const LinkShared = Model('ShareJoinLinkResult', {
  content: Type.String({ examples: ['org-join:K7WPQ2MX'] }),
  url: Type.String({
    description: 'Page of the organization; it exists only while the organization is public',
    examples: ['http://localhost:8080/public/orgs/K7WPQ2MX'],
  }),
  imageUrl: Text('http://localhost:8080/api/qrcode/render?content=org-join%3AK7WPQ2MX'),
  items: Type.Array(Type.Object({ ...target, status: Enum(['SENT', 'ALREADY_MEMBER', 'NOT_FOUND']) })),
})
export type LinkShared = Static<typeof LinkShared>

const Status = Named('InvitationStatus', Enum(['PENDING', 'ACCEPTED', 'REJECTED', 'CANCELLED', 'EXPIRED']))

export const InvitationView = Model('Invitation', {
  id: Id,
  orgId: Id,
  orgName: Text('Willow Street Library'),
  orgAvatarUrl: Nullable(Text('https://example.com/logo.png')),
  inviterId: Id,
  inviterNickname: Text('Chen Yu'),
  inviteeId: Nullable({ ...Id, description: 'null for an invitation by mail until somebody accepts it' }),
  inviteeNickname: Nullable(Text('Lin Mei')),
  target: Nullable(Text('l***@example.org', { description: 'The shortened address of an invitation by mail' })),
  roleId: Nullable({ ...Id, description: 'The role that was chosen for the invitee; null for MEMBER' }),
  roleName: Text('Member'),
  status: Status,
  expiresAt: Time,
  respondedAt: Nullable(Time),
  createdAt: Time,
})
export type InvitationView = Static<typeof InvitationView>
export const InvitationPage = PageOf(InvitationView)

export const InvitationsQuery = PageQuery({ status: Type.Optional(Status) })
export type InvitationsQuery = Static<typeof InvitationsQuery>
export const MyInvitationsQuery = PageQuery({})

export const ByInvitation = Type.Object({ invitationId: Id })
export const ByOrgInvitation = Type.Object({ id: Id, invitationId: Id })
export const Respond = Model('RespondToInvitation', { invitationId: Id, accept: Type.Boolean() })

export const SearchQuery = Type.Object({
  q: Line(100, 2, {
    description: 'The start of a nickname, a whole username, or a whole e-mail address',
    examples: ['lin'],
  }),
})
/** A search for anything but a whole e-mail address looks up no contact. */
export const SEARCH_BUDGETS = contactLookUps(({ query }: { query: Static<typeof SearchQuery> }) =>
  normalizeEmail(query.q) === undefined ? 0 : 1,
)
export const FoundUsers = Model('FoundUsers', {
  items: Type.Array(
    Type.Object({ id: Id, nickname: Text('Lin Mei'), avatarUrl: Nullable(Text('https://example.com/mei.png')) }),
  ),
})
export type FoundUsers = Static<typeof FoundUsers>
