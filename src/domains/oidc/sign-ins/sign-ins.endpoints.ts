import { LoginResponse } from '#domains/accounts/index.ts'
import { endpoint, open, signedIn } from '#http/endpoint.ts'

import { perMinute } from '../oidc.model.ts'
import { finishSignIn } from './callbacks.service.ts'
import { ByKey, LinkRequest, LinkStart, SignInProviders, StartQuery, TicketExchange } from './sign-ins.model.ts'
import { listSignInProviders, startLink, startSignIn } from './starts.service.ts'
import { exchangeTicket } from './tickets.service.ts'

const tag = 'Signing in'
const UNKNOWN = 'No provider that is switched on has this key.'

export const signInEndpoints = [
  endpoint({
    id: 'oidc.signInProviders',
    method: 'GET',
    path: '/api/auth/oidc/providers',
    summary: 'List the OpenID providers for signing in',
    tag,
    access: open,
    budgets: [perMinute('providers')],
    data: SignInProviders,
    run: ({ ctx }) => listSignInProviders(ctx),
  }),
  endpoint({
    id: 'oidc.start',
    method: 'GET',
    path: '/api/auth/oidc/:key/start',
    summary: 'Start a sign-in at an OpenID provider',
    description:
      'Open it in a browser. It comes back to `redirect` with `?ticket=`, for `POST /api/auth/oidc/token`, or with `?error=`: `unknown` (nobody has ' +
      'linked the account), `taken` (another user has), `unavailable` (the provider does not answer) or `failed`. An app sends `codeChallenge`, the S256 ' +
      'hash of a random verifier.',
    tag,
    access: open,
    budgets: [perMinute('start')],
    params: ByKey,
    query: StartQuery,
    answers: 'text/html',
    refuses: { 400: '`redirect` is not allowed, or an app has sent no `codeChallenge`.', 404: UNKNOWN },
    run: ({ ctx, params, query, request }) => startSignIn(ctx, params.key, query, request),
  }),
  endpoint({
    id: 'oidc.callback',
    method: 'GET',
    path: '/api/auth/oidc/:key/callback',
    summary: 'Finish a sign-in at an OpenID provider',
    description: 'The address that the provider must know. Browsers are sent on with a ticket or an error.',
    tag,
    access: open,
    budgets: [perMinute('callback')],
    params: ByKey,
    readsQuery: ['*'],
    answers: 'text/html',
    refuses: { 404: UNKNOWN },
    run: ({ ctx, params, request, caller }) => finishSignIn(ctx, params.key, request, caller),
  }),
  endpoint({
    id: 'oidc.token',
    method: 'POST',
    path: '/api/auth/oidc/token',
    summary: 'Exchange the ticket of an OpenID sign-in for tokens',
    description:
      'A ticket works once, within a minute, in the browser or app that started the sign-in. If the account has a second factor, the answer is 403 with ' +
      'code 4032: send the ticket again with `totp` or `passkey`, at most five times within five minutes.',
    tag,
    access: open,
    checksSecret: true,
    body: TicketExchange,
    data: LoginResponse,
    keepsCookies: true,
    namesDevice: true,
    refuses: {
      400: 'The ticket is unknown, used, expired, or of another browser or app.',
      403: 'The account is disabled. Or code 4032: the account has a second factor, and `totp` and `passkey` are missing. A wrong one is answered with 400 and code 4033.',
    },
    run: ({ ctx, body, request, caller }) => exchangeTicket(ctx, body, request, caller),
  }),
  endpoint({
    id: 'oidc.link',
    method: 'POST',
    path: '/api/auth/oidc/:key/link',
    summary: 'Link your account at an OpenID provider',
    description: 'Answers the address at which you sign in there. Afterwards that account opens yours.',
    tag,
    access: signedIn,
    params: ByKey,
    body: LinkRequest,
    data: LinkStart,
    refuses: {
      400: '`redirect` is not allowed, or an app has sent no `codeChallenge`.',
      403: 'Code 4031: every user must have signed in or confirmed within the last 10 minutes.',
      404: UNKNOWN,
    },
    ignoresKey: 'Its answer is a secret.',
    run: ({ ctx, actor, params, body }) => startLink(ctx, actor, params.key, body),
  }),
]
