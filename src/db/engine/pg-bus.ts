/**
 * The bus of processes that share a PostgreSQL database (docs/adr/0025-several-processes.md). Events are rows of `bus_events`, inserted by the
 * write that causes them; a notification after the commit wakes the other processes, which read the rows.
 *
 * Ids of rows are not in the order of commits, so "everything above the last id" would miss rows. A process remembers the snapshot of its last
 * read instead, as PostgreSQL's `xmax` and list of running transactions: a row that is visible now is new if its transaction was running then
 * or began later. So each event is read exactly once, by index, whatever the order of commits.
 */

import { sharedRuns } from '#lib/shared-runs.ts'
import { type Bus, type BusEvent, createBus } from '#platform/bus.ts'
import { uuid } from '#platform/ids.ts'
import type { Log } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'

import { readOnly, StorageError } from '../errors.ts'
import type { Runner } from '../query/builders.ts'
import { connectPostgres, inUse, IS_READ_ONLY, LOCK_KEY, placeOf, TimedConnection } from './pg-connection.ts'
import { PoolMeter } from './pg-metrics.ts'
import { STAMP_MARK } from './stamps.ts'

const CHANNEL = 'tessera_bus'

export interface BusTimes {
  /** The rows are read at least this often, in case a notification is lost. Milliseconds, like all times here. */
  readonly pollMs: number
  /** Rows are deleted after this time. A process that has not read for half of it calls the gap listeners. */
  readonly keepMs: number
  readonly cleanMs: number
}

export const BUS_TIMES: BusTimes = { pollMs: 1000, keepMs: 600_000, cleanMs: 60_000 }

/** The stamp mark is read this often. Its row is slow while a backup is taken (docs/adr/0025-several-processes.md). */
const MARK_MS = 1000

/** More new events than this are not delivered one by one: the gap listeners are called. */
const MAX_EVENTS = 10_000
/** PostgreSQL refuses notifications of 8,000 bytes or more. */
const MAX_NOTIFICATION = 7999
/** Events of `tell` that wait for the connection. The oldest are dropped. */
const MAX_TOLD = 1000

/** The time of the database server, so that the clocks of the processes do not matter. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** $1: the process; $2: JSON of `{topic, payload}[]`, whose payloads are JSON too. */
export const INSERT_EVENTS = `INSERT INTO bus_events (xid, origin, topic, payload, created_at)
  SELECT pg_current_xact_id()::text::bigint, $1, e->>'topic', e->>'payload', ${NOW}
  FROM json_array_elements($2::text::json) WITH ORDINALITY AS list(e, n) ORDER BY n`

/** Rows of a restored backup can have transaction ids of the future. */
const IS_PAST = 'xid < pg_snapshot_xmax(pg_current_snapshot())::text::bigint'

/**
 * $1: xmax of the snapshot of the last read; $2: the transactions that were running then; $3: this process; $4: transactions of this process
 * whose COMMIT got no answer; $5: 1 to read the stamp mark too. Each part can only be read by the index of `xid`, also by a plan that knows no values:
 * with OR, or sorted by the bare `id`, it would read the whole table in the order of its ids.
 */
export const READ = `SELECT now.*, e.xid, e.topic, e.payload, e.created_at FROM (
    SELECT pg_current_snapshot()::text, CASE WHEN NOT ${IS_READ_ONLY} THEN pg_try_advisory_xact_lock_shared(${LOCK_KEY}) END, ${NOW}, pg_postmaster_start_time()::text, pg_backend_pid(),
      CASE WHEN $5 = 1 THEN (SELECT value FROM server_state WHERE key = '${STAMP_MARK}') END
  ) AS now LEFT JOIN (
    SELECT id, xid, topic, payload, created_at FROM (
      SELECT * FROM bus_events WHERE xid >= $1::text::bigint AND ${IS_PAST} AND origin <> $3
      UNION ALL SELECT * FROM bus_events WHERE xid = ANY(string_to_array($2, ',')::bigint[]) AND ${IS_PAST} AND origin <> $3
      UNION ALL SELECT * FROM bus_events WHERE xid = ANY(string_to_array($4, ',')::bigint[]) AND ${IS_PAST}
    ) AS found ORDER BY id + 0 LIMIT ${MAX_EVENTS + 1}
  ) AS e ON true ORDER BY e.id`

