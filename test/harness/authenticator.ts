/**
 * A WebAuthn authenticator in software, with the browser around it: keys of the three algorithms, counters, and answers that break one rule
 * on purpose.
 */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

import { ok } from './client.ts'
import type { Person } from './people.ts'

/** Adds a passkey, at whatever public URL the server of the user has. */
export async function addPasskey(who: Person, name = 'Key'): Promise<{ id: number; key: Authenticator }> {
  const asked = await who.send('GET', '/api/auth/passkeys', { headers: { 'x-refresh-token': 'cookie' } })
  const key = new Authenticator(new URL(asked.headers.get('x-public-url')!).origin)
  const { challengeId, publicKey } = ok(await who.call('passkeys.options')).data
  const credential = key.create(publicKey)
  const { id } = ok(await who.call('passkeys.create', { body: { challengeId, credential, name } })).data
  return { id, key }
}

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256'
const COSE: Readonly<Record<Algorithm, number>> = { ES256: -7, EdDSA: -8, RS256: -257 }

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')
const hash = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest()

/** The part of CBOR (RFC 8949) that authenticators write: integers, bytes, texts and maps. */
function cbor(value: number | string | Uint8Array | Map<number | string, unknown>): Buffer {
  const head = (major: number, n: number): Buffer => {
    if (n < 24) return Buffer.from([(major << 5) | n])
    if (n < 256) return Buffer.from([(major << 5) | 24, n])
    return Buffer.from([(major << 5) | 25, n >> 8, n & 255])
  }
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, one]) => [cbor(key), cbor(one as never)])
  return Buffer.concat([head(5, value.size), ...entries])
}

/** Where an answer differs from a correct one. */
export interface Faults {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  /** The number of the algorithm in the public key; 0: none. */
  readonly alg?: number
  /** Whether the authenticator says that it checked its user. */
  readonly userVerified?: boolean
  readonly userPresent?: boolean
  readonly counter?: number
  readonly userHandle?: string | null
  /** Whether the authenticator keeps the passkey, as `credProps` says. */
  readonly keeps?: boolean
  readonly signature?: string
}

interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
}
interface RequestOptions {
  readonly challenge: string
  readonly rpId: string
}

export class Authenticator {
  readonly id = base64url(randomBytes(16))
  counter = 0
  userHandle: string | null = null
  readonly #privateKey: KeyObject
  readonly #publicKey: KeyObject

  /** `counts`: whether it counts its signatures, as security keys do. Those of phones and computers say 0. */
  constructor(
    readonly origin: string,
    readonly algorithm: Algorithm = 'ES256',
    readonly counts = true,
  ) {
    const pair =
      algorithm === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : algorithm === 'EdDSA'
          ? generateKeyPairSync('ed25519')
          : generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#privateKey = pair.privateKey
    this.#publicKey = pair.publicKey
  }

  /** The answer of `navigator.credentials.create()`, as JSON. */
  create(options: CreationOptions, faults: Faults = {}) {
    this.userHandle = options.user.id
    const credential = Buffer.from(this.id, 'base64url')
    const length = Buffer.from([credential.length >> 8, credential.length & 255])
    const attested = Buffer.concat([Buffer.alloc(16), length, credential, this.#coseKey(faults.alg)])
    const authData = Buffer.concat([this.#authenticatorData(faults.rpId ?? options.rp.id, 0x40, faults), attested])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key' as const,
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, faults),
        attestationObject: base64url(cbor(attestation)),
        transports: ['internal'],
      },
      clientExtensionResults: faults.keeps === undefined ? {} : { credProps: { rk: faults.keeps } },
    }
  }

  /** The answer of `navigator.credentials.get()`, as JSON. */
  get(options: RequestOptions, faults: Faults = {}) {
    if (this.counts) this.counter++
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, faults)
    const authenticatorData = this.#authenticatorData(faults.rpId ?? options.rpId, 0, faults)
    const signed = Buffer.concat([authenticatorData, hash(Buffer.from(clientDataJSON, 'base64url'))])
    const signature = sign(this.algorithm === 'EdDSA' ? null : 'sha256', signed, this.#privateKey)
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key' as const,
      response: {
        clientDataJSON,
        authenticatorData: base64url(authenticatorData),
        signature: faults.signature ?? base64url(signature),
        userHandle: faults.userHandle === undefined ? this.userHandle : faults.userHandle,
      },
      clientExtensionResults: {},
    }
  }

  #clientData(type: string, challenge: string, faults: Faults): string {
    return base64url(
      JSON.stringify({
        type: faults.type ?? type,
        challenge: faults.challenge ?? challenge,
        origin: faults.origin ?? this.origin,
        crossOrigin: faults.crossOrigin ?? false,
      }),
    )
  }

  #authenticatorData(rpId: string, flags: number, faults: Faults): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(faults.counter ?? this.counter)
    const present = faults.userPresent === false ? 0 : 1
    const verified = faults.userVerified === false ? 0 : 4
    return Buffer.concat([hash(rpId), Buffer.from([flags | present | verified]), counter])
  }

  #coseKey(alg: number = COSE[this.algorithm]): Buffer {
    const { x = '', y = '', n = '', e = '' } = this.#publicKey.export({ format: 'jwk' })
    const bytes = (text: string) => Buffer.from(text, 'base64url')
    const parts: Record<Algorithm, [number, unknown][]> = {
      ES256: [
        [1, 2],
        [3, alg],
        [-1, 1],
        [-2, bytes(x)],
        [-3, bytes(y)],
      ],
      EdDSA: [
        [1, 1],
        [3, alg],
        [-1, 6],
        [-2, bytes(x)],
      ],
      RS256: [
        [1, 3],
        [3, alg],
        [-1, bytes(n)],
        [-2, bytes(e)],
      ],
    }
    return cbor(new Map(parts[this.algorithm].filter(([key]) => key !== 3 || alg !== 0)))
  }
}
