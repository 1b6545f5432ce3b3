/** Two people meet, become contacts by a card and write to each other from their phones, which lose their connections in between. */

import { describe, expect, test } from 'bun:test'

import { pathOf, png, uploaded } from '../files/helpers.ts'
import { ok, type Person, until, useServer } from '../harness/index.ts'
import { openSocket, type TestSocket } from '../harness/socket.ts'

const { server, mei, tom, eve } = useServer({ people: ['mei', 'tom', 'eve'] })

const connect = (person: Person): Promise<TestSocket> => openSocket(server.url, person.token)

let count = 0
const write = (from: Person, to: Person, fields: object) =>
  from.post('/api/chats/messages', { toUserId: to.id, clientMsgId: `journey-${++count}`, ...fields })
const say = async (from: Person, to: Person, text: string) =>
  ok(await write(from, to, { type: 'TEXT', content: { text } })).data.messages[0]
const sync = async (person: Person, afterId: number) => ok(await person.get('/api/chats/sync', { afterId })).data
const texts = (messages: { content: { text?: string } }[]) => messages.map(({ content }) => content.text)
const conversationsOf = async (person: Person) => ok(await person.get('/api/chats/conversations')).data.items

describe('two phones', () => {
  test('become contacts by a card, chat, lose connections, catch up, recall a message, block, and sign out', async () => {
    // Mei shows her card, and Tom scans it. Before, he could not even name her.
    const strangers = await tom.post('/api/contacts/requests', { userId: mei.id })
    expect(strangers.status).toBe(404)
    const onMei = await connect(mei)
    const onTom = await connect(tom)
    const card = ok(await mei.get('/api/contacts/my-qrcode')).data
    const found = ok(await tom.get(`/api/contacts/by-qr-code/${card.code}`)).data
    expect(found).toMatchObject({ userId: mei.id, relation: 'NONE', contactId: null })
    const refused = await write(tom, mei, { type: 'TEXT', content: { text: 'Hello?' } })
    expect(refused.code).toBe(4011)
    const asked = ok(
      await tom.post('/api/contacts/requests', { code: card.content, message: 'Tom from the lake run', remark: 'Mei' }),
    ).data
    expect(asked).toMatchObject({ direction: 'OUTGOING', userId: mei.id, status: 'PENDING', source: 'QR_CODE' })
    const request = await onMei.next('contact.request')
    expect(request).toMatchObject({ direction: 'INCOMING', userId: tom.id, message: 'Tom from the lake run' })
    expect(ok(await mei.get('/api/contacts/pending-count')).data).toEqual({ count: 1 })
    ok(await mei.post(`/api/contacts/${request.id}/accept`, { remark: 'Runner' }))
    expect(await onTom.next('contact.request', ({ status }) => status === 'ACCEPTED')).toMatchObject({ userId: mei.id })
    expect(ok(await tom.get('/api/contacts')).data.items).toMatchObject([
      { userId: mei.id, remark: 'Mei', twoWay: true, blocked: false },
    ])

    // Both share when they are there. Their phones say so, and a process writes it within some seconds.
    for (const [person, socket] of [
      [mei, onMei],
      [tom, onTom],
    ] as const) {
      ok(await person.put('/api/contacts/settings', { presence: true }))
      socket.send('presence')
    }

    // They write to each other.
    const hello = await say(tom, mei, 'Hello Mei')
    expect(await onMei.next('message')).toMatchObject({
      id: hello.id,
      senderId: tom.id,
      content: { text: 'Hello Mei' },
    })
    expect(await onTom.next('message')).toMatchObject({ id: hello.id })
    const image = await uploaded(mei, png(), { type: 'other' }, 'route.png')
    const answer = ok(
      await write(mei, tom, { type: 'TEXT', content: { text: 'The route' }, attachments: [{ fileId: image.id }] }),
    ).data
    expect(answer.messages.map(({ type }: { type: string }) => type)).toEqual(['TEXT', 'IMAGE'])
    await onTom.next('message', ({ id }) => id === answer.messages[0].id)
    const picture = await onTom.next('message', ({ id }) => id === answer.messages[1].id)
    expect((await server.request('GET', pathOf(picture.content.url))).status).toBe(200)
    const { conversationId } = answer
    const [seenByTom] = await conversationsOf(tom)
    expect(seenByTom).toMatchObject({ id: conversationId, title: 'Mei', unreadCount: 2 })
    ok(await tom.post(`/api/chats/conversations/${conversationId}/read`))
    expect(await onMei.next('read')).toMatchObject({ userId: tom.id, readUpToId: picture.id })
    expect((await conversationsOf(mei))[0]).toMatchObject({ title: 'Runner', peerReadUpToId: picture.id })

    // Tom's phone loses the connection. Missed messages are counted, and come when it asks for them.
    await onTom.close()
    const missed = [
      await say(mei, tom, 'Are you there?'),
      await say(mei, tom, 'Six o’clock'),
      await say(mei, tom, 'Oops'),
    ]
    const recalled = ok(await mei.post(`/api/chats/messages/${missed[2].id}/recall`)).data
    expect(recalled).toMatchObject({ content: {}, recalledAt: expect.any(Number) })
    const again = await connect(tom)
    expect(again.hello.unread.messages).toBe(2)
    const page = await sync(tom, picture.id)
    expect(texts(page.messages)).toEqual(['Are you there?', 'Six o’clock', undefined])
    expect(page.recalled).toMatchObject([{ messageId: missed[2].id, conversationId }])
    expect(page.conversations).toMatchObject([{ id: conversationId, unreadCount: 2 }])
    expect(page.hasMore).toBe(false)
    // Changes that this process had not heard of at the handshake come as frames, too.
    if (again.hello.cursor < page.cursor) await again.next('message.recalled', ({ cursor }) => cursor === page.cursor)
    expect((await sync(tom, page.cursor)).messages).toEqual([])

    // An answer that got lost is asked for again: the message is there once.
    const body = { toUserId: mei.id, clientMsgId: 'lost-answer', type: 'TEXT', content: { text: 'See you' } }
    const first = ok(await tom.post('/api/chats/messages', body)).data
    const second = ok(await tom.post('/api/chats/messages', body)).data
    expect(second.messages).toEqual(first.messages)
    const history = ok(await mei.get(`/api/chats/conversations/${conversationId}/messages`)).data
    expect(texts(history.items).filter((text) => text === 'See you')).toHaveLength(1)
    expect(history.items[0]).toMatchObject({ id: first.messages[0].id })

    const presence = async (person: Person, { id }: Person) =>
      ok(await person.get('/api/contacts/presence', { userIds: id })).data.items
    await until(async () => (await presence(tom, mei))[0]?.online && (await presence(mei, tom))[0]?.online)

    // Nobody else sees any of it.
    expect(await presence(eve, mei)).toEqual([])
    expect((await eve.get(`/api/chats/conversations/${conversationId}/messages`)).status).toBe(404)
    expect((await eve.post(`/api/chats/messages/${hello.id}/recall`)).status).toBe(404)
    expect(await sync(eve, 0)).toMatchObject({ messages: [], recalled: [], conversations: [], cursor: 0 })

    // Mei blocks Tom, and both fall silent. The history stays.
    const [contact] = ok(await mei.get('/api/contacts')).data.items
    ok(await mei.post(`/api/contacts/${contact.id}/block`))
    expect((await write(tom, mei, { type: 'TEXT', content: { text: 'Mei?' } })).code).toBe(4012)
    expect((await write(mei, tom, { type: 'TEXT', content: { text: 'No' } })).code).toBe(4012)
    expect((await conversationsOf(tom))[0]).toMatchObject({ id: conversationId })
    expect([await presence(tom, mei), await presence(mei, tom)]).toEqual([[], []])
    ok(await mei.post(`/api/contacts/${contact.id}/unblock`))
    const peace = await say(tom, mei, 'Friends again?')
    await onMei.next('message', ({ id }) => id === peace.id)
    await again.next('message', ({ id }) => id === peace.id)

    // Tom deletes the contact: Mei is not told, and cannot write to him.
    const [toDelete] = ok(await tom.get('/api/contacts')).data.items
    ok(await tom.delete(`/api/contacts/${toDelete.id}`))
    expect(await conversationsOf(tom)).toEqual([])
    expect(ok(await mei.get('/api/contacts')).data.items).toMatchObject([{ userId: tom.id, twoWay: false }])
    expect((await write(mei, tom, { type: 'TEXT', content: { text: 'Hm' } })).code).toBe(4011)

    // He signs out, and the socket of this phone ends at once.
    ok(await tom.post('/api/auth/logout'))
    expect(await again.next('session.revoked')).toEqual({ reason: 'LOGOUT' })
    expect((await again.closed).code).toBe(4401)
    await expect(connect(tom)).rejects.toThrow()
    await onMei.roundTrip()
    await onMei.close()
  })
})
