/** A PostgreSQL server of a test's own, for tests that stop it. */

import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PostgresServer {
  readonly databaseUrl: string
  start(): Promise<void>
  /** `fast`: ends connections and shuts down. `immediate`: as in a crash, with recovery at the next start. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  remove(): Promise<void>
}

/** The directory of PostgreSQL's programs. */
function findPrograms(): string | undefined {
  const root = '/usr/lib/postgresql'
  const inPath = Bun.which('pg_ctl')
  if (inPath !== null) return join(inPath, '..')
  try {
    const [newest] = readdirSync(root).toSorted((a, b) => Number(b) - Number(a))
    return newest === undefined ? undefined : join(root, newest, 'bin')
  } catch {
    return undefined
  }
}

/** Returns undefined, and prints why, if PostgreSQL's programs are not installed. Fails then if CI is set. */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const programs = findPrograms()
  if (programs === undefined) {
    if (process.env['CI']) throw new Error('initdb and pg_ctl were not found')
    console.warn('not tested: initdb and pg_ctl were not found')
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'tessera-postgres-'))
  const data = join(folder, 'data')
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)

  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const idOf = async (flag: string) => Number(await Bun.$`id ${flag} nobody`.text())
  const [user, group] = isRoot ? [await idOf('-u'), await idOf('-g')] : []
  if (user !== undefined && group !== undefined) {
    chownSync(folder, user, group)
    chmodSync(folder, 0o700)
  }

  async function run(...command: string[]): Promise<void> {
    const prefix = isRoot ? ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups', '--'] : []
    const child = Bun.spawn([...prefix, ...command], { cwd: '/', stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
    if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
  }

  const control = (...words: string[]) => run(join(programs, 'pg_ctl'), '-D', data, '-w', ...words)
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='${folder}' -c fsync=off`
  const server: PostgresServer = {
    databaseUrl: `postgres://tessera@127.0.0.1:${port}/postgres`,
    start: () => control('-l', join(folder, 'log'), '-o', options, 'start'),
    stop: (mode) => control('-m', mode, 'stop'),
    async remove() {
      await server.stop('immediate').catch(() => undefined)
      rmSync(folder, { recursive: true })
    },
  }
  await run(
    join(programs, 'initdb'),
    '-D',
    data,
    '-U',
    'tessera',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  )
  await server.start()
  return server
}
