/** Shapes of messages to the participants of an activity. */

import {
  MESSAGE_CHANNELS,
  MESSAGE_KINDS,
  MESSAGE_STATES,
  RECIPIENT_STATES,
  SKIP_REASONS,
} from '#db/schema/activity-messages.ts'
import {
  Enum,
  Id,
  Line,
  Model,
  Multiline,
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

import { FILTER_DESCRIPTION, filterFields, ParticipantFilter } from '../registrations/filters.model.ts'

export const MAX_WAITING = 20
export const MAX_AHEAD_MS = 90 * DAY
/** Messages a day. Automatic notices do not count. */
export const MESSAGES_OF_ACTIVITY = 10
export const MESSAGES_OF_USER = 50

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

const KindName = Named('MessageKind', Enum(MESSAGE_KINDS, { examples: ['MESSAGE'] }))
const ChannelName = Named('MessageChannel', Enum(MESSAGE_CHANNELS, { examples: ['EMAIL'] }))
const StateName = Named('MessageState', Enum(MESSAGE_STATES, { examples: ['DONE'] }))
const RecipientStateName = Named('MessageRecipientState', Enum(RECIPIENT_STATES, { examples: ['SENT'] }))
const Reason = Named(
  'MessageSkipReason',
  Enum(SKIP_REASONS, {
    examples: ['NO_ADDRESS'],
    description:
      'NO_ADDRESS: the account has no proved address. OPTED_OUT: the person wants no such mail. BUDGET: the mails of the day are used up. ' +
      'SUPPRESSED: mail servers refused the address',
  }),
)

const Subject = Line(100, 1, { examples: ['Things to bring'] })
const Body = Multiline(5000, 1, { description: 'Markdown', examples: ['Please bring **gloves**.'] })
const Channels = Type.Array(ChannelName, { minItems: 1, maxItems: 2, uniqueItems: true, examples: [['APP', 'EMAIL']] })

export const NewMessage = Model('NewActivityMessage', {
  subject: Subject,
  body: Body,
  filter: optional({
    ...ParticipantFilter,
    description: `${FILTER_DESCRIPTION}. Without it, all CONFIRMED and WAITING ones and all holders of live passes`,
  }),
  channels: optional({ ...Channels, description: 'Both by default' }),
  attachPass: optional(
    Type.Boolean({ description: 'Mails to holders of live passes link to the pass', examples: [true] }),
  ),
  sendAt: optional({ ...Time, description: 'At most 90 days ahead. At once by default' }),
  requestId: optional(
    Type.String({
      minLength: 8,
      maxLength: 64,
      pattern: '^[\\x21-\\x7e]+$',
      description: 'If you repeat a request with the same id within a week, you get the first message again',
      examples: ['5d1f0e0a-message-1'],
    }),
  ),
  dryRun: optional(Type.Boolean({ description: 'Count the recipients and send nothing', examples: [false] })),
  orgId: optional(Id),
})
export type NewMessage = Static<typeof NewMessage>

const Total = Type.Integer({ minimum: 0, examples: [3] })
const NoticedValue = Untyped(Type.Union([Type.Integer(), Type.String(), Type.Null()]), {
  description: 'Epoch milliseconds of a time, otherwise a text; null if empty',
  examples: [1_767_225_600_000],
})

export const MessageView = Model('ActivityMessage', {
  id: Id,
  kind: KindName,
  changes: Type.Array(
    Model('NoticedChange', {
      field: Enum(['startTime', 'endTime', 'location', 'region', 'position'], { examples: ['startTime'] }),
      before: NoticedValue,
      after: NoticedValue,
    }),
    { description: 'The changes that an automatic notice is about' },
  ),
  subject: Text('Things to bring'),
  body: Text('Please bring **gloves**.', {
    description: 'Markdown of a MESSAGE. Of an automatic notice, the plain text that a manager added, or empty',
  }),
  bodyHtml: Text('<p>Please bring <strong>gloves</strong>.</p>\n', { description: 'Safe HTML' }),
  filter: Nullable(Model('MessageFilter', { description: FILTER_DESCRIPTION }, filterFields)),
  channels: Channels,
  state: StateName,
  recipients: { ...Total, description: 'People. Until it runs, those whom it would reach when it was written' },
  app: Type.Object({ sent: Total }),
  email: Type.Object({ queued: Total, sent: Total, failed: Total, skipped: Total }),
  createdBy: Nullable({ ...Id, description: 'Null for automatic notices' }),
  sendAt: Time,
  createdAt: Time,
  finishedAt: Nullable(Time),
})
export type MessageView = Static<typeof MessageView>
export const MessagePage = PageOf(MessageView)

const Forecast = Type.Object({
  recipients: Total,
  app: Total,
  email: Total,
  withoutChannel: Total,
  mailBudgetLeft: Nullable(Total),
})
export type Forecast = Static<typeof Forecast>

export const MessageOrForecast = Untyped(Type.Union([MessageView, Forecast]), {
  description:
    'An `ActivityMessage`. With `dryRun`, numbers of people: `recipients`; `app` and `email`, whom each channel reaches; `withoutChannel`, ' +
    'whom none reaches; and `mailBudgetLeft`, the mails that are left today, null if unlimited',
  examples: [{ recipients: 3, app: 3, email: 2, withoutChannel: 0, mailBudgetLeft: 4998 }],
})

export const PreviewMessage = Model('PreviewActivityMessage', {
  subject: Subject,
  body: Body,
  attachPass: optional(Type.Boolean({ description: 'With a link to a pass', examples: [true] })),
  test: optional(Type.Boolean({ description: 'Mail it to yourself', examples: [false] })),
  orgId: optional(Id),
})
export type PreviewMessage = Static<typeof PreviewMessage>

const MailPreview = Model('MailPreview', {
  subject: Text('[Lake cleanup] What to bring'),
  html: Text('<p>Please bring <strong>gloves</strong>.</p>', { description: 'Safe HTML without styles' }),
})
export const MessagePreview = Model('MessagePreview', {
  en: MailPreview,
  zh: MailPreview,
  sentTo: Nullable(
    Text('lin@example.org', { description: 'Your address, to which it was mailed; null without `test`' }),
  ),
})
export type MessagePreview = Static<typeof MessagePreview>

export const MessagesQuery = PageQuery({ orgId: Type.Optional(Id) })
export type MessagesQuery = Static<typeof MessagesQuery>
export const ByMessage = Type.Object({ id: Id, messageId: Id })

export const RecipientsQuery = PageQuery({
  orgId: Type.Optional(Id),
  state: Type.Optional(RecipientStateName),
  channel: Type.Optional(ChannelName),
})
export type RecipientsQuery = Static<typeof RecipientsQuery>

export const RecipientView = Model('MessageRecipient', {
  registrationId: Nullable({ ...Id, description: 'Null for holders of passes without a registration' }),
  name: Text('Lin Mei'),
  channel: ChannelName,
  state: RecipientStateName,
  sentAt: Nullable(Time),
  reason: Nullable(Reason),
})
export type RecipientView = Static<typeof RecipientView>
export const RecipientPage = PageOf(RecipientView)
