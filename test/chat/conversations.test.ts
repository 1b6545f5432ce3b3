import { beforeAll, describe, expect, test } from 'bun:test'

import { users } from '#db/schema/accounts.ts'

import { inProcess, ok, type Person, until, useServer } from '../harness/index.ts'
import { listen, recall, sendAll, sendText } from './conversation-helpers.ts'
import { makeGroup } from './helpers.ts'

describe.if(inProcess)('conversations', () => {
  const { server, alice, bob, carol, mallory } = useServer({ people: ['alice', 'bob', 'carol', 'mallory'] })

  beforeAll(async () => {
    for (const person of [alice, bob, carol])
      ok(await person.call('profile.update', { body: { nickname: person.username } }))
  })

  const get = async (person: Person, id: number) => ok(await person.call('conversations.get', { params: { id } })).data
  const idOf = async (a: Person, b: Person) => (await sendText(server, a, b, 'hello')).conversationId
  const empty = async (person: Person, id: number) => {
    ok(await person.call('conversations.clear', { params: { id } }))
  }

  test('both users see one direct conversation under the same id, each with the other as its title', async () => {
    const id = await idOf(alice, bob)
    expect(await idOf(bob, alice)).toBe(id)
    const mine = await get(alice, id)
    expect([mine.type, mine.title, mine.peer?.userId, mine.peer?.remark]).toEqual(['DIRECT', 'bob', bob.id, ''])
    expect((await get(bob, id)).title).toBe('alice')
    expect(mine.lastMessage?.content).toEqual({ text: 'hello' })
    expect([mine.readUpToId, mine.peerReadUpToId, mine.pinned, mine.muted, mine.draft]).toEqual([
      0,
      0,
      false,
      false,
      '',
    ])
  })

  const operations = [
    ['GET', ''],
    ['POST', '/pin', { pinned: true }],
    ['POST', '/read', {}],
    ['PUT', '/mute', { muted: true }],
    ['PUT', '/draft', { draft: 'x' }],
    ['DELETE', ''],
    ['DELETE', '/messages'],
    ['GET', '/messages'],
  ] as const

  test.each(operations)(
    '%s %s answers 401 without a token and 404 to users who are not in the conversation',
    async (...args) => {
      const [method, rest, body] = args
      const id = await idOf(alice, bob)
      const path = `/api/chats/conversations/${id}${rest}`
      const before = await get(alice, id)
      expect((await server.request(method, path, { ...(body && { body }) })).status).toBe(401)
      expect((await mallory.send(method, path, { ...(body && { body }) })).status).toBe(404)
      const unknown = `/api/chats/conversations/999999${rest}`
      expect((await mallory.send(method, unknown, { ...(body && { body }) })).status).toBe(404)
      expect(await get(alice, id)).toEqual(before)
    },
  )

  test('the list has pinned conversations first, then the newest message first, and finds titles and unread ones', async () => {
    const user = await server.person('list-owner')
    const ids: number[] = []
    for (const other of [alice, bob, carol]) {
      ids.push((await sendText(server, other, user, 'hi')).conversationId)
      server.clock.advance(1000)
    }
    const list = async (query: object = {}) =>
      ok(await user.call('conversations.list', { query })).data.items.map(({ id }) => id)
    const [first, second, third] = ids as [number, number, number]
    expect(await list()).toEqual([third, second, first])
    ok(await user.call('conversations.pin', { params: { id: first }, body: { pinned: true } }))
    expect(await list()).toEqual([first, third, second])
    expect(await list({ keyword: 'BO' })).toEqual([second])
    expect(await list({ keyword: 'b' })).toEqual([second])
    ok(await user.call('conversations.read', { params: { id: second }, body: {} }))
    expect(await list({ unread: true })).toEqual([first, third])
    expect(await list({ unread: true, keyword: 'a' })).toEqual([first, third])
    const page = ok(await user.call('conversations.list', { query: { page: 2, size: 2 } })).data
    expect([page.total, page.items.map(({ id }) => id)]).toEqual([3, [second]])
    expect((await user.get('/api/chats/conversations', { size: 101 })).status).toBe(400)
  })

  test('pin, mute and draft change only the view of the caller, and a draft does not move the conversation', async () => {
    const id = await idOf(alice, bob)
    const theirs = await get(bob, id)
    const { sortless } = { sortless: await get(alice, id) }
    ok(await alice.call('conversations.pin', { params: { id }, body: { pinned: true } }))
    ok(await alice.call('conversations.mute', { params: { id }, body: { muted: true } }))
    const changed = ok(await alice.call('conversations.draft', { params: { id }, body: { draft: 'See you' } })).data
    expect([changed.pinned, changed.muted, changed.draft]).toEqual([true, true, 'See you'])
    expect(changed.lastMessage).toEqual(sortless.lastMessage)
    expect(await get(bob, id)).toEqual(theirs)
    expect(ok(await alice.call('conversations.draft', { params: { id }, body: { draft: null } })).data.draft).toBe('')
    expect((await alice.put(`/api/chats/conversations/${id}/draft`, { draft: 'x'.repeat(1001) })).status).toBe(400)
    expect((await alice.put(`/api/chats/conversations/${id}/mute`, { muted: 'yes' })).status).toBe(400)
    expect((await get(alice, id)).draft).toBe('')
  })

  test('reading counts only messages of others that are not recalled, cleared or SYSTEM, and never goes back', async () => {
    const id = await idOf(alice, carol)
    ok(await carol.call('conversations.read', { params: { id }, body: {} }))
    const [first, second, third] = await sendAll(server, alice, carol, ['1', '2', '3'])
    await sendAll(server, alice, carol, ['joined'], { type: 'SYSTEM' })
    await sendText(server, carol, alice, 'mine')
    expect((await get(carol, id)).unreadCount).toBe(3)
    await recall(server, third!)
    expect((await get(carol, id)).unreadCount).toBe(2)
    const read = (messageId?: number) =>
      carol.call('conversations.read', { params: { id }, body: messageId === undefined ? {} : { messageId } })
    expect(ok(await read(second!.id)).data).toEqual({ conversationId: id, readUpToId: second!.id, unreadCount: 0 })
    expect(ok(await read(first!.id)).data.readUpToId).toBe(second!.id)
    const newest = (await get(carol, id)).lastMessage!.id
    expect(ok(await read()).data).toEqual({ conversationId: id, readUpToId: newest, unreadCount: 0 })
    expect((await get(alice, id)).peerReadUpToId).toBe(newest)
    const elsewhere = await sendText(server, alice, bob, 'elsewhere')
    expect((await read(elsewhere.id)).status).toBe(404)
    expect((await read(999_999)).status).toBe(404)
    expect((await carol.post(`/api/chats/conversations/${id}/read`, { messageId: 'x' })).status).toBe(400)
  })

  test('history is newest first, strictly below beforeId and above afterId, says whether there is more, and marks nothing as read', async () => {
    const user = await server.person('reader')
    const sent = await sendAll(
      server,
      alice,
      user,
      Array.from({ length: 25 }, (_, i) => `m${i}`),
    )
    const id = sent[0]!.conversationId
    const page = async (query: object) => ok(await user.call('conversations.history', { params: { id }, query })).data
    const first = await page({})
    expect([first.items.length, first.items[0]!.id, first.hasMore]).toEqual([20, sent[24]!.id, true])
    const rest = await page({ beforeId: first.items.at(-1)!.id })
    expect([rest.items.map((message) => message.id), rest.hasMore]).toEqual([
      sent
        .slice(0, 5)
        .map((message) => message.id)
        .toReversed(),
      false,
    ])
    const following = await page({ afterId: sent[2]!.id, limit: 3 })
    expect([following.items.map((message) => message.id), following.hasMore]).toEqual([
      [sent[5]!.id, sent[4]!.id, sent[3]!.id],
      true,
    ])
    const last = await page({ afterId: sent[21]!.id, beforeId: sent[24]!.id })
    expect([last.items.map((message) => message.id), last.hasMore]).toEqual([[sent[23]!.id, sent[22]!.id], false])
    expect((await get(user, id)).unreadCount).toBe(25)
    for (const limit of [0, 101])
      expect((await user.get(`/api/chats/conversations/${id}/messages`, { limit })).status).toBe(400)
  })

  test('clearing empties the history of the caller only, and later messages are shown', async () => {
    const id = await idOf(alice, bob)
    await empty(alice, id)
    const cleared = await get(alice, id)
    expect([cleared.lastMessage, cleared.unreadCount]).toEqual([null, 0])
    expect(ok(await alice.call('conversations.history', { params: { id } })).data.items).toEqual([])
    expect(ok(await bob.call('conversations.history', { params: { id } })).data.items.length).toBeGreaterThan(0)
    const later = await sendText(server, bob, alice, 'later')
    expect(ok(await alice.call('conversations.history', { params: { id } })).data.items.map((m) => m.id)).toEqual([
      later.id,
    ])
  })

  test('a deleted conversation answers 404 until a newer message brings it back under the same id without pin, mute and draft', async () => {
    const id = await idOf(alice, carol)
    ok(await alice.call('conversations.pin', { params: { id }, body: { pinned: true } }))
    ok(await alice.call('conversations.draft', { params: { id }, body: { draft: 'x' } }))
    expect(ok(await alice.call('conversations.delete', { params: { id } })).data).toBeNull()
    for (const [method, rest, body] of operations)
      expect(
        (await alice.send(method, `/api/chats/conversations/${id}${rest}`, { ...(body && { body }) })).status,
      ).toBe(404)
    expect((await get(carol, id)).id).toBe(id)
    const later = await sendText(server, carol, alice, 'back')
    const back = await get(alice, id)
    expect([back.lastMessage?.id, back.unreadCount, back.pinned, back.muted, back.draft]).toEqual([
      later.id,
      1,
      false,
      false,
      '',
    ])
    expect(ok(await alice.call('conversations.history', { params: { id } })).data.items.map((m) => m.id)).toEqual([
      later.id,
    ])
  })

  test('messages that both users have cleared are deleted', async () => {
    const other = await server.person('clearer')
    const { conversationId: id, id: messageId } = await sendText(server, other, alice, 'secret')
    await empty(alice, id)
    expect(await exists(messageId)).toBe(true)
    await empty(other, id)
    await until(async () => !(await exists(messageId)))
  })

  async function exists(messageId: number): Promise<boolean> {
    const { findMessage } = await import('#domains/chat/messages/messages.store.ts')
    return (await findMessage(server.ctx.db.read, messageId)) !== undefined
  }

  test('live sockets get messages and recalls in order, read marks of both sides, and their own changes', async () => {
    const [mine, theirs, foreign] = [listen(server, alice), listen(server, bob), listen(server, mallory)]
    const { id: first, conversationId: id } = await sendText(server, alice, bob, 'hello')
    ok(await bob.call('conversations.read', { params: { id }, body: {} }))
    // Frames of earlier events may arrive late.
    for (const { frames } of [mine, theirs]) {
      await until(
        () => frames.some(({ data }) => data.id === first) && frames.some(({ data }) => data.readUpToId === first),
      )
      frames.length = 0
    }
    foreign.frames.length = 0
    const sent = await sendAll(server, alice, bob, ['1', '2', '3'])
    await recall(server, sent[1]!)
    ok(await bob.call('conversations.read', { params: { id }, body: {} }))
    ok(await bob.call('conversations.mute', { params: { id }, body: { muted: true } }))
    ok(await bob.call('conversations.delete', { params: { id } }))
    const types = ({ frames }: { frames: readonly { type: string }[] }) => frames.map(({ type }) => type)
    await until(() => theirs.frames.some(({ data }) => data.deleted) && types(mine).includes('read'))
    for (const { frames } of [mine, theirs]) {
      const numbers = frames.flatMap(({ type, data }) =>
        type === 'message' ? data.id : type === 'message.recalled' ? data.cursor : [],
      )
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
      expect(frames.filter(({ type }) => type === 'message').map(({ data }) => data.id)).toEqual(sent.map((m) => m.id))
      expect(frames.find(({ type }) => type === 'message.recalled')!.data).toMatchObject({
        messageId: sent[1]!.id,
        conversationId: id,
      })
      expect(frames.find(({ type }) => type === 'read')!.data).toEqual({
        conversationId: id,
        userId: bob.id,
        readUpToId: sent[2]!.id,
      })
    }
    expect(theirs.frames.at(-1)).toEqual({ type: 'conversation.updated', data: { id, deleted: true } })
    expect(types(mine)).not.toContain('conversation.updated')
    expect(foreign.frames).toEqual([])
    for (const socket of [mine, theirs, foreign]) socket.close()
  })

  test('a change of a large group lets others take turns between the frames to its members', async () => {
    const members = Array.from({ length: 64 }, (_, i) => ({ id: 1_000_000 + i }))
    await server.ctx.db.write('test.members', async (tx) => {
      const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
      for (const { id } of members)
        await tx.insert(users).values({ id, username: `member${id}`, nickname: 'member', ...times })
    })
    const group = await makeGroup(server, [alice, ...members])
    let turn = 0
    let isCounting = true
    const next = () => void (turn++, isCounting && setImmediate(next))
    next()
    const inTurns = new Map<number, number>()
    const sockets = members.map((member) =>
      listen(server, member, ({ type }) => {
        if (type === 'conversation.updated') inTurns.set(turn, (inTurns.get(turn) ?? 0) + 1)
      }),
    )
    ok(await alice.call('groups.update', { params: { id: group }, body: { name: 'Renamed' } }))
    await until(() => sockets.every(({ frames }) => frames.some(({ type }) => type === 'conversation.updated')))
    isCounting = false
    expect(Math.max(...inTurns.values())).toBeLessThanOrEqual(8)
    for (const socket of sockets) socket.close()
  })
})
