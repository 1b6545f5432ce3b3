import { app, endpoint } from '#http/endpoint.ts'

import { CONFLICT_SPACE } from '../conflicts/conflicts.model.ts'
import { MAX_BODY, PushBody, PUSHED_RECORDS, PushResults } from './push.model.ts'
import { push } from './push.service.ts'

/** Of a body whose size was not announced: the largest possible. */
const sizeOf = ({ headers }: Request): number => Number(headers.get('content-length') ?? MAX_BODY)

export const pushEndpoints = [
  endpoint({
    id: 'sync.push',
    method: 'POST',
    path: '/api/sync/push',
    summary: 'Send changes that were made offline',
    description:
      'Each record is judged by itself: one that is rejected does not stop the others. Records may refer to each other in any order. ' +
      'If you get no answer, send the same records again: those that were applied are not applied twice.',
    tag: 'Offline use',
    access: app('sync:push'),
    deletes: true,
    body: PushBody,
    maxBody: MAX_BODY,
    data: PushResults,
    budgets: [PUSHED_RECORDS, CONFLICT_SPACE],
    ignoresKey: 'Each record has an id of its own.',
    run: ({ ctx, actor, body, caller, request }) => push(ctx, { actor, caller }, body.records, sizeOf(request)),
  }),
]
