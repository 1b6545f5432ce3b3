/** Messages that users delete for themselves. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { messageDeletions } from '#db/schema/chat.ts'
import { leaveDirect } from '#domains/chat/conversations/conversations.store.ts'
import { messagesForDevices } from '#domains/chat/index.ts'
import { purgeUnseen } from '#domains/chat/retention.jobs.ts'
import { indexMessages } from '#domains/chat/search/search.service.ts'

import { png, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, until, useServer } from '../harness/index.ts'
import { befriend, conversationOf, createGroup, history, say } from './group-helpers.ts'
import { memberOf, recall, send, sendText, storedMessages } from './helpers.ts'

const remove = (person: Person, id: number) => person.call('messages.delete', { params: { id } })

describe.if(inProcess)('a message that a user deletes for themselves', () => {
  const { server, alice, bob, carol, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
    noAdmin: true,
  })
  let group: { id: number }
  const sync = async (user: Person, afterId: number, limit = 100) =>
    ok(await user.get('/api/chats/sync', { afterId, limit })).data
  const idsOf = async (user: Person, id: number) =>
    ok(await user.get(`/api/chats/conversations/${id}/messages`, { limit: 100 })).data.items.map(
      (message: { id: number }) => message.id,
    )

  beforeAll(async () => {
    await befriend(server, alice, bob, carol)
    group = await createGroup(alice, [bob, carol])
  })

  test('is gone from history, list, unread messages, search and sync of this user, and of nobody else', async () => {
    const first = await say(alice, group, 'first zebra')
    const last = await say(alice, group, 'last zebra', { mentions: [bob.id] })
    const { cursor } = await sync(bob, 0)
    const before = await conversationOf(bob, group)
    expect(ok(await remove(bob, last.id)).data).toBeNull()
    expect(await idsOf(bob, group.id)).not.toContain(last.id)
    expect(await idsOf(carol, group.id)).toContain(last.id)
    const after = await conversationOf(bob, group)
    expect([after.unreadCount, after.mentioned, after.lastMessage?.id]).toEqual([
      before.unreadCount - 1,
      false,
      first.id,
    ])
    expect((await conversationOf(carol, group)).lastMessage?.id).toBe(last.id)
    for (const isIndexed of [false, true]) {
      if (isIndexed) await indexMessages(server.ctx)
      const found = async (user: Person) =>
        ok(await user.call('messages.search', { query: { q: 'zebra' } })).data.items.map(({ id }) => id)
      expect([await found(bob), await found(carol)]).toEqual([[first.id], [last.id, first.id]])
    }
    // A device that has the message learns of it, and a new one does not get the message.
    const page = await sync(bob, cursor)
    expect([page.messages, page.updated]).toEqual([[], []])
    expect(page.recalled).toEqual([
      { messageId: last.id, conversationId: group.id, recalledAt: expect.any(Number), deleted: true },
    ])
    expect(page.conversations).toMatchObject([{ id: group.id, lastMessage: { id: first.id } }])
    expect(page.cursor).toBeGreaterThan(cursor)
    expect((await sync(bob, 0)).messages.map(({ id }: { id: number }) => id)).not.toContain(last.id)
    expect((await sync(carol, cursor)).recalled).toEqual([])
    expect((await sync(bob, page.cursor)).recalled).toEqual([])
  })

  test('ends on the other devices of this user at once, and on no device of others', async () => {
    const { id } = await say(alice, group, 'two phones')
    const [phone, tablet, other] = [await bob.socket(), await bob.socket(), await carol.socket()]
    ok(await remove(bob, id))
    for (const socket of [phone, tablet])
      expect(await socket.next('message.recalled')).toEqual({
        messageId: id,
        conversationId: group.id,
        recalledAt: expect.any(Number),
        deleted: true,
        cursor: expect.any(Number),
      })
    ok(await carol.call('messages.react', { params: { id, emoji: '👍' } }))
    // Changes of it are no longer delivered to this user.
    await other.next('message.updated', ({ message }) => message.id === id)
    const { id: next } = await say(alice, group, 'next')
    await phone.next('message', (message) => message.id === next)
    expect(phone.frames.filter(({ type }) => type === 'message.updated')).toEqual([])
    expect(other.frames.filter(({ type }) => type === 'message.recalled')).toEqual([])
    for (const socket of [phone, tablet, other]) await socket.close()
  })

  test('is answered like an unknown one afterwards, and cannot be deleted by strangers', async () => {
    const { id } = await say(alice, group, 'gone')
    for (const message of [id, 999_999_999]) expect((await remove(mallory, message)).status).toBe(404)
    expect((await server.request('DELETE', `/api/chats/messages/${id}`)).status).toBe(401)
    expect((await alice.send('DELETE', '/api/chats/messages/x')).status).toBe(400)
    ok(await remove(bob, id))
    expect((await remove(bob, id)).status).toBe(404)
    expect((await bob.call('messages.react', { params: { id, emoji: '👍' } })).status).toBe(404)
    const body = { messageIds: [id], userIds: [alice.id], clientMsgId: 'forward-gone' }
    expect((await bob.call('messages.forward', { body })).status).toBe(404)
    expect((await recall(bob, id)).status).toBe(404)
    expect((await send(bob, { conversationId: group.id, replyToId: id })).status).toBe(400)
    // Its sender can still take back what others see.
    ok(await remove(alice, id))
    expect((await alice.call('messages.edit', { params: { id }, body: { content: { text: 'x' } } })).status).toBe(404)
    const { cursor } = await sync(alice, 0)
    expect(ok(await recall(alice, id)).data).toMatchObject({ recalled: true, content: {} })
    expect((await sync(carol, cursor)).recalled).toMatchObject([{ messageId: id }])
    expect((await sync(alice, cursor)).recalled).toEqual([])
  })

  test('counts once: a later recall, a read mark and the devices for pushes leave it out', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await befriend(server, a, b)
    const sent = [await sendText(a, b, 'one'), await sendText(a, b, 'two'), await sendText(a, b, 'three')]
    const { conversationId } = sent[0]!
    const unread = async () => (await memberOf(server, conversationId, b))!.unread
    ok(await remove(b, sent[0]!.id))
    expect(await unread()).toBe(2)
    expect(await messagesForDevices(server.ctx, [sent[0]!.id])).toEqual([])
    ok(await recall(a, sent[0]!.id))
    expect(await unread()).toBe(2)
    ok(await remove(b, sent[1]!.id))
    expect(await unread()).toBe(1)
    ok(await b.post(`/api/chats/conversations/${conversationId}/read`, { messageId: sent[1]!.id }))
    expect(await unread()).toBe(1)
    ok(await remove(b, sent[2]!.id))
    expect(await memberOf(server, conversationId, b)).toMatchObject({ unread: 0, lastMessageId: null })
  })

  test('is deleted permanently, with its file, once nobody sees it', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await befriend(server, a, b)
    const file = await uploaded(a, png(), { type: 'other' })
    const { messages } = ok(await send(a, { toUserId: b.id, type: 'IMAGE', content: { fileId: file.id } })).data
    const [{ id, content }] = messages
    const path = new URL(content.url).pathname + new URL(content.url).search
    ok(await remove(b, id))
    expect((await b.get(`/api/chats/messages/${id}/file`)).status).toBe(404)
    expect((await server.request('GET', path)).status).toBe(200)
    ok(await remove(a, id))
    expect((await server.request('GET', path)).status).not.toBe(200)
    expect((await storedMessages(server)).some((row) => row.id === id)).toBe(false)
    expect((await a.get(`/api/files/${file.id}`)).status).toBe(404)
  })

  test('is deleted permanently when all others clear the history or end their accounts, and other messages stay', async () => {
    const stored = async (...ids: number[]) =>
      (await storedMessages(server)).flatMap(({ id }) => (ids.includes(id) ? [id] : []))
    const fresh = async () => {
      const [a, b] = [await server.person(), await server.person()]
      await befriend(server, a, b)
      const kept = await sendText(a, b)
      const file = await uploaded(a, png(), { type: 'other' })
      const content = { fileId: file.id }
      const { messages } = ok(await send(a, { toUserId: b.id, type: 'IMAGE', content })).data
      ok(await remove(a, messages[0].id))
      return { a, b, kept, file, id: messages[0].id as number }
    }
    const cleared = await fresh()
    const { a, b, kept, id } = cleared
    ok(await b.call('conversations.clear', { params: { id: kept.conversationId } }))
    await until(async () => (await stored(id)).length === 0)
    expect(await stored(kept.id)).toEqual([kept.id])
    expect((await conversationOf(a, { id: kept.conversationId })).lastMessage?.id).toBe(kept.id)
    expect((await a.get(`/api/files/${cleared.file.id}`)).status).toBe(404)
    const ended = await fresh()
    await server.ctx.db.write('test.end', (tx) => leaveDirect(tx, ended.b.id, 10))
    await purgeUnseen(server.ctx)
    expect(await stored(ended.kept.id, ended.id)).toEqual([ended.kept.id])

    // In a group a member who has left sees it, until that one deletes it, too.
    const own = await createGroup(alice, [bob, carol])
    const [first, last] = [await say(alice, own, 'stays'), await say(alice, own, 'goes')]
    ok(await carol.call('groups.leave', { params: { id: own.id } }))
    ok(await remove(alice, last.id))
    ok(await bob.call('conversations.clear', { params: { id: own.id } }))
    await purgeUnseen(server.ctx)
    expect(await stored(first.id, last.id)).toEqual([first.id, last.id])
    ok(await carol.call('conversations.clear', { params: { id: own.id } }))
    await until(async () => (await stored(last.id)).length === 0)
    expect(await history(alice, own)).toContain('stays')
  })

  test('and read and recalled at the same time leaves exact counts of unread messages', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await befriend(server, a, b)
    const sent: Awaited<ReturnType<typeof sendText>>[] = []
    for (let i = 0; i < 10; i++) sent.push(await sendText(a, b))
    const { conversationId } = sent[0]!
    const replies = await race(40, (i) => {
      const { id } = sent[i % 10]!
      if (i < 20) return remove(b, id)
      if (i < 25) return recall(a, id)
      return i < 30
        ? b.post(`/api/chats/conversations/${conversationId}/read`, { messageId: sent[3]!.id })
        : send(a, { toUserId: b.id })
    })
    expect(replies.slice(0, 20).filter(({ status }) => status === 200)).toHaveLength(10)
    expect((await memberOf(server, conversationId, b))!.unread).toBe(10)
    const rows = await server.ctx.db.read.select().from(messageDeletions)
    expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length)
  })

  test('does not bring back a conversation that the user deletes afterwards, on a device that was away', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await befriend(server, a, b)
    const { id, conversationId } = await sendText(a, b)
    const { cursor } = await sync(b, 0)
    ok(await remove(b, id))
    ok(await b.call('conversations.delete', { params: { id: conversationId } }))
    const page = await sync(b, cursor)
    expect([page.recalled.map((one: { messageId: number }) => one.messageId), page.conversations]).toEqual([[id], []])
    await sendText(a, b)
    expect((await sync(b, page.cursor)).conversations).toMatchObject([{ id: conversationId }])
  })

  test('leaves pages of sync complete, also if a page has nothing else', async () => {
    const own = await createGroup(alice, [bob])
    const ids: number[] = []
    for (let i = 0; i < 6; i++) ids.push((await say(alice, own, `page ${i}`)).id)
    for (const id of ids.slice(0, 4)) ok(await remove(bob, id))
    const got: number[] = []
    let cursor = ids[0]! - 1
    for (let hasMore = true; hasMore;) {
      const page = await sync(bob, cursor, 2)
      got.push(...page.messages.map(({ id }: { id: number }) => id))
      if (page.hasMore) expect(page.cursor).toBeGreaterThan(cursor)
      ;({ cursor, hasMore } = page)
    }
    expect(got).toEqual(ids.slice(4))
  })
})
