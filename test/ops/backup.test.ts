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

import { readTar, tarEnd, tarHeader, tarPadding } from '#lib/tar.ts'
import { isBackupPath } from '#platform/backup/manifest.ts'
import { finishRestore, makeStaging, swapIn } from '#platform/backup/swap.ts'

import { send } from '../harness/client.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

/** Somebody who writes codes, and remembers each that was acknowledged. */
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

/** Stops with a little of everything in the directory. */
async function furnish(): Promise<Writer> {
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

async function members(path: string): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  const { stdout } = Bun.spawnSync(['zstd', '-dc', path])
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield stdout
  }
  for await (const file of readTar(bytes())) {
    const chunks = []
    for await (const chunk of file.bytes) chunks.push(Buffer.from(chunk))
    found.set(file.name, Buffer.concat(chunks))
  }
  return found
}

test('a backup taken while the server writes holds everything acknowledged before it, and a restore gives it back', async () => {
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
  // Of those written meanwhile some may be in it, none that never were.
  for (const name of found) expect(writer.names).toContain(name)
  await writer.write(again, 'one more')
  expect(writer.names).toContain('one more')
  expect(await again.end()).toBe(0)
}, 60_000)

test('everything comes back as it was, byte for byte, by either compression', async () => {
  const writer = await furnish()
  for (const [file, flags] of [
    [archive(), []],
    [join(place.home, 'backup.tar.gz'), ['--gzip']],
  ] as const) {
    const made = await place.run(['backup', file, '--json', ...flags])
    expect(JSON.parse(made.stdout)).toMatchObject({ file, files: 4 })
    expect((await place.run(['restore', '--check', file])).stdout).toContain('is good: 4 files')

    writeFileSync(join(place.dataDir, 'files/ab/later'), 'not in the backup')
    rmSync(join(place.dataDir, 'files/ab/cdef'))
    if (onPostgres) await place.newDatabase()
    const restored = await place.run(['restore', file])
    expect(restored.code).toBe(0)
    expect(readFileSync(join(place.dataDir, 'files/ab/cdef'))).toEqual(Buffer.alloc(3_000_000, 7))
    expect(readFileSync(join(place.dataDir, 'apps/应用 1.0.apk'), 'utf8')).toBe('package')
    expect(existsSync(join(place.dataDir, 'files/ab/later'))).toBe(false)
    expect(existsSync(join(place.dataDir, 'files/.unfinished'))).toBe(false)
    // What was there is kept, and the places are named.
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
}, 60_000)

test('without a name it goes to backups/, and other tools can read it', async () => {
  await furnish()
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

describe('a backup is refused, and nothing is left of it,', () => {
  test('where a file stands, where there is no folder, and where there is no database', async () => {
    expect((await place.run(['backup'])).code).toBe(2)
    await furnish()
    writeFileSync(archive(), 'precious')
    expect((await place.run(['backup', archive()])).stderr).toContain('exists already')
    expect(readFileSync(archive(), 'utf8')).toBe('precious')
    expect((await place.run(['backup', join(place.home, 'missing/x.tar.zst')])).code).toBe(2)
  })

  test('when the disk is full', async () => {
    await furnish()
    const folder = join(place.home, 'full')
    mkdirSync(folder)
    // Random bytes: they do not get smaller.
    writeFileSync(join(place.dataDir, 'files/noise'), randomBytes(65_536))
    const script = `mount -t tmpfs -o size=32k none "${folder}" && { "$0" "$@"; code=$?; ls -A "${folder}"; exit $code; }`
    const { OWN_MOUNTS } = await import('./cli.ts')
    const outcome = await place.run(['backup', join(folder, 'x.tar.zst')], { before: [...OWN_MOUNTS, script] })
    expect(outcome.stderr).toContain('is on a disk that is full')
    expect(outcome.stdout).toBe('')
    expect(outcome.code).toBe(5)
  })

  test('when it is interrupted', async () => {
    await furnish()
    // Random bytes: slow to compress.
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

describe('a restore is refused and touches nothing', () => {
  /** Everything in the data directory but who held it. */
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

  async function pack(file: string, entries: Iterable<[string, Uint8Array]>): Promise<void> {
    const parts: Uint8Array[] = []
    for (const [name, bytes] of entries)
      parts.push(tarHeader({ name, size: bytes.length, modified: 0 }), bytes, tarPadding(bytes.length))
    await Bun.write(file, Bun.zstdCompressSync(Buffer.concat([...parts, tarEnd()])))
  }

  test('while a server runs', async () => {
    await furnish()
    await place.run(['backup', archive()])
    const server = await place.serve([], quiet)
    const outcome = await place.run(['restore', archive()])
    expect(outcome.code).toBe(3)
    expect(outcome.stderr).toContain(`(process ${server.child.pid})`)
    // Looking is allowed.
    expect((await place.run(['restore', '--check', archive()])).code).toBe(0)
    expect(await server.end()).toBe(0)
  })

  test('when the archive was tampered with', async () => {
    await furnish()
    await place.run(['backup', archive()])
    if (onPostgres) await place.newDatabase()
    const good = await members(archive())
    const bad = join(place.home, 'bad.tar.zst')
    const database = onPostgres ? 'database.dump' : 'tessera.db'
    const text = new TextEncoder()
    const manifest = JSON.parse(new TextDecoder().decode(good.get('manifest.json')))
    const withManifest = (change: object): Map<string, Uint8Array> =>
      new Map(good).set('manifest.json', text.encode(JSON.stringify({ ...manifest, ...change })))

    // The same entries packed again by these helpers are good: what is refused below is what was changed.
    await pack(bad, good)
    expect((await place.run(['restore', '--check', bad])).code).toBe(0)

    await pack(bad, new Map(good).set('files/ab/cdef', new Uint8Array(3_000_000).fill(8)))
    await refusedBy(bad, /files\/ab\/cdef is not what was backed up/)
    const flipped = Uint8Array.from(good.get(database)!)
    flipped[5000]! ^= 1
    await pack(bad, new Map(good).set(database, flipped))
    await refusedBy(bad, /is not what was backed up/)
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
    await refusedBy(bad, /files\/extra, which its manifest does not know/)
    await pack(bad, [...good, ['files/after', text.encode('x')]])
    await refusedBy(bad, /something follows its manifest/)
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
      await refusedBy(bad, 'which has no place in a backup')
      expect(existsSync(join(place.home, 'evil'))).toBe(false)
    }
    await pack(bad, withManifest({ version: 2 }))
    await refusedBy(bad, /newer Tessera/)
    await pack(bad, withManifest({ format: 'other' }))
    await refusedBy(bad, /not a backup of Tessera/)
    await pack(bad, withManifest({ files: [{ path: database, size: -1, sha256: 'x' }] }))
    await refusedBy(bad, /manifest\.json is damaged/)
    await pack(bad, withManifest({ files: manifest.files.filter((f: { path: string }) => f.path !== database) }))
    await refusedBy(bad, /which its manifest does not know/)
    if (!onPostgres) {
      await pack(bad, withManifest({ tables: { ...manifest.tables, qr_codes: 21 } }))
      await refusedBy(bad, /table qr_codes has 20 rows, 21 were backed up/)
    }
    await pack(bad, withManifest({ database: onPostgres ? 'sqlite' : 'postgres' }))
    await refusedBy(bad, /TESSERA_DATABASE_URL/, 2)
  }, 120_000)

  test('when the file is cut short, has a changed bit, or is something else', async () => {
    await furnish()
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
  }, 60_000)

  test('when it holds links', async () => {
    await furnish()
    mkdirSync(join(place.home, 'evil/files'), { recursive: true })
    Bun.spawnSync(['sh', '-c', 'ln -s /etc files/link && tar --zstd -cf ../bad.tar.zst files/link'], {
      cwd: join(place.home, 'evil'),
    })
    await refusedBy(join(place.home, 'bad.tar.zst'), /no regular file/)
  })

  test('when its database was made by a newer version', async () => {
    if (onPostgres) return expect(place.databaseUrl).not.toBe('')
    await furnish()
    const file = join(place.dataDir, 'tessera.db')
    const { Database } = await import('bun:sqlite')
    const db = new Database(file)
    db.run("INSERT INTO schema_migrations VALUES ('9999_future', 'x', 1)")
    db.close()
    await place.run(['backup', archive()])
    await refusedBy(archive(), 'was made by a newer version')
  })

  test('into a PostgreSQL database that holds something', async () => {
    if (!onPostgres) return expect(place.databaseUrl).toBe('')
    await furnish()
    await place.run(['backup', archive()])
    const outcome = await place.run(['restore', archive()])
    expect(outcome.stderr).toContain('is not empty')
    expect(outcome.code).toBe(2)
  })
})

test('a backup of a corrupt database is refused', async () => {
  if (onPostgres) return expect(place.databaseUrl).not.toBe('')
  await furnish()
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

describe('a restore that is killed', () => {
  const NAMES = ['tessera.db', 'files', 'apps', 'keys']

  /** An old directory, and a new one unpacked beside it. */
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

  test('before the decision has changed nothing, and its litter goes with the next', async () => {
    const { dir } = await staged()
    expect(await finishRestore(dir)).toBe(false)
    expect(read(dir)).toEqual(OLD)
    await makeStaging(dir, 'later')
    expect(existsSync(join(dir, 'restore-now'))).toBe(false)
  })

  test('after it, at any of its renames, is completed by whoever comes next', async () => {
    // Each rename that a killed one may have done: (old away, new in) for each entry, in order.
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
      expect(await finishRestore(dir)).toBe(true)
      expect(read(dir), `after ${done} steps`).toEqual(NEW)
      expect(read(join(dir, 'before-restore-now'))).toEqual(OLD)
      expect(readFileSync(join(dir, 'before-restore-now/tessera.db-wal'), 'utf8')).toBe('old')
      expect(existsSync(join(dir, 'tessera.db-wal'))).toBe(false)
      expect(existsSync(staging)).toBe(false)
      expect(await finishRestore(dir)).toBe(false)
      rmSync(dir, { recursive: true })
    }
  })

  test('is completed by the next start', async () => {
    const writer = await furnish()
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

  test('swapping twice keeps both old directories', async () => {
    const { dir } = await staged()
    expect(await swapIn(dir, 'now')).toBe(join(dir, 'before-restore-now'))
    const second = await makeStaging(dir, 'later')
    writeFileSync(join(second, 'tessera.db'), 'newest')
    await swapIn(dir, 'later')
    expect(readFileSync(join(dir, 'tessera.db'), 'utf8')).toBe('newest')
    // A folder that the backup lacks is empty in it.
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
])('%j may stand in a backup: %p', (path, may) => expect(isBackupPath(path)).toBe(may))

test('a file that the backup cannot read ends it', async () => {
  await furnish()
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
