/**
 * The processes on one PostgreSQL database must all have the same signing key, and one of them runs the jobs. Both are advisory locks of one
 * connection, so they end with the process, even if that is killed.
 */

import type { Clock } from '#platform/clock.ts'
import type { ExactLimiter } from '#platform/limiter.ts'
import type { Log } from '#platform/log.ts'

import { placeOf, TimedConnection } from './engine/pg-connection.ts'
import { StorageError } from './errors.ts'
import { SharedCounters } from './shared-counters.ts'

export interface Membership {
  /** Undefined for the only process, which counts in its memory. */
  readonly exactLimiter: ExactLimiter | undefined
  /** Whether this process runs the jobs. False from the start until `competeForJobs` was called and won. */
  readonly runsJobs: boolean
  /** Tries to become the process that runs the jobs, until `leave`. `onWon` is called each time that it becomes that process. */
  competeForJobs(onWon: () => void): void
  leave(): Promise<void>
}

/** The only process on its database. */
export const ONLY_PROCESS: Membership = {
  exactLimiter: undefined,
  runsJobs: true,
  competeForJobs: () => undefined,
  leave: async () => undefined,
}

/** First parts of advisory locks: "Tkey" and "Tjob" in ASCII. Advisory locks are per database. */
const KEY_LOCK = 0x54_6b_65_79
const JOB_LOCK = 0x54_6a_6f_62

/** Milliseconds between two looks at the locks. */
const LOOK_EVERY_MS = 1000
/** PostgreSQL takes a moment to notice that a killed process is gone, so that a restart with another secret looks several times. */
const START_LOOKS = 5

/**
 * If the network or the machine fails, PostgreSQL ends the connection after 20 seconds instead of hours, and another process gets the jobs.
 * They are server settings of this connection, and ignored on Unix sockets.
 */
const KEEPALIVE = { tcp_keepalives_idle: '5', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' }

/** Advisory locks on this database with two numbers. */
const LOCKS = `pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
const IS_MINE = 'pid = pg_backend_pid()'

/** Locks of one session are counted, so neither is taken twice. A connection that was replaced has lost both. */
const TAKE_KEY = `SELECT pg_advisory_lock_shared(${KEY_LOCK}, $1::text::int)
  WHERE NOT EXISTS (SELECT FROM ${LOCKS} AND ${IS_MINE} AND classid::bigint = ${KEY_LOCK})`
const FIND_OTHER_KEYS = `SELECT FROM ${LOCKS} AND classid::bigint = ${KEY_LOCK} AND objid::bigint <> ($1::text::bigint & 4294967295) LIMIT 1`
const TAKE_JOBS = `SELECT CASE WHEN held THEN true ELSE pg_try_advisory_lock(${JOB_LOCK}, 0) END
  FROM (SELECT EXISTS (SELECT FROM ${LOCKS} AND ${IS_MINE} AND classid::bigint = ${JOB_LOCK}) AS held OFFSET 0) AS mine`

/** 32 bits of a hash, as a signed integer: enough to notice a mistake, and of no use to guess the key. */
const fingerprintOf = (key: Uint8Array): string =>
  String(new Bun.CryptoHasher('sha256', key).update('fingerprint of the signing key').digest().readInt32BE(0))

/** @throws StorageError of kind `busy` if another process on the database has another signing key */
export async function joinProcesses(options: {
  readonly databaseUrl: string
  readonly signingKey: Uint8Array
  readonly clock: Clock
  readonly log: Log
}): Promise<Membership> {
  const { databaseUrl, signingKey, clock, log } = options
  const connection = new TimedConnection(databaseUrl, KEEPALIVE)
  const key = fingerprintOf(signingKey)
  let runsJobs = false
  let onWon: (() => void) | undefined
  let left = false
  let wake = (): void => undefined

  async function checkKey(): Promise<void> {
    for (let nth = 1; ; nth++) {
      // Of two processes that start at the same time, at least the later one finds the lock of the other.
      await connection.rows(TAKE_KEY, [key])
      if ((await connection.rows(FIND_OTHER_KEYS, [key])).length === 0) return
      if (nth === START_LOOKS) throw otherSecret(placeOf(databaseUrl))
      await Bun.sleep(LOOK_EVERY_MS / START_LOOKS)
    }
  }

  async function look(): Promise<void> {
    const before = runsJobs
    try {
      await connection.rows(TAKE_KEY, [key])
      runsJobs = onWon !== undefined && (await connection.rows(TAKE_JOBS))[0]![0] === true && !left
    } catch (error) {
      // PostgreSQL does not answer, so another process may run them soon.
      runsJobs = false
      if (before) log.warn('this process stops running the jobs', { error })
    }
    if (!runsJobs || before) return
    log.info('this process runs the jobs')
    onWon?.()
  }

  async function keepLooking(): Promise<void> {
    for (;;) {
      if (left) return
      await look()
      const woken = Promise.withResolvers<void>()
      wake = woken.resolve
      await Promise.race([Bun.sleep(LOOK_EVERY_MS), woken.promise])
    }
  }

  try {
    await checkKey()
  } catch (error) {
    await connection.close()
    throw error
  }
  const looking = keepLooking()
  return {
    exactLimiter: new SharedCounters((sql, params) => connection.rows(sql, params), clock),
    get runsJobs() {
      return runsJobs
    },
    competeForJobs(won) {
      onWon = won
      wake()
    },
    async leave() {
      left = true
      runsJobs = false
      wake()
      await looking
      await connection.close()
    },
  }
}

const otherSecret = (where: string): StorageError =>
  new StorageError(
    'busy',
    `${where} is in use by processes with another secret: set the same TESSERA_SECRET for all of them.`,
  )
