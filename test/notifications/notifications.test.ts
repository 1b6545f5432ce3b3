/** A user's own notifications: reading, marking as read, deleting, and races between these. */

import { describe, expect, test } from 'bun:test'

import { ok, type Person, race, type Reply, useServer } from '../harness/index.ts'
import { counts, list, sendTo } from './helpers.ts'

const { server, admin, mallory } = useServer({ people: ['mallory'] })

/** A new user with `n` notifications, and their ids, newest first. */
async function withNotifications(n: number): Promise<[Person, number[]]> {
  const person = await server.person()
  for (let i = 1; i <= n; i++) await sendTo(admin, [person.id], `number ${i}`)
  return [person, (await list(person)).items.map((item) => item.id)]
}

describe('a user’s notifications', () => {
  test('the list and the detail show a notification as text and as safe HTML without marking it as read', async () => {
    const alice = await server.person()
    expect(await list(alice)).toEqual({ items: [], total: 0, page: 1, size: 100 })
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
    const { data } = ok(await alice.call('notifications.detail', { params: { id: items[0]!.id } }))
    expect(data).toEqual({
      ...items[0]!,
      bodyHtml:
        '<h1>Tonight</h1>\n<p>See <a href="/status">here</a>, &lt;b&gt;not&lt;/b&gt; <a href="">there</a></p>\n',
    })
    expect(await counts(alice)).toEqual({ total: 1, unread: 1 })
  })

  test('the list is sorted newest first, its pages neither overlap nor skip, and its filters combine', async () => {
    const [person, ids] = await withNotifications(5)
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
    const times = (await list(person)).items.map((item) => item.createdAt)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    for (const i of [1, 4]) ok(await person.call('notifications.read', { params: { id: ids[i]! } }))
    const paged: number[] = []
    for (const page of [1, 2, 3, 4]) {
      const { items, total } = await list(person, { page, size: 2 })
      expect(total).toBe(5)
      paged.push(...items.map((item) => item.id))
    }
    expect(paged).toEqual(ids)
    for (const [query, expected] of [
      [{ read: true }, [1, 4]],
      [{ read: false }, [0, 2, 3]],
      [{ type: 'SYSTEM' }, [0, 1, 2, 3, 4]],
      [{ type: 'ORG_INVITE' }, []],
      [{ type: 'SYSTEM', read: true }, [1, 4]],
      [{ type: 'SYSTEM', read: false, size: 2, page: 2 }, [3]],
      [{ type: 'ACCOUNT_LINK', read: false }, []],
    ] as const) {
      const { items, total } = await list(person, query)
      expect(
        items.map((item) => item.id),
        JSON.stringify(query),
      ).toEqual(expected.map((i) => ids[i]!))
      if (!('page' in query)) expect(total).toBe(expected.length)
    }
  })

  test.each([{ read: 'perhaps' }, { type: 'LETTER' }, { page: 0 }, { size: 101 }])(
    'GET /api/notifications answers 400 to the invalid query %j',
    async (query) => {
      expect((await mallory.get('/api/notifications', query as never)).status).toBe(400)
    },
  )

  test('marking a notification as read twice changes it once and returns the same view', async () => {
    const [person, ids] = await withNotifications(2)
    const first = ok(await person.call('notifications.read', { params: { id: ids[0]! } })).data
    expect(first).toMatchObject({ id: ids[0], read: true })
    expect(first).not.toHaveProperty('bodyHtml')
    expect(ok(await person.call('notifications.read', { params: { id: ids[0]! } })).data).toEqual(first)
    expect(await counts(person)).toEqual({ total: 2, unread: 1 })
    expect((await list(person)).items.map((item) => item.read)).toEqual([true, false])
  })

  test('marking all as read changes only the caller’s notifications and returns how many were unread', async () => {
    const [person] = await withNotifications(3)
    const [other] = await withNotifications(1)
    expect(ok(await person.call('notifications.readAll')).data).toEqual({ updated: 3 })
    expect(ok(await person.call('notifications.readAll')).data).toEqual({ updated: 0 })
    expect(await counts(person)).toEqual({ total: 3, unread: 0 })
    expect(await counts(other)).toEqual({ total: 1, unread: 1 })
  })

  test('a deleted notification is not counted or listed, and further requests for it answer 404', async () => {
    const [person, ids] = await withNotifications(2)
    const params = { id: ids[0]! }
    ok(await person.call('notifications.read', { params }))
    expect(ok(await person.call('notifications.delete', { params })).data).toBeNull()
    expect(await counts(person)).toEqual({ total: 1, unread: 1 })
    for (const operation of ['notifications.detail', 'notifications.delete', 'notifications.read'] as const)
      expect((await person.call(operation, { params })).status, operation).toBe(404)
    expect((await list(person)).items.map((item) => item.id)).toEqual([ids[1]!])
  })
})

