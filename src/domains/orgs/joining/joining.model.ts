import {
  Enum,
  Id,
  Line,
  Model,
  Multiline,
  Nullable,
  PageOf,
  PageQuery,
  Raw,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

export const JoinByCode = Model('JoinByCode', {
  code: Line(64, 1, { description: 'Case, spaces and dashes are ignored', examples: ['K7WPQ2MX'] }),
})
export const JoinByQrCode = Model('JoinByQrCode', {
  content: Raw(2000, 1, { description: 'The scanned text', examples: ['org-join:K7WPQ2MX'] }),
})
const Message = Multiline(200, 0, {
  description: 'Shown to the members who decide',
  examples: ['Lin from the front desk'],
})
export const Apply = Model('ApplyToJoin', { message: Type.Optional(Nullable(Message)) })

export const Joined = Model('JoinResult', {
  status: Enum(['JOINED', 'PENDING'], { description: 'PENDING: the request has to be approved' }),
  orgId: Id,
  orgName: Text('Willow Street Library'),
})
export type Joined = Static<typeof Joined>

export const PendingQuery = PageQuery({})
export const PendingView = Model('JoinRequest', {
  userId: Id,
  nickname: Text('Lin Mei'),
  avatarUrl: Nullable(Text('https://example.com/mei.png')),
  message: Text('Lin from the front desk'),
  createdAt: Time,
})
export type PendingView = Static<typeof PendingView>
export const PendingPage = PageOf(PendingView)

export const MyRequestsQuery = PageQuery({})
export const MyRequestView = Model('MyJoinRequest', {
  orgId: Id,
  orgName: Text('Willow Street Library'),
  orgAvatarUrl: Nullable(Text('https://example.com/logo.png')),
  message: Text('Lin from the front desk'),
  createdAt: Time,
})
export type MyRequestView = Static<typeof MyRequestView>
export const MyRequestPage = PageOf(MyRequestView)

export const Approve = Model('DecideJoinRequest', {
  userId: Id,
  approve: Type.Boolean(),
  roleId: Type.Optional({
    ...Id,
    description: 'The role of the new member, MEMBER if left out. You need the permissions to change roles of members',
  }),
  reason: Type.Optional(Nullable(Multiline(200, 0, { description: 'Shown to the applicant', examples: ['Welcome'] }))),
})
export type Approve = Static<typeof Approve>
