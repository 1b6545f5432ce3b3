import { endpoint, signedIn } from '#http/endpoint.ts'

import { Confirmation, Confirmed } from './confirmations.model.ts'
import { confirm } from './confirmations.service.ts'

export const confirmationEndpoints = [
  endpoint({
    id: 'auth.confirm',
    method: 'POST',
    path: '/api/auth/confirm',
    summary: 'Verify that you own the account',
    description:
      'Needed after an answer with code 4031, unless you sign in again. PASSWORD takes `password`, PASSKEY `passkey`, the others a ' +
      '`code` from `POST /api/auth/password/change-code`. The confirmation holds for this session and for 10 minutes.',
    tag: 'Sessions',
    access: signedIn,
    checksSecret: true,
    body: Confirmation,
    data: Confirmed,
    run: ({ ctx, actor, body, caller }) => confirm(ctx, actor, body, caller),
  }),
]
