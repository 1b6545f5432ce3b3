/** What stops a start: one clear sentence, the right exit code, nothing lost. */

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
  // One sentence: no stack, no second line.
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(stdout).toBe('')
  expect(code).toBe(expected)
}

/** Every file below with its content, but for what says who runs. */
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

test('the data directory is in use: who has it, and the running server is not disturbed', async () => {
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
  // Free again at once, also when the holder was killed.
  const killed = await place.serve()
  killed.child.kill('SIGKILL')
  await killed.child.exited
  expect(existsSync(join(place.dataDir, 'lock.json'))).toBe(true)
  await startAndStop()
})

test('the port is in use', async () => {
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('somebody else') })
  try {
    refused(
      await place.run(['serve', '--log-level', 'error', '--port', String(other.port)]),
      3,
      'The port is already in use',
    )
  } finally {
    await other.stop(true)
  }
  // The lock was given back and the database is whole.
  await startAndStop()
})

test('an address that is not of this machine', async () => {
  refused(
    await place.run(['serve', '--log-level', 'error', '--host', '192.0.2.1']),
    2,
    'This machine has no such address',
  )
})

describe('a data directory that cannot be used', () => {
  test('a file stands in its place', async () => {
    writeFileSync(place.dataDir, 'precious')
    refused(await place.run(['serve']), 5, `The data directory ${place.dataDir} is not a directory`)
    expect(readFileSync(place.dataDir, 'utf8')).toBe('precious')
  })

  test('a file stands where its parent should be', async () => {
    writeFileSync(join(place.home, 'file'), '')
    const args = ['serve', '--data-dir', join(place.home, 'file', 'data')]
    refused(await place.run(args), 5, 'is not a directory')
  })

  test('it belongs to somebody else', async () => {
    mkdirSync(place.dataDir, { mode: 0o500 })
    // Root may write anywhere: then the program runs as somebody who may not.
    const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
    if (asNobody.length > 0) Bun.spawnSync(['chmod', '-R', 'a+rx', place.home])
    refused(
      await place.run(['serve'], { before: asNobody }),
      5,
      /^The data directory \S+ cannot be written by this user/,
    )
    expect(readdirSync(place.dataDir)).toEqual([])
  })

  test('it is mounted read-only', async () => {
    await startAndStop()
    const before = contents(place.dataDir)
    const script = `mount --bind "${place.dataDir}" "${place.dataDir}" && mount -o remount,bind,ro "${place.dataDir}" && exec "$0" "$@"`
    refused(await place.run(['serve'], { before: [...OWN_MOUNTS, script] }), 5, 'is on a read-only file system')
    expect(contents(place.dataDir)).toEqual(before)
  })

  test('its disk is full', async () => {
    mkdirSync(place.dataDir)
    const script = `mount -t tmpfs -o size=128k none "${place.dataDir}" && head -c 120k /dev/zero > "${place.dataDir}/filler" && exec "$0" "$@"`
    refused(await place.run(['serve'], { before: [...OWN_MOUNTS, script] }), 5, 'is on a disk that is full')
  })

  test('its disk fills up during the first migration', async () => {
    if (onPostgres) return expect(place.databaseUrl).not.toBe('')
    mkdirSync(place.dataDir)
    const script = `mount -t tmpfs -o size=160k none "${place.dataDir}" && exec "$0" "$@"`
    refused(await place.run(['serve'], { before: [...OWN_MOUNTS, script] }), 5, /No space|disk that is full/)
  })

  test('a directory of a checkout is closed to other users', async () => {
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

test('a key file that holds something else is not replaced', async () => {
  await startAndStop()
  const key = join(place.dataDir, 'keys/signing.key')
  writeFileSync(key, 'rubbish')
  refused(await place.run(['serve']), 4, `${key} does not hold a signing key`)
  expect(readFileSync(key, 'utf8')).toBe('rubbish')
})

describe('a database that cannot be used', () => {
  const database = (): string => join(place.dataDir, 'tessera.db')
  let local: Installation
  beforeEach(async () => {
    // SQLite, wherever the rest of the suite runs.
    local = place
    if (!onPostgres) return
    await place.dispose()
    place = local = new Installation()
  })

  async function spoil(how: () => void): Promise<Map<string, string>> {
    await startAndStop()
    how()
    return contents(local.dataDir)
  }

  test('no database at all', async () => {
    const before = await spoil(() =>
      writeFileSync(database(), 'this is not a database, and long enough to be looked at'.repeat(100)),
    )
    refused(await local.run(['serve']), 4, /tessera\.db is damaged/)
    expect(contents(local.dataDir)).toEqual(before)
  })

  test('cut short', async () => {
    const before = await spoil(() => truncateSync(database(), statSync(database()).size - 10_000))
    refused(await local.run(['serve']), 4, /tessera\.db is damaged/)
    expect(contents(local.dataDir)).toEqual(before)
  })

  test('made by a newer version', async () => {
    const before = await spoil(() => {
      const db = new Database(database())
      db.run("INSERT INTO schema_migrations VALUES ('9999_future', 'x', 1)")
      db.close()
    })
    refused(await local.run(['serve']), 4, /9999_future/)
    expect([...contents(local.dataDir).keys()].toSorted()).toEqual([...before.keys()].toSorted())
  })
})

test('PostgreSQL that does not answer', async () => {
  const env = { TESSERA_DATABASE_URL: 'postgres://ann:hunter2@127.0.0.1:9/x' }
  const outcome = await place.run(['serve'], { env })
  refused(outcome, 6, 'PostgreSQL at 127.0.0.1:9/x cannot be reached')
  expect(outcome.stderr).not.toContain('hunter2')
})

test('a disk that fills up while the server runs loses nothing, and the server recovers by itself', async () => {
  mkdirSync(place.dataDir)
  const filler = join(place.dataDir, 'filler')
  // The shell stays: through its mounts the disk is filled and freed.
  const script = `mount -t tmpfs -o size=24m none "${place.dataDir}" && exec "$0" "$@"`
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
    // The log file has some room left inside; then writes are refused, and refused only.
    expect(statuses.at(-1)).toBeGreaterThanOrEqual(500)
    for (const [i, status] of statuses.entries())
      if (status === 200) expect((await login(`during${i}`)).status).not.toBe(401)
  }
  inside(`rm "${filler}"`)
  expect((await register('after')).status).toBe(200)
  expect((await login('before')).status).toBe(200)
  expect(await server.end()).toBe(0)
}, 60_000)
