/**
 * Messages on their way. They are kept outside the page, so that the user can leave the conversation meanwhile. A message that failed
 * is sent again with the same `clientMsgId`, which the server stores once.
 */

import { useSyncExternalStore } from 'react'

import { call } from '../../api/client.ts'
import { ApiError, isLost } from '../../api/errors.ts'
import { newId } from '../../api/new-id.ts'
import { onLogin } from '../../api/tokens.ts'
import type { BodyOf, Message, UploadedFile } from '../../api/types.ts'
import { uploadFile } from '../../api/upload-file.ts'

/** A conversation, or a user with whom there is none yet. */
export type Target = { readonly conversationId: number } | { readonly toUserId: number }

export interface Outgoing {
  readonly clientMsgId: string
  readonly target: Target
  readonly type: 'TEXT' | 'FILE' | 'VOICE' | 'CARD' | 'LOCATION'
  readonly content: Readonly<Record<string, unknown>>
  readonly replyToId: number | null
  /** Sent as a picture or video if the server says that it is one, unless it is VOICE. */
  readonly file: File | null
  /** The version of the draft that this message was, if the server has one. */
  readonly draftVersion: (() => Promise<number | undefined>) | null
  /** Fraction of the file that was uploaded, 0 to 1. */
  readonly progress: number
  readonly error: ApiError | null
}

let outgoing: readonly Outgoing[] = []
const uploaded = new Map<string, UploadedFile>()
const listeners = new Set<() => void>()
const sentListeners = new Set<(messages: readonly Message[], target: Target) => void>()
/** Messages leave one after the other, in the order in which they were written. */
let queue: Promise<void> = Promise.resolve()

function set(next: readonly Outgoing[]): void {
  outgoing = next
  for (const listener of listeners) listener()
}
const change = (clientMsgId: string, part: Partial<Outgoing>): void =>
  set(outgoing.map((each) => (each.clientMsgId === clientMsgId ? { ...each, ...part } : each)))

export type NewMessage = Pick<Outgoing, 'target' | 'type' | 'content'> &
  Partial<Pick<Outgoing, 'replyToId' | 'file' | 'draftVersion'>>

export function sendMessage(message: NewMessage): void {
  const clientMsgId = newId()
  set([
    ...outgoing,
    { replyToId: null, file: null, draftVersion: null, ...message, clientMsgId, progress: 0, error: null },
  ])
  enqueue(clientMsgId)
}

export function sendAgain(clientMsgId: string): void {
  change(clientMsgId, { error: null })
  enqueue(clientMsgId)
}

export function discard(clientMsgId: string): void {
  uploaded.delete(clientMsgId)
  set(outgoing.filter((each) => each.clientMsgId !== clientMsgId))
}

/** Sends again what could not reach the server. Called when the connection is back. */
export function sendUnreached(): void {
  for (const { clientMsgId, error } of outgoing) if (isLost(error)) sendAgain(clientMsgId)
}

function enqueue(clientMsgId: string): void {
  queue = queue.then(() => deliver(clientMsgId))
}

async function deliver(clientMsgId: string): Promise<void> {
  const message = outgoing.find((each) => each.clientMsgId === clientMsgId)
  if (message === undefined) return
  try {
    const { target, replyToId } = message
    const draftVersion = await message.draftVersion?.()
    const draft = draftVersion === undefined ? {} : { draftVersion }
    const body = { ...target, clientMsgId, replyToId, ...draft, ...(await contentOf(message)) }
    // Discarded meanwhile, or its author has signed out: it must not be sent with the token of the next user.
    if (!outgoing.some((each) => each.clientMsgId === clientMsgId)) return
    const { messages } = await call('messages.send', { body: body as BodyOf<'messages.send'> })
    for (const listener of sentListeners) listener(messages, message.target)
    discard(clientMsgId)
  } catch (problem) {
    change(clientMsgId, { error: problem instanceof ApiError ? problem : new ApiError(0, 0, String(problem)) })
  }
}

async function contentOf(message: Outgoing): Promise<{ type: string; content: object }> {
  const { clientMsgId, type, content, file } = message
  if (file === null) return { type, content }
  const stored =
    uploaded.get(clientMsgId) ??
    (await uploadFile(file, {
      type: 'other',
      requestId: clientMsgId,
      onProgress: (progress) => change(clientMsgId, { progress }),
    }))
  uploaded.set(clientMsgId, stored)
  if (type === 'VOICE') return { type, content: { ...content, fileId: stored.id } }
  const isPicture = ['image/jpeg', 'image/png', 'image/webp'].includes(stored.mime)
  const kind = isPicture ? 'IMAGE' : stored.mime.startsWith('video/') ? 'VIDEO' : 'FILE'
  return { type: kind, content: { ...content, fileId: stored.id } }
}

// The next user of this browser must neither see nor send what the one before has written.
onLogin((login) => {
  if (login !== undefined) return
  uploaded.clear()
  set([])
})

const isSame = (a: Target, b: Target): boolean =>
  'conversationId' in a
    ? 'conversationId' in b && a.conversationId === b.conversationId
    : 'toUserId' in b && a.toUserId === b.toUserId

export function useOutgoing(target: Target): readonly Outgoing[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => outgoing,
  )
  return all.filter((each) => isSame(each.target, target))
}

/** Calls `listener` with the stored messages of each request that succeeded. Returns the function that ends it. */
export function onSent(listener: (messages: readonly Message[], target: Target) => void): () => void {
  sentListeners.add(listener)
  return () => sentListeners.delete(listener)
}
