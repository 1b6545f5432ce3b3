import type { AppContext } from '#context'
import { BrowserCookies } from '#http/browser.ts'
import { type Caller, endpoint, open } from '#http/endpoint.ts'
import { AppError } from '#http/errors.ts'
import { languageQuery } from '#http/pages.ts'
import { wantsJson } from '#http/refusals.ts'
import { Model, Raw, type Static, Type } from '#http/schema.ts'
import { invalid, InvalidRequest } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'

import { setupLinkPage, setupPage, type Visitor } from './setup.page.ts'
import { checkSetupLink, completeSetup, hasAdministrator } from './setup.service.ts'

const tag = 'Setup'

const Token = Raw(100, 1, {
  description: 'From the setup link',
  examples: ['Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'],
})
/** The page shows problems beside their fields, so any strings are accepted here. */
const SetupForm = Model('SetupForm', {
  token: Token,
  username: Raw(500, 0, { examples: ['admin'] }),
  password: Raw(500, 0, { examples: ['correct horse battery'] }),
  repeated: Type.Optional(Raw(500, 0, { description: 'The password again', examples: ['correct horse battery'] })),
})

const visitorOf = (ctx: AppContext, request: Request, { locale }: { readonly locale: Locale }): Visitor => ({
  ctx,
  locale,
  inLanguage: languageQuery(request),
})

/** The page for a link without a token, or with one that is refused, instead of the error `refused`. */
async function explain(ctx: AppContext, request: Request, visitor: Visitor, refused?: unknown): Promise<Response> {
  if (refused !== undefined && (!isLinkRefused(refused) || wantsJson(request))) throw refused
  const isSetUp = await hasAdministrator(ctx.db.read)
  return setupLinkPage({ isSetUp, isRefused: refused !== undefined }, visitor)
}

const isLinkRefused = (error: unknown): boolean => error instanceof AppError && error.status === 403

async function show(ctx: AppContext, token: string, visitor: Visitor): Promise<Response> {
  await checkSetupLink(ctx, token)
  return setupPage({ token }, visitor)
}

async function submit(
  ctx: AppContext,
  request: Request,
  { token, password, repeated, ...body }: Static<typeof SetupForm>,
  caller: Caller,
): Promise<Response> {
  const visitor = visitorOf(ctx, request, caller)
  const username = body.username.trim()
  try {
    if (repeated !== undefined && repeated !== password)
      throw invalid('body.repeated', 'is not the same as the password', '与密码不一致')
    const grant = await completeSetup(ctx, token, { username, password }, caller)
    const location = `/console/admin/setup${visitor.inLanguage === '' ? '?' : `${visitor.inLanguage}&`}session`
    const opened = new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
    // A form cannot ask for cookies by a header. The token of the link proves that no other page has sent it.
    const cookies = new BrowserCookies(ctx.config, request, () => ctx.clock.now())
    cookies.keep(grant.refreshToken, grant.refreshUntil, grant.newDeviceId)
    for (const cookie of cookies.changes) opened.headers.append('set-cookie', cookie)
    return opened
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error
    return setupPage({ token, username, problems: error.problems }, visitor)
  }
}

export const setupEndpoints = [
  endpoint({
    id: 'setup.page',
    method: 'GET',
    path: '/setup',
    summary: 'Show the setup page',
    description:
      'With the one-time link that the server prints while it has no administrator. Opening the page does not use the link up. Without ' +
      'a token the page says where to find the link, or that the server is set up.',
    tag,
    access: open,
    checksSecret: true,
    answers: 'text/html',
    query: Type.Object({ token: Type.Optional(Token) }),
    refuses: { 403: 'The link has been used or has expired.' },
    run: ({ ctx, query: { token }, request, caller }) => {
      const visitor = visitorOf(ctx, request, caller)
      if (token === undefined) return explain(ctx, request, visitor)
      return show(ctx, token, visitor).catch((error: unknown) => explain(ctx, request, visitor, error))
    },
  }),
  endpoint({
    id: 'setup.submit',
    method: 'POST',
    path: '/setup',
    summary: 'Create the first administrator',
    description:
      'Sent by the setup page. Of several callers with one link, one succeeds, gets the cookies of a session and is led to the setup in the web application (303); the others get 403.',
    tag,
    access: open,
    checksSecret: true,
    answers: 'text/html',
    acceptsForm: true,
    body: SetupForm,
    refuses: { 403: 'The link has been used or has expired.' },
    run: ({ ctx, body, request, caller }) =>
      submit(ctx, request, body, caller).catch((error: unknown) =>
        explain(ctx, request, visitorOf(ctx, request, caller), error),
      ),
  }),
]
