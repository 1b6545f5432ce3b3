import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { SQL } from 'bun'

import { ok, send } from '../harness/client.ts'
import { Installation, onPostgres, OWN_MOUNTS } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

interface Finding {
  check: string
  verdict: 'OK' | 'WARN' | 'FAIL'
  message: string
}

async function doctor(
  options: Parameters<Installation['run']>[1] = {},
): Promise<{ code: number | null; all: Finding[]; of(check: string): Finding }> {
  const { code, stdout } = await place.run(['doctor', '--json'], options)
  const all = JSON.parse(stdout) as Finding[]
  return { code, all, of: (check) => all.find((finding) => finding.check === check)! }
}

async function startAndStop(): Promise<void> {
  const server = await place.serve()
  expect(await server.end()).toBe(0)
}

test('before the first start doctor warns and does not fail', async () => {
  if (onPostgres) await place.newDatabase()
  const { code, all, of } = await doctor()
  expect(code).toBe(0)
  expect(of('directory').verdict).toBe('WARN')
  expect(all.some(({ verdict }) => verdict === 'FAIL')).toBe(false)
})

test('doctor and healthcheck recognize a running and a stopped server', async () => {
  const server = await place.serve()
  const beside = await doctor()
  expect(beside.of('server')).toMatchObject({ verdict: 'OK', message: `UP at ${server.url}` })
  expect(beside.of('database').verdict).toBe('OK')
  expect(beside.of('schema').verdict).toBe('OK')
  expect(beside.code).toBe(0)
  expect((await place.run(['healthcheck'])).code).toBe(0)
  await server.end()
  const after = await doctor()
  expect(after.of('server').message).toContain('not running')
  expect(after.code).toBe(0)
  const { code, stderr } = await place.run(['healthcheck', '--port', '9'])
  expect(code).toBe(1)
  expect(stderr).toContain('http://127.0.0.1:9/actuator/health does not answer')
})

/** A data directory on a tmpfs with these options, filled by a shell command. */
const onTmpfs = (options: string, fill = 'true'): readonly string[] => [
  ...OWN_MOUNTS,
  `mount -t tmpfs -o ${options} none "${place.dataDir}" && ${fill}; exec "$0" "$@"`,
]

test('doctor fails if the running server has lost its database, or if files and keys are there without one', async () => {
  if (onPostgres) return expect(place.databaseUrl).not.toBe('')
  const server = await place.serve()
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(place.dataDir, `tessera.db${suffix}`), { force: true })
  const running = await doctor()
  expect(running.of('database')).toMatchObject({
    verdict: 'FAIL',
    message: expect.stringContaining('was deleted or emptied while the server runs'),
  })
  expect(running.code).toBe(1)
  server.child.kill('SIGKILL')
  await server.ended()
  expect((await doctor()).of('database')).toMatchObject({
    verdict: 'FAIL',
    message: expect.stringContaining('although there are files or keys'),
  })
  // The start says so too, and goes on.
  const again = await place.serve()
  expect(again.stderr()).toContain('the database is missing although there are files or keys')
  expect(await again.end()).toBe(0)
  expect((await doctor()).of('database').verdict).toBe('OK')
})

test('doctor fails and the start warns if the database is an empty file beside files and keys', async () => {
  if (onPostgres) return expect(place.databaseUrl).not.toBe('')
  await startAndStop()
  truncateSync(join(place.dataDir, 'tessera.db'))
  expect((await doctor()).of('database')).toMatchObject({
    verdict: 'FAIL',
    message: expect.stringContaining('tessera.db is empty, although there are files or keys'),
  })
  const again = await place.serve()
  expect(again.stderr()).toContain('the database is empty although there are files or keys: a new one is created')
  expect(await again.end()).toBe(0)
  expect((await doctor()).of('database').verdict).toBe('OK')
})

test('the first start does not warn about a missing database', async () => {
  const server = await place.serve()
  expect(await server.end()).toBe(0)
  expect(server.stderr()).not.toContain('although there are files or keys')
})

test('doctor does not warn about a log file of the size that steady writing causes', async () => {
  if (onPostgres) return expect(place.databaseUrl).not.toBe('')
  await startAndStop()
  const log = join(place.dataDir, 'tessera.db-wal')
  // Zeros contain no frame, so that SQLite reads the database as if the file were empty. An open connection keeps the file.
  const reader = new Database(join(place.dataDir, 'tessera.db'))
  reader.query('SELECT count(*) FROM sqlite_schema').get()
  truncateSync(log, 70_000_000)
  expect((await doctor()).all.some(({ check }) => check === 'log file')).toBe(false)
  truncateSync(log, 300_000_000)
  expect((await doctor()).of('log file')).toMatchObject({ verdict: 'WARN' })
  reader.close()
})

