import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { type Person, race, startServer, type TestServer } from '../harness/index.ts'
import { counts, list, ok, sendTo } from './helpers.ts'

let server: TestServer
let admin: Person
let alice: Person
let mallory: Person

beforeAll(async () => {
  server = await startServer()
  admin = await server.admin()
  mallory = await server.person()
})
afterAll(() => server.stop())

/** Somebody new with `n` notifications; the newest first. */
async function withNotifications(n: number): Promise<[Person, number[]]> {
  const who = await server.person()
  for (let i = 1; i <= n; i++) await sendTo(admin, [who.id], `number ${i}`)
  return [who, (await list(who)).items.map((item) => item.id)]
}

describe('one’s own', () => {
  test('list and detail', async () => {
    alice = await server.person()
    expect(await list(alice)).toEqual({ items: [], total: 0, page: 1, size: 100 } as never)
    const sent = await sendTo(
      admin,
      [alice.id],
      'Maintenance',
      '# Tonight\n\nSee [here](/status), <b>not</b> [there](data:x)',
    )
    const { items, total } = await list(alice)
    expect(total).toBe(1)
    expect(items).toEqual([
      {
        id: expect.any(Number),
        type: 'SYSTEM',
        title: 'Maintenance',
        body: '# Tonight\n\nSee [here](/status), <b>not</b> [there](data:x)',
        bodyPlain: 'Tonight\nSee here, <b>not</b> there',
        data: {},
        read: false,
        createdAt: sent.createdAt,
      },
    ])
    const { data } = ok(await alice.get(`/api/notifications/${items[0]!.id}`))
    expect(data).toEqual({
      ...items[0]!,
      bodyHtml:
        '<h1>Tonight</h1>\n<p>See <a href="/status">here</a>, &lt;b&gt;not&lt;/b&gt; <a href="">there</a></p>\n',
    })
    // Looking is not reading.
    expect(await counts(alice)).toEqual({ total: 1, unread: 1 })
  })

  test('the newest first; pages are whole; filters', async () => {
    const [who, ids] = await withNotifications(5)
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
    const times = (await list(who)).items.map((item) => item.createdAt)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    ok(await who.patch(`/api/notifications/${ids[1]}/read`))
    ok(await who.patch(`/api/notifications/${ids[4]}/read`))
    const paged: number[] = []
    for (const page of [1, 2, 3, 4]) {
      const { items, total } = await list(who, { page, size: 2 })
      expect(total).toBe(5)
      paged.push(...items.map((item) => item.id))
    }
    expect(paged).toEqual(ids)
    for (const [query, found] of [
      [{ read: true }, [1, 4]],
      [{ read: false }, [0, 2, 3]],
      [{ type: 'SYSTEM' }, [0, 1, 2, 3, 4]],
      [{ type: 'ORG_INVITE' }, []],
      [{ type: 'SYSTEM', read: true }, [1, 4]],
      [{ type: 'SYSTEM', read: false, size: 2, page: 2 }, [3]],
      [{ type: 'ACCOUNT_LINK', read: false }, []],
    ] as const) {
      const { items, total } = await list(who, query as never)
      expect(
        items.map((item) => item.id),
        JSON.stringify(query),
      ).toEqual(found.map((i) => ids[i]!))
      if (!('page' in query)) expect(total).toBe(found.length)
    }
    for (const query of [{ read: 'perhaps' }, { type: 'LETTER' }, { page: 0 }, { size: 101 }])
      expect((await who.get('/api/notifications', query as never)).status, JSON.stringify(query)).toBe(400)
  })

  test('reading one, twice', async () => {
    const [who, ids] = await withNotifications(2)
    const first = ok(await who.patch(`/api/notifications/${ids[0]}/read`)).data
    expect(first).toMatchObject({ id: ids[0], read: true })
    expect(first).not.toHaveProperty('bodyHtml')
    expect(ok(await who.patch(`/api/notifications/${ids[0]}/read`)).data).toEqual(first)
    expect(await counts(who)).toEqual({ total: 2, unread: 1 })
    expect((await list(who)).items.map((item) => item.read)).toEqual([true, false])
  })

  test('reading all', async () => {
    const [who] = await withNotifications(3)
    const [other] = await withNotifications(1)
    expect(ok(await who.patch('/api/notifications/read-all')).data).toEqual({ updated: 3 })
    expect(ok(await who.patch('/api/notifications/read-all')).data).toEqual({ updated: 0 })
    expect(await counts(who)).toEqual({ total: 3, unread: 0 })
    expect(await counts(other)).toEqual({ total: 1, unread: 1 })
  })

  test('deleting', async () => {
    const [who, ids] = await withNotifications(2)
    ok(await who.patch(`/api/notifications/${ids[0]}/read`))
    expect(ok(await who.delete(`/api/notifications/${ids[0]}`)).data).toBeNull()
    expect(await counts(who)).toEqual({ total: 1, unread: 1 })
    for (const method of ['GET', 'DELETE'] as const)
      expect((await who.send(method, `/api/notifications/${ids[0]}`)).status).toBe(404)
    expect((await who.patch(`/api/notifications/${ids[0]}/read`)).status).toBe(404)
    expect((await list(who)).items.map((item) => item.id)).toEqual([ids[1]!])
  })
})

