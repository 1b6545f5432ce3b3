/** Starts that are refused: with one clear sentence, the right exit code and no loss of data. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { send } from '../harness/client.ts'
import { Installation, onPostgres, type Outcome, OWN_MOUNTS } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

function refused({ code, stdout, stderr }: Outcome, expected: number, sentence: string | RegExp): void {
  expect(stderr).toMatch(sentence)
  // One sentence without a stack.
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(stdout).toBe('')
  expect(code).toBe(expected)
}

/** All files in a directory with their contents, except those of the lock. */
function contents(directory: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && !entry.name.startsWith('lock.')) {
      const path = join(entry.parentPath, entry.name)
      found.set(path, readFileSync(path, 'base64'))
    }
  return found
}

async function startAndStop(): Promise<void> {
  const server = await place.serve()
  expect(await server.end()).toBe(0)
}

test('a data directory in use is refused with the process that uses it, and the running server is not disturbed', async () => {
  const server = await place.serve()
  const before = server.child.pid
  refused(
    await place.run(['serve']),
    3,
    `Another Tessera (process ${before}) already uses the data directory ${place.dataDir}`,
  )
  for (const args of [['migrate'], ['admin', 'list'], ['admin', 'create', 'ann', '--generate']])
    refused(await place.run(args), 3, `(process ${before})`)
  expect((await send(server.url, 'GET', '/actuator/health')).status).toBe(200)
  expect(await server.end()).toBe(0)
  // It can be used again at once after its process ends, even if that was killed.
  const killed = await place.serve()
  killed.child.kill('SIGKILL')
  await killed.child.exited
  expect(existsSync(join(place.dataDir, 'lock.json'))).toBe(true)
  await startAndStop()
})

test('a port in use is refused', async () => {
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('another program') })
  try {
    refused(
      await place.run(['serve', '--log-level', 'error', '--port', String(other.port)]),
      3,
      'The port is already in use',
    )
  } finally {
    await other.stop(true)
  }
  // The lock was released and the database is intact.
  await startAndStop()
})

test('a port on which another Tessera listens is refused, and is free again after the end of that one', async () => {
  const first = await place.serve()
  const port = new URL(first.url).port
  const other = await Installation.make()
  try {
    refused(
      await other.run(['serve', '--log-level', 'error', '--port', port]),
      3,
      'The port is already in use: stop the program that uses it, or choose another port with TESSERA_PORT.',
    )
    expect((await send(first.url, 'GET', '/actuator/health')).status).toBe(200)
    expect(await first.end()).toBe(0)
    const second = await other.serve(['--port', port])
    expect(await second.end()).toBe(0)
  } finally {
    await other.dispose()
  }
})

describe('a start that fails in its last step', () => {
  test('ends the process before it listens, and the next start succeeds', async () => {
    if (onPostgres) return expect(place.databaseUrl).not.toBe('')
    await startAndStop()
    const db = new Database(join(place.dataDir, 'tessera.db'))
    // The setup link is written last.
    db.run(
      `CREATE TRIGGER refuse BEFORE INSERT ON server_state WHEN NEW.key = 'accounts.setupLink'
       BEGIN SELECT RAISE(ABORT, 'refused on purpose'); END`,
    )
    const { code, stdout, stderr } = await place.run(['serve', '--log-level', 'error'])
    expect(stderr).toContain('Tessera failed: refused on purpose')
    expect(stdout).toBe('')
    expect(code).toBe(1)
    db.run('DROP TRIGGER refuse')
    db.close()
    await startAndStop()
  })

  test.each([32, 64, 96, 128])('with %i KB of free space either serves or ends with exit code 5', async (free) => {
    if (onPostgres) return expect(place.databaseUrl).not.toBe('')
    await startAndStop()
    const copy = join(place.home, 'copy')
    Bun.spawnSync(['cp', '-a', place.dataDir, copy])
    const script = `mount -t tmpfs -o size=8m none "${place.dataDir}" && cp -a "${copy}/." "${place.dataDir}" &&
      head -c ${free}k /dev/zero > "${place.dataDir}/room" && { cat /dev/zero > "${place.dataDir}/filler" 2>/dev/null; rm "${place.dataDir}/room"; exec "$0" "$@"; }`
    const child = place.start(['serve', '--log-level', 'error'], { before: [...OWN_MOUNTS, script] })
    const reader = child.stdout.getReader()
    const { value, done } = await reader.read()
    if (done) {
      // It has said nothing and ends by itself.
      expect(await child.exited).toBe(5)
      return
    }
    expect(new TextDecoder().decode(value)).toStartWith('listening on')
    child.kill('SIGTERM')
    expect([0, 5]).toContain(await child.exited)
  })
})

