/**
 * The access token of this tab. It is kept in memory only; the refresh token is in a cookie that scripts cannot read
 * (docs/accounts.md, "Browsers"). Tabs renew one after the other, since each renewal replaces the cookie.
 */

import type { LoginResponse } from '../api/types.ts'
import { currentLocale } from '../i18n/locale.ts'

/** Set while this browser should have a refresh cookie, so that a visitor who never signed in causes no failing request. */
const SIGNED_IN = 'tessera.signedIn'
/** Renew when less than this is left (spec 8.3). */
const MARGIN = 5 * 60_000

interface Token {
  readonly value: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

let token: Token | undefined
let running: Promise<boolean> | undefined
const listeners = new Set<(login: LoginResponse | undefined) => void>()

export const accessToken = (): string | undefined => token?.value
export const expiresSoon = (): boolean => token !== undefined && token.expiresAt - Date.now() < MARGIN
export const mayBeSignedIn = (): boolean => localStorage.getItem(SIGNED_IN) !== null

/** Notifies each listener of sign-ins and renewals, and with undefined of the end of the session. */
export function onLogin(listener: (login: LoginResponse | undefined) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Takes over the answer of any sign-in. */
export function accept(login: LoginResponse): void {
  token = { value: login.accessToken, expiresAt: login.expiresAt }
  localStorage.setItem(SIGNED_IN, '1')
  for (const listener of listeners) listener(login)
}

/** Forgets the session in this tab. The server ends it by `auth.logout`. */
export function forget(): void {
  if (token === undefined && !mayBeSignedIn()) return
  token = undefined
  localStorage.removeItem(SIGNED_IN)
  for (const listener of listeners) listener(undefined)
}

/** Headers of every operation that answers tokens: the refresh token then comes as a cookie. */
export const COOKIE_SESSION = { 'x-refresh-token': 'cookie' }

/** Exchanges the cookie for new tokens. False if the session has ended. */
export function renew(): Promise<boolean> {
  running ??= exclusively(exchange).finally(() => (running = undefined))
  return running
}

const exclusively = (work: () => Promise<boolean>): Promise<boolean> =>
  'locks' in navigator ? navigator.locks.request('tessera.renew', work) : work()

async function exchange(): Promise<boolean> {
  const response = await fetch('/api/auth/refresh', {
    method: 'POST',
    headers: { ...COOKIE_SESSION, 'content-type': 'application/json', 'accept-language': currentLocale() },
    body: '{}',
  }).catch(() => undefined)
  // Without an answer the session may be alive: the next request tries again.
  if (response === undefined || response.status >= 500 || response.status === 429) return false
  if (!response.ok) {
    forget()
    return false
  }
  accept(((await response.json()) as { data: LoginResponse }).data)
  return true
}

// Another tab signed out: this one must not go on with a token in its memory.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key === SIGNED_IN && newValue === null) forget()
})
