// @ts-check
/** The first version of docs/pass-verifier.js, which gates of others may run for years. It never changes. */

/**
 * @typedef {{ keyId: number, publicKey: string }} Key  A public key, from `keys` of GET /api/activities/{id}/pass/keys.
 * @typedef {{ since: number, until: number, revoked: { uuid: string, revokedAt: number }[], keyId: number, signature: string }} Revocations
 * @typedef {{ keyId: number, uuid: string, activityId: number, validFrom: number | null, validTo: number | null }} Pass  Times in epoch milliseconds.
 * @typedef {'MALFORMED' | 'FORGED' | 'WRONG_ACTIVITY' | 'NOT_YET_VALID' | 'EXPIRED' | 'REVOKED'} Reason  The first that applies.
 */

const TOKEN = /^(?:(?:https?:\/\/[^\s/?#]+)?\/s\/pass\/)?([a-z2-7]{154})\/?(?:[?#]\S*)?$/i
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const SIGNED_BYTES = 32

/**
 * Whether a pass is valid now, as far as a gate can know without a network: not whether it has been used elsewhere.
 *
 * @param {object} input
 * @param {string} input.content  The scanned text: the link of a pass or its token.
 * @param {Key[]} input.keys
 * @param {{ revoked: { uuid: string }[] }} [input.revocations]  Check their signature with `verifyRevocations` when you download them.
 * @param {number} [input.activityId]  Passes of other activities are refused.
 * @param {number} [input.now]  Epoch milliseconds.
 * @returns {Promise<{ valid: boolean, reason: Reason | null, pass: Pass | null }>}  `pass` is null if the signature is not valid.
 */
export async function verifyPass({ content, keys, revocations, activityId, now = Date.now() }) {
  const bytes = decode(content)
  if (bytes === undefined) return { valid: false, reason: 'MALFORMED', pass: null }
  const pass = read(bytes)
  const signed = join('tessera pass v1\n', bytes.subarray(0, SIGNED_BYTES))
  if (!(await isSigned(keys, pass.keyId, bytes.subarray(SIGNED_BYTES), signed)))
    return { valid: false, reason: 'FORGED', pass: null }
  const reason = refusal(pass, revocations, activityId, now)
  return { valid: reason === null, reason, pass }
}

/**
 * Whether the server has signed a list of revocations for this activity.
 *
 * @param {object} input
 * @param {Revocations} input.revocations  From GET /api/activities/{id}/pass/revocations.
 * @param {Key[]} input.keys
 * @param {number} input.activityId
 * @returns {Promise<boolean>}
 */
export async function verifyRevocations({ revocations, keys, activityId }) {
  const { since, until, revoked, keyId, signature } = revocations
  const json = new TextEncoder().encode(JSON.stringify({ activityId, since, until, revoked }))
  return isSigned(keys, keyId, fromBase64url(signature), join('tessera revocations v1\n', json))
}

/** @returns {Reason | null} */
function refusal(
  /** @type {Pass} */ pass,
  /** @type {{ revoked: { uuid: string }[] } | undefined} */ revocations,
  /** @type {number | undefined} */ activityId,
  /** @type {number} */ now,
) {
  if (activityId !== undefined && pass.activityId !== activityId) return 'WRONG_ACTIVITY'
  if (revocations?.revoked.some(({ uuid }) => uuid === pass.uuid)) return 'REVOKED'
  if (pass.validTo !== null && now > pass.validTo) return 'EXPIRED'
  return pass.validFrom !== null && now < pass.validFrom ? 'NOT_YET_VALID' : null
}

/** @returns {Uint8Array<ArrayBuffer> | undefined} The 96 bytes of the token. */
function decode(/** @type {string} */ content) {
  const token = TOKEN.exec(content.trim())?.[1]?.toUpperCase()
  if (token === undefined) return undefined
  const bytes = new Uint8Array(96)
  let held = 0
  let bits = 0
  let at = 0
  for (const character of token) {
    held = ((held & 255) << 5) | ALPHABET.indexOf(character)
    bits += 5
    if (bits >= 8) bytes[at++] = held >> (bits -= 8)
  }
  // The last two bits must be 0, so that a token has one spelling.
  return bytes[0] === 1 && (held & 3) === 0 ? bytes : undefined
}

/** @returns {Pass} */
function read(/** @type {Uint8Array<ArrayBuffer>} */ bytes) {
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

/** @returns {Promise<boolean>} False for keys that are not known. */
async function isSigned(
  /** @type {Key[]} */ keys,
  /** @type {number} */ keyId,
  /** @type {Uint8Array<ArrayBuffer>} */ signature,
  /** @type {Uint8Array<ArrayBuffer>} */ signed,
) {
  const found = keys.find((key) => key.keyId === keyId)
  if (found === undefined) return false
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: found.publicKey }
  const key = await crypto.subtle.importKey('jwk', jwk, { name: 'Ed25519' }, false, ['verify'])
  return crypto.subtle.verify({ name: 'Ed25519' }, key, signature, signed)
}

/** @returns {Uint8Array<ArrayBuffer>} */
function join(/** @type {string} */ text, /** @type {Uint8Array} */ bytes) {
  return new Uint8Array([...new TextEncoder().encode(text), ...bytes])
}

/** @returns {Uint8Array<ArrayBuffer>} */
function fromBase64url(/** @type {string} */ text) {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
