/** The two ways to use a PostgreSQL database: alone, as one process, or shared with other processes (docs/adr/0025-several-processes.md). */

import { type Bus, type BusEvent, createBus } from '#platform/bus.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'

import { isSerializationFailure, storageError } from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import type { StorageState } from '../storage-state.ts'
import { type BusTimes, openPgBus } from './pg-bus.ts'
import { inUse, LOCK_KEY, lockPostgres, placeOf, TimedConnection } from './pg-connection.ts'
import { DoubtfulWrites, waitForEarlierWrites } from './pg-doubt.ts'
import { PoolMeter } from './pg-metrics.ts'
import { settledWithin, SharedStamps } from './pg-stamps.ts'
import { continueStamps, skipStamps } from './stamp-gaps.ts'
import { STAMP_MARK, Stamps } from './stamps.ts'

export interface Connection extends Runner {
  /** Runs a statement without parameters, which is sent at once, behind those that have no answer yet. */
  command(sql: string): Promise<Rows>
}

/** The transaction of a group of writes, which has begun. */
export interface Begun {
  /** To be called at most once for each write. */
  nextStamp(): number
  commit(events: readonly BusEvent[]): Promise<void>
  /** To be called after the COMMIT or ROLLBACK, whether or not it was answered. */
  end(): void
}

export interface Group {
  readonly inOrder: string | undefined
  readonly isOneStatement: boolean
  readonly writes: number
}

export interface Sharing {
  readonly bus: Bus
  /** False while another process might use the database instead of this one. */
  readonly mayWrite: boolean
  begin(connection: Connection, group: Group): Promise<Begun>
  settledStamp(waitMs?: number): Promise<number>
  /** Rejects with a StorageError while writes cannot succeed. */
  check(): Promise<void>
  /** To be called when all writes have ended. */
  close(): Promise<void>
}

export interface SharingOptions {
  readonly databaseUrl: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly storage: StorageState
  /** Settings of PostgreSQL for the transaction of each write, each with its semicolon and space. */
  readonly setForWrite?: string
  /** For the stamp mark. */
  readonly reader: Runner
  readonly busTimes?: BusTimes | undefined
  /** PostgreSQL has restarted, or another server has taken its place: older connections must not be used. */
  readonly onOtherServer: () => void
}

/**
 * Others wait for a write that has the lock of its table. It reads few rows of large tables, but a plan that was made when they were small or their
 * statistics old would read all rows, and conflict with the writes of any of them.
 */
const BY_INDEX = ['seqscan', 'hashjoin', 'mergejoin', 'material']
  .map((plan) => `SET LOCAL enable_${plan} = off; `)
  .join('')

/**
 * In milliseconds. A write that waits longer for another process holds up the others of its group, and two groups may wait for each other: then their
 * writes run one by one. PostgreSQL looks for deadlocks after a second only.
 */
const GROUP_LOCK_MS = 100

/** Begins a transaction and returns the row of `columns`, in one round trip. */
async function begin(
  connection: Runner,
  { inOrder, isOneStatement, writes }: Group,
  { columns, settings = '' }: { columns: string; settings: string | undefined },
): Promise<readonly unknown[]> {
  // Before the first query, so that the snapshot contains the writes that the lock has waited for.
  const lockTable = inOrder === undefined ? '' : `LOCK TABLE "${inOrder}" IN EXCLUSIVE MODE; ${BY_INDEX}`
  const limit = writes === 1 ? '' : `SET LOCAL lock_timeout = ${GROUP_LOCK_MS}; `
  const level = isOneStatement ? 'READ COMMITTED' : 'SERIALIZABLE'
  // Several statements return a list of results.
  const results = await connection.rows(
    `BEGIN ISOLATION LEVEL ${level}; ${settings}${lockTable}${limit}SELECT ${columns}`,
    [],
  )
  return (results.at(-1) as unknown as unknown[][])[0]!
}

const SAVE_MARK =
  'INSERT INTO server_state (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value'

/** Saves the mark before a stamp above it is given. Done outside the writes, which would all conflict on its row. */
function stampSaver(stamps: Stamps): (connection: Runner) => Promise<void> {
  let saving: Promise<void> | undefined
  return async (connection) => {
    const mark = stamps.markToSave()
    if (mark === undefined) return
    saving ??= (async () => {
      await connection.rows(SAVE_MARK, [STAMP_MARK, String(mark)])
      stamps.markSaved(mark)
    })().finally(() => (saving = undefined))
    await saving
  }
}

/**
 * Caches and stamps in memory would not notice the writes of another process, so a lock keeps other processes off the database.
 * @throws StorageError of kind `unreachable`, or `busy` when another process uses the database
 */
