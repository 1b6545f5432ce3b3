/**
 * The access token of this tab. It is kept in memory only; the refresh token is in a cookie that scripts cannot read
 * (docs/accounts.md, "Browsers"). Tabs renew one after the other, since each renewal replaces the cookie.
 */

import { serverTime, setServerTime } from '../browser/server-time.ts'
import { storage } from '../browser/storage.ts'
import { currentLocale } from '../i18n/locale.ts'
import { PUBLIC_URL, readJson } from './local-addresses.ts'
import type { LoginResponse } from './types.ts'

/** Set while this browser should have a refresh cookie, so that a visitor who never signed in causes no failing request. */
const SIGNED_IN = 'tessera.signedIn'
// Without storage only the server knows whether there is a cookie. If there is none, the refused renewal removes the mark.
if (storage.isRefused()) expectSession()
/** Renew when less than this is left (spec 8.3). */
const MARGIN = 5 * 60_000

interface Token {
  readonly value: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

let token: Token | undefined
let userId: number | undefined
/** The user of the session before, while nobody could be asked whether it lasts. */
let resting: number | undefined
/** The same, until the renewal at the start of the page has ended. */
let opening: { readonly userId: number; readonly ended: Promise<unknown> } | undefined
let hasLapsed = false
let isReloading = false
let running: Promise<boolean> | undefined
const listeners = new Set<(login: LoginResponse | undefined) => void>()
const lapseListeners = new Set<() => void>()

/** Whether the page is about to be loaded again for another user. */
export const isLeaving = (): boolean => isReloading
export const accessToken = (): string | undefined => token?.value
/** The user whose session this tab has. */
export const tokenUser = (): number | undefined => userId
/** Whether pages show kept data of the last session, because the server could not be asked for tokens. Nothing is sent meanwhile. */
export const isResting = (): boolean => resting !== undefined
/** The user whose things this tab shows. */
export const shownUser = (): number | undefined => userId ?? resting ?? opening?.userId
export function rest(user: number | undefined): void {
  resting = user
  opening = undefined
}

/** Shows the things of this user until `renewed` is fulfilled. Requests wait for it. */
export function openFor(user: number, renewed: Promise<unknown>): void {
  const mine = { userId: user, ended: renewed }
  opening = mine
  void renewed.finally(() => {
    if (opening === mine) opening = undefined
  })
}

/** Waits for the tokens of a session that is shown already. @throws DOMException if it has ended */
export async function opened(): Promise<void> {
  if (opening === undefined) return
  const { userId: user, ended } = opening
  await ended
  if (shownUser() !== user) throw new DOMException('The session has ended', 'AbortError')
}
export const expiresSoon = (): boolean => token !== undefined && token.expiresAt - serverTime() < MARGIN
/** Makes the page ask the server for the session of the cookie. */
export function expectSession(): void {
  storage.setItem(SIGNED_IN, '1')
}
export const mayBeSignedIn = (): boolean => storage.getItem(SIGNED_IN) !== null

/** Notifies each listener of sign-ins and renewals, and with undefined of the end of the session. */
export function onLogin(listener: (login: LoginResponse | undefined) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the session has expired while its pages were open. They stay until the same user has signed in again. */
export const isLapsed = (): boolean => hasLapsed

export function onLapse(listener: () => void): () => void {
  lapseListeners.add(listener)
  return () => lapseListeners.delete(listener)
}

function setLapsed(next: boolean): void {
  if (hasLapsed === next) return
  hasLapsed = next
  for (const listener of lapseListeners) listener()
}

/** Waits until the user of an expired session has signed in again. False if they have signed out instead. */
export const endOfLapse = (): Promise<boolean> =>
  new Promise((resolve) => {
    if (!hasLapsed) return resolve(token !== undefined)
    const stop = onLapse(() => {
      stop()
      resolve(token !== undefined)
    })
  })

/** Takes over the answer of any sign-in or renewal. */
export function accept(login: LoginResponse): void {
  expectSession()
  // Another tab has signed in another user, or the user has changed to a linked account. All tabs share the cookie, so this one starts
  // again. Until then it must neither repeat a refused request with the token of that user nor end the session.
  const before = userId ?? resting
  // Its pages have read nothing yet.
  if (opening !== undefined && opening.userId !== login.user.id) for (const listener of listeners) listener(undefined)
  rest(undefined)
  if (before !== undefined && before !== login.user.id) {
    isReloading = true
    token = undefined
    location.replace('/console/')
    return
  }
  userId = login.user.id
  setServerTime(issuedAt(login.accessToken))
  token = { value: login.accessToken, expiresAt: login.expiresAt }
  setLapsed(false)
  for (const listener of listeners) listener(login)
}

/** When the server signed a token (RFC 7519), epoch milliseconds. */
function issuedAt(jwt: string): number {
  const claims = jwt.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
  return (JSON.parse(atob(claims)) as { iat: number }).iat * 1000
}

/** Forgets the session in this tab. The server ends it by `auth.logout`. */
export function forget(): void {
  if (isReloading || (token === undefined && userId === undefined && !mayBeSignedIn())) return
  token = undefined
  userId = undefined
  rest(undefined)
  storage.removeItem(SIGNED_IN)
  setLapsed(false)
  for (const listener of listeners) listener(undefined)
}

/** Never fulfilled while the page is being loaded again for another user. */
export const unlessLeaving = (): Promise<void> => (isReloading ? new Promise(() => {}) : Promise.resolve())

/** Makes the server keep refresh token and device id in cookies that scripts cannot read. */
export const COOKIE_SESSION = { 'x-refresh-token': 'cookie' }

/** Exchanges the cookie for new tokens. False if the session has ended. */
export async function renew(): Promise<boolean> {
  running ??= exclusively(exchange).finally(() => (running = undefined))
  const isRenewed = await running
  await unlessLeaving()
  return isRenewed
}

async function exclusively(work: () => Promise<boolean>): Promise<boolean> {
  // Missing without https, and refused while cookies are blocked.
  const locks = 'locks' in navigator ? await navigator.locks.query().catch(() => undefined) : undefined
  return await (locks === undefined ? work() : navigator.locks.request('tessera.renew', work))
}

const post = (path: string, headers: Record<string, string> = {}): Promise<Response | undefined> =>
  fetch(path, {
    method: 'POST',
    // If the page is closed before the answer, the browser still stores the new cookie. The used one would end the session.
    keepalive: true,
    headers: { ...COOKIE_SESSION, 'accept-language': currentLocale(), ...headers },
  }).catch(() => undefined)

/** No answer, or one that says nothing about the session: the server is busy or broken. */
const isUndecided = (response: Response | undefined): boolean =>
  response === undefined || response.status >= 500 || response.status === 429

/** Tries while the server is busy or cannot be reached, at most so many times. */
const TRIES = 4

/** Called when the server did not answer a renewal, which goes on. */
let noteLost: (() => void) | undefined
/** Fulfilled as soon as a renewal gets no answer, and after `patience` milliseconds. */
export const renewalIsLost = (patience: number): Promise<void> =>
  new Promise((resolve) => {
    noteLost = resolve
    setTimeout(resolve, navigator.onLine ? patience : 0)
  })

async function exchange(): Promise<boolean> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const response = await post('/api/auth/refresh')
    if (response?.ok) {
      accept((readJson(await response.text(), response.headers.get(PUBLIC_URL)) as { data: LoginResponse }).data)
      return true
    }
    if (!isUndecided(response)) {
      // Pages that are open may contain what the user has typed.
      if (userId === undefined) forget()
      else {
        token = undefined
        setLapsed(true)
      }
      return false
    }
    if (response === undefined || response.status >= 502) noteLost?.()
    // The header may be missing, or be a date.
    const seconds = Number(response?.headers.get('retry-after')) || tries
    await new Promise((resolve) => setTimeout(resolve, Math.min(10, seconds) * 1000))
  }
  return false
}

/** Set while the server has not heard yet that the user of this browser has signed out. */
const SIGNING_OUT = 'tessera.signingOut'

/** Whether the session that the cookie belongs to is still to be ended. */
export const isSigningOut = (): boolean => storage.getItem(SIGNING_OUT) !== null

/** Forgets a session that the server could not be asked to end. `finishSignOut` ends it when the server can be reached. */
export function signOutLater(): void {
  storage.setItem(SIGNING_OUT, '1')
  forget()
}

/** Ends the session of the cookie if the user has signed out of it. False: the server still cannot be reached. */
export function finishSignOut(): Promise<boolean> {
  return exclusively(async () => {
    if (!isSigningOut()) return true
    const renewed = await post('/api/auth/refresh')
    if (isUndecided(renewed)) return false
    if (renewed?.ok) {
      const { data } = (await renewed.json()) as { data: LoginResponse }
      if (isUndecided(await post('/api/auth/logout', { authorization: `Bearer ${data.accessToken}` }))) return false
    }
    storage.removeItem(SIGNING_OUT)
    return true
  })
}

// Another tab signed out: this one must not go on with a token in its memory.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key === SIGNED_IN && newValue === null) forget()
})
