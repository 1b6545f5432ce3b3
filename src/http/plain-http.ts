/**
 * Plain HTTP beside HTTPS: leads browsers that were given an address without `https:` to the public one, and answers health checks and the
 * challenges of certificate authorities. A request is led to the host that it names only if that is one of the server's names, otherwise to the
 * public address, and no cookie is set. In a private network it also serves the pages from which devices learn to trust the server, because over
 * HTTPS browsers would warn of them.
 */

import type { AppContext } from '#context'
import type { MaybePromise } from '#lib/maybe-promise.ts'

import { addressOf } from './caller.ts'
import type { CertificateSource } from './tls.ts'

const HEALTH = /^\/actuator\/health(?:\/live|\/ready)?$/
const CHALLENGE = /^\/\.well-known\/acme-challenge\/[^/]*$/
const TRUST = /^\/trust(?:\/|$)/
/** Seconds. A client has one short request here. */
const IDLE_SECONDS = 10
/** Bytes. Nobody reads a body; a larger one is refused instead of led on. */
const LARGEST_BODY = 64 * 1024

/** `answer` answers the health checks, the challenges and the pages about trust. */
export function plainHttp(
  ctx: AppContext,
  answer: (request: Request) => MaybePromise<Response>,
  certificates: () => CertificateSource | undefined,
) {
  return {
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: LARGEST_BODY,
    fetch(request: Request): MaybePromise<Response> {
      const { pathname, search } = addressOf(request)
      // Not in the constants above: the address can change, and its port may have been chosen after the start.
      const { publicUrl } = ctx.config
      // A new one: the caller's headers, such as a token, are for HTTPS only.
      if (HEALTH.test(pathname) || CHALLENGE.test(pathname))
        return answer(new Request(publicUrl + pathname, { method: request.method }))
      if (ctx.config.lan && TRUST.test(pathname)) return answer(request)
      const source = certificates()
      if (source?.waiting && source.read() === undefined) return source.waiting(request)
      const location = publicOrigin(ctx.config, request) + pathname + search
      return new Response(null, { status: 308, headers: { location } })
    },
  }
}

/** The public address, with the host of the request if the server has a certificate for it. */
function publicOrigin({ publicUrl, domain }: AppContext['config'], request: Request): string {
  const { hostname } = addressOf(request)
  const { port } = new URL(publicUrl)
  return domain.includes(hostname) ? `https://${hostname}${port === '' ? '' : `:${port}`}` : publicUrl
}
