/** A restore that was interrupted is completed or refused with a sentence, and a restore ends the sessions of the backup. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  cpSync,
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

import { finishRestoreSqlite, withDatabase } from '#db/maintenance.ts'
import { backupId } from '#platform/backup/manifest.ts'
import { unpackArchive } from '#platform/backup/read.ts'
import { decideRestore, makeStaging } from '#platform/backup/swap.ts'

import { send } from '../harness/client.ts'
import { members, pack } from './archive.ts'
import { Installation, onPostgres, type Outcome, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const archive = (): string => join(place.home, 'backup.tar.zst')
const inData = (path: string): string => join(place.dataDir, path)
const keyIn = (directory: string): string => readFileSync(join(directory, 'keys/signing.key'), 'utf8')
const DEVICE = { 'x-device-id': 'device-of-ann-long-enough' }
const PASSWORD = 'a password of ann'

async function register(server: RunningCli): Promise<{ accessToken: string; refreshToken: string }> {
  const body = { username: 'ann', password: PASSWORD }
  const { status, data } = await send(server.url, 'POST', '/api/auth/register', { headers: DEVICE, body })
  expect(status).toBe(200)
  return data
}

const me = async (server: RunningCli, accessToken: string): Promise<number> =>
  (
    await send(server.url, 'GET', '/api/auth/sessions', {
      headers: { ...DEVICE, authorization: `Bearer ${accessToken}` },
    })
  ).status

const login = async (server: RunningCli): Promise<number> =>
  (await send(server.url, 'POST', '/api/auth/login', { headers: DEVICE, body: { account: 'ann', password: PASSWORD } }))
    .status

/** Makes a backup that contains the user ann, an upload and a key, and afterwards replaces the key and the upload. */
async function backUp(): Promise<string> {
  const server = await place.serve()
  await register(server)
  await server.end()
  writeFileSync(inData('files/upload'), 'of the backup')
  writeFileSync(inData('apps/package'), 'of the backup')
  expect((await place.run(['backup', archive()])).code).toBe(0)
  const key = keyIn(place.dataDir)
  writeFileSync(inData('keys/signing.key'), 'A'.repeat(43) + '\n')
  writeFileSync(inData('files/upload'), 'of today')
  writeFileSync(inData('apps/package'), 'of today')
  return key
}

function refused({ code, stderr }: Outcome, expected: number, sentence: string): void {
  expect(stderr).toContain(sentence)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(code).toBe(expected)
}

