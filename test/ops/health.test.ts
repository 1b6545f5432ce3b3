/** Health and metrics tell the truth while the storage refuses writes or the database file is gone. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

import { send } from '../harness/client.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const ADMIN = { TESSERA_ADMIN_USERNAME: 'root', TESSERA_ADMIN_PASSWORD: 'correct horse battery' }
const env = { ...ADMIN, TESSERA_RATE_LIMIT: 'off', TESSERA_LOG_LEVEL: 'info', TESSERA_LOG_FORMAT: 'json' }

const health = async (server: RunningCli): Promise<number> => (await send(server.url, 'GET', '/actuator/health')).status

const register = async (server: RunningCli, username: string): Promise<number> =>
  (await send(server.url, 'POST', '/api/auth/register', { body: { username, password: 'a password of somebody' } }))
    .status

/** A function that reads the values of metrics by name and labels. */
async function monitor(server: RunningCli): Promise<() => Promise<Map<string, number>>> {
  const device = { 'x-device-id': 'device-of-the-monitor-long' }
  const body = { account: ADMIN.TESSERA_ADMIN_USERNAME, password: ADMIN.TESSERA_ADMIN_PASSWORD }
  const { data } = await send(server.url, 'POST', '/api/admin/auth/login', { headers: device, body })
  const headers = { ...device, authorization: `Bearer ${data.accessToken}` }
  return async () => {
    const text = await (await fetch(`${server.url}/actuator/metrics`, { headers })).text()
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    )
  }
}

const errorLines = (server: RunningCli): string[] =>
  server
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))

