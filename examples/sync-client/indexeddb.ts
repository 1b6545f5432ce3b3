/** Keeps rows in IndexedDB, for browsers. */

import { EMPTY, type Row, type State, type Storage, type Transaction } from './storage.ts'

/** A row with the keys of its indexes. A row without a key is not in that index. */
type Stored = Row & { key: string; serverKey?: string; isEdited?: 1 }

export class IndexedDbStorage implements Storage {
  readonly #db: IDBDatabase
  private constructor(
    readonly name: string,
    db: IDBDatabase,
  ) {
    this.#db = db
  }

  /** Use another name for each user and server. */
  static async open(name: string): Promise<IndexedDbStorage> {
    const request = indexedDB.open(name, 1)
    request.addEventListener('upgradeneeded', () => {
      const rows = request.result.createObjectStore('rows', { keyPath: 'key' })
      rows.createIndex('entity', 'entity')
      rows.createIndex('serverKey', 'serverKey')
      rows.createIndex('isEdited', 'isEdited')
      request.result.createObjectStore('state')
    })
    return new IndexedDbStorage(name, await answerOf(request))
  }

  close(): void {
    this.#db.close()
  }

  async transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T> {
    // By default some browsers answer before the data is on disk.
    const transaction = this.#db.transaction(['rows', 'state'], 'readwrite', { durability: 'strict' })
    const ended = new Promise<void>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve())
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('the transaction was aborted')))
    })
    try {
      const result = await run(begin(transaction))
      await ended
      return result
    } catch (error) {
      ended.catch(() => undefined)
      try {
        transaction.abort()
      } catch {
        // It has ended already: `error` says why.
      }
      throw error
    }
  }
}

function begin(transaction: IDBTransaction): Transaction {
  const rows = transaction.objectStore('rows')
  const state = transaction.objectStore('state')
  const all = (index: string, key: IDBValidKey) => answerOf<Row[]>(rows.index(index).getAll(key))
  return {
    state: async () => (await answerOf<State | undefined>(state.get('state'))) ?? EMPTY,
    setState: async (value) => void (await answerOf(state.put(value, 'state'))),
    get: (entity, localId) => answerOf<Row | undefined>(rows.get(`${entity}/${localId}`)),
    byServerId: async (entity, serverId) => (await all('serverKey', `${entity}/${serverId}`))[0],
    rows: (entity) => (entity === undefined ? answerOf<Row[]>(rows.getAll()) : all('entity', entity)),
    edited: () => all('isEdited', 1),
    async put(row) {
      const { serverKey: _, isEdited: __, ...plain } = row as Stored
      const stored: Stored = { ...plain, key: `${row.entity}/${row.localId}` }
      if (row.serverId !== null) stored.serverKey = `${row.entity}/${row.serverId}`
      if (row.edit !== null) stored.isEdited = 1
      await answerOf(rows.put(stored))
    },
    delete: async (row) => void (await answerOf(rows.delete(`${row.entity}/${row.localId}`))),
  }
}

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