describe.if(!onPostgres)('a restore of SQLite that was killed between two renames', () => {
  /** The renames after the decision, in order. */
  const RENAMES = ['files', 'apps', 'keys', 'tessera.db'].flatMap((name) => [
    [name, 'away'],
    [name, 'in'],
  ])

  /** Interrupts a restore after `done` renames in a copy of the data directory. */
  function interrupted(done: number): string {
    const directory = join(place.home, `killed-${done}`)
    cpSync(place.dataDir, directory, { recursive: true })
    const kept = join(directory, 'before-restore-now')
    mkdirSync(kept)
    writeFileSync(join(directory, 'restore.json'), '{"stamp":"now"}')
    for (const [name, way] of RENAMES.slice(0, done)) {
      if (way === 'away') renameSync(join(directory, name!), join(kept, name!))
      else renameSync(join(directory, 'restore-now', name!), join(directory, name!))
    }
    return directory
  }

  async function stage(): Promise<string> {
    const key = await backUp()
    await unpackArchive(archive(), await makeStaging(place.dataDir, 'now'), () => {})
    return key
  }

  test('is completed by the next command at each of the nine positions', async () => {
    const key = await stage()
    for (let done = 0; done <= RENAMES.length; done++) {
      const directory = interrupted(done)
      const { code, stderr } = await place.run(['migrate'], { env: { TESSERA_DATA_DIR: directory } })
      expect(`${done}: ${code} ${stderr}`).toBe(`${done}: 0 `)
      expect(keyIn(directory)).toBe(key)
      expect(readFileSync(join(directory, 'files/upload'), 'utf8')).toBe('of the backup')
      const kept = join(directory, 'before-restore-now')
      expect(keyIn(kept)).toStartWith('AAAA')
      expect(readFileSync(join(kept, 'files/upload'), 'utf8')).toBe('of today')
      expect(existsSync(join(kept, 'tessera.db'))).toBe(true)
      expect(readdirSync(directory).filter((name) => name.startsWith('restore'))).toEqual([])
      rmSync(directory, { recursive: true })
    }
  })

  test('it is completed although an older version of Tessera created the missing folder again', async () => {
    const key = await stage()
    // `keys` was moved away and not yet replaced.
    const directory = interrupted(5)
    mkdirSync(join(directory, 'keys'))
    expect((await place.run(['migrate'], { env: { TESSERA_DATA_DIR: directory } })).code).toBe(0)
    expect(keyIn(directory)).toBe(key)
    expect(keyIn(join(directory, 'before-restore-now'))).toStartWith('AAAA')
  })

  test('files that somebody put into the missing folder are not deleted', async () => {
    await stage()
    const directory = interrupted(5)
    mkdirSync(join(directory, 'keys'))
    writeFileSync(join(directory, 'keys/signing.key'), 'of somebody')
    const outcome = await place.run(['migrate'], { env: { TESSERA_DATA_DIR: directory } })
    refused(outcome, 4, `${join(directory, 'keys')} is neither of the old data nor of the backup`)
    expect(keyIn(directory)).toBe('of somebody')
    expect(keyIn(join(directory, 'before-restore-now'))).toStartWith('AAAA')
  })

  test('a part of the backup that was deleted is not replaced by an empty one', async () => {
    await stage()
    const directory = interrupted(5)
    rmSync(join(directory, 'restore-now/keys'), { recursive: true })
    const outcome = await place.run(['serve'], { env: { TESSERA_DATA_DIR: directory } })
    refused(outcome, 4, `${join(directory, 'restore-now/keys')} is missing`)
    expect(existsSync(join(directory, 'keys'))).toBe(false)
  })

  test('doctor reports it, and doctor and backup do not open the database', async () => {
    await stage()
    const env = { TESSERA_DATA_DIR: interrupted(5) }
    const { code, stdout } = await place.run(['doctor'], { env })
    expect(stdout).toMatch(/FAIL +restore +A restore was interrupted: start the server/)
    expect(stdout).not.toContain('integrity check')
    expect(code).toBe(1)
    refused(await place.run(['backup', join(place.home, 'other.tar.zst')], { env }), 3, 'A restore is under way')
  })
})

describe('a file restore.json', () => {
  test.each(['rubbish', '', '{"stamp":"../../etc"}', 'null'])(
    'is refused by its name if it contains %j',
    async (text) => {
      await (await place.serve()).end()
      writeFileSync(inData('restore.json'), text)
      for (const command of ['serve', 'migrate'])
        refused(await place.run([command]), 4, `${inData('restore.json')} is damaged`)
      const { stdout } = await place.run(['doctor'])
      expect(stdout).toMatch(/FAIL +restore +\S+restore\.json is damaged/)
      rmSync(inData('restore.json'))
      expect((await place.run(['migrate'])).code).toBe(0)
    },
  )

  test('is refused if it names a folder that does not exist, and no folder for the old data is made', async () => {
    await (await place.serve()).end()
    writeFileSync(inData('restore.json'), '{"stamp":"20300102-030405"}')
    refused(await place.run(['serve']), 4, `${inData('restore-20300102-030405')} does not exist`)
    expect(readdirSync(place.dataDir).filter((name) => name.startsWith('before-'))).toEqual([])
  })
})

