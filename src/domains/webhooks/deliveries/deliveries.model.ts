/** Shapes of deliveries in requests and answers. */

import { DELIVERY_STATUSES } from '#db/schema/webhooks.ts'
import {
  Enum,
  Id,
  Line,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

/** Deliveries that have ended are deleted after this time, and beyond this number for each webhook. */
export const KEPT_MS = 30 * DAY
export const KEPT = 5000
/** Deliveries that one call sends again. */
export const MAX_REPLAYED = 1000
/** Attempts in the log of a delivery: those of three rounds. */
export const MAX_ATTEMPTS_SHOWN = 33

const Status = Named(
  'DeliveryStatus',
  Enum(DELIVERY_STATUSES, { description: '`FAILED`: it is not tried again by itself' }),
)
const example = '0b0c6f52-8a5e-4a57-9c53-7d4f6c1a2e90'

const fields = {
  id: Id,
  eventId: Text(example, { description: 'The header `webhook-id`' }),
  event: Text('asset.created'),
  sequence: Type.Integer({ minimum: 0, description: 'In the order of changes, without gaps', examples: [17] }),
  status: Status,
  attempts: Type.Array(
    Model('DeliveryAttempt', {
      at: Time,
      status: Nullable(Type.Integer({ description: 'Of the answer', examples: [200] })),
      error: Nullable(Text('HTTP 500')),
      ms: Type.Integer({ minimum: 0, description: 'How long it took', examples: [120] }),
    }),
    { description: `The last ${MAX_ATTEMPTS_SHOWN}` },
  ),
  nextAttemptAt: Nullable(Time),
  createdAt: Time,
}
export const DeliveryView = Model('Delivery', fields)
export type DeliveryView = Static<typeof DeliveryView>
export const DeliveryPage = PageOf(DeliveryView)

export const DeliveryDetail = Model('DeliveryDetail', {
  ...fields,
  body: Text('{"type":"asset.created","data":{"id":42}}', { description: 'As it is sent, a text of JSON' }),
  answer: Nullable(
    Text('ok', { description: 'The first 500 characters of the last answer; null for private targets' }),
  ),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

const filters = {
  status: Type.Optional(Status),
  event: Type.Optional(Line(60, 1, { examples: ['asset.created'] })),
  from: Type.Optional({ ...Time, description: 'Of an event at this time or later' }),
  to: Type.Optional({ ...Time, description: 'Of an event before this time' }),
}
export const DeliveriesQuery = PageQuery({ orgId: Type.Optional(Id), ...filters })
export const ServerDeliveriesQuery = PageQuery(filters)
export type DeliveriesQuery = Static<typeof DeliveriesQuery>

export const Replay = Model('ReplayDeliveries', {
  from: Time,
  to: { ...Time, examples: [1_767_312_000_000] },
  status: Type.Optional(Nullable(Status)),
})
export type Replay = Static<typeof Replay>

export const Queued = Model('QueuedDeliveries', {
  queued: Type.Integer({ minimum: 0, maximum: MAX_REPLAYED, examples: [12] }),
})

export const ByDelivery = Type.Object({ id: Id, deliveryId: Id })
