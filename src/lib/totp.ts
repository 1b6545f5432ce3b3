/** Time-based one-time passwords (RFC 6238) as authenticator apps expect them: SHA-1, six digits, steps of 30 seconds. */

import { createHmac } from 'node:crypto'

const STEP_MS = 30_000
const DIGITS = 6
/** RFC 4648. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Without padding, as `otpauth:` addresses contain it. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let [value, bits] = [0, 0]
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(value >> (bits - 5)) & 31]
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31]
}

/** `ms`: epoch milliseconds. */
export const stepAt = (ms: number): number => Math.floor(ms / STEP_MS)

export function totp(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The step whose code this is: the current one or a neighbour, since clocks differ. Only steps after `lastStep` count. */
export const stepOfCode = (secret: Uint8Array, code: string, now: number, lastStep: number): number | undefined =>
  [0, -1, 1].map((offset) => stepAt(now) + offset).find((step) => step > lastStep && totp(secret, step) === code)
