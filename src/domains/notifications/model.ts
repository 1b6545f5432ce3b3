import type { NotificationType } from '#db/schema/notifications.ts'
import { Enum, Id, Model, Named, PageOf, PageQuery, type Static, Text, Time, Type } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

/** Types of spec §2.7, and three for changes that end or move a membership. SYSTEM is written by administrators in Markdown; the bodies of all others are plain text. */
export const TYPES = [
  'ORG_INVITE',
  'ORG_APPROVED',
  'ORG_REJECTED',
  'ORG_APPROVAL_REQUEST',
  'ORG_JOIN_LINK',
  'ORG_TRANSFER',
  'ORG_REMOVED',
  'ORG_DISSOLVED',
  'ACCOUNT_LINK',
  'ASSET',
  'SYSTEM',
] as const satisfies readonly NotificationType[]
const TypeName = Named('NotificationType', Enum(TYPES))

/** Notifications that a user keeps: other users and administrators decide how many they get. */
export const KEPT = 1000
export const KEPT_MS = 180 * DAY

export const ListQuery = PageQuery({
  read: Type.Optional(Type.Boolean({ description: '`true` lists read notifications only, `false` unread ones only' })),
  type: Type.Optional(TypeName),
})
export type ListQuery = Static<typeof ListQuery>

const ofOrg = { orgId: Id, orgName: Text('Willow Street Library') }
/** The related objects of a notification. Each type has one shape. */
const NotificationData = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Union(
    [
      Model('InvitationNotice', { ...ofOrg, invitationId: Id, inviterId: Id, expiresAt: Time }),
      Model('JoinLinkNotice', { ...ofOrg, code: Text('K7WPQ2MX'), content: Text('org-join:K7WPQ2MX'), inviterId: Id }),
      Model('JoinRequestNotice', { ...ofOrg, userId: Id, nickname: Text('Lin Mei') }),
      Model('JoinDecisionNotice', { ...ofOrg, reason: Type.Optional(Text('Welcome')) }),
      Model('TransferNotice', {
        ...ofOrg,
        event: Enum(['OFFERED', 'WITHDRAWN', 'DECLINED', 'DONE']),
        userId: { ...Id, description: 'The new owner, or the member who was to become it' },
        expiresAt: Type.Optional(Time),
      }),
      Model('MembershipEndNotice', ofOrg),
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
        'ORG_APPROVED and ORG_REJECTED: JoinDecisionNotice. ORG_TRANSFER: TransferNotice. ORG_REMOVED and ORG_DISSOLVED: ' +
        'MembershipEndNotice. ACCOUNT_LINK: AccountNotice with `linkId` and `ownerUserId`. SYSTEM: ' +
        'AccountNotice if it is about the account, otherwise empty.',
    },
  ),
)

const fields = {
  id: Id,
  type: TypeName,
  title: Text('Closed on Monday'),
  body: Type.String({
    description: 'Markdown for SYSTEM notifications, plain text for all others',
    examples: ['The library is **closed** on Monday.'],
  }),
  bodyPlain: Type.String({
    description: 'The body without markup',
    examples: ['The library is closed on Monday.'],
  }),
  data: NotificationData,
  read: Type.Boolean(),
  createdAt: Time,
}
export const NotificationView = Model('Notification', fields)
export type NotificationView = Static<typeof NotificationView>
export const NotificationPage = PageOf(NotificationView)

export const NotificationDetail = Model('NotificationDetail', {
  ...fields,
  bodyHtml: Type.String({
    description: 'The body as safe HTML, rendered by the server',
    examples: ['<p>The library is <strong>closed</strong> on Monday.</p>'],
  }),
})
export type NotificationDetail = Static<typeof NotificationDetail>

export const Updated = Model('UpdatedCount', {
  updated: Type.Integer({ minimum: 0, description: 'Number of notifications that were unread before' }),
})
