/** Edits of texts. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { messageTerms } from '#db/schema/chat.ts'
import { messagesForDevices } from '#domains/chat/index.ts'
import { indexMessages } from '#domains/chat/search/search.service.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { befriend, conversationOf, createGroup, history, membersOf, say } from './group-helpers.ts'
import { changeMember, recall, relate, send, sendText, storedMessages } from './helpers.ts'

const edit = (person: Person, id: number, text: string, mentions?: readonly number[]) =>
  person.call('messages.edit', { params: { id }, body: { content: { text, ...(mentions && { mentions }) } } })

describe.if(inProcess)('an edit', () => {
  const { server, alice, bob, carol, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
  })
  let group: { id: number }
  const row = async (id: number) => (await storedMessages(server)).find((message) => message.id === id)!
  const sync = async (user: Person, afterId: number) => ok(await user.get('/api/chats/sync', { afterId })).data
  const found = async (user: Person, q: string) =>
    ok(await user.call('messages.search', { query: { q } })).data.items.map(({ id }) => id)

  beforeAll(async () => {
    await befriend(server, alice, bob, carol)
    group = await createGroup(alice, [bob, carol])
  })

  test('replaces the text for everyone, at its place, and says when', async () => {
    const first = await say(alice, group, 'See you at nine')
    const last = await say(alice, group, 'later')
    const reply = await say(bob, group, 'ok', { replyToId: first.id })
    const { cursor } = await sync(bob, 0)
    const before = await conversationOf(bob, group)
    const { data } = ok(await edit(alice, first.id, 'See you at ten'))
    expect(data).toEqual({ ...first, content: { text: 'See you at ten' }, editedAt: expect.any(Number) })
    const page = await sync(bob, cursor)
    expect([page.messages, page.recalled, page.updated]).toEqual([[], [], [data]])
    expect(page.cursor).toBe(reply.id + 1)
    const after = await conversationOf(bob, group)
    expect([after.unreadCount, after.lastMessage?.id]).toEqual([before.unreadCount, before.lastMessage!.id])
    const { items } = ok(await carol.get(`/api/chats/conversations/${group.id}/messages`, { limit: 3 })).data
    expect(items.map((message: { content: unknown }) => message.content)).toEqual([
      { text: 'ok' },
      last.content,
      { text: 'See you at ten' },
    ])
    expect(items[0].replyTo.excerpt).toBe('See you at ten')
  })

  test('reaches sockets as message.updated', async () => {
    const message = await say(alice, group, 'by socket')
    const socket = await bob.socket()
    const { data } = ok(await edit(alice, message.id, 'by the socket'))
    expect(await socket.next('message.updated')).toEqual({ message: data, cursor: expect.any(Number) })
    await socket.close()
  })

  test('with the same text changes nothing, also after the time has passed', async () => {
    const message = await say(alice, group, 'the same')
    const before = await row(message.id)
    expect(ok(await edit(alice, message.id, 'the same')).data).toEqual(message)
    expect(await row(message.id)).toEqual(before)
    const edited = ok(await edit(alice, message.id, 'another')).data
    server.clock.advance(DAY)
    expect(ok(await edit(alice, message.id, 'another')).data).toEqual(edited)
  })

  test('is refused with 4014 after a day or what administrators allow, and always with 0', async () => {
    const admin = await server.admin()
    const message = await say(alice, group, 'one day')
    server.clock.advance(DAY - HOUR)
    ok(await edit(alice, message.id, 'one day!'))
    server.clock.advance(HOUR)
    const late = await edit(alice, message.id, 'too late')
    expect([late.status, late.code]).toEqual([400, 4014])
    const set = async (editSeconds: number) =>
      ok(await admin.call('admin.chat.changeSettings', { body: { editSeconds } }))
    await set(0)
    const { id } = await say(alice, group, 'never')
    expect((await edit(alice, id, 'never ever')).code).toBe(4014)
    await set(86_400)
    ok(await edit(alice, id, 'never ever'))
  })

  test('is for the sender: other members get 403, everyone else 404', async () => {
    const { id } = await say(alice, group, 'mine')
    expect((await edit(bob, id, 'yours')).status).toBe(403)
    for (const message of [id, 999_999_999]) expect((await edit(mallory, message, 'x')).status).toBe(404)
    expect(
      (await server.request('PATCH', `/api/chats/messages/${id}`, { body: { content: { text: 'x' } } })).status,
    ).toBe(401)
    expect((await row(id)).content).toEqual({ text: 'mine' })
  })

  test('is for texts that are neither recalled nor forwarded', async () => {
    const place = { type: 'LOCATION', content: { latitude: 30, longitude: 120 } }
    const { messages } = ok(await send(alice, { conversationId: group.id, ...place })).data
    const text = await say(alice, group, 'gone soon')
    const body = { messageIds: [text.id], userIds: [bob.id], clientMsgId: 'forwarded' }
    const [copy] = ok(await alice.call('messages.forward', { body })).data.results[0]!.messageIds
    ok(await recall(alice, text.id))
    for (const id of [messages[0].id, text.id, copy!]) expect((await edit(alice, id, 'x')).status).toBe(400)
    expect((await row(text.id)).content).toEqual({})
  })

  test('takes the contents that sending takes, and is refused with 4021 otherwise', async () => {
    const { id } = await say(alice, group, 'shape')
    for (const content of [undefined, null, 'x', {}, { text: '' }, { text: 'x'.repeat(5001) }, { text: 5 }]) {
      const reply = await alice.send('PATCH', `/api/chats/messages/${id}`, { body: { content } })
      expect([reply.status, reply.code], JSON.stringify(content)?.slice(0, 40)).toEqual([400, 4021])
    }
    const stranger = await edit(alice, id, '@mallory', [mallory.id])
    expect([stranger.status, stranger.code]).toEqual([400, 4021])
    expect((await row(id)).content).toEqual({ text: 'shape' })
  })

  test('is refused where messages would be: across a block with 4012, after leaving with 4015', async () => {
    const direct = await sendText(alice, carol, 'direct')
    await relate(server, carol, alice, { blocked: true })
    expect((await edit(alice, direct.id, 'insult')).code).toBe(4012)
    await relate(server, carol, alice)
    ok(await edit(alice, direct.id, 'kind words'))
    const other = await createGroup(alice, [bob])
    const question = await say(alice, other, 'Are you leaving?')
    const { id } = await say(bob, other, 'bye')
    ok(await bob.call('groups.leave', { params: { id: other.id } }))
    expect((await edit(bob, id, 'still here')).code).toBe(4015)
    // Former members see the messages from before as they are now.
    ok(await edit(alice, question.id, 'Have you left?'))
    expect(await history(bob, other)).toContain('Have you left?')
    await changeMember(server, direct.conversationId, alice, { clearedUpTo: direct.id })
    expect((await edit(alice, direct.id, 'cleared')).status).toBe(404)
  })

  test('is followed by the search, before and after the index', async () => {
    const animal = await say(alice, group, 'Zebra crossing 斑马线')
    ok(await edit(alice, animal.id, 'Giraffe crossing 长颈鹿'))
    expect([await found(bob, 'zebra'), await found(bob, '斑马'), await found(bob, 'giraffe')]).toEqual([
      [],
      [],
      [animal.id],
    ])
    await indexMessages(server.ctx)
    expect([await found(bob, 'zebra'), await found(bob, '颈鹿')]).toEqual([[], [animal.id]])
    ok(await edit(alice, animal.id, 'Okapi 斑马线'))
    expect([await found(bob, 'giraffe'), await found(bob, 'okapi'), await found(bob, '斑马')]).toEqual([
      [],
      [animal.id],
      [animal.id],
    ])
    const terms = await server.ctx.db.read.select().from(messageTerms).where(eq(messageTerms.messageId, animal.id))
    expect(terms.map(({ term }) => term).toSorted()).toEqual(['okapi', '斑马', '马线'])
  })

  test('notifies each person of a mention once', async () => {
    const mentioned = async (user: Person) => (await conversationOf(user, group)).mentioned
    const read = async (user: Person) => ok(await user.post(`/api/chats/conversations/${group.id}/read`))
    const devices = async (id: number) => (await messagesForDevices(server.ctx, [id]))[0]!
    for (const user of [bob, carol]) await read(user)
    const { id } = await say(alice, group, 'who?')
    ok(await edit(alice, id, '@bob?', [bob.id]))
    expect([await mentioned(bob), await mentioned(carol)]).toEqual([true, false])
    expect(await devices(id)).toMatchObject({ text: '@bob?', mentions: [bob.id] })
    ok(await edit(alice, id, '@carol?', [carol.id]))
    expect([await mentioned(bob), await mentioned(carol)]).toEqual([false, true])
    const { data } = ok(await edit(alice, id, '@bob @carol!', [bob.id, carol.id]))
    expect(data.content).toEqual({ text: '@bob @carol!', mentions: [bob.id, carol.id] })
    expect([await mentioned(bob), await mentioned(carol)]).toEqual([false, true])
    // A user who has read the message is not notified either.
    const later = await say(alice, group, 'read it')
    await read(bob)
    ok(await edit(alice, later.id, '@bob', [bob.id]))
    expect(await mentioned(bob)).toBe(false)
  })

  test('never takes the newest mention away from a later message', async () => {
    for (const user of [bob, carol]) ok(await user.post(`/api/chats/conversations/${group.id}/read`))
    const early = await say(alice, group, 'early')
    const late = await say(alice, group, '@bob late', { mentions: [bob.id] })
    ok(await edit(alice, early.id, '@bob early', [bob.id]))
    ok(await edit(alice, early.id, 'early'))
    expect((await conversationOf(bob, group)).mentioned).toBe(true)
    ok(await edit(alice, late.id, 'late'))
    expect((await conversationOf(bob, group)).mentioned).toBe(false)
  })

  test('and fifty others at once take numbers one after the other, and the last one wins', async () => {
    const { id } = await say(alice, group, 'start')
    const { cursor } = await sync(bob, id)
    const replies = await race(50, (i) => edit(alice, id, `version ${i}`))
    for (const reply of replies) expect([200, 429]).toContain(reply.status)
    const page = await sync(bob, cursor)
    expect(page.updated).toHaveLength(1)
    const done = replies.filter(({ status }) => status === 200)
    expect(page.cursor).toBe(cursor + done.length)
    expect(done.map(({ data }) => JSON.stringify(data.content))).toContain(JSON.stringify(page.updated[0].content))
    expect((await row(id)).content).toEqual(page.updated[0].content)
    expect((await membersOf(alice, group)).total).toBe(3)
  })

  test('of several conversations at once are stored together, except for those that are refused', async () => {
    const groups = [group, await createGroup(alice, [bob]), await createGroup(bob, [alice])]
    const messages = await Promise.all(groups.map((one, i) => say(alice, one, `together ${i}`)))
    const more = await say(alice, group, 'together 3')
    const { cursor } = await sync(bob, more.id)
    const [changed, other, same, foreign, empty, later] = await Promise.all([
      edit(alice, messages[0]!.id, 'changed'),
      edit(alice, messages[1]!.id, 'changed too'),
      edit(alice, messages[2]!.id, 'together 2'),
      edit(bob, messages[0]!.id, 'not mine'),
      edit(alice, messages[1]!.id, ''),
      edit(alice, more.id, 'changed later'),
    ])
    expect([changed, other, same, foreign, empty, later].map(({ status }) => status)).toEqual([
      200, 200, 200, 403, 400, 200,
    ])
    const page = await sync(bob, cursor)
    expect(page.updated.map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b)).toEqual([
      messages[0]!.id,
      messages[1]!.id,
      more.id,
    ])
    expect(page.cursor).toBe(cursor + 3)
    expect((await row(messages[2]!.id)).editedAt).toBeNull()
  })
})
