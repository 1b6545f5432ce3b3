import { keywordFilter, ownerFilters, OwnerView } from '#domains/admin/index.ts'
import {
  Enum,
  Id,
  Line,
  Model,
  Multiline,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
  Sort,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

/** Users that one request may name. Larger audiences are an organization or all users. */
const MAX_NAMED_USERS = 1000
/** Maximum length of Markdown in the interface (conventions §2), in UTF-16 units. */
const MAX_BODY = 100_000

export const NewSend = OneOf('SendNotification', ['userIds', 'orgId', { all: [true] }], {
  userIds: Type.Optional(Nullable(Type.Array(Id, { minItems: 1, maxItems: MAX_NAMED_USERS }))),
  orgId: Type.Optional(Nullable(Id)),
  all: Type.Optional(Nullable(Type.Boolean())),
  title: Line(100, 1, { examples: ['Closed on Monday'] }),
  body: Multiline(MAX_BODY, 1, { description: 'Markdown', examples: ['The library is **closed** on Monday.'] }),
})
export type NewSend = Static<typeof NewSend>

export const SendView = Model('NotificationSend', {
  id: Id,
  title: Text('Closed on Monday'),
  status: Enum(['RUNNING', 'DONE']),
  sent: Type.Integer({ minimum: 0, description: 'Number of users who have received it' }),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Progress in percent' }),
  createdAt: Time,
  finishedAt: Nullable(Time),
})
export type SendView = Static<typeof SendView>

export const SendsQuery = PageQuery({
  ...ownerFilters,
  userId: Type.Optional({ ...Id, description: 'The administrator who sent it' }),
  orgId: Type.Optional({ ...Id, description: 'The organization to which it was sent' }),
  ...keywordFilter('title and body'),
  sort: Sort(['createdAt']),
})
export type SendsQuery = Static<typeof SendsQuery>

export const ByNotification = Type.Object({ notificationId: Id })

export const AnySendView = Model('AdminNotification', {
  ...SendView.properties,
  body: Type.String({ description: 'Markdown', examples: ['The library is **closed** on Monday.'] }),
  bodyPlain: Text('The library is closed on Monday.'),
  audience: Type.Object({
    kind: Enum(['USERS', 'ORG', 'ALL']),
    orgId: Nullable(Id),
    count: Type.Integer({ minimum: 0, description: 'Users whom it was sent to' }),
  }),
  sender: { ...OwnerView, description: 'The administrator who sent it' },
  readCount: Type.Integer({ minimum: 0, description: 'Recipients who have read it and not deleted it' }),
})
export type AnySendView = Static<typeof AnySendView>
export const AnySendPage = PageOf(AnySendView)
