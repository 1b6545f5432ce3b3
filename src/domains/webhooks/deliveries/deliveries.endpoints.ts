import { endpoint, signedIn } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { asUser } from '../webhooks/webhooks.service.ts'
import {
  ByDelivery,
  DeliveriesQuery,
  DeliveryDetail,
  DeliveryPage,
  DeliveryView,
  KEPT,
  MAX_REPLAYED,
  Queued,
  Replay,
} from './deliveries.model.ts'
import * as service from './deliveries.service.ts'

const shared = { tag: 'Webhooks', access: signedIn } as const
const refuses = { 403: 'You are a member of the organization, but lack `org:update` there.' } as const
const OFF = 'The webhook is switched off.'
const refusesSending = {
  400: OFF,
  403: 'You lack `org:update` in the organization, or webhooks are switched off.',
} as const

export const deliveryEndpoints = [
  endpoint({
    ...shared,
    id: 'webhooks.test',
    method: 'POST',
    path: '/api/webhooks/:id/test',
    summary: 'Send a test to a webhook',
    description:
      'Queues an event `webhook.test`, whatever events the webhook has. The delivery shows what became of it.',
    params: ById,
    query: InOrg,
    ignoresKey: 'It sends a test, whose delivery is its answer.',
    data: DeliveryView,
    refuses: refusesSending,
    run: ({ ctx, actor, params, query }) => service.testWebhook(ctx, asUser(actor), params.id, query.orgId),
  }),
  endpoint({
    ...shared,
    id: 'webhooks.deliveries',
    method: 'GET',
    path: '/api/webhooks/:id/deliveries',
    summary: 'List the deliveries of a webhook, newest first',
    description: `Those of 30 days, and the last ${KEPT} that have ended.`,
    params: ById,
    query: DeliveriesQuery,
    data: DeliveryPage,
    refuses,
    run: ({ ctx, actor, params, query }) => service.listDeliveries(ctx, asUser(actor), params.id, query),
  }),
  endpoint({
    ...shared,
    id: 'webhooks.delivery',
    method: 'GET',
    path: '/api/webhooks/:id/deliveries/:deliveryId',
    summary: 'Get a delivery of a webhook with its body',
    params: ByDelivery,
    query: InOrg,
    data: DeliveryDetail,
    refuses,
    run: ({ ctx, actor, params, query }) => service.getDelivery(ctx, asUser(actor), params, query.orgId),
  }),
  endpoint({
    ...shared,
    id: 'webhooks.replayDelivery',
    method: 'POST',
    path: '/api/webhooks/:id/deliveries/:deliveryId/replay',
    summary: 'Send a delivery of a webhook again',
    description:
      'With the same `webhook-id`, body and sequence, and with all attempts. One that is being sent is not queued.',
    params: ByDelivery,
    query: InOrg,
    data: Queued,
    refuses: refusesSending,
    run: ({ ctx, actor, params, query }) => service.replayDelivery(ctx, asUser(actor), params, query.orgId),
  }),
  endpoint({
    ...shared,
    id: 'webhooks.replay',
    method: 'POST',
    path: '/api/webhooks/:id/replay',
    summary: 'Send the deliveries of a time again',
    description: `Those of events from \`from\` to before \`to\`, the oldest first, at most ${MAX_REPLAYED}.`,
    params: ById,
    query: InOrg,
    body: Replay,
    data: Queued,
    refuses: refusesSending,
    run: ({ ctx, actor, params, query, body }) => service.replayAll(ctx, asUser(actor), params.id, body, query.orgId),
  }),
]