export async function useAlone(options: SharingOptions): Promise<Sharing> {
  const { databaseUrl, clock, log, reader, setForWrite } = options
  const where = placeOf(databaseUrl)
  const { gap, ...bus } = createBus(log)
  const stamps = new Stamps(clock, 0)
  const lock = await lockPostgres(databaseUrl, 'alone', () => {
    options.onOtherServer()
    gap()
    void continueStamps(stamps, options).then(gap)
  })
  const locks = new TimedConnection(databaseUrl, {})
  const doubtful = new DoubtfulWrites(locks, gap)
  try {
    await waitForEarlierWrites(locks)
    stamps.continueFrom(await skipStamps(reader, clock))
  } catch (error) {
    await Promise.all([locks.close(), lock.release()])
    throw error
  }
  const reserveStamps = stampSaver(stamps)
  /** The stamps, ascending, of each running group and of those whose COMMIT got no answer. */
  const unsettled = new Set<readonly number[]>()

  return {
    bus: { ...bus, caughtUp: () => doubtful.caughtUp() },
    get mayWrite() {
      return lock.held
    },
    async begin(connection, group) {
      const given: number[] = []
      let inDoubt = false
      const settle = () => void unsettled.delete(given)
      await reserveStamps(connection)
      const [backend] = await begin(connection, group, { columns: 'pg_backend_pid()', settings: setForWrite })
      return {
        nextStamp() {
          unsettled.add(given)
          given.push(stamps.next())
          return given.at(-1)!
        },
        async commit() {
          if (!lock.held) throw storageError('unreachable', where)
          try {
            await connection.command('COMMIT')
          } catch (error) {
            inDoubt = !isSerializationFailure(error)
            if (inDoubt) doubtful.add(backend as number, settle)
            throw error
          }
        },
        end() {
          if (!inDoubt) settle()
        },
      }
    },
    settledStamp: (waitMs) =>
      settledWithin(waitMs, async () => ({
        given: stamps.last,
        settled: Math.min(stamps.last, ...[...unsettled].map(([first]) => first! - 1)),
      })),
    async check() {
      if (!lock.held) throw storageError('unreachable', where)
    },
    async close() {
      try {
        await reader.rows(SAVE_MARK, [STAMP_MARK, String(stamps.last)])
      } catch (error) {
        log.warn('the stamp mark could not be saved on closing', { error })
      }
      doubtful.close()
      await Promise.all([locks.close(), lock.release()])
    },
  }
}

/** @throws StorageError of kind `unreachable`, or `busy` when a process uses the database alone */
export async function useShared(options: SharingOptions): Promise<Sharing> {
  const { databaseUrl, clock, log, metrics, storage, reader, busTimes, setForWrite, onOtherServer } = options
  const where = placeOf(databaseUrl)
  let gap = () => {}
  // Each write and each read of the bus asks for the lock again. This one keeps processes that use the database alone off it while there are none.
  const lock = await lockPostgres(databaseUrl, 'shared', () => gap())
  // The order of the log of PostgreSQL makes a stamp durable with the first write that has it, so its own commit need not wait.
  const marks = new TimedConnection(databaseUrl, { synchronous_commit: 'off' }, new PoolMeter(metrics, 'stamps'))
  const stamps = new SharedStamps(marks, clock)
  let closePart = async () => {}
  try {
    stamps.noteMark(await skipStamps(reader, clock))
    const { bus, ...events } = await openPgBus({
      databaseUrl,
      log,
      metrics,
      onMark: (mark) => stamps.noteMark(mark),
      onTrouble: (error) => storage.failed(error),
      async onOtherServer() {
        onOtherServer()
        stamps.noteMark(await skipStamps(reader, clock))
      },
      times: busTimes,
    })
    gap = events.gap
    closePart = events.close

    return {
      bus,
      mayWrite: true,
      async begin(connection, group) {
        const columns = `pg_try_advisory_xact_lock_shared(${LOCK_KEY}), pg_current_xact_id()::text, ${stamps.lock()}`
        const [isShared, xid] = await begin(connection, group, { columns, settings: setForWrite })
        if (isShared !== true) throw inUse(where, 'shared')
        let next = await stamps.take(group.writes)
        return {
          nextStamp: () => next++,
          async commit(list) {
            // Both are sent together. After an INSERT that PostgreSQL refuses, the COMMIT rolls back.
            const inserting = list.length > 0 ? events.insert(connection, list) : undefined
            try {
              await Promise.all([inserting, connection.command('COMMIT')])
            } catch (error) {
              if (inserting && !isSerializationFailure(error)) events.doubt(String(xid))
              throw error
            }
            if (inserting) events.announce()
          },
          end() {},
        }
      },
      settledStamp: (waitMs) => stamps.settled(waitMs),
      async check() {
        await bus.caughtUp()
      },
      async close() {
        await events.close()
        await Promise.all([marks.close(), lock.release()])
      },
    }
  } catch (error) {
    await Promise.all([closePart(), marks.close(), lock.release()])
    throw error
  }
}