describe('a restore to PostgreSQL that was killed', () => {
  /** The state after the decision: nothing is loaded and no file is moved. Returns the key of the backup. */
  async function decided(): Promise<string> {
    const key = await backUp()
    await place.newDatabase()
    const staging = await makeStaging(place.dataDir, 'now')
    const { tables } = await unpackArchive(archive(), staging, () => {})
    const { host, pathname } = new URL(place.databaseUrl)
    const load = { where: `PostgreSQL at ${host}${pathname}`, tables, keepSessions: false }
    writeFileSync(inData('restore.json'), JSON.stringify({ stamp: 'now', load }))
    return key
  }

  async function completed(key: string): Promise<void> {
    const server = await place.serve()
    expect(server.stderr()).toContain('an interrupted restore was completed')
    expect(await login(server)).toBe(200)
    expect(await server.end()).toBe(0)
    expect(keyIn(place.dataDir)).toBe(key)
    expect(readFileSync(inData('files/upload'), 'utf8')).toBe('of the backup')
    expect(readdirSync(place.dataDir).filter((name) => name.startsWith('restore'))).toEqual([])
  }

  test('is completed by the next start if the dump was not loaded', async () => {
    if (!onPostgres) return expect(place.databaseUrl).toBe('')
    await completed(await decided())
  })

  test('is completed by the next start if the dump was loaded and the files were not moved', async () => {
    if (!onPostgres) return expect(place.databaseUrl).toBe('')
    const key = await decided()
    const dump = inData('restore-now/database.dump')
    const { exitCode } = Bun.spawnSync([
      'pg_restore',
      '--no-owner',
      '--single-transaction',
      `--dbname=${place.databaseUrl}`,
      dump,
    ])
    expect(exitCode).toBe(0)
    await completed(key)
  })

  test('is completed by the next start if it was killed at the moment of the decision', async () => {
    if (!onPostgres) return expect(place.databaseUrl).toBe('')
    const key = await backUp()
    await place.newDatabase()
    const child = place.start(['restore', archive()])
    while (!existsSync(inData('restore.json'))) {
      expect(child.exitCode).toBeNull()
      await Bun.sleep(1)
    }
    child.kill('SIGKILL')
    await child.exited
    await completed(key)
  })

  test('is not completed with another database, and a new restore to that one gives it up', async () => {
    if (!onPostgres) return expect(place.databaseUrl).toBe('')
    const key = await decided()
    await place.newDatabase()
    refused(await place.run(['serve']), 2, 'was interrupted: set TESSERA_DATABASE_URL to it')
    expect(keyIn(place.dataDir)).toStartWith('AAAA')
    const again = await place.run(['restore', archive()])
    expect(again.stderr).toContain('was given up')
    expect(again.code).toBe(0)
    expect(keyIn(place.dataDir)).toBe(key)
  })

  test('a dump that cannot be loaded leaves the old data and no decision', async () => {
    if (!onPostgres) return expect(place.databaseUrl).toBe('')
    await backUp()
    await place.newDatabase()
    const good = await members(archive())
    const dump = Buffer.from('PGDMP is not all of it')
    const text = new TextDecoder()
    const manifest = JSON.parse(text.decode(good.get('manifest.json'))) as { files: { path: string }[] }
    const sha256 = new Bun.CryptoHasher('sha256').update(dump).digest('hex')
    manifest.files = manifest.files.map((file) =>
      file.path === 'database.dump' ? { ...file, size: dump.length, sha256 } : file,
    )
    good.set('database.dump', dump).set('manifest.json', Buffer.from(JSON.stringify(manifest)))
    const bad = join(place.home, 'bad.tar.zst')
    await pack(bad, good)
    refused(await place.run(['restore', bad]), 5, 'pg_restore failed')
    expect(readdirSync(place.dataDir).filter((name) => name.includes('restore'))).toEqual([])
    expect(keyIn(place.dataDir)).toStartWith('AAAA')
    expect((await place.run(['restore', archive()])).code).toBe(0)
  })
})

