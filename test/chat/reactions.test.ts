import { beforeAll, describe, expect, test } from 'bun:test'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { befriend, conversationOf, createGroup, say } from './group-helpers.ts'
import { relate } from './helpers.ts'

const EMOJI = [...'😀😁😂🤣😃😄😅😆😉😊😋😎😍😘🥰😗😙😚🙂🤗🤩🤔']

describe.if(inProcess)('reactions', () => {
  const { server, alice, bob, carol, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'mallory'],
    noAdmin: true,
  })
  let group: { id: number }
  const react = (user: Person, id: number, emoji: string) => user.call('messages.react', { params: { id, emoji } })
  const unreact = (user: Person, id: number, emoji: string) => user.call('messages.unreact', { params: { id, emoji } })
  const sync = async (user: Person, afterId: number) => ok(await user.get('/api/chats/sync', { afterId })).data

  beforeAll(async () => {
    await befriend(server, alice, bob, carol)
    group = await createGroup(alice, [bob, carol])
  })

  test('PUT adds an emoji once for each user, in the order in which it was added', async () => {
    const { id } = await say(alice, group, 'lunch?')
    ok(await react(bob, id, '👍'))
    ok(await react(alice, id, '🎉'))
    ok(await react(carol, id, '👍'))
    const { data } = ok(await react(bob, id, '👍'))
    expect(data.reactions).toEqual([
      { emoji: '👍', count: 2, userIds: [bob.id, carol.id] },
      { emoji: '🎉', count: 1, userIds: [alice.id] },
    ])
  })

  test('DELETE removes the own emoji only, and changes nothing if there is none', async () => {
    const { id } = await say(alice, group, 'dinner?')
    ok(await react(bob, id, '👍'))
    ok(await react(carol, id, '👍'))
    expect(ok(await unreact(alice, id, '👍')).data.reactions).toEqual([
      { emoji: '👍', count: 2, userIds: [bob.id, carol.id] },
    ])
    expect(ok(await unreact(bob, id, '👍')).data.reactions).toEqual([{ emoji: '👍', count: 1, userIds: [carol.id] }])
    expect(ok(await unreact(carol, id, '👍')).data.reactions).toEqual([])
    expect(ok(await unreact(carol, id, '👍')).data.reactions).toEqual([])
  })

  test('reach other members by sync, once, without a new place in the list or an unread message', async () => {
    const first = await say(alice, group, 'one')
    await say(alice, group, 'two')
    const { cursor } = await sync(carol, 0)
    const before = await conversationOf(carol, group)
    const { data } = ok(await react(bob, first.id, '👍'))
    const page = await sync(carol, cursor)
    expect([page.messages, page.recalled]).toEqual([[], []])
    expect(page.updated).toEqual([data])
    expect(page.cursor).toBeGreaterThan(cursor)
    expect(await sync(carol, page.cursor)).toMatchObject({ messages: [], updated: [], cursor: page.cursor })
    const after = await conversationOf(carol, group)
    expect([after.unreadCount, after.lastMessage?.id]).toEqual([before.unreadCount, before.lastMessage!.id])
    ok(await react(bob, first.id, '👍'))
    expect((await sync(carol, page.cursor)).updated).toEqual([])
  })

  test('are for emoji only; an encoded path is decoded', async () => {
    const { id } = await say(alice, group, 'x')
    for (const text of ['a', '👍👍', '好', '<script>', '%00'])
      expect((await bob.put(`/api/chats/messages/${id}/reactions/${encodeURIComponent(text)}`)).status, text).toBe(400)
    expect(ok(await bob.put(`/api/chats/messages/${id}/reactions/${encodeURIComponent('❤')}`)).data.reactions).toEqual([
      { emoji: '❤️', count: 1, userIds: [bob.id] },
    ])
  })

  test('have at most 20 different emoji for each message, also with 50 requests at once', async () => {
    const { id } = await say(alice, group, 'all of them')
    const replies = await race(EMOJI.length, (i) => react([alice, bob, carol][i % 3]!, id, EMOJI[i]!))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(EMOJI.length - 20)
    const known = ok(await unreact(alice, id, '👍')).data.reactions[0]!
    expect(ok(await react(alice, id, known.emoji)).data.reactions).toHaveLength(20)
  })

  test('50 parallel requests of one user count once', async () => {
    const { id } = await say(alice, group, 'once')
    await race(50, () => react(bob, id, '👍'))
    expect(ok(await react(bob, id, '👍')).data.reactions).toEqual([{ emoji: '👍', count: 1, userIds: [bob.id] }])
  })

  test('are refused for messages that the user cannot see, like unknown ones', async () => {
    const { id } = await say(alice, group, 'private')
    for (const message of [id, 999_999_999]) {
      expect((await react(mallory, message, '👍')).status).toBe(404)
      expect((await unreact(mallory, message, '👍')).status).toBe(404)
    }
    expect(ok(await unreact(alice, id, '👍')).data.reactions).toEqual([])
  })

  test('are refused for recalled messages and those of the system; a recall removes them', async () => {
    const { id } = await say(alice, group, 'oops')
    ok(await react(bob, id, '👍'))
    expect(ok(await alice.call('messages.recall', { params: { id } })).data).toMatchObject({
      recalled: true,
      reactions: [],
    })
    expect((await react(bob, id, '👍')).status).toBe(400)
    const other = await createGroup(alice, [bob])
    expect((await react(bob, other.lastMessage!.id, '👍')).status).toBe(400)
  })

  test('are refused with 4015 after leaving, and with 4012 between users of whom one has blocked the other', async () => {
    const other = await createGroup(alice, [bob])
    const { id } = await say(alice, other, 'bye')
    ok(await bob.call('groups.leave', { params: { id: other.id } }))
    for (const reply of [await react(bob, id, '👍'), await unreact(bob, id, '👍')])
      expect([reply.status, reply.code]).toEqual([403, 4015])
    const body = { toUserId: carol.id, clientMsgId: 'direct', type: 'TEXT', content: { text: 'hi' } }
    const direct = ok(await alice.call('messages.send', { body })).data.messages[0]!
    await relate(server, carol, alice, { blocked: true })
    const refused = await react(alice, direct.id, '👍')
    expect([refused.status, refused.code]).toEqual([403, 4012])
    await relate(server, carol, alice)
    ok(await react(alice, direct.id, '👍'))
  })
})

