/**
 * The signed content of a pass: a token in a link. Anyone who has the public key can check it without a network.
 *
 * A token is base32 (RFC 4648, upper case, no padding), so that a QR code stores its link in alphanumeric mode, with 5.5 bits a character:
 *
 *     format 1 | key id 1 | uuid 16 | activity id 6 | valid from 4 | valid to 4 | Ed25519 signature 64   bytes, big-endian
 *
 * The times are epoch seconds, 0 for none.
 */

const TOKEN_FORMAT = 1
const SIGNED_BYTES = 32
const SIGNATURE_BYTES = 64
const TOKEN_BYTES = SIGNED_BYTES + SIGNATURE_BYTES
export const TOKEN_CHARACTERS = Math.ceil((TOKEN_BYTES * 8) / 5)

/** Key ids take one byte. */
export const MAX_KEY_ID = 255
/** The last time in a token: 2106-02-07. */
export const MAX_TOKEN_TIME = 0xffff_ffff * 1000

/** Before the signed bytes, so that a signature for one purpose cannot be used for another. */
const SIGNED_PREFIX = Buffer.from('tessera pass v1\n')

/** In upper case for QR codes; the server also answers `/s/pass/`. */
export const PASS_PATH = '/S/PASS/'

export interface TokenPayload {
  readonly keyId: number
  readonly uuid: string
  readonly activityId: number
  /** Epoch milliseconds; null for no limit. */
  readonly validFrom: number | null
  readonly validTo: number | null
}

export interface DecodedToken extends TokenPayload {
  readonly signature: Uint8Array<ArrayBuffer>
  /** The bytes that the signature covers. */
  readonly signed: Uint8Array<ArrayBuffer>
}

/** `sign` gets the bytes to sign. The token is valid at no time at which the pass is not. */
export function encodeToken(payload: TokenPayload, sign: (bytes: Uint8Array) => Uint8Array): string {
  const bytes = Buffer.alloc(TOKEN_BYTES)
  bytes[0] = TOKEN_FORMAT
  bytes[1] = payload.keyId
  bytes.write(payload.uuid.replaceAll('-', ''), 2, 'hex')
  bytes.writeUIntBE(payload.activityId, 18, 6)
  bytes.writeUInt32BE(seconds(payload.validFrom, Math.ceil), 24)
  bytes.writeUInt32BE(seconds(payload.validTo, Math.floor), 28)
  bytes.set(sign(signedBytes(bytes)), SIGNED_BYTES)
  return base32(bytes)
}

const signedBytes = (token: Uint8Array): Uint8Array<ArrayBuffer> =>
  Buffer.concat([SIGNED_PREFIX, token.subarray(0, SIGNED_BYTES)])

const seconds = (time: number | null, round: (value: number) => number): number =>
  time === null ? 0 : Math.min(Math.max(round(time / 1000), 1), 0xffff_ffff)

const BARE = new RegExp(`^[A-Z2-7]{${TOKEN_CHARACTERS}}$`, 'i')
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
/** The host does not matter: the signature decides, and a server can have several addresses. */
const LINK = /^(?:https?:\/\/[^\s/?#]{1,300})?\/s\/pass\/([^\s/?#]{1,200})\/?(?:[?#]\S{0,500})?$/i

/** The last part of a pass link, or the text itself. */
const referenceIn = (text: string): string => {
  const trimmed = text.trim()
  return LINK.exec(trimmed)?.[1] ?? trimmed
}

/** The uuid in the link of a pass page, or a bare uuid; undefined for everything else. */
export function uuidInLink(text: string): string | undefined {
  const reference = referenceIn(text)
  return UUID.test(reference) ? reference.toLowerCase() : undefined
}

/** Reads the token in a pass link, or a bare token, in any case. The signature is not checked. Undefined if it is malformed. */
export function decodeToken(text: string): DecodedToken | undefined {
  const reference = referenceIn(text)
  if (!BARE.test(reference)) return undefined
  const bytes = fromBase32(reference.toUpperCase())
  if (bytes === undefined || bytes[0] !== TOKEN_FORMAT) return undefined
  const hex = bytes.toString('hex', 2, 18)
  const timeAt = (offset: number): number | null => bytes.readUInt32BE(offset) * 1000 || null
  return {
    keyId: bytes[1]!,
    uuid: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    activityId: bytes.readUIntBE(18, 6),
    validFrom: timeAt(24),
    validTo: timeAt(28),
    signature: bytes.subarray(SIGNED_BYTES),
    signed: signedBytes(bytes),
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]))

function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 31]!
    held &= 31
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31]!
}

/** Undefined if the bits after the last byte are not 0: a token has one spelling only. */
function fromBase32(text: string): Buffer<ArrayBuffer> | undefined {
  const bytes = Buffer.alloc(TOKEN_BYTES)
  let bits = 0
  let held = 0
  let at = 0
  for (const character of text) {
    held = ((held & 255) << 5) | VALUES.get(character)!
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = (held >> bits) & 255
    }
  }
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined
}
