/** Providers on the loopback, real and dishonest ones, and browsers that sign in with them. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import Provider from 'oidc-provider'

import { ok, type Person, type Reply, type TestServer } from '../harness/index.ts'

/** Claims about a user. */
export type Facts = Record<string, unknown>

interface Listening {
  readonly origin: string
  answer: (request: IncomingMessage, response: ServerResponse) => void
  stop(): Promise<void>
}

/** Listens before it answers, because the server under test must know the origin when it starts. */
async function listen(): Promise<Listening> {
  const http = createServer((request, response) => listening.answer(request, response))
  await new Promise<void>((ready) => void http.listen(0, '127.0.0.1', ready))
  const listening: Listening = {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    answer: (_request, response) => void response.writeHead(503).end(),
    stop: () =>
      new Promise<void>((done) => {
        http.close(() => done())
        http.closeAllConnections()
      }),
  }
  return listening
}

export const CLIENT = { clientId: 'tessera', clientSecret: 'a secret of the client' }

export interface RealProvider {
  readonly issuer: string
  /** The user who is signed in at the provider, and what it says about them. */
  user: string
  readonly users: Map<string, Facts>
  /** How the user proved who they are (`amr`). */
  amr: string[]
  /** Begins to answer, for a client with these addresses. */
  open(addresses: { redirectUri: string; backchannelUri: string; home: string }): void
  stop(): Promise<void>
}

/** oidc-provider, whose pages sign in the chosen user without asking. */
export async function startRealProvider(): Promise<RealProvider> {
  const http = await listen()
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'first' }
  const self: RealProvider = {
    issuer: http.origin,
    user: 'mei',
    users: new Map(),
    amr: ['pwd'],
    open({ redirectUri, backchannelUri, home }) {
      const provider = new Provider(http.origin, {
        clients: [
          {
            client_id: CLIENT.clientId,
            client_secret: CLIENT.clientSecret,
            redirect_uris: [redirectUri],
            post_logout_redirect_uris: [home],
            backchannel_logout_uri: backchannelUri,
            backchannel_logout_session_required: true,
          },
        ],
        jwks: { keys: [key] as never },
        cookies: { keys: ['a key of the provider'] },
        claims: {
          email: ['email', 'email_verified'],
          profile: ['name', 'preferred_username', 'groups'],
          openid: ['sub', 'amr'],
        },
        features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
        interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
        findAccount: (_ctx, id) => ({
          accountId: id,
          claims: () => ({ sub: id, amr: self.amr, ...self.users.get(id) }),
        }),
        async loadExistingGrant(ctx) {
          const grant = new ctx.oidc.provider.Grant({
            clientId: ctx.oidc.client!.clientId,
            accountId: ctx.oidc.session!.accountId!,
          })
          grant.addOIDCScope('openid email profile')
          await grant.save()
          return grant
        },
      })
      const handle = provider.callback()
      http.answer = (request, response) => {
        if (request.url?.startsWith('/interaction/'))
          void provider.interactionFinished(request, response, { login: { accountId: self.user, amr: self.amr } })
        else void handle(request, response)
      }
    },
    stop: http.stop,
  }
  return self
}

export interface Liar {
  readonly issuer: string
  /** Replaces claims of the next tokens. Undefined ones are left out. */
  claims: Facts
  /** Replaces fields of its configuration. */
  metadata: Facts
  /** Makes the ID token instead of the honest way. */
  forge:
    | ((payload: JWTPayload, sign: (payload: JWTPayload, header?: Facts) => Promise<string>) => Promise<string>)
    | undefined
  /** Parameters that come back from its page besides `code` and `state`. */
  answer: Record<string, string>
  /** Answers nothing at all. */
  isSilent: boolean
  /** Requests for its keys. */
  keyRequests: number
  /** A token signed with its key. */
  sign(payload: JWTPayload, header?: Facts): Promise<string>
  stop(): Promise<void>
}

