/**
 * Data of the signed-in user in this browser, in IndexedDB: its transactions are atomic across tabs, and it holds more than localStorage.
 * Every row belongs to a user. Nothing is written while nobody is signed in, and everything is deleted when the session ends, except the
 * entries of the outbox, of which this browser has the only copy (docs/adr/0033-offline.md). The rows of a gate without an account have its
 * negative id as user. Sessions do not touch them.
 */

import { deleteShared } from './shared.ts'
import { storage } from './storage.ts'

type Key = number | string

/** `keyPath` of each store that is emptied when the session ends. */
const KEYS = {
  gates: ['userId', 'activityId'],
  revoked: ['userId', 'activityId', 'uuid'],
  changed: ['userId', 'activityId', 'uuid'],
  uses: ['userId', 'activityId', 'uuid'],
  nonces: ['userId', 'activityId', 'direction', 'pass'],
  lists: ['userId', 'activityId', 'list'],
  admitted: ['userId', 'activityId', 'list', 'uuid'],
} as const
/** The last answers of operations, with an index by their time. */
const ANSWERS = 'answers'
const PRIVATE = [...Object.keys(KEYS), ANSWERS]
/** Has ascending numbers of the database as keys. */
const OUTBOX = 'outbox'
/** Index of the outbox by user, kind and subject. */
const BY_SUBJECT = 'bySubject'
const BY_TIME = 'byTime'
/** Answers that are kept. The oldest give way to new ones. */
const MAX_ANSWERS = 300

/** Milliseconds. Safari has been seen to open a database without ever answering. */
const PATIENCE = 3_000

let opened: Promise<IDBDatabase> | undefined

/** @throws DOMException if the browser refuses it or does not answer */
function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    setTimeout(() => reject(new DOMException('The database does not answer', 'UnknownError')), PATIENCE)
    const request = indexedDB.open('tessera', 3)
    request.addEventListener('upgradeneeded', ({ oldVersion }) => {
      for (const [name, keyPath] of Object.entries(KEYS))
        if (!request.result.objectStoreNames.contains(name))
          request.result.createObjectStore(name, { keyPath: [...keyPath] })
      // Versions 2 and 3 have added stores of the gate.
      if (oldVersion > 0) return
      const answers = request.result.createObjectStore(ANSWERS, { keyPath: ['userId', 'id', 'key'] })
      answers.createIndex(BY_TIME, 'at')
      const outbox = request.result.createObjectStore(OUTBOX, { keyPath: 'id', autoIncrement: true })
      outbox.createIndex(BY_SUBJECT, ['userId', 'kind', 'subject'])
    })
    request.addEventListener('success', () => {
      const database = request.result
      // The user has cleared the data of the site: the next call opens a new one.
      database.addEventListener('close', () => (opened = undefined))
      // A tab with a later version of the application waits for this one.
      database.addEventListener('versionchange', () => {
        database.close()
        opened = undefined
      })
      resolve(database)
    })
    request.addEventListener('error', () => reject(request.error!))
  })
  // The next call tries again.
  opened.catch(() => (opened = undefined))
  return opened
}

/** The stores of a transaction. Nothing but these may be awaited inside it, because it ends as soon as it has nothing to do. */
export interface Transaction {
  get<Row>(name: string, key: readonly Key[]): Promise<Row | undefined>
  put(name: string, row: object): Promise<unknown>
  delete(name: string, key: readonly Key[] | number): Promise<unknown>
  count(name: string, range: IDBKeyRange): Promise<number>
  /** The entries of the outbox with these first parts of user, kind and subject, in their order. */
  entries<Row>(...parts: readonly Key[]): Promise<Row[]>
}

/** The user whose rows may be written. */
let owner: number | undefined
/** This page is a gate without an account. */
let isGate = false
/** Set while there are rows that must be deleted when the session has ended: the id of their user. */
const KEPT = 'tessera.kept'

/** Drafts of messages, in the storage of the browser: it keeps each key that is pressed at once. */
export const CHAT_DRAFTS = 'tessera.chat-drafts'

/** Runs `work` in one transaction over all stores but that of the answers. If it throws, nothing is changed. @throws DOMException */
export async function transact<Result>(
  mode: 'readonly' | 'readwrite',
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const database = await open()
  // An answer may come after the sign-out.
  if (mode === 'readwrite' && owner === undefined && !isGate)
    throw new DOMException('Nobody is signed in', 'AbortError')
  // Strict: an entry must be on the disk before the visitor is let in.
  return await inTransaction(database.transaction([...Object.keys(KEYS), OUTBOX], mode, { durability: 'strict' }), work)
}

