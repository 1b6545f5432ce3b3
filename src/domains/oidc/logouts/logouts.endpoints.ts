import { endpoint, open } from '#http/endpoint.ts'
import { Model, Raw } from '#http/schema.ts'

import { perMinute } from '../oidc.model.ts'
import { ByKey } from '../sign-ins/sign-ins.model.ts'
import { logOutByProvider } from './logouts.service.ts'

const LogoutToken = Model('LogoutToken', {
  logout_token: Raw(20_000, 1, {
    description: 'As OpenID Connect Back-Channel Logout 1.0 describes it',
    examples: ['eyJhbGciOiJSUzI1NiJ9.eyJqdGkiOiJiMSJ9.c2lnbmF0dXJl'],
  }),
})

export const logoutEndpoints = [
  endpoint({
    id: 'oidc.backchannelLogout',
    method: 'POST',
    path: '/api/auth/oidc/:key/backchannel-logout',
    summary: 'End sessions of a user who signed out at an OpenID provider',
    description: 'For the provider. Sessions that it does not know of are no error.',
    tag: 'Signing in',
    access: open,
    budgets: [perMinute('backchannel')],
    params: ByKey,
    acceptsForm: true,
    body: LogoutToken,
    answers: 'text/plain',
    refuses: {
      400: 'The token is not valid, or was used before.',
      404: 'No provider that is switched on has this key.',
    },
    run: ({ ctx, params, body }) => logOutByProvider(ctx, params.key, body.logout_token),
  }),
]
