/** The sends of administrators: their list, and how one is taken back. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import {
  notificationContents,
  notifications as table,
  notificationSends,
  notificationWithdrawals,
} from '#db/schema/notifications.ts'
import { withdrawalJob } from '#domains/notifications/notifications.service.ts'

import { inProcess, ok, race, startServer, useServer } from '../harness/index.ts'
import { counts, list, sendTo, whenSent } from './helpers.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

const sends = async (query: object = {}) => ok(await admin.call('admin.notifications.list', { query })).data
const titles = (page: { items: readonly { title: string }[] }) => page.items.map(({ title }) => title)
const withdraw = (notificationId: number) => admin.call('admin.notifications.delete', { params: { notificationId } })

describe('GET /api/admin/notifications', () => {
  test('lists the sends with audience, sender and number of readers, and no notification of the product', async () => {
    const named = await sendTo(admin, [alice.id, bob.id], 'Named', 'A *body*')
    const org = ok(await alice.post('/api/orgs', { name: 'Library' })).data
    const toOrg = { title: 'To the library', body: 'text', orgId: org.id }
    const ofOrg = ok(await admin.call('admin.notifications.send', { body: toOrg })).data
    const toAll = ok(
      await admin.call('notifications.send', { body: { title: 'To all', body: 'text', all: true } }),
    ).data
    ok(await alice.post(`/api/orgs/${org.id}/invite`, { userIds: [bob.id] }))
    for (const { id } of [ofOrg, toAll]) await whenSent(admin, id)
    const ofAlice = (await list(alice)).items.find(({ title }) => title === 'Named')!
    ok(await alice.call('notifications.read', { params: { id: ofAlice.id } }))
    ok(await alice.call('notifications.read', { params: { id: ofAlice.id } }))
    ok(await bob.call('notifications.readAll'))

    const page = await sends()
    expect(titles(page)).toEqual(['To all', 'To the library', 'Named'])
    expect(page.total).toBe(3)
    expect(page.items[2]).toEqual({
      ...named,
      body: 'A *body*',
      bodyPlain: 'A body',
      audience: { kind: 'USERS', orgId: null, count: 2 },
      sender: { userId: admin.id, username: 'root', nickname: expect.any(String) },
      readCount: 2,
    })
    expect(page.items[1]).toMatchObject({ audience: { kind: 'ORG', orgId: org.id, count: 1 }, sent: 1, readCount: 0 })
    expect(page.items[0]).toMatchObject({
      audience: { kind: 'ALL', orgId: null, count: 3 },
      status: 'DONE',
      readCount: 1,
    })
    for (const [query, wanted] of [
      [{ orgId: org.id }, ['To the library']],
      [{ keyword: 'A BODY' }, ['Named']],
      [{ keyword: 'to', sort: 'createdAt' }, ['To the library', 'To all']],
      [{ from: toAll.createdAt }, ['To all']],
      [{ to: ofOrg.createdAt }, ['Named']],
      [{ userId: alice.id }, []],
      [{ size: 1, page: 2 }, ['To the library']],
    ] as const)
      expect(titles(await sends(query)), JSON.stringify(query)).toEqual([...wanted])
    expect((await admin.get('/api/admin/notifications', { sort: 'title' })).status).toBe(400)
  })
})

describe('DELETE /api/admin/notifications/:notificationId', () => {
  test('takes the notification back from all recipients, read or not, and leaves others', async () => {
    const [carol, dave] = [await server.person(), await server.person()]
    await sendTo(admin, [carol.id], 'Kept')
    const { id } = await sendTo(admin, [carol.id, dave.id], 'Mistake')
    const [ofCarol] = (await list(carol)).items
    ok(await carol.call('notifications.read', { params: { id: ofCarol!.id } }))
    expect(ok(await withdraw(id)).data).toBeNull()
    expect((await withdraw(id)).status).toBe(404)
    expect(titles(await list(carol))).toEqual(['Kept'])
    expect(await counts(carol)).toEqual({ total: 1, unread: 1 })
    expect(await counts(dave)).toEqual({ total: 0, unread: 0 })
    expect((await carol.call('notifications.detail', { params: { id: ofCarol!.id } })).status).toBe(404)
    expect((await admin.call('notifications.sendProgress', { params: { id } })).status).toBe(404)
    expect(titles(await sends())).not.toContain('Mistake')
    if (inProcess)
      expect(
        await server.ctx.db.read.select().from(notificationContents).where(eq(notificationContents.title, 'Mistake')),
      ).toEqual([])
  })

  test('of one notification by ten requests at once succeeds once', async () => {
    const { id } = await sendTo(admin, [alice.id])
    const statuses = (await race(10, () => withdraw(id))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array<number>(9).fill(404)])
  })

  test.if(inProcess)('stops a running send, and no recipient sees it before the job has deleted all rows', async () => {
    await using own = await startServer()
    const { db } = own.ctx
    const root = await own.admin()
    const [early, late] = [await own.person(), await own.person()]
    await db.write('test', async (tx) => {
      const row = { nickname: 'x', status: 'ACTIVE' as const, createdAt: tx.stamp, updatedAt: tx.stamp }
      for (let i = 0; i < 6; i++) await tx.insert(users).values(Array.from({ length: 500 }, () => row))
    })
    const body = { title: 'To all', body: 'text', all: true }
    const first = ok(await root.call('notifications.send', { body })).data
    await whenSent(root, first.id)
    const second = ok(await root.call('notifications.send', { body: { ...body, title: 'Second' } })).data
    for (const { id } of [first, second])
      ok(await root.call('admin.notifications.delete', { params: { notificationId: id } }))
    const left = async () => (await db.read.select({ id: table.id }).from(table)).length
    expect(await left()).toBeGreaterThanOrEqual(3003 - 500)
    expect(await db.read.select().from(notificationSends)).toEqual([])

    const socket = await late.socket()
    expect(socket.hello.unread.notifications).toBe(0)
    await socket.close()
    expect(await counts(early)).toEqual({ total: 0, unread: 0 })
    expect(titles(await list(early))).toEqual([])
    await withdrawalJob.run(own.ctx)
    expect([await left(), await db.read.select().from(notificationWithdrawals)]).toEqual([0, []])
    expect(await db.read.select().from(notificationContents)).toEqual([])
    ok(await root.call('notifications.send', { body: { ...body, title: 'Third' } }))
  })
})

test('the sends of administrators are 403 for ordinary users and 401 without a token', async () => {
  const { id } = await sendTo(admin, [alice.id])
  for (const [method, path, options] of [
    ['GET', '/api/admin/notifications', {}],
    ['POST', '/api/admin/notifications', { body: { title: 'x', body: 'x', all: true } }],
    ['DELETE', `/api/admin/notifications/${id}`, {}],
  ] as const) {
    expect((await alice.send(method, path, options)).status).toBe(403)
    expect((await server.request(method, path, options)).status).toBe(401)
  }
  expect((await admin.call('notifications.sendProgress', { params: { id } })).status).toBe(200)
})
