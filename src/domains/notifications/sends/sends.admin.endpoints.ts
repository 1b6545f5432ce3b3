import { alias, endpoint, platform } from '#http/endpoint.ts'

import { sendNotification } from './sends.endpoints.ts'
import { AnySendPage, ByNotification, SendsQuery } from './sends.model.ts'
import { listSends, withdraw } from './sends.service.ts'

const tag = 'Notifications'

export const sendAdminEndpoints = [
  endpoint({
    id: 'admin.notifications.list',
    method: 'GET',
    path: '/api/admin/notifications',
    summary: 'List the notifications that administrators sent',
    description: 'Newest first unless `sort` is given. Each send is one row, for any number of recipients.',
    tag,
    access: platform('notification:read'),
    query: SendsQuery,
    data: AnySendPage,
    run: ({ ctx, actor, query }) => listSends(ctx, actor, query),
  }),
  alias(sendNotification, { id: 'admin.notifications.send', path: '/api/admin/notifications' }),
  endpoint({
    id: 'admin.notifications.delete',
    method: 'DELETE',
    path: '/api/admin/notifications/:notificationId',
    summary: 'Withdraw a sent notification',
    description:
      'Recipients no longer see it, and a send that is running stops. `notificationId` is the `id` of the send.',
    tag,
    access: platform('notification:delete'),
    logs: 'NOTIFICATION_DELETE',
    params: ByNotification,
    run: ({ actor, params }) => withdraw(actor, params.notificationId),
  }),
]
