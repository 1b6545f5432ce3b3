/** Decisions about identities. Pure. */

interface User {
  username: string | null
  passwordHash: string | null
}
interface Identity {
  id: number
  provider: string
  verified: boolean
  providerName?: string | null
}

/** An OIDC identity opens its account while a provider with its issuer is enabled. */
export const isUsable = ({ provider, providerName }: Pick<Identity, 'provider' | 'providerName'>): boolean =>
  provider !== 'OIDC' || typeof providerName === 'string'

/** Whether codes and messages can be sent to it, and whether it is a name for the password. */
export const isContact = ({ provider }: Pick<Identity, 'provider'>): boolean =>
  provider === 'PHONE' || provider === 'EMAIL'

/**
 * Whether the user can sign in with these identities, leaving out the one with the id `without`: by verified phone or e-mail (with a
 * code), by another device, by a provider, or by a password together with a username, phone or e-mail. An unverified phone or e-mail may be another
 * person's, so it counts only as a name for the password.
 */
export function canStillSignIn(user: User, identities: readonly Identity[], without = 0): boolean {
  const rest = identities.filter((i) => i.id !== without && isUsable(i))
  const hasName = user.username !== null || rest.some(isContact)
  return rest.some((i) => i.provider === 'DEVICE' || i.verified) || (user.passwordHash !== null && hasName)
}

/**
 * Unverified, on an account that has a verified identity. An e-mail given at registration is only a claim, since anyone can type any
 * address, and so are e-mail and phone that an administrator gives. Once the account has another, verified identity, it belongs to that person, and codes to the claimed address open nothing.
 */
export const isMereClaim = (
  identity: Pick<Identity, 'verified'>,
  all: readonly Pick<Identity, 'verified'>[],
): boolean => !identity.verified && all.some((i) => i.verified)
