/** Messages and groups whose file an administrator has deleted. */

import { describe, expect, test } from 'bun:test'

import { clearLostFiles } from '#domains/chat/messages/media.service.ts'
import type { Message } from '#domains/chat/messages/messages.model.ts'

import { pathOf, png, text, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { conversationOf, createGroup } from './group-helpers.ts'
import { connect, newKey, send, storedMessages } from './helpers.ts'

describe.if(inProcess)('files that an administrator deletes', () => {
  const { server, admin, alice, bob, carol } = useServer({
    people: ['alice', 'bob', 'carol'],
    settings: { 'chat.messagesPerMinute': 0 },
  })
  const remove = async (fileId: number) => ok(await admin.call('admin.files.delete', { params: { fileId } }))
  const sendFile = async (from: Person, to: Person, type: string, content: object): Promise<Message> =>
    ok(await send(from, { toUserId: to.id, type, content })).data.messages[0]
  const shown = async (person: Person, { conversationId }: Message): Promise<Message[]> =>
    ok(await person.get(`/api/chats/conversations/${conversationId}/messages`, { limit: 100 })).data.items
  const storedFiles = async (fileId: number) =>
    (await storedMessages(server)).filter(({ content }) => content['fileId'] === fileId).length
  const cursorOf = async (person: Person) => ok(await person.call('chats.sync', { query: { limit: 500 } })).data.cursor
  const changedSince = async (person: Person, afterId: number) =>
    ok(await person.call('chats.sync', { query: { afterId, limit: 500 } })).data

  test('are left out of all messages at once, and the messages change in steps', async () => {
    await connect(server, alice, bob)
    const file = await uploaded(alice, text(), { type: 'other', name: 'plan.txt' }, 'plan.txt')
    const sent: Message[] = []
    for (let i = 0; i < 45; i++) sent.push(await sendFile(alice, bob, 'FILE', { fileId: file.id }))
    const { items } = ok(await admin.get('/api/admin/files', { userId: alice.id, entityType: 'MESSAGE' })).data
    expect(items).toMatchObject([{ id: file.id, references: 45 }])
    const cursor = await cursorOf(bob)
    await remove(file.id)
    // The write of the request has not touched the messages, of which there can be any number.
    expect(await storedFiles(file.id)).toBe(45)
    const lost = { fileId: null, url: null, name: 'plan.txt', size: file.size, mime: 'text/plain' }
    expect((await shown(bob, sent[0]!)).map((message) => message.content)).toEqual(
      Array.from({ length: 45 }, () => lost),
    )
    expect((await server.request('GET', pathOf(sent[0]!.content['url'] as string))).status).toBe(404)

    await clearLostFiles(server.ctx)
    expect(await storedFiles(file.id)).toBe(0)
    expect((await shown(bob, sent[0]!)).map((message) => message.content)).toEqual(
      Array.from({ length: 45 }, () => lost),
    )
    const { updated } = await changedSince(bob, cursor)
    expect(updated.map(({ id }) => id)).toEqual(sent.map(({ id }) => id))
  })

  test('leave the other messages, the other file of a video, and messages that cannot be forwarded', async () => {
    await connect(server, alice, bob)
    await connect(server, bob, carol)
    const [kept, gone] = [
      await uploaded(alice, png(), { type: 'other' }),
      await uploaded(alice, png(), { type: 'other' }),
    ]
    const other = await sendFile(alice, bob, 'IMAGE', { fileId: kept.id })
    const image = await sendFile(alice, bob, 'IMAGE', { fileId: gone.id, caption: 'The sign' })
    await remove(gone.id)
    await clearLostFiles(server.ctx)
    const contents = new Map((await shown(bob, image)).map((message) => [message.id, message.content]))
    expect(contents.get(other.id)).toEqual(other.content)
    expect(contents.get(image.id)).toMatchObject({ fileId: null, url: null, thumbnailUrl: null, caption: 'The sign' })
    const forward = (id: number) =>
      bob.call('messages.forward', { body: { messageIds: [id], userIds: [carol.id], clientMsgId: newKey() } })
    expect((await forward(image.id)).status).toBe(400)
    ok(await forward(other.id))
    const again = { toUserId: bob.id, type: 'IMAGE', content: { fileId: gone.id } }
    expect((await send(alice, again)).status).toBe(400)
  })

  test('end the picture of a group', async () => {
    await connect(server, alice, bob)
    const group = await createGroup(alice, [bob])
    const picture = await uploaded(alice, png(), { type: 'avatar' })
    ok(await alice.call('groups.update', { params: { id: group.id }, body: { avatarFileId: picture.id } }))
    expect((await conversationOf(bob, group)).avatarUrl).not.toBeNull()
    await remove(picture.id)
    expect((await conversationOf(bob, group)).avatarUrl).toBeNull()
    ok(await alice.call('groups.update', { params: { id: group.id }, body: { name: 'Renamed' } }))
  })
})
