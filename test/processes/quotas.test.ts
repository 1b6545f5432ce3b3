/** Quotas while several processes create, delete, restore and hand over at once. */

import { describe, expect, test } from 'bun:test'

import { SQL } from 'bun'

import { setSetting } from '#domains/settings/index.ts'

import { ok, type Person, race, type Reply, type TestServer } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

const setQuota = (server: TestServer, name: 'quota.qrCodes' | 'quota.assets', limit: number) =>
  server.ctx.db.write('test.quota', (tx) => setSetting(tx, name, limit))

const code = (name: string) => ({ name, content: `https://example.org/${name}` })

/** Kept totals of lists with a quota that differ from the number of rows. */
const WRONG = `WITH counted (list, owner, n) AS (
    SELECT CASE WHEN org_id = 0 THEN 'qr_codes.personal' ELSE 'qr_codes.org' END, CASE WHEN org_id = 0 THEN user_id ELSE org_id END, count(*)
      FROM qr_codes WHERE deleted_at IS NULL GROUP BY 1, 2
    UNION ALL SELECT 'assets.owner', owner, count(*) FROM assets WHERE deleted_at IS NULL GROUP BY owner
    UNION ALL SELECT 'activities.owner', owner, count(*) FROM activities WHERE deleted_at IS NULL GROUP BY owner
  ), kept AS (
    SELECT list, owner, n FROM list_totals WHERE list IN ('qr_codes.personal', 'qr_codes.org', 'assets.owner', 'activities.owner')
  )
  SELECT list, owner, counted.n AS counted, kept.n AS kept FROM counted FULL JOIN kept USING (list, owner)
  WHERE coalesce(counted.n, 0) <> coalesce(kept.n, 0)`

describe.if(onPostgres)('with three processes', () => {
  test('exactly as many codes as the quota allows come from 60 requests of all kinds, in each of 6 rounds', async () => {
    await withServers(3, async ({ servers }) => {
      const [first] = servers
      const person = await first!.person()
      const post = (i: number, path: string, body: object, headers = {}) =>
        sendTo(servers[i % 3]!, person, 'POST', path, { body, headers })
      const { id: categoryId } = ok(await post(0, '/api/categories', { name: 'Shelves' })).data
      const trashed: number[] = []
      for (let i = 0; i < 10; i++) {
        const { id } = ok(await post(0, '/api/qr-codes', code(`trashed-${i}`))).data
        ok(await sendTo(first!, person, 'DELETE', `/api/qr-codes/${id}`))
        trashed.push(id)
      }
      for (let round = 0; round < 6; round++) {
        const limit = 7 * (round + 1)
        await setQuota(first!, 'quota.qrCodes', limit)
        const replies = await race(60, (i) => {
          const name = `round-${round}-${i}`
          if (i % 6 === 0) return post(i, '/api/qr-codes', code(name), { 'idempotency-key': name })
          if (i % 6 === 1) return post(i, '/api/qr-codes', { ...code(name), categoryId })
          if (i % 6 === 2) return post(i, '/api/qr-codes/batch', { items: [code(name)] })
          if (i === 3) return sendTo(servers[0]!, person, 'PATCH', `/api/qr-codes/trash/restore/${trashed[round]}`)
          return post(i, '/api/qr-codes', code(name))
        })
        expect(replies.filter(({ status }) => status === 200)).toHaveLength(7)
        for (const { status, code: reason } of replies.filter(({ status }) => status !== 200))
          expect([status, reason]).toEqual([429, 4022])
        for (const server of servers)
          expect(ok(await sendTo(server, person, 'GET', '/api/qr-codes')).data.total).toBe(limit)
      }
    })
  })

  test('kept totals equal the numbers of rows after many creations, deletions, restorations and transfers at once', async () => {
    await withServers(3, async ({ servers, config }) => {
      const [first] = servers
      const people = await Promise.all(['ann', 'ben', 'cem', 'dan'].map((name) => first!.person(name)))
      await setQuota(first!, 'quota.qrCodes', 12)
      await setQuota(first!, 'quota.assets', 12)
      const orgs: number[] = []
      for (const person of people)
        orgs.push(ok(await sendTo(first!, person, 'POST', '/api/orgs', { body: { name: person.username } })).data.id)
      const made: { readonly person: Person; readonly path: string; readonly id: number }[] = []
      const step = async (i: number): Promise<Reply> => {
        const person = people[i % 4]!
        const to = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
          sendTo(servers[i % 3]!, person, method, path, { body })
        const path = i % 8 < 5 ? '/api/qr-codes' : '/api/assets'
        const [isCode, does] = [path === '/api/qr-codes', Math.floor(i / 8) % 5]
        const some = made.filter((row) => row.person === person && row.path === path)
        const one = some[(i * 7) % Math.max(1, some.length)]
        if (one === undefined || does < 2) {
          const reply = await to('POST', path, isCode ? code(`code-${i}`) : { name: `asset ${i}` })
          if (reply.status === 200) made.push({ person, path, id: reply.data.id })
          return reply
        }
        if (does === 2) return to('DELETE', `${path}/${one.id}`)
        if (!isCode) return to('POST', `${path}/${one.id}/transfer`, { toOrgId: orgs[i % 4] })
        return does === 3 ? to('PATCH', `${path}/trash/restore/${one.id}`) : to('DELETE', `${path}/trash/${one.id}`)
      }
      const statuses = new Set<number>()
      for (let round = 0; round < 6; round++)
        for (const { status } of await race(60, (i) => step(round * 60 + i))) statuses.add(status)
      // 400: the number of an asset is taken in the organization that gets it.
      expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 400, 404, 429])
      await using sql = new SQL({ url: config.databaseUrl!, max: 1 })
      expect(await sql.unsafe(WRONG)).toEqual([])
      const [most] = await sql.unsafe(
        `SELECT max(n) FILTER (WHERE list = 'qr_codes.personal')::int AS codes, max(n) FILTER (WHERE owner < 0)::int AS assets,
           max(n) FILTER (WHERE owner > 0 AND list = 'assets.owner')::int AS given
         FROM list_totals WHERE list IN ('qr_codes.personal', 'assets.owner')`,
      )
      expect(most.codes).toBeLessThanOrEqual(12)
      expect(most.assets).toBeLessThanOrEqual(12)
      expect(most.given).toBeGreaterThan(0)
    })
  })

  test('a creation that waits for another write of its owner holds up nobody else', async () => {
    await withServers(1, async ({ servers: [server], config }) => {
      const [ann, ben] = await Promise.all([server!.person(), server!.person()])
      const create = (person: Person, name: string) => person.post('/api/qr-codes', code(name))
      await setQuota(server!, 'quota.qrCodes', 100)
      for (const person of [ann, ben]) ok(await create(person, 'first'))
      await using sql = new SQL({ url: config.databaseUrl!, max: 1 })
      const other = await sql.reserve()
      await other.unsafe(`BEGIN; SELECT n FROM list_totals WHERE owner = ${ann.id} FOR UPDATE`)
      const events: string[] = []
      const waiting = race(5, (i) => create(ann, `ann-${i}`)).then((replies) => (events.push('ann'), replies))
      const others = await race(20, (i) => create(ben, `ben-${i}`))
      events.push('ben')
      await other.unsafe('COMMIT')
      other.release()
      for (const reply of [...others, ...(await waiting)]) ok(reply)
      expect(events).toEqual(['ben', 'ann'])
    })
  })
})
