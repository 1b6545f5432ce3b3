/** Read marks in groups: who has read a message, for its sender. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { conversationMembers, conversations } from '#db/schema/chat.ts'
import type { MessageReaders } from '#domains/chat/marks/marks.model.ts'
import { MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, until, useServer } from '../harness/index.ts'
import { befriend, createGroup, say } from './group-helpers.ts'
import { recall, relate, sendText } from './helpers.ts'

const readers = (person: Person, id: number) => person.call('messages.readers', { params: { id } })
const shown = async (person: Person, id: number): Promise<MessageReaders> => ok(await readers(person, id)).data
/** The ids of those who have read the message, and the number of the others. */
const marks = async (person: Person, id: number) => {
  const { readers: list, notReadCount } = await shown(person, id)
  return [list.map(({ userId }) => userId).toSorted((a, b) => a - b), notReadCount]
}
const ids = (...people: Person[]) => people.map(({ id }) => id).toSorted((a, b) => a - b)
const read = async (person: Person, group: { id: number }, messageId?: number) =>
  ok(await person.post(`/api/chats/conversations/${group.id}/read`, messageId === undefined ? {} : { messageId }))
const history = async (person: Person, group: { id: number }) =>
  ok(await person.get(`/api/chats/conversations/${group.id}/messages`, { limit: 100 })).data.items
/** Of the messages in the history of the user: their counts, by id. */
const counts = async (person: Person, group: { id: number }) =>
  new Map<number, number | undefined>(
    (await history(person, group)).map((message: { id: number; readCount?: number }) => [
      message.id,
      message.readCount,
    ]),
  )
const receipts = async (person: Person, readReceipts: boolean) =>
  ok(await person.put('/api/contacts/settings', { readReceipts }))

