import { endpoint, signedIn } from '#http/endpoint.ts'
import { Id, PageOf, PageQuery, Type } from '#http/schema.ts'

import { DeviceLogin, LoginResponse } from '../logins/model.ts'
import { SessionView } from './model.ts'
import { createSession, listSessions, revokeSession, sessionDetail, switchSession } from './service.ts'

const tag = 'Sessions'
const BySession = Type.Object({ sessionId: Id })

export const sessionEndpoints = [
  endpoint({
    id: 'sessions.create',
    method: 'POST',
    path: '/api/auth/sessions',
    summary: 'Open a further session of one’s own',
    description: 'On the device that the body names, else on a new one, whose id is answered as `deviceId`.',
    tag,
    access: signedIn,
    body: DeviceLogin,
    data: LoginResponse,
    namesDevice: true,
    run: ({ ctx, actor, body, caller }) => createSession(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'sessions.list',
    method: 'GET',
    path: '/api/auth/sessions',
    summary: 'One’s active sessions, newest first',
    tag,
    access: signedIn,
    query: PageQuery({}),
    data: PageOf(SessionView),
    run: ({ ctx, actor, query }) => listSessions(ctx, actor, query),
  }),
  endpoint({
    id: 'sessions.detail',
    method: 'GET',
    path: '/api/auth/sessions/:sessionId',
    summary: 'One of one’s sessions',
    tag,
    access: signedIn,
    params: BySession,
    data: SessionView,
    run: ({ ctx, actor, params }) => sessionDetail(ctx, actor, params.sessionId),
  }),
  endpoint({
    id: 'sessions.revoke',
    method: 'DELETE',
    path: '/api/auth/sessions/:sessionId',
    summary: 'End one of one’s sessions at once',
    tag,
    access: signedIn,
    params: BySession,
    run: ({ ctx, actor, params, caller }) => revokeSession(ctx, actor, params.sessionId, caller),
  }),
  endpoint({
    id: 'sessions.switch',
    method: 'POST',
    path: '/api/auth/sessions/:sessionId/switch',
    summary: 'New tokens for another of one’s active sessions',
    description: 'They work together with the device id of that session. Its refresh tokens from before stop working.',
    tag,
    access: signedIn,
    params: BySession,
    data: LoginResponse,
    run: ({ ctx, actor, params, caller }) => switchSession(ctx, actor, params.sessionId, caller),
  }),
]
