/** Signs and verifies access tokens: JWT with HS256 only (conventions §4). Keeps the claims of verified tokens. */

import { jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'

import type { Clock } from './clock.ts'
import { DAY } from './clock.ts'
import { uuid } from './ids.ts'

/** Lifetime of an access token (spec §8). */
export const ACCESS_TOKEN_MS = 7 * DAY

export interface Claims {
  readonly userId: number
  readonly sessionId: number
  readonly tokenVersion: number
  /** Where the device is optional, this token is valid only with it. */
  readonly needsDevice: boolean
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export interface Tokens {
  sign(claims: Omit<Claims, 'expiresAt'>): Promise<{ token: string; expiresAt: number }>
  /** The claims, or undefined if this server did not sign the token or it has expired. Synchronous for tokens seen before. */
  verify(token: string): Claims | undefined | Promise<Claims | undefined>
}

const ALGORITHM = 'HS256'
/** Number of verified tokens that are kept: about 6 MB, enough for the phones of a small organization. */
const MAX_KEPT = 10_000
/** Longer than any token of ours; keeps hostile headers out of the cache. */
const MAX_LENGTH = 1024

/** `key`: at least 256 random bits. */
export function createTokens(key: Uint8Array, clock: Clock): Tokens {
  const verified = new LRUCache<string, Claims>({ max: MAX_KEPT })

  async function check(token: string): Promise<Claims | undefined> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        requiredClaims: ['sub', 'exp', 'iat', 'jti'],
        currentDate: new Date(clock.now()),
      })
      const claims = {
        userId: Number(payload.sub),
        sessionId: payload['sid'] as number,
        tokenVersion: payload['tv'] as number,
        needsDevice: payload['dev'] === true,
        expiresAt: payload.exp! * 1000,
      }
      if (!Number.isSafeInteger(claims.userId) || !Number.isSafeInteger(claims.sessionId)) return undefined
      if (!Number.isSafeInteger(claims.tokenVersion)) return undefined
      verified.set(token, claims)
      return claims
    } catch {
      return undefined
    }
  }

  return {
    async sign(claims) {
      const issuedAt = Math.floor(clock.now() / 1000)
      const expiresAt = issuedAt + ACCESS_TOKEN_MS / 1000
      const token = await new SignJWT({
        sid: claims.sessionId,
        tv: claims.tokenVersion,
        ...(claims.needsDevice && { dev: true }),
      })
        .setProtectedHeader({ alg: ALGORITHM })
        .setSubject(String(claims.userId))
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .setJti(uuid())
        .sign(key)
      return { token, expiresAt: expiresAt * 1000 }
    },
    verify(token) {
      const known = verified.get(token)
      if (known !== undefined) return known.expiresAt > clock.now() ? known : undefined
      return token.length > MAX_LENGTH ? undefined : check(token)
    },
  }
}
