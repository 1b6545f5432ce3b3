/**
 * The access token of this tab. It is kept in memory only; the refresh token is in a cookie that scripts cannot read
 * (docs/accounts.md, "Browsers"). Tabs renew one after the other, since each renewal replaces the cookie.
 */

import { currentLocale } from '../i18n/locale.ts'
import { PUBLIC_URL, readJson } from './local-addresses.ts'
import type { LoginResponse } from './types.ts'

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
let userId: number | undefined
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

/** Takes over the answer of any sign-in or renewal. */
export function accept(login: LoginResponse): void {
  // Another tab has signed in another user. Both share the cookie, so this tab follows. It must not repeat a refused request with the
  // token of that user.
  if (userId !== undefined && userId !== login.user.id) {
    token = undefined
    location.reload()
    return
  }
  userId = login.user.id
  token = { value: login.accessToken, expiresAt: login.expiresAt }
  localStorage.setItem(SIGNED_IN, '1')
  for (const listener of listeners) listener(login)
}

/** Forgets the session in this tab. The server ends it by `auth.logout`. */
export function forget(): void {
  if (token === undefined && !mayBeSignedIn()) return
  token = undefined
  userId = undefined
  localStorage.removeItem(SIGNED_IN)
  for (const listener of listeners) listener(undefined)
}

/** Makes the server keep refresh token and device id in cookies that scripts cannot read. */
export const COOKIE_SESSION = { 'x-refresh-token': 'cookie' }

/** Exchanges the cookie for new tokens. False if the session has ended. */
export function renew(): Promise<boolean> {
  running ??= exclusively(exchange).finally(() => (running = undefined))
  return running
}

const exclusively = (work: () => Promise<boolean>): Promise<boolean> =>
  'locks' in navigator ? navigator.locks.request('tessera.renew', work) : work()

/** Tries while the server is busy or cannot be reached, at most so many times. */
const TRIES = 4

async function exchange(): Promise<boolean> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const response = await fetch('/api/auth/refresh', {
      method: 'POST',
      // If the page is closed before the answer, the browser still stores the new cookie. The used one would end the session.
      keepalive: true,
      headers: { ...COOKIE_SESSION, 'accept-language': currentLocale() },
    }).catch(() => undefined)
    if (response?.ok) {
      accept((readJson(await response.text(), response.headers.get(PUBLIC_URL)) as { data: LoginResponse }).data)
      return true
    }
    if (response !== undefined && response.status < 500 && response.status !== 429) {
      forget()
      return false
    }
    const seconds = Number(response?.headers.get('retry-after') ?? tries)
    await new Promise((resolve) => setTimeout(resolve, Math.min(10, seconds) * 1000))
  }
  return false
}

// Another tab signed out: this one must not go on with a token in its memory.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key === SIGNED_IN && newValue === null) forget()
})
