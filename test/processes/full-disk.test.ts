/** The disk of PostgreSQL is full: first for rows, then for its log too, without which it cannot run. */

import { describe, expect, test } from 'bun:test'

import { startPostgres } from '../db/postgres-server.ts'
import { ok, type Person, race, startServer, until } from '../harness/index.ts'
import { allItems } from './noting-clients.ts'
import { onPostgres } from './several.ts'

/** A page of PostgreSQL has room for few of these. */
const CONTENT = 'x'.repeat(2000)
const AT_ONCE = 8

/** Creates codes and notes the answers. */
function writerOf(who: Person) {
  let count = 0
  const noted = { stored: [] as number[], refused: 0 }
  return {
    noted,
    /** Resolves with the status. */
    async write(): Promise<number> {
      const reply = await who.call('qrCodes.create', { body: { name: `Code ${count++}`, content: CONTENT } })
      if (reply.status === 200) noted.stored.push(reply.data!.id)
      else {
        noted.refused++
        expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '30'])
      }
      return reply.status
    },
  }
}

describe.if(onPostgres)('when the disk of PostgreSQL is full', () => {
  test('writes are refused with 503, nothing confirmed is lost, and they go on when there is space again', async () => {
    const postgres = await startPostgres({ disk: '150m' })
    if (postgres === undefined) return
    await using stack = new AsyncDisposableStack()
    stack.defer(() => postgres.remove())
    const server = await startServer({ config: { databaseUrl: postgres.databaseUrl } })
    stack.defer(() => server.stop())
    const ann = await server.person()
    const { noted, write } = writerOf(ann)
    const list = () => ann.get('/api/qr-codes', { size: 1 })
    const isStored = async () => (await write()) === 200
    expect(await isStored()).toBe(true)

    await postgres.fillDisk()
    while (noted.refused < 20) await race(AT_ONCE, write)
    // Those that were refused have left nothing, and reads go on.
    expect(ok(await list()).data.total).toBe(noted.stored.length)
    expect((await ann.get('/api/auth/userinfo')).status).toBe(200)

    // The next file of the log finds no space: PostgreSQL ends, and cannot start again.
    await postgres.run('SELECT pg_switch_wal()').catch(() => undefined)
    await until(async () => (await list()).status === 503)
    for (let i = 0; i < 3; i++) await race(AT_ONCE, write)
    expect((await server.request('GET', '/actuator/health')).status).toBe(503)

    await postgres.freeDisk()
    await postgres.start().catch(() => undefined)
    const began = performance.now()
    await until(isStored)
    console.log(`writes went on after ${Math.round(performance.now() - began)} ms`)
    expect(await race(AT_ONCE, write)).toEqual(Array<number>(AT_ONCE).fill(200))

    const ids = (await allItems(server, ann, '/api/qr-codes')).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(noted.stored.filter((id) => !ids.includes(id))).toEqual([])
    expect(ok(await list()).data.total).toBe(ids.length)
    expect((await server.request('GET', '/actuator/health')).status).toBe(200)
  })
})