test('the start, doctor and backup name inodes, not space, on a disk without inodes', async () => {
  await startAndStop()
  const kept = join(place.home, 'kept')
  renameSync(place.dataDir, kept)
  mkdirSync(place.dataDir)
  // The program creates further files, so that it fails with the last inodes too.
  const fill = (left: number): string =>
    `cp -a "${kept}/." "${place.dataDir}" && i=0 && while touch "${place.dataDir}/filler$i" 2>/dev/null; do i=$((i+1)); done` +
    `; for i in $(seq 1 ${left}); do rm "${place.dataDir}/filler$i"; done`
  for (const left of [0, 1, 2]) {
    const before = onTmpfs('size=1g,nr_inodes=100', fill(left))
    const found = await doctor({ before })
    const failed = found.all.filter(({ verdict }) => verdict === 'FAIL')
    for (const { message } of failed) expect(message).toContain('inodes')
    if (left === 0) expect(failed.map(({ check }) => check)).toEqual(expect.arrayContaining(['write', 'storage']))
    for (const args of [['backup'], ['backup', join(place.home, 'backup.tar.zst')]]) {
      const { code, stderr } = await place.run(args, { before })
      expect(`${left} ${code} ${stderr}`).toMatch(
        /^\d 5 .* can hold no more files \(inodes\): delete some files and try again\.\n$/,
      )
    }
  }
  const { code, stderr } = await place.run(['serve'], { before: onTmpfs('size=1g,nr_inodes=100', fill(0)) })
  expect(stderr).toContain('can hold no more files (inodes)')
  expect(code).toBe(5)
})

test('doctor names space, not inodes, on a disk that is full', async () => {
  await startAndStop()
  const kept = join(place.home, 'kept')
  renameSync(place.dataDir, kept)
  mkdirSync(place.dataDir)
  const fill = `cp -a "${kept}/." "${place.dataDir}" && { cat /dev/zero > "${place.dataDir}/filler" 2>/dev/null || true; }`
  const before = onTmpfs('size=20m', fill)
  expect((await doctor({ before })).of('write')).toMatchObject({
    verdict: 'FAIL',
    message: expect.stringContaining('is on a disk that is full: free some space'),
  })
})

test('doctor warns about data that was changed in the future', async () => {
  await startAndStop()
  expect((await doctor()).all.filter(({ check }) => check === 'clock')).toMatchObject([{ verdict: 'OK' }])
  const mark = String(Date.now() + 24 * 3600 * 1000)
  const statement = `UPDATE server_state SET value = '${mark}' WHERE key = 'stamp.mark'`
  if (onPostgres) {
    const sql = new SQL({ url: place.databaseUrl, max: 1 })
    await sql.unsafe(statement)
    await sql.close()
  } else {
    const db = new Database(join(place.dataDir, 'tessera.db'))
    db.run(statement)
    db.close()
  }
  const { code, all } = await doctor()
  expect(all.find(({ check, verdict }) => check === 'clock' && verdict === 'WARN')?.message).toContain('in the future')
  expect(code).toBe(0)
})

test('a lock file that is damaged is refused by its name', async () => {
  await startAndStop()
  writeFileSync(join(place.dataDir, 'lock.db'), 'rubbish '.repeat(1000))
  const { code, stderr } = await place.run(['migrate'])
  expect(stderr).toBe(
    `${join(place.dataDir, 'lock.db')} is damaged: make sure that no other Tessera uses the directory, then delete the file.\n`,
  )
  expect(code).toBe(4)
  rmSync(join(place.dataDir, 'lock.db'))
  await startAndStop()
})

test.skipIf(onPostgres)('doctor judges the address and the certificate that were set in the browser', async () => {
  await startAndStop()
  const reach = { mode: 'NETWORK', names: ['willow'], publicUrl: null, host: null, httpsPort: null, httpPort: 8099 }
  const certificate = { kind: 'NONE', names: [], email: null, directory: null, agreedTo: null, dns: null }
  const store = (key: string, value: object) => {
    using db = new Database(join(place.dataDir, 'tessera.db'))
    db.run('INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES (?, ?, 1)', [key, JSON.stringify(value)])
  }
  store('server.reach', { ...reach, loopback: true })
  expect((await doctor()).of('public URL')).toMatchObject({
    verdict: 'WARN',
    message: expect.stringContaining('http://willow:8099 is not encrypted'),
  })
  store('server.reach', { ...reach, mode: 'DOMAIN', names: ['qr.example.org'], loopback: true })
  expect((await doctor()).of('certificate').message).toContain('There is none yet: choose one in the browser')
  const chain = readFileSync(join(import.meta.dir, '../harness/tls/localhost-1.cert.pem'), 'utf8')
  store('server.certificate', { ...certificate, kind: 'FILES', challenge: 'HTTP_01', chain, key: 'sealed' })
  expect((await doctor()).of('certificate')).toMatchObject({ verdict: 'OK' })
})

