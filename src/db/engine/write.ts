/** What a write is on either database: a handle that dies with it, a memory of failed statements, hooks and the slow-write log. */

import { AsyncLocalStorage } from 'node:async_hooks'

import type { Log } from '#platform/log.ts'

import { ListChanges } from '../list-changes.ts'
import { BuildersOn, type Rows, type Runner } from '../query/builders.ts'
import type { Db, Tx } from '../store.ts'

/** Writes wait for one another on SQLite and conflict on PostgreSQL: a longer one is a mistake worth a line in the log. */
const SLOW_MS = 50
/** A write that waits for something else than its statements would hold up all others for ever: it is rolled back then. */
const STUCK_MS = 10_000

class TxRunner implements Runner {
  alive = true
  failure: unknown
  constructor(
    readonly connection: Runner,
    readonly listChanges: ListChanges,
  ) {}

  rows(sql: string, params: unknown[]): Rows | Promise<Rows> {
    if (!this.alive) throw new Error('this tx is over: it was used after its write had returned')
    if (this.failure !== undefined) throw this.failure
    try {
      const rows = this.connection.rows(sql, params)
      if (rows instanceof Promise) return rows.catch((error) => this.#fail(error))
      this.listChanges.observe(sql, rows)
      return rows
    } catch (error) {
      return this.#fail(error)
    }
  }

  #fail(error: unknown): never {
    throw (this.failure ??= error)
  }
}

export class ReadDb extends BuildersOn implements Db {
  readonly kind = 'read'

  /** `checksPages`: every page of a paged list (lists.ts) is compared with a plain query. */
  constructor(
    runner: Runner,
    readonly checksPages = false,
  ) {
    super(runner)
  }
}

export class WriteTx extends BuildersOn implements Tx {
  readonly kind = 'write'
  readonly hooks: (() => void)[] = []
  /** Applied after the commit, before any hook. */
  readonly listChanges: ListChanges
  readonly #nextStamp: () => number
  #stamp = 0
  declare readonly runner: TxRunner

  /** `reader` sees what is committed; it stands for the store where state is kept per store (lists.ts). */
  constructor(
    connection: Runner,
    readonly reader: ReadDb,
    nextStamp: () => number,
  ) {
    const listChanges = new ListChanges()
    super(new TxRunner(connection, listChanges))
    this.listChanges = listChanges
    this.#nextStamp = nextStamp
  }

  afterCommit(fn: () => void): void {
    if (!this.runner.alive) throw new Error('this tx is over: afterCommit came after its write had returned')
    this.hooks.push(fn)
  }

  get stamp(): number {
    return (this.#stamp ||= this.#nextStamp())
  }
}

const running = new AsyncLocalStorage<WriteTx>()

/** A write inside a write would wait for itself. (Costs 10 ns.) */
export function refuseNested(): void {
  if (running.getStore()?.runner.alive)
    throw new Error('write inside write: give the tx on instead of calling ctx.db.write again')
}

/**
 * Runs `fn` with `tx` and rejects with what broke it: its own error, or that of a statement it swallowed. `tx` is dead then.
 * Gives up after `stuckMs`.
 */
export async function runWrite<T>(
  tx: WriteTx,
  name: string,
  fn: (tx: Tx) => Promise<T>,
  log: Log,
  stuckMs = STUCK_MS,
): Promise<T> {
  const startedAt = performance.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const stuck = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`a write took longer than ${stuckMs} ms and was undone`)), stuckMs)
    })
    const result = await Promise.race([running.run(tx, fn, tx), stuck])
    if (tx.runner.failure !== undefined) throw tx.runner.failure
    return result
  } finally {
    clearTimeout(timer)
    tx.runner.alive = false
    const ms = performance.now() - startedAt
    if (ms > SLOW_MS) log.warn('slow write', { write: name, ms: Math.round(ms) })
  }
}

/** Runs the hooks of committed writes. */
export function runHooks(hooks: readonly (() => void)[], log: Log): void {
  for (const hook of hooks) {
    try {
      hook()
    } catch (error) {
      log.error('after-commit hook failed', { error })
    }
  }
}