describe('a restore that is repeated after it was killed', () => {
  const KEEP = '--keep-sessions'

  /** The state after the decision: nothing is loaded and no file is moved. Returns the key of the backup and the tokens of ann in it. */
  async function decided(flags: readonly string[]) {
    const key = await backUp()
    if (onPostgres) await place.newDatabase()
    const staging = await makeStaging(place.dataDir, 'now')
    const manifest = await unpackArchive(archive(), staging, () => {})
    const keepSessions = flags.includes(KEEP)
    const { host, pathname } = new URL(place.databaseUrl || 'http://none')
    const load = { where: `PostgreSQL at ${host}${pathname}`, tables: manifest.tables, keepSessions }
    if (!onPostgres) finishRestoreSqlite(join(staging, 'tessera.db'), keepSessions)
    const decision = { stamp: 'now', backup: { id: backupId(manifest), keepsSessions: keepSessions } }
    await decideRestore(place.dataDir, onPostgres ? { ...decision, load } : decision)
    return key
  }

  /** The number of sessions that are active in the restored database. */
  const activeSessions = (): Promise<number> =>
    withDatabase({ databaseUrl: place.databaseUrl, dataDir: place.dataDir }, async (query) => {
      const [row] = await query("SELECT count(*) AS n FROM sessions WHERE status = 'ACTIVE'")
      return Number(row!['n'])
    })

  test.each([
    ['without a flag', [], [], 0],
    ['with --keep-sessions', [KEEP], [KEEP], 1],
    ['without --keep-sessions, which the first one had', [KEEP], [], 0],
    ['with --keep-sessions, which the first one had not', [], [KEEP], 0],
  ] as const)('%s ends with success and the backup that was named', async (_, first, second, sessions) => {
    const key = await decided(first)
    const { code, stdout, stderr } = await place.run(['restore', archive(), ...second])
    expect(`${code} ${stderr}`).toStartWith('0 An interrupted restore was completed first.\n')
    expect(stdout).toContain(`Restored: `)
    expect(stdout).toContain(`The old data is in ${inData('before-restore-now')}.`)
    expect(stdout.includes('All sessions have ended')).toBe(sessions === 0)
    expect(stderr.includes('so the sessions could not be kept')).toBe(sessions === 0 && second.length > 0)
    expect(await activeSessions()).toBe(sessions)
    expect(keyIn(place.dataDir)).toBe(key)
    expect(readFileSync(inData('files/upload'), 'utf8')).toBe('of the backup')
    // The old data was not replaced by a copy of the backup.
    expect(readdirSync(place.dataDir).filter((name) => name.includes('restore'))).toEqual(['before-restore-now'])
    expect(readFileSync(inData('before-restore-now/files/upload'), 'utf8')).toBe('of today')
    const server = await place.serve()
    expect(await login(server)).toBe(200)
    await server.end()
  })

  test('says that the first backup was restored if another is named, and restores the other where there is room for it', async () => {
    await decided([])
    // Another backup of the same rows.
    const other = join(place.home, 'other.tar.zst')
    const manifest = JSON.parse(new TextDecoder().decode((await members(archive())).get('manifest.json')))
    const changed = JSON.stringify({ ...manifest, createdAt: '2030-01-02T03:04:05Z' })
    await pack(other, new Map(await members(archive())).set('manifest.json', Buffer.from(changed)))
    const outcome = await place.run(['restore', other])
    if (onPostgres) {
      expect(outcome.stderr).toContain('now contains the backup of the interrupted restore, which was completed')
      expect(outcome.stdout).toBe('')
      expect(outcome.code).toBe(2)
    } else {
      expect(outcome.code).toBe(0)
      expect(outcome.stdout).toContain('written 2030-01-02T03:04:05Z')
    }
    expect(readFileSync(inData('before-restore-now/files/upload'), 'utf8')).toBe('of today')
  })
})

