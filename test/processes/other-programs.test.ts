/** An open transaction of another program, and a dump, while two servers use the database. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { SQL } from 'bun'

import { retentionJob } from '#domains/chat/retention.jobs.ts'
import { DAY } from '#platform/clock.ts'

import { registerWriters } from '../chat/writers.ts'
import { emptyDatabase } from '../harness/database.ts'
import { ok, type Person, race } from '../harness/index.ts'
import { Installation } from '../ops/cli.ts'
import { allItems } from './noting-clients.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

interface Server {
  readonly url: string
}

const createCode = async (server: Server, who: Person, name: string): Promise<number> =>
  ok(await sendTo(server, who, 'POST', '/api/qr-codes', { body: { name, content: 'x' } })).data.id

async function sendMessage(server: Server, who: Person, to: Person, nth: number): Promise<number> {
  const body = { toUserId: to.id, clientMsgId: `nth-${nth}`, type: 'TEXT', content: { text: `${nth}` } }
  return ok(await sendTo(server, who, 'POST', '/api/chats/messages', { body })).data.messages[0].id
}

async function historyOf(server: Server, who: Person): Promise<number[]> {
  const [conversation] = await allItems(server, who, '/api/chats/conversations')
  const ids: number[] = []
  for (let before = ''; ; before = `&beforeId=${ids.at(-1)}`) {
    const path = `/api/chats/conversations/${conversation!.id}/messages?limit=100${before}`
    const { items, hasMore } = ok(await sendTo(server, who, 'GET', path)).data
    ids.push(...(items as { id: number }[]).map(({ id }) => id))
    if (!hasMore) return ids.toReversed()
  }
}

describe.if(onPostgres)('beside other programs, two servers', () => {
  test('write, list and delete while a transaction stays open, which nothing waits for, and read what was written', async () => {
    await withServers(2, async ({ servers: [first, second], config }) => {
      const [ann, bob] = (await registerWriters(first!.url, 2)) as [Person, Person]
      await using other = new SQL({ url: config.databaseUrl!, max: 1 })
      await using watcher = new SQL({ url: config.databaseUrl!, max: 1 })
      const before = await race(20, (n) => sendMessage(n % 2 ? first! : second!, ann, bob, n))
      const reading = `SELECT count(*)::int AS n, pg_backend_pid() AS pid, pg_current_xact_id() FROM messages`
      await other.unsafe(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${reading}`).simple()
      const [{ pid }] = (await other.unsafe(reading)) as [{ pid: number }]
      const waiting = async () =>
        watcher`SELECT query FROM pg_stat_activity WHERE ${pid} = ANY(pg_blocking_pids(pid))`.values()

      const codes: number[] = []
      const sent: number[] = []
      for (let round = 0; round < 10; round++) {
        const [to, from] = round % 2 ? [first!, second!] : [second!, first!]
        const made = await race(20, (n) => createCode(to, ann, `Code ${round * 20 + n}`))
        codes.push(...made)
        sent.push(...(await race(20, (n) => sendMessage(to, ann, bob, 100 + round * 20 + n))))
        expect(await waiting()).toEqual([])
        const list = ok(await sendTo(from, ann, 'GET', '/api/qr-codes?size=1')).data
        expect(list.total).toBe(codes.length)
        const gone = codes.shift()!
        ok(await sendTo(to, ann, 'DELETE', `/api/qr-codes/${gone}`))
        expect((await sendTo(from, ann, 'GET', `/api/qr-codes/${gone}`)).status).toBe(404)
      }
      const ascending = (ids: number[]) => ids.toSorted((a, b) => a - b)
      for (const server of [first!, second!]) {
        expect(await historyOf(server, bob)).toEqual(ascending([...before, ...sent]))
        expect(ascending((await allItems(server, ann, '/api/qr-codes')).map(({ id }) => id))).toEqual(ascending(codes))
      }

      for (const { clock } of [first!, second!]) clock.advance(40 * DAY)
      ok(await (await first!.admin()).call('admin.chat.changeSettings', { body: { retentionDays: 30 } }))
      await retentionJob.run(second!.ctx)
      expect(await waiting()).toEqual([])
      expect((await watcher`SELECT count(*)::int AS n FROM messages`)[0]).toEqual({ n: 0 })
      // The other program still sees the state of its beginning, and ends when it likes.
      expect((await other.unsafe(reading))[0]).toMatchObject({ n: before.length })
      await other.unsafe('COMMIT').simple()
    })
  })

  test('write on while pg_dump reads, and its dump holds all that was answered before it and no gap', async () => {
    await withServers(2, async (several) => {
      const { servers, config } = several
      const [ann, bob, carol] = (await registerWriters(servers[0]!.url, 3)) as [Person, Person, Person]
      await using admin = new SQL({ url: config.databaseUrl!, max: 1 })
      // Some megabytes, so that the dump takes a while.
      await admin`INSERT INTO counters (key, count, window_start, expires_at)
        SELECT 'filled ' || repeat(md5(n::text), 8), n, 0, 9999999999999 FROM generate_series(1, 40000) AS n`
      const notes = { codes: [] as number[], messages: [] as number[] }
      let isDone = false
      // Each waits for its answer before its next write, so a consistent state has the first rows of each and none after a missing one.
      const writing = [
        (async () => {
          for (let n = 0; !isDone; n++) notes.codes.push(await createCode(servers[n % 2]!, ann, `Code ${n}`))
        })(),
        (async () => {
          for (let n = 0; !isDone; n++) notes.messages.push(await sendMessage(servers[n % 2]!, bob, carol, n))
        })(),
      ]
      while (notes.codes.length < 20 || notes.messages.length < 20) await Bun.sleep(5)
      const before = { codes: notes.codes.length, messages: notes.messages.length }
      const file = join(several.newDataDir(), 'dump')
      await Bun.$`pg_dump --format=custom --file=${file} --dbname=${config.databaseUrl!}`.quiet()
      const meanwhile = { codes: notes.codes.length - before.codes, messages: notes.messages.length - before.messages }
      isDone = true
      await Promise.all(writing)
      expect(Math.min(meanwhile.codes, meanwhile.messages)).toBeGreaterThan(5)

      const restored = await emptyDatabase()
      const place = new Installation()
      try {
        await Bun.$`pg_restore --single-transaction --exit-on-error --no-owner --dbname=${restored.url} ${file}`.quiet()
        const env = { TESSERA_DATABASE_URL: restored.url, TESSERA_SECRET: config.secret! }
        const again = await several.start({ databaseUrl: restored.url })
        const codes = (await allItems(again, ann, '/api/qr-codes')).map(({ id }) => id).toSorted((a, b) => a - b)
        const messages = await historyOf(again, carol)
        expect(codes).toEqual(notes.codes.slice(0, codes.length))
        expect(messages).toEqual(notes.messages.slice(0, messages.length))
        expect(codes.length).toBeGreaterThanOrEqual(before.codes)
        expect(messages.length).toBeGreaterThanOrEqual(before.messages)
        // It goes on from there: numbers and ids are above those of the dump.
        expect(await createCode(again, ann, 'After the restore')).toBeGreaterThan(codes.at(-1)!)
        expect(await sendMessage(again, bob, carol, 1_000_000)).toBeGreaterThan(messages.at(-1)!)
        await again.stop()
        const doctor = await place.run(['doctor', '--json'], { env })
        const findings = JSON.parse(doctor.stdout) as { check: string; verdict: string }[]
        expect(findings.filter(({ verdict }) => verdict === 'FAIL')).toEqual([])
        expect(findings.map(({ check }) => check)).toContain('schema')
        const log = await place.run(['log', 'verify', '--json'], { env })
        expect(JSON.parse(log.stdout)).toMatchObject({ ok: true })
      } finally {
        await place.dispose()
        await restored.drop()
      }
    })
  })
})
