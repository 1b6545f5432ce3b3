import { endpoint, platform } from '#http/endpoint.ts'

import { ChatSettings, ChatSettingsChange, ChatStats, ChatStatsQuery } from './chat.admin.model.ts'
import * as service from './chat.admin.service.ts'

const tag = 'Operations'

export const chatAdminEndpoints = [
  endpoint({
    id: 'admin.chat.settings',
    method: 'GET',
    path: '/api/admin/chat/settings',
    summary: 'Get the settings of chat',
    tag,
    access: platform('setting:read'),
    data: ChatSettings,
    run: ({ ctx }) => service.showSettings(ctx),
  }),
  endpoint({
    id: 'admin.chat.changeSettings',
    method: 'PUT',
    path: '/api/admin/chat/settings',
    summary: 'Change settings of chat',
    description: 'Settings that you leave out stay as they are. Lower limits spare everything that exists.',
    tag,
    access: platform('setting:update'),
    body: ChatSettingsChange,
    data: ChatSettings,
    logs: 'CHAT_SETTING_UPDATE',
    run: ({ ctx, actor, body }) => service.updateSettings(ctx, actor, body),
  }),
  endpoint({
    id: 'admin.chat.stats',
    method: 'GET',
    path: '/api/admin/chat/stats',
    summary: 'Get statistics of chat',
    description: 'Numbers only, never contents or names. They are up to a minute old.',
    tag,
    access: platform('chat:read'),
    query: ChatStatsQuery,
    data: ChatStats,
    run: ({ ctx, query }) => service.showStats(ctx, query),
  }),
]
