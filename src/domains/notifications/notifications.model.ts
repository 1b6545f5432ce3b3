import type { NotificationType } from '#db/schema/notifications.ts'
import {
  Enum,
  Id,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  ShownAs,
  type Static,
  Text,
  Time,
  type TSchema,
  Type,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

/**
 * Types of spec §2.7, three for changes that end or move a membership, and one for messages of organizers. Administrators write SYSTEM in Markdown;
 * the bodies of all others are plain text.
 */
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
  'ACTIVITY',
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

const optional = (schema: TSchema, description: string) => Type.Optional({ ...schema, description })
/** The related objects of a notification: one object of optional fields, since generated clients cannot read a union of shapes. */
const NotificationData = ShownAs(
  Type.Record(Type.String(), Type.Unknown(), { examples: [{ orgId: 42, orgName: 'Willow Street Library' }] }),
  Model(
    'NotificationData',
    { description: 'The things that the notification is about. Its type decides which fields there are' },
    {
      event: optional(
        Text('OFFERED'),
        'The event. Of an ORG_TRANSFER: OFFERED, WITHDRAWN, DECLINED or DONE; of an ACTIVITY: MESSAGE, MOVED, PLACE or CANCELLED. Other values may be added',
      ),
      orgId: optional(Nullable(Id), 'The organization. Null if an asset or activity belongs to a user'),
      orgName: optional(Text('Willow Street Library'), 'Of all types that begin with ORG'),
      invitationId: optional(Id, 'Of an ORG_INVITE'),
      inviterId: optional(Id, 'Of an ORG_INVITE or ORG_JOIN_LINK'),
      expiresAt: optional(Time, 'Of an ORG_INVITE, or an ORG_TRANSFER that was offered'),
      code: optional(Text('K7WPQ2MX'), 'Of an ORG_JOIN_LINK'),
      content: optional(Text('org-join:K7WPQ2MX'), 'Of an ORG_JOIN_LINK'),
      userId: optional(Id, 'Who asks to join, or the member who was to become the owner'),
      nickname: optional(Text('Lin Mei'), 'Of an ORG_APPROVAL_REQUEST'),
      reason: optional(Text('Welcome'), 'Of an ORG_APPROVED or ORG_REJECTED, if there is one'),
      device: optional(Text("Mei's phone"), 'Of a SYSTEM notification about your account, with `ip` and `city`'),
      ip: optional(Text('203.0.113.7'), 'With `device`'),
      city: optional(Text('Hangzhou'), 'With `device`'),
      linkId: optional(Id, 'Of an ACCOUNT_LINK, or a SYSTEM notification about a link'),
      ownerUserId: optional(Id, 'The account that may switch to the other one'),
      assetId: optional(Id, 'Of an ASSET'),
      assetIds: optional(Type.Array(Id), 'Of an ASSET about several assets'),
      loanId: optional(Id, 'Of an ASSET about a loan'),
      loanIds: optional(Type.Array(Id), 'Of an ASSET about several loans'),
      reservationId: optional(Id, 'Of an ASSET about a reservation, or about loans of it'),
      activityId: optional(Id, 'Of an ACTIVITY, or a SYSTEM notification about an activity'),
      messageId: optional(Id, 'Of an ACTIVITY: the message of the organizer, or the automatic notice'),
      foundReportId: optional(
        Id,
        'Of a message of a finder, about an asset or, in a SYSTEM notification, about a QR code',
      ),
      qrCodeId: optional(Id, 'Of a SYSTEM notification about a QR code'),
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
