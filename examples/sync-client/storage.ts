/** The rows and state that a client keeps between two starts: an interface for every platform, and an implementation in memory. */

export type Data = Record<string, unknown>

/** A change by the user, which is sent as one record. */
export interface Edit {
  /** The changed fields; null deletes the row. */
  readonly data: Data | null
  /** The version that the user has seen; 0 if the row is new. */
  readonly baseVersion: number
  /** When the user made the change, by the clock of this device. */
  readonly updatedAt: number
}

export interface Refusal {
  readonly code: number
  readonly message: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

export interface Row {
  readonly entity: string
  /** Chosen by this device, and unique on it. */
  readonly localId: string
  /** null until the server has the row. */
  readonly serverId: number | null
  /** The newest version and state of the server that this device knows; 0 and null if the server does not have the row. */
  readonly version: number
  readonly server: Data | null
  /** The server has deleted the row, or this user may no longer see it. */
  readonly isGone: boolean
  /** The edit that was sent and has not been answered. */
  readonly sent: Edit | null
  /** The edit that waits to be sent. */
  readonly edit: Edit | null
  /** Why the server refused `edit`. It is not sent again until the user changes it. */
  readonly refusal: Refusal | null
  /** Fields of the last edit that the server left out, because the rows that they refer to were deleted. */
  readonly dropped?: readonly string[]
  /** `updatedAt` of the last edit. */
  readonly editedAt: number
}

export interface PushRecord {
  readonly entity: string
  readonly localId: string
  readonly serverId?: number
  readonly baseVersion: number
  readonly updatedAt: number
  readonly deleted?: true
  readonly data?: Data
}

export interface Conflict {
  readonly id: number
  readonly entity: string
  readonly localId: string
  readonly serverId: number
  readonly winner: 'SERVER' | 'CLIENT'
  /** null for a deletion, also in `serverData`. */
  readonly clientData: Data | null
  readonly serverData: Data | null
}

export interface State {
  /** The cursor: this device has every change up to here. */
  readonly since: number
  /** The batch that was sent and has not been answered. */
  readonly batch: { readonly id: string; readonly records: readonly PushRecord[] } | null
  /** Decisions of the user about conflicts that have not been sent. */
  readonly decisions: readonly { readonly conflict: Conflict; readonly acceptServer: boolean }[]
}
export const EMPTY: State = { since: 0, batch: null, decisions: [] }

export interface Transaction {
  state(): Promise<State>
  setState(state: State): Promise<void>
  get(entity: string, localId: string): Promise<Row | undefined>
  byServerId(entity: string, serverId: number): Promise<Row | undefined>
  rows(entity?: string): Promise<Row[]>
  /** The rows with an `edit`. */
  edited(): Promise<Row[]>
  put(row: Row): Promise<void>
  delete(row: Row): Promise<void>
}

export interface Storage {
  /** Tabs with storages of one name share their content. */
  readonly name: string
  /**
   * Runs one transaction after the other. If `run` throws, none of its changes is kept; otherwise they survive a crash. `run` may only wait for
   * its transaction.
   */
  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>
}

/** For tests and small programs: each transaction copies the index of all rows. */
export class MemoryStorage implements Storage {
  readonly name = crypto.randomUUID()
  #rows = new Map<string, Row>()
  #keys = new Map<string, string>()
  #state = EMPTY
  #last: Promise<unknown> = Promise.resolve()

  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T> {
    const result = this.#last.then(async () => {
      const [rows, keys] = [new Map(this.#rows), new Map(this.#keys)]
      let state = this.#state
      const key = ({ entity, localId }: Row) => `${entity}/${localId}`
      const value = await run({
        state: async () => state,
        setState: async (changed) => void (state = changed),
        get: async (entity, localId) => rows.get(`${entity}/${localId}`),
        byServerId: async (entity, serverId) => rows.get(keys.get(`${entity}/${serverId}`) ?? ''),
        rows: async (entity) => [...rows.values()].filter((row) => entity === undefined || row.entity === entity),
        edited: async () => [...rows.values()].filter((row) => row.edit !== null),
        async put(row) {
          rows.set(key(row), row)
          if (row.serverId !== null) keys.set(`${row.entity}/${row.serverId}`, key(row))
        },
        async delete(row) {
          rows.delete(key(row))
          keys.delete(`${row.entity}/${row.serverId}`)
        },
      })
      this.#rows = rows
      this.#keys = keys
      this.#state = state
      return value
    })
    this.#last = result.catch(() => undefined)
    return result
  }
}
