import { app, endpoint, platform } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { Message } from '../messages/messages.model.ts'
import {
  AdminReport,
  AdminReportPage,
  AdminReportsQuery,
  MessageReport,
  RemoveMessage,
  ReportMessage,
  REPORTS,
} from './reports.model.ts'
import * as service from './reports.service.ts'

const RANK = 'You are not SYSTEM_ADMIN.'

export const reportEndpoints = [
  endpoint({
    id: 'messages.remove',
    method: 'POST',
    path: '/api/chats/messages/:id/remove',
    summary: 'Remove any message of a group',
    description:
      'For the owner and the administrators of the group, at any time. Its content ends for everyone, as by a recall.',
    tag: 'Messages',
    access: app('chat:send'),
    params: ById,
    body: RemoveMessage,
    data: Message,
    refuses: {
      400: 'It is a message of the system.',
      403: 'You do not manage the group, the conversation is direct, or you have left it (code 4015).',
    },
    run: ({ ctx, actor, params, body }) => service.removeMessage(ctx, actor, params.id, body),
  }),
  endpoint({
    id: 'messages.report',
    method: 'POST',
    path: '/api/chats/messages/:id/report',
    summary: 'Report a message to the administrators',
    description:
      'System administrators get a copy of the message. You are notified of the outcome. A second report of a message changes nothing.',
    tag: 'Messages',
    access: app('chat:read'),
    params: ById,
    body: ReportMessage,
    data: MessageReport,
    budgets: [REPORTS],
    refuses: { 400: 'The message is your own, recalled, or one of the system.' },
    run: ({ ctx, actor, params, body }) => service.reportMessage(ctx, actor, params.id, body),
  }),
  endpoint({
    id: 'admin.chat.reports',
    method: 'GET',
    path: '/api/admin/chat/reports',
    summary: 'List reported messages',
    description: 'The latest first, with copies of the messages. For SYSTEM_ADMIN only.',
    tag: 'Operations',
    access: platform('chat:read'),
    query: AdminReportsQuery,
    data: AdminReportPage,
    refuses: { 403: RANK },
    run: ({ ctx, actor, query }) => service.listReports(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.chat.removeReported',
    method: 'POST',
    path: '/api/admin/chat/reports/:id/remove',
    summary: 'Remove a reported message',
    description:
      'Its content ends for everyone. All open reports of it end, and the users who made them are notified. For SYSTEM_ADMIN only.',
    tag: 'Operations',
    access: platform('chat:read'),
    params: ById,
    data: AdminReport,
    logs: 'MESSAGE_REPORT_REMOVE',
    refuses: { 400: 'The report was dismissed.', 403: RANK },
    run: ({ ctx, actor, params }) => service.endReport(ctx, actor, params.id, 'REMOVED'),
  }),
  endpoint({
    id: 'admin.chat.dismissReport',
    method: 'POST',
    path: '/api/admin/chat/reports/:id/dismiss',
    summary: 'Reject a report of a message',
    description:
      'The message stays. All open reports of it end, and the users who made them are notified. For SYSTEM_ADMIN only.',
    tag: 'Operations',
    access: platform('chat:read'),
    params: ById,
    data: AdminReport,
    logs: 'MESSAGE_REPORT_DISMISS',
    refuses: { 400: 'The message was removed after a report.', 403: RANK },
    run: ({ ctx, actor, params }) => service.endReport(ctx, actor, params.id, 'DISMISSED'),
  }),
]
