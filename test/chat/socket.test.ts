import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { chatCursors, conversationMembers } from '#db/schema/chat.ts'
import { flushCursors } from '#domains/chat/live.service.ts'

import { inProcess, ok, until, useServer } from '../harness/index.ts'
import { makeGroup, relate } from './helpers.ts'

describe.if(inProcess)('typing', () => {
  const { server, alice, bob, carol, mallory } = useServer({ people: ['alice', 'bob', 'carol', 'mallory'] })

  test('is passed on to the other members once in 3 seconds, to nobody else', async () => {
    const group = await makeGroup(server, [alice, bob, carol])
    const other = await makeGroup(server, [alice, bob])
    const [mine, sockets] = [await alice.socket(), [await bob.socket(), await bob.socket(), await carol.socket()]]
    const outside = await mallory.socket()
    for (let i = 0; i < 5; i++) mine.send('typing', { conversationId: group })
    mine.send('typing', { conversationId: other })
    for (const socket of sockets)
      expect(await socket.next('typing', (data) => data.conversationId === group)).toEqual({
        conversationId: group,
        userId: alice.id,
      })
    for (const socket of sockets.slice(0, 2)) await socket.next('typing', (data) => data.conversationId === other)
    server.clock.advance(3000)
    mine.send('typing', { conversationId: group })
    await sockets[2]!.next('typing')
    await Promise.all([mine, outside, ...sockets].map((socket) => socket.roundTrip()))
    expect([mine, outside, ...sockets].map((socket) => socket.of('typing').length)).toEqual([0, 0, 3, 3, 2])
    await Promise.all([mine, outside, ...sockets].map((socket) => socket.close()))
  })

  test('is not passed on between users of whom one has blocked the other, nor to former members', async () => {
    const group = await makeGroup(server, [alice, bob, carol, mallory])
    await relate(server, alice, bob, { isContact: false, blocked: true })
    await relate(server, carol, alice, { isContact: false, blocked: true })
    const [mine, ...others] = await Promise.all([alice, bob, carol, mallory].map((person) => person.socket()))
    mine!.send('typing', { conversationId: group })
    await others[2]!.next('typing')
    await server.ctx.db.write('test', (tx) =>
      tx.update(conversationMembers).set({ leftAfter: 0 }).where(eq(conversationMembers.userId, mallory.id)),
    )
    server.clock.advance(3000)
    mine!.send('typing', { conversationId: group })
    // It would have arrived before the answer to a later frame of the same socket.
    await mine!.roundTrip()
    await Promise.all(others.map((socket) => socket.roundTrip()))
    expect(others.map((socket) => socket.of('typing').length)).toEqual([0, 0, 1])
    await Promise.all([mine!, ...others].map((socket) => socket.close()))
  })

  test('is refused with 404 in a conversation of others, as in an unknown one, and with 4015 for a former member', async () => {
    const group = await makeGroup(server, [alice, bob])
    const left = await makeGroup(server, [alice, mallory])
    await server.ctx.db.write('test', (tx) =>
      tx.update(conversationMembers).set({ leftAfter: 0 }).where(eq(conversationMembers.userId, mallory.id)),
    )
    const socket = await mallory.socket()
    const codes: number[] = []
    for (const conversationId of [group, 999_999, left]) {
      socket.send('typing', { conversationId })
      codes.push((await socket.next('error')).code)
    }
    expect(codes).toEqual([404, 404, 4015])
    for (const conversationId of [0, -1, 1.5, '1', null]) {
      socket.send('typing', { conversationId })
      expect((await socket.next('error')).code).toBe(400)
    }
    await socket.close()
  })
})

describe.if(inProcess)('ack', () => {
  const { server, alice } = useServer({ people: ['alice'] })
  const cursors = () =>
    server.ctx.db.read
      .select({ deviceKey: chatCursors.deviceKey, cursor: chatCursors.cursor })
      .from(chatCursors)
      .where(eq(chatCursors.userId, alice.id))

  test('is remembered for the device, never goes back and has no answer', async () => {
    const other = ok(await alice.post('/api/auth/sessions', {})).data
    const [phone, tablet] = [
      await alice.socket(),
      await alice.socket({ headers: { authorization: `Bearer ${other.accessToken}` } }),
    ]
    for (const cursor of [5, 9, 7]) phone.send('ack', { cursor })
    tablet.send('ack', { cursor: 2 })
    await Promise.all([phone.roundTrip(), tablet.roundTrip()])
    // No job runs: of several processes, only one runs jobs, and the socket may be at another.
    await until(async () => (await cursors()).length === 2)
    expect((await cursors()).map(({ cursor }) => cursor).toSorted()).toEqual([2, 9])
    phone.send('ack', { cursor: 3 })
    await phone.roundTrip()
    await flushCursors(server.ctx)
    expect((await cursors()).map(({ cursor }) => cursor).toSorted()).toEqual([2, 9])
    expect(phone.frames.map(({ type }) => type)).toEqual(['hello', 'pong', 'pong'])
    await Promise.all([phone.close(), tablet.close()])
  })

  test('of a wrong shape is refused and changes nothing', async () => {
    const socket = await alice.socket()
    for (const cursor of [-1, 1.5, '5', null, 1e300]) {
      socket.send('ack', { cursor })
      expect((await socket.next('error')).code).toBe(400)
    }
    await flushCursors(server.ctx)
    expect((await cursors()).map(({ cursor }) => cursor).toSorted()).toEqual([2, 9])
    await socket.close()
  })
})
