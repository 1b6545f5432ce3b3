import { alias, endpoint, platform } from '#http/endpoint.ts'
import { PageOf } from '#http/schema.ts'

import { AdminLoginRecordView, AdminRecordsQuery } from './login-records.model.ts'
import { listAllRecords } from './login-records.service.ts'

const listAll = endpoint({
  id: 'admin.loginRecords.list',
  method: 'GET',
  path: '/api/admin/login-records',
  summary: 'List the login records of all users',
  description:
    'Newest first unless `sort` is given, with attempts at accounts that do not exist. Of each user the last 50 successes, the last 50 failures and the last ' +
    '20 reports of clients are kept.',
  tag: 'Login records',
  access: platform('login_record:read'),
  query: AdminRecordsQuery,
  data: PageOf(AdminLoginRecordView),
  run: ({ ctx, actor, query }) => listAllRecords(ctx, actor, query),
})

export const loginRecordAdminEndpoints = [
  listAll,
  alias(listAll, { id: 'loginRecords.all', path: '/api/login-records/admin/all' }),
]