/**
 * Planning takes 0.2 ms of PostgreSQL, ten times as long as reading, and each request waits for it: the plan is made once. One that was made while the
 * table was empty would read all of it later.
 */
export const READ_SETTINGS = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  max_parallel_workers_per_gather: '0',
}

/** At most $2 rows. Each subquery is there for an index: without it, PostgreSQL reads the whole table. */
const CLEAN = `DELETE FROM bus_events WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM bus_events WHERE created_at < (SELECT ${NOW} - $1::text::bigint) LIMIT $2
  )) RETURNING 1`
const CLEANED_AT_ONCE = 5000
const CLEAN_PAUSE_MS = 20

type ReadRow = [
  snapshot: string,
  isShared: boolean | null,
  now: string,
  server: string,
  backend: number,
  mark: string | null,
  xid: string | null,
  topic: string,
  payload: string,
  createdAt: string,
]

/** Above every transaction id: the first read finds no events. */
const NEVER = '9223372036854775807'

const isEvent = (value: unknown): value is BusEvent =>
  typeof (value as Partial<BusEvent> | null)?.topic === 'string' && Object.hasOwn(value as object, 'payload')

/** The state of the database at the last read. */
interface Seen {
  readonly xmin: string
  readonly xmax: string
  /** Separated by commas. */
  readonly running: string
  readonly now: number
  readonly server: string
  /** The process of PostgreSQL that answered. */
  readonly backend: number
}

/**
 * After a failover, the new server may lack transactions that the old one had. After a crash, the ids of transactions that were undone may be given
 * again, also those whose COMMIT got no answer. The gap listeners are called instead.
 */
const hasRestarted = (before: Seen, { server, xmax }: Seen): boolean =>
  server !== before.server || BigInt(xmax) < BigInt(before.xmax)

type LocalBus = ReturnType<typeof createBus>

export interface PgBusOptions {
  readonly databaseUrl: string
  readonly log: Log
  readonly metrics: Metrics
  /** The stamp mark of the database. Called about once a second. */
  readonly onMark: (mark: number) => void
  readonly onTrouble: (error: StorageError) => void
  /** PostgreSQL has restarted, or another server has taken its place. Called before any request reads from it. */
  readonly onOtherServer: () => Promise<void>
  readonly times?: BusTimes | undefined
}

export interface PgBus {
  readonly bus: Bus
  /** Calls the gap listeners. */
  gap(): void
  /** Inserts the events of a transaction, as its last statement. Throws, instead of rejecting, if an event cannot be sent. */
  insert(connection: Runner, events: readonly BusEvent[]): ReturnType<Runner['rows']>
  /** Wakes the other processes after a commit. */
  announce(): void
  /** The COMMIT of a transaction with events got no answer. If it turns out to be committed, its events are delivered here too. */
  doubt(xid: string): void
  close(): Promise<void>
}

const EVENTS = { name: 'tessera_bus_events_total', help: 'Events of other processes that this one has read.' }
const DELAY = {
  name: 'tessera_bus_delay_seconds',
  help: 'Longest time from the write of an event until this process read it, at the last read that found events.',
}

/** Reads the events of the other processes and delivers them to the listeners of this one. */
class EventReader {
  readonly #options: PgBusOptions
  readonly #times: BusTimes
  readonly #base: LocalBus
  readonly #origin: string
  readonly #where: string
  readonly #connection: TimedConnection
  #closed = false
  #seen: Seen | undefined
  #readAt = 0
  /** The server of the last read accepted no writes. */
  #sawReadOnly = false
  #nextMark = 0
  readonly #doubtful = new Set<string>()
  readonly #countEvents: (events: number) => void
  #delaySeconds = 0

