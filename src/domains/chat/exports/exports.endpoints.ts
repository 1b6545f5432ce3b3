import { app, endpoint } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { ById } from '#http/schema.ts'

import { CHAT_EXPORTS, ExportQuery } from './exports.model.ts'
import { exportConversation } from './exports.service.ts'

export const exportEndpoints = [
  endpoint({
    id: 'conversations.export',
    method: 'GET',
    path: '/api/chats/conversations/:id/export',
    summary: 'Export a conversation',
    description:
      'All messages that you see, the oldest first: not those from before you joined, and none that you have cleared or deleted. Recalled and removed messages keep their place without a content. ' +
      'Nobody else is notified. The download ends early, and is not complete, when you leave the group, your session ends, or after ten minutes. An archive has at most 1 GB of files. ' +
      EXPORT_LIMITS,
    tag: 'Conversations',
    access: app('chat:read'),
    params: ById,
    query: ExportQuery,
    answers: 'application/json, application/zip',
    budgets: [CHAT_EXPORTS],
    refuses: { 403: 'You have left the group (code 4015).' },
    run: ({ ctx, actor, caller, params, query }) => exportConversation(ctx, actor, caller, params.id, query),
  }),
]
