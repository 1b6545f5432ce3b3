/** Migrates and opens the database that the configuration names. */

import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'

import { dialect } from './dialect.ts'
import type { BusTimes } from './engine/pg-bus.ts'
import type { ReplicaTimes } from './engine/pg-replica.ts'
import { openPostgres } from './engine/postgres.ts'
import { SqliteStore } from './engine/sqlite.ts'
import type { WriteLimits } from './engine/write.ts'
import { databaseFile, migrate } from './migrate.ts'
import type { Store } from './store.ts'

export interface OpenOptions {
  /** Empty `databaseUrl`: SQLite at `<dataDir>/tessera.db`. Must be of the dialect that this process was started with. */
  config: {
    readonly databaseUrl: string
    readonly dataDir: string
    readonly poolerUrl?: string
    readonly databaseReadUrl?: string
    readonly databaseConnections?: number
    /** Compare every page of a paged list with a plain query (tests and development). */
    readonly checkAnswers?: boolean
  }
  clock: Clock
  log: Log
  metrics?: Metrics
  /** On PostgreSQL: whether other processes may use the database and the files at the same time. */
  shared?: boolean
  /** For tests. */
  limits?: WriteLimits
  /** For tests. */
  searchMs?: number
  /** For tests. */
  busTimes?: BusTimes
  /** For tests. */
  replicaTimes?: ReplicaTimes
}

/** @throws StorageError with one sentence for the operator (errors.ts) */
export async function openStore({
  config: {
    databaseUrl,
    dataDir,
    poolerUrl = '',
    databaseReadUrl: readUrl = '',
    databaseConnections,
    checkAnswers = false,
  },
  ...options
}: OpenOptions): Promise<Store> {
  if ((databaseUrl === '') !== (dialect === 'sqlite'))
    throw new Error(`this process was started for ${dialect}: the schema of the other database is not loaded`)
  await migrate({ databaseUrl, dataDir, ...options })
  if (databaseUrl === '') return new SqliteStore({ file: databaseFile(dataDir), checksPages: checkAnswers, ...options })
  const connections = databaseConnections && { connections: databaseConnections }
  const store = await openPostgres({ databaseUrl, poolerUrl, readUrl, ...connections, ...options })
  return Object.assign(store, { read: Object.assign(store.read, { checksPages: checkAnswers }) })
}
