import { endpoint, platform } from '#http/endpoint.ts'

import { ByUserId, ExportJob, LatestExport, StartUserExport } from './exports.model.ts'
import { latestUserExport, startUserExport } from './exports.service.ts'

const tag = 'Users'
const RANK = 'You are not SYSTEM_ADMIN.'

export const exportAdminEndpoints = [
  endpoint({
    id: 'ownData.startOfUser',
    method: 'POST',
    path: '/api/admin/users/:userId/export',
    summary: 'Export the data of a user',
    description:
      'For SYSTEM_ADMIN only, who must have confirmed within the last 10 minutes. Profile, ways to sign in, memberships, sessions, login records, agreements, ' +
      'names and numbers of content, and rows of the operation log about the user; no messages, files, scan records and contacts. The user is notified. ' +
      'One a day for each user. `ownData.downloadLink` returns the link.',
    tag,
    access: platform('user:read'),
    logs: 'USER_EXPORT',
    params: ByUserId,
    body: StartUserExport,
    data: ExportJob,
    refuses: { 403: `${RANK} Code 4031: you must confirm first.` },
    run: ({ ctx, actor, params, body, caller }) =>
      startUserExport(ctx, actor, params.userId, body.language ?? caller.locale),
  }),
  endpoint({
    id: 'ownData.latestOfUser',
    method: 'GET',
    path: '/api/admin/users/:userId/export',
    summary: 'Get your latest data export of a user',
    description: 'For SYSTEM_ADMIN only. Null if you have started none.',
    tag,
    access: platform('user:read'),
    params: ByUserId,
    data: LatestExport,
    refuses: { 403: RANK },
    run: ({ ctx, actor, params }) => latestUserExport(ctx, actor, params.userId),
  }),
]
