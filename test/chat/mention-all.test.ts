/** Mentions of all members of a group. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { messagesForDevices } from '#domains/chat/index.ts'
import { DAY } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { exported } from '../own-data/helpers.ts'
import { befriend, conversationOf, createGroup } from './group-helpers.ts'
import { recall, send, sendText } from './helpers.ts'

describe.if(inProcess)('a mention of all', () => {
  const { server, alice, bob, carol } = useServer({
    people: ['alice', 'bob', 'carol'],
    settings: { 'chat.messagesPerMinute': 0 },
    noAdmin: true,
  })
  let group: { id: number }
  const all = (user: Person, text = '@all hello', target: object = { conversationId: group.id }) =>
    send(user, { ...target, content: { text, mentionsAll: true } })
  const mentioned = async (...users: Person[]) =>
    Promise.all(users.map(async (user) => (await conversationOf(user, group)).mentioned))
  const read = (user: Person) => user.post(`/api/chats/conversations/${group.id}/read`)

  beforeAll(async () => {
    await befriend(server, alice, bob, carol)
    await befriend(server, bob, carol)
    group = await createGroup(alice, [bob, carol])
  })

  test('marks the conversation for everyone but the sender, and reaches muted devices', async () => {
    ok(await bob.call('conversations.mute', { params: { id: group.id }, body: { muted: true } }))
    const [message] = ok(await all(alice)).data.messages
    expect(message.content).toEqual({ text: '@all hello', mentionsAll: true })
    expect(await mentioned(alice, bob, carol)).toEqual([false, true, true])
    expect((await messagesForDevices(server.ctx, [message.id]))[0]!.userIds.toSorted()).toEqual([bob.id, carol.id])
    ok(await recall(alice, message.id))
    expect(await mentioned(bob, carol)).toEqual([false, false])
  })

  test('is for the owner and administrators, and for members if the group says so', async () => {
    const refused = await all(bob)
    expect([refused.status, refused.code]).toEqual([403, 4015])
    const change = (user: Person, membersMentionAll: boolean) =>
      user.call('groups.update', { params: { id: group.id }, body: { membersMentionAll } })
    expect((await change(bob, true)).status).toBe(403)
    expect(ok(await change(alice, true)).data.group).toMatchObject({ membersMentionAll: true })
    ok(await all(bob))
    ok(await change(alice, false))
    expect((await all(bob)).code).toBe(4015)
    ok(await alice.call('groups.changeRole', { params: { id: group.id, userId: bob.id }, body: { role: 'ADMIN' } }))
    ok(await all(bob))
  })

  test('is refused with 4021 in a direct conversation, and for anything but a boolean', async () => {
    await sendText(alice, bob)
    const direct = await all(alice, '@all', { toUserId: bob.id })
    expect([direct.status, direct.code]).toEqual([400, 4021])
    const wrong = await send(alice, { conversationId: group.id, content: { text: '@all', mentionsAll: 'yes' } })
    expect([wrong.status, wrong.code]).toEqual([400, 4021])
  })

  test('is kept or taken out by an edit, which cannot add it and notifies nobody again', async () => {
    for (const user of [bob, carol]) ok(await read(user))
    const edit = (id: number, content: object) => alice.call('messages.edit', { params: { id }, body: { content } })
    const [{ id }] = ok(await all(alice)).data.messages
    ok(await edit(id, { text: '@all again', mentionsAll: true }))
    expect(await mentioned(bob, carol)).toEqual([true, true])
    ok(await edit(id, { text: '@bob only', mentions: [bob.id] }))
    expect(await mentioned(bob, carol)).toEqual([true, false])
    ok(await edit(id, { text: '@bob @carol', mentions: [bob.id, carol.id] }))
    expect(await mentioned(bob, carol)).toEqual([true, false])
    const added = await edit(id, { text: '@all', mentionsAll: true })
    expect([added.status, added.code]).toEqual([400, 4021])
    // The data of a user has what others see of it.
    const own = (await exported(server, bob)).json('messages').find((row) => row['id'] === id)
    expect(own!['content']).toEqual({ text: '@bob @carol', mentions: [bob.id, carol.id] })
  })

  test('is left out of a forwarded copy', async () => {
    const [{ id }] = ok(await all(alice)).data.messages
    const body = { messageIds: [id], userIds: [bob.id], clientMsgId: 'forward-all' }
    ok(await alice.call('messages.forward', { body }))
    const { items } = ok(await bob.call('conversations.list')).data
    expect(items.find(({ type }) => type === 'DIRECT')!.lastMessage!.content).toEqual({ text: '@all hello' })
  })

  test('is possible ten times a day, exactly, with thirty at once; other messages are not counted', async () => {
    const own = await createGroup(carol, [bob])
    const target = { conversationId: own.id }
    const replies = await race(30, (i) => all(carol, `@all ${i}`, target))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
    for (const { status, code } of replies) if (status !== 200) expect([status, code]).toEqual([429, 4022])
    ok(await send(carol, target))
    server.clock.advance(DAY)
    ok(await all(carol, '@all tomorrow', target))
  })
})
