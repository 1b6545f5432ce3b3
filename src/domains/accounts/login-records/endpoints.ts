import { endpoint, platform, signedIn } from '#http/endpoint.ts'
import { Id, PageOf, PageQuery, Type } from '#http/schema.ts'

import { Hours, LoginRecordView, LoginType, NewLoginRecord } from './model.ts'
import { allRecords, ownFailures, recentRecordsOf, recordsOf, reportLogin } from './service.ts'

const tag = 'Login records'
const ByUser = Type.Object({ userId: Id })
const data = PageOf(LoginRecordView)

export const loginRecordEndpoints = [
  endpoint({
    id: 'loginRecords.report',
    method: 'POST',
    path: '/api/login-records',
    summary: 'Record a login event of one’s own',
    description: 'For what only the client knows of. Address and time are the server’s.',
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
    summary: 'Login records of a user, newest first',
    description: 'One’s own; others’ need the PLATFORM point `login_record:read`. The last 50 are kept.',
    tag,
    access: signedIn,
    params: ByUser,
    query: PageQuery({}),
    data,
    refuses: { 403: 'The records belong to another user and the caller lacks `login_record:read`.' },
    run: ({ ctx, actor, params, query }) => recordsOf(ctx, actor, params.userId, query),
  }),
  endpoint({
    id: 'loginRecords.recent',
    method: 'GET',
    path: '/api/login-records/recent',
    summary: 'One’s own login records of the last hours',
    tag,
    access: signedIn,
    query: PageQuery({ hours: Hours }),
    data,
    run: ({ ctx, actor, query }) => recentRecordsOf(ctx, actor, actor.userId, query),
  }),
  endpoint({
    id: 'loginRecords.recentOfUser',
    method: 'GET',
    path: '/api/login-records/user/:userId/recent',
    summary: 'Login records of a user of the last hours',
    description: 'One’s own; others’ need the PLATFORM point `login_record:read`.',
    tag,
    access: signedIn,
    params: ByUser,
    query: PageQuery({ hours: Hours }),
    data,
    refuses: { 403: 'The records belong to another user and the caller lacks `login_record:read`.' },
    run: ({ ctx, actor, params, query }) => recentRecordsOf(ctx, actor, params.userId, query),
  }),
  endpoint({
    id: 'loginRecords.failed',
    method: 'GET',
    path: '/api/login-records/failed',
    summary: 'Failed attempts on one’s own account',
    tag,
    access: signedIn,
    query: PageQuery({}),
    data,
    run: ({ ctx, actor, query }) => ownFailures(ctx, actor, query),
  }),
  endpoint({
    id: 'loginRecords.all',
    method: 'GET',
    path: '/api/login-records/admin/all',
    summary: 'Login records of everybody, newest first',
    tag,
    access: platform('login_record:read'),
    query: PageQuery({
      userId: Type.Optional(Id),
      hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 8784, examples: [24] })),
      loginType: Type.Optional(LoginType),
    }),
    data,
    run: ({ ctx, query }) => allRecords(ctx, query),
  }),
]
