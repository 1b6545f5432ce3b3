import { endpoint, platform } from '#http/endpoint.ts'
import { Id, PageQuery, Type } from '#http/schema.ts'

import { MessagePage } from './messages.model.ts'
import * as service from './messages.service.ts'

const shared = { tag: 'Activities' } as const

export const messageAdminEndpoints = [
  endpoint({
    ...shared,
    id: 'admin.activityMessages.list',
    method: 'GET',
    path: '/api/admin/activities/:activityId/messages',
    summary: 'List the messages to the participants of any activity',
    access: platform('activity:read'),
    params: Type.Object({ activityId: Id }),
    query: PageQuery({}),
    data: MessagePage,
    run: ({ ctx, params, query, caller }) => service.listAnyMessages(ctx, params.activityId, query, caller.locale),
  }),
  endpoint({
    ...shared,
    id: 'admin.activityMessages.delete',
    method: 'DELETE',
    path: '/api/admin/activities/:activityId/messages/:messageId',
    summary: 'Cancel a message of any activity that waits for its time',
    access: platform('activity:update'),
    logs: 'ACTIVITY_MESSAGE_DELETE',
    params: Type.Object({ activityId: Id, messageId: Id }),
    refuses: { 400: 'The message is being sent or was sent.' },
    run: ({ actor, params }) => service.deleteAnyMessage(actor, { id: params.activityId, messageId: params.messageId }),
  }),
]
