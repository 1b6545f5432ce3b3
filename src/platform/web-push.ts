/** Encryption of Web Push (RFC 8291) and the signed header that names this server to push services (VAPID, RFC 8292). */

import { createECDH } from 'node:crypto'

import { importJWK, SignJWT } from 'jose'

import { HOUR, SECOND } from './clock.ts'

/** Keys of a subscription, base64url. */
export interface DeviceKeys {
  /** A point on P-256, 65 bytes. */
  readonly p256dh: string
  /** 16 bytes. */
  readonly auth: string
}

export interface Vapid {
  /** 65 bytes, base64url: `applicationServerKey` of browsers. */
  readonly publicKey: string
  /** The header `Authorization` for requests to a push service. */
  authorization(endpoint: string, now: number): Promise<string>
}

/** RFC 8292 allows 24 hours; some push services refuse tokens close to that. */
const TOKEN_MS = 12 * HOUR

/** `secret`: 32 random bytes. `subject`: where operators of push services reach the operator of this server, a URL. */
export function createVapid(secret: Uint8Array, subject: string): Vapid {
  const pair = createECDH('prime256v1')
  // The chance that 32 random bytes are no private key of P-256 is 2^-32; setPrivateKey then throws.
  pair.setPrivateKey(secret)
  const point = pair.getPublicKey()
  const publicKey = point.toString('base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', x: x!, y: y!, d: Buffer.from(secret).toString('base64url') }
  let key: ReturnType<typeof importJWK> | undefined
  return {
    publicKey,
    async authorization(endpoint, now) {
      key ??= importJWK(jwk, 'ES256')
      const token = await new SignJWT({ aud: new URL(endpoint).origin, sub: subject })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
        .setExpirationTime(Math.floor((now + TOKEN_MS) / SECOND))
        .sign(await key)
      return `vapid t=${token}, k=${publicKey}`
    },
  }
}

/** Whether messages can be encrypted for these keys. */
export async function areDeviceKeys({ p256dh, auth }: DeviceKeys): Promise<boolean> {
  if (Buffer.from(auth, 'base64url').length !== 16) return false
  try {
    const point = new Uint8Array(Buffer.from(p256dh, 'base64url'))
    await crypto.subtle.importKey('raw', point, { name: 'ECDH', namedCurve: 'P-256' }, false, [])
    return true
  } catch {
    return false
  }
}

/** The body of a push message, padded to one length so that nobody can guess its text by it. `text`: at most 3,993 bytes. */
export async function encryptFor(keys: DeviceKeys, endpoint: string, text: string): Promise<Uint8Array> {
  const { encryptNotification } = await import('@block65/webcrypto-web-push')
  return encryptNotification({ endpoint, expirationTime: null, keys }, new TextEncoder().encode(text))
}