describe.if(inProcess)('replies', () => {
  const { server, alice, bob } = useServer({ people: ['alice', 'bob'], noAdmin: true })

  test('show the answered message as it is now', async () => {
    await befriend(server, alice, bob)
    const group = await createGroup(alice, [bob])
    const question = await say(alice, group, `${'长'.repeat(150)}?`)
    const answer = await say(bob, group, 'yes', { replyToId: question.id })
    expect(answer.replyTo).toEqual({ id: question.id, senderId: alice.id, type: 'TEXT', excerpt: '长'.repeat(100) })
    expect(question.replyTo).toBeNull()
    ok(await alice.call('messages.recall', { params: { id: question.id } }))
    const { items } = ok(await bob.get(`/api/chats/conversations/${group.id}/messages`)).data
    expect(items[0].replyTo).toEqual({ id: question.id, senderId: alice.id, type: 'TEXT', excerpt: '' })
  })

  test('answer messages of the same conversation only', async () => {
    const [one, other] = [await createGroup(alice, [bob]), await createGroup(alice, [bob])]
    const { id } = await say(alice, one, 'here')
    const body = {
      conversationId: other.id,
      clientMsgId: 'r1',
      type: 'TEXT',
      content: { text: 'there' },
      replyToId: id,
    }
    expect((await bob.call('messages.send', { body })).status).toBe(400)
  })
})

describe.if(inProcess)('mentions', () => {
  const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], noAdmin: true })

  test('are shown to the mentioned members until they have read them', async () => {
    await befriend(server, alice, bob, carol)
    const group = await createGroup(alice, [bob, carol])
    const mentioned = async (user: Person) => (await conversationOf(user, group)).mentioned
    expect(await mentioned(bob)).toBe(false)
    await say(alice, group, '@bob look', { mentions: [bob.id] })
    await say(alice, group, 'all others too')
    expect([await mentioned(bob), await mentioned(carol), await mentioned(alice)]).toEqual([true, false, false])
    ok(await bob.post(`/api/chats/conversations/${group.id}/read`))
    expect(await mentioned(bob)).toBe(false)
    const oops = await say(alice, group, '@bob oops', { mentions: [bob.id, alice.id] })
    expect([await mentioned(bob), await mentioned(alice)]).toEqual([true, false])
    ok(await alice.call('messages.recall', { params: { id: oops.id } }))
    expect(await mentioned(bob)).toBe(false)
  })
})
