/**
 * Things that the user did without a connection, such as scans at a gate. They are kept in the database of this browser before they are sent,
 * and sent in their order when their user is signed in, whichever page is open. Entries that the server refuses are set aside with the reason until
 * the user sends it again or discards it.
 */

import { isAway, onConnection } from '../api/connection.ts'
import { ApiError } from '../api/errors.ts'
import { accessToken } from '../api/tokens.ts'
import { transact, type Transaction } from '../browser/database.ts'
import type { Localized } from '../i18n/locale.ts'
import { currentSession, onSession } from './session.ts'

/** Which `OutboxKind` sends an entry. */
export type Kind = 'gate' | 'inventory' | 'handover' | 'supply' | 'qrCode' | 'asset'

export interface Entry<Body = unknown> {
  /** Given by the database, ascending. */
  readonly id?: number
  readonly userId: number
  readonly kind: Kind
  /** The activity of the gate, for example, or the organization of a draft (0: the user). The order is kept within a subject. */
  readonly subject: number
  readonly body: Body
  /** Why the server did not take it. Such entries are not sent again until the user asks for it. */
  readonly refusal?: string
  /** The HTTP status of the refusal. */
  readonly status?: number
}

export interface OutboxKind {
  readonly name: Kind
  /** Entries of one request. */
  readonly batch: number
  /**
   * Sends entries of one user and subject. The server must accept a repetition. The function that it returns runs in the transaction that removes them.
   *
   * @throws ApiError
   */
  readonly send: (entries: readonly Entry[]) => Promise<((tx: Transaction) => Promise<void>) | undefined>
  /** Says how many are left. */
  readonly notice: (n: number) => Localized
}

/** Milliseconds between two attempts. A random part, up to as much, keeps the browsers of one server apart. */
const PAUSE = 10_000

const kinds = new Map<Kind, OutboxKind>()
/** Unsent entries of the signed-in user, by kind. */
let counts = new Map<Kind, number>()
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()
// Other tabs add and send entries, too.
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('tessera.outbox') : undefined

