import { describe, expect, test } from 'bun:test'

import { count, eq } from 'drizzle-orm'

import { conversationMembers, messageKeys, messages } from '#db/schema/chat.ts'
import { retentionJob } from '#domains/chat/retention.jobs.ts'
import { DAY } from '#platform/clock.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { recall, sendAll, sendText } from './conversation-helpers.ts'

describe.if(inProcess)('retention of messages', () => {
  const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

  const old = () => server.clock.now() - 40 * DAY
  const countMessages = async () => (await server.ctx.db.read.select({ n: count() }).from(messages))[0]!.n

  test('nothing is deleted while chat.retentionDays is 0, and old messages are when it is set, with exact counts', async () => {
    const texts = Array.from({ length: 450 }, (_, i) => `old ${i}`)
    const sent = await sendAll(server, alice, bob, texts, { at: old() })
    const id = sent[0]!.conversationId
    await recall(server, sent[3]!)
    ok(await bob.call('conversations.read', { params: { id }, body: { messageId: sent[9]!.id } }))
    const young = await sendAll(server, alice, bob, ['young 1', 'young 2'])
    await retentionJob.run(server.ctx)
    expect(await countMessages()).toBe(452)

    ok(await admin.call('admin.chat.changeSettings', { body: { retentionDays: 30 } }))
    await retentionJob.run(server.ctx)
    const left = ok(await bob.call('conversations.history', { params: { id } })).data
    expect(left.items.map((message) => message.id)).toEqual(young.map((message) => message.id).toReversed())
    expect(await countMessages()).toBe(2)
    const shown = ok(await bob.call('conversations.get', { params: { id } })).data
    expect([shown.unreadCount, shown.lastMessage?.id]).toEqual([2, young[1]!.id])
  })

  test('a conversation whose messages were all deleted stays on the list without a last message, at its creation', async () => {
    const other = await server.person()
    const { conversationId: id } = await sendText(server, other, alice, 'old', { at: old() })
    await retentionJob.run(server.ctx)
    const shown = ok(await alice.call('conversations.get', { params: { id } })).data
    expect([shown.lastMessage, shown.unreadCount]).toEqual([null, 0])
    const rows = await server.ctx.db.read
      .select()
      .from(conversationMembers)
      .where(eq(conversationMembers.conversationId, id))
    expect(rows.map(({ sortAt }) => sortAt)).toEqual([shown.createdAt, shown.createdAt])
  })

  test('the keys of deleted messages stay, so that a repeated send is never sent again', async () => {
    const { id, conversationId } = await sendText(server, alice, bob, 'once', { at: old() })
    const key = { senderId: alice.id, clientMsgId: 'once', conversationId, firstId: id, count: 1, digest: 'x' }
    await server.ctx.db.write('test.key', (tx) => tx.insert(messageKeys).values(key) as unknown as Promise<void>)
    await retentionJob.run(server.ctx)
    expect(await countMessages()).toBe(2)
    expect((await server.ctx.db.read.select().from(messageKeys)).length).toBe(1)
  })

  test('messages are deleted when the account of the only user who could see them is', async () => {
    const leaving = await server.person()
    const { conversationId: id } = await sendText(server, leaving, alice, 'secret')
    ok(await alice.call('conversations.clear', { params: { id } }))
    expect(await countMessages()).toBe(3)
    ok(await leaving.call('auth.deleteAccount'))
    await retentionJob.run(server.ctx)
    expect(await countMessages()).toBe(2)
    expect(ok(await alice.call('conversations.get', { params: { id } })).data.peer?.userId).toBe(leaving.id)
  })
})
