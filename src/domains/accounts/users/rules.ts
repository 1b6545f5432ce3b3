/** Decisions about identities. Pure. */

interface WaysIn {
  username: string | null
  passwordHash: string | null
}
interface Identity {
  id: number
  provider: string
  verified: boolean
}

/**
 * Whether somebody can still sign in when the identity `without` is gone: by phone or confirmed e-mail (a code goes there), by
 * another device, or by a password with a name to type it for. An e-mail that was never confirmed may be somebody else's: it counts
 * as such a name only.
 */
export function canStillSignIn(user: WaysIn, identities: readonly Identity[], without: number): boolean {
  const rest = identities.filter((i) => i.id !== without)
  const isName = user.username !== null || rest.some((i) => i.provider !== 'DEVICE')
  return rest.some((i) => i.provider !== 'EMAIL' || i.verified) || (user.passwordHash !== null && isName)
}

/** Claimed but never proved, on an account where something else was: such a credential opens nothing. */
export const isMereClaim = (identity: Identity, all: readonly Identity[]): boolean =>
  !identity.verified && all.some((i) => i.verified)