test('a standard error that cannot be written changes no exit code', async () => {
  mkdirSync(place.dataDir, { recursive: true })
  const before = ['sh', '-c', `exec "$0" "$@" 2>/dev/full`]
  writeFileSync(join(place.home, 'file'), '')
  const args = ['serve', '--data-dir', join(place.home, 'file', 'data')]
  expect((await place.run(args, { before })).code).toBe(5)
})

test('a host address of another machine is refused', async () => {
  refused(
    await place.run(['serve', '--log-level', 'error', '--host', '192.0.2.1']),
    2,
    'This machine has no such address',
  )
})

describe('a data directory that cannot be used', () => {
  test('a file instead of the data directory is refused and kept', async () => {
    writeFileSync(place.dataDir, 'precious')
    refused(await place.run(['serve']), 5, `The data directory ${place.dataDir} is not a directory`)
    expect(readFileSync(place.dataDir, 'utf8')).toBe('precious')
  })

  test('a file instead of the parent of the data directory is refused', async () => {
    writeFileSync(join(place.home, 'file'), '')
    const args = ['serve', '--data-dir', join(place.home, 'file', 'data')]
    refused(await place.run(args), 5, 'is not a directory')
  })

  test('a data directory that this user cannot write is refused', async () => {
    mkdirSync(place.dataDir, { mode: 0o500 })
    // Root can write anywhere, so the program runs as another user then.
    const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
    if (asNobody.length > 0) Bun.spawnSync(['chmod', '-R', 'a+rx', place.home])
    refused(
      await place.run(['serve'], { before: asNobody }),
      5,
      /^The data directory \S+ cannot be written by this user/,
    )
    expect(readdirSync(place.dataDir)).toEqual([])
  })

  test('a data directory on a read-only file system is refused', async () => {
    await startAndStop()
    const before = contents(place.dataDir)
    const script = `mount --bind "${place.dataDir}" "${place.dataDir}" && mount -o remount,bind,ro "${place.dataDir}" && exec "$0" "$@"`
    refused(await place.run(['serve'], { before: [...OWN_MOUNTS, script] }), 5, 'is on a read-only file system')
    expect(contents(place.dataDir)).toEqual(before)
  })

  test('a data directory on a full disk is refused', async () => {
    mkdirSync(place.dataDir)
    const script = `mount -t tmpfs -o size=128k none "${place.dataDir}" && head -c 120k /dev/zero > "${place.dataDir}/filler" && exec "$0" "$@"`
    refused(await place.run(['serve'], { before: [...OWN_MOUNTS, script] }), 5, 'is on a disk that is full')
  })

  test('a disk that becomes full during the first migration ends the start', async () => {
    if (onPostgres) return expect(place.databaseUrl).not.toBe('')
    mkdirSync(place.dataDir)
    const script = `mount -t tmpfs -o size=160k none "${place.dataDir}" && exec "$0" "$@"`
    refused(await place.run(['serve'], { before: [...OWN_MOUNTS, script] }), 5, /No space|disk that is full/)
  })

  test('a data directory with a wider mode is closed to other users', async () => {
    mkdirSync(place.dataDir, { mode: 0o755 })
    writeFileSync(join(place.dataDir, '.gitkeep'), '')
    await startAndStop()
    expect(statSync(place.dataDir).mode & 0o777).toBe(0o700)
    for (const name of ['files', 'apps', 'backups', 'keys'])
      expect(statSync(join(place.dataDir, name)).mode & 0o777).toBe(0o700)
    expect(statSync(join(place.dataDir, 'keys/signing.key')).mode & 0o777).toBe(0o600)
    if (!onPostgres) expect(statSync(join(place.dataDir, 'tessera.db')).mode & 0o777).toBe(0o600)
  })
})

