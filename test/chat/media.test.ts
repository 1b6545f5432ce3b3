/** Files of messages: who may open them, and when they end. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { messageFiles } from '#db/schema/chat.ts'
import { files } from '#db/schema/files.ts'
import { HOUR } from '#platform/clock.ts'

import { pathOf, png, text, uploaded, usedStorage } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, until, useServer } from '../harness/index.ts'
import { changeMember, connect, makeGroup, newKey, recall, send } from './helpers.ts'

describe.if(inProcess)('media of messages', () => {
  const { server, admin, alice, bob, carol, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
  })

  interface SentMedia {
    readonly id: number
    readonly fileId: number
    readonly conversationId: number
    readonly path: string
    readonly thumbnail: string
  }

  async function sendImage(from: Person, target: object, fileId?: number): Promise<SentMedia> {
    const id = fileId ?? (await uploaded(from, png())).id
    const { messages } = ok(await send(from, { ...target, type: 'IMAGE', content: { fileId: id } })).data
    const { url, thumbnailUrl } = messages[0].content
    const { conversationId } = messages[0]
    return { id: messages[0].id, fileId: id, conversationId, path: pathOf(url), thumbnail: pathOf(thumbnailUrl) }
  }
  const open = (path: string, person?: Person) => (person ? person.get(path) : server.request('GET', path))
  const plain = (id: number, variant = 'ORIGINAL') => `/api/chats/messages/${id}/file?variant=${variant}`
  const rowsOf = (fileId: number) => server.ctx.db.read.select().from(files).where(eq(files.id, fileId))

  test('members open a file by its signed addresses without a token, and by the path with their token', async () => {
    await connect(server, alice, bob)
    const { id, path, thumbnail, fileId } = await sendImage(alice, { toUserId: bob.id })
    const original = await open(path)
    expect([original.status, original.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(original.headers.get('cache-control')).toBe('private, no-cache')
    expect((await open(thumbnail)).headers.get('content-type')).toBe('image/webp')
    for (const person of [alice, bob]) {
      expect((await open(plain(id), person)).bytes).toEqual(original.bytes)
      expect((await open(plain(id, 'THUMBNAIL'), person)).status).toBe(200)
    }
    expect((await open(plain(id))).status).toBe(401)
    expect((await open(plain(id), mallory)).status).toBe(404)
    // The plain file is for its uploader only: its addresses would outlive a recall.
    expect((await alice.get(`/api/files/${fileId}`)).status).toBe(200)
    for (const person of [bob, mallory]) {
      expect((await person.get(`/api/files/${fileId}`)).status).toBe(404)
      expect((await person.get(`/api/files/${fileId}/content`)).status).toBe(404)
    }
    expect((await bob.get('/api/files/signed-url', { fileId })).status).toBe(404)
  })

  test('administrators see a file of a chat without an address, and open it in no other way', async () => {
    await connect(server, alice, bob)
    const { id, fileId } = await sendImage(alice, { toUserId: bob.id })
    const other = await uploaded(alice, png())
    const list = async (query: object = {}) =>
      ok(await admin.call('admin.files.list', { query: { size: 100, userId: alice.id, ...query } })).data.items
    for (const items of [await list(), await list({ entityType: 'MESSAGE' }), await list({ keyword: '.png' })]) {
      const file = items.find((one) => one.id === fileId)
      expect(file).toMatchObject({ url: null, thumbnailUrl: null, type: 'other', mime: 'image/png', references: 1 })
    }
    expect((await list()).find((one) => one.id === other.id)).toMatchObject({
      url: expect.stringContaining('/content?'),
      thumbnailUrl: expect.stringContaining('/content?'),
    })
    for (const path of [`/api/files/${fileId}`, `/api/files/${fileId}/content`, plain(id), plain(id, 'THUMBNAIL')])
      expect((await admin.get(path)).status, path).toBe(404)
    expect((await admin.get('/api/files/signed-url', { fileId })).status).toBe(404)
    expect((await admin.call('admin.files.delete', { params: { fileId } })).status).toBe(200)
  })

  test('an address is bound to its message and variant, and expires', async () => {
    const first = await sendImage(alice, { toUserId: bob.id })
    const second = await sendImage(alice, { toUserId: bob.id })
    expect((await open(first.path.replace(`/${first.id}/`, `/${second.id}/`))).status).toBe(403)
    expect((await open(first.path.replace('ORIGINAL', 'THUMBNAIL'))).status).toBe(403)
    expect((await open(first.path)).status).toBe(200)
    server.clock.advance(3 * HOUR)
    expect((await open(first.path)).status).toBe(403)
    expect((await open(plain(first.id), bob)).status).toBe(200)
  })

  test('messages without a file, and variants that do not exist, are 404', async () => {
    const { messages } = ok(await send(alice, { toUserId: bob.id })).data
    expect((await open(plain(messages[0].id), alice)).status).toBe(404)
    const { id: fileId } = await uploaded(alice, text())
    const note = ok(await send(alice, { toUserId: bob.id, type: 'FILE', content: { fileId } })).data.messages[0]
    expect((await open(plain(note.id), bob)).headers.get('content-disposition')).toStartWith('attachment')
    expect((await open(plain(note.id, 'THUMBNAIL'), bob)).status).toBe(404)
    expect((await open(plain(999_999_999), bob)).status).toBe(404)
  })

  test('a recall ends all addresses and deletes the file, its row and its storage', async () => {
    const before = await usedStorage(alice)
    const { id, fileId, path, thumbnail } = await sendImage(alice, { toUserId: bob.id })
    expect(await usedStorage(alice)).toBeGreaterThan(before)
    ok(await recall(alice, id))
    for (const address of [path, thumbnail]) expect((await open(address)).status).toBe(404)
    for (const person of [alice, bob]) expect((await open(plain(id), person)).status).toBe(404)
    expect(await rowsOf(fileId)).toEqual([])
    expect(await usedStorage(alice)).toBe(before)
  })

  test('a file that a forwarded message has outlives the recall of the first, whose addresses end', async () => {
    await connect(server, bob, carol)
    const first = await sendImage(alice, { toUserId: bob.id })
    const body = { messageIds: [first.id], userIds: [carol.id], clientMsgId: newKey() }
    const { results } = ok(await bob.call('messages.forward', { body })).data
    const copy = results[0]!.messageIds[0]!
    expect((await open(plain(copy), carol)).status).toBe(200)
    expect((await open(plain(copy), alice)).status).toBe(404)
    expect((await open(plain(first.id), carol)).status).toBe(404)
    ok(await recall(alice, first.id))
    expect((await open(first.path)).status).toBe(404)
    expect((await open(plain(copy), carol)).status).toBe(200)
    ok(await recall(bob, copy))
    expect(await rowsOf(first.fileId)).toEqual([])
  })

  test('an upload can be sent again and cannot be deleted while a message has it', async () => {
    const first = await sendImage(alice, { toUserId: bob.id })
    const second = await sendImage(alice, { toUserId: bob.id }, first.fileId)
    expect((await alice.delete(`/api/files/${first.fileId}`)).status).toBe(400)
    ok(await recall(alice, first.id))
    expect((await open(second.path)).status).toBe(200)
    // The recipient cannot send the upload of another user.
    const stolen = await send(bob, { toUserId: alice.id, type: 'IMAGE', content: { fileId: first.fileId } })
    expect(stolen.code).toBe(4021)
    ok(await recall(alice, second.id))
    expect(await rowsOf(first.fileId)).toEqual([])
  })

  test('only members who can see the message open its file, which ends when nobody can', async () => {
    const group = await makeGroup(server, [alice, bob, carol])
    const { id, path } = await sendImage(alice, { conversationId: group })
    await changeMember(server, group, carol, { clearedUpTo: id })
    expect((await open(plain(id), carol)).status).toBe(404)
    await changeMember(server, group, bob, { leftAfter: id - 1, role: null })
    expect((await open(plain(id), bob)).status).toBe(404)
    expect((await open(path)).status).toBe(200)
    await changeMember(server, group, alice, { clearedUpTo: id })
    expect((await open(path)).status).toBe(404)
  })

  test('a file ends when both sides have cleared the conversation, and so does its storage', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await connect(server, a, b)
    const { path, fileId, conversationId } = await sendImage(a, { toUserId: b.id })
    ok(await a.delete(`/api/chats/conversations/${conversationId}`))
    expect((await open(path)).status).toBe(200)
    ok(await b.delete(`/api/chats/conversations/${conversationId}/messages`))
    expect((await open(path)).status).toBe(404)
    await until(async () => (await rowsOf(fileId)).length === 0)
    expect(await usedStorage(a)).toBe(0)
  })

  test('an upload that is deleted while it is sent is either in the message or gone', async () => {
    for (const { id: fileId } of await race(10, () => uploaded(alice, text()))) {
      const [sent, deleted] = await Promise.all([
        send(alice, { toUserId: bob.id, type: 'FILE', content: { fileId } }),
        alice.delete(`/api/files/${fileId}`),
      ])
      expect([sent.status, deleted.status].toSorted()).toEqual([200, 400])
      const references = await server.ctx.db.read.select().from(messageFiles).where(eq(messageFiles.fileId, fileId))
      expect(references).toHaveLength(sent.status === 200 ? 1 : 0)
      expect(await rowsOf(fileId)).toHaveLength(sent.status === 200 ? 1 : 0)
    }
  })

  test('fifty recalls and forwards of one file at once leave it exactly where a message has it', async () => {
    await connect(server, alice, carol)
    const first = await sendImage(alice, { toUserId: bob.id })
    const body = (i: number) => ({ messageIds: [first.id], userIds: [carol.id], clientMsgId: `rush-${i}` })
    const replies = await race(50, (i) =>
      i === 25 ? recall(alice, first.id) : alice.post('/api/chats/messages/forward', body(i)),
    )
    const copies = replies.flatMap((reply) => (reply.data as { results?: { messageIds: number[] }[] })?.results ?? [])
    const stored = copies.flatMap(({ messageIds }) => messageIds)
    const references = await server.ctx.db.read.select().from(messageFiles).where(eq(messageFiles.fileId, first.fileId))
    expect(references.map((row) => row.messageId).toSorted((a, b) => a - b)).toEqual(stored.toSorted((a, b) => a - b))
    expect(await rowsOf(first.fileId)).toHaveLength(stored.length > 0 ? 1 : 0)
  })
})
