/**
 * A careful client of Tessera's offline sync, to read and to copy. docs/sync.md explains the rules.
 *
 * The app reads and edits rows at any time, without a network. `sync` sends the edits and then gets the changes of others.
 */

import { call, type Connection, SyncError } from './http.ts'
import {
  edited,
  newId,
  newRow,
  refusals,
  type Result,
  save,
  takeBatch,
  type View,
  withResult,
  withServerId,
  withView,
  withWaiting,
} from './rows.ts'
import type { Conflict, Data, PushRecord, Refusal, Row, Storage, Transaction } from './storage.ts'

export interface Options extends Connection {
  /** For one user of one server. */
  storage: Storage
  now?: () => number
}

/** A row as the app shows it: the server's state with the edits of this device. */
export interface Item {
  readonly localId: string
  readonly data: Data
  readonly isUnsent: boolean
  readonly refusal: Refusal | null
  /** Fields of the last edit that were left out, because the rows that they refer to were deleted. Until the next edit. */
  readonly dropped: readonly string[]
}

interface Page {
  readonly serverTime: number
  readonly hasMore: boolean
  readonly resync: boolean
  readonly changes: Record<string, { readonly updated: readonly View[]; readonly deleted: readonly number[] }>
}

export class SyncClient {
  readonly #options: Options
  readonly #storage: Storage
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: Options) {
    this.#options = options
    this.#storage = options.storage
  }

  async list(entity: string): Promise<Item[]> {
    const rows = await this.#storage.transaction((tx) => tx.rows(entity))
    return rows.filter((row) => !isDeleted(row)).map(itemOf)
  }

  /** `id` is a local id, or an id of the server as in `categoryId` of another row. */
  async get(entity: string, id: string | number): Promise<Item | undefined> {
    const row = await this.#storage.transaction((tx) =>
      typeof id === 'string' ? tx.get(entity, id) : tx.byServerId(entity, id),
    )
    return row && !isDeleted(row) ? itemOf(row) : undefined
  }

  /** Returns the local id of the new row. Other rows can refer to it at once, for example with `categoryId: localId`. */
  async create(entity: string, data: Data): Promise<string> {
    const row = newRow(entity)
    await this.#storage.transaction(async (tx) =>
      tx.put(edited(row, await withServerId(tx, entity, data), this.#now())),
    )
    return row.localId
  }

  /** `data` has the changed fields. An edit that was refused is sent again. */
  async update(entity: string, localId: string, data: Data): Promise<void> {
    await this.#storage.transaction(async (tx) =>
      tx.put(edited(await find(tx, entity, localId), await withServerId(tx, entity, data), this.#now())),
    )
  }

  async delete(entity: string, localId: string): Promise<void> {
    await this.#storage.transaction(async (tx) => tx.put(edited(await find(tx, entity, localId), null, this.#now())))
  }

  /** Drops the edit that waits, for example because the server has refused it. */
  async discard(entity: string, localId: string): Promise<void> {
    await this.#storage.transaction(async (tx) => {
      const row = await find(tx, entity, localId)
      await save(tx, { ...row, edit: null, refusal: null })
    })
  }

  /** The open conflicts of the user, from all devices. */
  async conflicts(): Promise<Conflict[]> {
    const found: Conflict[] = []
    for (let page = 1; ; page++) {
      const { items } = await call<{ items: Conflict[] }>(
        this.#options,
        'GET',
        `/api/sync/conflicts?size=100&page=${page}`,
      )
      found.push(...items)
      if (items.length < 100) return found
    }
  }

  /** Decides a conflict for the state of the server or for that of the client. The server learns of it at the next `sync`. */
  async resolve(conflict: Conflict, acceptServer: boolean): Promise<void> {
    await this.#storage.transaction(async (tx) => {
      const state = await tx.state()
      await tx.setState({ ...state, decisions: [...state.decisions, { conflict, acceptServer }] })
    })
  }

  /**
   * Call it at the start, after edits, when the network is back, and every few minutes. If it throws, nothing is lost: call it again later. Calls
   * wait for each other, in all tabs of a browser.
   */
  async sync(): Promise<void> {
    const { locks } = (globalThis as { navigator?: { locks?: Locks } }).navigator ?? {}
    const run = () => (locks ? locks.request(`tessera-sync ${this.#storage.name}`, () => this.#run()) : this.#run())
    const result = this.#last.then(run)
    this.#last = result.catch(() => undefined)
    await result
  }

  async #run(): Promise<void> {
    // Before: the client then knows which rows were deleted, and sends all their fields.
    while (await this.#pull());
    let hasSent = false
    while ((await this.#decide()) || (await this.#push())) hasSent = true
    // After: rows come back with the values that the server has added.
    if (hasSent) while (await this.#pull());
  }

  /** Gets a page of changes. Returns whether there are more. */
  async #pull(): Promise<boolean> {
    const { since } = await this.#storage.transaction((tx) => tx.state())
    const page = await call<Page>(this.#options, 'GET', `/api/sync/pull?since=${since}`)
    // The rows and the new cursor are stored together: after a crash, the page counts or comes again.
    await this.#storage.transaction(async (tx) => {
      const state = await tx.state()
      if (state.since !== since) return // A tab without a lock has stored this page.
      // Rows with unsent edits stay. A pull from 0 brings back those that still exist.
      if (page.resync) for (const row of await tx.rows()) await save(tx, { ...row, isGone: true })
      for (const [entity, { updated, deleted }] of Object.entries(page.changes)) {
        for (const id of deleted) {
          const row = await tx.byServerId(entity, id)
          if (row) await save(tx, { ...row, isGone: true, refusal: null })
        }
        for (const view of updated) await save(tx, await withView(tx, entity, view))
      }
      await tx.setState({ ...state, since: page.resync ? 0 : page.serverTime })
    })
    return page.hasMore || page.resync
  }

  /** Sends a batch. Returns whether there may be more. */
  async #push(): Promise<boolean> {
    // The batch is stored before it is sent. If its answer is lost, it is sent again unchanged, also after a restart. Edits that are made
    // meanwhile wait for the answer, because it has the version on which they are based.
    const batch = await this.#storage.transaction(async (tx) => {
      const state = await tx.state()
      if (state.batch) return state.batch
      const taken = { id: newId(), records: await takeBatch(tx) }
      if (taken.records.length > 0) await tx.setState({ ...state, batch: taken })
      return taken
    })
    if (batch.records.length === 0) return false
    const results = await this.#results(batch.records)
    await this.#storage.transaction(async (tx) => {
      const state = await tx.state()
      if (state.batch?.id !== batch.id) return // A tab without a lock has stored these results.
      for (const [i, { entity, localId }] of batch.records.entries())
        await save(tx, withResult(await find(tx, entity, localId), results[i]!))
      await tx.setState({ ...state, batch: null })
    })
    return true
  }

  async #results(records: readonly PushRecord[]): Promise<readonly Result[]> {
    try {
      const { results } = await call<{ results: Result[] }>(this.#options, 'POST', '/api/sync/push', { records })
      return withWaiting(records, results)
    } catch (error) {
      // The server stores nothing of a batch with a malformed record, however often it is sent.
      if (!(error instanceof SyncError) || (error.status !== 400 && error.status !== 413)) throw error
      return refusals(records, error)
    }
  }

  /** Sends a decision about a conflict. Returns whether there was one. */
  async #decide(): Promise<boolean> {
    const { decisions } = await this.#storage.transaction((tx) => tx.state())
    if (decisions[0] === undefined) return false
    const { conflict, acceptServer } = decisions[0]
    const { id: conflictId, entity, localId, serverId, winner, clientData } = conflict
    const sendsAgain = !acceptServer && winner === 'SERVER'
    const own = await this.#storage.transaction((tx) => tx.get(entity, localId))
    // Only the device that pushed the lost edit may push it again even with an older time. Others accept the server's state and edit that.
    const body = { conflictId, acceptServer: acceptServer || (sendsAgain && own === undefined) }
    const answer = await call<{ version: number }>(this.#options, 'POST', '/api/sync/resolve', body).catch((error) => {
      // For example, another device has decided otherwise. If the conflict is still open, it stays on the list.
      if (error instanceof SyncError && error.isFinal) return undefined
      throw error
    })
    await this.#storage.transaction(async (tx) => {
      const state = await tx.state()
      await tx.setState({ ...state, decisions: state.decisions.filter((other) => other.conflict.id !== conflictId) })
      if (answer === undefined || !sendsAgain) return
      const row = (await tx.get(entity, localId)) ?? (await tx.byServerId(entity, serverId)) ?? newRow(entity)
      // A later edit that waits stays on top.
      const data = row.edit === null ? clientData : row.edit.data && { ...clientData, ...row.edit.data }
      const { edit, ...rest } = edited({ ...row, serverId }, data, this.#now())
      await tx.put({ ...rest, edit: { ...edit!, baseVersion: answer.version } })
    })
    return true
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}

interface Locks {
  request<T>(name: string, run: () => Promise<T>): Promise<T>
}

async function find(tx: Transaction, entity: string, localId: string): Promise<Row> {
  const row = await tx.get(entity, localId)
  if (row === undefined) throw new Error(`there is no ${entity} with the local id ${localId}`)
  return row
}

function isDeleted({ edit, sent, isGone }: Row): boolean {
  const last = edit ?? sent
  return last === null ? isGone : last.data === null
}

const itemOf = ({ localId, server, sent, edit, refusal, dropped = [] }: Row): Item => ({
  localId,
  data: { ...server, ...sent?.data, ...edit?.data },
  isUnsent: sent !== null || edit !== null,
  refusal,
  dropped,
})
