import { endpoint, platform } from '#http/endpoint.ts'

import { ByKey } from '../api-keys.model.ts'
import { AdminApiKeyPage, AdminKeysQuery } from './api-keys.admin.model.ts'
import { listAllKeys, revokeAnyKey } from './api-keys.admin.service.ts'

const tag = 'API keys'

export const apiKeyAdminEndpoints = [
  endpoint({
    id: 'admin.apiKeys.list',
    method: 'GET',
    path: '/api/admin/api-keys',
    summary: 'List the API keys of all users',
    description: 'Newest first unless `sort` is given. The keys themselves are stored nowhere.',
    tag,
    access: platform('session:read'),
    query: AdminKeysQuery,
    data: AdminApiKeyPage,
    run: ({ ctx, actor, query }) => listAllKeys(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.apiKeys.revoke',
    method: 'DELETE',
    path: '/api/admin/api-keys/:id',
    summary: 'End any API key',
    description: 'Its next request is refused, in every process within a second. Its owner is notified.',
    tag,
    access: platform('session:revoke'),
    logs: 'API_KEY_REVOKE',
    params: ByKey,
    refuses: { 403: 'The key belongs to an administrator, and you are not SYSTEM_ADMIN.' },
    run: ({ ctx, actor, params, caller }) => revokeAnyKey(ctx, actor, params.id, caller),
  }),
]
