import { type Caller, endpoint, open } from '#http/endpoint.ts'
import { wantsJson } from '#http/refusals.ts'

import { ByKey, BySecret, FinderMessage, NewReport, StartedThread, ThreadView } from './threads.model.ts'
import { sentPage, threadPage } from './threads.page.ts'
import * as service from './threads.service.ts'

const tag = 'Lost and found'

/** The form of a page again, so that reloading it does not send the message twice. */
const seeOther = (path: string, { locale }: Caller): Response =>
  new Response(null, {
    status: 303,
    headers: { location: `${path}?lang=${locale}`, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  })

export const threadEndpoints = [
  endpoint({
    id: 'found.send',
    method: 'POST',
    path: '/public/found/:key',
    secrets: ['key'],
    summary: 'Send a message to the owner of a thing that you found',
    description:
      'Sent by the form on the public page of the thing, or as JSON. `key` is `found.key` of the JSON of that page: it works once, from 2 ' +
      'seconds to 2 hours after the page was made, for this thing. 20 messages a day reach one thing. The answer is a page, or JSON with ' +
      '`Accept: application/json`, with the link at which the owner answers.',
    tag,
    access: open,
    params: ByKey,
    body: NewReport,
    acceptsForm: true,
    answers: 'text/html',
    data: StartedThread,
    budgets: [service.reportsByAddress],
    refuses: { 400: 'The key is wrong, was used, or is too old or too new, or the card is not shown any longer.' },
    run: async ({ ctx, params, body, caller, request }) => {
      const secret = await service.report(ctx, params.key, body, caller)
      return wantsJson(request)
        ? { threadUrl: ctx.config.publicUrl + service.threadPath(secret) }
        : sentPage(ctx, secret, caller.locale)
    },
  }),
  endpoint({
    id: 'found.thread',
    method: 'GET',
    path: '/public/found/thread/:secret',
    secrets: ['secret'],
    summary: 'Show the conversation of a finder with the owner',
    description: 'An HTML page, or JSON with `Accept: application/json`. Ends 30 days after the last message.',
    tag,
    access: open,
    params: BySecret,
    answers: 'text/html',
    data: ThreadView,
    refuses: { 404: 'The link is wrong, or the conversation has ended.' },
    run: async ({ ctx, params, caller, request }) => {
      const thread = await service.readThread(ctx, params.secret)
      return wantsJson(request) ? thread : threadPage(ctx, params.secret, thread, caller.locale)
    },
  }),
  endpoint({
    id: 'found.write',
    method: 'POST',
    path: '/public/found/thread/:secret',
    secrets: ['secret'],
    summary: 'Send another message to the owner of a found thing',
    description:
      'Sent by the page of the conversation, or as JSON. A finder can write 30 messages in one conversation.',
    tag,
    access: open,
    params: BySecret,
    body: FinderMessage,
    acceptsForm: true,
    answers: 'text/html',
    data: ThreadView,
    refuses: {
      400: 'The owner has closed the conversation.',
      404: 'The link is wrong, or the conversation has ended.',
    },
    run: async ({ ctx, params, body, caller, request }) => {
      const thread = await service.writeToThread(ctx, params.secret, body.message)
      return wantsJson(request) ? thread : seeOther(service.threadPath(params.secret), caller)
    },
  }),
]
