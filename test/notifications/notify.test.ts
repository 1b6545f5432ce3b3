import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { notificationContents, notifications } from '#db/schema/notifications.ts'
import { domain } from '#domains/domain.ts'
import type { NotificationCreated } from '#domains/events.ts'
import { notify } from '#domains/notifications/index.ts'

import { inProcess, type Person, startServer, type TestServer } from '../harness/index.ts'
import { counts, list, ok, sendTo } from './helpers.ts'

/** What other domains use: a notice in their own write. */
describe.if(inProcess)('notify', () => {
  let server: TestServer
  let alice: Person
  let bob: Person

  beforeAll(async () => {
    server = await startServer({ domains: (product) => [...product, listening] })
    alice = await server.person()
    bob = await server.person()
  })
  afterAll(() => server.stop())

  /** A domain that delivers notifications once they are committed, as a socket would. */
  const delivered: NotificationCreated[] = []
  const listening = domain({
    name: 'listening',
    on: { 'notification.created': (_ctx, tx, event) => tx.afterCommit(() => delivered.push(event)) },
  })

  const invitation = (userIds: number[]) => ({
    userIds,
    type: 'ORG_INVITE' as const,
    title: { en: 'Invitation', zh: '邀请' },
    body: { en: 'Join *us* <now>\nuntil Friday\n\n& be happy', zh: '加入我们' },
    data: { orgId: 7, invitationId: 3 },
  })
  const write = (notice: Parameters<typeof notify>[2]) =>
    server.ctx.db.write('test', (tx) => notify(server.ctx, tx, notice))

  test('an account that is deleted takes what it was told along, and nothing of others', async () => {
    const [carol, dan] = [await server.person(), await server.person()]
    await write({ ...invitation([carol.id]), title: { en: 'For Carol alone', zh: '仅此' } })
    await write({ ...invitation([carol.id, dan.id]), title: { en: 'For both', zh: '两人' } })
    expect((await counts(carol)).total).toBe(2)
    ok(await carol.post('/api/auth/account/delete'))
    const rows = await server.ctx.db.read.select({ userId: notifications.userId }).from(notifications)
    expect(rows.filter((row) => row.userId === carol.id)).toEqual([])
    const titles = (await server.ctx.db.read.select().from(notificationContents)).map((content) => content.title)
    expect(titles).not.toContain('For Carol alone')
    expect((await list(dan)).items.map((item) => item.title)).toEqual(['For both'])
    expect(await counts(dan)).toEqual({ total: 1, unread: 1 })
  })

  test('plain text in the reader’s language', async () => {
    await write(invitation([alice.id, bob.id, alice.id]))
    const [item] = (await list(alice)).items
    expect(await counts(alice)).toEqual({ total: 1, unread: 1 })
    expect(item).toMatchObject({
      type: 'ORG_INVITE',
      title: 'Invitation',
      body: 'Join *us* <now>\nuntil Friday\n\n& be happy',
      bodyPlain: 'Join *us* <now>\nuntil Friday\n\n& be happy',
      data: { orgId: 7, invitationId: 3 },
      read: false,
    })
    const headers = { 'accept-language': 'zh-CN,zh;q=0.9' }
    const path = `/api/notifications/${item!.id}`
    expect(ok(await alice.send('GET', path, { headers })).data).toMatchObject({
      title: '邀请',
      body: '加入我们',
      bodyPlain: '加入我们',
      bodyHtml: '<p>加入我们</p>\n',
    })
    expect(ok(await alice.get(path)).data.bodyHtml).toBe(
      '<p>Join *us* &lt;now&gt;<br />\nuntil Friday</p>\n<p>&amp; be happy</p>\n',
    )
    expect(ok(await alice.send('PATCH', `${path}/read`, { headers })).data.title).toBe('邀请')
    expect(ok(await alice.send('GET', '/api/notifications', { headers })).data.items[0].title).toBe('邀请')
    expect((await list(bob, { type: 'ORG_INVITE' })).total).toBe(1)
  })

  test('a write that fails leaves and tells nothing', async () => {
    const before = await counts(alice)
    delivered.length = 0
    const failing = server.ctx.db.write('test', async (tx) => {
      await notify(server.ctx, tx, invitation([alice.id]))
      throw new Error('changed my mind')
    })
    expect(failing).rejects.toThrow('changed my mind')
    await failing.catch(() => undefined)
    expect(await counts(alice)).toEqual(before)
    expect(delivered).toEqual([])
  })

  test('the event of a notification names every recipient, and effects wait for the commit', async () => {
    delivered.length = 0
    await server.ctx.db.write('test', async (tx) => {
      await notify(server.ctx, tx, invitation([alice.id, bob.id]))
      expect(delivered).toEqual([])
    })
    const { userIds: _, ...content } = invitation([])
    const newest = async (person: Person) => (await list(person)).items[0]!
    expect(delivered).toEqual([
      {
        ...content,
        recipients: [
          { id: (await newest(alice)).id, userId: alice.id },
          { id: (await newest(bob)).id, userId: bob.id },
        ],
        createdAt: (await newest(alice)).createdAt,
      },
    ])
    await sendTo(await server.admin(), [bob.id], 'Sent', '**bold**')
    expect(delivered).toHaveLength(2)
    expect(delivered[1]).toMatchObject({
      recipients: [{ userId: bob.id }],
      type: 'SYSTEM',
      title: { en: 'Sent', zh: 'Sent' },
      body: { en: 'bold', zh: 'bold' },
    })
  })

  test('to nobody is nothing', async () => {
    const contents = () => server.ctx.db.read.select({ id: notificationContents.id }).from(notificationContents)
    const before = (await contents()).length
    await write(invitation([]))
    expect((await contents()).length).toBe(before)
  })

  test('its text goes with the last reader', async () => {
    const [a, b] = [await server.person(), await server.person()]
    const contents = () => server.ctx.db.read.select({ id: notificationContents.id }).from(notificationContents)
    const before = (await contents()).length
    await write(invitation([a.id, b.id]))
    expect((await contents()).length).toBe(before + 1)
    ok(await a.delete(`/api/notifications/${(await list(a)).items[0]!.id}`))
    expect((await contents()).length).toBe(before + 1)
    expect((await list(b)).items[0]!.title).toBe('Invitation')
    ok(await b.delete(`/api/notifications/${(await list(b)).items[0]!.id}`))
    expect((await contents()).length).toBe(before)
  })
})
