import { alias, endpoint, open } from '#http/endpoint.ts'
import { wantsJson } from '#http/refusals.ts'
import { AnyText, Model, Type } from '#http/schema.ts'

import { LinkInfo } from '../links/links.model.ts'
import { answerScan, showInfo } from './led.page.ts'

const tag = 'Public pages'

/** Accepts any text: other texts than slugs are answered with the page of unknown ones. */
const BySlug = Type.Object({ slug: AnyText(65_536, { examples: ['spring-menu'] }) })
const Password = Model('LinkPassword', {
  password: AnyText(1000, { description: 'The password of the link', examples: ['tulip-market'] }),
})

/** Statuses that the state of a link causes. */
export const leadRefusals = {
  403: 'The code or the host of its target is blocked.',
  410: 'The link has expired or is used up.',
} as const

const scan = endpoint({
  id: 'qrCodes.scan',
  method: 'GET',
  path: '/q/:slug',
  isScan: true,
  summary: 'Open a short link',
  description:
    'Answers 302 with the target of the code; or 200 with a page: the form for its password, the warning before its target, or its share page if it has no web address. HEAD counts nothing. 20 short links that lead nowhere, from one address within a minute, are followed by 429 for further ones.',
  tag,
  access: open,
  params: BySlug,
  readsQuery: ['*'],
  answers: 'text/html',
  refuses: leadRefusals,
  run: ({ ctx, params, request, caller }) => answerScan(ctx, params.slug, { request, caller }),
})

const unlock = endpoint({
  id: 'qrCodes.unlock',
  method: 'POST',
  path: '/q/:slug',
  isScan: true,
  summary: 'Open a short link with its password',
  description: 'The form of the page that asks for it. Answers 303 with the target, or 403 with the form again.',
  tag,
  access: open,
  checksSecret: true,
  params: BySlug,
  readsQuery: ['*'],
  body: Password,
  acceptsForm: true,
  answers: 'text/html',
  refuses: { ...leadRefusals, 403: 'The password is wrong, or the code or the host of its target is blocked.' },
  run: ({ ctx, params, body, request, caller }) =>
    answerScan(ctx, params.slug, { request, caller, password: body.password }),
})

export const shortEndpoints = [
  scan,
  unlock,
  // Pictures hold short links in upper case, which takes fewer modules.
  alias(scan, { id: 'qrCodes.scanInUpperCase', path: '/Q/:slug' }),
  alias(unlock, { id: 'qrCodes.unlockInUpperCase', path: '/Q/:slug' }),
  endpoint({
    id: 'qrCodes.linkInfo',
    method: 'GET',
    path: '/q/:slug/info',
    summary: 'Show where a short link leads',
    description:
      'An HTML page, or JSON with `Accept: application/json`. The name of a label that stands for no QR code is its number. Counts nothing.',
    tag,
    access: open,
    params: BySlug,
    answers: 'text/html',
    data: LinkInfo,
    refuses: { 410: 'The label is no longer used.' },
    run: ({ ctx, params, request, caller }) =>
      showInfo(ctx, params.slug, { request, caller, asJson: wantsJson(request) }),
  }),
]
