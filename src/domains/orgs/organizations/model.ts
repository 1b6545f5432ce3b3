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

import { CODE_LENGTH, DEFAULT_MEMBER_LIMIT, MAX_MEMBER_LIMIT } from '../rules.ts'

export const Status = Named('OrganizationStatus', Enum(['ACTIVE', 'DISABLED']))
export const Visibility = Named(
  'OrganizationVisibility',
  Enum(['PUBLIC', 'INTERNAL'], {
    description: 'INTERNAL: only members see it, and it takes new members by invitation only',
  }),
)
export const Policy = Named(
  'JoinPolicy',
  Enum(['FREE', 'APPROVAL', 'INVITE'], {
    description: 'What happens to who comes by code, QR code or application; INTERNAL organizations always have INVITE',
  }),
)
const MemberLimit = Type.Integer({
  minimum: 1,
  maximum: MAX_MEMBER_LIMIT,
  description: `Most members there may be, ${DEFAULT_MEMBER_LIMIT} at first`,
  examples: [DEFAULT_MEMBER_LIMIT],
})
const AvatarUrl = Line(500, 0, {
  pattern: '^$|^https?://[^\\s"<>]+$|^/[^/\\s"<>][^\\s"<>]*$',
  description: 'http, https or a path on this server; null or an empty text clears it',
  examples: ['https://example.com/logo.png'],
})
const OrgName = { ...Name, examples: ['Willow Street Library'] }

const changeable = {
  description: Type.Optional(Nullable({ ...Description, examples: ['Books and paper for the quarter'] })),
  visibility: Type.Optional(Visibility),
  joinPolicy: Type.Optional(Policy),
  memberLimit: Type.Optional(MemberLimit),
  avatarUrl: Type.Optional(Nullable(AvatarUrl)),
}

/** PUBLIC and APPROVAL unless given. */
export const CreateOrg = Model('CreateOrganization', { name: OrgName, ...changeable })
export type CreateOrg = Static<typeof CreateOrg>

/** Only the fields present change; null clears description and avatar. */
export const UpdateOrg = Model('UpdateOrganization', { name: Type.Optional(OrgName), ...changeable })
export type UpdateOrg = Static<typeof UpdateOrg>

export const Dissolve = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: 'Needed when there are members besides the owner: they lose the organization' }),
  ),
})

/** `newOwner`: a member. */
export const Transfer = Model('TransferOwnership', { userId: Id })
export const ChooseOrg = Model('SetCurrentOrganization', { orgId: Nullable(Id) })

const Code = Type.String({ minLength: CODE_LENGTH, maxLength: CODE_LENGTH, examples: ['K7WPQ2MX'] })
const Count = Type.Integer({ minimum: 0 })
const told = {
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

/** What anybody may know of a public organization: nothing of the people in it. */
export const PublicOrg = Model('PublicOrganization', told)
export type PublicOrg = Static<typeof PublicOrg>
export const PublicOrgPage = PageOf(PublicOrg)

export const OrgView = Model('Organization', {
  ...told,
  status: Status,
  memberLimit: MemberLimit,
  ownerId: Nullable({ ...Id, description: 'Null for who is no member' }),
  isOwner: Type.Boolean(),
  permissions: Type.Array(Type.String({ examples: ['member:read'] }), {
    description: 'Points of the ORG domain that the caller holds here; empty for who is no member',
  }),
  roleName: Type.String({
    description: 'Display name of the caller’s role here; empty for who is no member',
    examples: ['Owner'],
  }),
})
export type OrgView = Static<typeof OrgView>
export const OrgPage = PageOf(OrgView)

export const MyOrgsQuery = PageQuery({})
export const DiscoverQuery = PageQuery({
  keyword: Type.Optional(Line(100, 0, { description: 'Found in name or description', examples: ['library'] })),
  sort: Sort(['createdAt', 'name', 'memberCount']),
})

export const OrgQrCode = Model('OrganizationQrCode', {
  code: Code,
  content: Type.String({ description: 'What the QR code holds: `org-join:<code>`', examples: ['org-join:K7WPQ2MX'] }),
  imageUrl: Type.String({
    description: 'The picture (PNG)',
    examples: ['http://localhost:8080/api/qrcode/render?content=org-join%3AK7WPQ2MX'],
  }),
  publicUrl: Type.String({
    description: 'Page for people; answers only while the organization is public',
    examples: ['http://localhost:8080/public/orgs/K7WPQ2MX'],
  }),
})
export type OrgQrCode = Static<typeof OrgQrCode>

export const OrgStats = Model('OrganizationStats', {
  memberCount: Count,
  memberLimit: MemberLimit,
  pendingRequests: Count,
  pendingInvitations: Count,
  roles: Type.Array(
    Type.Object({ roleId: Id, roleCode: Text('MEMBER'), roleName: Text('Member'), memberCount: Count }),
    {
      description: 'How many members hold each role',
    },
  ),
  resources: Type.Array(Type.Object({ name: Type.String({ examples: ['QR codes'] }), count: Count }), {
    description: 'What the organization owns',
  }),
})
export type OrgStats = Static<typeof OrgStats>
