import { endpoint, platform } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { NewSend, SendView } from './sends.model.ts'
import { send, sendProgress } from './sends.service.ts'

const tag = 'Notifications'

export const sendNotification = endpoint({
  id: 'notifications.send',
  method: 'POST',
  path: '/api/notifications',
  summary: 'Send a notification to users, to an organization or to everyone',
  description:
    'Send exactly one of `userIds`, `orgId` and `all: true`. Users in `userIds` have the notification when the response arrives. ' +
    'Organizations and all users receive it in the background; query the send for its progress. Accounts created after this ' +
    'request do not receive it.',
  tag,
  access: platform('notification:send'),
  logs: 'NOTIFICATION_SEND',
  body: NewSend,
  data: SendView,
  refuses: { 404: 'The organization does not exist.' },
  run: ({ ctx, actor, body }) => send(ctx, actor, body),
})

export const sendEndpoints = [
  sendNotification,
  endpoint({
    id: 'notifications.sendProgress',
    method: 'GET',
    path: '/api/notifications/sends/:id',
    summary: 'Get the progress of a send',
    tag,
    access: platform('notification:read'),
    params: ById,
    data: SendView,
    run: ({ ctx, params }) => sendProgress(ctx, params.id),
  }),
]
