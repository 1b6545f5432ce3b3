/** Statistics of scans in the whole program: after kills, in backups and in its files. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { SQL } from 'bun'

import { send } from '../harness/client.ts'
import { until } from '../harness/index.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

const PHONE =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36'
const ROOT = { username: 'root', password: 'correct horse battery' }
const env = {
  TESSERA_RATE_LIMIT: 'off',
  TESSERA_ADMIN_USERNAME: ROOT.username,
  TESSERA_ADMIN_PASSWORD: ROOT.password,
  TESSERA_TRUSTED_PROXIES: '127.0.0.1,::1',
}

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

async function signIn({ url }: RunningCli) {
  const device = { 'x-device-id': `device-of-the-owner-${crypto.randomUUID()}` }
  const body = { account: ROOT.username, password: ROOT.password }
  const { data } = await send(url, 'POST', '/api/admin/auth/login', { body, headers: device })
  const headers = { ...device, authorization: `Bearer ${data.accessToken}` }
  return async (method: 'GET' | 'POST', path: string, sent?: object) => {
    const reply = await send(url, method, path, { headers, ...(sent && { body: sent }) })
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`)
    return reply.data
  }
}
type Owner = Awaited<ReturnType<typeof signIn>>

async function createLink(owner: Owner): Promise<{ id: number; path: string }> {
  const body = { name: 'Menu', content: 'https://example.org/menu', isDynamic: true, isPublic: true }
  const { id, shortUrl } = await owner('POST', '/api/qr-codes', body)
  return { id, path: new URL(shortUrl).pathname }
}

async function scan({ url }: RunningCli, path: string, address: string): Promise<number> {
  const headers = { 'user-agent': PHONE, 'accept-language': 'de', 'x-forwarded-for': address }
  const response = await fetch(url + path, { redirect: 'manual', headers })
  await response.arrayBuffer()
  return response.status
}

const sum = (rows: { count: number }[]) => rows.reduce((n, row) => n + row.count, 0)
const written = (owner: Owner, id: number, visitors: number) =>
  until(async () => (await owner('GET', `/api/qr-codes/${id}/stats`)).visitors === visitors)

/** Answers of the last two seconds may be lost. */
const LOST_MS = 2000
const CLIENTS = 8

/** The scans of all codes, each of which must have the same number in all its figures. */
async function countedScans(owner: Owner, ids: readonly number[]): Promise<number> {
  let all = 0
  for (const id of ids) {
    const { scanCount } = await owner('GET', `/api/qr-codes/${id}`)
    const stats = await owner('GET', `/api/qr-codes/${id}/stats?days=3`)
    expect([stats.total, sum(stats.byDay), sum(stats.byHour), sum(stats.byDevice)]).toEqual(Array(4).fill(scanCount))
    expect(stats.visitors).toBeLessThanOrEqual(200)
    all += scanCount
  }
  return all
}

test('a kill under load loses the scans of the last two seconds at most, an orderly stop none, and no figure contradicts another', async () => {
  let server = await place.serve([], { env })
  let owner = await signIn(server)
  const links = [await createLink(owner), await createLink(owner), await createLink(owner)]
  const ids = links.map(({ id }) => id)
  let before = 0
  for (let round = 0; round < 2; round++) {
    const running = server
    /** When each scan of the round was answered. */
    const answered: number[] = []
    // So that some scans must not be lost: after a write or two, in the middle of the next.
    const killAfter = LOST_MS + 500 + Math.random() * 1000
    const clients = Array.from({ length: CLIENTS }, async (_, i) => {
      try {
        for (let n = i; ; n++) {
          expect(await scan(running, links[n % links.length]!.path, `203.0.113.${(i * 31 + n) % 200}`)).toBe(302)
          answered.push(performance.now())
          if (answered.at(-1)! - answered[0]! > killAfter) running.child.kill('SIGKILL')
        }
      } catch (error) {
        if (error instanceof Error && error.message.includes('toBe')) throw error
        await running.child.exited
      }
    })
    await Promise.all(clients)
    server = await place.serve([], { env })
    owner = await signIn(server)
    const safe = answered.filter((at) => at < answered.at(-1)! - LOST_MS).length
    const counted = (await countedScans(owner, ids)) - before
    expect(safe).toBeGreaterThan(0)
    expect(counted).toBeGreaterThanOrEqual(safe)
    expect(counted).toBeLessThanOrEqual(answered.length + CLIENTS)
    before += counted
  }
  for (let n = 0; n < 50; n++) await scan(server, links[n % links.length]!.path, `203.0.113.${n}`)
  expect(await server.end()).toBe(0)
  server = await place.serve([], { env })
  expect(await countedScans(await signIn(server), ids)).toBe(before + 50)
  expect(await server.end()).toBe(0)
})

