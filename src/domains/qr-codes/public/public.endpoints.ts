import { addressOf } from '#http/caller.ts'
import { alias, endpoint, open, openToUsers } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { wantsJson } from '#http/refusals.ts'

import { FrameQuery } from '../pictures/pictures.model.ts'
import { answerPublic } from './led.page.ts'
import { ByFile, ByLanding, ByUuid, LandingContent, LandingQuery, PublicQrCode } from './public.model.ts'
import { landingPage, publicFile, viewPublic } from './public.service.ts'
import { leadRefusals } from './short.endpoints.ts'

const tag = 'Public pages'

const landing = endpoint({
  id: 'landing.page',
  method: 'GET',
  path: '/s/:type/:id',
  secrets: ['id'],
  summary: 'Show the landing page of an activity, check-in, pass or asset',
  description:
    'An HTML page, or JSON with `Accept: application/json`: of an activity and its check-in what `GET /api/discover/activities` shows, ' +
    'of a pass what `POST /api/activities/{id}/pass/verify` shows without a token, of an asset what its owner made public. With your token you also get the JSON of activities that you may see as a member or a manager.',
  tag,
  access: openToUsers,
  isForCrowds: true,
  params: ByLanding,
  query: LandingQuery,
  answers: 'text/html',
  data: LandingContent,
  refuses: { 403: 'The activity is INVITE_ONLY, and the code is missing or wrong.' },
  run: ({ ctx, actor, params, request, caller }) =>
    landingPage(ctx, params, { userId: actor?.userId ?? 0, request, caller }),
})

export const publicEndpoints = [
  endpoint({
    id: 'qrCodes.public',
    method: 'GET',
    path: '/api/qr-codes/public/:uuid',
    summary: 'Get a public QR code',
    description:
      'Answers 404 unless the code is public and not deleted, and also if only a scan may show it: if it has a password, `maxScans` or a past ' +
      '`expiresAt`, or is blocked. Each call counts as a scan.',
    tag,
    access: open,
    params: ByUuid,
    data: PublicQrCode,
    run: async ({ ctx, params }) => (await viewPublic(ctx, params.uuid)) ?? Promise.reject(notFound()),
  }),
  endpoint({
    id: 'qrCodes.publicPage',
    method: 'GET',
    path: '/public/qr/:uuid',
    isScan: true,
    summary: 'Open a public QR code',
    description:
      'An HTML page. A code with `opens` TARGET leads on like its short link (`GET /q/{slug}`), unless the query has `page`. ' +
      'With `Accept: application/json` it answers like `/api/qr-codes/public/{uuid}`.',
    tag,
    access: open,
    params: ByUuid,
    readsQuery: ['page', 'lang'],
    answers: 'text/html',
    data: PublicQrCode,
    refuses: leadRefusals,
    run: async ({ ctx, params, request, caller }) => {
      if (wantsJson(request)) return (await viewPublic(ctx, params.uuid)) ?? Promise.reject(notFound())
      const asksForPage = addressOf(request).searchParams.has('page')
      return answerPublic(ctx, params.uuid, { request, caller, asksForPage })
    },
  }),
  endpoint({
    id: 'qrCodes.publicFile',
    method: 'GET',
    path: '/public/qr/:uuid/:file',
    summary: 'Get a file of a public QR code',
    description:
      '`code.png` and `code.svg` are its picture, with its design. `contact.vcf` and `event.ics` are its content, if it is a contact or an event. Does not ' +
      'count as a scan.',
    tag,
    access: open,
    params: ByFile,
    query: FrameQuery,
    answers: 'image/png, image/svg+xml, text/vcard, text/calendar',
    run: ({ ctx, params, request }) => publicFile(ctx, params, request),
  }),
  landing,
  // QR codes of passes hold their link in upper case, which takes fewer modules.
  alias(landing, { id: 'landing.pageInUpperCase', path: '/S/:type/:id' }),
]
