/** The executable needs no other files: it is built from a source tree that is deleted, and started in an empty folder. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import type { Subprocess } from 'bun'

import { buildApart } from '../scripts/build-apart.ts'
import { send } from './harness/client.ts'
import { firstAddress } from './harness/server.ts'

const given = process.env['TEST_BINARY']
const tree = resolve(import.meta.dir, '..')
const home = mkdtempSync(join(tmpdir(), 'tessera-alone-'))
const cwd = join(home, 'empty')
const dataDir = join(home, 'data')

let binary = ''
let server: Subprocess<'ignore', 'pipe', 'inherit'>
let url = ''

beforeAll(async () => {
  binary = given ?? buildApart()
  mkdirSync(cwd)
  server = Bun.spawn([binary, 'serve'], {
    cwd,
    // Without PATH, as it calls no other program.
    env: { TESSERA_DATA_DIR: dataDir, TESSERA_PORT: '0', TESSERA_LOG_LEVEL: 'error', TESSERA_RATE_LIMIT: 'off' },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  url = await firstAddress(server.stdout)
})

afterAll(async () => {
  server.kill('SIGKILL')
  await server.exited
  rmSync(home, { recursive: true, force: true })
  if (given === undefined) rmSync(dirname(binary), { recursive: true, force: true })
})

test('the executable prints the commit it was built from', () => {
  const { stdout } = Bun.spawnSync([binary, 'version', '--json'], { cwd, env: {} })
  expect(JSON.parse(stdout.toString())).toMatchObject({
    bun: Bun.version,
    commit: expect.not.stringMatching(/^source$/),
  })
})

test('on the executable a user registers and creates a public code, and anyone can open its picture and page', async () => {
  const device = { 'x-device-id': 'device-of-the-binary-test' }
  const body = { username: 'ann', password: 'a password of ann' }
  const registered = await send(url, 'POST', '/api/auth/register', { headers: device, body })
  expect(registered.status).toBe(200)
  const headers = { ...device, authorization: `Bearer ${registered.data.accessToken}` }
  const made = await send(url, 'POST', '/api/qr-codes', {
    headers,
    body: { name: '主页', content: 'https://example.org/', isPublic: true },
  })
  expect(made.status).toBe(200)
  const list = await send(url, 'GET', '/api/qr-codes?size=20', { headers })
  expect(list.data).toMatchObject({ total: 1, items: [{ name: '主页' }] })

  const picture = await send(url, 'GET', '/api/qrcode/render?content=hello&size=200')
  expect(picture.headers.get('content-type')).toBe('image/png')
  expect([...picture.bytes.subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47])
  const page = await send(url, 'GET', `/public/qr/${made.data.uuid}`)
  expect(page.status).toBe(200)
  expect(page.text).toContain('主页')
  // Invalid requests are refused with the same details.
  expect((await send(url, 'GET', '/api/qr-codes')).status).toBe(401)
  expect((await send(url, 'POST', '/api/qr-codes', { headers, body: { name: 5 } })).details.length).toBeGreaterThan(0)
})

test('the executable contains the API document and its pages, which load nothing from other servers', async () => {
  const document = await send(url, 'GET', '/openapi.json')
  expect(JSON.parse(document.text).openapi).toStartWith('3.')
  const docs = await send(url, 'GET', '/docs')
  expect(docs.status).toBe(200)
  const assets = [...docs.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
  expect(assets.length).toBeGreaterThan(0)
  for (const asset of assets) {
    expect(asset).not.toMatch(/^(https?:)?\/\//)
    if (!asset.startsWith('data:')) expect((await fetch(new URL(asset, `${url}/docs`))).status).toBe(200)
  }
})

test('the executable writes only to its data directory', () => {
  expect(readdirSync(cwd)).toEqual([])
  expect(readdirSync(home).toSorted()).toEqual(['data', 'empty'])
  const allowed = [
    'apps',
    'backups',
    'files',
    'keys',
    'lock.db',
    'lock.json',
    'tessera.db',
    'tessera.db-shm',
    'tessera.db-wal',
  ]
  expect(readdirSync(dataDir).filter((name) => !allowed.includes(name))).toEqual([])
})

test('the executable opens no file of the source tree', () => {
  if (process.platform !== 'linux') return expect(server.exitCode).toBeNull()
  const proc = `/proc/${server.pid}`
  const open = readdirSync(`${proc}/fd`).map((fd) => readlinkSync(`${proc}/fd/${fd}`))
  const mapped = readFileSync(`${proc}/maps`, 'utf8')
  expect(mapped).toContain(binary)
  for (const path of [tree, 'node_modules']) {
    expect(open.filter((name) => name.includes(path))).toEqual([])
    expect(mapped).not.toContain(`${path}/`)
  }
})

test('the executable ignores .env, bunfig.toml, package.json, tsconfig.json and sources in the working directory', () => {
  const trap = join(home, 'trap')
  mkdirSync(join(trap, 'src/db'), { recursive: true })
  writeFileSync(join(trap, '.env'), 'TESSERA_PORT=not-a-port\n')
  writeFileSync(join(trap, 'bunfig.toml'), 'preload = ["./evil.ts"]\n')
  writeFileSync(join(trap, 'evil.ts'), 'await Bun.write("evil.txt", "ran")\n')
  writeFileSync(join(trap, 'package.json'), '{"name":"evil","version":"6.6.6"}')
  writeFileSync(join(trap, 'tsconfig.json'), '{"compilerOptions":{"paths":{"*":["./evil.ts"]}}}')
  for (const name of ['src/main.ts', 'src/app.ts', 'main.ts']) writeFileSync(join(trap, name), 'import "./evil.ts"\n')
  const config = Bun.spawnSync([binary, 'check-config'], { cwd: trap, env: {} })
  expect(config.stderr.toString()).toBe('')
  expect(config.exitCode).toBe(0)
  expect(Bun.spawnSync([binary, 'version'], { cwd: trap, env: {} }).stdout.toString()).not.toContain('6.6.6')
  const env = { TESSERA_DATA_DIR: join(home, 'trapped') }
  expect(Bun.spawnSync([binary, 'migrate'], { cwd: trap, env }).exitCode).toBe(0)
  expect(readdirSync(trap)).not.toContain('evil.txt')
  rmSync(trap, { recursive: true })
  rmSync(join(home, 'trapped'), { recursive: true })
})

test('the executable stops cleanly after SIGTERM', async () => {
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(readdirSync(dataDir)).not.toContain('lock.json')
})
