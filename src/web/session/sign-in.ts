/** Every way to sign in ends here: the tokens are taken over, then user and permissions are read. */

import { callWith } from '../api/client.ts'
import { accept, finishSignOut, isSigningOut } from '../api/tokens.ts'
import type { BodyOf, LoginResponse } from '../api/types.ts'
import { reloadSession } from './session.ts'

export type SignInOperation =
  | 'auth.login'
  | 'auth.register'
  | 'auth.emailLogin'
  | 'auth.phoneLogin'
  | 'auth.phonePasswordLogin'
  | 'auth.passkeyLogin'
  | 'oidc.token'

export async function signInWith<Id extends SignInOperation>(id: Id, body: BodyOf<Id>): Promise<LoginResponse> {
  // Afterwards the cookie belongs to another session, and nobody could end the one before.
  if (isSigningOut()) await finishSignOut()
  const login = (await callWith(id, { body }, { headers: { 'x-device-name': deviceName() } })) as LoginResponse
  accept(login)
  await reloadSession()
  return login
}

/** `Chrome on Windows`: what the list of devices shows. */
function deviceName(): string {
  const agent = navigator.userAgent
  const browser = /Edg\//.test(agent)
    ? 'Edge'
    : /Firefox\//.test(agent)
      ? 'Firefox'
      : /Chrome\//.test(agent)
        ? 'Chrome'
        : /Safari\//.test(agent)
          ? 'Safari'
          : 'Browser'
  const system = [
    ['iPhone', /iPhone/],
    ['iPad', /iPad/],
    ['Android', /Android/],
    ['Windows', /Windows/],
    ['macOS', /Mac OS/],
    ['Linux', /Linux/],
  ].find(([, pattern]) => (pattern as RegExp).test(agent))?.[0] as string | undefined
  return system === undefined ? browser : `${browser} on ${system}`
}
