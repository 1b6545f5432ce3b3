/** Removal of messages by those who manage a group, and reports to system administrators. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { createRole, grant } from '../access/helpers.ts'
import { png, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { befriend, conversationOf, createGroup, say } from './group-helpers.ts'
import { recall, send, sendText, storedMessages } from './helpers.ts'

const remove = (person: Person, id: number, reason?: string) =>
  person.call('messages.remove', { params: { id }, body: reason === undefined ? {} : { reason } })
const report = (person: Person, id: number, reason = 'Advertising') =>
  person.call('messages.report', { params: { id }, body: { reason } })

describe.if(inProcess)('messages of others', () => {
  const { server, admin, alice, bob, carol, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
  })
  let group: { id: number }

  beforeAll(async () => {
    await befriend(server, alice, bob, carol)
    group = await createGroup(alice, [bob, carol])
    ok(await alice.call('groups.changeRole', { params: { id: group.id, userId: bob.id }, body: { role: 'ADMIN' } }))
  })

  test('are removed by the owner and administrators of the group, at any time, and look recalled to all', async () => {
    const { id } = await say(carol, group, 'buy now')
    server.clock.advance(3_600_000)
    const { cursor } = ok(await carol.get('/api/chats/sync', { afterId: id - 1 })).data
    const before = await conversationOf(alice, group)
    const socket = await carol.socket()
    const { data } = ok(await remove(bob, id, 'Advertising'))
    const removal = { by: 'GROUP', userId: bob.id, reason: 'Advertising' }
    expect(data).toMatchObject({ id, content: {}, recalled: true, removal })
    expect(await socket.next('message.recalled')).toMatchObject({
      messageId: id,
      conversationId: group.id,
      removal,
    })
    await socket.close()
    const page = ok(await carol.get('/api/chats/sync', { afterId: cursor })).data
    expect(page.recalled).toEqual([{ messageId: id, conversationId: group.id, recalledAt: data.recalledAt, removal }])
    const after = await conversationOf(alice, group)
    expect(after.unreadCount).toBe(before.unreadCount - 1)
    expect(after.lastMessage).toMatchObject({ id, removal })
    expect(JSON.stringify(await storedMessages(server))).not.toContain('buy now')
    // Again, and a recall of the sender: nothing changes.
    expect(ok(await remove(alice, id, 'another')).data).toEqual(data)
    expect(ok(await recall(carol, id)).data).toEqual(data)
  })

  test('end with their files', async () => {
    const { id: fileId } = await uploaded(carol, png(), { type: 'other' })
    const sent = ok(await send(carol, { conversationId: group.id, type: 'IMAGE', content: { fileId } })).data
    const [{ id, content }] = sent.messages
    const path = new URL(content.url).pathname + new URL(content.url).search
    expect((await server.request('GET', path)).status).toBe(200)
    ok(await remove(alice, id))
    expect((await server.request('GET', path)).status).not.toBe(200)
    expect((await carol.get(`/api/files/${fileId}`)).status).toBe(404)
  })

  test('are not removed by ordinary members, in direct chats, by strangers, or after leaving', async () => {
    const { id } = await say(alice, group, 'stays')
    expect((await remove(carol, id)).status).toBe(403)
    for (const message of [id, 999_999_999]) expect((await remove(mallory, message)).status).toBe(404)
    expect((await server.request('POST', `/api/chats/messages/${id}/remove`, { body: {} })).status).toBe(401)
    const direct = await sendText(alice, bob, 'direct')
    expect((await remove(bob, direct.id)).status).toBe(403)
    expect((await remove(alice, id, 'x'.repeat(501))).status).toBe(400)
    const other = await createGroup(alice, [bob])
    expect((await remove(alice, other.lastMessage!.id)).status).toBe(400)
    const { id: early } = await say(bob, other, 'early')
    ok(await alice.call('groups.leave', { params: { id: other.id } }))
    expect((await remove(alice, early)).code).toBe(4015)
  })

  test('are reported once by each who sees them, with a copy, and only system administrators read it', async () => {
    const { id } = await say(carol, group, 'an insult')
    const replies = await race(10, () => report(alice, id, 'Insult'))
    expect(new Set(replies.map((reply) => ok(reply).data.id)).size).toBe(1)
    expect(replies[0]!.data).toMatchObject({ messageId: id, reason: 'Insult', status: 'OPEN' })
    ok(await report(bob, id, 'Rude'))
    ok(await carol.call('messages.edit', { params: { id }, body: { content: { text: 'a compliment' } } }))
    const { items, total } = ok(await admin.call('admin.chat.reports', { query: { status: 'OPEN' } })).data
    expect(total).toBe(2)
    expect(items).toMatchObject([
      { messageId: id, reason: 'Rude', content: { text: 'an insult' }, reporter: { userId: bob.id } },
      { messageId: id, reason: 'Insult', content: { text: 'an insult' }, sender: { userId: carol.id } },
    ])
    expect((await alice.call('admin.chat.reports')).status).toBe(403)
    const reader = await server.person()
    ok(await grant(admin, reader, await createRole(admin, { permissions: ['chat:read'] })))
    expect((await reader.call('admin.chat.stats')).status).toBe(200)
    expect((await reader.call('admin.chat.reports')).status).toBe(403)
    expect((await reader.call('admin.chat.removeReported', { params: { id: items[0]!.id } })).status).toBe(403)
  })

  test('are not reported by strangers or their sender, and neither recalled ones nor those of the system are', async () => {
    const { id } = await say(carol, group, 'mine')
    expect((await report(carol, id)).status).toBe(400)
    for (const message of [id, 999_999_999]) expect((await report(mallory, message)).status).toBe(404)
    expect((await report(alice, id, '')).status).toBe(400)
    ok(await recall(carol, id))
    expect((await report(alice, id)).status).toBe(400)
    const other = await createGroup(alice, [bob])
    expect((await report(bob, other.lastMessage!.id)).status).toBe(400)
  })

  test('are removed or left after a report, once, in the operation log, and the reporters are notified', async () => {
    const titles = async (user: Person) =>
      ok(await user.call('notifications.list')).data.items.map(({ title }: { title: string }) => title)
    const { items: open } = ok(await admin.call('admin.chat.reports', { query: { status: 'OPEN' } })).data
    const { id, messageId } = open[0]!
    expect((await admin.call('admin.chat.removeReported', { params: { id: 999_999 } })).status).toBe(404)
    const replies = await race(5, () => admin.call('admin.chat.removeReported', { params: { id } }))
    for (const reply of replies) expect(ok(reply).data).toMatchObject({ status: 'REMOVED' })
    expect((await storedMessages(server)).find((row) => row.id === messageId)).toMatchObject({
      content: {},
      removal: { by: 'ADMINISTRATOR', userId: null, reason: '' },
    })
    for (const user of [alice, bob]) expect(await titles(user)).toEqual(['The message that you reported was removed'])
    expect((await admin.call('admin.chat.dismissReport', { params: { id } })).status).toBe(400)
    const { items } = ok(await admin.get('/api/admin/logs', { targetType: 'MESSAGE_REPORT' })).data
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      action: 'MESSAGE_REPORT_REMOVE',
      targetId: id,
      before: { status: 'OPEN' },
      after: { status: 'REMOVED' },
    })
    expect(JSON.stringify(items)).not.toContain('insult')

    const harmless = await say(bob, group, 'harmless')
    const made = ok(await report(carol, harmless.id, 'I do not like it')).data
    ok(await admin.call('admin.chat.dismissReport', { params: { id: made.id } }))
    expect(await titles(carol)).toEqual(['The message that you reported stays'])
    expect((await storedMessages(server)).find((row) => row.id === harmless.id)!.recalledAt).toBeNull()
    expect(ok(await report(carol, harmless.id)).data.status).toBe('DISMISSED')
  })
})
