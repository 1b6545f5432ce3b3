/**
 * Lets scripts of web pages on other origins call the API (CORS, as the Fetch standard defines it). Without configured origins nothing
 * of this runs, and browsers refuse such calls.
 */

import type { Server } from 'bun'

import type { MaybePromise } from '#lib/maybe-promise.ts'
import { uuid } from '#platform/ids.ts'

export type Handler = (request: Request, server: Server<unknown> | null) => MaybePromise<Response>

/**
 * No `Access-Control-Allow-Credentials` and no `X-Refresh-Token`: cookies are for the pages of this server, and another page that has no
 * token can do no more than any anonymous caller. The methods and headers are the same for every path, so that a page sees the 404 or 405 of a wrong request.
 */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Accept-Language, Idempotency-Key, If-Match, If-None-Match, If-Range, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Range, X-Device-Id, X-Device-Name, X-Request-Id',
  // Seconds. Browsers use at most two hours.
  'access-control-max-age': '7200',
}
/** Headers of answers that scripts may read besides the few that are always readable. */
const EXPOSED =
  'X-Request-Id, X-Ignored-Parameters, Idempotency-Replayed, Retry-After, ETag, Content-Disposition, Accept-Ranges, Content-Range'

/** Answers preflights of these origins, and adds the headers that let their scripts read the other answers. */
export function withCors(origins: readonly string[], answer: Handler): Handler {
  const allowed = new Set(origins)

  function addHeaders(response: Response, origin: string | null): Response {
    // Also without an origin: a cache must not give such an answer to a page, whose browser would refuse it.
    response.headers.append('vary', 'Origin')
    if (origin === null || !allowed.has(origin)) return response
    response.headers.set('access-control-allow-origin', origin)
    response.headers.set('access-control-expose-headers', EXPOSED)
    return response
  }

  return (request, server) => {
    const origin = request.headers.get('origin')
    if (origin !== null && allowed.has(origin) && isPreflight(request))
      return addHeaders(new Response(null, { status: 204, headers: { ...PREFLIGHT, 'x-request-id': uuid() } }), origin)
    const response = answer(request, server)
    return response instanceof Promise
      ? response.then((settled) => addHeaders(settled, origin))
      : addHeaders(response, origin)
  }
}

const isPreflight = (request: Request): boolean =>
  request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
