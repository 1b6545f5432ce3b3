/** An HTTP server that records the requests it receives and answers as the test decides. */

export interface Received {
  method: string
  path: string
  query: Record<string, string>
  /** The query as it was sent, without the question mark. */
  rawQuery: string
  headers: Headers
  body: string
}

export interface HttpGateway {
  readonly host: string
  readonly received: Received[]
  answer: (request: Received) => Response | Promise<Response>
  stop(): Promise<void>
}

export function startHttpGateway(): HttpGateway {
  const received: Received[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const url = new URL(request.url)
      const { method, headers } = request
      const query = Object.fromEntries(url.searchParams)
      const rawQuery = url.search.slice(1)
      const one = { method, path: url.pathname, query, rawQuery, headers, body: await request.text() }
      received.push(one)
      return gateway.answer(one)
    },
  })
  const gateway: HttpGateway = {
    host: `127.0.0.1:${server.port}`,
    received,
    answer: () => new Response('the test set no answer', { status: 500 }),
    stop: () => server.stop(true),
  }
  return gateway
}

/** Uses WebCrypto, unlike the code under test. */
export async function hmacSha256(key: string | Uint8Array, text: string): Promise<Uint8Array> {
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key
  const imported = await crypto.subtle.importKey(
    'raw',
    bytes as Uint8Array<ArrayBuffer>,
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text)))
}

export async function sha256Hex(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toHex()
}
