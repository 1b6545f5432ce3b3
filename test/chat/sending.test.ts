/** Sending messages: keys, targets, relations, rates. Contents have tests of their own. */

import { describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'
import {
  changeMember,
  connect,
  deleteMember,
  makeGroup,
  memberOf,
  newKey,
  relate,
  send,
  sendText,
  storedMessages,
} from './helpers.ts'

describe.if(inProcess)('sending messages', () => {
  const { server, alice, bob, carol, dave, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'dave', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
  })
  const count = async () => (await storedMessages(server)).length

  test('a message to a contact creates one conversation with one unread message for the other side', async () => {
    await connect(server, alice, bob)
    const body = {
      toUserId: bob.id,
      clientMsgId: 'first',
      type: 'TEXT',
      content: { text: ' Hello Bob ', color: 'red' },
    }
    const { conversationId, messages } = ok(await alice.call('messages.send', { body })).data
    expect(messages).toEqual([
      {
        id: expect.any(Number),
        conversationId,
        senderId: alice.id,
        clientMsgId: 'first',
        type: 'TEXT',
        content: { text: 'Hello Bob' },
        replyToId: null,
        replyTo: null,
        forwarded: false,
        reactions: [],
        recalled: false,
        recalledAt: null,
        removal: null,
        pin: null,
        editedAt: null,
        createdAt: expect.any(Number),
      },
    ])
    expect(await memberOf(server, conversationId, bob)).toMatchObject({ unread: 1, lastMessageId: messages[0]!.id })
    expect(await memberOf(server, conversationId, alice)).toMatchObject({ unread: 0, lastMessageId: messages[0]!.id })
    const answer = await sendText(bob, alice)
    expect(answer.conversationId).toBe(conversationId)
    expect(answer.id).toBeGreaterThan(messages[0]!.id)
  })

  test('fifty requests with one clientMsgId store one message and are answered alike', async () => {
    await connect(server, carol, dave)
    const body = { toUserId: dave.id, clientMsgId: 'again', type: 'TEXT', content: { text: 'once' } }
    const before = await count()
    const replies = await race(50, () => carol.post('/api/chats/messages', body))
    expect(new Set(replies.map((reply) => JSON.stringify(ok(reply).data))).size).toBe(1)
    expect(await count()).toBe(before + 1)
    const { conversationId } = replies[0]!.data
    expect(await memberOf(server, conversationId, dave)).toMatchObject({ unread: 1 })
    // The same target by the id of its conversation.
    const { toUserId: _, ...rest } = body
    expect(ok(await carol.post('/api/chats/messages', { ...rest, conversationId })).data).toEqual(replies[0]!.data)
  })

  test('fifty users who write to one another for the first time at once share one conversation', async () => {
    const erin = await server.person()
    const frank = await server.person()
    await connect(server, erin, frank)
    const replies = await race(50, (i) =>
      i % 2 === 0 ? send(erin, { toUserId: frank.id }) : send(frank, { toUserId: erin.id }),
    )
    expect(new Set(replies.map((reply) => ok(reply).data.conversationId)).size).toBe(1)
    const ids = replies.map((reply) => reply.data.messages[0].id)
    expect(new Set(ids).size).toBe(50)
    const { conversationId } = replies[0]!.data
    expect(await memberOf(server, conversationId, erin)).toMatchObject({ unread: 25, lastMessageId: Math.max(...ids) })
    expect(await memberOf(server, conversationId, frank)).toMatchObject({ unread: 25 })
  })

  test('a clientMsgId that was used with another target, type, content or reply is refused with 400', async () => {
    const { id, conversationId } = await sendText(alice, bob, 'the first')
    await connect(server, alice, carol)
    const body = { toUserId: bob.id, clientMsgId: 'taken', type: 'TEXT', content: { text: 'as it was' } }
    ok(await alice.post('/api/chats/messages', body))
    const before = await count()
    const others = [
      { ...body, toUserId: carol.id },
      { ...body, content: { text: 'different' } },
      { ...body, type: 'LOCATION', content: { latitude: 1, longitude: 2 } },
      { ...body, replyToId: id },
    ]
    for (const other of others) {
      const reply = await alice.post('/api/chats/messages', other)
      expect([reply.status, reply.code, reply.details?.[0]?.path]).toEqual([400, 400, 'body.clientMsgId'])
    }
    expect(await count()).toBe(before)
    // Keys belong to their senders.
    ok(
      await bob.post('/api/chats/messages', {
        conversationId,
        clientMsgId: 'taken',
        type: 'TEXT',
        content: { text: 'x' },
      }),
    )
  })

  test('a repeat is answered with the stored message after the relation has ended and the limit is reached', async () => {
    const a = await server.person()
    const b = await server.person()
    await connect(server, a, b)
    const body = { toUserId: b.id, clientMsgId: 'kept', type: 'TEXT', content: { text: 'sent in time' } }
    const first = ok(await a.post('/api/chats/messages', body)).data
    await relate(server, b, a, { blocked: true })
    expect(ok(await a.post('/api/chats/messages', body)).data).toEqual(first)
    expect((await a.post('/api/chats/messages', { ...body, clientMsgId: 'new' })).code).toBe(4012)
  })

  test('refusals come in the order of shape, type, content, repeat, target, relation, rate', async () => {
    const { conversationId } = await sendText(alice, bob)
    const limited = await server.person()
    await connect(server, limited, alice)
    const used = { toUserId: bob.id, clientMsgId: 'order', type: 'TEXT', content: { text: 'order' } }
    ok(await alice.post('/api/chats/messages', used))
    await relate(server, mallory, alice)
    const unknown = 999_999_999
    const cases: readonly (readonly [what: string, body: object, status: number, code: number])[] = [
      ['no clientMsgId before everything', { clientMsgId: undefined, type: 'X', toUserId: unknown }, 400, 400],
      ['a clientMsgId with a colon', { clientMsgId: 'a:1', toUserId: bob.id }, 400, 400],
      ['a clientMsgId of 65 characters', { clientMsgId: 'a'.repeat(65), toUserId: bob.id }, 400, 400],
      ['no target before the type', { type: 'X' }, 400, 400],
      ['two targets before the type', { type: 'X', toUserId: bob.id, conversationId }, 400, 400],
      ['oneself before the type', { type: 'X', toUserId: alice.id }, 400, 400],
      ['no type before the content', { type: undefined, content: null, toUserId: unknown }, 400, 4020],
      ['an unknown type', { type: 'STICKER', content: {}, toUserId: unknown }, 400, 4020],
      ['a number as the type', { type: 7, toUserId: unknown }, 400, 4020],
      ['a type in lower case', { type: 'text', toUserId: bob.id }, 400, 4020],
      ['SYSTEM', { type: 'SYSTEM', content: { event: 'X', text: 'y' }, toUserId: bob.id }, 400, 4020],
      ['the content before the repeat', { ...used, content: { text: '' } }, 400, 4021],
      ['no content', { content: undefined, toUserId: unknown }, 400, 4021],
      ['the content before the target', { content: { text: '' }, toUserId: unknown }, 400, 4021],
      ['a file before the target', { type: 'FILE', content: { fileId: unknown }, toUserId: unknown }, 400, 4021],
      ['the repeat before the target', { ...used, toUserId: unknown }, 400, 400],
      ['an unknown user', { toUserId: unknown }, 404, 404],
      ['a user of whom the sender may not know', { toUserId: carol.id + 1_000_000 }, 404, 404],
      ['an unknown conversation', { toUserId: undefined, conversationId: unknown }, 404, 404],
    ]
    const before = await count()
    for (const [what, body, status, code] of cases) {
      const reply = await send(alice, body)
      expect([what, reply.status, reply.code]).toEqual([what, status, code])
    }
    expect((await server.request('POST', '/api/chats/messages', { body: {} })).status).toBe(401)
    expect(await count()).toBe(before)
  })

  test('a message to a user of whom the sender may not know is answered like one to an unknown user', async () => {
    const stranger = await server.person()
    const [hidden, unknown] = [
      await send(mallory, { toUserId: stranger.id }),
      await send(mallory, { toUserId: 999_999_999 }),
    ]
    expect(hidden.status).toBe(404)
    expect([hidden.code, hidden.message, hidden.details]).toEqual([unknown.code, unknown.message, unknown.details])
  })

  test('a conversation of others is answered like an unknown one', async () => {
    const { conversationId } = await sendText(alice, bob)
    const foreign = await send(mallory, { conversationId })
    const unknown = await send(mallory, { conversationId: 999_999_999 })
    expect(foreign.status).toBe(404)
    expect([foreign.code, foreign.message, foreign.details]).toEqual([unknown.code, unknown.message, unknown.details])
  })

  test('4012 comes before 4011, for either side that has blocked the other', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await relate(server, a, b)
    const to = { toUserId: b.id }
    expect((await send(a, to)).code).toBe(4011)
    await relate(server, b, a, { isContact: false, blocked: true })
    expect([(await send(a, to)).status, (await send(a, to)).code]).toEqual([403, 4012])
    await relate(server, b, a)
    ok(await send(a, to))
    await relate(server, a, b, { blocked: true })
    expect((await send(a, to)).code).toBe(4012)
    expect((await send(b, { toUserId: a.id })).code).toBe(4012)
  })

  test('a conversation that the sender has deleted is 404 by its id, and comes back with a message to the user', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await connect(server, a, b)
    const { id, conversationId } = await sendText(a, b)
    await changeMember(server, conversationId, a, { hidden: true, clearedUpTo: id, lastMessageId: null })
    expect((await send(a, { conversationId })).status).toBe(404)
    expect((await sendText(a, b)).conversationId).toBe(conversationId)
    expect(await memberOf(server, conversationId, a)).toMatchObject({ hidden: false, clearedUpTo: id })
  })

  test('a conversation whose other account was deleted is 403 with code 4015', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await connect(server, a, b)
    const { conversationId } = await sendText(a, b)
    ok(await b.call('auth.deleteAccount'))
    await deleteMember(server, conversationId, b)
    for (const target of [{ conversationId }, { toUserId: b.id }]) {
      const reply = await send(a, target)
      expect([reply.status, reply.code]).toEqual([403, 4015])
    }
  })

  test('members write into a group, and a user who has left it gets 4015', async () => {
    const group = await makeGroup(server, [alice, bob, carol])
    const { messages } = ok(await send(carol, { conversationId: group })).data
    for (const person of [alice, bob]) expect(await memberOf(server, group, person)).toMatchObject({ unread: 1 })
    await changeMember(server, group, carol, { leftAfter: messages[0].id, role: null })
    const reply = await send(carol, { conversationId: group })
    expect([reply.status, reply.code]).toEqual([403, 4015])
    expect((await send(mallory, { conversationId: group })).status).toBe(404)
  })

  test('a text can mention only members of its conversation', async () => {
    const group = await makeGroup(server, [alice, bob, carol])
    const content = (...mentions: number[]) => ({ conversationId: group, content: { text: '@you', mentions } })
    const { messages } = ok(await send(alice, content(bob.id, bob.id))).data
    expect(messages[0].content).toEqual({ text: '@you', mentions: [bob.id] })
    expect(await memberOf(server, group, bob)).toMatchObject({ mentionedAt: messages[0].id })
    expect(await memberOf(server, group, carol)).toMatchObject({ mentionedAt: 0 })
    await changeMember(server, group, carol, { leftAfter: messages[0].id, role: null })
    for (const body of [
      content(carol.id),
      content(bob.id, dave.id),
      { ...content(carol.id), conversationId: undefined, toUserId: bob.id },
    ]) {
      const reply = await send(alice, body)
      expect([reply.code, reply.details]).toMatchObject([4021, [{ path: 'body.content.mentions' }]])
    }
  })

  test('a reply names a message of the same conversation that the sender can see', async () => {
    const first = await sendText(alice, bob, 'question')
    const { messages } = ok(await send(bob, { toUserId: alice.id, replyToId: first.id })).data
    expect(messages[0].replyToId).toBe(first.id)
    await connect(server, alice, carol)
    const other = await sendText(alice, carol)
    await changeMember(server, first.conversationId, bob, { clearedUpTo: first.id })
    for (const replyToId of [first.id, other.id, 999_999_999]) {
      const reply = await send(bob, { toUserId: alice.id, replyToId })
      expect([reply.code, reply.details?.[0]?.path]).toEqual([400, 'body.replyToId'])
    }
    const fresh = await server.person()
    await connect(server, fresh, bob)
    expect((await send(bob, { toUserId: fresh.id, replyToId: first.id })).status).toBe(400)
  })

  test('of fifty messages at once exactly the limit is stored, also with rates switched off by the configuration', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await connect(server, a, b)
    const setLimit = (limit: number) =>
      server.ctx.db.write('test.limit', (tx) => setSetting(tx, 'chat.messagesPerMinute', limit))
    await setLimit(20)
    try {
      const before = await count()
      const replies = await race(50, () => send(a, { toUserId: b.id }))
      const refused = replies.filter((reply) => reply.status === 429)
      expect(refused).toHaveLength(30)
      expect(await count()).toBe(before + 20)
      expect(refused[0]!.code).toBe(4022)
      const wait = Number(refused[0]!.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(60)
      // Blocking comes before the rate.
      await relate(server, b, a, { blocked: true })
      expect((await send(a, { toUserId: b.id })).code).toBe(4012)
      await relate(server, b, a)
      server.clock.advance(60_000)
      ok(await send(a, { toUserId: b.id }))
    } finally {
      await setLimit(0)
    }
  })

  test('a block that races with fifty messages refuses all that come after it', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await connect(server, a, b)
    await sendText(a, b)
    const [replies] = await Promise.all([
      race(50, async () => ({ at: await send(a, { toUserId: b.id }) })),
      relate(server, b, a, { blocked: true }),
    ])
    const statuses = replies.map(({ at }) => at.status)
    expect(statuses.every((status) => status === 200 || status === 403)).toBe(true)
    const stored = (await storedMessages(server)).filter((row) => row.senderId === a.id)
    expect(stored).toHaveLength(1 + statuses.filter((status) => status === 200).length)
    expect((await send(a, { toUserId: b.id, clientMsgId: newKey() })).code).toBe(4012)
  })
})
