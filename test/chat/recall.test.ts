/** Recall of messages. */

import { describe, expect, test } from 'bun:test'

import { SECOND } from '#platform/clock.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'
import {
  changeMember,
  connect,
  makeGroup,
  memberOf,
  recall,
  relate,
  send,
  sendText,
  storedMessages,
} from './helpers.ts'

describe.if(inProcess)('recall', () => {
  const { server, alice, bob, mallory } = useServer({
    people: ['alice', 'bob', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
  })
  const row = async (id: number) => (await storedMessages(server)).find((message) => message.id === id)!

  test('a recalled message keeps its place and type, without its content, and takes a fresh number', async () => {
    await connect(server, alice, bob)
    const secret = await sendText(alice, bob, 'the secret words')
    const later = await sendText(alice, bob, 'later')
    const { data } = ok(await recall(alice, secret.id))
    expect(data).toEqual({ ...secret, content: {}, recalled: true, recalledAt: expect.any(Number) })
    expect(await row(secret.id)).toMatchObject({ content: {}, changedNumber: later.id + 1 })
    expect((await sendText(bob, alice)).id).toBe(later.id + 2)
    expect(await memberOf(server, secret.conversationId, bob)).toMatchObject({ unread: 1 })
  })

  test('a recall is refused after 120 seconds with 4014, and repeating one changes nothing even then', async () => {
    const [first, second] = [await sendText(alice, bob), await sendText(alice, bob)]
    const recalled = ok(await recall(alice, first.id)).data
    server.clock.advance(121 * SECOND)
    const late = await recall(alice, second.id)
    expect([late.status, late.code]).toEqual([400, 4014])
    expect((await row(second.id)).content).toEqual({ text: 'hello' })
    const before = await row(first.id)
    expect(ok(await recall(alice, first.id)).data).toEqual(recalled)
    expect(await row(first.id)).toEqual(before)
  })

  test('only the sender recalls: other members get 403, everyone else 404', async () => {
    const message = await sendText(alice, bob)
    expect((await recall(bob, message.id)).status).toBe(403)
    expect((await recall(mallory, message.id)).status).toBe(404)
    expect((await recall(mallory, 999_999_999)).status).toBe(404)
    await changeMember(server, message.conversationId, bob, { clearedUpTo: message.id })
    expect((await recall(bob, message.id)).status).toBe(404)
    expect((await row(message.id)).recalledAt).toBeNull()
  })

  test('a sender who is blocked can still recall, and one who has left the group cannot', async () => {
    const message = await sendText(alice, bob)
    await relate(server, bob, alice, { blocked: true })
    ok(await recall(alice, message.id))
    await relate(server, bob, alice)
    const group = await makeGroup(server, [bob, alice])
    const { messages } = ok(await send(alice, { conversationId: group })).data
    await changeMember(server, group, alice, { leftAfter: messages[0].id, role: null })
    expect((await recall(alice, messages[0].id)).code).toBe(4015)
  })

  test('fifty recalls of one message at once take one number and one unread message', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await connect(server, a, b)
    const message = await sendText(a, b)
    const next = await sendText(a, b)
    const replies = await race(50, () => recall(a, message.id))
    expect(new Set(replies.map((reply) => JSON.stringify(ok(reply).data))).size).toBe(1)
    expect((await row(message.id)).changedNumber).toBe(next.id + 1)
    expect(await memberOf(server, message.conversationId, b)).toMatchObject({ unread: 1 })
    expect((await sendText(a, b)).id).toBe(next.id + 2)
  })

  test('recalls that race with reading leave exact counts of unread messages', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await connect(server, a, b)
    for (let round = 0; round < 5; round++) {
      const sent: Awaited<ReturnType<typeof sendText>>[] = []
      for (let i = 0; i < 10; i++) sent.push(await sendText(a, b))
      const { conversationId } = sent[0]!
      await race(50, async (i) => {
        const { id } = sent[i % 10]!
        if (i < 20) return recall(a, id)
        if (i < 30) return b.post(`/api/chats/conversations/${conversationId}/read`, { messageId: sent[4]!.id })
        return send(a, { conversationId })
      })
      const member = (await memberOf(server, conversationId, b))!
      const unread = (await storedMessages(server)).filter(
        (row) => row.conversationId === conversationId && row.id > member.readUpTo && row.recalledAt === null,
      )
      expect(member.unread).toBe(unread.length)
    }
  })

  test('the database has no text of a recalled message, and its clientMsgId stays used', async () => {
    const body = { toUserId: bob.id, clientMsgId: 'gone', type: 'TEXT', content: { text: 'must not remain' } }
    const { messages } = ok(await alice.post('/api/chats/messages', body)).data
    ok(await recall(alice, messages[0].id))
    expect(JSON.stringify(await storedMessages(server))).not.toContain('must not remain')
    expect(ok(await alice.post('/api/chats/messages', body)).data.messages).toMatchObject([
      { id: messages[0].id, content: {}, recalled: true },
    ])
  })
})
