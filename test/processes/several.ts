/** Several servers in this process that share a PostgreSQL database and a directory of files, as processes of their own would. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SQL } from 'bun'

import { type Config, defaultConfig } from '#config/config.ts'
import { dialect } from '#db/dialect.ts'

import { type Method, type RequestOptions, send } from '../harness/client.ts'
import { freshDatabase } from '../harness/database.ts'
import { inProcess, type Person, startServer, type TestServer } from '../harness/index.ts'
import { ADMIN, type Child, startChild } from '../harness/server.ts'

/** Several processes need PostgreSQL: the tests of this folder run with TEST_DATABASE_URL only. */
export const onPostgres = inProcess && dialect === 'postgres'

/** The clock of each server is ahead of that of the server before, as those of machines differ. Milliseconds. */
export const APART_MS = 5000

export interface Several {
  readonly servers: readonly TestServer[]
  /** The configuration that the servers share. */
  readonly config: Partial<Config>
  /** Starts another server, with a data directory of its own. */
  start(config?: Partial<Config>): Promise<TestServer>
  /** A path for another data directory. */
  newDataDir(): string
}

/** Runs `use` with as many servers, and stops them afterwards. */
export async function withServers(
  count: number,
  use: (several: Several) => Promise<void>,
  given: Partial<Config> = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-processes-'))
  const database = await freshDatabase()
  const sharedFiles = join(folder, 'files')
  mkdirSync(sharedFiles)
  const config = {
    databaseUrl: database.url,
    sharedFiles,
    secret: 'the secret of all processes of a test',
    ...given,
  }
  let started = 0
  const newDataDir = (): string => {
    const path = join(folder, `data-${started++}`)
    mkdirSync(path)
    return path
  }
  const running: TestServer[] = []
  const start = async (changed: Partial<Config> = {}): Promise<TestServer> => {
    const server = await startServer({ dataDir: newDataDir(), config: { ...config, ...changed } })
    server.clock.advance(running.length * APART_MS)
    running.push(server)
    return server
  }
  try {
    for (let i = 0; i < count; i++) await start()
    await use({ servers: [...running], config, start, newDataDir })
  } finally {
    for (const server of running) await server.stop()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts a process of its own on the same database. The caller stops it. */
export const startProcess = ({ config, newDataDir }: Several): Promise<Child> =>
  startChild({
    ...defaultConfig,
    ...config,
    port: 0,
    dataDir: newDataDir(),
    adminUsername: ADMIN.username,
    adminPassword: ADMIN.password,
    logLevel: 'error',
    rateLimit: false,
  })

/** Ends all connections to the database, as a failure of the network would. */
export async function endConnections(databaseUrl: string): Promise<void> {
  await using sql = new SQL({ url: databaseUrl, max: 1 })
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`
}

/** Sends a request of the person to one of the servers. */
export const sendTo = (
  { url }: { readonly url: string },
  { token, deviceId }: Person,
  method: Method,
  path: string,
  options?: RequestOptions,
) => send(url, method, path, { token, deviceId, ...options })
