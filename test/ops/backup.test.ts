import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { isBackupPath } from '#platform/backup/manifest.ts'
import { finishRestore, makeStaging, oldDataOf, swapIn } from '#platform/backup/swap.ts'

import { send } from '../harness/client.ts'
import { members, pack } from './archive.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

/** A user who creates codes and remembers those that were acknowledged. */
class Writer {
  readonly names = new Set<string>()
  #headers: Record<string, string> = {}
  constructor(readonly username: string) {}

  async signIn(server: RunningCli, path: 'register' | 'login'): Promise<void> {
    const device = { 'x-device-id': `device-of-${this.username}-long-enough` }
    const body = { username: this.username, account: this.username, password: 'a password of a writer' }
    const reply = await send(server.url, 'POST', `/api/auth/${path}`, { body, headers: device })
    expect(reply.status).toBe(200)
    this.#headers = { ...device, authorization: `Bearer ${reply.data.accessToken}` }
  }

  async write(server: RunningCli, name: string): Promise<void> {
    const body = { name, content: `https://example.org/${name}` }
    const reply = await send(server.url, 'POST', '/api/qr-codes', { headers: this.#headers, body })
    if (reply.status === 200) this.names.add(name)
  }

  async pull(server: RunningCli, since: number): Promise<{ serverTime: number; resync: boolean; names: string[] }> {
    const reply = await send(server.url, 'GET', '/api/sync/pull', { headers: this.#headers, query: { since } })
    const { serverTime, resync, changes } = reply.data
    return { serverTime, resync, names: changes.qrCode.updated.map(({ name }: { name: string }) => name) }
  }

  async read(server: RunningCli): Promise<Set<string>> {
    const found = new Set<string>()
    for (let page = 1; ; page++) {
      const { data } = await send(server.url, 'GET', '/api/qr-codes', {
        headers: this.#headers,
        query: { page, size: 100 },
      })
      for (const { name } of data.items) found.add(name)
      if (data.items.length < 100) return found
    }
  }
}

const quiet = { env: { TESSERA_RATE_LIMIT: 'off', TESSERA_LOG_LEVEL: 'warn' } }
const archive = (): string => join(place.home, 'backup.tar.zst')

/** Fills the data directory with some of everything and stops the server. */
async function fill(): Promise<Writer> {
  const writer = new Writer('ann')
  const server = await place.serve([], quiet)
  await writer.signIn(server, 'register')
  for (let i = 0; i < 20; i++) await writer.write(server, `code${i}`)
  await server.end()
  mkdirSync(join(place.dataDir, 'files/ab'), { recursive: true })
  writeFileSync(join(place.dataDir, 'files/ab/cdef'), new Uint8Array(3_000_000).fill(7))
  writeFileSync(join(place.dataDir, 'files/.unfinished'), 'half an upload')
  writeFileSync(join(place.dataDir, 'apps/应用 1.0.apk'), 'package')
  return writer
}

test('a backup during writes contains everything acknowledged before it, and a restore brings it back', async () => {
  const server = await place.serve([], quiet)
  const writer = new Writer('ann')
  await writer.signIn(server, 'register')
  let stop = false
  const writing = Promise.all(
    Array.from({ length: 4 }, async (_, lane) => {
      for (let i = 0; !stop; i++) await writer.write(server, `code${lane}-${i}`)
    }),
  )
  while (writer.names.size < 100) await Bun.sleep(5)
  const before = new Set(writer.names)
  const made = await place.run(['backup', archive()])
  expect(made.stderr).toBe('')
  expect(made.code).toBe(0)
  stop = true
  await writing
  const after = await writer.read(server)
  expect(await server.end()).toBe(0)
  expect(after).toEqual(writer.names)
  expect(after.size).toBeGreaterThan(before.size)
  expect(statSync(archive()).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(place.dataDir, 'backups')).filter((name) => name.startsWith('.'))).toEqual([])

  const key = readFileSync(join(place.dataDir, 'keys/signing.key'), 'utf8')
  rmSync(join(place.dataDir, 'keys/signing.key'))
  if (onPostgres) await place.newDatabase()
  const restored = await place.run(['restore', archive()])
  expect(restored.stderr).toBe('')
  expect(restored.code).toBe(0)
  expect(readFileSync(join(place.dataDir, 'keys/signing.key'), 'utf8')).toBe(key)

  const again = await place.serve([], quiet)
  await writer.signIn(again, 'login')
  const found = await writer.read(again)
  for (const name of before) expect(found).toContain(name)
  // Codes written during the backup may be in it; codes that were never written are not.
  for (const name of found) expect(writer.names).toContain(name)
  await writer.write(again, 'one more')
  expect(writer.names).toContain('one more')
  expect(await again.end()).toBe(0)
})

test('after a restore, devices that synchronize pull everything again', async () => {
  const server = await place.serve([], quiet)
  const writer = new Writer('ann')
  await writer.signIn(server, 'register')
  await writer.write(server, 'in the backup')
  expect((await place.run(['backup', archive()])).code).toBe(0)
  await writer.write(server, 'after the backup')
  const { serverTime, names } = await writer.pull(server, 0)
  expect(names).toEqual(['in the backup', 'after the backup'])
  expect((await writer.pull(server, serverTime)).resync).toBe(false)
  await server.end()
  if (onPostgres) await place.newDatabase()
  expect((await place.run(['restore', '--keep-sessions', archive()])).code).toBe(0)

  const again = await place.serve([], quiet)
  expect(await writer.pull(again, serverTime)).toMatchObject({ resync: true, names: [] })
  const first = await writer.pull(again, 0)
  expect(first).toMatchObject({ resync: false, names: ['in the backup'] })
  expect((await writer.pull(again, first.serverTime)).resync).toBe(false)
  await again.end()
})

test('a restore brings everything back byte for byte, with both compressions', async () => {
  const writer = await fill()
  for (const [file, flags] of [
    [archive(), []],
    [join(place.home, 'backup.tar.gz'), ['--gzip']],
  ] as const) {
    const made = await place.run(['backup', file, '--json', ...flags])
    expect(JSON.parse(made.stdout)).toMatchObject({ file, files: 4 })
    expect((await place.run(['restore', '--check', file])).stdout).toContain('can be restored: 4 files')

    writeFileSync(join(place.dataDir, 'files/ab/later'), 'not in the backup')
    rmSync(join(place.dataDir, 'files/ab/cdef'))
    if (onPostgres) await place.newDatabase()
    const restored = await place.run(['restore', file])
    expect(restored.code).toBe(0)
    expect(readFileSync(join(place.dataDir, 'files/ab/cdef'))).toEqual(Buffer.alloc(3_000_000, 7))
    expect(readFileSync(join(place.dataDir, 'apps/应用 1.0.apk'), 'utf8')).toBe('package')
    expect(existsSync(join(place.dataDir, 'files/ab/later'))).toBe(false)
    expect(existsSync(join(place.dataDir, 'files/.unfinished'))).toBe(false)
    // The old data is kept, and the message names its folder.
    const kept = /in (\S+)\.$/m.exec(restored.stdout)![1]!
    expect(readFileSync(join(kept, 'files/ab/later'), 'utf8')).toBe('not in the backup')
    if (!onPostgres) expect(existsSync(join(kept, 'tessera.db'))).toBe(true)
    rmSync(kept, { recursive: true })
    expect(readdirSync(place.dataDir).filter((name) => name.includes('restore'))).toEqual([])
    const server = await place.serve([], quiet)
    await writer.signIn(server, 'login')
    expect(await writer.read(server)).toEqual(writer.names)
    await server.end()
  }
})

test('without FILE a backup is written to backups/, and other tools can read it', async () => {
  await fill()
  const { stdout } = await place.run(['backup'])
  const [name] = readdirSync(join(place.dataDir, 'backups'))
  expect(name).toMatch(/^tessera-\d{8}-\d{6}\.tar\.zst$/)
  const path = join(place.dataDir, 'backups', name!)
  expect(stdout).toStartWith(path)
  const list = Bun.spawnSync(['sh', '-c', `zstd -dc '${path}' | tar --quoting-style=literal -t`], {
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
  expect(list.stdout.toString().trimEnd().split('\n')).toEqual([
    onPostgres ? 'database.dump' : 'tessera.db',
    'files/ab/cdef',
    'apps/应用 1.0.apk',
    'keys/signing.key',
    'manifest.json',
  ])
  const manifest = JSON.parse(new TextDecoder().decode((await members(path)).get('manifest.json')))
  expect(manifest).toMatchObject({ format: 'tessera-backup', version: 1, database: onPostgres ? 'postgres' : 'sqlite' })
  expect(manifest.tables.qr_codes).toBe(20)
})

describe('a refused backup', () => {
  test('a backup is refused if its file exists, its folder is missing, or there is no database', async () => {
    expect((await place.run(['backup'])).code).toBe(2)
    await fill()
    writeFileSync(archive(), 'precious')
    expect((await place.run(['backup', archive()])).stderr).toContain('already exists')
    expect(readFileSync(archive(), 'utf8')).toBe('precious')
    expect((await place.run(['backup', join(place.home, 'missing/x.tar.zst')])).code).toBe(2)
  })

  test('a backup to a full disk is refused and leaves no file', async () => {
    await fill()
    const folder = join(place.home, 'full')
    mkdirSync(folder)
    // Random bytes cannot be compressed.
    writeFileSync(join(place.dataDir, 'files/noise'), randomBytes(65_536))
    const script = `mount -t tmpfs -o size=32k none "${folder}" && { "$0" "$@"; code=$?; ls -A "${folder}"; exit $code; }`
    const { OWN_MOUNTS } = await import('./cli.ts')
    const outcome = await place.run(['backup', join(folder, 'x.tar.zst')], { before: [...OWN_MOUNTS, script] })
    expect(outcome.stderr).toContain('is on a disk that is full')
    expect(outcome.stdout).toBe('')
    expect(outcome.code).toBe(5)
  })

  test('an interrupted backup leaves no file', async () => {
    await fill()
    // Random bytes are slow to compress.
    writeFileSync(join(place.dataDir, 'files/large'), randomBytes(150_000_000))
    const running = place.start(['backup', archive(), '--gzip'])
    const underWay = (): boolean => readdirSync(place.home).some((name) => name.startsWith('.backup-'))
    while (!underWay()) await Bun.sleep(5)
    running.kill('SIGINT')
    expect(await running.stderr.text()).toBe('Interrupted: no backup was written.\n')
    expect(await running.exited).toBe(1)
    expect(readdirSync(place.home).filter((name) => name.includes('backup'))).toEqual([])
    expect(readdirSync(join(place.dataDir, 'backups'))).toEqual([])
  })
})

describe('a refused restore changes no data', () => {
  /** Hashes of all files in the data directory except those of the lock. */
  const state = (): Record<string, number> =>
    Object.fromEntries(
      readdirSync(place.dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.name.startsWith('lock.'))
        .map((entry) => join(entry.parentPath, entry.name))
        .toSorted()
        .map((path) => [path, statSync(path).isFile() ? Number(Bun.hash(readFileSync(path))) : -1]),
    )

  async function refusedBy(file: string, sentence: string | RegExp, code = 4): Promise<void> {
    const before = state()
    const outcome = await place.run(['restore', file])
    expect(outcome.stderr).toMatch(sentence)
    expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(outcome.code).toBe(code)
    expect(state()).toEqual(before)
    expect((await place.run(['restore', '--check', file])).code).toBe(code)
    expect(state()).toEqual(before)
  }

  test('a restore is refused while a server runs', async () => {
    await fill()
    await place.run(['backup', archive()])
    const server = await place.serve([], quiet)
    const outcome = await place.run(['restore', archive()])
    expect(outcome.code).toBe(3)
    expect(outcome.stderr).toContain(`(process ${server.child.pid})`)
    // Checking is allowed.
    expect((await place.run(['restore', '--check', archive()])).code).toBe(0)
    expect(await server.end()).toBe(0)
  })

  test('a restore of a changed archive is refused', async () => {
    await fill()
    await place.run(['backup', archive()])
    if (onPostgres) await place.newDatabase()
    const good = await members(archive())
    const bad = join(place.home, 'bad.tar.zst')
    const database = onPostgres ? 'database.dump' : 'tessera.db'
    const text = new TextEncoder()
    const manifest = JSON.parse(new TextDecoder().decode(good.get('manifest.json')))
    const withManifest = (change: object): Map<string, Uint8Array> =>
      new Map(good).set('manifest.json', text.encode(JSON.stringify({ ...manifest, ...change })))

    // The unchanged entries are accepted when these helpers pack them, so each refusal below is caused by its change.
    await pack(bad, good)
    expect((await place.run(['restore', '--check', bad])).code).toBe(0)

    await pack(bad, new Map(good).set('files/ab/cdef', new Uint8Array(3_000_000).fill(8)))
    await refusedBy(bad, /files\/ab\/cdef does not match the manifest/)
    const flipped = Uint8Array.from(good.get(database)!)
    flipped[5000]! ^= 1
    await pack(bad, new Map(good).set(database, flipped))
    await refusedBy(bad, /does not match the manifest/)
    await pack(
      bad,
      [...good].filter(([name]) => name !== 'keys/signing.key'),
    )
    await refusedBy(bad, /keys\/signing\.key is missing/)
    await pack(
      bad,
      [...good].filter(([name]) => name !== 'manifest.json'),
    )
    await refusedBy(bad, /no manifest\.json/)
    await pack(bad, [['files/extra', text.encode('x')], ...good])
    await refusedBy(bad, /files\/extra, which its manifest does not list/)
    await pack(bad, [...good, ['files/after', text.encode('x')]])
    await refusedBy(bad, /data follows its manifest/)
    await pack(bad, [['keys/signing.key', text.encode('x')], ...good])
    await refusedBy(bad, /twice/)
    for (const name of [
      '../evil',
      '/etc/evil',
      'files/../../evil',
      'files//x',
      'lock.db',
      'files/a\\..\\b',
      'restore.json',
      'backups/x',
    ]) {
      await pack(bad, [[name, text.encode('x')], ...good])
      await refusedBy(bad, 'which does not belong in a backup')
      expect(existsSync(join(place.home, 'evil'))).toBe(false)
    }
    await pack(bad, withManifest({ version: 2 }))
    await refusedBy(bad, /newer Tessera/)
    await pack(bad, withManifest({ format: 'other' }))
    await refusedBy(bad, /not a backup of Tessera/)
    await pack(bad, withManifest({ files: [{ path: database, size: -1, sha256: 'x' }] }))
    await refusedBy(bad, /manifest\.json is damaged/)
    await pack(bad, withManifest({ files: manifest.files.filter((f: { path: string }) => f.path !== database) }))
    await refusedBy(bad, /which its manifest does not list/)
    if (!onPostgres) {
      await pack(bad, withManifest({ tables: { ...manifest.tables, qr_codes: 21 } }))
      await refusedBy(bad, /table qr_codes has 20 rows instead of 21/)
    }
    await pack(bad, withManifest({ database: onPostgres ? 'sqlite' : 'postgres' }))
    await refusedBy(bad, /TESSERA_DATABASE_URL/, 2)
  })

  test('a restore of a truncated file, one with a changed bit, or another file is refused', async () => {
    await fill()
    await place.run(['backup', archive()])
    if (onPostgres) await place.newDatabase()
    const good = await Bun.file(archive()).bytes()
    const bad = join(place.home, 'bad.tar.zst')
    for (const length of [0, 3, 100, good.length >> 1, good.length - 64]) {
      await Bun.write(bad, good.subarray(0, length))
      await refusedBy(bad, 'cannot be used')
    }
    for (const at of [8, good.length >> 1, good.length - 2]) {
      const flipped = Uint8Array.from(good)
      flipped[at]! ^= 4
      await Bun.write(bad, flipped)
      await refusedBy(bad, 'cannot be used')
    }
    await Bun.write(bad, 'not an archive')
    await refusedBy(bad, /neither \.tar\.zst nor \.tar\.gz/)
  })

  test('a restore of an archive with links is refused', async () => {
    await fill()
    mkdirSync(join(place.home, 'evil/files'), { recursive: true })
    Bun.spawnSync(['sh', '-c', 'ln -s /etc files/link && tar --zstd -cf ../bad.tar.zst files/link'], {
      cwd: join(place.home, 'evil'),
    })
    await refusedBy(join(place.home, 'bad.tar.zst'), /not a regular file/)
  })

  test('a restore of a database of a newer version is refused', async () => {
    if (onPostgres) return expect(place.databaseUrl).not.toBe('')
    await fill()
    const file = join(place.dataDir, 'tessera.db')
    const { Database } = await import('bun:sqlite')
    const db = new Database(file)
    db.run("INSERT INTO schema_migrations VALUES ('9999_future', 'x', 1)")
    db.close()
    await place.run(['backup', archive()])
    await refusedBy(archive(), 'was written by a newer version')
  })

  test('a restore to a PostgreSQL database that is not empty is refused', async () => {
    if (!onPostgres) return expect(place.databaseUrl).toBe('')
    await fill()
    await place.run(['backup', archive()])
    const outcome = await place.run(['restore', archive()])
    expect(outcome.stderr).toContain('is not empty')
    expect(outcome.code).toBe(2)
  })
})

test('a backup of a corrupt database is refused', async () => {
  if (onPostgres) return expect(place.databaseUrl).not.toBe('')
  await fill()
  const file = join(place.dataDir, 'tessera.db')
  const bytes = readFileSync(file)
  bytes.fill(0xee, 40_000, 60_000)
  writeFileSync(file, bytes)
  const outcome = await place.run(['backup', archive()])
  expect(outcome.stderr).toContain('damaged')
  expect(outcome.code).toBe(4)
  expect(existsSync(archive())).toBe(false)
  expect((await place.run(['doctor'])).stdout).toMatch(/FAIL +database/)
})

describe('a killed restore', () => {
  const NAMES = ['tessera.db', 'files', 'apps', 'keys']

  /** A directory with old data, and an unpacked backup in it. */
  async function staged(): Promise<{ dir: string; staging: string }> {
    const dir = join(place.home, 'swap')
    mkdirSync(dir, { recursive: true })
    const staging = await makeStaging(dir, 'now')
    for (const [root, text] of [
      [dir, 'old'],
      [staging, 'new'],
    ] as const) {
      for (const folder of ['files', 'apps', 'keys']) {
        mkdirSync(join(root, folder))
        writeFileSync(join(root, folder, 'x'), text)
      }
      writeFileSync(join(root, 'tessera.db'), text)
    }
    writeFileSync(join(dir, 'tessera.db-wal'), 'old')
    return { dir, staging }
  }
  const read = (dir: string): string[] =>
    NAMES.map((name) => readFileSync(join(dir, name === 'tessera.db' ? name : `${name}/x`), 'utf8'))
  const NEW = NAMES.map(() => 'new')
  const OLD = NAMES.map(() => 'old')

  test('a restore killed before the decision has changed nothing, and the next one deletes its litter', async () => {
    const { dir } = await staged()
    expect(await finishRestore(dir)).toBeUndefined()
    expect(read(dir)).toEqual(OLD)
    await makeStaging(dir, 'later')
    expect(existsSync(join(dir, 'restore-now'))).toBe(false)
  })

  test('a restore killed at any rename after the decision is completed by the next process', async () => {
    // The renames in order: each entry's old data away, then its new data in.
    const order = ['tessera.db-wal', 'files', 'apps', 'keys', 'tessera.db']
    const steps = order.flatMap((name) =>
      name.endsWith('-wal')
        ? [[name, 'away']]
        : [
            [name, 'away'],
            [name, 'in'],
          ],
    ) as [string, string][]
    for (let done = 0; done <= steps.length; done++) {
      const { dir, staging } = await staged()
      writeFileSync(join(dir, 'restore.json'), '{"stamp":"now"}')
      mkdirSync(join(dir, 'before-restore-now'))
      for (const [name, way] of steps.slice(0, done)) {
        if (way === 'away') renameSync(join(dir, name), join(dir, 'before-restore-now', name))
        else renameSync(join(staging, name), join(dir, name))
      }
      expect(await finishRestore(dir)).toEqual({ stamp: 'now' })
      expect(read(dir), `after ${done} steps`).toEqual(NEW)
      expect(read(join(dir, 'before-restore-now'))).toEqual(OLD)
      expect(readFileSync(join(dir, 'before-restore-now/tessera.db-wal'), 'utf8')).toBe('old')
      expect(existsSync(join(dir, 'tessera.db-wal'))).toBe(false)
      expect(existsSync(staging)).toBe(false)
      expect(await finishRestore(dir)).toBeUndefined()
      rmSync(dir, { recursive: true })
    }
  })

  test('a restore killed after the decision is completed by the next start', async () => {
    const writer = await fill()
    await place.run(['backup', archive()])
    const { unpackArchive } = await import('#platform/backup/read.ts')
    const staging = await makeStaging(place.dataDir, 'killed')
    await unpackArchive(archive(), staging, () => {})
    rmSync(join(staging, 'database.dump'), { force: true })
    writeFileSync(join(place.dataDir, 'files/ab/cdef'), 'spoilt')
    writeFileSync(join(place.dataDir, 'restore.json'), '{"stamp":"killed"}')
    const server = await place.serve([], quiet)
    await writer.signIn(server, 'login')
    expect(await writer.read(server)).toEqual(writer.names)
    expect(await server.end()).toBe(0)
    expect(server.stderr()).toContain('an interrupted restore was completed')
    expect(statSync(join(place.dataDir, 'files/ab/cdef')).size).toBe(3_000_000)
  })

  test('a restore into an empty directory leaves no folder for old data', async () => {
    const dir = join(place.home, 'empty')
    mkdirSync(dir)
    const staging = await makeStaging(dir, 'now')
    writeFileSync(join(staging, 'tessera.db'), 'new')
    await swapIn(dir, { stamp: 'now' })
    expect(oldDataOf(dir, { stamp: 'now' })).toBeUndefined()
    expect(readFileSync(join(dir, 'tessera.db'), 'utf8')).toBe('new')
    expect(readdirSync(dir).filter((name) => name.startsWith('before-restore'))).toEqual([])
  })

  test('a second restore keeps the old data of both', async () => {
    const { dir } = await staged()
    await swapIn(dir, { stamp: 'now' })
    expect(oldDataOf(dir, { stamp: 'now' })).toBe(join(dir, 'before-restore-now'))
    const second = await makeStaging(dir, 'later')
    writeFileSync(join(second, 'tessera.db'), 'newest')
    await swapIn(dir, { stamp: 'later' })
    expect(readFileSync(join(dir, 'tessera.db'), 'utf8')).toBe('newest')
    // A folder that is missing in the backup becomes empty.
    expect(readdirSync(join(dir, 'files'))).toEqual([])
    expect(read(join(dir, 'before-restore-now'))).toEqual(OLD)
    expect(read(join(dir, 'before-restore-later'))).toEqual(NEW)
  })
})

test.each([
  ['tessera.db', true],
  ['database.dump', true],
  ['files/ab/cd', true],
  ['apps/应用 1.0.apk', true],
  ['keys/signing.key', true],
  ['manifest.json', false],
  ['files', false],
  ['files/', false],
  ['files/.', false],
  ['files/../keys/x', false],
  ['/files/x', false],
  ['FILES/x', false],
  ['files/a:b', false],
  ['files/a\nb', false],
  ['files\\x', false],
  ['backups/x', false],
  ['', false],
])('%j may be in a backup: %p', (path, may) => expect(isBackupPath(path)).toBe(may))

test('a file that cannot be read ends the backup with an error', async () => {
  await fill()
  chmodSync(join(place.dataDir, 'files/ab'), 0)
  const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
  if (asNobody.length > 0) {
    Bun.spawnSync(['chown', '-R', '65534:65534', place.home])
    Bun.spawnSync(['chmod', '755', place.home])
  }
  const outcome = await place.run(['backup'], { before: asNobody })
  expect(outcome.code).toBe(5)
  expect(readdirSync(join(place.dataDir, 'backups'))).toEqual([])
})
