/** The messages of RFC 8555 and RFC 9773: each is one method. `obtain.ts` has their order. */

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

import { calculateJwkThumbprint, exportJWK, FlattenedSign, type JWK } from 'jose'

import {
  AcmeError,
  type Answer,
  type Authority,
  objectOf,
  problemOf,
  request,
  retryAfterOf,
  textIn,
} from './request.ts'

/** Nonces are used up and expire, so a request with a refused one is repeated at once. */
const NONCE_REPEATS = 5

export interface Order {
  readonly url: string
  readonly status: string
  readonly authorizations: readonly string[]
  readonly finalize: string | undefined
  readonly certificate: string | undefined
  readonly error: unknown
  readonly retryAfterMs: number | undefined
}

export interface Challenge {
  readonly type: string
  readonly url: string
  readonly token: string
  readonly status: string
  readonly error: unknown
}

export interface Authorization {
  readonly name: string
  readonly isWildcard: boolean
  readonly status: string
  readonly challenges: readonly Challenge[]
  readonly retryAfterMs: number | undefined
}

export interface RenewalWindow {
  /** Epoch milliseconds, as the next one. */
  readonly start: number
  readonly end: number
  readonly retryAfterMs: number | undefined
}

export interface ClientOptions extends Authority {
  /** Address of the authority's directory. */
  readonly directory: string
  /** The key of the account (PKCS #8, PEM). */
  readonly accountKey: string
  readonly now: () => number
}

export class AcmeClient {
  readonly #options: ClientOptions
  readonly #key: KeyObject
  #jwk: JWK | undefined
  #directory: Readonly<Record<string, unknown>> | undefined
  #nonce: string | undefined
  /** The address of the account; undefined before `register`. */
  account: string | undefined

  constructor(options: ClientOptions) {
    this.#options = options
    this.#key = createPrivateKey(options.accountKey)
  }

