/** Checks the signature of a pass in the browser, as docs/pass-verifier.js does. docs/activities.md describes the format. */

import type { PassKey } from '../../../api/types.ts'

export interface Token {
  readonly keyId: number
  readonly uuid: string
  readonly activityId: number
  /** Epoch milliseconds. */
  readonly validFrom: number | null
  readonly validTo: number | null
}

const TOKEN = /^(?:(?:https?:\/\/[^\s?#]+?)?\/s\/pass\/)?([a-z2-7]{154})\/?(?:[?#]\S*)?$/i
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const SIGNED_BYTES = 32

/** Whether the browser can check signatures: on secure pages of Chromium 137, Firefox 129, Safari 17 and later. */
export async function canVerify(): Promise<boolean> {
  try {
    const key = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
    await crypto.subtle.importKey('jwk', key, { name: 'Ed25519' }, false, ['verify'])
    return true
  } catch {
    return false
  }
}

/** `MALFORMED` if the content is no token, `FORGED` if none of the keys has signed it. */
export async function readToken(content: string, keys: readonly PassKey[]): Promise<Token | 'MALFORMED' | 'FORGED'> {
  const bytes = decode(content)
  if (bytes === undefined) return 'MALFORMED'
  const token = parse(bytes)
  const known = keys.find(({ keyId }) => keyId === token.keyId)
  if (known === undefined) return 'FORGED'
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: known.publicKey }
  const key = await crypto.subtle.importKey('jwk', jwk, { name: 'Ed25519' }, false, ['verify'])
  const signed = new Uint8Array([...new TextEncoder().encode('tessera pass v1\n'), ...bytes.subarray(0, SIGNED_BYTES)])
  const isSigned = await crypto.subtle.verify({ name: 'Ed25519' }, key, bytes.subarray(SIGNED_BYTES), signed)
  return isSigned ? token : 'FORGED'
}

/** The uuid of the pass in a token or a link, which is not checked; the content itself if it contains none. */
export function passIn(content: string): string {
  const bytes = decode(content)
  if (bytes !== undefined) return parse(bytes).uuid
  return (/\/s\/pass\/([\da-f-]{36})/i.exec(content)?.[1] ?? content).toLowerCase()
}

/** The 96 bytes of the token in base32. */
function decode(content: string): Uint8Array<ArrayBuffer> | undefined {
  const text = TOKEN.exec(content.trim())?.[1]?.toUpperCase()
  if (text === undefined) return undefined
  const bytes = new Uint8Array(96)
  let held = 0
  let bits = 0
  let at = 0
  for (const character of text) {
    held = ((held & 255) << 5) | ALPHABET.indexOf(character)
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = held >> bits
    }
  }
  // The last two bits must be 0, so that a token has one spelling.
  return bytes[0] === 1 && (held & 3) === 0 ? bytes : undefined
}

function parse(bytes: Uint8Array<ArrayBuffer>): Token {
  const view = new DataView(bytes.buffer)
  const hex = Array.from(bytes.subarray(2, 18), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return {
    keyId: view.getUint8(1),
    uuid: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    activityId: view.getUint16(18) * 2 ** 32 + view.getUint32(20),
    validFrom: view.getUint32(24) * 1000 || null,
    validTo: view.getUint32(28) * 1000 || null,
  }
}
