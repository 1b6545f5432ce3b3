/**
 * A kill loses nothing that was answered with success: 16 clients write, the server is killed several times at random moments and
 * started again on the same data, and every acknowledged row is found. A row without an answer is made once by a repeat with its key.
 */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'

import { send } from '../harness/client.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

const CLIENTS = 16
/** On PostgreSQL the database is another process, which a kill does not interrupt. */
const KILLS = onPostgres ? 6 : 20
/** A round ends after a random number of acknowledged rows up to this one, so that kills meet the start of the load and its middle. */
const MAX_ROWS = 600

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

interface Client {
  headers: Record<string, string>
  /** Names of codes that were answered with 200, and of those whose answer never came. */
  acknowledged: string[]
  unknown: string[]
}

const start = (): Promise<RunningCli> =>
  place.serve([], { env: { TESSERA_RATE_LIMIT: 'off', TESSERA_LOG_LEVEL: 'error' } })

async function signUp(server: RunningCli, i: number): Promise<Client> {
  const device = { 'x-device-id': `device-of-client-${i}-long-enough` }
  const body = { username: `client${i}`, password: 'a password of a client' }
  const { status, data } = await send(server.url, 'POST', '/api/auth/register', { headers: device, body })
  expect(status).toBe(200)
  return { headers: { ...device, authorization: `Bearer ${data.accessToken}` }, acknowledged: [], unknown: [] }
}

/** Writes until the server is gone. */
async function write(server: RunningCli, client: Client, label: string, onRow: () => void): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `${label}-${i}`
    try {
      const body = { name, content: `https://example.org/${name}` }
      const { status } = await send(server.url, 'POST', '/api/qr-codes', { headers: client.headers, body })
      if (status !== 200) throw new Error(`${name} was answered ${status}`)
      client.acknowledged.push(name)
      onRow()
    } catch (error) {
      if ((error as Error).message.startsWith(name)) throw error
      client.unknown.push(name)
      return
    }
  }
}

async function namesOf(server: RunningCli, client: Client): Promise<string[]> {
  const names: string[] = []
  for (let page = 1; ; page++) {
    const { status, data } = await send(server.url, 'GET', '/api/qr-codes', {
      headers: client.headers,
      query: { page, size: 100 },
    })
    expect(status).toBe(200)
    for (const { name } of data.items) names.push(name)
    if (data.items.length < 100) return names
  }
}

test(`${KILLS} kills while ${CLIENTS} clients write lose no acknowledged row`, async () => {
  let server = await start()
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => signUp(server, i)))
  for (let round = 0; round < KILLS; round++) {
    let left = Math.ceil(Math.random() * MAX_ROWS)
    const running = server
    const kill = (): void => {
      // The first groups of writes are on their way to the disk a moment later.
      if (--left === 0) setTimeout(() => running.child.kill('SIGKILL'), Math.random() * 5)
    }
    const writing = Promise.all(clients.map((client, i) => write(server, client, `r${round}c${i}`, kill)))
    await server.child.exited
    await writing
    if (!onPostgres) {
      const db = new Database(join(place.dataDir, 'tessera.db'))
      expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
      expect(db.query('PRAGMA foreign_key_check').all()).toEqual([])
      db.close()
    }
    server = await start()
  }
  let acknowledged = 0
  for (const client of clients) {
    const found = await namesOf(server, client)
    const present = new Set(found)
    // No row is there twice, lost, or was never sent.
    expect(present.size).toBe(found.length)
    expect(client.acknowledged.filter((name) => !present.has(name))).toEqual([])
    const sent = new Set([...client.acknowledged, ...client.unknown])
    expect(found.filter((name) => !sent.has(name))).toEqual([])
    acknowledged += client.acknowledged.length
  }
  expect(acknowledged).toBeGreaterThanOrEqual(KILLS)
  console.log(`${KILLS} kills, ${acknowledged} rows acknowledged, none lost`)
  expect(await server.end()).toBe(0)
})

test('a kill loses no scan whose record was acknowledged', async () => {
  let server = await start()
  const { headers } = await signUp(server, 0)
  const post = async (path: string, body: object) => {
    const { status, data } = await send(server.url, 'POST', path, { headers, body })
    expect(status).toBe(200)
    return data
  }
  const ids: number[] = []
  for (let i = 0; i < 20; i++) {
    const content = `https://example.org/${i}`
    const { id } = await post('/api/qr-codes', { name: `code ${i}`, content })
    expect((await post('/api/scan-records', { content })).qrCodeId).toBe(id)
    ids.push(id)
  }
  server.child.kill('SIGKILL')
  await server.child.exited
  server = await start()
  const counts = []
  for (const id of ids) {
    const { data } = await send(server.url, 'GET', `/api/qr-codes/${id}`, { headers })
    const stats = await send(server.url, 'GET', `/api/qr-codes/${id}/stats`, { headers })
    counts.push([data.scanCount, stats.data.total])
  }
  expect(counts).toEqual(ids.map(() => [1, 1]))
  expect(await server.end()).toBe(0)
})

test(`after ${KILLS} kills, clients that send everything again with its Idempotency-Key have made each row once`, async () => {
  let server = await start()
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => signUp(server, i)))
  const create = (client: Client, name: string) =>
    send(server.url, 'POST', '/api/qr-codes', {
      headers: { ...client.headers, 'idempotency-key': name },
      body: { name, content: 'x' },
    })
  /** Ids of the first answers by name. */
  const made = new Map<string, number>()
  let replayed = 0
  for (let round = 0; round < KILLS; round++) {
    const running = server
    let left = Math.ceil(Math.random() * MAX_ROWS)
    await Promise.all(
      clients.map(async (client, c) => {
        for (let i = 0; ; i++) {
          const name = `r${round}c${c}-${i}`
          const reply = await create(client, name).catch(() => undefined)
          if (reply === undefined) return client.unknown.push(name)
          if (reply.status !== 200) throw new Error(`${name} was answered ${reply.status}`)
          client.acknowledged.push(name)
          made.set(name, reply.data.id)
          if (--left === 0) setTimeout(() => running.child.kill('SIGKILL'), Math.random() * 5)
        }
      }),
    )
    await running.child.exited
    server = await start()
    for (const client of clients) {
      for (const name of client.unknown.splice(0)) {
        const reply = await create(client, name)
        expect([name, reply.status]).toEqual([name, 200])
        if (reply.headers.get('idempotency-replayed') === 'true') replayed += 1
        made.set(name, reply.data.id)
        client.acknowledged.push(name)
      }
      const last = client.acknowledged.at(-1)!
      const again = await create(client, last)
      expect([again.data.id, again.headers.get('idempotency-replayed')]).toEqual([made.get(last), 'true'])
    }
  }
  for (const client of clients)
    expect((await namesOf(server, client)).toSorted()).toEqual(client.acknowledged.toSorted())
  console.log(`${KILLS} kills, ${made.size} rows, ${replayed} of them made by requests without an answer`)
  expect(await server.end()).toBe(0)
})
