import { app, endpoint } from '#http/endpoint.ts'
import { ById, Count } from '#http/schema.ts'

import { ListQuery, NotificationDetail, NotificationPage, NotificationView, Updated } from './notifications.model.ts'
import * as service from './notifications.service.ts'

const tag = 'Notifications'

export const notificationEndpoints = [
  endpoint({
    id: 'notifications.list',
    method: 'GET',
    path: '/api/notifications',
    summary: 'List your notifications, newest first',
    tag,
    access: app('notification:read'),
    query: ListQuery,
    data: NotificationPage,
    run: ({ ctx, actor, query, caller }) => service.listNotifications(ctx, actor, query, caller.locale),
  }),
  endpoint({
    id: 'notifications.detail',
    method: 'GET',
    path: '/api/notifications/:id',
    summary: 'Get a notification with its body as HTML',
    description: 'This does not mark the notification as read.',
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
    summary: 'Mark a notification as read',
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
    summary: 'Mark all your notifications as read',
    tag,
    access: app('notification:update'),
    data: Updated,
    run: ({ ctx, actor }) => service.readAll(ctx, actor),
  }),
  endpoint({
    id: 'notifications.unreadCount',
    method: 'GET',
    path: '/api/notifications/unread-count',
    summary: 'Count your unread notifications',
    tag,
    access: app('notification:read'),
    data: Count,
    run: ({ ctx, actor }) => service.unreadCount(ctx, actor),
  }),
  endpoint({
    id: 'notifications.totalCount',
    method: 'GET',
    path: '/api/notifications/total-count',
    summary: 'Count your notifications',
    tag,
    access: app('notification:read'),
    data: Count,
    run: ({ ctx, actor }) => service.totalCount(ctx, actor),
  }),
]
