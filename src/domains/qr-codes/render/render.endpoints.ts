import { endpoint, open } from '#http/endpoint.ts'
import { countPrinted } from '#http/printed.ts'
import { matches } from '#http/respond.ts'

import { RenderQuery } from './render.model.ts'
import { type Picture, picture } from './render.service.ts'

export const renderEndpoints = [
  endpoint({
    id: 'qrcode.render',
    method: 'GET',
    path: '/api/qrcode/render',
    summary: 'Draw a QR code',
    description:
      'The same input always gives the same bytes, so clients can cache the answer for a year. `format=svg` gives an SVG.',
    tag: 'Public pages',
    access: open,
    query: RenderQuery,
    answers: 'image/png, image/svg+xml',
    run: async ({ ctx, query, request }) => {
      countPrinted(ctx, query.content)
      return respond(await picture(ctx, query), request)
    },
  }),
]

function respond({ bytes, type, etag }: Picture, request: Request): Response {
  const headers = {
    'content-type': type,
    etag,
    'cache-control': 'public, max-age=31536000, immutable',
    // An SVG that is opened directly is a document and could run scripts.
    'content-security-policy': "default-src 'none'",
  }
  return matches(request.headers.get('if-none-match'), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(bytes, { headers })
}
