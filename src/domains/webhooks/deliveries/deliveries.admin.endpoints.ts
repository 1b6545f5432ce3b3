import { endpoint, platform } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { asServer } from '../webhooks/webhooks.service.ts'
import {
  ByDelivery,
  DeliveryDetail,
  DeliveryPage,
  DeliveryView,
  KEPT,
  MAX_REPLAYED,
  Queued,
  Replay,
  ServerDeliveriesQuery,
} from './deliveries.model.ts'
import * as service from './deliveries.service.ts'

const shared = { tag: 'Webhooks', access: platform('setting:update') } as const
const reading = { tag: 'Webhooks', access: platform('setting:read') } as const
const OFF = 'The webhook is switched off.'
const refusesSending = { 400: OFF, 403: 'Webhooks are switched off.' } as const

export const deliveryAdminEndpoints = [
  endpoint({
    ...shared,
    id: 'webhooks.testOfServer',
    method: 'POST',
    path: '/api/admin/webhooks/:id/test',
    summary: 'Send a test to a webhook of the server',
    description:
      'Queues an event `webhook.test`, whatever events the webhook has. The delivery shows what became of it.',
    params: ById,
    ignoresKey: 'It sends a test, whose delivery is its answer.',
    data: DeliveryView,
    refuses: refusesSending,
    run: ({ ctx, actor, params }) => service.testWebhook(ctx, asServer(actor), params.id),
  }),
  endpoint({
    ...reading,
    id: 'webhooks.deliveriesOfServer',
    method: 'GET',
    path: '/api/admin/webhooks/:id/deliveries',
    summary: 'List the deliveries of a webhook of the server, newest first',
    description: `Those of 30 days, and the last ${KEPT} that have ended.`,
    params: ById,
    query: ServerDeliveriesQuery,
    data: DeliveryPage,
    run: ({ ctx, actor, params, query }) => service.listDeliveries(ctx, asServer(actor), params.id, query),
  }),
  endpoint({
    ...reading,
    id: 'webhooks.deliveryOfServer',
    method: 'GET',
    path: '/api/admin/webhooks/:id/deliveries/:deliveryId',
    summary: 'Get a delivery of a webhook of the server with its body',
    params: ByDelivery,
    data: DeliveryDetail,
    run: ({ ctx, actor, params }) => service.getDelivery(ctx, asServer(actor), params),
  }),
  endpoint({
    ...shared,
    id: 'webhooks.replayDeliveryOfServer',
    method: 'POST',
    path: '/api/admin/webhooks/:id/deliveries/:deliveryId/replay',
    summary: 'Send a delivery of a webhook of the server again',
    description:
      'With the same `webhook-id`, body and sequence, and with all attempts. One that is being sent is not queued.',
    params: ByDelivery,
    data: Queued,
    refuses: refusesSending,
    run: ({ ctx, actor, params }) => service.replayDelivery(ctx, asServer(actor), params),
  }),
  endpoint({
    ...shared,
    id: 'webhooks.replayOfServer',
    method: 'POST',
    path: '/api/admin/webhooks/:id/replay',
    summary: 'Send the deliveries of a webhook of the server again',
    description: `Those of events from \`from\` to before \`to\`, the oldest first, at most ${MAX_REPLAYED}.`,
    params: ById,
    body: Replay,
    data: Queued,
    refuses: refusesSending,
    run: ({ ctx, actor, params, body }) => service.replayAll(ctx, asServer(actor), params.id, body),
  }),
]
