import { app, endpoint } from '#http/endpoint.ts'

import { ConflictPage, ConflictsQuery, ResolveConflict, ResolvedConflict } from './conflicts.model.ts'
import { listConflicts, resolveConflict } from './conflicts.service.ts'

const tag = 'Offline use'

export const conflictEndpoints = [
  endpoint({
    id: 'sync.conflicts',
    method: 'GET',
    path: '/api/sync/conflicts',
    summary: 'List the conflicts of your pushes',
    description:
      'Newest first, from all your devices. A conflict keeps the state that was lost when you and others changed the same row. Conflicts are ' +
      'kept for 90 days.',
    tag,
    access: app('sync:pull'),
    query: ConflictsQuery,
    data: ConflictPage,
    run: ({ ctx, actor, query }) => listConflicts(ctx, actor, query),
  }),
  endpoint({
    id: 'sync.resolve',
    method: 'POST',
    path: '/api/sync/resolve',
    summary: 'Resolve a conflict',
    tag,
    access: app('sync:push'),
    body: ResolveConflict,
    data: ResolvedConflict,
    refuses: {
      400: 'The conflict has been resolved with the other answer, or the state of the server cannot be restored.',
      403: 'You may not change the row.',
      404: 'You have no such conflict, or may no longer know of the row.',
    },
    run: ({ ctx, actor, caller, body }) => resolveConflict(ctx, { actor, caller }, body),
  }),
]
