import { app, endpoint } from '#http/endpoint.ts'

import { PullPage, PullQuery } from './pull.model.ts'
import { pull } from './pull.service.ts'

export const pullEndpoints = [
  endpoint({
    id: 'sync.pull',
    method: 'GET',
    path: '/api/sync/pull',
    summary: 'Get the changes since the last pull',
    description:
      'Your own rows and those of your organizations that were created, changed or deleted after `since`. Ask again with the `serverTime` of ' +
      'the answer while `hasMore` is true. Rows that you may now see come as updated, and those that you may no longer see as deleted.',
    tag: 'Offline use',
    access: app('sync:pull'),
    query: PullQuery,
    data: PullPage,
    refuses: { 403: 'You are not a member of the organization.' },
    run: ({ ctx, actor, caller, query }) => pull(ctx, actor, caller, query),
  }),
]
