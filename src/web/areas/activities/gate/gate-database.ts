/**
 * The rows that gates keep in the browser, in IndexedDB: its transactions are atomic across tabs, and lists of revoked passes may be larger than
 * localStorage. Every row belongs to a user and an activity.
 */

import type { GateDirection, PassKey } from '../../../api/types.ts'

/** A gate that has been prepared or has scanned. */
export interface GateRow {
  readonly userId: number
  readonly activityId: number
  readonly keys: readonly PassKey[]
  /** `since` of the next request for revocations. */
  readonly until: number
  /** When keys and revocations were read; 0 if never. */
  readonly preparedAt: number
  /** Visitors that this browser has let in. */
  readonly admitted: number
  /** Passes that got in at another gate too, which an upload found. */
  readonly doubleUses: number
}

/** A scan that the server has not got yet. */
export interface ScanRow {
  /** Given by the database, ascending. */
  readonly id?: number
  readonly userId: number
  readonly activityId: number
  readonly content: string
  readonly nonce: string
  /** Epoch milliseconds. */
  readonly usedAt: number
  readonly direction: GateDirection
  /** Why the server did not take it. Such scans are not sent again until the user asks for it. */
  readonly refusal?: string
}

/** A pass that this gate has seen. */
export interface UsesRow {
  readonly userId: number
  readonly activityId: number
  readonly uuid: string
  /** Entries; null for unlimited. */
  readonly left: number | null
  /** Its last passage was an exit. */
  readonly hasLeft: boolean
}

/** The nonce of a scan to which the server has given no answer. */
export interface NonceRow {
  readonly userId: number
  readonly activityId: number
  readonly direction: GateDirection
  /** The uuid of the pass, or the whole content if it contains none. */
  readonly pass: string
  readonly nonce: string
}

interface Rows {
  gates: GateRow
  revoked: { readonly userId: number; readonly activityId: number; readonly uuid: string }
  uses: UsesRow
  nonces: NonceRow
  scans: ScanRow
}
export type StoreName = keyof Rows

const KEYS: Record<Exclude<StoreName, 'scans'>, string[]> = {
  gates: ['userId', 'activityId'],
  revoked: ['userId', 'activityId', 'uuid'],
  uses: ['userId', 'activityId', 'uuid'],
  nonces: ['userId', 'activityId', 'direction', 'pass'],
}

/** Index of scans by user and activity. */
export const BY_GATE = 'byGate'

let opened: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('tessera.gates', 1)
    request.addEventListener('upgradeneeded', () => {
      for (const [name, keyPath] of Object.entries(KEYS)) request.result.createObjectStore(name, { keyPath })
      const scans = request.result.createObjectStore('scans', { keyPath: 'id', autoIncrement: true })
      scans.createIndex(BY_GATE, ['userId', 'activityId'])
    })
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error!))
  })
  // The next scan tries again.
  opened.catch(() => (opened = undefined))
  return opened
}

/** The stores of a transaction. Nothing but these may be awaited inside it, because it ends as soon as it has nothing to do. */
export interface Transaction {
  get<Name extends StoreName>(name: Name, key: IDBValidKey): Promise<Rows[Name] | undefined>
  put<Name extends StoreName>(name: Name, row: Rows[Name]): Promise<unknown>
  delete(name: StoreName, key: IDBValidKey | IDBKeyRange): Promise<unknown>
  clear(name: StoreName): Promise<unknown>
  count(name: StoreName, range: IDBKeyRange): Promise<number>
  scans(range: IDBKeyRange | IDBValidKey): Promise<ScanRow[]>
}

/** Runs `work` in one transaction over all stores. If it throws, nothing is changed. @throws DOMException */
export async function transact<Result>(
  mode: 'readonly' | 'readwrite',
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  // Strict: an entry must be on the disk before the visitor is let in.
  const tx = (await open()).transaction([...Object.keys(KEYS), 'scans'], mode, { durability: 'strict' })
  const ended = new Promise<void>((resolve, reject) => {
    tx.addEventListener('complete', () => resolve())
    tx.addEventListener('abort', () => reject(tx.error ?? new DOMException('aborted', 'AbortError')))
  })
  const store = (name: StoreName) => tx.objectStore(name)
  try {
    const result = await work({
      get: async (name, key) => (await answerOf(store(name).get(key))) as never,
      put: (name, row) => answerOf(store(name).put(row)),
      delete: (name, key) => answerOf(store(name).delete(key)),
      clear: (name) => answerOf(store(name).clear()),
      count: (name, range) => answerOf(store(name).count(range)),
      scans: (range) => answerOf(store('scans').index(BY_GATE).getAll(range) as IDBRequest<ScanRow[]>),
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
export const beginningWith = (...parts: readonly number[]): IDBKeyRange => IDBKeyRange.bound([...parts], [...parts, []])
