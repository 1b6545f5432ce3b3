/** Forwarding to several users. */

import { describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { changeMember, connect, memberOf, newKey, recall, relate, send, sendText, storedMessages } from './helpers.ts'

describe.if(inProcess)('forwarding', () => {
  const { server, alice, bob, carol, dave, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'dave', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
  })
  const forward = (person: Person, messageIds: number[], to: readonly { id: number }[], clientMsgId = newKey()) =>
    person.call('messages.forward', { body: { messageIds, userIds: to.map(({ id }) => id), clientMsgId } })
  const count = async () => (await storedMessages(server)).length
  const stranger = { id: 999_999_999 }

  test('each user gets copies in the order of the request, without the first author', async () => {
    for (const person of [bob, carol, dave]) await connect(server, alice, person)
    const [one, two] = [await sendText(bob, alice, 'one'), await sendText(alice, bob, 'two')]
    const { results } = ok(await forward(alice, [two.id, one.id], [carol, dave])).data
    expect(results.map(({ userId, status, code }) => [userId, status, code])).toEqual([
      [carol.id, 'SENT', null],
      [dave.id, 'SENT', null],
    ])
    const rows = await storedMessages(server)
    for (const { conversationId, messageIds } of results) {
      const copies = messageIds.map((id) => rows.find((row) => row.id === id)!)
      expect(copies.map((row) => [row.conversationId, row.senderId, row.forwarded, row.content])).toEqual([
        [conversationId!, alice.id, true, { text: 'two' }],
        [conversationId!, alice.id, true, { text: 'one' }],
      ])
      expect(messageIds[1]).toBe(messageIds[0]! + 1)
    }
    expect(await memberOf(server, results[0]!.conversationId!, carol)).toMatchObject({ unread: 2 })
  })

  test('a user who refuses does not keep the others from getting the messages', async () => {
    const message = await sendText(alice, bob)
    const known = await server.person()
    await relate(server, alice, known)
    await relate(server, dave, alice, { blocked: true })
    const before = await count()
    const { results } = ok(await forward(alice, [message.id], [stranger, known, dave, alice, carol])).data
    expect(results.map(({ status, code }) => [status, code])).toEqual([
      ['FAILED', 404],
      ['FAILED', 4011],
      ['FAILED', 4012],
      ['FAILED', 400],
      ['SENT', null],
    ])
    for (const { message: reason, conversationId, messageIds } of results.slice(0, 4))
      expect([typeof reason, conversationId, messageIds]).toEqual(['string', null, []])
    expect(await count()).toBe(before + 1)
    await relate(server, dave, alice)
  })

  test('a repeat sends only to the users that failed before, also fifty at once', async () => {
    const message = await sendText(alice, bob)
    await relate(server, dave, alice, { blocked: true })
    const key = newKey()
    const first = ok(await forward(alice, [message.id], [carol, dave], key)).data.results
    expect(first.map(({ status }) => status)).toEqual(['SENT', 'FAILED'])
    await relate(server, dave, alice)
    const before = await count()
    const replies = await race(50, () => forward(alice, [message.id], [carol, dave], key))
    expect(new Set(replies.map((reply) => JSON.stringify(ok(reply).data.results))).size).toBe(1)
    expect(replies[0]!.data.results[0]).toEqual(first[0])
    expect(replies[0]!.data.results[1]!.status).toBe('SENT')
    expect(await count()).toBe(before + 1)
    // The results stay when the message cannot be forwarded again.
    ok(await recall(alice, message.id))
    expect(ok(await forward(alice, [message.id], [carol, dave], key)).data).toEqual(replies[0]!.data)
  })

  test('a clientMsgId is used for one request only, whether it sends or forwards', async () => {
    const message = await sendText(alice, bob)
    const [sent, forwarded] = [newKey(), newKey()]
    ok(await send(alice, { toUserId: bob.id, clientMsgId: sent }))
    ok(await forward(alice, [message.id], [carol], forwarded))
    const before = await count()
    expect((await forward(alice, [message.id], [carol], sent)).code).toBe(400)
    expect((await forward(alice, [message.id], [carol, bob], forwarded)).code).toBe(400)
    expect((await send(alice, { toUserId: bob.id, clientMsgId: forwarded })).code).toBe(400)
    expect(await count()).toBe(before)
  })

  test('messages that the caller cannot see are 404, recalled ones and those of the system 400', async () => {
    const message = await sendText(alice, bob)
    const other = await sendText(alice, bob)
    const before = await count()
    expect((await forward(mallory, [message.id], [alice])).status).toBe(404)
    expect((await forward(alice, [message.id, 999_999_999], [carol])).status).toBe(404)
    ok(await recall(alice, other.id))
    expect((await forward(alice, [message.id, other.id], [carol])).status).toBe(400)
    await changeMember(server, message.conversationId, bob, { clearedUpTo: message.id })
    expect((await forward(bob, [message.id], [alice])).status).toBe(404)
    expect(await count()).toBe(before)
  })

  test('mentions are left out of copies', async () => {
    const body = { toUserId: bob.id, content: { text: '@bob', mentions: [bob.id] } }
    const { messages } = ok(await send(alice, body)).data
    const { results } = ok(await forward(alice, [messages[0].id], [carol])).data
    const copy = (await storedMessages(server)).find((row) => row.id === results[0]!.messageIds[0])
    expect(copy!.content).toEqual({ text: '@bob' })
  })

  test('every forwarded message counts in the rate, and a user gets all of them or none', async () => {
    const [a, b] = [await server.person(), await server.person()]
    for (const person of [b, bob, carol]) await connect(server, a, person)
    const ids = [(await sendText(a, b)).id, (await sendText(a, b)).id]
    const setLimit = (limit: number) =>
      server.ctx.db.write('test.limit', (tx) => setSetting(tx, 'chat.messagesPerMinute', limit))
    await setLimit(3)
    try {
      const before = await count()
      const { results } = ok(await forward(a, ids, [bob, carol])).data
      expect(results.map(({ status, code }) => [status, code])).toEqual([
        ['SENT', null],
        ['FAILED', 4022],
      ])
      expect(await count()).toBe(before + 2)
    } finally {
      await setLimit(0)
    }
  })

  test('requests are bounded to twenty messages and twenty users', async () => {
    const message = await sendText(alice, bob)
    const many = (n: number) => Array.from({ length: n }, (_, i) => ({ id: 900_000_000 + i }))
    expect((await forward(alice, [message.id], many(21))).status).toBe(400)
    expect(
      (
        await forward(
          alice,
          many(21).map(({ id }) => id),
          [carol],
        )
      ).status,
    ).toBe(400)
    expect((await forward(alice, [message.id, message.id], [carol])).status).toBe(400)
    expect(ok(await forward(alice, [message.id], many(20))).data.results).toHaveLength(20)
  })
})
