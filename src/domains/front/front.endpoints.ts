import { moved } from '#http/addresses.ts'
import { endpoint, open } from '#http/endpoint.ts'

import { frontPage } from './front.page.ts'
import { frontOf } from './front.service.ts'

export const frontEndpoints = [
  endpoint({
    id: 'front.page',
    method: 'GET',
    path: '/',
    summary: 'Show the front page',
    description: 'An HTML page for people. `?lang=en` and `?lang=zh` choose the language of this and every other page.',
    tag: 'Public pages',
    access: open,
    answers: 'text/html',
    run: async ({ ctx, request, caller }) =>
      moved(ctx, request) ?? frontPage(ctx, await frontOf(ctx, request), caller.locale),
  }),
]