test('a key file without a valid key is refused and not replaced', async () => {
  await startAndStop()
  const key = join(place.dataDir, 'keys/signing.key')
  writeFileSync(key, 'rubbish')
  refused(await place.run(['serve']), 4, `${key} does not contain a signing key`)
  expect(readFileSync(key, 'utf8')).toBe('rubbish')
})

describe.if(!onPostgres)('a SQLite database that cannot be used', () => {
  const database = (): string => join(place.dataDir, 'tessera.db')

  async function spoil(how: () => void): Promise<Map<string, string>> {
    await startAndStop()
    how()
    return contents(place.dataDir)
  }

  test('a file that is not a database is refused and kept', async () => {
    const before = await spoil(() =>
      writeFileSync(database(), 'this is not a database, and long enough to be looked at'.repeat(100)),
    )
    refused(await place.run(['serve']), 4, /tessera\.db is damaged/)
    expect(contents(place.dataDir)).toEqual(before)
  })

  test('a truncated database is refused and kept', async () => {
    const before = await spoil(() => truncateSync(database(), statSync(database()).size - 10_000))
    refused(await place.run(['serve']), 4, /tessera\.db is damaged/)
    expect(contents(place.dataDir)).toEqual(before)
  })

  test('a database of a newer version is refused and kept', async () => {
    const before = await spoil(() => {
      const db = new Database(database())
      db.run("INSERT INTO schema_migrations VALUES ('9999_future', 'x', 1)")
      db.close()
    })
    refused(await place.run(['serve']), 4, /9999_future/)
    expect([...contents(place.dataDir).keys()].toSorted()).toEqual([...before.keys()].toSorted())
  })
})

test('a PostgreSQL server that does not answer is reported without the password', async () => {
  const env = { TESSERA_DATABASE_URL: 'postgres://ann:hunter2@127.0.0.1:9/x' }
  const outcome = await place.run(['serve'], { env })
  refused(outcome, 6, 'PostgreSQL at 127.0.0.1:9/x cannot be reached')
  expect(outcome.stderr).not.toContain('hunter2')
})

// On the large disk SQLite's log is enlarged ahead (db/engine/sqlite-checkpoint.ts), on the small one it is not.
test.each(['24m', '200m'])(
  'a disk of %s that becomes full while the server runs causes no loss, and the server recovers by itself',
  async (size) => {
    mkdirSync(place.dataDir)
    const filler = join(place.dataDir, 'filler')
    // The disk is filled and freed from a shell with the mounts of the server.
    const script = `mount -t tmpfs -o size=${size} none "${place.dataDir}" && exec "$0" "$@"`
    const server = await place.serve(['--rate-limit', 'off'], { before: [...OWN_MOUNTS, script] })
    const inside = (command: string): void => {
      const userns = process.getuid?.() === 0 ? [] : ['--user', '--preserve-credentials']
      const { success, stderr } = Bun.spawnSync([
        'nsenter',
        '--target',
        String(server.child.pid),
        '--mount',
        ...userns,
        'sh',
        '-c',
        command,
      ])
      if (!success) throw new Error(stderr.toString())
    }
    const register = (username: string) =>
      send(server.url, 'POST', '/api/auth/register', { body: { username, password: 'secret of somebody' } })
    const login = (username: string) =>
      send(server.url, 'POST', '/api/auth/login', { body: { account: username, password: 'secret of somebody' } })

    expect((await register('before')).status).toBe(200)
    inside(`cat /dev/zero > "${filler}" 2>/dev/null; true`)
    expect((await send(server.url, 'GET', '/actuator/health')).status).toBe(503)
    if (!onPostgres) {
      const statuses = []
      for (let i = 0; i < 40; i++) statuses.push((await register(`during${i}`)).status)
      // The log file has some room left; after that, writes are refused, and confirmed writes are kept.
      expect(statuses.at(-1)).toBeGreaterThanOrEqual(500)
      for (const [i, status] of statuses.entries())
        if (status === 200) expect((await login(`during${i}`)).status).not.toBe(401)
    }
    inside(`rm "${filler}"`)
    expect((await register('after')).status).toBe(200)
    expect((await login('before')).status).toBe(200)
    expect(await server.end()).toBe(0)
  },
)
