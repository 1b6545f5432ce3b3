/**
 * The store on PostgreSQL: reads on connections of their own, each write a SERIALIZABLE transaction that is run again when the
 * server gives it up in favour of another. One server has the database, by an advisory lock (see pg-connection.ts).
 */

import type { SQL } from 'bun'

import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'

import { asStorageError, isSerializationFailure, storageError } from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import type { Store, Tx } from '../store.ts'
import { connectPostgres, lockPostgres, placeOf } from './pg-connection.ts'
import { STAMP_MARK, Stamps } from './stamps.ts'
import { gate } from './write-limiter.ts'
import { ReadDb, refuseNested, runHooks, runWrite, WriteTx } from './write.ts'

const READERS = 10
/** More writers at once mostly means more conflicts; the others wait for a connection. */
const WRITERS = 8

/** Alone a write cannot conflict, and conflicts soon lead there (gate.ts): beyond this something is wrong. */
const TRIES = 40

const READ_MARK = 'SELECT value FROM server_state WHERE key = $1'
const SET_MARK =
  'INSERT INTO server_state (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value'

/** Runs statements on a pool or on one reserved connection. */
class PgRunner implements Runner {
  constructor(
    readonly client: Pick<SQL, 'unsafe'>,
    readonly where: string,
  ) {}
  async rows(sql: string, params: unknown[]): Promise<Rows> {
    try {
      return await this.client.unsafe(sql, params).values()
    } catch (error) {
      throw asStorageError(error, this.where)
    }
  }
}

export interface PostgresOptions {
  databaseUrl: string
  clock: Clock
  log: Log
}

/** Throws StorageErrors: `unreachable`, or `busy` when another server has the database. */
export async function openPostgres({ databaseUrl, clock, log }: PostgresOptions): Promise<Store> {
  const where = placeOf(databaseUrl)
  const lock = await lockPostgres(databaseUrl)
  const readers = connectPostgres(databaseUrl, READERS)
  const writers = connectPostgres(databaseUrl, WRITERS)
  const reader = new PgRunner(readers, where)
  const read = new ReadDb(reader)
  let stamps: Stamps
  try {
    stamps = new Stamps(clock, Number((await reader.rows(READ_MARK, [STAMP_MARK]))[0]?.[0] ?? 0))
  } catch (error) {
    await Promise.all([readers.close(), writers.close(), lock.release()])
    throw error
  }

  let moving: Promise<void> | undefined
  /** Makes the mark durable before any stamp above it is given; outside the writes, which would all conflict on it. */
  async function reserveStamps(connection: Runner): Promise<void> {
    const mark = stamps.due()
    if (mark === undefined) return
    moving ??= (async () => {
      await connection.rows(SET_MARK, [STAMP_MARK, String(mark)])
      stamps.keep(mark)
    })().finally(() => (moving = undefined))
    await moving
  }

  /** One try. Resolves after the commit; after-commit hooks have run then. */
  async function attempt<T>(name: string, fn: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await writers.reserve()
    const connection = new PgRunner(client, where)
    try {
      await reserveStamps(connection)
      await connection.rows('BEGIN ISOLATION LEVEL SERIALIZABLE', [])
      const tx = new WriteTx(connection, read, () => stamps.next())
      try {
        const value = await runWrite(tx, name, fn, log)
        if (!lock.held) throw storageError('unreachable', where)
        await connection.rows('COMMIT', [])
        runHooks(tx.hooks, log)
        return value
      } catch (error) {
        await connection.rows('ROLLBACK', []).catch(() => undefined)
        // What the server said counts, even where `fn` made another error of it.
        throw isSerializationFailure(tx.runner.failure) ? tx.runner.failure : error
      }
    } finally {
      client.release()
    }
  }

  const turns = gate(WRITERS)
  const underWay = new Set<Promise<unknown>>()
  let closed = false

  return {
    read,
    readInWorker: read,
    async write<T>(name: string, fn: (tx: Tx) => Promise<T>): Promise<T> {
      refuseNested()
      if (closed) throw new Error('the store is closed')
      if (!lock.held) throw storageError('unreachable', where)
      const writing = turns.run(() => attempt(name, fn), isSerializationFailure, TRIES)
      underWay.add(writing)
      try {
        return await writing
      } catch (error) {
        throw asStorageError(error, where)
      } finally {
        underWay.delete(writing)
      }
    },
    async close() {
      if (closed) return
      closed = true
      await Promise.allSettled(underWay)
      await reader.rows(SET_MARK, [STAMP_MARK, String(stamps.last)]).catch((error: unknown) => {
        log.warn('the clock mark could not be saved on closing', { error })
      })
      await Promise.all([readers.close(), writers.close(), lock.release()])
    },
  }
}
