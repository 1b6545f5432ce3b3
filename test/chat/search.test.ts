import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { messageTerms } from '#db/schema/chat.ts'
import { lastNumber } from '#domains/chat/chat.store.ts'
import { indexMessages } from '#domains/chat/search/search.service.ts'
import { indexedUpTo } from '#domains/chat/search/search.store.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { storeWith } from '../harness/store.ts'
import { befriend, createGroup, say } from './group-helpers.ts'

interface Query {
  readonly conversationId?: number
  readonly beforeId?: number
  readonly limit?: number
}

describe.if(inProcess)('the search of messages', () => {
  const { server, alice, bob, carol, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'mallory'],
    noAdmin: true,
  })
  let group: { id: number }
  let other: { id: number }

  const search = (user: Person, q: string, more: Query = {}) => user.call('messages.search', { query: { q, ...more } })
  const texts = async (user: Person, q: string, more: Query = {}): Promise<unknown[]> =>
    ok(await search(user, q, more)).data.items.map((message) => message.content['text'])

  beforeAll(async () => {
    await befriend(server, alice, bob, carol)
    group = await createGroup(alice, [bob])
    other = await createGroup(alice, [carol])
  })

  /** Each test runs before and after the messages are indexed. */
  const bothWays = (name: string, run: () => Promise<void>) => {
    test(`${name}, before it is indexed`, run)
    test(`${name}, from the index`, async () => {
      await indexMessages(server.ctx)
      await run()
    })
  }

  test('finds Chinese words of two characters, whole words ignoring case, and all words of a query', async () => {
    await say(alice, group, '明天下午三点在北京大学开会')
    await say(bob, group, 'Meeting about the Budget 2026')
    await say(alice, other, 'the budget meeting 会议 moved')
  })
  bothWays('finds them', async () => {
    expect(await texts(alice, '开会')).toEqual(['明天下午三点在北京大学开会'])
    expect(await texts(alice, '北京大学')).toEqual(['明天下午三点在北京大学开会'])
    expect(await texts(alice, '京北')).toEqual([])
    expect(await texts(alice, 'BUDGET')).toEqual(['the budget meeting 会议 moved', 'Meeting about the Budget 2026'])
    expect(await texts(alice, 'budget 会议')).toEqual(['the budget meeting 会议 moved'])
    expect(await texts(alice, 'budge')).toEqual([])
    expect(await texts(alice, '2026')).toEqual(['Meeting about the Budget 2026'])
  })

  bothWays('finds messages of the own conversations only', async () => {
    expect(await texts(bob, 'budget')).toEqual(['Meeting about the Budget 2026'])
    expect(await texts(mallory, 'budget')).toEqual([])
    expect(await texts(alice, 'budget', { conversationId: other.id })).toEqual(['the budget meeting 会议 moved'])
    for (const conversationId of [other.id, 999_999_999])
      expect((await search(bob, 'budget', { conversationId })).status).toBe(404)
  })

  test('pages by beforeId, the newest first, and says whether there are more', async () => {
    const sent = []
    for (let i = 0; i < 7; i++) sent.push(await say(alice, group, `page ${i}`))
    const ids = sent.map(({ id }) => id).toReversed()
    const first = ok(await search(bob, 'page', { limit: 3 })).data
    expect([first.items.map(({ id }) => id), first.hasMore]).toEqual([ids.slice(0, 3), true])
    await indexMessages(server.ctx)
    const second = ok(await search(bob, 'page', { limit: 4, beforeId: ids[2]! })).data
    expect([second.items.map(({ id }) => id), second.hasMore]).toEqual([ids.slice(3), false])
    // The oldest are indexed, the newest is not.
    const newest = await say(alice, group, 'page 7')
    expect(ok(await search(bob, 'page', { limit: 50 })).data.items.map(({ id }) => id)).toEqual([newest.id, ...ids])
  })

  test('shows a message to new members only if it was sent after they joined, to former members only if before', async () => {
    const place = await createGroup(alice, [bob])
    await say(alice, place, 'zebra early')
    ok(await alice.call('groups.addMembers', { params: { id: place.id }, body: { userIds: [carol.id] } }))
    await say(alice, place, 'zebra middle')
    ok(await bob.call('groups.leave', { params: { id: place.id } }))
    await say(alice, place, 'zebra late')
  })
  bothWays('respects when members joined and left', async () => {
    expect(await texts(alice, 'zebra')).toEqual(['zebra late', 'zebra middle', 'zebra early'])
    expect(await texts(bob, 'zebra')).toEqual(['zebra middle', 'zebra early'])
    expect(await texts(carol, 'zebra')).toEqual(['zebra late', 'zebra middle'])
  })

  test('forgets recalled messages, for users and in the index, and cleared ones for the user who cleared them', async () => {
    const place = await createGroup(alice, [bob])
    const recalled = await say(alice, place, 'giraffe secret')
    const early = await say(alice, place, 'giraffe hidden')
    await indexMessages(server.ctx)
    for (const { id } of [recalled, early]) ok(await alice.call('messages.recall', { params: { id } }))
    await say(alice, place, 'giraffe stays')
    ok(await bob.delete(`/api/chats/conversations/${place.id}/messages`))
    expect(await texts(alice, 'giraffe')).toEqual(['giraffe stays'])
    expect(await texts(bob, 'giraffe')).toEqual([])
    await indexMessages(server.ctx)
    const rows = await server.ctx.db.read.select().from(messageTerms).where(eq(messageTerms.conversationId, place.id))
    expect(rows.map(({ term }) => term).toSorted()).toEqual(['giraffe', 'stays'])
  })

  test('finds no messages of the system, and treats special characters as spaces', async () => {
    expect(await texts(alice, 'group created')).toEqual([])
    await say(alice, group, '100% of "quoted" _words_')
    expect(await texts(alice, '"quoted" %_*')).toEqual(['100% of "quoted" _words_'])
  })

  test('refuses queries without a word', async () => {
    for (const q of ['', ' ', '会', '%', '👍', 'x'.repeat(101)])
      expect((await alice.get('/api/chats/messages/search', { q })).status, q).toBe(400)
    expect((await alice.get('/api/chats/messages/search', { q: 'ok', limit: 51 })).status).toBe(400)
  })

  test('long messages are indexed in several writes, and all of them are found', async () => {
    await indexMessages(server.ctx)
    for (let i = 0; i < 30; i++) await say(alice, group, '哈'.repeat(4990) + ` long${i}`)
    const { db } = server.ctx
    let writes = 0
    const counting = storeWith(db, { write: (...args) => (writes++, db.write(...args)) })
    await indexMessages({ ...server.ctx, db: counting })
    expect(writes).toBeGreaterThanOrEqual(3)
    expect(await indexedUpTo(db.read)).toBe(await lastNumber(db.read))
    for (const i of [0, 9, 10, 29]) expect(await texts(bob, `long${i}`)).toHaveLength(1)
  })
})
