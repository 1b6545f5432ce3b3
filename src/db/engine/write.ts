/**
 * The parts of a write that both databases share: the `tx` handle, which is invalid after the write, the first failed statement,
 * after-commit hooks, time limits and the log line of slow writes.
 */

import { AsyncLocalStorage } from 'node:async_hooks'

import { pause } from '#lib/pause.ts'
import type { Bus, BusEvent, Topic } from '#platform/bus.ts'
import type { Log } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'

import { outsideRequest } from '../around-writes.ts'
import { topicsOf } from '../column-watch.ts'
import { StuckWrite } from '../errors.ts'
import { ListChanges } from '../list-changes.ts'
import { BuildersOn, type Rows, type Runner } from '../query/builders.ts'
import type { Db, Tx } from '../store.ts'

export interface WriteLimits {
  /** Writes that take at least this long are logged, in milliseconds. */
  readonly slowMs: number
  /** Writes that take longer are rolled back, in milliseconds. */
  readonly stuckMs: number
  /** A group of writes is committed after this many milliseconds. */
  readonly groupMs: number
}

export const WRITE_LIMITS: WriteLimits = {
  // Writes wait for each other on SQLite and conflict on PostgreSQL, so a long one delays all others.
  slowMs: 50,
  // A write that awaits something other than its statements would block all other writes forever.
  stuckMs: 10_000,
  // The first write of a group is not answered much later than it could be.
  groupMs: 4,
}

/** Counts the writes of a group that was committed. */
export const groupSize = (metrics: Metrics): ((writes: number) => void) =>
  metrics.histogram({
    name: 'tessera_db_group_size',
    help: 'Writes that shared a COMMIT.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  })

class TxRunner<Connection extends Runner> implements Runner {
  alive = true
  /** The error of the first statement that failed. Later statements are refused with it. */
  failure: unknown
  constructor(
    readonly connection: Connection,
    readonly listChanges: ListChanges,
    readonly publish: (of: Topic<'all'>) => void,
  ) {}

  rows(sql: string, params: unknown[]): Rows | Promise<Rows> {
    if (!this.alive) throw new Error('this tx has ended: it was used after its write had returned')
    if (this.failure !== undefined) throw this.failure
    for (const topic of topicsOf(sql)) this.publish(topic)
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

export class WriteTx<Connection extends Runner = Runner> extends BuildersOn implements Tx {
  readonly kind = 'write'
  readonly hooks: (() => void)[] = []
  readonly lastSteps: (() => Promise<void>)[] = []
  /** Delivered by a hook. */
  readonly events: BusEvent[] = []
  /** Applied after the commit, before any hook. */
  readonly listChanges: ListChanges
  readonly #nextStamp: () => number
  #stamp = 0
  declare readonly runner: TxRunner<Connection>

  /** `reader` reads committed rows. It also identifies the store for state that is kept per store (lists.ts). */
  constructor(
    connection: Connection,
    readonly reader: ReadDb,
    nextStamp: () => number,
    readonly bus: Pick<Bus, 'deliver'>,
  ) {
    const listChanges = new ListChanges()
    super(new TxRunner(connection, listChanges, (of) => this.#announce(of)))
    this.listChanges = listChanges
    this.#nextStamp = nextStamp
  }

  afterCommit(fn: () => void): void {
    if (!this.runner.alive) throw new Error('this tx has ended: afterCommit was called after its write had returned')
    this.hooks.push(fn)
  }

  beforeCommit(fn: () => Promise<void>): void {
    if (!this.runner.alive) throw new Error('this tx has ended: beforeCommit was called after its write had returned')
    this.lastSteps.push(fn)
  }

  publish<Payload>({ name }: Topic<Payload>, payload: Payload): void {
    if (this.events.length === 0) this.afterCommit(() => this.bus.deliver(this.events))
    this.events.push({ topic: name, payload })
  }

  /** Once in a write, however many statements of it ask for it. */
  #announce(of: Topic<'all'>): void {
    if (!this.events.some(({ topic }) => topic === of.name)) this.publish(of, 'all')
  }

  pause(): Promise<void> {
    return pause()
  }

  get stamp(): number {
    return (this.#stamp ||= this.#nextStamp())
  }
}

const running = new AsyncLocalStorage<WriteTx>()

/** Throws inside a running write: a nested write would wait for the outer one, and so for itself. Costs 10 ns. */
export function refuseNested(): void {
  if (running.getStore()?.runner.alive)
    throw new Error('nested write: pass the tx instead of calling ctx.db.write again')
}

/**
 * Runs `fn` with `tx`, which is invalid afterwards. Rejects with the error of `fn`, with the error of a failed statement even if
 * `fn` caught it, or when `fn` takes longer than `limits.stuckMs`.
 */
export async function runWrite<T>(
  tx: WriteTx,
  name: string,
  fn: (tx: Tx) => Promise<T>,
  log: Log,
  { slowMs, stuckMs }: WriteLimits,
): Promise<T> {
  const startedAt = performance.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const stuck = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new StuckWrite(`write ${name} took longer than ${stuckMs} ms and was rolled back`)),
        stuckMs,
      )
    })
    const result = await Promise.race([running.run(tx, withLastSteps(tx, fn), tx), stuck])
    if (tx.runner.failure !== undefined) throw tx.runner.failure
    return result
  } finally {
    clearTimeout(timer)
    tx.runner.alive = false
    const ms = performance.now() - startedAt
    if (ms >= slowMs) log.warn('slow write', { write: name, ms: Math.round(ms) })
  }
}

/** `fn`, and then the functions that it passed to `beforeCommit`. */
const withLastSteps =
  <T>({ lastSteps }: WriteTx, fn: (tx: Tx) => Promise<T>) =>
  (tx: Tx): Promise<T> => {
    const result = fn(tx)
    return result.then((value) => (lastSteps.length === 0 ? value : runLastSteps(lastSteps).then(() => value)))
  }

async function runLastSteps(lastSteps: readonly (() => Promise<void>)[]): Promise<void> {
  // A step may add others.
  for (const step of lastSteps) await step()
}

/** Runs the after-commit hooks of committed writes. Work that they start is no part of the request. */
export function runHooks(hooks: readonly (() => void)[], log: Log): void {
  for (const hook of hooks) {
    try {
      outsideRequest(hook)
    } catch (error) {
      log.error('after-commit hook failed', { error })
    }
  }
}
