/** Which operations look at `Idempotency-Key` (repeats.ts). */

import type { AnyEndpoint } from './endpoint.ts'

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