test('doctor prints one line per check and a summary', async () => {
  await startAndStop()
  const { stdout, stderr } = await place.run(['doctor'])
  for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^(OK|WARN|FAIL) /)
  expect(stderr).toMatch(/\d+ failed, \d+ warnings\./)
})

describe('doctor reports problems and advice', () => {
  test('doctor fails if other users can read the data and names the chmod command', async () => {
    await startAndStop()
    const key = join(place.dataDir, 'keys/signing.key')
    chmodSync(key, 0o644)
    expect((await doctor()).of('permissions')).toMatchObject({
      verdict: 'FAIL',
      message: expect.stringContaining(`chmod 600 ${key}`),
    })
    chmodSync(key, 0o600)
    chmodSync(place.dataDir, 0o755)
    const found = await doctor()
    expect(found.of('permissions').message).toContain(`chmod 700 ${place.dataDir}`)
    expect(found.code).toBe(1)
  })

  test('doctor fails with 100 MB of free space and warns with 1 GB', async () => {
    mkdirSync(place.dataDir)
    const script = `mount -t tmpfs -o size=100m none "${place.dataDir}" && exec "$0" "$@"`
    const found = await doctor({ before: [...OWN_MOUNTS, script] })
    expect(found.of('space')).toMatchObject({ verdict: 'FAIL', message: expect.stringContaining('free some') })
    const larger = script.replace('100m', '1g')
    expect((await doctor({ before: [...OWN_MOUNTS, larger] })).of('space').verdict).toBe('WARN')
  })

  test('doctor fails on a read-only file system', async () => {
    await startAndStop()
    const script = `mount --bind "${place.dataDir}" "${place.dataDir}" && mount -o remount,bind,ro "${place.dataDir}" && exec "$0" "$@"`
    const found = await doctor({ before: [...OWN_MOUNTS, script] })
    expect(found.of('write')).toMatchObject({ verdict: 'FAIL', message: expect.stringContaining('read-only') })
    expect(found.code).toBe(1)
  })

  test('doctor reports each mistake in the configuration', async () => {
    const found = await doctor({ env: { TESSERA_PORT: 'x', TESSERA_HOST: 'a b' } })
    expect(found.all.map(({ check, verdict }) => [check, verdict])).toEqual([
      ['configuration', 'FAIL'],
      ['configuration', 'FAIL'],
    ])
    expect(found.code).toBe(1)
  })

  test('doctor fails if another program uses the port', async () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('another program') })
    const found = await doctor({ env: { TESSERA_PORT: String(other.port) } })
    await other.stop(true)
    expect(found.of('server')).toMatchObject({
      verdict: 'FAIL',
      message: expect.stringContaining('Another program uses port'),
    })
  })

  test('doctor warns about a public URL that is missing, unencrypted or does not reach the server', async () => {
    expect((await doctor({ env: { TESSERA_HOST: '0.0.0.0' } })).of('public URL').message).toContain(
      'TESSERA_PUBLIC_URL is not set',
    )
    expect((await doctor({ env: { TESSERA_PUBLIC_URL: 'http://qr.example.org' } })).of('public URL').message).toContain(
      'not encrypted',
    )
    const away = await doctor({ env: { TESSERA_PUBLIC_URL: 'http://127.0.0.1:9' } })
    expect(away.of('public URL')).toMatchObject({
      verdict: 'WARN',
      message: expect.stringContaining('does not reach this server'),
    })
    const server = await place.serve()
    expect((await doctor({ env: { TESSERA_PUBLIC_URL: server.url } })).of('public URL').verdict).toBe('OK')
    await server.end()
  })

  test('doctor warns if other processes would be refused or print other addresses', async () => {
    const env = {
      TESSERA_DATABASE_URL: 'postgres://127.0.0.1:9/x',
      TESSERA_STORAGE_URL: 's3://key:secret@127.0.0.1:9/bucket?tls=off',
    }
    expect((await doctor({ env })).of('processes')).toMatchObject({
      verdict: 'WARN',
      message: expect.stringContaining('set the same TESSERA_SECRET and TESSERA_PUBLIC_URL'),
    })
    const complete = { ...env, TESSERA_SECRET: 'x'.repeat(32), TESSERA_PUBLIC_URL: 'http://127.0.0.1:9' }
    expect((await doctor({ env: complete })).of('processes').verdict).toBe('OK')
  })

  test('doctor fails if the database is damaged or cannot be reached', async () => {
    if (onPostgres) {
      const found = await doctor({ env: { TESSERA_DATABASE_URL: 'postgres://127.0.0.1:9/x' } })
      expect(found.of('database')).toMatchObject({
        verdict: 'FAIL',
        message: expect.stringContaining('cannot be reached'),
      })
      return
    }
    await startAndStop()
    truncateSync(join(place.dataDir, 'tessera.db'), 20_000)
    const found = await doctor()
    expect(found.of('database')).toMatchObject({ verdict: 'FAIL', message: expect.stringContaining('damaged') })
    writeFileSync(join(place.dataDir, 'tessera.db'), 'rubbish '.repeat(1000))
    expect((await doctor()).of('database').verdict).toBe('FAIL')
  })
})

