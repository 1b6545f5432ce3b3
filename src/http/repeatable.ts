/** Which operations look at `Idempotency-Key` (repeats.ts). */

import type { Actor, AnyEndpoint } from './endpoint.ts'

/** Whether the operation looks at the header, for callers who are signed in. */
export const isRepeatable = (endpoint: AnyEndpoint): boolean =>
  endpoint.method === 'POST' && unrepeatable(endpoint) === undefined

/** Why an operation ignores the header; undefined if it does not. */
export function unrepeatable(endpoint: AnyEndpoint): string | undefined {
  if (['open', 'gate'].includes(endpoint.access.kind)) return 'It has no user.'
  if (endpoint.keepsCookies) return 'It gives or ends tokens.'
  if (endpoint.checksSecret) return 'It checks a secret.'
  if (endpoint.answers !== undefined) return 'It answers with a file.'
  return endpoint.ignoresKey
}

/** Each API key has repeats of its own: keys of two organizations may send the same request with the same `Idempotency-Key`. */
export const operationOf = ({ id }: AnyEndpoint, actor: Actor | undefined): string =>
  actor?.key === undefined ? id : `${id} with API key ${actor.key.id}`
