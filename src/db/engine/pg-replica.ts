/**
 * A replica of PostgreSQL for reads of many rows (docs/adr/0035-replica.md). Such a read goes there only if the replica has replayed everything that the
 * primary had committed when the read began, so nobody gets an older state than from the primary.
 */

import type { Log } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'

import { isStatementTimeout } from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import { connectPostgres, placeOf, searchSettings, TimedConnection } from './pg-connection.ts'
import { PoolMeter } from './pg-metrics.ts'

/** How long a read waits for the replica, in milliseconds, like all times here. */
export const REPLICA_WAIT_MS = 1000

export interface ReplicaTimes {
  /** The replica is asked for its position so often, for the metric. */
  readonly sampleMs: number
  /** A replica that is further behind is not used, and not waited for. */
  readonly lateMs: number
}

export const REPLICA_TIMES: ReplicaTimes = { sampleMs: 5000, lateMs: 30_000 }

/** Connections to the replica: for reads, and for searches, whose time is limited there too. One more asks for its position. */
const READERS = 3
const SEARCHERS = 2

/** The same at a primary and at its replicas. */
const IDENTITY = `(SELECT concat_ws(' ', system_identifier, oid) FROM pg_control_system(), pg_database WHERE datname = current_database())`
/** Every answered commit is below this position. */
const AT_PRIMARY = `SELECT ${IDENTITY}, (pg_current_wal_flush_lsn() - '0/0')::float8`
/** NULL at a server that replicates nothing, such as one that was promoted. */
const REPLAYED = `(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END - '0/0')::float8`
const AT_REPLICA = `SELECT ${IDENTITY}, ${REPLAYED}`
/** $1 and $2: identity and position of the primary. */
export const HAS_REPLAYED = `SELECT ${IDENTITY} = $1 AND ${REPLAYED} >= $2::text::float8`

export interface Position {
  readonly identity: string
  /** Bytes of the log. */
  readonly bytes: number
}

/** Why a server cannot be read as a replica. */
export class Unusable extends Error {
  override name = 'Unusable'
  /** `isForever`: the address leads to another system. Otherwise the server may become a replica (again). */
  constructor(
    message: string,
    readonly isForever: boolean,
  ) {
    super(message)
  }
}

type Asked = Pick<TimedConnection, 'rows'> | Runner

async function primaryPosition(primary: Asked): Promise<Position> {
  const [row] = (await primary.rows(AT_PRIMARY, [])) as unknown as [[string, number]]
  return { identity: row[0], bytes: Number(row[1]) }
}

/**
 * The position of the replica. `asked` is one of the primary.
 * @throws Unusable
 */
async function replayedPosition(primary: Asked, replica: Asked, asked: Position): Promise<number> {
  const [row] = (await replica.rows(AT_REPLICA, [])) as unknown as [[string, number | null]]
  if (row[0] !== asked.identity) throw new Unusable('it has another database', true)
  if (row[1] === null) throw new Unusable('it does not replicate', false)
  const bytes = Number(row[1])
  // A copy of the data that was made a primary of its own has the same identity, and so have its replicas.
  if (bytes > asked.bytes && bytes > (await primaryPosition(primary)).bytes)
    throw new Unusable('it is ahead of the primary, so it replicates another server', true)
  return bytes
}

/**
 * The position of the primary at this call, if the replica reaches it within `waitMs`.
 * @throws Unusable, and errors of the servers
 */
export async function reachedPosition(primary: Asked, replica: Asked, waitMs: number): Promise<Position | undefined> {
  const asked = await primaryPosition(primary)
  const endsAt = performance.now() + waitMs
  for (let pauseMs = 2; ; pauseMs = Math.min(50, pauseMs * 2)) {
    if ((await replayedPosition(primary, replica, asked)) >= asked.bytes) return asked
    if (performance.now() + pauseMs > endsAt) return undefined
    await Bun.sleep(pauseMs)
  }
}

/** The result of `work`, or undefined after `ms` or an error. */
const within = <T>(ms: number, work: Promise<T>): Promise<T | undefined> =>
  Promise.race([work.catch(() => undefined), Bun.sleep(ms).then(() => undefined)])

const DELAY = {
  name: 'tessera_replica_delay_seconds',
  help: 'How far the replica for reads of many rows is behind. It grows while the replica is away.',
}

/** Positions of the primary that the replica has not reached: when more are known, every second one is forgotten. */
const MAX_PENDING = 100

export interface ReplicaOptions {
  readonly readUrl: string
  readonly searchMs: number
  /** Runs statements at the primary. */
  readonly primary: Runner
  readonly log: Log
  readonly metrics: Metrics
  readonly times?: ReplicaTimes | undefined
}

