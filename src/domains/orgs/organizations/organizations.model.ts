import { AvatarFileId } from '#domains/files/index.ts'
import {
  Description,
  Enum,
  Id,
  Line,
  Model,
  Name,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  Sort,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { CODE_LENGTH, DEFAULT_MEMBER_LIMIT, MAX_MEMBER_LIMIT } from '../orgs.rules.ts'

export const Status = Named('OrganizationStatus', Enum(['ACTIVE', 'DISABLED']))
export const Visibility = Named(
  'OrganizationVisibility',
  Enum(['PUBLIC', 'INTERNAL'], {
    description: 'An INTERNAL organization is visible to members only and accepts new members by invitation only',
  }),
)
export const Policy = Named(
  'JoinPolicy',
  Enum(['FREE', 'APPROVAL', 'INVITE'], {
    description:
      'How users join by code, QR code or application: FREE at once, APPROVAL by a request, INVITE not at all. Always INVITE for INTERNAL organizations',
  }),
)
export const MemberLimit = Type.Integer({
  minimum: 1,
  maximum: MAX_MEMBER_LIMIT,
  description: `Largest number of members, by default ${DEFAULT_MEMBER_LIMIT}`,
  examples: [DEFAULT_MEMBER_LIMIT],
})
const AvatarUrl = Line(500, 0, {
  pattern: '^$|^https?://[^\\s"<>]+$|^/[^/\\s"<>][^\\s"<>]*$',
  description: 'http, https or a path on this server; null or an empty string clears it',
  examples: ['https://example.com/logo.png'],
})
const Zone = {
  description: 'IANA name of the zone in which its days begin, as for due dates. By default that of the server',
  examples: ['Europe/Berlin'],
}
export const TimeZone = Line(64, 1, Zone)
export const OrgName = { ...Name, examples: ['Willow Street Library'] }

export const changeable = {
  description: Type.Optional(Nullable({ ...Description, examples: ['Books and paper for the quarter'] })),
  visibility: Type.Optional(Visibility),
  joinPolicy: Type.Optional(Policy),
  memberLimit: Type.Optional(MemberLimit),
  timeZone: Type.Optional(Nullable(TimeZone)),
  avatarFileId: Type.Optional(Nullable(AvatarFileId)),
  avatarUrl: Type.Optional(Nullable(AvatarUrl)),
}

export const CreateOrg = Model('CreateOrganization', { name: OrgName, ...changeable })
export type CreateOrg = Static<typeof CreateOrg>

/** Only the fields present change; null clears description, avatar and time zone. */
export const UpdateOrg = Model('UpdateOrganization', {
  name: Type.Optional(OrgName),
  ...changeable,
  requireSecondFactor: Type.Optional(
    Type.Boolean({
      description: 'Members without a second factor can only leave. Only for the owner, who must have one',
      examples: [false],
    }),
  ),
})
export type UpdateOrg = Static<typeof UpdateOrg>

export const Dissolve = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: 'Required if there are members besides the owner, who lose the organization' }),
  ),
})

export const SetCurrentOrg = Model('SetCurrentOrganization', { orgId: Nullable(Id) })

const Code = Type.String({ minLength: CODE_LENGTH, maxLength: CODE_LENGTH, examples: ['K7WPQ2MX'] })
const Count = Type.Integer({ minimum: 0 })
export const publicFields = {
  id: Id,
  name: Text('Willow Street Library'),
  description: Text('Books and paper for the quarter'),
  code: Code,
  visibility: Visibility,
  joinPolicy: Policy,
  memberCount: Count,
  avatarUrl: Nullable(Text('https://example.com/logo.png')),
  createdAt: Time,
}

/** Visible to anonymous callers, so it says nothing about members. */
export const PublicOrg = Model('PublicOrganization', publicFields)
export type PublicOrg = Static<typeof PublicOrg>
export const PublicOrgPage = PageOf(PublicOrg)

/** An open offer of ownership. */
export const PendingTransfer = Model('PendingTransfer', {
  userId: { ...Id, description: 'The member who can accept' },
  nickname: Text('Lin Mei'),
  createdAt: Time,
  expiresAt: Time,
})
export type PendingTransfer = Static<typeof PendingTransfer>

export const OrgView = Model('Organization', {
  ...publicFields,
  status: Status,
  memberLimit: MemberLimit,
  timeZone: TimeZone,
  requireSecondFactor: Type.Boolean({
    description: 'Whether members need a second factor. Without it they can only leave, and have no `permissions` here',
  }),
  ownerId: Nullable({ ...Id, description: 'Null for non-members' }),
  isOwner: Type.Boolean(),
  permissions: Type.Array(Type.String({ examples: ['member:read'] }), {
    description: 'Your permission points in this organization; empty for non-members',
  }),
  roleName: Type.String({
    description: 'Display name of your role in this organization; empty for non-members',
    examples: ['Owner'],
  }),
  requestedAt: Nullable({ ...Time, description: 'When you asked to join; null if no request of yours waits' }),
  pendingTransfer: Nullable({
    ...PendingTransfer,
    description: 'The open offer of ownership; null if there is none, and for everyone but the owner and the candidate',
  }),
})
export type OrgView = Static<typeof OrgView>
export const OrgPage = PageOf(OrgView)

export const MyOrgsQuery = PageQuery({})
export const DiscoverQuery = PageQuery({
  keyword: Type.Optional(Line(100, 0, { description: 'Part of the name or the description', examples: ['library'] })),
  sort: Sort(['createdAt', 'name', 'memberCount']),
})
export type DiscoverQuery = Static<typeof DiscoverQuery>

export const OrgQrCode = Model('OrganizationQrCode', {
  code: Code,
  content: Type.String({ description: 'Content of the QR code: `org-join:<code>`', examples: ['org-join:K7WPQ2MX'] }),
  imageUrl: Type.String({
    description: 'The QR code as PNG',
    examples: ['http://localhost:8080/api/qrcode/render?content=org-join%3AK7WPQ2MX'],
  }),
  publicUrl: Type.String({
    description: 'Page of the organization; it exists only while the organization is public',
    examples: ['http://localhost:8080/public/orgs/K7WPQ2MX'],
  }),
})
export type OrgQrCode = Static<typeof OrgQrCode>

export const OrgResources = Type.Array(Type.Object({ name: Type.String({ examples: ['QR codes'] }), count: Count }), {
  description: 'Number of things that the organization owns, by kind',
})
export type OrgResources = Static<typeof OrgResources>

export const OrgStats = Model('OrganizationStats', {
  memberCount: Count,
  memberLimit: MemberLimit,
  pendingRequests: Count,
  pendingInvitations: Count,
  roles: Type.Array(
    Type.Object({ roleId: Id, roleCode: Text('MEMBER'), roleName: Text('Member'), memberCount: Count }),
    { description: 'Number of members per role' },
  ),
  resources: OrgResources,
})
export type OrgStats = Static<typeof OrgStats>
