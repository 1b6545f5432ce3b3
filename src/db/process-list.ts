/** The rows by which the processes on a PostgreSQL database know of each other. */

import type { TimedConnection } from './engine/pg-connection.ts'

/** The figures by which a process is shown to administrators. */
export interface ProcessFigures {
  readonly version: string
  readonly host: string
  /** Whether its port is open, and it is not stopping. */
  readonly listening: boolean
  /** Whether it is stopping. */
  readonly draining: boolean
  readonly sockets: number
  readonly requestsPerSecond: number
  readonly memoryBytes: number
}

export interface ListedProcess extends ProcessFigures {
  /** Chosen by the process when it starts. */
  readonly id: string
  readonly startedAt: number
  readonly lastSeenAt: number
  readonly hasJobs: boolean
  /** Name of the newest migration that it knows. Versions without rolling upgrades do not say it. */
  readonly schema?: string
  /** It was killed, or its machine does not answer. */
  readonly isLost: boolean
}

interface Report extends ProcessFigures {
  readonly hasJobs: boolean
  readonly schema: string
}

/** First part of the advisory lock of the signing key, which each process holds: "Tkey" in ASCII. Advisory locks are per database. */
export const KEY_LOCK = 0x54_6b_65_79

/** Advisory locks on this database with two numbers. */
export const LOCKS = `pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** The time of the database server, so that the clocks of the processes do not matter. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
/** A killed process has lost its lock at once. One that has got a new connection reports it within a second. */
const KILLED_MS = 3000
/** The locks of a dead machine stay a while. */
const DEAD_MS = 30_000
const SHOWN_MS = 3_600_000

/** $1: the id, $2: the figures as JSON. Also deletes processes that were lost long ago. */
const REPORT = `WITH gone AS (DELETE FROM processes WHERE seen_at < ${NOW} - ${SHOWN_MS})
  INSERT INTO processes (id, backend, report, started_at, seen_at)
  SELECT $1, pg_backend_pid(), $2, ${NOW}, ${NOW} FROM set_config('synchronous_commit', 'off', true)
  ON CONFLICT (id) DO UPDATE SET backend = excluded.backend, report = excluded.report, seen_at = excluded.seen_at`
const LIST = `SELECT id, report, started_at, seen_at,
    seen_at < ${NOW} - ${DEAD_MS} OR seen_at < ${NOW} - ${KILLED_MS}
      AND NOT EXISTS (SELECT FROM ${LOCKS} AND classid::bigint = ${KEY_LOCK} AND pid = processes.backend)
  FROM processes WHERE seen_at >= ${NOW} - ${SHOWN_MS} ORDER BY started_at, id`
const UNLIST = 'DELETE FROM processes WHERE id = $1'

type Connection = Pick<TimedConnection, 'rows'>

/** Writes the row of this process, by the connection that holds its locks. Returns how many processes live. */
export async function reportProcess(connection: Connection, id: string, report: Report): Promise<number> {
  await connection.rows(REPORT, [id, JSON.stringify(report)])
  return (await listProcesses(connection)).filter(({ isLost }) => !isLost).length
}

export const removeProcess = (connection: Connection, id: string): Promise<unknown> => connection.rows(UNLIST, [id])

/** In the order of their start, with those that were lost less than an hour ago. */
export const listProcesses = async (connection: Connection): Promise<ListedProcess[]> =>
  (await connection.rows(LIST)).map(([id, report, startedAt, lastSeenAt, isLost]) => ({
    ...(JSON.parse(String(report)) as Report),
    id: String(id),
    startedAt: Number(startedAt),
    lastSeenAt: Number(lastSeenAt),
    isLost: isLost === true,
  }))
