import { endpoint, open } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { wantsJson } from '#http/mount.ts'
import { notFoundPage } from '#http/pages.ts'

import { ByLanding, ByUuid, LandingContent, PublicQrCode } from './model.ts'
import { publicPage } from './page.ts'
import { landingPage, viewPublic } from './service.ts'

const tag = 'Public pages'

export const publicEndpoints = [
  endpoint({
    id: 'qrCodes.public',
    method: 'GET',
    path: '/api/qr-codes/public/:uuid',
    summary: 'Get a public QR code',
    description: 'Answers 404 unless the code is public and not deleted. Each call counts as a scan.',
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
    summary: 'Show the share page of a public QR code',
    description: 'An HTML page. With `Accept: application/json` it answers like `/api/qr-codes/public/{uuid}`.',
    tag,
    access: open,
    params: ByUuid,
    answers: 'text/html',
    data: PublicQrCode,
    run: async ({ ctx, params, request, caller }) => {
      const code = await viewPublic(ctx, params.uuid)
      if (wantsJson(request)) return code ?? Promise.reject(notFound())
      return code ? publicPage(code, caller.locale) : notFoundPage(caller.locale)
    },
  }),
  endpoint({
    id: 'landing.page',
    method: 'GET',
    path: '/s/:type/:id',
    summary: 'Show the landing page of an activity, check-in, pass or asset',
    description:
      'An HTML page, or JSON with `Accept: application/json`. Answers 404 for types that this server does not serve.',
    tag,
    access: open,
    params: ByLanding,
    answers: 'text/html',
    data: LandingContent,
    run: ({ ctx, params, request, caller }) => landingPage(ctx, params, { request, caller }),
  }),
]
