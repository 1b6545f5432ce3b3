/** Servers as processes of their own on one database, which tests kill and start again. */

import { openSync } from 'node:fs'
import { join } from 'node:path'

import { program } from '../harness/program.ts'
import { ADMIN, firstAddress } from '../harness/server.ts'

export interface Child {
  readonly url: string
  /** SIGKILL, and waits for the end of the process. */
  kill(): Promise<void>
  /** Sends SIGSTOP or SIGCONT. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
}

/** Starts a server on `dataDir` and waits until it listens. Its log is in `dataDir`/stderr.log. */
export async function startChild(dataDir: string, env: Record<string, string> = {}): Promise<Child> {
  const child = Bun.spawn([...program, 'serve'], {
    cwd: dataDir,
    env: {
      PATH: process.env['PATH'],
      TESSERA_HOST: '127.0.0.1',
      TESSERA_PORT: '0',
      TESSERA_DATA_DIR: dataDir,
      TESSERA_ADMIN_USERNAME: ADMIN.username,
      TESSERA_ADMIN_PASSWORD: ADMIN.password,
      TESSERA_LOG_LEVEL: 'error',
      TESSERA_RATE_LIMIT: 'off',
      ...env,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: openSync(join(dataDir, 'stderr.log'), 'a'),
  })
  const url = await firstAddress(child.stdout)
  return {
    url,
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
    signal: (name) => child.kill(name),
  }
}
