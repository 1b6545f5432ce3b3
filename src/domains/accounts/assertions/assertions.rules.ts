/** The party that passkeys are for, and challenges. Pure. */

import { timingSafeEqual } from 'node:crypto'

import { parseIp } from '#lib/ip.ts'
import { MINUTE } from '#platform/clock.ts'

import type { NoPasskeys } from '../accounts.errors.ts'

export const CHALLENGE_MS = 5 * MINUTE

/** EdDSA, ES256 and RS256 as COSE numbers them: Ed25519 first, which signs fastest. */
export const ALGORITHMS = [-8, -7, -257]

export interface RelyingParty {
  /** The host name. Passkeys are for this name and no other. */
  readonly id: string
  readonly origin: string
}

/** `publicUrl`: as in the configuration. */
export function relyingParty(publicUrl: string): RelyingParty | NoPasskeys {
  const { protocol, hostname, origin } = new URL(publicUrl)
  if (parseIp(hostname.replace(/^\[|\]$/g, '')) !== undefined) return 'NEEDS_NAME'
  if (protocol !== 'https:' && hostname !== 'localhost') return 'NEEDS_HTTPS'
  return { id: hostname, origin }
}

/** A challenge is for one purpose, and for registrations also for one user and session (otherwise 0). */
export type Purpose =
  { readonly kind: 'sign-in' } | { readonly kind: 'registration'; readonly userId: number; readonly sessionId: number }

type Mac = (text: string) => string

const hashOf = (mac: Mac, purpose: Purpose, challenge: string, expiresAt: number): string =>
  mac(JSON.stringify(['passkey challenge', purpose, challenge, expiresAt]))

/** The id says until when the challenge can be used, with a keyed hash of all about it. So no row is written before it is used. */
export const challengeIdOf = (mac: Mac, purpose: Purpose, challenge: string, expiresAt: number): string =>
  `${expiresAt.toString(36)}.${hashOf(mac, purpose, challenge, expiresAt)}`

export interface Challenge {
  /** Base64url. */
  readonly challenge: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** The challenge that a page of this server had answered, not a frame in another page, if the id belongs to it and to this purpose, and it has not expired. */
export function answeredChallenge(
  mac: Mac,
  purpose: Purpose,
  { challengeId, clientData, now }: { readonly challengeId: string; readonly clientData: string; readonly now: number },
): Challenge | undefined {
  const [end = '', hash = ''] = challengeId.split('.')
  const expiresAt = Number.parseInt(end, 36)
  const challenge = challengeIn(clientData)
  if (challenge === undefined || !(expiresAt > now)) return undefined
  const expected = Buffer.from(hashOf(mac, purpose, challenge, expiresAt))
  const given = Buffer.from(hash)
  return given.length === expected.length && timingSafeEqual(given, expected) ? { challenge, expiresAt } : undefined
}

/** `clientData`: base64url of JSON. */
function challengeIn(clientData: string): string | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientData, 'base64url').toString())
    const { challenge, crossOrigin } = data as { challenge?: unknown; crossOrigin?: unknown }
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : undefined
  } catch {
    return undefined
  }
}
