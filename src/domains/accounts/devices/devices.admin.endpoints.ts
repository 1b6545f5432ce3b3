import { endpoint, platform } from '#http/endpoint.ts'

import { AdminSessionPage, AdminSessionsQuery } from './devices.admin.model.ts'
import { listAllSessions, revokeAnySession } from './devices.admin.service.ts'
import { BySession } from './devices.model.ts'

const tag = 'Sessions'

export const deviceAdminEndpoints = [
  endpoint({
    id: 'admin.sessions.list',
    method: 'GET',
    path: '/api/admin/auth/sessions',
    summary: 'List the sessions of all users',
    description:
      'Newest first unless `sort` is given; active ones unless you give `status`. A session is marked as expired within ten minutes.',
    tag,
    access: platform('session:read'),
    query: AdminSessionsQuery,
    data: AdminSessionPage,
    run: ({ ctx, actor, query }) => listAllSessions(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.sessions.revoke',
    method: 'DELETE',
    path: '/api/admin/auth/sessions/:sessionId',
    summary: 'End any session',
    description:
      'Its tokens and sockets stop working at once, and so do the sessions that it opened by account links. Its device may still be able ' +
      'to sign in by itself. You may end your own sessions too. A session that has ended answers 404.',
    tag,
    access: platform('session:revoke'),
    logs: 'SESSION_REVOKE',
    params: BySession,
    refuses: { 403: 'The session belongs to an administrator, and you are not SYSTEM_ADMIN.' },
    run: ({ ctx, actor, params, caller }) => revokeAnySession(ctx, actor, params.sessionId, caller),
  }),
]
