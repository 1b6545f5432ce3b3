/** Encrypts texts in the database with this server's key (AES-256-GCM), so that a copy of the database does not reveal them. */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'

import { bytes, secret, sha256 } from './ids.ts'
import { deriveKey } from './keys.ts'

export interface Seal {
  seal(text: string): string
  /** Undefined if the text was sealed with another key or was changed. */
  open(sealed: string): string | undefined
  /** A keyed hash (HMAC-SHA-256, base64url), for recognizing values that are too short to be hashed without a key. */
  mac(text: string): string
  /** 32 secret bytes that have no other use, the same after each start and on all processes of this server. */
  derive(purpose: string): Uint8Array
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** The server's seal, whose key is derived from the signing key. */
export const sealOf = (signingKey: Uint8Array): Seal => createSeal(deriveKey(signingKey, 'sealed texts v1'))

/** `key`: 32 bytes that have no other use. Random IVs are safe for 2^32 texts per key. */
export function createSeal(key: Uint8Array): Seal {
  const macKey = new Uint8Array(hkdfSync('sha256', key, '', 'tessera keyed hashes v1', 32))
  return {
    derive: (purpose) => new Uint8Array(hkdfSync('sha256', key, '', `tessera ${purpose}`, 32)),
    mac: (text) => createHmac('sha256', macKey).update(text).digest('base64url'),
    seal(text) {
      const iv = bytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString('base64url')
    },
    open(sealed) {
      const all = Buffer.from(sealed, 'base64url')
      if (all.length < IV_BYTES + TAG_BYTES) return undefined
      const cipher = createDecipheriv('aes-256-gcm', key, all.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      cipher.setAuthTag(all.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      try {
        return cipher.update(all.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + cipher.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}

/** The secret of a link that can be shown again, and the columns of its row: the hash finds the row, and `secret` is the sealed one. */
export function newLinkSecret(seal: Pick<Seal, 'seal'>): {
  readonly plain: string
  readonly columns: { readonly secretHash: string; readonly secret: string }
} {
  const plain = secret()
  return { plain, columns: { secretHash: sha256(plain), secret: seal.seal(plain) } }
}
