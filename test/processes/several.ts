/** Several servers in this process that share a PostgreSQL database and a directory of files, as processes of their own would. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Config } from '#config/config.ts'
import { dialect } from '#db/dialect.ts'

import { type Method, type RequestOptions, send } from '../harness/client.ts'
import { freshDatabase } from '../harness/database.ts'
import { inProcess, type Person, startServer, type TestServer } from '../harness/index.ts'

/** Several processes need PostgreSQL: the tests of this folder run with TEST_DATABASE_URL only. */
export const onPostgres = inProcess && dialect === 'postgres'

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

/** Sends a request of the person to one of the servers. */
export const sendTo = (
  { url }: { readonly url: string },
  { token, deviceId }: Person,
  method: Method,
  path: string,
  options?: RequestOptions,
) => send(url, method, path, { token, deviceId, ...options })

/** Polls for a condition that another process brings about. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + 60_000
  while (!(await isTrue())) {
    if (performance.now() > endsAt) throw new Error('not true within a minute')
    await Bun.sleep(10)
  }
}