describe.if(inProcess)('the members who have read a message of a group', () => {
  const { server, alice, bob, carol, dave, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'dave', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
    noAdmin: true,
  })
  beforeAll(() => befriend(server, alice, bob, carol, dave))

  test('are named to its sender with the time of the newest ones, and counted in the history', async () => {
    const group = await createGroup(alice, [bob, carol])
    const first = await say(alice, group, 'one')
    const second = await say(alice, group, 'two')
    expect(await shown(alice, first.id)).toEqual({ readers: [], notReadCount: 2, unavailable: null })
    await read(bob, group, first.id)
    await read(bob, group, second.id)
    await read(carol, group, first.id)
    const { nickname, avatarUrl } = ok(await bob.get('/api/auth/userinfo')).data
    const ofBob = { userId: bob.id, nickname, avatarUrl }
    expect(await shown(alice, second.id)).toEqual({
      readers: [{ ...ofBob, readAt: expect.any(Number) }],
      notReadCount: 1,
      unavailable: null,
    })
    const [ofCarol, again] = (await shown(alice, first.id)).readers
    expect(ofCarol).toMatchObject({ userId: carol.id, readAt: expect.any(Number) })
    // Of this one only the fact is known, because Bob has read a later one since.
    expect(again).toEqual({ ...ofBob, readAt: null })
    expect([...(await counts(alice, group))].slice(0, 2)).toEqual([
      [second.id, 1],
      [first.id, 2],
    ])
    // Reading the same messages again changes nothing.
    const before = await shown(alice, second.id)
    await read(bob, group, first.id)
    await read(bob, group)
    expect(await shown(alice, second.id)).toEqual(before)
  })

  test('are secret to everybody else', async () => {
    const group = await createGroup(alice, [bob, carol])
    const message = await say(alice, group, 'mine')
    const notice = (await history(alice, group)).at(-1)
    await read(bob, group)
    for (const [person, id] of [
      [bob, message.id],
      [carol, message.id],
      [mallory, message.id],
      [alice, notice.id],
      [alice, 999_999_999],
    ] as const)
      expect((await readers(person, id)).status).toBe(404)
    expect((await server.request('GET', `/api/chats/messages/${message.id}/readers`)).status).toBe(401)
    expect((await alice.get('/api/chats/messages/x/readers')).status).toBe(400)
    expect((await counts(carol, group)).get(message.id)).toBeUndefined()
    expect([...(await counts(bob, group)).values()]).toEqual([undefined, undefined])
    // The same message in frames and in `sync` is that of all members, without a count.
    expect(ok(await alice.get('/api/chats/sync', { afterId: message.id - 1 })).data.messages[0]).toEqual(message)
  })

  test('are neither shown to nor seen by those who have read receipts off', async () => {
    const group = await createGroup(alice, [bob, carol])
    const message = await say(alice, group, 'off')
    const own = await say(bob, group, 'also off')
    for (const person of [alice, bob, carol]) await read(person, group)
    await receipts(bob, false)
    expect(await marks(alice, message.id)).toEqual([ids(carol), 1])
    expect((await counts(alice, group)).get(message.id)).toBe(1)
    expect(await shown(bob, own.id)).toEqual({ readers: [], notReadCount: 0, unavailable: 'RECEIPTS_OFF' })
    expect((await counts(bob, group)).get(own.id)).toBeUndefined()
    await receipts(bob, true)
    expect(await marks(alice, message.id)).toEqual([ids(bob, carol), 0])
    expect(await marks(bob, own.id)).toEqual([ids(alice, carol), 0])
  })

  test('are not those who have joined later, also after they have read everything', async () => {
    const group = await createGroup(alice, [bob])
    const before = await say(alice, group, 'before')
    ok(await alice.post(`/api/chats/groups/${group.id}/members`, { userIds: [carol.id] }))
    const after = await say(alice, group, 'after')
    await read(carol, group)
    expect(await marks(alice, before.id)).toEqual([[], 1])
    expect(await marks(alice, after.id)).toEqual([ids(carol), 1])
    expect((await counts(alice, group)).get(before.id)).toBe(0)
  })

  test('are not those who have left or were removed, and after their return only for new messages', async () => {
    const group = await createGroup(alice, [bob, carol])
    const first = await say(alice, group, 'with all')
    await read(bob, group)
    await read(carol, group)
    const own = await say(bob, group, 'by bob')
    ok(await bob.post(`/api/chats/groups/${group.id}/leave`))
    ok(await alice.send('DELETE', `/api/chats/groups/${group.id}/members/${carol.id}`))
    expect(await marks(alice, first.id)).toEqual([[], 0])
    // A former member still sees the message, but nothing that happens in the group.
    expect(await readers(bob, own.id)).toMatchObject({ status: 403, code: 4015 })
    expect((await counts(bob, group)).get(own.id)).toBeUndefined()
    const away = await say(alice, group, 'without bob')
    ok(await alice.post(`/api/chats/groups/${group.id}/members`, { userIds: [bob.id] }))
    const last = await say(alice, group, 'welcome back')
    await read(bob, group)
    expect(await marks(alice, away.id)).toEqual([[], 0])
    expect(await marks(alice, last.id)).toEqual([ids(bob), 0])
  })

  test('do not show who has blocked whom: a blocked member counts as not having read', async () => {
    const group = await createGroup(alice, [bob, carol])
    const message = await say(alice, group, 'to all')
    const answer = await say(bob, group, 'from bob')
    for (const person of [alice, bob, carol]) await read(person, group)
    await relate(server, bob, alice, { blocked: true })
    expect(await marks(alice, message.id)).toEqual([ids(carol), 1])
    expect((await counts(alice, group)).get(message.id)).toBe(1)
    expect(await marks(bob, answer.id)).toEqual([ids(carol), 1])
    await relate(server, bob, alice)
    expect(await marks(alice, message.id)).toEqual([ids(bob, carol), 0])
  })

  test('do not show that a member has cleared or deleted: such a message counts as it did', async () => {
    const group = await createGroup(alice, [bob, carol])
    const message = await say(alice, group, 'cleared by bob')
    await read(carol, group)
    ok(await bob.send('DELETE', `/api/chats/conversations/${group.id}/messages`))
    ok(await carol.call('messages.delete', { params: { id: message.id } }))
    expect(await marks(alice, message.id)).toEqual([ids(carol), 1])
  })

  test('end with the message: one that is recalled, cleared or deleted by its sender has none', async () => {
    const group = await createGroup(alice, [bob])
    const [recalled, deleted, cleared] = [
      await say(alice, group, 'a'),
      await say(alice, group, 'b'),
      await say(alice, group, 'c'),
    ]
    await read(bob, group)
    ok(await recall(alice, recalled!.id))
    expect(await shown(alice, recalled!.id)).toEqual({ readers: [], notReadCount: 0, unavailable: 'RECALLED' })
    expect((await counts(alice, group)).get(recalled!.id)).toBeUndefined()
    ok(await alice.call('messages.delete', { params: { id: deleted!.id } }))
    expect((await readers(alice, deleted!.id)).status).toBe(404)
    ok(await alice.send('DELETE', `/api/chats/conversations/${group.id}/messages`))
    expect((await readers(alice, cleared!.id)).status).toBe(404)
  })

  test('are not counted in groups of more than 100 members', async () => {
    const group = await createGroup(alice, [bob])
    const message = await say(alice, group, 'large')
    await read(bob, group)
    const resize = (memberCount: number) =>
      server.ctx.db.write('test.resize', async (tx) => {
        await tx.update(conversations).set({ memberCount }).where(eq(conversations.id, group.id))
      })
    await resize(101)
    expect(await shown(alice, message.id)).toEqual({ readers: [], notReadCount: 0, unavailable: 'LARGE_GROUP' })
    expect((await counts(alice, group)).get(message.id)).toBeUndefined()
    await resize(100)
    expect(await marks(alice, message.id)).toEqual([ids(bob), 0])
  })

  test('of rows of earlier versions are those who see the message', async () => {
    const group = await createGroup(alice, [bob, carol])
    const message = await say(alice, group, 'old')
    await read(bob, group)
    await read(carol, group)
    await server.ctx.db.write('test.old', async (tx) => {
      const change = { joinedAfter: null, readAt: null, readBefore: null }
      await tx.update(conversationMembers).set(change).where(eq(conversationMembers.conversationId, group.id))
    })
    expect((await shown(alice, message.id)).readers.map(({ readAt }) => readAt)).toEqual([null, null])
    ok(await carol.send('DELETE', `/api/chats/conversations/${group.id}/messages`))
    expect(await marks(alice, message.id)).toEqual([ids(bob), 0])
  })

  test('in a direct conversation are the other user, who is not named while either has receipts off', async () => {
    const message = await sendText(alice, dave, 'direct')
    const conversation = { id: message.conversationId }
    expect(await marks(alice, message.id)).toEqual([[], 1])
    await read(dave, conversation)
    expect(await marks(alice, message.id)).toEqual([ids(dave), 0])
    expect((await counts(alice, conversation)).get(message.id)).toBeUndefined()
    await receipts(dave, false)
    expect(await marks(alice, message.id)).toEqual([[], 1])
    await receipts(dave, true)
    // The mark stays where it was when one of them blocked the other.
    await relate(server, alice, dave, { blocked: true })
    expect(await marks(alice, message.id)).toEqual([ids(dave), 0])
    await relate(server, alice, dave)
  })

  test('do not show, not even by a time that is gone, that a user reads on who has blocked the sender', async () => {
    const first = await sendText(alice, dave, 'first')
    const conversation = { id: first.conversationId }
    await read(dave, conversation)
    const before = await shown(alice, first.id)
    expect(before.readers[0]!.readAt).toBeNumber()
    const second = await sendText(alice, dave, 'second')
    await relate(server, dave, alice, { blocked: true })
    server.clock.advance(MINUTE)
    await read(dave, conversation)
    expect(await shown(alice, first.id)).toEqual(before)
    expect(await marks(alice, second.id)).toEqual([[], 1])
    await relate(server, dave, alice)
    server.clock.advance(MINUTE)
    await read(dave, conversation)
    // It is the time of the first mark after the block. The user read it before that.
    const [reader] = (await shown(alice, second.id)).readers
    expect(reader!.readAt! - before.readers[0]!.readAt!).toBeGreaterThanOrEqual(2 * MINUTE)
  })

  test('reach the sender in one frame for many marks, and nobody else', async () => {
    const group = await createGroup(alice, [bob, carol, dave])
    const mine = [await say(alice, group, 'one'), await say(alice, group, 'two')]
    const theirs = await say(bob, group, 'three')
    const [onAlice, onBob, onCarol] = [await alice.socket(), await bob.socket(), await carol.socket()]
    await Promise.all([
      read(bob, group, mine[0]!.id).then(() => read(bob, group, mine[1]!.id)),
      read(carol, group),
      read(dave, group),
    ])
    const expected = mine.map(({ id }) => ({ messageId: id, readCount: 3 })).toReversed()
    await until(() => onAlice.of('message.read').at(-1)?.counts[0].readCount === 3)
    expect(onAlice.of('message.read').at(-1)).toEqual({ conversationId: group.id, counts: expected })
    // A second frame is possible if a mark was set in another second than the others.
    expect(onAlice.of('message.read').length).toBeLessThanOrEqual(2)
    expect(await onBob.next('message.read')).toMatchObject({ counts: [{ messageId: theirs.id }] })
    expect(onCarol.of('message.read')).toEqual([])
    expect(onAlice.of('read')).toEqual([])
    const counted = await counts(alice, group)
    expect(mine.map(({ id }) => counted.get(id))).toEqual([3, 3])
    for (const socket of [onAlice, onBob, onCarol]) await socket.close()
  })

  test('cause no frame, not even one without a change, if their marks are not shown', async () => {
    const group = await createGroup(alice, [bob, carol, dave])
    await say(alice, group, 'quiet')
    await receipts(bob, false)
    await relate(server, carol, alice, { blocked: true })
    const socket = await alice.socket()
    await read(bob, group)
    await read(carol, group)
    const other = await createGroup(alice, [dave])
    await say(alice, other, 'loud')
    await read(dave, other)
    // It is sent after the frames of the first group would have been.
    expect(await socket.next('message.read')).toMatchObject({ conversationId: other.id })
    expect(socket.of('message.read')).toHaveLength(1)
    await receipts(bob, true)
    await relate(server, carol, alice)
    await socket.close()
  })

  test('are exact after marks, departures and returns at the same time', async () => {
    const group = await createGroup(alice, [bob, carol, dave])
    const sent: number[] = []
    for (let i = 0; i < 6; i++) sent.push((await say(alice, group, `race ${i}`)).id)
    await race(24, (i) => {
      const person = [bob, carol][i % 2]!
      if (i % 8 === 5) return dave.post(`/api/chats/groups/${group.id}/leave`)
      return person.post(`/api/chats/conversations/${group.id}/read`, { messageId: sent[i % 6] })
    })
    // Bob has read the fifth message, and Carol the sixth.
    expect(await marks(alice, sent[4]!)).toEqual([ids(bob, carol), 0])
    expect(await marks(alice, sent[5]!)).toEqual([ids(carol), 1])
  })
})
