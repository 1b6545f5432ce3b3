/** Publisher keys and `tessera publish`, with a running server and without. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { send } from '../harness/client.ts'
import { Installation, onPostgres, type RunningCli } from '../ops/cli.ts'
import { hashOf } from './helpers.ts'

const keyIn = (stdout: string): string => /^Key: (tpk_\S{43})$/m.exec(stdout)![1]!

describe('tessera publisher-key', () => {
  let place: Installation
  beforeEach(async () => {
    place = await Installation.make()
  })
  afterEach(() => place.dispose())

  const publishEmpty = (server: RunningCli, key: string) =>
    send(server.url, 'POST', '/api/app/update/publish', { headers: { 'x-publish-key': key }, body: {} })

  test('keys are made, listed and revoked while the server runs, at once, and no key is stored', async () => {
    const server = await place.serve()
    expect((await place.run(['publisher-key', 'list'])).stdout).toBe('There is no publisher key yet.\n')
    const made = await place.run(['publisher-key', 'create', 'CI of the app'])
    expect([made.code, made.stderr]).toEqual([0, ''])
    const key = keyIn(made.stdout)
    const other = JSON.parse((await place.run(['publisher-key', 'create', 'other', '--json'])).stdout)
    expect(other).toEqual({ id: 2, name: 'other', key: expect.stringMatching(/^tpk_\S{43}$/) })
    // 400: the key is accepted, and the body is empty.
    expect([await publishEmpty(server, key), await publishEmpty(server, other.key)].map((r) => r.status)).toEqual([
      400, 400,
    ])

    const listed = (await place.run(['publisher-key', 'list'])).stdout
    expect(listed).toMatch(/^ID +NAME +CREATED +REVOKED\n1 +CI of the app +20\d\d-\S+Z +-\n2 +other +20\d\d-\S+Z +-\n$/)
    expect(listed + (await place.run(['publisher-key', 'list', '--json'])).stdout).not.toContain('tpk_')

    const revoked = await place.run(['publisher-key', 'revoke', '1'])
    expect([revoked.code, revoked.stdout]).toEqual([0, 'Publisher key 1 (CI of the app) cannot be used any longer.\n'])
    expect((await publishEmpty(server, key)).status).toBe(401)
    expect((await publishEmpty(server, other.key)).status).toBe(400)
    const [first] = JSON.parse((await place.run(['publisher-key', 'list', '--json'])).stdout)
    expect((await place.run(['publisher-key', 'revoke', '1'])).code).toBe(0)
    expect(JSON.parse((await place.run(['publisher-key', 'list', '--json'])).stdout)[0]).toEqual(first)

    await server.end()
    // The revocation and the other key survive a restart, and keys can also be made while the server is stopped.
    const third = keyIn((await place.run(['publisher-key', 'create', 'third'])).stdout)
    const again = await place.serve()
    const statuses = []
    for (const each of [key, other.key, third]) statuses.push((await publishEmpty(again, each)).status)
    expect(statuses).toEqual([401, 400, 400])
    expect(again.stderr() + server.stderr()).not.toContain('tpk_')
    if (!onPostgres)
      for (const name of readdirSync(place.dataDir).filter((file) => file.startsWith('tessera.db')))
        expect(readFileSync(join(place.dataDir, name)).includes('tpk_'), name).toBe(false)
  })

  test('publisher-key refuses wrong arguments, unknown keys and a missing database', async () => {
    if (onPostgres) await place.newDatabase()
    const without = await place.run(['publisher-key', 'create', 'CI'])
    if (!onPostgres) {
      expect([without.code, without.stdout]).toEqual([2, ''])
      expect(without.stderr).toContain('start the server once')
      expect(existsSync(place.dataDir)).toBe(false)
    } else expect(without.code).toBe(4)
    await (await place.serve()).end()
    for (const [args, sentence] of [
      [['make', 'x'], 'make is not an action of publisher-key'],
      [['creat', 'x'], 'did you mean create?'],
      [['create'], 'The name is missing'],
      [['create', ' '], 'The name is missing'],
      [['create', 'x'.repeat(101)], 'at most 100 characters'],
      [['create', 'a\u202eb'], 'no invisible ones'],
      [['list', 'x'], 'takes no further argument'],
      [['revoke'], 'by its id'],
      [['revoke', 'CI'], 'by its id'],
      [['revoke', '1; DROP TABLE users'], 'by its id'],
      [['revoke', '99'], 'There is no publisher key 99.'],
    ] as const) {
      const { code, stdout, stderr } = await place.run(['publisher-key', ...args])
      expect([code, stdout], stderr).toEqual([2, ''])
      expect(stderr).toContain(sentence)
    }
    expect((await place.run(['publisher-key', 'list'])).stdout).toBe('There is no publisher key yet.\n')
  })
})

describe('tessera publish', () => {
  let place: Installation
  let server: RunningCli
  let key = ''
  const bytes = new Uint8Array(2_000_000).map((_, i) => (i * 31) >> 3)
  beforeAll(async () => {
    place = await Installation.make()
    server = await place.serve()
    key = keyIn((await place.run(['publisher-key', 'create', 'CI'])).stdout)
    writeFileSync(join(place.cwd, 'app-1.apk'), bytes)
    writeFileSync(join(place.cwd, 'notes.md'), '# New\n\n- faster\n')
    writeFileSync(join(place.cwd, 'key'), `${key}\n`)
  })
  afterAll(() => place.dispose())

  /** In a data directory that does not exist: only the address and the key are needed. */
  const publish = (args: readonly string[], env: Record<string, string> = {}) =>
    place.run(['publish', ...args], { env: { TESSERA_DATA_DIR: join(place.home, 'none'), ...env } })
  const to = () => ['--server', server.url, '--key-file', 'key']
  const latest = async () => (await send(server.url, 'GET', '/api/app/update/latest')).data

  test('publish uploads and publishes, phones find the version, and running it again changes nothing', async () => {
    const args = [
      'app-1.apk',
      '--version-code',
      '7',
      '--version-name',
      '1.0',
      '--notes',
      'notes.md',
      '--major',
      ...to(),
    ]
    const { code, stdout, stderr } = await publish(args)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`Version 7 (1.0) is published: 2.0 MB, SHA-256 ${hashOf(bytes)}`)
    const published = await latest()
    expect(published).toMatchObject({
      versionCode: 7,
      versionName: '1.0',
      fileSize: bytes.length,
      sha256: hashOf(bytes),
      releaseNotes: '# New\n\n- faster',
      isMajor: 1,
      forceUpdate: 0,
    })
    expect((await send(server.url, 'GET', '/api/app/update/check?versionCode=6')).data.hasUpdate).toBe(true)
    const download = await send(server.url, 'GET', new URL(published.downloadUrl).pathname)
    expect(hashOf(download.bytes)).toBe(hashOf(bytes))

    const again = await publish([...args, '--json'])
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toEqual(published)
  })

  test('the key can come from TESSERA_PUBLISH_KEY and from standard input', async () => {
    const args = ['--version-name', '1.1', '--force', '--server', server.url]
    writeFileSync(join(place.cwd, 'app-2.apk'), 'second')
    const byVariable = await publish(['app-2.apk', '--version-code', '8', ...args], { TESSERA_PUBLISH_KEY: key })
    expect([byVariable.code, byVariable.stderr]).toEqual([0, ''])
    expect(await latest()).toMatchObject({ versionCode: 8, forceUpdate: 1, releaseNotes: '' })
    const byInput = await place.run(['publish', 'app-2.apk', '--version-code', '9', ...args, '--key-file', '-'], {
      stdin: `${key}\n`,
    })
    expect(byInput.code).toBe(0)
    expect((await latest()).versionCode).toBe(9)
  })

  test('other commands accept TESSERA_PUBLISH_KEY in the environment and do not print it', async () => {
    const { code, stdout } = await place.run(['check-config', '--json'], { env: { TESSERA_PUBLISH_KEY: key } })
    expect([code, stdout.includes(key)]).toEqual([0, false])
  })

  test.each<[string, () => readonly string[], string, number]>([
    ['a missing file', () => ['none.apk', ...to()], 'There is no file none.apk.', 2],
    ['a missing key', () => ['app-1.apk', '--server', server.url], 'The publisher key is missing', 2],
    ['an empty key file', () => ['app-1.apk', '--server', server.url, '--key-file', 'empty'], 'empty is empty', 2],
    ['a missing server', () => ['app-1.apk', '--key-file', 'key'], '--server is missing', 2],
    ['a server with a path', () => ['app-1.apk', '--key-file', 'key', '--server', 'http://h/x'], 'without a path', 2],
    ['a bad name', () => ['my app.apk', ...to()], '"my app.apk" cannot be the name of a package', 2],
    ['missing notes', () => ['app-1.apk', '--notes', 'none.md', ...to()], 'none.md cannot be read', 2],
    ['other bytes', () => ['other/app-1.apk', ...to()], 'other bytes', 2],
    [
      'a wrong key',
      () => ['app-3.apk', '--server', server.url, '--key-file', 'wrong'],
      'The publisher key is wrong or was revoked',
      6,
    ],
    [
      'no server at the address',
      () => ['app-3.apk', '--server', 'http://127.0.0.1:9', '--key-file', 'key'],
      'cannot be reached',
      6,
    ],
  ])('publish with %s prints why and publishes nothing', async (_, args, sentence, exitCode) => {
    mkdirSync(join(place.cwd, 'other'), { recursive: true })
    for (const [name, text] of [
      ['empty', ''],
      ['wrong', 'tpk_wrong'],
      ['my app.apk', 'x'],
      ['other/app-1.apk', 'not the first bytes'],
      ['app-3.apk', 'third'],
    ] as const)
      writeFileSync(join(place.cwd, name), text)
    const before = await latest()
    const { code, stdout, stderr } = await publish([...args(), '--version-code', '50', '--version-name', 'x'])
    expect([code, stdout], stderr).toEqual([exitCode, ''])
    expect(stderr).toContain(sentence)
    expect(stderr.trimEnd().split('\n'), stderr).toHaveLength(1)
    expect(stderr).not.toContain(key)
    expect(await latest()).toEqual(before)
  })

  test.each([
    [['--version-name', '1'], '--version-code is missing'],
    [['--version-code', '60'], '--version-name is missing'],
    [['--version-code', '0', '--version-name', '1'], 'whole number from 1'],
    [['--version-code', '1.5', '--version-name', '1'], 'whole number from 1'],
    [['--version-code', '2147483648', '--version-name', '1'], 'whole number from 1'],
    // These are known to the server only.
    [['--version-code', '3', '--version-name', '1'], 'versionCode must be greater than'],
    [['--version-code', '61', '--version-name', 'x'.repeat(51)], 'versionName must have at most 50 characters'],
  ])('publish refuses the arguments %j', async (args, sentence) => {
    const before = await latest()
    const { code, stderr } = await publish(['app-1.apk', ...to(), ...args])
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
    expect(await latest()).toEqual(before)
  })

  test('publish names the address of a redirect, and recognizes a server that is not Tessera', async () => {
    using other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) =>
        request.url.includes('packages') && request.headers.get('x-publish-key') === 'to elsewhere'
          ? Response.redirect('https://qr.example.org/api/app/packages/app-1.apk', 308)
          : new Response('<h1>Hello</h1>', { status: 404 }),
    })
    const args = ['app-1.apk', '--version-code', '70', '--version-name', '1', '--server', other.url.origin]
    const redirected = await publish(args, { TESSERA_PUBLISH_KEY: 'to elsewhere' })
    expect([redirected.code, redirected.stderr]).toEqual([
      2,
      expect.stringContaining('redirects to https://qr.example.org: use that as --server.'),
    ])
    const foreign = await publish(args, { TESSERA_PUBLISH_KEY: 'x' })
    expect([foreign.code, foreign.stderr]).toEqual([6, expect.stringContaining('it is not a Tessera server')])
  })

  test('doctor --files counts packages, and names the one whose bytes are damaged', async () => {
    const doctor = async () => {
      const { stdout } = await place.run(['doctor', '--files', '--json'])
      return (JSON.parse(stdout) as { check: string; verdict: string; message: string }[])
        .filter(({ check }) => check === 'files')
        .map(({ verdict, message }) => `${verdict} ${message}`)
        .join('\n')
    }
    expect(await doctor()).toMatch(/^OK \d files/)
    const [path] = readdirSync(join(place.dataDir, 'files'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes(hashOf(bytes)),
    )
    writeFileSync(join(place.dataDir, 'files', path!), 'damaged')
    const found = await doctor()
    expect(found).toMatch(/^FAIL .*app package \d+ \(app-1\.apk\)/m)
    expect(found).not.toContain('is counted as used')
  })
})
