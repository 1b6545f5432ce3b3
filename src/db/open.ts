/** Opens the store that the configuration names. */

import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'

import { dialect } from './dialect.ts'
import { openPostgres } from './engine/postgres.ts'
import { openSqlite } from './engine/sqlite.ts'
import { databaseFile, migrate } from './migrate.ts'
import type { Store } from './store.ts'

export interface OpenOptions {
  /** `databaseUrl` empty: SQLite at `<dataDir>/tessera.db`. Must be of the dialect that this process was started with. */
  config: {
    readonly databaseUrl: string
    readonly dataDir: string
    /** Compare every page of a paged list with a plain query (tests and development). */
    readonly checkAnswers?: boolean
  }
  clock: Clock
  log: Log
}

/** Migrates, then opens. Throws StorageErrors (see errors.ts), each one sentence for the operator. */
export async function openStore({
  config: { databaseUrl, dataDir, checkAnswers = false },
  clock,
  log,
}: OpenOptions): Promise<Store> {
  if ((databaseUrl === '') !== (dialect === 'sqlite'))
    throw new Error(`this process was started for ${dialect}: the schema of the other database is not loaded`)
  await migrate({ databaseUrl, dataDir, clock, log })
  return databaseUrl === ''
    ? openSqlite({ file: databaseFile(dataDir), clock, log, checksPages: checkAnswers })
    : openPostgres({ databaseUrl, clock, log })
}
