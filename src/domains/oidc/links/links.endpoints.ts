import { CONFIRM_FIRST } from '#domains/accounts/index.ts'
import { endpoint, signedIn } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { LinkedIdentities } from './links.model.ts'
import { listLinks, unlink } from './links.service.ts'

const tag = 'Signing in'

export const linkEndpoints = [
  endpoint({
    id: 'oidc.identities',
    method: 'GET',
    path: '/api/auth/oidc/identities',
    summary: 'List your accounts at OpenID providers',
    description: 'Those with which you can sign in: accounts at a provider that is switched off are left out.',
    tag,
    access: signedIn,
    data: LinkedIdentities,
    run: ({ ctx, actor }) => listLinks(ctx, actor),
  }),
  endpoint({
    id: 'oidc.unlink',
    method: 'DELETE',
    path: '/api/auth/oidc/identities/:id',
    summary: 'Unlink an account at an OpenID provider',
    description: 'Sessions that it opened end, except for yours. Refused with 400 if you could no longer sign in.',
    tag,
    access: signedIn,
    params: ById,
    refuses: { 400: 'It is your only way to sign in.', 403: CONFIRM_FIRST },
    run: ({ ctx, actor, params, caller }) => unlink(ctx, actor, params.id, caller),
  }),
]
