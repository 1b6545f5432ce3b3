import type { AppContext } from '#context'
import { type Caller, endpoint, open } from '#http/endpoint.ts'
import { Model, Raw, type Static, Type } from '#http/schema.ts'
import { invalid, InvalidRequest } from '#http/validate.ts'

import { setupDonePage, setupPage } from './page.ts'
import { checkSetupLink, completeSetup } from './service.ts'

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

async function submit(ctx: AppContext, body: Static<typeof SetupForm>, caller: Caller): Promise<Response> {
  const { token, password, repeated } = body
  const username = body.username.trim()
  try {
    if (repeated !== undefined && repeated !== password)
      throw invalid('body.repeated', 'is not the same as the password', '与密码不一致')
    await completeSetup(ctx, token, { username, password })
    return setupDonePage(username, caller)
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error
    return setupPage({ token, username, problems: error.problems }, caller)
  }
}

export const setupEndpoints = [
  endpoint({
    id: 'setup.page',
    method: 'GET',
    path: '/setup',
    summary: 'Show the setup page',
    description:
      'With the one-time link that the server prints while it has no administrator. Opening the page does not use the link up.',
    tag,
    access: open,
    checksSecret: true,
    answers: 'text/html',
    query: Type.Object({ token: Token }),
    refuses: { 403: 'The link has been used or has expired.' },
    run: async ({ ctx, query, caller }) => {
      await checkSetupLink(ctx, query.token)
      return setupPage({ token: query.token }, caller)
    },
  }),
  endpoint({
    id: 'setup.submit',
    method: 'POST',
    path: '/setup',
    summary: 'Create the first administrator',
    description: 'Sent by the setup page. Of several callers with one link, one succeeds; the others get 403.',
    tag,
    access: open,
    checksSecret: true,
    answers: 'text/html',
    acceptsForm: true,
    body: SetupForm,
    refuses: { 403: 'The link has been used or has expired.' },
    run: ({ ctx, body, caller }) => submit(ctx, body, caller),
  }),
]
