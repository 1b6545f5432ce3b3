import type { AppContext } from '#context'
import { type Caller, endpoint, open } from '#http/endpoint.ts'
import { invalid, InvalidRequest } from '#http/validate.ts'

import { SetupForm, SetupQuery } from './model.ts'
import { setupDonePage, setupPage } from './page.ts'
import { checkSetupLink, completeSetup } from './service.ts'

const tag = 'Setup'

async function submit(ctx: AppContext, body: SetupForm, caller: Caller): Promise<Response> {
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
    summary: 'The page that makes the first administrator',
    description:
      'By the one-time link that the server prints while it has no administrator. Looking at it does not use it up.',
    tag,
    access: open,
    checksSecret: true,
    answers: 'text/html',
    query: SetupQuery,
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
    summary: 'Make the first administrator',
    description: 'Sent by the page. Of any number of callers with one link, one succeeds; the others get 403.',
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
