/**
 * The processes on one PostgreSQL database must all have the same signing key, and one of them runs the jobs. Both are advisory locks of one
 * connection, so they end with the process, even if that is killed.
 */

import type { Clock } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'
import type { ExactLimiter } from '#platform/limiter.ts'
import type { Log } from '#platform/log.ts'

import { migrations } from '../../migrations/index.ts'
import { placeOf, TimedConnection } from './engine/pg-connection.ts'
import { StorageError } from './errors.ts'
import {
  KEY_LOCK,
  type ListedProcess,
  listProcesses,
  LOCKS,
  type ProcessFigures,
  removeProcess,
  reportProcess,
} from './process-list.ts'
import { ProcessPlaces } from './process-places.ts'
import { SharedCounters } from './shared-counters.ts'

export interface Membership {
  /** Chosen by this process. */
  readonly id: string
  /** Processes that live, with this one. Up to a second old; 0 before the first report. */
  readonly alive: number
  /** Undefined for the only process, which counts in its memory. */
  readonly exactLimiter: ExactLimiter | undefined
  /** Undefined for the only process. */
  readonly places: ProcessPlaces | undefined
  /** Whether this process runs the jobs. False from the start until `competeForJobs` was called and won. */
  readonly runsJobs: boolean
  /** Tries to become the process that runs the jobs, until `leave`. `onWon` is called each time that it becomes that process. */
  competeForJobs(onWon: () => void): void
  /** Shows this process to the others until `leave`: its figures are asked for every second. */
  report(figures: () => ProcessFigures): void
  /** The figures have changed in a way that others should see at once. */
  reportNow(): void
  /** The processes in the order of their start, with those that were lost less than an hour ago. Undefined for the only process. */
  list(): Promise<readonly ListedProcess[]> | undefined
  leave(): Promise<void>
}

/** The only process on its database. */
export const ONLY_PROCESS: Membership = {
  id: 'only',
  alive: 1,
  exactLimiter: undefined,
  places: undefined,
  runsJobs: true,
  competeForJobs: () => undefined,
  report: () => undefined,
  reportNow: () => undefined,
  list: () => undefined,
  leave: async () => undefined,
}

/** "Tjob" in ASCII. */
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

/** @throws StorageError of kind `busy` if another process has another key */
async function takeKey(connection: TimedConnection, key: string): Promise<void> {
  for (let nth = 1; ; nth++) {
    // Of two processes that start at the same time, at least the later one finds the lock of the other.
    await connection.rows(TAKE_KEY, [key])
    if ((await connection.rows(FIND_OTHER_KEYS, [key])).length === 0) return
    if (nth === START_LOOKS) throw otherSecret(placeOf(connection.databaseUrl))
    await Bun.sleep(LOOK_EVERY_MS / START_LOOKS)
  }
}

/** Runs `run` every second, and soon after each call of `wake`, until `isOver`. */
function repeat(run: () => Promise<void>, isOver: () => boolean): { wake(): void; readonly ended: Promise<void> } {
  let wake = (): void => undefined
  async function keepRunning(): Promise<void> {
    while (!isOver()) {
      // Before the run, so that it is repeated for those who call `wake` meanwhile.
      const woken = Promise.withResolvers<void>()
      wake = woken.resolve
      await run()
      await Promise.race([Bun.sleep(LOOK_EVERY_MS), woken.promise])
    }
  }
  const ended = keepRunning()
  return { wake: () => wake(), ended }
}

/** @throws StorageError of kind `busy` if another process on the database has another signing key */
export async function joinProcesses(options: {
  readonly databaseUrl: string
  readonly signingKey: Uint8Array
  readonly clock: Clock
  readonly log: Log
}): Promise<Membership> {
  const { databaseUrl, signingKey, clock, log } = options
  const connection = new TimedConnection(databaseUrl, KEEPALIVE)
  const places = new ProcessPlaces(connection)
  const key = fingerprintOf(signingKey)
  const id = log.process ?? uuid().slice(0, 8)
  const newest = migrations.postgres.at(-1)!.name
  let runsJobs = false
  let onWon: (() => void) | undefined
  let figures: (() => ProcessFigures) | undefined
  let left = false
  let alive = 0

  async function look(): Promise<void> {
    const before = runsJobs
    try {
      await connection.rows(TAKE_KEY, [key])
      await places.takeAgain()
      runsJobs = onWon !== undefined && (await connection.rows(TAKE_JOBS))[0]![0] === true && !left
    } catch (error) {
      // PostgreSQL does not answer, so another process may run them soon.
      runsJobs = false
      if (before) log.warn('this process stops running the jobs', { error })
    }
    // If it fails, the others miss this process, but the jobs go on.
    const report = figures && !left ? { ...figures(), hasJobs: runsJobs, schema: newest } : undefined
    if (report) alive = await reportProcess(connection, id, report).catch(() => alive)
    if (!runsJobs || before) return
    log.info('this process runs the jobs')
    onWon?.()
  }

  try {
    await takeKey(connection, key)
  } catch (error) {
    await connection.close()
    throw error
  }
  const looking = repeat(look, () => left)
  return {
    id,
    get alive() {
      return alive
    },
    places,
    exactLimiter: new SharedCounters((sql, params) => connection.rows(sql, params), clock),
    get runsJobs() {
      return runsJobs
    },
    competeForJobs(won) {
      onWon = won
      looking.wake()
    },
    report(of) {
      figures = of
      looking.wake()
    },
    reportNow: looking.wake,
    list: () => listProcesses(connection),
    async leave() {
      left = true
      runsJobs = false
      looking.wake()
      await looking.ended
      // Otherwise it would look like a killed one.
      await removeProcess(connection, id).catch(() => undefined)
      await connection.close()
    },
  }
}

const otherSecret = (where: string): StorageError =>
  new StorageError(
    'busy',
    `${where} is in use by processes with another secret: set the same TESSERA_SECRET for all of them.`,
  )
