import { Enum, Id, Line, Model, Nullable, Raw, type Static, Text, Time, TimeZone, Type } from '#http/schema.ts'

/** Subscriptions of a user. */
export const MAX_SUBSCRIPTIONS = 20
/** UTF-16 units, which are bytes: the address is stored as browsers write it. */
export const MAX_ENDPOINT = 2000

const minute = (example: number) =>
  Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1439,
      examples: [example],
      description: 'Minutes after midnight in `timeZone`. Give both `quietFrom` and `quietTo`, or neither',
    }),
  )
const QuietFrom = minute(1320)
const QuietTo = minute(420)

export const NewSubscription = Model('NewPushSubscription', {
  endpoint: Raw(MAX_ENDPOINT, 1, {
    examples: ['https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV'],
    description: 'The https address that the push service gave to the device. It must be on the public internet',
  }),
  keys: Type.Object({
    p256dh: Type.String({
      pattern: '^[A-Za-z0-9_-]{87}=?$',
      maxLength: 88,
      examples: ['BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'],
    }),
    auth: Type.String({
      pattern: '^[A-Za-z0-9_-]{22}(==)?$',
      maxLength: 24,
      examples: ['BTBZMqHH6r4Tts7J_aSIgg'],
    }),
  }),
  quietFrom: Type.Optional(QuietFrom),
  quietTo: Type.Optional(QuietTo),
  timeZone: Type.Optional(TimeZone),
})
export type NewSubscription = Static<typeof NewSubscription>

export const Subscription = Model('PushSubscription', {
  id: Id,
  host: Text('push.example.net', { description: 'Of the push service. The address itself is not shown' }),
  current: Type.Boolean({ description: 'Of the session of this request' }),
  quietFrom: QuietFrom,
  quietTo: QuietTo,
  timeZone: Line(64, 1, { examples: ['Asia/Shanghai'] }),
  locale: Enum(['en', 'zh'], { description: 'Language of the texts that are sent' }),
  createdAt: Time,
  lastSuccessAt: Nullable({ ...Time, description: 'When the push service last took a message' }),
})
export type Subscription = Static<typeof Subscription>

export const Subscriptions = Model('PushSubscriptions', {
  items: Type.Array(Subscription, { description: 'Oldest first' }),
})

export const PushKey = Model('PushKey', {
  publicKey: Text('BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8', {
    description: '65 bytes as base64url: `applicationServerKey` of `PushManager.subscribe`',
  }),
})
