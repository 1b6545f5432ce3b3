import { endpoint, signedIn } from '#http/endpoint.ts'
import { Id, PageOf, PageQuery, Type } from '#http/schema.ts'

import { Hours, LoginRecordView, NewLoginRecord } from './login-records.model.ts'
import { listOwnFailures, listRecentRecords, listRecords, reportLogin } from './login-records.service.ts'

const tag = 'Login records'
const ByUser = Type.Object({ userId: Id })
const data = PageOf(LoginRecordView)

export const loginRecordEndpoints = [
  endpoint({
    id: 'loginRecords.report',
    method: 'POST',
    path: '/api/login-records',
    summary: 'Report a login event',
    description:
      'For events that only the client knows about. The server sets IP address and time, and marks the record as reported. The last ' +
      '20 reports are kept, apart from the records of the server.',
    tag,
    access: signedIn,
    body: NewLoginRecord,
    data: LoginRecordView,
    run: ({ ctx, actor, body, caller }) => reportLogin(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'loginRecords.ofUser',
    method: 'GET',
    path: '/api/login-records/user/:userId',
    summary: 'List the login records of a user',
    description:
      'Newest first. The last 50 successes, the last 50 failures and the last 20 reports of clients are kept. Records of other users need the PLATFORM point `login_record:read`.',
    tag,
    access: signedIn,
    params: ByUser,
    query: PageQuery({}),
    data,
    refuses: { 403: 'The records belong to another user and the caller lacks `login_record:read`.' },
    run: ({ ctx, actor, params, query }) => listRecords(ctx, actor, params.userId, query),
  }),
  endpoint({
    id: 'loginRecords.recent',
    method: 'GET',
    path: '/api/login-records/recent',
    summary: 'List your login records of the last hours',
    tag,
    access: signedIn,
    query: PageQuery({ hours: Hours }),
    data,
    run: ({ ctx, actor, query }) => listRecentRecords(ctx, actor, actor.userId, query),
  }),
  endpoint({
    id: 'loginRecords.recentOfUser',
    method: 'GET',
    path: '/api/login-records/user/:userId/recent',
    summary: 'List the login records of a user of the last hours',
    description: 'Newest first. Records of other users need the PLATFORM point `login_record:read`.',
    tag,
    access: signedIn,
    params: ByUser,
    query: PageQuery({ hours: Hours }),
    data,
    refuses: { 403: 'The records belong to another user and the caller lacks `login_record:read`.' },
    run: ({ ctx, actor, params, query }) => listRecentRecords(ctx, actor, params.userId, query),
  }),
  endpoint({
    id: 'loginRecords.failed',
    method: 'GET',
    path: '/api/login-records/failed',
    summary: 'List failed attempts to sign in to your account',
    tag,
    access: signedIn,
    query: PageQuery({}),
    data,
    run: ({ ctx, actor, query }) => listOwnFailures(ctx, actor, query),
  }),
]
