import { app, endpoint } from '#http/endpoint.ts'

import { deleteAccount } from './service.ts'

export const deletionEndpoints = [
  endpoint({
    id: 'auth.deleteAccount',
    method: 'POST',
    path: '/api/auth/account/delete',
    summary: 'Delete one’s account',
    description:
      'Identities, sessions and links go, codes and records stay without a name. Refused with 400 for who holds a role in the ' +
      'PLATFORM domain and for the only owner of an organization.',
    tag: 'Profile',
    access: app('account:delete'),
    refuses: { 400: 'The caller is an administrator or owns an organization.' },
    run: ({ ctx, actor, caller }) => deleteAccount(ctx, actor, caller),
  }),
]
