/** Signs the parameters of URLs that work without a token until they expire. */

import { createHmac, timingSafeEqual } from 'node:crypto'

import { deriveKey } from './keys.ts'

export interface UrlSigner {
  /**
   * `parts`: everything that the URL is bound to, the expiry included. A number counts as its digits, as a URL contains it. 22 characters
   * of base64url (128 bits).
   */
  sign(purpose: string, ...parts: readonly (string | number)[]): string
  isValid(signature: string, purpose: string, ...parts: readonly (string | number)[]): boolean
}

export function createUrlSigner(signingKey: Uint8Array): UrlSigner {
  const key = deriveKey(signingKey, 'signed urls')
  const sign: UrlSigner['sign'] = (...parts) =>
    createHmac('sha256', key)
      .update(JSON.stringify(parts.map(String)))
      .digest()
      .subarray(0, 16)
      .toString('base64url')
  return {
    sign,
    isValid(signature, ...parts) {
      const given = Buffer.from(signature)
      const right = Buffer.from(sign(...parts))
      return given.length === right.length && timingSafeEqual(given, right)
    },
  }
}
