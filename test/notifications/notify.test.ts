/** `notify`, which other domains call inside their own writes. */

import { describe, expect, test } from 'bun:test'

import { notificationContents, notifications } from '#db/schema/notifications.ts'
import { domain } from '#domains/domain.ts'
import type { NotificationCreated } from '#domains/events.ts'
import { type Notice, notify } from '#domains/notifications/index.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { counts, list, sendTo } from './helpers.ts'

/** Events of committed writes. */
const committed: NotificationCreated[] = []
const listening = domain({
  name: 'listening',
  on: { 'notification.created': (_ctx, tx, event) => tx.afterCommit(() => committed.push(event)) },
})

describe.if(inProcess)('notify', () => {
  const { server, admin, alice, bob } = useServer({
    people: ['alice', 'bob'],
    domains: (product) => [...product, listening],
  })

  const invitation = (userIds: number[]) => ({
    userIds,
    type: 'ORG_INVITE' as const,
    title: { en: 'Invitation', zh: '邀请' },
    body: { en: 'Join *us* <now>\nuntil Friday\n\n& be happy', zh: '加入我们' },
    data: { orgId: 7, invitationId: 3 },
  })
  const write = (notice: Notice) => server.ctx.db.write('test', (tx) => notify(server.ctx, tx, notice))
  const contents = () => server.ctx.db.read.select().from(notificationContents)
  const deleteNewest = async (person: Person) =>
    ok(await person.call('notifications.delete', { params: { id: (await list(person)).items[0]!.id } }))

  test('deleting an account deletes its notifications, and contents that no other user has', async () => {
    const [carol, dan] = [await server.person(), await server.person()]
    await write({ ...invitation([carol.id]), title: { en: 'For Carol alone', zh: '仅此' } })
    await write({ ...invitation([carol.id, dan.id]), title: { en: 'For both', zh: '两人' } })
    expect((await counts(carol)).total).toBe(2)
    ok(await carol.post('/api/auth/account/delete'))
    const rows = await server.ctx.db.read.select({ userId: notifications.userId }).from(notifications)
    expect(rows.filter((row) => row.userId === carol.id)).toEqual([])
    expect((await contents()).map((content) => content.title)).not.toContain('For Carol alone')
    expect((await list(dan)).items.map((item) => item.title)).toEqual(['For both'])
    expect(await counts(dan)).toEqual({ total: 1, unread: 1 })
  })

  test('each recipient gets one notification, as plain text in the language of the request', async () => {
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
    const params = { id: item!.id }
    expect(ok(await alice.call('notifications.detail', { params, headers })).data).toMatchObject({
      title: '邀请',
      body: '加入我们',
      bodyPlain: '加入我们',
      bodyHtml: '<p>加入我们</p>\n',
    })
    expect(ok(await alice.call('notifications.detail', { params })).data.bodyHtml).toBe(
      '<p>Join *us* &lt;now&gt;<br />\nuntil Friday</p>\n<p>&amp; be happy</p>\n',
    )
    expect(ok(await alice.call('notifications.read', { params, headers })).data.title).toBe('邀请')
    expect(ok(await alice.call('notifications.list', { headers })).data.items[0]!.title).toBe('邀请')
    expect((await list(bob, { type: 'ORG_INVITE' })).total).toBe(1)
  })

  test('a write that fails leaves no notification and emits no event', async () => {
    const before = await counts(alice)
    committed.length = 0
    const failing = server.ctx.db.write('test', async (tx) => {
      await notify(server.ctx, tx, invitation([alice.id]))
      throw new Error('roll back')
    })
    await expect(failing).rejects.toThrow('roll back')
    expect(await counts(alice)).toEqual(before)
    expect(committed).toEqual([])
  })

  test('the event of a notification names every recipient, and effects wait for the commit', async () => {
    committed.length = 0
    await server.ctx.db.write('test', async (tx) => {
      await notify(server.ctx, tx, invitation([alice.id, bob.id]))
      expect(committed).toEqual([])
    })
    const { userIds: _, ...content } = invitation([])
    const newest = async (person: Person) => (await list(person)).items[0]!
    expect(committed).toEqual([
      {
        ...content,
        recipients: [
          { id: (await newest(alice)).id, userId: alice.id },
          { id: (await newest(bob)).id, userId: bob.id },
        ],
        createdAt: (await newest(alice)).createdAt,
      },
    ])
    await sendTo(admin, [bob.id], 'Sent', '**bold**')
    expect(committed).toHaveLength(2)
    expect(committed[1]).toMatchObject({
      recipients: [{ userId: bob.id }],
      type: 'SYSTEM',
      title: { en: 'Sent', zh: 'Sent' },
      body: { en: 'bold', zh: 'bold' },
    })
  })

  describe('a notification on a subject', () => {
    const onSubject = (person: Person, title: string, subject = 'ORG_INVITE 7') =>
      write({ ...invitation([person.id]), title: { en: title, zh: title }, subject })
    const titles = async (person: Person) => (await list(person)).items.map((item) => item.title)

    test('replaces the text of the one from the same day, and neither notifies again nor marks it as unread', async () => {
      const [person, other] = [await server.person(), await server.person()]
      await onSubject(person, 'first')
      await onSubject(other, 'for another user')
      await onSubject(person, 'another matter', 'ORG_INVITE 8')
      ok(await person.call('notifications.readAll'))
      const [before, rows] = [(await list(person)).items, (await contents()).length]
      committed.length = 0
      await onSubject(person, 'second')
      await onSubject(person, 'third')
      expect(await titles(person)).toEqual(['another matter', 'third'])
      expect((await list(person)).items[1]).toMatchObject({ id: before[1]!.id, read: true })
      expect(await titles(other)).toEqual(['for another user'])
      expect(committed).toEqual([])
      expect((await contents()).length).toBe(rows)
    })

    test('replaces the one from an earlier day, and notifies again', async () => {
      const person = await server.person()
      await onSubject(person, 'first')
      ok(await person.call('notifications.readAll'))
      committed.length = 0
      server.clock.advance(24 * 60 * 60 * 1000 + 1)
      await onSubject(person, 'second')
      expect(await titles(person)).toEqual(['second'])
      expect(await counts(person)).toEqual({ total: 1, unread: 1 })
      expect(committed.map((event) => event.recipients.map((recipient) => recipient.userId))).toEqual([[person.id]])
    })
  })

  test('a notification without recipients inserts no content', async () => {
    const before = (await contents()).length
    await write(invitation([]))
    expect((await contents()).length).toBe(before)
  })

  test('the content is deleted together with its last notification', async () => {
    const [a, b] = [await server.person(), await server.person()]
    const before = (await contents()).length
    await write(invitation([a.id, b.id]))
    expect((await contents()).length).toBe(before + 1)
    await deleteNewest(a)
    expect((await contents()).length).toBe(before + 1)
    expect((await list(b)).items[0]!.title).toBe('Invitation')
    await deleteNewest(b)
    expect((await contents()).length).toBe(before)
  })
})
