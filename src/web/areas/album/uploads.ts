/**
 * Photos that are being added to an album, two at a time. They go on while other pages are shown, and end with the session: they must not
 * be added to the album of the next user.
 */

import { useEffect, useRef, useSyncExternalStore } from 'react'

import { upload } from '../../api/client.ts'
import { useRefresh } from '../../api/hooks.ts'
import { newId } from '../../api/new-id.ts'
import { onLogin } from '../../api/tokens.ts'
import type { Localized } from '../../i18n/locale.ts'
import { ownerQuery } from '../../session/session.ts'

export interface Upload {
  /** Sent with the photo: if the answer is lost and the user tries again, there is one photo. */
  readonly id: string
  readonly file: File
  /** The workspace in which it was chosen. */
  readonly owner: { readonly orgId?: number }
  readonly state: 'waiting' | 'sending' | 'done' | 'failed'
  /** The fraction that was sent, 0 to 1. The server converts the picture afterwards. */
  readonly sent: number
  readonly error?: unknown
}

/** More would not be faster: the server works on two pictures at a time. */
const AT_ONCE = 2

let list: readonly Upload[] = []
/** Ends the requests of a session. */
let session = new AbortController()
const listeners = new Set<() => void>()

function set(next: readonly Upload[]): void {
  list = next
  for (const listener of listeners) listener()
}

const change = (id: string, part: Partial<Upload>): void =>
  set(list.map((one) => (one.id === id ? { ...one, ...part } : one)))

const isRunning = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending'

function start(): void {
  const free = AT_ONCE - list.filter(({ state }) => state === 'sending').length
  const waiting = list.filter(({ state }) => state === 'waiting')
  for (const next of waiting.slice(0, Math.max(0, free))) void send(next)
}

async function send({ id, file, owner }: Upload): Promise<void> {
  change(id, { state: 'sending', sent: 0 })
  const form = new FormData()
  if (owner.orgId !== undefined) form.set('orgId', String(owner.orgId))
  form.set('requestId', id)
  form.set('file', file)
  const { signal } = session
  try {
    await upload('album.add', { query: owner, form, signal, onProgress: (sent) => change(id, { sent }) })
    change(id, { state: 'done', sent: 1 })
  } catch (error) {
    change(id, { state: 'failed', error })
  }
  start()
}

export function addPhotos(files: readonly File[]): void {
  const owner = ownerQuery()
  const added = files.map((file): Upload => ({ id: newId(), file, owner, state: 'waiting', sent: 0 }))
  set([...list.filter(({ state }) => state !== 'done'), ...added])
  start()
}

export function retryPhoto(id: string): void {
  change(id, { state: 'waiting', sent: 0, error: undefined })
  start()
}

/** Removes uploads that are done or have failed from the list. */
export const clearUploads = (): void => set(list.filter(isRunning))

/** The uploads. When all have ended, the album is read again. */
export function useUploads(): readonly Upload[] {
  const refresh = useRefresh()
  const uploads = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => list,
  )
  const running = uploads.some(isRunning)
  const wasRunning = useRef(running)
  useEffect(() => {
    if (wasRunning.current && !running) void refresh('album', 'profile.quotas')
    wasRunning.current = running
  })
  return uploads
}

export function stopUploadsAtSignOut(): void {
  onLogin((login) => {
    if (login !== undefined) return
    session.abort()
    session = new AbortController()
    set([])
  })
}

/** Resolves when all have ended. */
export async function finishUploads(): Promise<void> {
  while (list.some(isRunning))
    await new Promise<void>((resolve) => {
      const listener = () => {
        listeners.delete(listener)
        resolve()
      }
      listeners.add(listener)
    })
}

/** Undefined if all have ended. */
export function uploadsNotice(): Localized | undefined {
  const n = list.filter(isRunning).length
  if (n === 0) return undefined
  return {
    en: n === 1 ? '1 photo is not added yet and will be lost.' : `${n} photos are not added yet and will be lost.`,
    zh: `${n} 张照片尚未添加完成，将会丢失。`,
  }
}
