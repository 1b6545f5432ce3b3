/**
 * A push service on this machine with devices, as RFC 8030 describes it. It decrypts messages with `node:crypto` (RFC 8291), and verifies
 * the signature of the sender with jose (RFC 8292).
 */

import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto'

import { importJWK, jwtVerify } from 'jose'

import { ok, type Person } from '../harness/index.ts'
import { PATIENCE_MS } from '../harness/until.ts'

export interface Received {
  /** The path of the device. */
  path: string
  headers: Headers
  /** The decrypted message. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every shape
  message: any
  bytes: number
  claims: Record<string, unknown>
}

interface Device {
  readonly keys: { readonly p256dh: string; readonly auth: string }
  decrypt(body: Buffer): string
}

const hkdf = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array | string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

/** A device with these keys, or new ones. Both as base64url. */
export function makeDevice(privateKey?: string, auth?: string): Device {
  const pair = createECDH('prime256v1')
  if (privateKey === undefined) pair.generateKeys()
  else pair.setPrivateKey(Buffer.from(privateKey, 'base64url'))
  const authSecret =
    auth === undefined ? Buffer.from(crypto.getRandomValues(new Uint8Array(16))) : Buffer.from(auth, 'base64url')
  const own = pair.getPublicKey()
  return {
    keys: { p256dh: own.toString('base64url'), auth: authSecret.toString('base64url') },
    decrypt(body) {
      const salt = body.subarray(0, 16)
      const idLength = body[20]!
      const sender = body.subarray(21, 21 + idLength)
      const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender])
      const ikm = hkdf(pair.computeSecret(sender), authSecret, keyInfo, 32)
      const key = hkdf(ikm, salt, 'Content-Encoding: aes128gcm\0', 16)
      const nonce = hkdf(ikm, salt, 'Content-Encoding: nonce\0', 12)
      const record = body.subarray(21 + idLength)
      const cipher = createDecipheriv('aes-128-gcm', key, nonce)
      cipher.setAuthTag(record.subarray(-16))
      const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()])
      return padded.subarray(0, padded.lastIndexOf(2)).toString()
    },
  }
}

export async function startPushService() {
  const devices = new Map<string, Device>()
  const received: Received[] = []
  const attempts: string[] = []
  const answers = new Map<string, (Response | (() => Promise<Response>))[]>()

  async function take(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname
    attempts.push(path)
    const body = Buffer.from(await request.arrayBuffer())
    const answer = answers.get(path)?.shift()
    if (answer !== undefined) return typeof answer === 'function' ? answer() : answer
    const [, token, key] = /^vapid t=([^,]+), k=(.+)$/.exec(request.headers.get('authorization') ?? '')!
    const point = Buffer.from(key!, 'base64url')
    const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
    const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256')
    // The tests move the clock of the server.
    const [, payload] = token!.split('.')
    const { exp } = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as { exp: number }
    const { payload: claims } = await jwtVerify(token!, publicKey, { currentDate: new Date((exp - 60) * 1000) })
    const message: unknown = JSON.parse(devices.get(path)!.decrypt(body))
    received.push({ path, headers: request.headers, message, bytes: body.length, claims: { ...claims, key } })
    return new Response(null, { status: 201 })
  }

  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: take })
  const origin = `http://127.0.0.1:${server.port}`
  let count = 0

  async function until<T>(find: () => T | undefined, wanted: string): Promise<T> {
    for (const end = Date.now() + PATIENCE_MS; ; await Bun.sleep(10)) {
      const found = find()
      if (found !== undefined) return found
      if (Date.now() > end) throw new Error(`${wanted} did not come; attempts: ${attempts.join()}`)
    }
  }

  return {
    origin,
    received,
    attempts,
    /** The service gives the next requests for a device these answers instead of taking their messages. */
    answer(path: string, ...list: (Response | (() => Promise<Response>))[]) {
      answers.set(path, list)
    },
    /** Subscribes a new device of the person's session. */
    async subscribe(
      person: Person,
      more: { quietFrom?: number; quietTo?: number; timeZone?: string } = {},
      locale = 'en',
    ) {
      const path = `/device/${++count}`
      const device = makeDevice()
      devices.set(path, device)
      const body = { endpoint: origin + path, keys: device.keys, ...more }
      const headers = { 'accept-language': locale }
      const { id } = ok(await person.send('POST', '/api/notifications/subscriptions', { headers, body })).data
      return { id: id as number, path }
    },
    of: (path: string) => received.filter((one) => one.path === path).map(({ message }) => message as unknown),
    /** Waits until the device has a message that matches. */
    next: (path: string, matches: (message: Received['message']) => boolean = () => true) =>
      until(() => received.find((one) => one.path === path && matches(one.message)), `a push to ${path}`),
    attempted: (path: string, times: number) =>
      until(() => attempts.filter((one) => one === path).length >= times || undefined, `${times} pushes to ${path}`),
    stop: () => server.stop(true),
  }
}
