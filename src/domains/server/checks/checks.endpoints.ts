import { endpoint, open, platform } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { ByToken, CheckReport, CheckState, NewCheck, StartedCheck } from './checks.model.ts'
import { checkPage, goneCheckPage, VISITOR } from './checks.page.ts'
import { openCheck, reportCheck, showCheck, startCheck } from './checks.service.ts'

const tag = 'Server'
const refuses = { 403: 'You are not SYSTEM_ADMIN.' } as const

const visitorOf = ({ headers }: Request): string | undefined =>
  new Bun.CookieMap(headers.get('cookie') ?? '').get(VISITOR) ?? undefined

/** Browsers that load a page in advance, and programs that only look whether it is there, claim no check. */
const isPeek = ({ method, headers }: Request): boolean =>
  method === 'HEAD' || /prefetch|preview/i.test(headers.get('sec-purpose') ?? headers.get('purpose') ?? '')

export const checkEndpoints = [
  endpoint({
    id: 'server.checks.start',
    method: 'POST',
    path: '/api/admin/server/reach/checks',
    summary: 'Start a check from outside',
    description:
      'Answers an address that a phone opens within 10 minutes, so that you see whether it reaches the server. At most 20 checks wait at the same time.',
    tag,
    access: platform('setting:update'),
    body: NewCheck,
    data: StartedCheck,
    ignoresKey: 'Its answer has the address, which is not stored.',
    refuses,
    run: ({ ctx, actor, body }) => startCheck(ctx, actor, body),
  }),
  endpoint({
    id: 'server.checks.get',
    method: 'GET',
    path: '/api/admin/server/reach/checks/:id',
    summary: 'Get the state of a check from outside',
    tag,
    access: platform('setting:update'),
    params: ById,
    data: CheckState,
    refuses,
    run: ({ ctx, actor, params }) => showCheck(ctx, actor, params.id),
  }),
  endpoint({
    id: 'server.checks.page',
    method: 'GET',
    path: '/check/:token',
    secrets: ['token'],
    summary: 'Show that a device reaches the server',
    description:
      'The page of a check from outside. The first device that opens it may load it again; for every other one the check does not exist.',
    tag: 'Public pages',
    access: open,
    checksSecret: true,
    params: ByToken,
    answers: 'text/html',
    async run({ ctx, params, request, caller }) {
      const opened = isPeek(request)
        ? undefined
        : await openCheck(ctx, params.token, visitorOf(request), { request, caller })
      return opened === undefined ? goneCheckPage(ctx, caller.locale) : checkPage(ctx, opened, caller.locale)
    },
  }),
  endpoint({
    id: 'server.checks.report',
    method: 'POST',
    path: '/check/:token',
    secrets: ['token'],
    summary: 'Report what the browser of a check allows',
    description: 'Sent by the script of the page, with the cookie of the device that opened it.',
    tag: 'Public pages',
    access: open,
    checksSecret: true,
    params: ByToken,
    body: CheckReport,
    run: ({ ctx, params, request, body }) => reportCheck(ctx, params.token, visitorOf(request), body),
  }),
]
