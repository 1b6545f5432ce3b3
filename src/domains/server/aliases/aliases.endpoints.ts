import { endpoint, signedIn } from '#http/endpoint.ts'
import { addPrinted } from '#http/printed.ts'
import { MINUTE } from '#platform/clock.ts'

import { PrintReport } from './aliases.model.ts'

export const aliasEndpoints = [
  endpoint({
    id: 'server.printed',
    method: 'POST',
    path: '/api/server/printed',
    summary: 'Report that codes are printed',
    description:
      'For clients that draw codes themselves, before they print labels or a poster. Pictures and files of the server are counted when they are ' +
      'fetched. Administrators see the number beside an earlier address of the server.',
    tag: 'Server',
    access: signedIn,
    body: PrintReport,
    ignoresKey: 'It only adds to a number.',
    budgets: [
      { name: 'server.printed', counts: { en: 'reports', zh: '报告' }, per: 'user', limit: 60, windowMs: MINUTE },
    ],
    run: ({ ctx, body }) => addPrinted(ctx, body.things),
  }),
]
