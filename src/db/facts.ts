/** Facts about the database for administrators. */

import { statSync } from 'node:fs'

import { sql } from 'drizzle-orm'

import { dialect } from './dialect.ts'
import { databaseFile } from './migrate.ts'
import type { Db } from './store.ts'

export interface DatabaseFacts {
  /** Of SQLite or of the PostgreSQL server. */
  readonly version: string
  readonly sizeBytes: number
  /** Connections to the PostgreSQL server, of all programs and to all databases; null on SQLite. */
  readonly connections: { readonly open: number; readonly most: number } | null
}

const ONE_ROW = sql`(SELECT 1) AS one`

/** On SQLite with its write-ahead log. */
export async function readDatabaseFacts(db: Db, dataDir: string): Promise<DatabaseFacts> {
  if (dialect === 'sqlite') {
    const [row] = await db.select({ version: sql`sqlite_version()`.mapWith(String) }).from(ONE_ROW)
    const file = databaseFile(dataDir)
    const bytes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
    return { version: row!.version, sizeBytes: bytes[0]! + bytes[1]!, connections: null }
  }
  const [row] = await db
    .select({
      version: sql`current_setting('server_version')`.mapWith(String),
      sizeBytes: sql`pg_database_size(current_database())`.mapWith(Number),
      open: sql`(SELECT sum(numbackends) FROM pg_stat_database)`.mapWith(Number),
      most: sql`current_setting('max_connections')`.mapWith(Number),
    })
    .from(ONE_ROW)
  const { version, sizeBytes, open, most } = row!
  return { version, sizeBytes, connections: { open, most } }
}