  /** Makes an account, or finds the one that has the key. The caller has agreed to the terms of the authority. */
  async register(email: string): Promise<string> {
    const answer = await this.#post(await this.#address('newAccount'), {
      termsOfServiceAgreed: true,
      contact: contactOf(email),
    })
    return (this.account = locationOf(answer))
  }

  async changeContact(email: string): Promise<void> {
    await this.#post(this.account!, { contact: contactOf(email) })
  }

  async newOrder(names: readonly string[], replaces: string | undefined): Promise<Order> {
    const identifiers = names.map((value) => ({ type: 'dns', value }))
    // Only authorities with renewal information know the field.
    const more = replaces !== undefined && (await this.#find('renewalInfo')) !== undefined ? { replaces } : {}
    const answer = await this.#post(await this.#address('newOrder'), { identifiers, ...more })
    return this.#orderOf(locationOf(answer), answer)
  }

  async order(url: string): Promise<Order> {
    return this.#orderOf(url, await this.#post(url))
  }

  async authorization(url: string): Promise<Authorization> {
    const answer = await this.#post(url)
    const { identifier, status, wildcard, challenges } = objectOf(answer)
    const name = textIn((identifier as { value?: unknown } | undefined)?.value)
    if (name === undefined || !Array.isArray(challenges))
      throw new AcmeError('badAnswer', 'an authorization has no name')
    return {
      name,
      isWildcard: wildcard === true,
      status: textIn(status) ?? '',
      challenges: challenges.map(challengeOf),
      retryAfterMs: retryAfterOf(answer.headers, this.#options.now()),
    }
  }

  /** The challenge can be validated now. */
  async accept({ url }: Challenge): Promise<void> {
    await this.#post(url, {})
  }

  async finalize(url: string, csr: Uint8Array): Promise<void> {
    await this.#post(url, { csr: Buffer.from(csr).toString('base64url') })
  }

  /** The chain (PEM), unchecked. */
  async download(url: string): Promise<string> {
    return (await this.#post(url, undefined, 'application/pem-certificate-chain')).text
  }

  /** The text by which a challenge proves the account. */
  async keyAuthorization(token: string): Promise<string> {
    return `${token}.${await calculateJwkThumbprint(await this.#publicKey())}`
  }

  /** Undefined if the authority suggests nothing. */
  async renewalWindow(renewalId: string): Promise<RenewalWindow | undefined> {
    const base = await this.#find('renewalInfo')
    if (base === undefined) return undefined
    const answer = await request(`${base.replace(/\/$/, '')}/${renewalId}`, this.#options)
    const window = objectOf(answer)['suggestedWindow'] as { start?: unknown; end?: unknown } | undefined
    const [start, end] = [Date.parse(textIn(window?.start) ?? ''), Date.parse(textIn(window?.end) ?? '')]
    if (answer.status !== 200 || !(start <= end)) return undefined
    return { start, end, retryAfterMs: retryAfterOf(answer.headers, this.#options.now()) }
  }

  async #publicKey(): Promise<JWK> {
    return (this.#jwk ??= await exportJWK(createPublicKey(this.#key)))
  }

  async #find(name: string): Promise<string | undefined> {
    if (this.#directory === undefined) {
      const answer = await request(this.#options.directory, this.#options)
      const found = objectOf(answer)
      if (answer.status !== 200 || textIn(found['newOrder']) === undefined)
        throw new AcmeError(
          'badAnswer',
          `${this.#options.directory} is not the directory of a certificate authority (HTTP ${answer.status})`,
          {
            retryAfterMs: retryAfterOf(answer.headers, this.#options.now()),
          },
        )
      this.#directory = found
    }
    return textIn(this.#directory[name])
  }

  async #address(name: string): Promise<string> {
    const found = await this.#find(name)
    if (found === undefined) throw new AcmeError('badAnswer', `the directory of the authority has no ${name}`)
    return found
  }

  async #newNonce(): Promise<string> {
    const { headers } = await request(await this.#address('newNonce'), this.#options, { method: 'HEAD' })
    const nonce = headers.get('replay-nonce')
    if (nonce === null) throw new AcmeError('badAnswer', 'the authority sent no nonce')
    return nonce
  }

  /** Sends a signed message; without a payload it reads. @throws AcmeError for everything but success */
  async #post(url: string, payload?: object, accept = 'application/json'): Promise<Answer> {
    for (let repeats = 0; ; repeats++) {
      const answer = await request(url, this.#options, {
        method: 'POST',
        headers: { 'content-type': 'application/jose+json', accept },
        body: await this.#sign(url, payload),
      })
      this.#nonce = answer.headers.get('replay-nonce') ?? undefined
      if (answer.status >= 200 && answer.status < 300) return answer
      const problem = problemOf(
        objectOf(answer),
        { status: answer.status, retryAfterMs: retryAfterOf(answer.headers, this.#options.now()) },
        `${new URL(url).host} answers with HTTP ${answer.status}`,
      )
      if (problem.type !== 'badNonce' || repeats === NONCE_REPEATS) throw problem
    }
  }

  async #sign(url: string, payload: object | undefined): Promise<string> {
    const nonce = this.#nonce ?? (await this.#newNonce())
    this.#nonce = undefined
    const identity = this.account === undefined ? { jwk: await this.#publicKey() } : { kid: this.account }
    const text = payload === undefined ? '' : JSON.stringify(payload)
    const signed = await new FlattenedSign(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: 'ES256', nonce, url, ...identity })
      .sign(this.#key)
    return JSON.stringify(signed)
  }

  #orderOf(url: string, answer: Answer): Order {
    const { status, authorizations, finalize, certificate, error } = objectOf(answer)
    return {
      url,
      status: textIn(status) ?? '',
      authorizations: Array.isArray(authorizations) ? authorizations.map(String) : [],
      finalize: textIn(finalize),
      certificate: textIn(certificate),
      error,
      retryAfterMs: retryAfterOf(answer.headers, this.#options.now()),
    }
  }
}

const contactOf = (email: string): string[] => (email === '' ? [] : [`mailto:${email}`])

function locationOf({ headers }: Answer): string {
  const url = headers.get('location')
  if (url === null) throw new AcmeError('badAnswer', 'the authority did not say where it keeps what it made')
  return url
}

function challengeOf(value: unknown): Challenge {
  const { type, url, token, status, error } = (value ?? {}) as Record<string, unknown>
  return {
    type: textIn(type) ?? '',
    url: textIn(url) ?? '',
    token: textIn(token) ?? '',
    status: textIn(status) ?? '',
    error,
  }
}
