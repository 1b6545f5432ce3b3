import {
  Enum,
  Id,
  Line,
  Model,
  Multiline,
  Named,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

/** Spec §2.7: the known ones, whose bodies are plain text, and SYSTEM for what administrators write. */
export const TYPES = [
  'ORG_INVITE',
  'ORG_APPROVED',
  'ORG_REJECTED',
  'ORG_APPROVAL_REQUEST',
  'ORG_JOIN_LINK',
  'ACCOUNT_LINK',
  'SYSTEM',
] as const
const TypeName = Named('NotificationType', Enum(TYPES))

/** Users that one request may name. Larger circles are an organization, or everybody. */
export const MAX_NAMED = 1000
/** Markdown of the interface (conventions §2), in UTF-16 units. */
const MAX_BODY = 100_000

const Title = Line(100, 1, { examples: ['Closed on Monday'] })

export const ListQuery = PageQuery({
  read: Type.Optional(Type.Boolean({ description: 'Only those that are read, or only those that are not' })),
  type: Type.Optional(TypeName),
})
export type ListQuery = Static<typeof ListQuery>

const ofOrg = { orgId: Id, orgName: Text('Willow Street Library') }
/** What a notification is about, for the client to act on. The types say which shape comes with them. */
const NotificationData = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Union(
    [
      Model('InvitationNotice', { ...ofOrg, invitationId: Id, inviterId: Id, expiresAt: Time }),
      Model('JoinLinkNotice', { ...ofOrg, code: Text('K7WPQ2MX'), content: Text('org-join:K7WPQ2MX'), inviterId: Id }),
      Model('JoinRequestNotice', { ...ofOrg, userId: Id, nickname: Text('Lin Mei') }),
      Model('JoinDecisionNotice', { ...ofOrg, reason: Type.Optional(Text('Welcome')) }),
      Model('AccountNotice', {
        event: Type.String({ examples: ['NEW_DEVICE'] }),
        device: Text("Mei's phone"),
        ip: Text('203.0.113.7'),
        city: Text('Hangzhou'),
        linkId: Type.Optional(Id),
        ownerUserId: Type.Optional(Id),
      }),
      Type.Record(Type.String(), Type.Unknown()),
    ],
    {
      description:
        'By `type`. ORG_INVITE: InvitationNotice. ORG_JOIN_LINK: JoinLinkNotice. ORG_APPROVAL_REQUEST: JoinRequestNotice. ' +
        'ORG_APPROVED and ORG_REJECTED: JoinDecisionNotice. ACCOUNT_LINK: AccountNotice with `linkId` and `ownerUserId`. SYSTEM: ' +
        'AccountNotice if it is about the account, otherwise empty.',
    },
  ),
)

const shown = {
  id: Id,
  type: TypeName,
  title: Text('Closed on Monday'),
  body: Type.String({
    description: 'Markdown for SYSTEM, else plain text',
    examples: ['The library is **closed** on Monday.'],
  }),
  bodyPlain: Type.String({
    description: 'The same without any markup',
    examples: ['The library is closed on Monday.'],
  }),
  data: NotificationData,
  read: Type.Boolean(),
  createdAt: Time,
}
export const NotificationView = Model('Notification', shown)
export type NotificationView = Static<typeof NotificationView>
export const NotificationPage = PageOf(NotificationView)

export const NotificationDetail = Model('NotificationDetail', {
  ...shown,
  bodyHtml: Type.String({
    description: 'Safe HTML, made by the server',
    examples: ['<p>The library is <strong>closed</strong> on Monday.</p>'],
  }),
})
export type NotificationDetail = Static<typeof NotificationDetail>

export const Updated = Model('UpdatedCount', {
  updated: Type.Integer({ minimum: 0, description: 'How many were unread until now' }),
})

export const NewSend = OneOf('SendNotification', ['userIds', 'orgId', 'all'], {
  userIds: Type.Optional(Nullable(Type.Array(Id, { minItems: 1, maxItems: MAX_NAMED }))),
  orgId: Type.Optional(Nullable(Id)),
  all: Type.Optional(Nullable(Type.Boolean())),
  title: Title,
  body: Multiline(MAX_BODY, 1, { description: 'Markdown', examples: ['The library is **closed** on Monday.'] }),
})
export type NewSend = Static<typeof NewSend>

export const SendView = Model('NotificationSend', {
  id: Id,
  title: Text('Closed on Monday'),
  status: Enum(['RUNNING', 'DONE']),
  sent: Type.Integer({ minimum: 0, description: 'Recipients who have it' }),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Per cent of the way' }),
  createdAt: Time,
  finishedAt: Nullable(Time),
})
export type SendView = Static<typeof SendView>
