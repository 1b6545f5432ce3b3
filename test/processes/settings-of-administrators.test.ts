/** The administrator of PostgreSQL has made settings for all programs, and other programs take all of its connections. */

import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'

import { SQL } from 'bun'

import { dumpPostgres } from '#db/maintenance.ts'

import { startPostgres } from '../db/postgres-server.ts'
import { ok, type Person, race, startServer, until } from '../harness/index.ts'
import { allItems } from './noting-clients.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

/** Of every connection to a database. Each would break something: a write, a wait, a connection that is seldom used, or a promise. */
const SETTINGS = {
  default_transaction_isolation: 'serializable',
  statement_timeout: '100',
  lock_timeout: '50',
  idle_in_transaction_session_timeout: '50',
  idle_session_timeout: '300',
  synchronous_commit: 'off',
}
const LONGER_MS = 400

const create = async (server: { readonly url: string }, who: Person, name: string) =>
  sendTo(server, who, 'POST', '/api/qr-codes', { body: { name, content: 'x' } })

describe.if(onPostgres)('settings of the administrator of PostgreSQL', () => {
  test('shorten no statement, no wait for a lock and no idle connection of two servers, nor those of a backup', async () => {
    await withServers(0, async ({ config, start, newDataDir }) => {
      const databaseUrl = config.databaseUrl!
      await using other = new SQL({ url: databaseUrl, max: 1 })
      const [{ name }] = (await other`SELECT quote_ident(current_database()) AS name`) as [{ name: string }]
      for (const [key, value] of Object.entries(SETTINGS))
        await other.unsafe(`ALTER DATABASE ${name} SET ${key} TO '${value}'`)
      const [first, second] = [await start(), await start()]
      const ann = await first.person()

      const renamed = await other.begin(async (tx) => {
        await tx`SELECT id FROM users WHERE id = ${ann.id} FOR UPDATE`
        const answer = sendTo(second, ann, 'PUT', '/api/auth/userinfo', { body: { nickname: 'Later' } })
        await until(async () => (await tx`SELECT 1 FROM pg_locks WHERE NOT granted`).length > 0)
        await Bun.sleep(LONGER_MS)
        return { answer }
      })
      expect(ok(await renamed.answer).data.nickname).toBe('Later')

      // Connections are not used for a while, again and again.
      for (let round = 0; round < 3; round++) {
        const replies = await race(20, (n) => create(n % 2 ? first : second, ann, `Code ${round} ${n}`))
        expect(replies.map(({ status }) => status)).toEqual(Array<number>(20).fill(200))
        await Bun.sleep(LONGER_MS)
      }
      expect(ok(await sendTo(second, ann, 'GET', '/api/qr-codes?keyword=Code')).data.total).toBe(60)
      const target = join(newDataDir(), 'dump')
      await dumpPostgres({ databaseUrl, databaseReadUrl: '' }, target)
      expect(statSync(target).size).toBeGreaterThan(0)
    })
  })

  test('may leave too few connections: requests are answered or refused with 503, and all are answered once there are enough', async () => {
    const postgres = await startPostgres({ settings: ['max_connections=30'] })
    if (postgres === undefined) return
    await using stack = new AsyncDisposableStack()
    stack.defer(() => postgres.remove())
    const server = await startServer({ config: { databaseUrl: postgres.databaseUrl, databaseConnections: 20 } })
    stack.defer(() => server.stop())
    const ann = await server.person()
    const others: SQL[] = []
    for (let isFull = false; !isFull;) {
      const sql = new SQL({ url: postgres.databaseUrl, max: 1 })
      others.push(sql)
      isFull = await sql`SELECT 1`.then(
        () => false,
        () => true,
      )
    }

    const stored: number[] = []
    const statuses = new Set<number>()
    /** Lists, searches and creates codes, all at once. */
    const ask = async (nth: number): Promise<number> => {
      const keyword = nth % 8 === 1 ? '?keyword=Code' : ''
      const reply = nth % 2 ? await ann.get(`/api/qr-codes${keyword}`) : await create(server, ann, `Code ${nth}`)
      if (nth % 2 === 0 && reply.status === 200) stored.push(reply.data.id)
      if (reply.status === 503) expect(reply.headers.get('retry-after')).toBe('30')
      statuses.add(reply.status)
      return reply.status
    }
    for (let round = 0; round < 3; round++) await race(24, ask)
    // Searches have connections of their own, of which none is open yet.
    expect([...statuses].toSorted()).toEqual([200, 503])

    await Promise.all(others.map((sql) => sql.close()))
    const began = performance.now()
    await until(async () => (await race(24, ask)).every((status) => status === 200))
    console.log(`all were answered after ${Math.round(performance.now() - began)} ms`)
    const ids = (await allItems(server, ann, '/api/qr-codes')).map(({ id }) => id)
    expect(ids.toSorted((a, b) => a - b)).toEqual(stored.toSorted((a, b) => a - b))
  })
})