describe('sessions of a restored backup', () => {
  test.each([
    ['a restore ends', [], 401],
    ['a restore with --keep-sessions keeps', ['--keep-sessions'], 200],
  ] as const)('%s the sessions that the backup contains', async (_, flags, status) => {
    const server = await place.serve()
    const { accessToken, refreshToken } = await register(server)
    expect(await me(server, accessToken)).toBe(200)
    expect((await place.run(['backup', archive()])).code).toBe(0)
    await server.end()
    if (onPostgres) await place.newDatabase()
    const restored = await place.run(['restore', archive(), ...flags])
    expect(restored.code).toBe(0)
    expect(restored.stdout.includes('All sessions have ended')).toBe(status === 401)

    const again = await place.serve()
    expect(await me(again, accessToken)).toBe(status)
    const refresh = await send(again.url, 'POST', '/api/auth/refresh', { headers: DEVICE, body: { refreshToken } })
    expect(refresh.status).toBe(status)
    expect(await login(again)).toBe(200)
    await again.end()
  })

  test('a token of the replaced data does not become valid by the version number that it shares', async () => {
    const server = await place.serve()
    const { accessToken } = await register(server)
    expect((await place.run(['backup', archive()])).code).toBe(0)
    const body = { verifyType: 'OLD_PASSWORD', oldPassword: PASSWORD, newPassword: 'another password of ann' }
    const headers = { ...DEVICE, authorization: `Bearer ${accessToken}` }
    expect((await send(server.url, 'POST', '/api/auth/password/change', { headers, body })).status).toBe(200)
    const after = await send(server.url, 'POST', '/api/auth/login', {
      headers: DEVICE,
      body: { account: 'ann', password: 'another password of ann' },
    })
    expect(after.status).toBe(200)
    await server.end()
    if (onPostgres) await place.newDatabase()
    expect((await place.run(['restore', archive()])).code).toBe(0)
    const again = await place.serve()
    expect(await login(again)).toBe(200)
    expect(await me(again, after.data.accessToken)).toBe(401)
    await again.end()
  })
})

describe('text of a crafted archive', () => {
  const EVIL = '\u001b[2J\u001b]0;pwned\u0007\u009b31m'

  test.each([
    ['tessera', 'manifest.json is damaged'],
    ['createdAt', 'manifest.json is damaged'],
    ['version', 'manifest.json is damaged'],
    ['tables', 'cannot be used'],
    ['path', 'is missing'],
  ] as const)('terminal escapes in %s of the manifest are not printed', async (field, sentence) => {
    await backUp()
    const good = await members(archive())
    const manifest = JSON.parse(new TextDecoder().decode(good.get('manifest.json')))
    if (field === 'tables') manifest.tables[EVIL] = 1
    else if (field === 'path') manifest.files[1].path = `files/${EVIL}`
    else manifest[field] = EVIL
    const bad = join(place.home, 'bad.tar.zst')
    await pack(bad, new Map(good).set('manifest.json', Buffer.from(JSON.stringify(manifest))))
    // The rows of a dump are counted when it is loaded, so a mere check of it does not compare tables.
    const command = field === 'tables' && onPostgres ? ['restore', bad] : ['restore', '--check', bad]
    if (onPostgres) await place.newDatabase()
    const { code, stdout, stderr } = await place.run(command)
    expect(stderr).toContain(sentence)
    // oxlint-disable-next-line no-control-regex -- searched for
    expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u009b]/)
    expect(code).toBe(4)
  })

  test('an unchanged archive that is packed again can be restored', async () => {
    await backUp()
    const again = join(place.home, 'again.tar.zst')
    await pack(again, await members(archive()))
    expect(statSync(again).size).toBeGreaterThan(0)
    expect((await place.run(['restore', '--check', again])).code).toBe(0)
  })
})