/** A provider that says whatever a test wants. Its pages sign everybody in. */
export async function startLiar(): Promise<Liar> {
  const http = await listen()
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig', kid: 'liar' }
  const nonces = new Map<string, string>()
  const sign: Liar['sign'] = (payload, header = {}) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'liar', ...header }).sign(privateKey)
  const self: Liar = {
    issuer: http.origin,
    claims: {},
    metadata: {},
    forge: undefined,
    answer: {},
    isSilent: false,
    keyRequests: 0,
    sign,
    stop: http.stop,
  }
  const configuration = () => ({
    issuer: http.origin,
    authorization_endpoint: `${http.origin}/auth`,
    token_endpoint: `${http.origin}/token`,
    jwks_uri: `${http.origin}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
    ...self.metadata,
  })
  async function token(code: string): Promise<Facts> {
    const now = Math.floor(Date.now() / 1000)
    const honest = {
      iss: http.origin,
      aud: CLIENT.clientId,
      sub: 'mei',
      iat: now,
      exp: now + 300,
      nonce: nonces.get(code),
    }
    const payload = JSON.parse(JSON.stringify({ ...honest, ...self.claims })) as JWTPayload
    return {
      access_token: 'unused',
      token_type: 'bearer',
      id_token: await (self.forge ?? ((p, s) => s(p)))(payload, sign),
    }
  }
  http.answer = (request, response) => {
    if (self.isSilent) return
    const url = new URL(request.url!, http.origin)
    const json = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname.endsWith('/openid-configuration')) json(configuration())
    else if (url.pathname === '/keys') {
      self.keyRequests++
      json({ keys: [jwk] })
    } else if (url.pathname === '/auth') {
      const back = new URL(url.searchParams.get('redirect_uri')!)
      const code = crypto.randomUUID()
      nonces.set(code, url.searchParams.get('nonce')!)
      back.search = new URLSearchParams({ code, state: url.searchParams.get('state')!, ...self.answer }).toString()
      response.writeHead(303, { location: back.href }).end()
    } else if (url.pathname === '/token') {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => void token(new URLSearchParams(body).get('code') ?? '').then(json))
    } else response.writeHead(404).end()
  }
  return self
}

/** Keeps cookies by origin, and follows redirects until one leads to a page of the server or to an app. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>()
  /** Of the last callback. */
  callback = ''

  constructor(
    readonly server: TestServer,
    readonly headers: Record<string, string> = {},
  ) {}

  async get(address: string): Promise<Response> {
    const url = this.#here(new URL(address, this.server.url))
    const jar = this.#jarOf(url)
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { ...this.headers, ...(jar.size > 0 && { cookie: this.cookiesOf(url) }) },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name!)
      else jar.set(name!, value!)
    }
    return response
  }

  /** The public address of a server under test has another name, and perhaps another port, than the one that it listens on. */
  #here(url: URL): URL {
    return url.hostname === 'localhost' ? new URL(url.pathname + url.search, this.server.url) : url
  }

  #jarOf(url: URL): Map<string, string> {
    const jar = this.#cookies.get(url.origin) ?? new Map<string, string>()
    this.#cookies.set(url.origin, jar)
    return jar
  }

  cookiesOf = (url: URL | string): string => [...this.#jarOf(new URL(url))].map(([n, v]) => `${n}=${v}`).join('; ')

  /** Forgets who is signed in at this origin. */
  forget(origin: string): void {
    this.#cookies.delete(new URL(origin).origin)
  }

  /** Follows redirects. Returns the address at which it ends: a page of the server, or one of an app. */
  async visit(address: string): Promise<URL> {
    let next = this.#here(new URL(address, this.server.url))
    for (let hops = 0; hops < 20; hops++) {
      const response = await this.get(next.href)
      const location = response.headers.get('location')
      if (location === null) throw new Error(`${next.href} answers ${response.status}: ${await response.text()}`)
      next = this.#here(new URL(location, next))
      if (next.pathname.endsWith('/callback')) this.callback = next.href
      if (
        !next.protocol.startsWith('http') ||
        (next.origin === this.server.url && next.pathname.startsWith('/console/'))
      )
        return next
    }
    throw new Error('too many redirects')
  }

  /** Goes to the provider and back. Again if the provider, which runs in this process, was too busy to answer in five seconds. */
  async start(key: string, query: Record<string, string> = {}): Promise<URL> {
    for (let tries = 1; ; tries++) {
      const end = await this.visit(`/api/auth/oidc/${key}/start?${new URLSearchParams(query).toString()}`)
      if (problemOf(end) !== 'unavailable' || tries === 5) return end
    }
  }

  /** Exchanges the ticket of an address. */
  exchange = (address: URL, body: object = {}): Promise<Reply> =>
    this.server.request('POST', '/api/auth/oidc/token', {
      body: { ticket: address.searchParams.get('ticket'), ...body },
      headers: { cookie: this.cookiesOf(this.server.url) },
      deviceId: `device-of-browser-${crypto.randomUUID()}`,
    })

  /** Signs in. Throws if that is refused. */
  async signIn(key: string, body: object = {}): Promise<Reply> {
    const address = await this.start(key)
    if (!address.searchParams.has('ticket')) throw new Error(`no ticket: ${address.href}`)
    return ok(await this.exchange(address, body))
  }
}

export const problemOf = (address: URL): string | null => address.searchParams.get('error')

/** Adds a provider to the server. Administrators confirm by signing in, so `admin` must be fresh. */
export async function addProvider(admin: Person, key: string, issuer: string, more: object = {}) {
  const body = { key, name: `The ${key}`, issuer, ...CLIENT, ...more }
  return ok(await admin.call('admin.oidcProviders.create', { body })).data
}