describe('doctor and the operation log', () => {
  /** Starts the server, lets an administrator create `count` roles, and stops it. */
  async function createRoles(count: number): Promise<void> {
    const env = { TESSERA_ADMIN_USERNAME: 'root', TESSERA_ADMIN_PASSWORD: 'correct horse battery' }
    const server = await place.serve([], { env })
    const deviceId = 'device-of-the-doctor-test'
    const body = { account: 'root', password: 'correct horse battery' }
    const { data } = await send(server.url, 'POST', '/api/admin/auth/login', { deviceId, body })
    for (let i = 0; i < count; i++) {
      const role = { domain: 'APP', code: `R_${crypto.randomUUID().replaceAll('-', '')}`, name: 'Role' }
      ok(await send(server.url, 'POST', '/api/rbac/roles', { token: data.accessToken, deviceId, body: role }))
    }
    await server.end()
  }

  /** Runs a statement as the owner of the database, who can drop the triggers. */
  async function tamper(statement: string): Promise<void> {
    if (onPostgres) {
      const sql = new SQL({ url: place.databaseUrl, max: 1 })
      await sql.unsafe('DROP TRIGGER IF EXISTS admin_logs_no_change ON admin_logs')
      await sql.unsafe(statement)
      await sql.close()
    } else {
      const db = new Database(join(place.dataDir, 'tessera.db'))
      db.run('DROP TRIGGER IF EXISTS admin_logs_no_update; DROP TRIGGER IF EXISTS admin_logs_no_delete')
      db.run(statement)
      db.close()
    }
  }

  test('doctor verifies the rows and prints the hash of the newest', async () => {
    await startAndStop()
    expect((await doctor()).of('operation log')).toMatchObject({ verdict: 'OK', message: 'empty' })
    await createRoles(3)
    expect((await doctor()).of('operation log')).toMatchObject({
      verdict: 'OK',
      message: expect.stringMatching(/^3 rows, the newest is 3 with hash [\w-]{43}$/),
    })
  })

  test('doctor fails if a row was changed or deleted', async () => {
    await createRoles(3)
    await tamper(`UPDATE admin_logs SET actor_name = 'somebody else' WHERE id = 2`)
    const changed = await doctor()
    expect(changed.of('operation log')).toMatchObject({
      verdict: 'FAIL',
      message: 'Row 2 was changed after it was written.',
    })
    expect(changed.code).toBe(1)
    await tamper(`DELETE FROM admin_logs WHERE id = 2`)
    expect((await doctor()).of('operation log').message).toStartWith('Row 3 does not follow the row before it')
  })

  test('doctor warns about rows of an earlier key once a row is signed with the new one', async () => {
    await createRoles(2)
    rmSync(join(place.dataDir, 'keys/signing.key'))
    await startAndStop()
    expect((await doctor()).of('operation log')).toMatchObject({
      verdict: 'FAIL',
      message: expect.stringContaining('Row 2 is not signed'),
    })
    await createRoles(1)
    const found = await doctor()
    expect(found.of('operation log')).toMatchObject({
      verdict: 'WARN',
      message: expect.stringContaining('The rows up to 2 were signed with another key'),
    })
    expect(found.code).toBe(0)
  })
})
