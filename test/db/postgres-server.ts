/** PostgreSQL servers of a test's own, for tests that stop them, and their replicas. */

import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SQL } from 'bun'

import { OWN_MOUNTS } from '../ops/cli.ts'

export interface PostgresServer {
  readonly databaseUrl: string
  start(): Promise<void>
  /** `fast`: ends connections and shuts down. `immediate`: as in a crash, with recovery at the next start. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** As if its machine lost its power. */
  kill(): Promise<void>
  /** Makes a replica a primary. */
  promote(): Promise<void>
  /** Sends a signal to all of its processes. */
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Runs statements as the administrator of the server. */
  run(...statements: string[]): Promise<unknown[][]>
  /** Fills the disk that it has for itself (`disk`). */
  fillDisk(): Promise<void>
  /** Undoes that. */
  freeDisk(): Promise<void>
  remove(): Promise<void>
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The directory of PostgreSQL's programs. */
function findPrograms(): string | undefined {
  const root = '/usr/lib/postgresql'
  const inPath = Bun.which('pg_ctl')
  // It may be a link to the one program.
  if (inPath !== null) return join(realpathSync(inPath), '..')
  try {
    const [newest] = readdirSync(root).toSorted((a, b) => Number(b) - Number(a))
    return newest === undefined ? undefined : join(root, newest, 'bin')
  } catch {
    return undefined
  }
}

/** Runs commands beside a disk of `size`, which is at `folder` for them alone. */
function withDisk(folder: string, size: string) {
  const script = `mount -t tmpfs -o size=${size},mode=777 none "$0" && while read -r line; do eval "$line" >/dev/null 2>&1; echo $?; done`
  const shell = Bun.spawn([...OWN_MOUNTS, script, folder], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    cwd: '/',
  })
  const answers = shell.stdout.getReader()
  let heard = ''
  return {
    /** Resolves with the exit code. */
    async run(line: string): Promise<number> {
      shell.stdin.write(`${line}\n`)
      await shell.stdin.flush()
      while (!heard.includes('\n')) {
        const { done, value } = await answers.read()
        if (done) throw new Error(`no disk could be mounted for PostgreSQL: ${OWN_MOUNTS.join(' ')}`)
        heard += new TextDecoder().decode(value)
      }
      const [first, ...rest] = heard.split('\n')
      heard = rest.join('\n')
      return Number(first)
    },
    async end() {
      shell.stdin.end()
      await shell.exited
    },
  }
}

/**
 * Starts a server with more `settings`, or a replica of `primary`, which follows it through a slot. `disk`: the
 * size of a disk of its own in memory. Returns undefined, and prints why, if PostgreSQL's
 * programs are not installed. Fails then if CI is set.
 */
export async function startPostgres({
  primary,
  settings = [],
  disk,
}: {
  primary?: PostgresServer
  settings?: readonly string[]
  disk?: string
} = {}): Promise<PostgresServer | undefined> {
  const programs = findPrograms()
  if (programs === undefined) {
    if (process.env['CI']) throw new Error('initdb and pg_ctl were not found')
    console.warn('not tested: initdb and pg_ctl were not found')
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'tessera-postgres-'))
  const place = join(folder, 'disk')
  const data = join(place, 'data')
  mkdirSync(place)
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)

  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const idOf = async (flag: string) => Number(await Bun.$`id ${flag} nobody`.text())
  const [user, group] = isRoot ? [await idOf('-u'), await idOf('-g')] : []
  if (user !== undefined && group !== undefined) {
    for (const path of [folder, place]) chownSync(path, user, group)
    chmodSync(folder, 0o700)
  }
  const asUser = isRoot ? ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups', '--'] : []
  const shell = disk === undefined ? undefined : withDisk(place, disk)
  const filler = join(place, 'filler')

  async function run(...command: string[]): Promise<void> {
    if (shell !== undefined) {
      // Who may mount in a user namespace is root there.
      const prefix = isRoot ? asUser : ['unshare', '--user', '--map-user=12345', '--']
      const line = [...prefix, ...command].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')
      if ((await shell.run(line)) !== 0) throw new Error(`${command.join(' ')} failed`)
      return
    }
    const child = Bun.spawn([...asUser, ...command], { cwd: '/', stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
    if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
  }

  const control = (...words: string[]) => run(join(programs, 'pg_ctl'), '-D', data, '-w', ...words)
  const more = settings.map((setting) => ` -c ${setting}`).join('')
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='${folder}' -c fsync=off${more}`
  const postmaster = async () => Number((await Bun.file(join(data, 'postmaster.pid')).text()).split('\n')[0])
  const server: PostgresServer = {
    databaseUrl: `postgres://tessera@127.0.0.1:${port}/postgres`,
    start: () => control('-l', join(folder, 'log'), '-o', options, 'start'),
    stop: (mode) => control('-m', mode, 'stop'),
    async kill() {
      const pid = await postmaster()
      await server.signal('SIGKILL')
      while (isAlive(pid)) await Bun.sleep(5)
    },
    promote: () => control('promote'),
    async signal(name) {
      const pid = await postmaster()
      // Each process of PostgreSQL is a group of its own.
      const others = (await Bun.$`pgrep -P ${pid}`.nothrow().text()).split('\n').filter((line) => line !== '')
      for (const one of [pid, ...others.map(Number)]) if (isAlive(one)) process.kill(one, name)
    },
    async run(...statements) {
      const sql = new SQL({ url: server.databaseUrl, max: 1 })
      try {
        let rows: unknown[][] = []
        for (const statement of statements) rows = (await sql.unsafe(statement).values()) as unknown[][]
        return rows
      } finally {
        await sql.close()
      }
    },
    async fillDisk() {
      await shell!.run(`cat /dev/zero > '${filler}'`)
    },
    async freeDisk() {
      await shell!.run(`rm '${filler}'`)
    },
    async remove() {
      await server.stop('immediate').catch(() => undefined)
      await shell?.end()
      rmSync(folder, { recursive: true })
    },
  }
  if (primary === undefined)
    await run(
      join(programs, 'initdb'),
      '-D',
      data,
      '-U',
      'tessera',
      '--auth=trust',
      '--no-sync',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
    )
  else
    await run(
      join(programs, 'pg_basebackup'),
      '-D',
      data,
      '-R',
      '--checkpoint=fast',
      '--no-sync',
      '--create-slot',
      `--slot=s${port}`,
      `--dbname=${primary.databaseUrl}?application_name=s${port}`,
    )
  await server.start()
  return server
}
