/** A proxy in front of a certificate authority: it records the messages, holds some back, and answers others itself. */

import { readFileSync } from 'node:fs'

import { AUTHORITY_CA } from './pebble.ts'

/** Kinds of messages, by the addresses of Pebble. */
const KINDS = {
  directory: /^\/dir$/,
  nonce: /^\/nonce-plz$/,
  account: /^\/sign-me-up$/,
  newOrder: /^\/order-plz$/,
  authorization: /^\/authZ\//,
  challenge: /^\/chalZ\//,
  order: /^\/my-order\//,
  finalize: /^\/finalize-order\//,
  certificate: /^\/certZ\//,
} as const
export type Kind = keyof typeof KINDS | 'other'

export interface Message {
  readonly kind: Kind
  readonly path: string
  /** The payload of a signed message; undefined without one. */
  readonly payload: Record<string, unknown> | undefined
  /** Of the answer; undefined until there is one. */
  status: number | undefined
}

export interface AuthorityProxy {
  /** A value of TESSERA_ACME_DIRECTORY. */
  readonly directory: string
  readonly messages: readonly Message[]
  /** Messages that the authority accepted: those with a refused nonce come again. */
  count(kind: Kind): number
  /** Called before a message is passed on. An answer is sent in place of that of the authority. */
  before: (message: Message, request: Request) => Promise<Response | undefined> | Response | undefined
  /** Called with the answer of the authority, before it is passed on. An answer is sent in place of it. */
  after: (message: Message, text: string) => Promise<Response | undefined> | Response | undefined
  stop(): Promise<void>
}

/** `target`: the directory of the authority; undefined if `before` answers everything. */
export function startAuthorityProxy(target: string | undefined): AuthorityProxy {
  const messages: Message[] = []
  const proxy: AuthorityProxy = {
    directory: '',
    messages,
    count: (kind) => messages.filter((one) => one.kind === kind && one.status! < 300).length,
    before: () => undefined,
    after: () => undefined,
    stop: () => server.stop(true),
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: {
      cert: readFileSync(AUTHORITY_CA, 'utf8'),
      key: readFileSync(AUTHORITY_CA.replace('.cert.', '.key.'), 'utf8'),
    },
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const { pathname } = new URL(request.url)
      const body = request.method === 'POST' ? await request.text() : undefined
      const message: Message = {
        kind: kindOf(pathname),
        path: pathname,
        payload: body === undefined ? undefined : payloadOf(body),
        status: undefined,
      }
      messages.push(message)
      const own = await proxy.before(message, request)
      if (own !== undefined) return own
      // With the host of the proxy, from which Pebble makes the addresses in its answers.
      const answer: Response = await fetch(new URL(pathname, target), {
        method: request.method,
        headers: { ...Object.fromEntries(request.headers), host: `localhost:${server.port!}` },
        ...(body !== undefined && { body }),
        tls: { rejectUnauthorized: false },
      })
      const text = await answer.text()
      message.status = answer.status
      const other = await proxy.after(message, text)
      if (other !== undefined) return other
      const headers = new Headers(answer.headers)
      headers.delete('content-length')
      return new Response(text, { status: answer.status, headers })
    },
  })
  return Object.assign(proxy, { directory: `https://localhost:${server.port!}/dir` })
}

function kindOf(path: string): Kind {
  const found = Object.entries(KINDS).find(([, pattern]) => pattern.test(path))
  return (found?.[0] ?? 'other') as Kind
}

function payloadOf(body: string): Message['payload'] {
  const { payload } = JSON.parse(body) as { payload: string }
  return payload === ''
    ? undefined
    : (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>)
}
