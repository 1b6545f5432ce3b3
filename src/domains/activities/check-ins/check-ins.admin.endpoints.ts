import { endpoint, platform } from '#http/endpoint.ts'

import { AdminCheckInPage, AdminRecordsQuery, ByRecord } from './check-ins.admin.model.ts'
import * as service from './check-ins.admin.service.ts'

const tag = 'Check-in'

export const checkInAdminEndpoints = [
  endpoint({
    id: 'admin.checkIns.list',
    method: 'GET',
    path: '/api/admin/check-in',
    summary: 'List the check-ins of all activities',
    description: 'Newest first unless `sort` is given. `from`, `to` and `sort` are about the time of the check-in.',
    tag,
    access: platform('checkin:read'),
    query: AdminRecordsQuery,
    data: AdminCheckInPage,
    run: ({ ctx, actor, query }) => service.listAllRecords(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.checkIns.delete',
    method: 'DELETE',
    path: '/api/admin/check-in/:recordId',
    summary: 'Delete any check-in',
    description: 'It no longer counts, so the user can check in once more while check-in is open.',
    tag,
    access: platform('checkin:delete'),
    logs: 'CHECK_IN_DELETE',
    params: ByRecord,
    run: ({ actor, params }) => service.deleteAnyRecord(actor, params.recordId),
  }),
]