  constructor(options: PgBusOptions, times: BusTimes, base: LocalBus, origin: string) {
    this.#options = options
    this.#times = times
    this.#base = base
    this.#origin = origin
    this.#where = placeOf(options.databaseUrl)
    const meter = new PoolMeter(options.metrics, 'events')
    this.#connection = new TimedConnection(options.databaseUrl, READ_SETTINGS, meter)
    this.#countEvents = options.metrics.counter(EVENTS)
    options.metrics.gauge(DELAY, () => this.#delaySeconds)
  }

  readonly caughtUp = sharedRuns(async () => {
    try {
      await this.#read()
    } catch (error) {
      if (error instanceof StorageError) this.#options.onTrouble(error)
      throw error
    }
  })

  readonly wake = (): void => {
    if (!this.#closed) this.caughtUp().catch(() => undefined)
  }

  readonly behindMs = (): number => performance.now() - this.#readAt

  /** Called by a timer. */
  poll(): void {
    if (performance.now() - this.#readAt >= this.#times.pollMs * 0.9) this.wake()
  }

  doubt(xid: string): void {
    this.#doubtful.add(xid)
    this.wake()
  }

  async #read(): Promise<void> {
    const asked = [...this.#doubtful]
    const wantsMark = performance.now() >= this.#nextMark
    const before = this.#seen
    const rows = (await this.#connection.rows(READ, [
      before?.xmax ?? NEVER,
      before?.running ?? '',
      this.#origin,
      asked.join(','),
      wantsMark ? 1 : 0,
    ])) as ReadRow[]
    this.#readAt = performance.now()
    const [snapshot, isShared, now, server, backend, mark] = rows[0]!
    if (isShared === null) {
      this.#connection.renew()
      this.#sawReadOnly = true
      throw readOnly(this.#where)
    }
    if (!isShared) throw inUse(this.#where, 'shared')
    const [xmin, xmax, running] = snapshot.split(':') as [string, string, string]
    const seen: Seen = { xmin, xmax, running, now: Number(now), server, backend }
    if (this.#sawReadOnly || (before !== undefined && hasRestarted(before, seen))) await this.#options.onOtherServer()
    this.#sawReadOnly = false
    this.#seen = seen
    if (wantsMark) {
      this.#options.onMark(Number(mark ?? 0))
      this.#nextMark = this.#readAt + MARK_MS
    }
    if (before !== undefined) this.#deliver(before, seen, rows, asked)
  }

  #deliver(before: Seen, seen: Seen, rows: readonly ReadRow[], asked: readonly string[]): void {
    const isOther = hasRestarted(before, seen)
    const found = rows.filter((row) => row[6] !== null && !(isOther && asked.includes(row[6])))
    for (const xid of asked) {
      const isCommitted = found.some((row) => row[6] === xid)
      const hasEnded = BigInt(xid) < BigInt(seen.xmin)
      if (isCommitted || hasEnded || isOther) this.#doubtful.delete(xid)
    }
    // PostgreSQL also recovers from the crash of one of its processes, ends all connections, and may give ids again that this process has seen.
    // It looks like any broken connection. Connections break rarely, and a gap costs some reads.
    const mayHaveCrashed = seen.backend !== before.backend
    this.#countEvents(found.length)
    if (found.length > 0) this.#delaySeconds = Math.max(0, ...found.map((row) => seen.now - Number(row[9]))) / 1000
    const isGap =
      found.length > MAX_EVENTS || seen.now - before.now > this.#times.keepMs / 2 || isOther || mayHaveCrashed
    if (isGap) this.#base.gap()
    if (found.length > MAX_EVENTS) return
    this.#base.deliver(found.map((row) => ({ topic: row[7], payload: JSON.parse(row[8]) as unknown })))
  }

  stop(): void {
    this.#closed = true
  }

  async close(): Promise<void> {
    this.stop()
    await this.#connection.close()
  }
}

/** JSON of an event of `tell`. */
function textOf({ topic, payload }: BusEvent): string {
  const text = JSON.stringify({ topic, payload: payload ?? null })
  if (Buffer.byteLength(text) > MAX_NOTIFICATION - 50)
    throw new Error(`an event of ${topic} is too long for a notification`)
  return text
}

/** Sends notifications to the other processes, and deletes old events. */
class Notifier {
  readonly #origin: string
  readonly #connection: TimedConnection
  /** JSON of events of `tell`, without their brackets. */
  #told: string[] = []
  #isAnnounced = false
  #notifying: Promise<void> | undefined

  constructor(databaseUrl: string, origin: string) {
    this.#origin = origin
    // Nothing is lost if a notification is: its commit need not wait for the disk.
    this.#connection = new TimedConnection(databaseUrl, { synchronous_commit: 'off' })
  }

  tell(text: string): void {
    if (this.#told.push(text) > MAX_TOLD) this.#told = this.#told.slice(-MAX_TOLD)
    this.#notifying ??= this.#notify()
  }

  announce(): void {
    this.#isAnnounced = true
    this.#notifying ??= this.#notify()
  }

  /**
   * Sends one notification at a time, for all commits and events since the last one. Not inside the writes: a transaction that notifies holds
   * a lock of the whole server during its commit, so that such commits would run one after the other, each with its fsync.
   */
  async #notify(): Promise<void> {
    while (this.#isAnnounced || this.#told.length > 0) {
      let text = `["${this.#origin}",${this.#isAnnounced}`
      this.#isAnnounced = false
      let length = text.length + 1
      while (this.#told.length > 0) {
        length += Buffer.byteLength(this.#told[0]!) + 1
        if (length > MAX_NOTIFICATION) break
        text += `,${this.#told.shift()}`
      }
      // If it fails, the other processes find the events when they poll.
      await this.#connection.rows('SELECT pg_notify($1, $2)', [CHANNEL, `${text}]`]).catch(() => undefined)
    }
    this.#notifying = undefined
  }

  /** Deletes events that are older than `keepMs`. Called by a timer. */
  async clean(keepMs: number): Promise<void> {
    const some = () => this.#connection.rows(CLEAN, [String(keepMs), CLEANED_AT_ONCE])
    try {
      while ((await some()).length === CLEANED_AT_ONCE) await Bun.sleep(CLEAN_PAUSE_MS)
    } catch {
      // The next call continues.
    }
  }

  /** Resolves when everything was sent. */
  async sent(): Promise<void> {
    await this.#notifying
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}

/** Runs `work` until the interval is cleared. It does not keep the process alive. */
function every(ms: number, work: () => void): ReturnType<typeof setInterval> {
  const timer = setInterval(work, ms)
  timer.unref()
  return timer
}

/** @throws StorageError */
export async function openPgBus(options: PgBusOptions): Promise<PgBus> {
  const { databaseUrl, log, times = BUS_TIMES } = options
  const base = createBus(log)
  const origin = uuid()
  const reader = new EventReader(options, times, base, origin)
  const notifier = new Notifier(databaseUrl, origin)
  const listener = connectPostgres(databaseUrl, 1)
  const closeAll = () => Promise.all([listener.close(), reader.close(), notifier.close()])

  function onNotification(text: string): void {
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return
    }
    if (!Array.isArray(message) || message[0] === origin) return
    base.deliver(message.slice(2).filter(isEvent))
    if (message[1] === true) reader.wake()
  }

  let subscription: Bun.SQL.ListenSubscription | undefined
  try {
    // Listens before the first read: no event between the two is noticed late. `wake` is called after each reconnect, too.
    subscription = await listener.listen(CHANNEL, onNotification, reader.wake)
    await reader.caughtUp()
  } catch (error) {
    await Promise.all([subscription?.unlisten(), closeAll()])
    throw error
  }
  const polling = every(times.pollMs, () => reader.poll())
  const cleaning = every(times.cleanMs, () => notifier.clean(times.keepMs))

  return {
    bus: {
      ...base,
      caughtUp: reader.caughtUp,
      behindMs: reader.behindMs,
      tell({ name: topic }, payload) {
        const text = textOf({ topic, payload })
        base.deliver([{ topic, payload }])
        notifier.tell(text)
      },
    },
    gap: base.gap,
    insert(connection, events) {
      // Payloads are texts inside the JSON: PostgreSQL cannot read all JSON, for example "\u0000".
      const list = events.map(({ topic, payload }) => ({ topic, payload: JSON.stringify(payload ?? null) }))
      return connection.rows(INSERT_EVENTS, [origin, JSON.stringify(list)])
    },
    announce: () => notifier.announce(),
    doubt: (xid) => reader.doubt(xid),
    async close() {
      clearInterval(polling)
      clearInterval(cleaning)
      // The other processes would hear of the last writes a second later.
      await notifier.sent()
      reader.stop()
      await subscription.unlisten().catch(() => undefined)
      await closeAll()
    },
  }
}
