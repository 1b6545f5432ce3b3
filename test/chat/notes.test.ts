/** The conversation of a user with themselves. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { messages } from '#db/schema/chat.ts'
import { purgeUnseen } from '#domains/chat/retention.jobs.ts'

import { png, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, until, useServer } from '../harness/index.ts'
import { exported } from '../own-data/helpers.ts'
import { listen } from './conversation-helpers.ts'
import { memberOf, newKey, send } from './helpers.ts'

describe.if(inProcess)('notes to oneself', () => {
  const { server, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })

  const open = async (person: Person) => ok(await person.call('chats.openNotes')).data
  const list = async (person: Person, query: object = {}) =>
    ok(await person.call('conversations.list', { query })).data.items
  const get = async (person: Person, id: number) => ok(await person.call('conversations.get', { params: { id } })).data
  const write = async (person: Person, conversationId: number, body: object = {}) =>
    ok(await send(person, { conversationId, ...body })).data.messages[0] as { id: number; content: object }
  const history = async (person: Person, id: number) =>
    ok(await person.call('conversations.history', { params: { id } })).data.items
  let notes: number

  beforeAll(async () => {
    ok(await alice.call('profile.update', { body: { nickname: 'Alice' } }))
  })

  test('before they are opened nothing is listed, and messages to oneself are refused as ever', async () => {
    expect(await list(alice)).toEqual([])
    expect((await send(alice, { toUserId: alice.id })).status).toBe(400)
    expect((await server.request('POST', '/api/chats/notes')).status).toBe(401)
    expect(await list(alice)).toEqual([])
  })

  test('50 requests at once open one conversation, which shows its owner as the other user', async () => {
    const opened = await Promise.all(Array.from({ length: 50 }, () => open(alice)))
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1)
    notes = opened[0]!.id
    const [only, ...others] = await list(alice)
    expect(others).toEqual([])
    expect(only).toMatchObject({
      id: notes,
      type: 'DIRECT',
      isNotes: true,
      title: 'Alice',
      peer: { userId: alice.id, nickname: 'Alice', remark: '', contactId: null },
      group: null,
      lastMessage: null,
      unreadCount: 0,
      peerReadUpToId: null,
    })
    expect(ok(await alice.call('contacts.list')).data.total).toBe(0)
  })

  test('others get 404 for it and for all messages in it', async () => {
    const { id } = await write(alice, notes, { content: { text: 'secret' } })
    expect((await send(mallory, { conversationId: notes })).status).toBe(404)
    for (const [method, path, body] of [
      ['GET', `conversations/${notes}`, undefined],
      ['GET', `conversations/${notes}/messages`, undefined],
      ['PUT', `conversations/${notes}/draft`, { draft: 'x' }],
      ['POST', `messages/${id}/report`, { reason: 'x' }],
      ['PUT', `messages/${id}/reactions/${encodeURIComponent('👍')}`, undefined],
      ['DELETE', `messages/${id}`, undefined],
      ['PATCH', `messages/${id}`, { content: { text: 'x' } }],
    ] as const)
      expect([path, (await mallory.send(method, `/api/chats/${path}`, { ...(body && { body }) })).status]).toEqual([
        path,
        404,
      ])
    const forwarded = await mallory.call('messages.forward', {
      body: { messageIds: [id], userIds: [alice.id], clientMsgId: newKey() },
    })
    expect(forwarded.status).toBe(404)
    // Another user's own notes stay apart.
    expect((await open(mallory)).id).not.toBe(notes)
    expect(await history(mallory, (await open(mallory)).id)).toEqual([])
  })

  test('text, media, cards and replies are sent by its id and by the own user id, and reach all devices without being unread', async () => {
    const [phone, desk] = [listen(server, alice), listen(server, alice)]
    const before = ok(await alice.call('chats.sync', { query: { afterId: 0 } })).data.cursor
    const first = await write(alice, notes, { content: { text: 'buy toner' } })
    const own = ok(await send(alice, { toUserId: alice.id, content: { text: 'by my id', mentions: [alice.id] } })).data
    expect(own.conversationId).toBe(notes)
    const { id: fileId } = await uploaded(alice, png(), { type: 'other' })
    await write(alice, notes, { type: 'IMAGE', content: { fileId } })
    await write(alice, notes, { type: 'CARD', content: { userId: alice.id } })
    await write(alice, notes, { type: 'LOCATION', content: { latitude: 1, longitude: 2 } })
    await write(alice, notes, { content: { text: 'a reply' }, replyToId: first.id })
    await until(() => phone.frames.filter(({ type }) => type === 'message').length === 6)
    await until(() => desk.frames.filter(({ type }) => type === 'message').length === 6)
    for (const { frames } of [phone, desk]) expect(frames.map(({ type }) => type)).not.toContain('notification')
    const page = ok(await alice.call('chats.sync', { query: { afterId: before } })).data
    expect(page.messages.map(({ type }) => type)).toEqual(['TEXT', 'TEXT', 'IMAGE', 'CARD', 'LOCATION', 'TEXT'])
    expect(page.conversations.map(({ id, unreadCount, mentioned }) => [id, unreadCount, mentioned])).toEqual([
      [notes, 0, false],
    ])
    expect(await list(alice, { unread: true })).toEqual([])
    const image = page.messages[2]!.content['url'] as string
    expect((await alice.send('GET', new URL(image, server.url).pathname)).status).toBe(200)
    expect((await mallory.send('GET', new URL(image, server.url).pathname)).status).toBe(404)
    // Nobody else can be mentioned, and there is no group to mention.
    expect((await send(alice, { conversationId: notes, content: { text: '@', mentions: [bob.id] } })).code).toBe(4021)
    expect((await send(alice, { conversationId: notes, content: { text: '@', mentionsAll: true } })).code).toBe(4021)
    for (const { close } of [phone, desk]) close()
  })

  test('a read mark is one frame, and never one for the other user', async () => {
    const socket = listen(server, alice)
    await write(alice, notes)
    ok(await alice.call('conversations.read', { params: { id: notes }, body: {} }))
    await until(() => socket.frames.some(({ type }) => type === 'read'))
    await until(() => socket.frames.some(({ type }) => type === 'conversation.updated'))
    expect(socket.frames.filter(({ type }) => type === 'read')).toHaveLength(1)
    expect((await get(alice, notes)).peerReadUpToId).toBeNull()
    socket.close()
  })

  test('notes are edited, recalled, reacted to, found by their text, and deleted permanently', async () => {
    const { id } = await write(alice, notes, { content: { text: 'zebra crossing' } })
    ok(await alice.call('messages.edit', { params: { id }, body: { content: { text: 'giraffe house' } } }))
    ok(await alice.call('messages.react', { params: { id, emoji: '👍' } }))
    const find = async (person: Person, q: string) =>
      ok(await person.call('messages.search', { query: { q } })).data.items.map((message) => message.id)
    expect(await find(alice, 'giraffe')).toEqual([id])
    expect(await find(mallory, 'giraffe')).toEqual([])
    expect((await alice.call('messages.report', { params: { id }, body: { reason: 'x' } })).status).not.toBe(200)
    expect((await alice.call('messages.remove', { params: { id }, body: {} })).status).toBe(403)
    ok(await alice.call('messages.recall', { params: { id } }))
    expect(await find(alice, 'giraffe')).toEqual([])
    const gone = await write(alice, notes, { content: { text: 'lion cage' } })
    ok(await alice.call('messages.delete', { params: { id: gone.id } }))
    expect(await find(alice, 'lion')).toEqual([])
    expect((await history(alice, notes)).map((message) => message.id)).not.toContain(gone.id)
  })

  test('a message of another conversation is forwarded into them, once they are open', async () => {
    const { id } = await write(bob, (await open(bob)).id, { content: { text: 'keep this' } })
    const forward = async (person: Person, messageId: number) =>
      ok(
        await person.call('messages.forward', {
          body: { messageIds: [messageId], userIds: [person.id], clientMsgId: newKey() },
        }),
      ).data.results[0]!
    expect(await forward(bob, id)).toMatchObject({ userId: bob.id, status: 'SENT' })
    const texts = (await history(bob, (await open(bob)).id)).map(({ content, forwarded }) => [content, forwarded])
    expect(texts).toEqual([
      [{ text: 'keep this' }, true],
      [{ text: 'keep this' }, false],
    ])
    const carol = await server.person('carol')
    const group = ok(await carol.call('groups.create', { body: { name: 'Alone', userIds: [] } })).data.id
    const theirs = await write(carol, group)
    expect(await forward(carol, theirs.id)).toMatchObject({ status: 'FAILED', code: 400 })
  })

  test('an export of the own data has them, and they end with the account', async () => {
    const dora = await server.person('dora')
    const { id } = await open(dora)
    await write(dora, id, { content: { text: 'my own words' } })
    ok(await dora.call('conversations.draft', { params: { id }, body: { draft: 'not sent yet', baseVersion: 0 } }))
    const archive = await exported(server, dora)
    expect(archive.json('conversations')).toMatchObject([{ id, type: 'NOTES', draft: 'not sent yet' }])
    expect(archive.json('messages')).toMatchObject([{ conversationId: id, text: 'my own words' }])
    ok(await dora.call('auth.deleteAccount', { body: { content: 'DELETE' } }))
    const left = () => server.ctx.db.read.select().from(messages).where(eq(messages.conversationId, id))
    // The job that deletes the rows begins a minute after the start of the server.
    await until(async () => {
      await purgeUnseen(server.ctx)
      return (await left()).length === 0
    })
    expect(await memberOf(server, id, dora)).toBeUndefined()
  })

  test('they are found by their title in both languages, and by the name of their owner', async () => {
    for (const keyword of ['Myself', '笔记', 'ali'])
      expect((await list(alice, { keyword })).map(({ id }) => id)).toEqual([notes])
    expect(await list(alice, { keyword: 'yourself' })).toEqual([])
  })

  test('deleted notes are gone until they are opened or written to, under the same id and empty', async () => {
    ok(await alice.call('conversations.delete', { params: { id: notes } }))
    expect((await alice.call('conversations.get', { params: { id: notes } })).status).toBe(404)
    const socket = listen(server, alice)
    expect(await open(alice)).toMatchObject({ id: notes, lastMessage: null })
    await until(() => socket.frames.some(({ type, data }) => type === 'conversation.updated' && data.id === notes))
    socket.close()
    expect(await history(alice, notes)).toEqual([])
    ok(await alice.call('conversations.delete', { params: { id: notes } }))
    ok(await send(alice, { toUserId: alice.id, content: { text: 'again' } }))
    expect((await history(alice, notes)).map(({ content }) => content)).toEqual([{ text: 'again' }])
  })
})
