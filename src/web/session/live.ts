/**
 * The socket, over which the server reports changes at once. It is a hint and the server's lists are the truth, so after each new connection
 * everything that is shown is read again (`reconnected`, in shell/LiveUpdates.tsx).
 */

import { useEffect, useSyncExternalStore } from 'react'

import { readJson } from '../api/local-addresses.ts'
import { accessToken, expiresSoon, forget, onLogin, renew } from '../api/tokens.ts'

export interface Frame {
  readonly type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- the shapes are those of docs/chat.md
  readonly data: any
}
type Listener = (frame: Frame) => void

export interface Unread {
  readonly messages: number
  readonly notifications: number
}

const listeners = new Map<string, Set<Listener>>()
let socket: WebSocket | undefined
let failures = 0
/** Whether this user was connected before, so that the next `hello` ends an interruption. */
let wasConnected = false
let timer: ReturnType<typeof setTimeout> | undefined
/** Why the session ended, for the sign-in page. */
let endReason: string | undefined
let unread: Unread = { messages: 0, notifications: 0 }
const unreadListeners = new Set<() => void>()

export const sessionEndReason = (): string | undefined => endReason

/** Connects while somebody is signed in. Called once. */
export function startLive(): void {
  onLogin((login) => {
    if (login === undefined) stop()
    else if (socket === undefined) {
      endReason = undefined
      // Sockets are refused until the password is changed, which ends the session.
      if (!login.mustChangePassword) connect()
    }
  })
}

function connect(): void {
  clearTimeout(timer)
  const token = accessToken()
  if (token === undefined) return
  const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/ws/chat`, ['bearer', token])
  socket = opened
  opened.addEventListener('message', ({ data }) => {
    const frame = readJson(String(data)) as Frame
    if (frame.type === 'hello') {
      failures = 0
      setUnread(frame.data.unread)
      if (wasConnected) deliver({ type: 'reconnected', data: frame.data })
      wasConnected = true
    }
    if (frame.type === 'notification') setUnread({ ...unread, notifications: frame.data.unreadCount })
    if (frame.type === 'session.revoked') {
      // The access token may have expired while its session goes on: the handler of `close` renews it.
      if (frame.data.reason !== 'EXPIRED') {
        endReason = frame.data.reason
        forget()
      }
    }
    deliver(frame)
  })
  opened.addEventListener('close', ({ code, reason }) => {
    if (socket !== opened) return
    socket = undefined
    if (accessToken() === undefined) return
    const asked = Number(/retry after (\d+) ms/.exec(reason)?.[1] ?? 0)
    const wait = asked || Math.min(60_000, 1000 * 2 ** failures++) * (0.5 + Math.random())
    // A handshake that was refused has no reason: the token may have expired.
    timer = setTimeout(
      () => void (code === 4401 || expiresSoon() ? renew().then(connectIfAlone) : connectIfAlone()),
      wait,
    )
  })
}

function deliver(frame: Frame): void {
  for (const listener of listeners.get(frame.type) ?? []) listener(frame)
}

function connectIfAlone(): void {
  if (socket === undefined) connect()
}

function stop(): void {
  clearTimeout(timer)
  const closing = socket
  socket = undefined
  wasConnected = false
  closing?.close()
  setUnread({ messages: 0, notifications: 0 })
}

export function sendFrame(type: string, data: object): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type, data }))
}

/**
 * Calls `listener` with each frame of a type, and of the type `reconnected` after an interruption, while the component is shown. `listener` must be
 * stable (useCallback).
 */
export function useLive(type: string, listener: Listener): void {
  useEffect(() => {
    const all = listeners.get(type) ?? new Set()
    listeners.set(type, all.add(listener))
    return () => void all.delete(listener)
  }, [type, listener])
}

export function setUnread(next: Unread): void {
  unread = next
  for (const listener of unreadListeners) listener()
}

export const setUnreadMessages = (messages: number): void => setUnread({ ...unread, messages })
export const addUnreadMessages = (change: number): void =>
  setUnread({ ...unread, messages: Math.max(0, unread.messages + change) })
export const setUnreadNotifications = (notifications: number): void => setUnread({ ...unread, notifications })

/** Numbers of unread messages and notifications, for badges. */
export const useUnread = (): Unread =>
  useSyncExternalStore(
    (listener) => {
      unreadListeners.add(listener)
      return () => unreadListeners.delete(listener)
    },
    () => unread,
  )