interface Pools {
  readonly readers: Bun.SQL
  readonly searchers: Bun.SQL
}

export class Replica {
  readonly #options: ReplicaOptions
  readonly #times: ReplicaTimes
  readonly #asking: TimedConnection
  readonly #meter: PoolMeter
  readonly #timer: ReturnType<typeof setInterval>
  #pools: Pools
  /** Oldest first. */
  #pending: { readonly at: number; readonly bytes: number }[] = []
  /** Why it is not used; undefined if it is. */
  #problem: string | undefined = ''
  #sampling: Promise<void> | undefined

  constructor(options: ReplicaOptions) {
    const { readUrl, metrics, times = REPLICA_TIMES } = options
    this.#options = options
    this.#times = times
    this.#asking = new TimedConnection(readUrl, {})
    this.#meter = new PoolMeter(metrics, 'replica')
    this.#pools = this.#connect()
    metrics.gauge(DELAY, () => this.#delayMs() / 1000)
    this.#timer = setInterval(() => this.#sample(), times.sampleMs)
    // It must not keep the process alive.
    this.#timer.unref()
    this.#sample()
  }

  #connect(): Pools {
    const { readUrl, searchMs } = this.#options
    const searchers = connectPostgres(readUrl, SEARCHERS, { settings: searchSettings(searchMs) })
    return { readers: connectPostgres(readUrl, READERS), searchers }
  }

  #delayMs(): number {
    return this.#pending.length === 0 ? 0 : performance.now() - this.#pending[0]!.at
  }

  #sample(): void {
    this.#sampling ??= this.#ask()
      .then(
        (late) => this.#note(late),
        (error: Error) => {
          this.#replacePools()
          this.#note(error.message)
        },
      )
      .finally(() => (this.#sampling = undefined))
  }

  /** Returns why the replica should not be used. */
  async #ask(): Promise<string | undefined> {
    const { primary } = this.#options
    const answered = await within(this.#times.sampleMs, primaryPosition(primary))
    // Without the primary, nothing is known about the replica.
    if (answered === undefined) return this.#problem
    this.#pending.push({ at: performance.now(), bytes: answered.bytes })
    if (this.#pending.length > MAX_PENDING) this.#pending = this.#pending.filter((_, i) => i % 2 === 0)
    const replayed = await replayedPosition(primary, this.#asking, answered)
    this.#pending = this.#pending.filter(({ bytes }) => bytes > replayed)
    return this.#delayMs() > this.#times.lateMs ? `it is more than ${this.#times.lateMs / 1000} s behind` : undefined
  }

  #note(problem: string | undefined): void {
    const before = this.#problem
    this.#problem = problem
    const { log, readUrl } = this.#options
    const replica = placeOf(readUrl)
    if (problem === undefined && before) log.info('the replica is used again', { replica })
    if (problem !== undefined && !before)
      log.warn('the replica is not used: all reads go to the primary', { replica, reason: problem })
  }

  /** Statements that get no answer would wait for hours. They are run at the primary. */
  #replacePools(): void {
    if (this.#problem !== undefined) return
    const { readers, searchers } = this.#pools
    this.#pools = this.#connect()
    for (const pool of [readers, searchers]) pool.close({ timeout: 0 }).catch(() => undefined)
  }

  /** A runner of statements that have a state not older than this call; undefined if the replica is not up to date within a second. */
  async caughtUp(): Promise<((pool: keyof Pools) => Runner) | undefined> {
    if (this.#problem !== undefined) return undefined
    const { primary } = this.#options
    const position = await within(REPLICA_WAIT_MS, reachedPosition(primary, this.#asking, REPLICA_WAIT_MS))
    if (position === undefined) return undefined
    return (pool) => ({ rows: (sql, params) => this.#rows(pool, position, sql, params) })
  }

  /** Runs a statement at the replica, or at the primary if that fails: a replica cancels statements that delay its replay. */
  async #rows(pool: keyof Pools, { identity, bytes }: Position, sql: string, params: unknown[]): Promise<Rows> {
    try {
      const client = await this.#pools[pool].reserve()
      try {
        // On the same connection, because an address can lead to several replicas, of which each has a position of its own.
        const [[row], rows] = await Promise.all([
          client.unsafe(HAS_REPLAYED, [identity, String(bytes)]).values() as Promise<[[boolean]]>,
          this.#meter.timed(client.unsafe(sql, params).values() as Promise<Rows>),
        ])
        if (row[0]) return rows
      } finally {
        client.release()
      }
    } catch (error) {
      if (isStatementTimeout(error)) throw error
    }
    return this.#options.primary.rows(sql, params)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sampling
    await Promise.all([this.#asking.close(), this.#pools.readers.close(), this.#pools.searchers.close()])
  }
}
