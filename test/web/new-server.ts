/** A server in a process of its own, without an administrator unless its environment names one. */

import { afterAll, beforeAll } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { program } from '../harness/program.ts'

/** A server as people start it: without an administrator it prints the setup link. `home`: the folder around its data directory. */
export function useNewServer(more: Readonly<Record<string, string>> = {}): {
  readonly url: string
  readonly setupPath: string
  readonly home: string
} {
  const home = mkdtempSync(join(tmpdir(), 'tessera-newcomer-'))
  const dataDir = join(home, 'data')
  const server = { url: '', setupPath: '', home }
  let child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  beforeAll(async () => {
    mkdirSync(join(home, 'cwd'))
    child = Bun.spawn([...program, 'serve'], {
      cwd: join(home, 'cwd'),
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'test',
        TESSERA_PORT: '0',
        TESSERA_DATA_DIR: dataDir,
        TESSERA_LOG_LEVEL: 'error',
        ...more,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    for await (const chunk of child.stdout) {
      printed += new TextDecoder().decode(chunk)
      const address = /listening on (http:\/\/\S+)/.exec(printed)?.[1]
      const setupPath = /(\/setup\?token=\S+)/.exec(printed)?.[1]
      if (address === undefined || (setupPath === undefined && more['TESSERA_ADMIN_USERNAME'] === undefined)) continue
      Object.assign(server, { url: address, setupPath: setupPath ?? '' })
      return
    }
    throw new Error(`the server ended before it printed its address and the setup link: ${printed}`)
  })
  afterAll(async () => {
    child.kill('SIGKILL')
    await child.exited
    rmSync(home, { recursive: true, force: true })
  })
  return server
}