async function inTransaction<Result>(tx: IDBTransaction, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const ended = new Promise<void>((resolve, reject) => {
    tx.addEventListener('complete', () => resolve())
    tx.addEventListener('abort', () => reject(tx.error ?? new DOMException('aborted', 'AbortError')))
  })
  const store = (name: string) => tx.objectStore(name)
  try {
    const result = await work({
      get: async (name, key) => (await answerOf(store(name).get([...key]))) as never,
      put: (name, row) => answerOf(store(name).put(row)),
      delete: (name, key) => answerOf(store(name).delete(typeof key === 'number' ? key : [...key])),
      count: (name, range) => answerOf(store(name).count(range)),
      entries: async (...parts) =>
        (
          await answerOf(
            store(OUTBOX)
              .index(BY_SUBJECT)
              .getAll(beginningWith(...parts)),
          )
        ).toSorted((a, b) => a.id - b.id),
    })
    await ended
    return result
  } catch (error) {
    ended.catch(() => undefined)
    try {
      tx.abort()
    } catch {
      // It has ended by itself.
    }
    throw error
  }
}

const answerOf = <Answer>(request: IDBRequest<Answer>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error!))
  })

/** Keys that begin with these parts: an array is greater than every number and text. */
export const beginningWith = (...parts: readonly Key[]): IDBKeyRange => IDBKeyRange.bound([...parts], [...parts, []])

/** An answer of the server that is shown without a connection. */
export interface KeptAnswer {
  readonly userId: number
  /** Of the operation. */
  readonly id: string
  /** Its input. */
  readonly key: string
  readonly data: unknown
  /** Epoch milliseconds. */
  readonly at: number
}

/** @throws DOMException */
export async function keepAnswer(answer: KeptAnswer): Promise<void> {
  const database = await open()
  if (owner !== answer.userId) return
  const store = database.transaction(ANSWERS, 'readwrite').objectStore(ANSWERS)
  await answerOf(store.put(answer))
  const surplus = (await answerOf(store.count())) - MAX_ANSWERS
  if (surplus <= 0) return
  for (const key of await answerOf(store.index(BY_TIME).getAllKeys(null, surplus))) store.delete(key)
}

/** @throws DOMException */
export async function findAnswer(userId: number, id: string, key: string): Promise<KeptAnswer | undefined> {
  const store = (await open()).transaction(ANSWERS).objectStore(ANSWERS)
  return await answerOf(store.get([userId, id, key]) as IDBRequest<KeptAnswer | undefined>)
}

/** All kept answers of an operation. @throws DOMException */
export async function findAnswers(userId: number, id: string): Promise<KeptAnswer[]> {
  const store = (await open()).transaction(ANSWERS).objectStore(ANSWERS)
  return await answerOf(store.getAll(beginningWith(userId, id)) as IDBRequest<KeptAnswer[]>)
}

/** The user whose rows are kept. Undefined if there are none. */
export function keptUser(): number | undefined {
  const id = storage.getItem(KEPT)
  return id === null ? undefined : Number(id)
}

/** Rows are kept for this user from now on, and those of another one are deleted. Undefined: nobody is signed in, and all are deleted. */
export function keepFor(userId: number | undefined): void {
  // Another tab may have removed the mark, and this one may have written since.
  const before = storage.getItem(KEPT) ?? owner?.toString()
  owner = userId
  if (before !== undefined && before !== String(userId)) void deleteKept(before)
  if (userId !== undefined) storage.setItem(KEPT, String(userId))
}

/** This page writes rows of a gate without an account, also while a user is signed in. */
export function keepForGate(): void {
  isGate = true
}

/** If the browser refuses it, the next start of the page tries again. */
async function deleteKept(mark: string): Promise<void> {
  storage.removeItem(CHAT_DRAFTS)
  try {
    await deleteShared()
    const tx = (await open()).transaction(PRIVATE, 'readwrite')
    const ended = new Promise((resolve, reject) => {
      tx.addEventListener('complete', resolve)
      tx.addEventListener('abort', () => reject(tx.error!))
    })
    // The rows of gates without an account have negative keys.
    for (const name of PRIVATE) tx.objectStore(name).delete(IDBKeyRange.lowerBound([0]))
    await ended
    if (storage.getItem(KEPT) === mark && owner === undefined) storage.removeItem(KEPT)
  } catch {
    // The mark stays, unless another user has signed in.
  }
}