test('health is DOWN while the file system refuses writes although reads work, and UP as soon as it accepts them', async () => {
  if (onPostgres) return expect(place.databaseUrl).not.toBe('')
  // With this limit every write to a file fails, while space, permissions and mount flags look as always.
  const before = ['sh', '-c', `trap '' XFSZ; exec "$0" "$@"`]
  const server = await place.serve([], { env, before })
  const metrics = await monitor(server)
  expect(await register(server, 'before')).toBe(200)
  expect(await health(server)).toBe(200)
  expect((await metrics()).get('tessera_up')).toBe(1)

  const limit = (size: string): void => {
    const { exitCode, stderr } = Bun.spawnSync(['prlimit', `--pid=${server.child.pid}`, `--fsize=${size}:unlimited`])
    expect(`${exitCode} ${stderr.toString()}`).toBe('0 ')
  }
  limit('1')
  const statuses = await Promise.all(Array.from({ length: 50 }, (_, i) => register(server, `during${i}`)))
  expect(new Set(statuses)).toEqual(new Set([503]))
  for (let i = 0; i < 3; i++) expect(await health(server)).toBe(503)
  expect((await place.run(['healthcheck'], { env })).code).toBe(1)
  expect((await place.run(['doctor'], { env })).stdout).toMatch(/FAIL +server/)
  const found = await metrics()
  expect(found.get('tessera_up')).toBe(0)
  const refused = [...found].filter(([name]) => name.startsWith('tessera_writes_refused_total{cause='))
  expect(refused.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThanOrEqual(50)
  expect(found.get('tessera_log_lines_total{level="error"}')).toBeGreaterThan(0)

  limit('unlimited')
  // The check itself finds out: no client has to write first.
  expect(await health(server)).toBe(200)
  expect((await metrics()).get('tessera_up')).toBe(1)
  expect(await register(server, 'after')).toBe(200)
  expect(await server.end()).toBe(0)
  // One line for each cause, and perhaps one for ten seconds; each names the cause without a stack.
  expect(errorLines(server).length).toBeGreaterThan(0)
  expect(errorLines(server).length).toBeLessThan(6)
  expect(server.stderr()).not.toContain('"stack":"')
})

test('a stop while the disk fails says so with exit code 5, and the next start has everything that was confirmed', async () => {
  if (onPostgres) return expect(place.databaseUrl).not.toBe('')
  const before = ['sh', '-c', `trap '' XFSZ; exec "$0" "$@"`]
  const server = await place.serve([], { env, before })
  expect(await register(server, 'before')).toBe(200)
  Bun.spawnSync(['prlimit', `--pid=${server.child.pid}`, '--fsize=1:unlimited'])
  expect(await register(server, 'during')).toBe(503)
  expect(await server.end()).toBe(5)
  expect(server.stderr().trimEnd()).toEndWith('tessera.db cannot be read or written: check the disk.')
  const again = await place.serve([], { env })
  const body = { account: 'before', password: 'a password of somebody' }
  expect((await send(again.url, 'POST', '/api/auth/login', { body })).status).toBe(200)
  expect(await again.end()).toBe(0)
})

test('health is DOWN and writes are refused after the database file was replaced', async () => {
  if (onPostgres) return expect(place.databaseUrl).not.toBe('')
  const server = await place.serve([], { env })
  expect(await register(server, 'before')).toBe(200)
  renameSync(join(place.dataDir, 'tessera.db'), join(place.dataDir, 'kept.db'))
  expect(await health(server)).toBe(503)
  expect(await register(server, 'during')).toBe(503)
  // Reads continue.
  expect((await send(server.url, 'GET', '/setup')).status).not.toBe(503)
  expect(errorLines(server)).toHaveLength(1)
  expect(errorLines(server)[0]).toContain('was deleted or replaced while the server was running')
  // After this code a supervisor does not start it again, which would create an empty database.
  expect(await server.end()).toBe(4)
  renameSync(join(place.dataDir, 'kept.db'), join(place.dataDir, 'tessera.db'))
  const again = await place.serve([], { env })
  const body = { account: 'before', password: 'a password of somebody' }
  expect((await send(again.url, 'POST', '/api/auth/login', { body })).status).toBe(200)
  expect(await again.end()).toBe(0)
})

test('metrics have what the recommended alerts need', async () => {
  const server = await place.serve([], { env })
  const found = await (await monitor(server))()
  expect(found.get('tessera_up')).toBe(1)
  expect(found.get('tessera_disk_free_bytes')).toBeGreaterThan(0)
  expect(found.has('tessera_database_log_bytes')).toBe(!onPostgres)
  if (!onPostgres) expect(found.get('tessera_database_log_bytes')).toBeGreaterThan(0)
  expect(await server.end()).toBe(0)
})

test('a stop under load leaves no log file', async () => {
  if (onPostgres) return expect(place.databaseUrl).not.toBe('')
  for (let round = 0; round < 5; round++) {
    const server = await place.serve([], { env: { ...env, TESSERA_LOG_LEVEL: 'warn' } })
    const device = { 'x-device-id': 'device-of-the-writer-long' }
    const body = { account: ADMIN.TESSERA_ADMIN_USERNAME, password: ADMIN.TESSERA_ADMIN_PASSWORD }
    const { data } = await send(server.url, 'POST', '/api/admin/auth/login', { headers: device, body })
    const headers = { ...device, authorization: `Bearer ${data.accessToken}` }
    let written = 0
    const clients = Array.from({ length: 16 }, async () => {
      for (;;) {
        const ask = { headers, body: { name: 'a', content: 'https://example.org' } }
        const status = await send(server.url, 'POST', '/api/qr-codes', ask).then(
          (reply) => reply.status,
          () => 0,
        )
        if (status !== 200) return
        // A search runs on the worker, whose connection must be closed too.
        const search = { headers, query: { keyword: 'nothing' } }
        if (written % 10 === 0) await send(server.url, 'GET', '/api/qr-codes', search).catch(() => undefined)
        if (++written === 300) server.child.kill('SIGTERM')
      }
    })
    await Promise.all(clients)
    expect(await server.ended()).toBe(0)
    expect(readdirSync(place.dataDir).filter((name) => /-(wal|shm)$/.test(name))).toEqual([])
  }
})
