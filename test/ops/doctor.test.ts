import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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
