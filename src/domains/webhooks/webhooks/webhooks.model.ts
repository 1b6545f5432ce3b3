/** Shapes of webhooks in requests and answers. */

import {
  DISABLED_REASONS,
  EVENT_TYPES,
  type EventType,
  WEBHOOK_SCOPES,
  type WebhookScope,
} from '#db/schema/webhooks.ts'
import {
  Enum,
  Id,
  Line,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  Raw,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

/** Webhooks of a user, of an organization and of the server. */
export const LIMITS = { USER: 3, ORG: 20, PLATFORM: 50 } as const
/** Deliveries that may wait for a webhook. */
export const MAX_PENDING = 10_000
/** How long the secret before the present one also signs. */
export const ROTATION_MS = DAY
/** Sent when somebody asks for it, to every webhook: its list of events may name it, for one that gets nothing else. */
export const TEST_EVENT = 'webhook.test'

/** Events of the server, which only webhooks of the server get. */
const OF_SERVER: readonly EventType[] = [
  'org.created',
  'user.created',
  'user.disabled',
  'user.enabled',
  'user.deleted',
  'agreement.published',
  'app_update.published',
  'backup.finished',
  'backup.failed',
]

/** Events about rows that only organizations own. */
const OF_ORGANIZATION = /^(member|join_request|invitation|org)\./

/** The events that a webhook can get. */
export function typesFor(scope: WebhookScope): readonly EventType[] {
  if (scope === 'PLATFORM') return EVENT_TYPES
  const types = EVENT_TYPES.filter((type) => !OF_SERVER.includes(type))
  return scope === 'ORG' ? types : types.filter((type) => !OF_ORGANIZATION.test(type))
}

const MAX_URL = 2000
const MAX_PATTERNS = 60

const Url = Raw(MAX_URL, 1, {
  description: 'A public https address with port 443 or one from 1024 to 65535',
  examples: ['https://example.org/tessera'],
})
const Events = Type.Array(Line(60, 1), {
  minItems: 1,
  maxItems: MAX_PATTERNS,
  description: 'Types of events as in `/webhooks.json`, all of a thing (`asset.*`), or all (`*`)',
  examples: [['asset.*', 'qr_code.created']],
})

export const CreateWebhook = Model('CreateWebhook', {
  name: Line(50, 1, { examples: ['Our ERP'] }),
  url: Url,
  events: Events,
  enabled: Type.Optional(Type.Boolean({ description: 'True by default', examples: [true] })),
  orgId: Type.Optional(Nullable(Id)),
})
export type CreateWebhook = Static<typeof CreateWebhook>

export const UpdateWebhook = Model('UpdateWebhook', {
  name: Type.Optional(Line(50, 1, { examples: ['Our new ERP'] })),
  url: Type.Optional(Url),
  events: Type.Optional(Events),
  enabled: Type.Optional(Type.Boolean({ description: 'True also ends what the server has switched off itself' })),
  orgId: Type.Optional(Nullable(Id)),
})
export type UpdateWebhook = Static<typeof UpdateWebhook>

const { orgId: _, ...ofServer } = CreateWebhook.properties
export const CreateServerWebhook = Model('CreateServerWebhook', ofServer)
const { orgId: __, ...changesOfServer } = UpdateWebhook.properties
export const UpdateServerWebhook = Model('UpdateServerWebhook', changesOfServer)

const fields = {
  id: Id,
  scope: Named('WebhookScope', Enum(WEBHOOK_SCOPES)),
  orgId: Nullable(Id),
  name: Text('Our ERP'),
  url: Text('https://example.org/tessera'),
  events: Type.Array(Text('asset.*')),
  enabled: Type.Boolean(),
  disabledReason: Nullable(
    Named(
      'WebhookDisabledReason',
      Enum(DISABLED_REASONS, {
        description:
          '`OWNER`: by a person or a restore; `GONE`: the receiver has answered 410; `FAILING`: no success for three days; `QUEUE_FULL`: ' +
          `more than ${MAX_PENDING} deliveries waited`,
      }),
    ),
  ),
  pending: Type.Integer({ minimum: 0, description: 'Deliveries that wait' }),
  lastSuccessAt: Nullable(Time),
  lastFailureAt: Nullable(Time),
  createdAt: Time,
  updatedAt: Time,
}

export const WebhookView = Model('Webhook', fields)
export type WebhookView = Static<typeof WebhookView>
export const WebhookPage = PageOf(WebhookView)

const secret = Text(`whsec_${'C'.repeat(43)}=`, { description: 'Signs the deliveries. It is not shown again' })
export const NewWebhookView = Model('NewWebhook', { ...fields, secret })
export type NewWebhookView = Static<typeof NewWebhookView>
export const WebhookSecret = Model('WebhookSecret', { secret })

export const WebhooksQuery = PageQuery({ orgId: Type.Optional(Id) })
export type WebhooksQuery = Static<typeof WebhooksQuery>
export const ServerWebhooksQuery = PageQuery({})
