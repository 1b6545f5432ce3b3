/** The claims of a provider about a user, and the limits of sign-ins. */

import type { Budget } from '#http/budget.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'

/** Users come back from the provider within this time. */
export const STATE_MS = 10 * MINUTE
/** A ticket is exchanged at once by the page or app that gets it. */
export const TICKET_MS = MINUTE
/** With a second factor to type. */
export const LONG_TICKET_MS = 5 * MINUTE
export const TICKET_TRIES = 5
/** All requests to a provider for one request of a user. */
export const PROVIDER_MS = 5 * SECOND
/** Difference between the clocks of provider and server. */
export const TOLERANCE_S = 60

export const MAX_PROVIDERS = 20
export const MAX_LINKS = 20
/** Characters of a claim that are looked at. */
export const MAX_CLAIM = 255
/** Groups of one user that are looked at. */
export const MAX_GROUPS = 5000

/** One for each public operation, so that a sign-in takes one of each. */
export const perMinute = (name: string): Budget => ({
  name: `oidc.${name}`,
  counts: { en: 'requests', zh: '请求' },
  per: 'address',
  limit: 60,
  windowMs: MINUTE,
})

/** The user, as a provider has described them in an ID token that was checked. */
export interface Claims {
  readonly issuer: string
  readonly subject: string
  /** The id of the session at the provider. */
  readonly sid: string | undefined
  readonly idToken: string
  /** An address only if the provider says that it has verified it. */
  readonly email: string | undefined
  readonly name: string | undefined
  readonly username: string | undefined
  /** Undefined if the provider says nothing that could be read. */
  readonly groups: readonly string[] | undefined
  readonly hasFactor: boolean
}
