/** Conversations that a user marks as unread, and the names in lines about the last message of a group. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { plansOf, statementsOf } from '../db/plans.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { sendText as sendOld } from './conversation-helpers.ts'
import { befriend, conversationOf, createGroup, say } from './group-helpers.ts'
import { memberOf, recall, sendText } from './helpers.ts'

const mark = (person: Person, id: number) => person.call('conversations.unread', { params: { id } })
const read = (person: Person, id: number, messageId?: number) =>
  person.call('conversations.read', { params: { id }, body: { ...(messageId !== undefined && { messageId }) } })
const unreadList = async (person: Person, query: { page?: number; size?: number; keyword?: string } = {}) => {
  const { items, total } = ok(await person.call('conversations.list', { query: { ...query, unread: true } })).data
  return { ids: items.map(({ id }) => id), total }
}

describe.if(inProcess)('a conversation that a user marks as unread', () => {
  const { server, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'], noAdmin: true })
  let id: number
  const unreadMessages = async (person: Person): Promise<number> => {
    const socket = await person.socket()
    await socket.close()
    return socket.hello.unread.messages
  }

  beforeAll(async () => {
    await befriend(server, alice, bob)
    const first = await sendText(bob, alice, 'first')
    id = first.conversationId
    ok(await read(alice, id))
  })

  test('is unread on all devices of this user, with the same counts and read marks, and for nobody else', async () => {
    const before = [await conversationOf(alice, { id }), await conversationOf(bob, { id })]
    const [phone, tablet, other] = [await alice.socket(), await alice.socket(), await bob.socket()]
    const { data } = ok(await mark(alice, id))
    expect(data).toEqual({ ...before[0]!, markedUnread: true, updatedAt: expect.any(Number) })
    for (const socket of [phone, tablet]) expect(await socket.next('conversation.updated')).toEqual(data)
    expect(await unreadList(alice)).toEqual({ ids: [id], total: 1 })
    expect(await unreadMessages(alice)).toBe(1)
    expect(ok(await mark(alice, id)).data).toEqual(data)
    ok(await read(alice, id))
    for (const socket of [phone, tablet])
      expect(await socket.next('conversation.updated')).toMatchObject({ id, markedUnread: false })
    expect(await unreadList(alice)).toEqual({ ids: [], total: 0 })
    expect(await unreadMessages(alice)).toBe(0)
    // The other user sees neither the mark nor its end.
    await sendText(alice, bob, 'last')
    await other.next('message')
    expect(other.frames.map(({ type }) => type)).toEqual(['hello', 'message'])
    expect(await conversationOf(bob, { id })).toMatchObject({ peerReadUpToId: before[1]!.peerReadUpToId })
    for (const socket of [phone, tablet, other]) await socket.close()
  })

  test('stays unread with new messages, counts as one more, and is read with any of its messages', async () => {
    const earlier = await sendText(bob, alice, 'earlier')
    ok(await read(alice, id))
    ok(await mark(alice, id))
    await sendText(bob, alice, 'new')
    expect(await conversationOf(alice, { id })).toMatchObject({ unreadCount: 1, markedUnread: true })
    expect([await unreadList(alice), await unreadMessages(alice)]).toEqual([{ ids: [id], total: 1 }, 2])
    ok(await read(alice, id, earlier.id))
    expect(await conversationOf(alice, { id })).toMatchObject({ unreadCount: 1, markedUnread: false })
    expect(await unreadMessages(alice)).toBe(1)
    ok(await read(alice, id))
  })

  test('is no longer once it is cleared or deleted, and costs one row', async () => {
    for (const operation of ['conversations.clear', 'conversations.delete'] as const) {
      await sendText(bob, alice)
      ok(await read(alice, id))
      const [mine, theirs] = [await memberOf(server, id, alice), await memberOf(server, id, bob)]
      ok(await mark(alice, id))
      expect(await memberOf(server, id, alice)).toEqual({ ...mine!, markedUnread: true, updatedAt: expect.any(Number) })
      expect(await memberOf(server, id, bob)).toEqual(theirs!)
      ok(await alice.call(operation, { params: { id } }))
      expect(await unreadList(alice)).toEqual({ ids: [], total: 0 })
      expect(await unreadMessages(alice)).toBe(0)
    }
    expect((await mark(alice, id)).status).toBe(404)
  })

  test('is listed in one order with those that have unread messages, on every page, by the indexes of both', async () => {
    const user = await server.person()
    const ids: number[] = []
    for (let i = 0; i < 8; i++) {
      server.clock.advance(1000)
      const { conversationId } = await sendOld(server, await server.person(), user, `number ${i}`)
      if (i % 2 === 0) {
        ok(await read(user, conversationId))
        if (i !== 4) ok(await mark(user, conversationId))
      }
      if (i !== 4) ids.unshift(conversationId)
    }
    const [pinned] = ids.splice(3, 1)
    ok(await user.call('conversations.pin', { params: { id: pinned! }, body: { pinned: true } }))
    const expected = [pinned!, ...ids]
    const got: number[] = []
    for (let page = 1; page <= 4; page++) got.push(...(await unreadList(user, { page, size: 2 })).ids)
    expect(got).toEqual(expected)
    expect(await unreadList(user, { keyword: 'nobody is called that' })).toEqual({ ids: [], total: 0 })
    const { items } = ok(await user.call('conversations.list', { query: {} })).data
    expect(await unreadList(user, { keyword: items.at(-1)!.title })).toMatchObject({ ids: [ids.at(-1)!] })
    if (process.env['TEST_DATABASE_URL']) return
    const plans = await plansOf(server.ctx.db.read, () => unreadList(user), 'union all')
    const plan = plans.flatMap((each) => each.plan).join('\n')
    for (const index of ['conversation_members_unread', 'conversation_members_marked']) expect(plan).toContain(index)
    expect(plan.match(/TEMP B-TREE/g)).toHaveLength(1)
  })

  test('is unknown to strangers, and needs a token and an id', async () => {
    const { conversationId } = await sendText(bob, alice)
    for (const conversation of [conversationId, 999_999]) expect((await mark(mallory, conversation)).status).toBe(404)
    const path = `/api/chats/conversations/${conversationId}/unread`
    expect((await server.request('POST', path)).status).toBe(401)
    expect((await alice.send('POST', '/api/chats/conversations/x/unread')).status).toBe(400)
  })
})

describe.if(inProcess)('the row of a group in the list of conversations', () => {
  const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], noAdmin: true })
  let group: { id: number }
  const namesFor = async (user: Person, one = group) => (await conversationOf(user, one)).lastMessageNames
  const rename = async (person: Person, nickname: string) =>
    ok(await person.call('profile.update', { body: { nickname } }))

  beforeAll(async () => {
    for (const person of [alice, bob, carol]) await rename(person, person.username)
    await befriend(server, alice, bob, carol)
    group = await createGroup(alice, [bob, carol])
  })

  test('names the sender by remark or nickname as it is now, after edits and recalls too, but not the user', async () => {
    const message = await say(bob, group, 'see you')
    const remark = 'Bob from work'
    expect([await namesFor(alice), await namesFor(bob)]).toEqual([[{ userId: bob.id, name: 'bob' }], []])
    const { items } = ok(await alice.call('contacts.list', { query: {} })).data
    const contact = items.find(({ userId }) => userId === bob.id)!
    ok(await alice.call('contacts.setRemark', { params: { contactId: contact.id! }, body: { remark } }))
    await rename(bob, 'Robert')
    ok(await bob.call('messages.edit', { params: { id: message.id }, body: { content: { text: 'see you soon' } } }))
    const names = [[{ userId: bob.id, name: remark }], [{ userId: bob.id, name: 'Robert' }]]
    expect([await namesFor(alice), await namesFor(carol)]).toEqual(names)
    ok(await recall(bob, message.id))
    expect([await namesFor(alice), await namesFor(carol)]).toEqual(names)
  })

  test('names the one who removed the message, and those whom a change of the group is about', async () => {
    const insult = await say(carol, group, 'insult')
    ok(await alice.call('messages.remove', { params: { id: insult.id }, body: {} }))
    expect(await namesFor(bob)).toEqual([
      { userId: carol.id, name: 'carol' },
      { userId: alice.id, name: 'alice' },
    ])
    ok(await bob.call('groups.leave', { params: { id: group.id } }))
    expect(await namesFor(carol)).toEqual([{ userId: bob.id, name: 'Robert' }])
    // Former members see the last message before they left, which is about themselves.
    expect(await namesFor(bob)).toEqual([])
  })

  test('costs as many statements for a page of groups as for one group, and direct conversations name nobody', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await befriend(server, a, alice, b)
    const countFor = async () =>
      (await statementsOf(server.ctx.db.read, () => a.call('conversations.list', { query: {} }))).length
    await say(alice, await createGroup(a, [alice]), 'one')
    const one = await countFor()
    for (let i = 0; i < 6; i++) await say(i % 2 ? a : alice, await createGroup(alice, [a]), `${i}`)
    expect(await countFor()).toBe(one)
    const { conversationId } = await sendText(b, a)
    expect(await namesFor(a, { id: conversationId })).toEqual([])
  })
})
