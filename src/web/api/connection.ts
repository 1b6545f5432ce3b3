/**
 * Whether the server can be reached, as far as this page knows. A lost or hung network is recognized once: until the server has answered
 * again, operations whose answers were kept are not sent (kept.ts).
 */

import { isResting, onLogin, renew } from './tokens.ts'

/** Milliseconds between two questions whether the server answers again, and for which one is waited for. */
const PAUSE = 5_000

let away = false
/** When the oldest kept answer was read that is shown now. */
let since: number | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

export const isAway = (): boolean => away
export const keptSince = (): number | undefined => since

/** Notifies the listener when the connection is lost or back, and when older answers are shown. */
export function onConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const tell = (): void => {
  for (const listener of listeners) listener()
}

/** An answer of this time (epoch milliseconds) is shown, because the server did not answer. */
export function showKept(at: number): void {
  if (!away) {
    away = true
    timer = setTimeout(() => void ask(), PAUSE)
  } else if (since !== undefined && since <= at) return
  since = at
  tell()
}

/** The server has answered. */
export function setConnected(): void {
  if (!away || isResting()) return
  away = false
  since = undefined
  clearTimeout(timer)
  tell()
}

async function ask(): Promise<void> {
  clearTimeout(timer)
  if (!away) return
  // Without tokens, the first thing to know is whether the session lasts.
  if (isResting() ? await renew() : await isThere()) setConnected()
  clearTimeout(timer)
  if (away) timer = setTimeout(() => void ask(), PAUSE)
}

const isThere = async (): Promise<boolean> => {
  const options: RequestInit = { cache: 'no-store', signal: AbortSignal.timeout(PAUSE) }
  const answer = await fetch('/manifest.webmanifest', options).catch(() => undefined)
  return answer?.ok === true
}

onLogin((login) => {
  if (login !== undefined) setConnected()
})
globalThis.addEventListener('online', () => void ask())
