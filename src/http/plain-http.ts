/**
 * Plain HTTP beside HTTPS: leads browsers that were given an address without `https:` to the public one, and answers health checks. Whatever host
 * a request names, it is led to the public address only, and no cookie is set.
 */

import type { AppContext } from '#context'
import type { MaybePromise } from '#lib/maybe-promise.ts'

import { addressOf } from './caller.ts'

const HEALTH = /^\/actuator\/health(?:\/live|\/ready)?$/
/** Seconds. A client has one short request here. */
const IDLE_SECONDS = 10
/** Bytes. Nobody reads a body; a larger one is refused instead of led on. */
const LARGEST_BODY = 64 * 1024

export interface PlainListener {
  stop(): Promise<void>
}

/** `answer` answers the health checks. Undefined if the configuration has no port for it. */
export function listenPlain(
  { config }: AppContext,
  answer: (request: Request) => MaybePromise<Response>,
): PlainListener | undefined {
  if (config.httpPort === null) return undefined
  const { host: hostname, httpPort: port, publicUrl } = config
  const fetch = (request: Request): MaybePromise<Response> => {
    const { pathname, search } = addressOf(request)
    // A new one: the caller's headers, such as a token, are for HTTPS only.
    if (HEALTH.test(pathname)) return answer(new Request(publicUrl + pathname, { method: request.method }))
    return new Response(null, { status: 308, headers: { location: publicUrl + pathname + search } })
  }
  try {
    const server = Bun.serve({
      hostname,
      port,
      reusePort: false,
      development: false,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: LARGEST_BODY,
      fetch,
    })
    return { stop: () => server.stop(true) }
  } catch (error) {
    // For the sentence that names the setting (cli/exit-codes.ts).
    throw Object.assign(error as Error, { setting: 'TESSERA_HTTP_PORT' })
  }
}
