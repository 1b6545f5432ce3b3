import { Enum, Id, Line, Model, Multiline, Nullable, OneOf, type Static, Text, Time, Type } from '#http/schema.ts'

/** Users that one request may name. Larger audiences are an organization or all users. */
const MAX_NAMED_USERS = 1000
/** Maximum length of Markdown in the interface (conventions §2), in UTF-16 units. */
const MAX_BODY = 100_000

export const NewSend = OneOf('SendNotification', ['userIds', 'orgId', 'all'], {
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
