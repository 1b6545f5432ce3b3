import { app, endpoint, platform } from '#http/endpoint.ts'
import { ById, Count } from '#http/schema.ts'

import {
  ListQuery,
  NewSend,
  NotificationDetail,
  NotificationPage,
  NotificationView,
  SendView,
  Updated,
} from './model.ts'
import { send, sendProgress } from './sends/service.ts'
import * as service from './service.ts'

const tag = 'Notifications'

export const notificationEndpoints = [
  endpoint({
    id: 'notifications.list',
    method: 'GET',
    path: '/api/notifications',
    summary: 'List the caller’s notifications, newest first',
    tag,
    access: app('notification:read'),
    query: ListQuery,
    data: NotificationPage,
    run: ({ ctx, actor, query, caller }) => service.listNotifications(ctx, actor, query, caller.locale),
  }),
  endpoint({
    id: 'notifications.send',
    method: 'POST',
    path: '/api/notifications',
    summary: 'Send a notification to users, an organization or everybody',
    description:
      'Exactly one of `userIds`, `orgId` and `all: true`. Named users have it when the answer comes; an organization and everybody ' +
      'get it in the background, see the progress of a send. Accounts made after this call get nothing.',
    tag,
    access: platform('notification:send'),
    body: NewSend,
    data: SendView,
    refuses: { 404: 'The organization does not exist.' },
    run: ({ ctx, actor, body }) => send(ctx, actor, body),
  }),
  endpoint({
    id: 'notifications.sendProgress',
    method: 'GET',
    path: '/api/notifications/sends/:id',
    summary: 'How far a send has got',
    tag,
    access: platform('notification:read'),
    params: ById,
    data: SendView,
    run: ({ ctx, params }) => sendProgress(ctx, params.id),
  }),
  endpoint({
    id: 'notifications.detail',
    method: 'GET',
    path: '/api/notifications/:id',
    summary: 'Show a notification with its text as HTML',
    description: 'Showing it does not mark it as read.',
    tag,
    access: app('notification:read'),
    params: ById,
    data: NotificationDetail,
    run: ({ ctx, actor, params, caller }) => service.showNotification(ctx, actor, params.id, caller.locale),
  }),
  endpoint({
    id: 'notifications.delete',
    method: 'DELETE',
    path: '/api/notifications/:id',
    summary: 'Delete a notification',
    tag,
    access: app('notification:delete'),
    params: ById,
    run: ({ ctx, actor, params }) => service.deleteNotification(ctx, actor, params.id),
  }),
  endpoint({
    id: 'notifications.read',
    method: 'PATCH',
    path: '/api/notifications/:id/read',
    summary: 'Mark a notification as read; harmless when it is',
    tag,
    access: app('notification:update'),
    params: ById,
    data: NotificationView,
    run: ({ ctx, actor, params, caller }) => service.readNotification(ctx, actor, params.id, caller.locale),
  }),
  endpoint({
    id: 'notifications.readAll',
    method: 'PATCH',
    path: '/api/notifications/read-all',
    summary: 'Mark all notifications as read',
    tag,
    access: app('notification:update'),
    data: Updated,
    run: ({ ctx, actor }) => service.readAll(ctx, actor),
  }),
  endpoint({
    id: 'notifications.unreadCount',
    method: 'GET',
    path: '/api/notifications/unread-count',
    summary: 'How many notifications are unread',
    tag,
    access: app('notification:read'),
    data: Count,
    run: ({ ctx, actor }) => service.unreadCount(ctx, actor),
  }),
  endpoint({
    id: 'notifications.totalCount',
    method: 'GET',
    path: '/api/notifications/total-count',
    summary: 'How many notifications there are',
    tag,
    access: app('notification:read'),
    data: Count,
    run: ({ ctx, actor }) => service.totalCount(ctx, actor),
  }),
]