describe('access to notifications', () => {
  test('every notification endpoint answers 401 without a token', async () => {
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

  test('notifications of another user answer 404, also to administrators, and read-all does not change them', async () => {
    const [person, ids] = await withNotifications(1)
    const params = { id: ids[0]! }
    for (const stranger of [mallory, admin])
      for (const operation of ['notifications.detail', 'notifications.delete', 'notifications.read'] as const) {
        const reply = await stranger.call(operation, { params })
        expect(reply.status).toBe(404)
        expect(reply.text).not.toContain('number 1')
      }
    ok(await mallory.call('notifications.readAll'))
    expect(await counts(person)).toEqual({ total: 1, unread: 1 })
  })

  test('a malformed notification id answers 400 and an unknown one 404', async () => {
    for (const id of ['0', '-1', 'x', '1.5', '99999999999999999999'])
      expect((await mallory.get(`/api/notifications/${id}`)).status, id).toBe(400)
    expect((await mallory.get('/api/notifications/999999')).status).toBe(404)
  })
})

describe('concurrent requests', () => {
  test('fifty concurrent requests to mark one notification as read change the counts once', async () => {
    const [person, ids] = await withNotifications(2)
    for (const reply of await race(50, () => person.call('notifications.read', { params: { id: ids[0]! } })))
      expect(ok(reply).data.read).toBe(true)
    expect(await counts(person)).toEqual({ total: 2, unread: 1 })
    expect((await list(person, { read: true })).total).toBe(1)
  })

  test('fifty concurrent read-all requests report each notification once in total', async () => {
    const [person] = await withNotifications(7)
    const replies = await race(50, () => person.call('notifications.readAll'))
    expect(replies.reduce((sum, reply) => sum + ok(reply).data.updated, 0)).toBe(7)
    expect(await counts(person)).toEqual({ total: 7, unread: 0 })
  })

  test('of fifty concurrent deletions of one notification exactly one answers 200', async () => {
    const [person, ids] = await withNotifications(2)
    const replies = await race(50, () => person.call('notifications.delete', { params: { id: ids[1]! } }))
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, ...Array<number>(49).fill(404)])
    expect(await counts(person)).toEqual({ total: 1, unread: 1 })
  })

  test('counts stay exact while notifications are read, deleted and sent concurrently', async () => {
    const [person, ids] = await withNotifications(10)
    const replies = await race(50, (i): Promise<Reply> => {
      const params = { id: ids[i % 10]! }
      if (i < 10) return person.call('notifications.read', { params })
      if (i < 20)
        return i % 2 === 0 ? person.call('notifications.delete', { params }) : person.call('notifications.unreadCount')
      if (i < 30) return person.call('notifications.readAll')
      return admin.call('notifications.send', { body: { userIds: [person.id], title: `new ${i}`, body: 'x' } })
    })
    for (const [i, reply] of replies.entries())
      expect(i < 10 ? [200, 404] : [200], `${i} ${reply.text}`).toContain(reply.status)
    const { items, total } = await list(person)
    expect(total).toBe(25)
    expect(items).toHaveLength(25)
    expect(await counts(person)).toEqual({ total: 25, unread: items.filter((item) => !item.read).length })
    // All earlier notifications have been read or deleted.
    expect(items.filter((item) => ids.includes(item.id)).every((item) => item.read)).toBe(true)
  })
})
