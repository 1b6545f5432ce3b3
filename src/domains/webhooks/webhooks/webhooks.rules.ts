import type { OwnerKey } from '#db/owner-key.ts'
import { mayBePublic } from '#platform/public-post.ts'

/** Owner of the webhooks of the server. */
export const SERVER: OwnerKey = 0

export const SECRET_PREFIX = 'whsec_'

/** `key`: 32 bytes. */
export const secretText = (key: Uint8Array): string => SECRET_PREFIX + Buffer.from(key).toString('base64')

/** Whether a pattern selects the type. */
export const selects = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

/** The index of the first pattern that selects none of the types; -1 if there is none. */
export const firstUnknown = (patterns: readonly string[], types: readonly string[]): number =>
  patterns.findIndex((pattern) => !types.some((type) => selects(pattern, type)))

/** Why a URL is refused before its name is resolved. */
export function urlProblem(text: string, allowed: readonly string[]): 'address' | 'port' | undefined {
  const url = URL.parse(text)
  if (url === null || !mayBePublic(url, allowed)) return 'address'
  const isFree = url.port === '' || Number(url.port) >= 1024 || allowed.includes(url.origin)
  return isFree ? undefined : 'port'
}
