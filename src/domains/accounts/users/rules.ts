/** Decisions about identities. Pure. */

interface WaysIn {
  username: string | null
  passwordHash: string | null
}
interface Identity {
  id: number
  provider: string
}

/**
 * Whether somebody can still sign in when the identity `without` is gone: by phone or e-mail (a code goes there), by another
 * device, or by a password with a username to type it for.
 */
export function canStillSignIn(user: WaysIn, identities: readonly Identity[], without: number): boolean {
  const rest = identities.filter((i) => i.id !== without)
  return rest.length > 0 || (user.passwordHash !== null && user.username !== null)
}
