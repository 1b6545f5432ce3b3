import { deviceFields, factorFields } from '#domains/accounts/index.ts'
import { Line, Model, Nullable, Raw, type Static, Text, Type } from '#http/schema.ts'

import { CodeChallenge, Redirect } from '../links/links.model.ts'

export const ByKey = Type.Object({ key: Line(30, 1, { examples: ['school'] }) })

export const SignInProviders = Model('SignInProviders', {
  items: Type.Array(
    Model('SignInProvider', {
      key: Text('school'),
      name: Text('School account', { description: 'For the button: “Sign in with School account”' }),
    }),
  ),
  localSignIn: Type.Boolean({
    description: 'False: only administrators of the server can sign in by other ways, such as a password',
  }),
})
export type SignInProviders = Static<typeof SignInProviders>

export const StartQuery = Type.Object({
  redirect: Type.Optional(Redirect),
  codeChallenge: Type.Optional(CodeChallenge),
  link: Type.Optional(
    Raw(100, 1, { description: 'From the address of a link; only it knows the value', examples: ['4Zk3q0'] }),
  ),
})
export type StartQuery = Static<typeof StartQuery>

export const LinkRequest = Model('OidcLinkRequest', {
  redirect: Type.Optional(Nullable(Redirect)),
  codeChallenge: Type.Optional(Nullable(CodeChallenge)),
})
export type LinkRequest = Static<typeof LinkRequest>

export const LinkStart = Model('OidcLinkStart', {
  url: Text('https://example.org/api/auth/oidc/school/start?link=4Zk3q0', {
    description: 'Open it in the browser within 10 minutes; it works once',
  }),
})
export type LinkStart = Static<typeof LinkStart>

export const TicketExchange = Model('OidcTicket', {
  ticket: Raw(100, 1, {
    description: 'The parameter of the address to which the browser came back',
    examples: ['Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'],
  }),
  codeVerifier: Type.Optional(
    Nullable(
      Raw(128, 1, {
        description:
          'Of `codeChallenge`, if the sign-in was started with one. Otherwise the cookie of the browser counts.',
        examples: ['dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'],
      }),
    ),
  ),
  ...factorFields,
  ...deviceFields,
})
export type TicketExchange = Static<typeof TicketExchange>