describe('who may', () => {
  test('nobody without a token', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/1'],
      ['DELETE', '/1'],
      ['PATCH', '/1/read'],
      ['PATCH', '/read-all'],
      ['GET', '/unread-count'],
      ['GET', '/total-count'],
      ['GET', '/sends/1'],
    ])
      expect((await server.request(method!, `/api/notifications${path}`)).status, `${method} ${path}`).toBe(401)
  })

  test('nobody else: what is somebody’s does not exist', async () => {
    const [who, ids] = await withNotifications(1)
    for (const [method, path] of [
      ['GET', `/${ids[0]}`],
      ['DELETE', `/${ids[0]}`],
      ['PATCH', `/${ids[0]}/read`],
    ] as const)
      for (const stranger of [mallory, admin]) {
        const reply = await stranger.send(method, `/api/notifications${path}`)
        expect(reply.status).toBe(404)
        expect(reply.text).not.toContain('number 1')
      }
    ok(await mallory.patch('/api/notifications/read-all'))
    expect(await counts(who)).toEqual({ total: 1, unread: 1 })
  })

  test('ids that are none', async () => {
    for (const id of ['0', '-1', 'x', '1.5', '99999999999999999999'])
      expect((await mallory.get(`/api/notifications/${id}`)).status, id).toBe(400)
    expect((await mallory.get('/api/notifications/999999')).status).toBe(404)
  })
})

describe('at once', () => {
  test('fifty times the same read counts once', async () => {
    const [who, ids] = await withNotifications(2)
    for (const reply of await race(50, () => who.patch(`/api/notifications/${ids[0]}/read`)))
      expect(ok(reply).data.read).toBe(true)
    expect(await counts(who)).toEqual({ total: 2, unread: 1 })
    expect((await list(who, { read: true })).total).toBe(1)
  })

  test('fifty times read-all changes each row once', async () => {
    const [who] = await withNotifications(7)
    const replies = await race(50, () => who.patch('/api/notifications/read-all'))
    expect(replies.reduce((sum, reply) => sum + ok(reply).data.updated, 0)).toBe(7)
    expect(await counts(who)).toEqual({ total: 7, unread: 0 })
  })

  test('fifty deletions: one is answered 200', async () => {
    const [who, ids] = await withNotifications(2)
    const replies = await race(50, () => who.delete(`/api/notifications/${ids[1]}`))
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, ...Array<number>(49).fill(404)])
    expect(await counts(who)).toEqual({ total: 1, unread: 1 })
  })

  test('reading, deleting and sending together keeps the counts exact', async () => {
    const [who, ids] = await withNotifications(10)
    const replies = await race(50, (i) => {
      const id = ids[i % 10]
      if (i < 10) return who.patch(`/api/notifications/${id}/read`)
      if (i < 20)
        return i % 2 === 0 ? who.delete(`/api/notifications/${id}`) : who.get('/api/notifications/unread-count')
      if (i < 30) return who.patch('/api/notifications/read-all')
      return admin.post('/api/notifications', { userIds: [who.id], title: `new ${i}`, body: 'x' })
    })
    for (const [i, reply] of replies.entries())
      expect(i < 10 ? [200, 404] : [200], `${i} ${reply.text}`).toContain(reply.status)
    const { items, total } = await list(who)
    expect(total).toBe(25)
    expect(items).toHaveLength(25)
    expect(await counts(who)).toEqual({ total: 25, unread: items.filter((item) => !item.read).length })
    // What was there before is read, or gone.
    expect(items.filter((item) => ids.includes(item.id)).every((item) => item.read)).toBe(true)
  })
})
