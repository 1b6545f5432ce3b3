import { app, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

import { NewSubscription, PushKey, Subscription, Subscriptions } from './push.model.ts'
import * as service from './push.service.ts'

const tag = 'Notifications'

/** Apps subscribe at each start, and whenever the push service changes the address. */
const SUBSCRIBES_AN_HOUR = 120

export const pushEndpoints = [
  endpoint({
    id: 'push.subscribe',
    method: 'POST',
    path: '/api/notifications/subscriptions',
    summary: 'Register this device for Web Push',
    description:
      'For browsers (`PushManager.subscribe` with the key of `GET /api/notifications/subscriptions/key`) and for UnifiedPush. The ' +
      'subscription ends with your session. Repeating the request with the same endpoint changes the subscription. A device gets ' +
      'nothing while its session has a live socket and in its quiet hours. See docs/push.md.',
    tag,
    access: app('notification:update'),
    body: NewSubscription,
    data: Subscription,
    budgets: [
      {
        name: 'push-subscriptions',
        counts: { en: 'push subscriptions', zh: '推送订阅' },
        per: 'user',
        limit: SUBSCRIBES_AN_HOUR,
        windowMs: HOUR,
      },
    ],
    run: ({ ctx, actor, caller, body }) => service.subscribe(ctx, actor, caller, body),
  }),
  endpoint({
    id: 'push.list',
    method: 'GET',
    path: '/api/notifications/subscriptions',
    summary: 'List your push subscriptions',
    tag,
    access: app('notification:read'),
    data: Subscriptions,
    run: ({ ctx, actor }) => service.listSubscriptions(ctx, actor),
  }),
  endpoint({
    id: 'push.key',
    method: 'GET',
    path: '/api/notifications/subscriptions/key',
    summary: 'Get the public key for push subscriptions',
    description: 'The VAPID key (RFC 8292), with which push services recognize this server. It does not change.',
    tag,
    access: app('notification:read'),
    data: PushKey,
    run: ({ ctx }) => service.pushKey(ctx),
  }),
  endpoint({
    id: 'push.unsubscribe',
    method: 'DELETE',
    path: '/api/notifications/subscriptions/:id',
    summary: 'Delete a push subscription',
    tag,
    access: app('notification:delete'),
    params: ById,
    run: ({ ctx, actor, params }) => service.unsubscribe(ctx, actor, params.id),
  }),
]