/** Notifies the listener when entries were added, sent or refused, in this tab or another one. */
export function onOutbox(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const tell = (): void => {
  for (const listener of listeners) listener()
}

/** The `unsent` of an area, whose entries are of this kind. */
export function outboxOf(kind: OutboxKind): {
  start: () => void
  send: () => Promise<void>
  notice: () => Localized | undefined
} {
  kinds.set(kind.name, kind)
  const unsent = (): number => counts.get(kind.name) ?? 0
  return {
    start: startSending,
    send: sendOutbox,
    notice: () => (unsent() === 0 ? undefined : kind.notice(unsent())),
  }
}

let isStarted = false
function startSending(): void {
  if (isStarted) return
  isStarted = true
  void sendOutbox()
  onSession(() => void sendOutbox())
  onConnection(() => void (isAway() || sendOutbox()))
  globalThis.addEventListener('online', () => void sendOutbox())
  channel?.addEventListener('message', () => void recount().catch(() => undefined))
}

/** Keeps an entry, in a transaction that may write more. */
export const addEntry = (tx: Transaction, entry: Entry): Promise<unknown> => tx.put('outbox', entry)

const isWaiting = ({ refusal }: Entry): boolean => refusal === undefined

export async function readEntries<Body>(userId: number, kind: Kind, subject: number): Promise<Entry<Body>[]> {
  return await transact('readonly', (tx) => tx.entries<Entry<Body>>(userId, kind, subject))
}

/** Counts what waits, after a change by this tab. */
export async function countUnsent(): Promise<void> {
  await recount()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches pages of its own origin only
  channel?.postMessage(null)
}

async function recount(): Promise<void> {
  const user = currentSession()?.user
  const entries = user === undefined ? [] : await transact('readonly', (tx) => tx.entries<Entry>(user.id))
  const next = new Map<Kind, number>()
  for (const { kind } of entries.filter(isWaiting)) next.set(kind, (next.get(kind) ?? 0) + 1)
  counts = next
  tell()
}

/** Tries to send everything now. Never rejects. */
export async function sendOutbox(): Promise<void> {
  clearTimeout(timer)
  const user = currentSession()?.user
  if (user === undefined) {
    counts = new Map()
    return
  }
  try {
    await recount()
    const entries = await transact('readonly', (tx) => tx.entries<Entry>(user.id))
    const subjects = new Map(entries.filter(isWaiting).map((entry) => [`${entry.kind} ${entry.subject}`, entry]))
    if (accessToken() !== undefined)
      await Promise.allSettled([...subjects.values()].map(({ kind, subject }) => sendSubject(user.id, kind, subject)))
  } catch {
    // The browser refuses its database.
  }
  clearTimeout(timer)
  if (counts.size > 0) timer = setTimeout(() => void sendOutbox(), PAUSE * (1 + Math.random()))
}

/**
 * Sends the entries of one subject in their order. Those that the server refuses are set aside, so that the others are not held up.
 *
 * @throws ApiError if the server cannot be reached
 */
export async function sendSubject(userId: number, kind: Kind, subject: number): Promise<void> {
  // Another tab may be sending them.
  await exclusively(`tessera.outbox.${userId}.${kind}.${subject}`, async () => {
    const { batch } = kinds.get(kind)!
    // Others may be added meanwhile.
    for (;;) {
      const waiting = (await readEntries(userId, kind, subject)).filter(isWaiting)
      if (waiting.length === 0) break
      for (let at = 0; at < waiting.length; at += batch) {
        await sendBatch(kind, waiting.slice(at, at + batch))
        await countUnsent()
      }
    }
  })
}

async function sendBatch(kind: Kind, entries: readonly Entry[]): Promise<void> {
  try {
    const write = await kinds.get(kind)!.send(entries)
    await transact('readwrite', async (tx) => {
      for (const { id } of entries) await tx.delete('outbox', id!)
      await write?.(tx)
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (entries.length > 1 && !isAboutAll(error)) {
      const half = entries.length >> 1
      await sendBatch(kind, entries.slice(0, half))
      await sendBatch(kind, entries.slice(half))
    } else
      await transact('readwrite', async (tx) => {
        for (const entry of entries) await tx.put('outbox', { ...entry, refusal: error.message, status: error.status })
      })
  }
}

/** Makes the refused entries wait again. */
export async function resetRefused(userId: number, kind: Kind, subject: number): Promise<void> {
  await transact('readwrite', async (tx) => {
    for (const { id, body, refusal } of await tx.entries<Entry>(userId, kind, subject))
      if (refusal !== undefined) await tx.put('outbox', { id, userId, kind, subject, body })
  })
  await countUnsent()
}

/** Deletes the refused entries, or one of them. */
export async function discardRefused(userId: number, kind: Kind, subject: number, only?: number): Promise<void> {
  await transact('readwrite', async (tx) => {
    for (const { id, refusal } of await tx.entries<Entry>(userId, kind, subject))
      if (refusal !== undefined && (only === undefined || id === only)) await tx.delete('outbox', id!)
  })
  await countUnsent()
}

/** Whether the server will not take this request at another time either. After 401, 408 and 429 it may. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && (isAboutAll(error) || [400, 409, 413, 422].includes(error.status))

/** The subject was deleted or disabled, or the user has lost the permission. */
const isAboutAll = ({ status }: ApiError): boolean => status === 403 || status === 404

const running = new Map<string, Promise<void>>()

/** One after the other, in all tabs of the browser; without https, which has no locks, in this tab. */
function exclusively(name: string, work: () => Promise<void>): Promise<void> {
  const run = () => ('locks' in navigator ? navigator.locks.request(name, work) : work())
  const next = (running.get(name) ?? Promise.resolve()).then(run, run)
  running.set(name, next)
  return next
}