/** The forms in which programs store addresses. */
function formsOf(v4: string, v6: string): Buffer[] {
  const bytes = v4.split('.').map(Number)
  const hex = Buffer.from(bytes).toString('hex')
  const number = Buffer.from(bytes).readUInt32BE()
  return [
    ...[v4, hex, hex.toUpperCase(), String(number), Buffer.from(bytes).toString('base64')].map((text) =>
      Buffer.from(text),
    ),
    Buffer.from(bytes),
    Buffer.from(bytes.toReversed()),
    Buffer.from(v6),
    Buffer.from('2001:0db8:0077:4d99'),
    Buffer.from('20010db800774d99', 'hex'),
    Buffer.from('20010db800774d99'),
  ]
}

test('the address and the agent of a visitor are in no file of the server and in no line of its log', async () => {
  const server = await place.serve([], { env })
  const owner = await signIn(server)
  const { id, path } = await createLink(owner)
  const [v4, v6] = ['203.77.153.201', '2001:db8:77:4d99::9']
  for (const address of [v4, v6]) expect(await scan(server, path, address)).toBe(302)
  await written(owner, id, 2)
  const texts: Buffer[] = []
  const addFiles = () => {
    for (const entry of readdirSync(place.dataDir, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) texts.push(readFileSync(join(entry.parentPath, entry.name)))
  }
  // With the log of the database, which a stop empties.
  addFiles()
  expect(readdirSync(place.dataDir).some((name) => name.endsWith('-wal'))).toBe(!onPostgres)
  if (onPostgres) {
    await using sql = new SQL({ url: place.databaseUrl, max: 1 })
    const tables = await sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`
    for (const { name } of tables)
      texts.push(Buffer.from(JSON.stringify(await sql.unsafe(`SELECT t::text FROM "${name}" t`))))
  }
  const { stderr, stdout } = { stderr: server.stderr(), stdout: server.stdout() }
  expect(stderr + stdout).toContain('/q/')
  expect(await server.end()).toBe(0)
  texts.push(Buffer.from(stderr), Buffer.from(stdout))
  addFiles()
  for (const form of [...formsOf(v4, v6), Buffer.from('Chrome/131.0.0.0 Mobile')])
    expect([form.toString('latin1'), texts.some((text) => text.includes(form))]).toEqual([
      form.toString('latin1'),
      false,
    ])
})

test('a backup has the figures of the day without salt and hashes, and a restored server goes on counting', async () => {
  let server = await place.serve([], { env })
  let owner = await signIn(server)
  const { id, path } = await createLink(owner)
  for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.1']) await scan(server, path, address)
  await written(owner, id, 2)
  const file = join(place.home, 'today.tar.zst')
  expect(await place.run(['backup', file])).toMatchObject({ code: 0 })
  await server.end()
  if (onPostgres) await place.newDatabase()
  const restored = await place.run(['restore', file])
  expect(restored, restored.stderr).toMatchObject({ code: 0 })
  const count = async (table: string): Promise<number> => {
    const query = `SELECT count(*) AS n FROM ${table}`
    if (!onPostgres) {
      using db = new Database(join(place.dataDir, 'tessera.db'))
      return Number((db.query(query).get() as { n: number }).n)
    }
    await using sql = new SQL({ url: place.databaseUrl, max: 1 })
    return Number((await sql.unsafe(query))[0].n)
  }
  expect([await count('qr_scan_salts'), await count('qr_scan_visitors'), await count('qr_scan_details')]).toEqual([
    0, 0, 1,
  ])
  server = await place.serve([], { env })
  owner = await signIn(server)
  expect(await owner('GET', `/api/qr-codes/${id}/stats`)).toMatchObject({ total: 3, visitors: 2 })
  await scan(server, path, '203.0.113.3')
  await written(owner, id, 3)
  const stats = await owner('GET', `/api/qr-codes/${id}/stats`)
  expect([stats.total, sum(stats.byDay), sum(stats.byDevice)]).toEqual([4, 4, 4])
  expect(existsSync(file)).toBe(true)
  expect(await server.end()).toBe(0)
})
