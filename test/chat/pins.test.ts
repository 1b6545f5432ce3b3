/** Pinned messages. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { Message } from '#domains/chat/messages/messages.model.ts'
import { retentionJob } from '#domains/chat/retention.jobs.ts'
import { DAY } from '#platform/clock.ts'

import { plansOf } from '../db/plans.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { sendText as sendOld } from './conversation-helpers.ts'
import { befriend, conversationOf, createGroup, say } from './group-helpers.ts'
import { recall, relate, sendText } from './helpers.ts'

const pin = (person: Person, id: number) => person.call('messages.pin', { params: { id } })
const unpin = (person: Person, id: number) => person.call('messages.unpin', { params: { id } })
const pinsOf = async (person: Person, { id }: { readonly id: number }): Promise<number[]> =>
  ok(await person.call('conversations.pins', { params: { id } })).data.items.map((message) => message.id)
const refusal = async (reply: Promise<{ status: number; code: number }>) => {
  const { status, code } = await reply
  return [status, code]
}

describe.if(inProcess)('a pinned message', () => {
  const { server, alice, bob, carol, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
  })
  let direct: { id: number }
  const sync = async (user: Person, afterId: number) => ok(await user.get('/api/chats/sync', { afterId })).data
  const text = (from = alice, to = bob) => sendText(from, to)
  const freshGroup = async (...texts: string[]) => {
    const group = await createGroup(alice, [bob, carol])
    const sent: Message[] = []
    for (const each of texts) sent.push(await say(alice, group, each))
    return { group, sent, ids: sent.map(({ id }) => id) }
  }

  beforeAll(async () => {
    await befriend(server, alice, bob, carol)
    direct = { id: (await text()).conversationId }
  })

  test('is one for both users of a direct conversation, and makes nothing unread or new', async () => {
    const [first, second] = [await text(), await text(bob, alice)]
    const { cursor } = await sync(bob, 0)
    const before = await conversationOf(bob, direct)
    const { data } = ok(await pin(alice, first.id))
    expect(data).toEqual({ ...first, pin: { userId: alice.id, pinnedAt: expect.any(Number) } })
    const page = await sync(bob, cursor)
    expect([page.messages, page.recalled, page.updated]).toEqual([[], [], [data]])
    expect(await conversationOf(bob, direct)).toEqual(before)
    ok(await pin(bob, second.id))
    for (const user of [alice, bob]) expect(await pinsOf(user, direct)).toEqual([second.id, first.id])
    expect(ok(await unpin(bob, first.id)).data).toEqual(first)
    expect(await pinsOf(alice, direct)).toEqual([second.id])
    ok(await unpin(alice, second.id))
  })

  test('reaches sockets as message.updated, and a repeat changes nothing', async () => {
    const { id } = await text()
    const socket = await bob.socket()
    const { data } = ok(await pin(alice, id))
    expect(await socket.next('message.updated')).toEqual({ message: data, cursor: expect.any(Number) })
    const { cursor } = await sync(bob, 0)
    expect(ok(await pin(bob, id)).data).toEqual(data)
    ok(await unpin(bob, id))
    expect(await socket.next('message.updated', ({ message }) => message.pin === null)).toMatchObject({
      cursor: cursor + 1,
    })
    ok(await unpin(alice, id))
    expect((await sync(bob, cursor + 1)).updated).toEqual([])
    await socket.close()
  })

  test('is pinned by the owner and administrators of a group, and by members if the group says so', async () => {
    const { group, ids } = await freshGroup('for all')
    const [id] = ids as [number]
    const refused = [403, 4015]
    expect(await refusal(pin(bob, id))).toEqual(refused)
    ok(await pin(alice, id))
    expect(await refusal(unpin(bob, id))).toEqual(refused)
    expect(await pinsOf(bob, group)).toEqual([id])
    const set = (user: Person, membersPin: boolean) =>
      user.call('groups.update', { params: { id: group.id }, body: { membersPin } })
    expect((await set(bob, true)).status).toBe(403)
    expect((await alice.send('PUT', `/api/chats/groups/${group.id}`, { body: { membersPin: 'yes' } })).status).toBe(400)
    const socket = await carol.socket()
    expect(ok(await set(alice, true)).data.group).toMatchObject({ membersPin: true })
    expect(await socket.next('conversation.updated')).toMatchObject({ id: group.id, group: { membersPin: true } })
    await socket.close()
    ok(await unpin(bob, id))
    ok(await set(alice, false))
    expect(await refusal(pin(bob, id))).toEqual(refused)
    ok(await alice.call('groups.changeRole', { params: { id: group.id, userId: bob.id }, body: { role: 'ADMIN' } }))
    expect(ok(await pin(bob, id)).data.pin).toMatchObject({ userId: bob.id })
  })

  test('is refused as the fourth of a conversation, until one of the three is unpinned', async () => {
    const { group, ids } = await freshGroup('1', '2', '3', '4')
    for (const id of ids.slice(0, 3)) ok(await pin(alice, id))
    expect(await refusal(pin(alice, ids[3]!))).toEqual([400, 4016])
    expect(await pinsOf(carol, group)).toEqual(ids.slice(0, 3).toReversed())
    ok(await unpin(alice, ids[1]!))
    ok(await pin(alice, ids[3]!))
    expect(await pinsOf(carol, group)).toEqual([ids[3]!, ids[2]!, ids[0]!])
  })

  test('takes the last place once, however many are pinned at the same time', async () => {
    const { group, ids } = await freshGroup('1', '2', '3', '4')
    for (const id of ids.slice(0, 2)) ok(await pin(alice, id))
    const two = await race(2, (i) => pin(alice, ids[2 + i]!))
    expect(two.map(({ status }) => status).toSorted()).toEqual([200, 400])
    const other = await freshGroup(...Array.from({ length: 12 }, (_, i) => `${i}`))
    const many = await race(24, (i) => pin(alice, other.ids[i % 12]!))
    expect(many.filter(({ status, code }) => status !== 200 && code !== 4016)).toEqual([])
    for (const each of [group, other.group]) expect(await pinsOf(bob, each)).toHaveLength(3)
  })

  test('is none once it is recalled, removed or too old, and gives its place away', async () => {
    const { group, ids } = await freshGroup('recalled', 'removed', 'edited', 'next', 'last')
    const byBob = await say(bob, group, 'insult')
    for (const id of [ids[0]!, byBob.id, ids[2]!]) ok(await pin(alice, id))
    expect(ok(await recall(alice, ids[0]!)).data.pin).toBeNull()
    ok(await alice.call('messages.remove', { params: { id: byBob.id }, body: {} }))
    ok(await alice.call('messages.edit', { params: { id: ids[2]! }, body: { content: { text: 'still pinned' } } }))
    expect(await pinsOf(bob, group)).toEqual([ids[2]!])
    for (const id of [ids[0]!, byBob.id]) {
      expect(await refusal(pin(alice, id))).toEqual([400, 400])
      expect(ok(await unpin(alice, id)).data).toMatchObject({ recalled: true, pin: null })
    }
    for (const id of ids.slice(3)) ok(await pin(alice, id))
    expect(await pinsOf(bob, group)).toHaveLength(3)
    // Messages of the system have no sender who could take them back.
    const created = (await conversationOf(alice, await createGroup(alice, [bob]))).lastMessage!
    expect(await refusal(pin(alice, created.id))).toEqual([400, 400])

    const dave = await server.person()
    const old = await sendOld(server, alice, dave, 'old', { at: server.clock.now() - 40 * DAY })
    await befriend(server, alice, dave)
    ok(await pin(dave, old.id))
    ok(await (await server.admin()).call('admin.chat.changeSettings', { body: { retentionDays: 30 } }))
    await retentionJob.run(server.ctx)
    expect(await pinsOf(dave, { id: old.conversationId })).toEqual([])
  })

  test('that a user has deleted or cleared is pinned for the others only, and gives its place to a pin of this user', async () => {
    const ids = [(await text()).id, (await text()).id, (await text()).id, (await text()).id, (await text()).id]
    for (const id of ids.slice(0, 3)) ok(await pin(alice, id))
    ok(await bob.call('messages.delete', { params: { id: ids[1]! } }))
    expect(await pinsOf(bob, direct)).toEqual([ids[2]!, ids[0]!])
    expect(await refusal(unpin(bob, ids[1]!))).toEqual([404, 404])
    expect(await refusal(pin(alice, ids[3]!))).toEqual([400, 4016])
    const { cursor } = await sync(alice, 0)
    ok(await pin(bob, ids[3]!))
    expect(await pinsOf(alice, direct)).toEqual([ids[3]!, ids[2]!, ids[0]!])
    expect((await sync(alice, cursor)).updated.map((each: Message) => [each.id, each.pin?.userId])).toEqual([
      [ids[1]!, undefined],
      [ids[3]!, bob.id],
    ])
    expect(await refusal(pin(bob, ids[4]!))).toEqual([400, 4016])
    ok(await bob.call('conversations.clear', { params: { id: direct.id } }))
    expect([await pinsOf(bob, direct), (await pinsOf(alice, direct)).length]).toEqual([[], 3])
  })

  test('is seen by members who can see the message: by later ones not, by former ones still', async () => {
    const group = await createGroup(alice, [bob])
    const { id } = await say(alice, group, 'before Carol')
    ok(await pin(alice, id))
    ok(await alice.call('groups.addMembers', { params: { id: group.id }, body: { userIds: [carol.id] } }))
    expect([await pinsOf(bob, group), await pinsOf(carol, group)]).toEqual([[id], []])
    ok(await bob.call('groups.leave', { params: { id: group.id } }))
    const later = await say(alice, group, 'after Bob')
    ok(await pin(alice, later.id))
    expect([await pinsOf(bob, group), await pinsOf(carol, group)]).toEqual([[id], [later.id]])
    expect(await refusal(unpin(bob, id))).toEqual([403, 4015])
    expect(await refusal(pin(bob, later.id))).toEqual([404, 404])
    ok(await alice.call('groups.removeMember', { params: { id: group.id, userId: carol.id } }))
    expect(await refusal(unpin(carol, later.id))).toEqual([403, 4015])
  })

  test('is refused where a message would be: across a block, and to a user who takes messages of contacts only', async () => {
    const [eve, frank] = [await server.person(), await server.person()]
    await befriend(server, eve, frank)
    const { id, conversationId } = await sendText(eve, frank)
    ok(await pin(frank, id))
    await relate(server, frank, eve, { blocked: true })
    for (const user of [eve, frank]) {
      expect(await refusal(unpin(user, id))).toEqual([403, 4012])
      expect(await pinsOf(user, { id: conversationId })).toEqual([id])
    }
    await relate(server, frank, eve, { isContact: false })
    expect(await refusal(unpin(eve, id))).toEqual([403, 4011])
  })

  test('is unknown to strangers, and needs a token and an id', async () => {
    const { id } = await text()
    for (const message of [id, 999_999_999])
      for (const change of [pin, unpin]) expect((await change(mallory, message)).status).toBe(404)
    for (const conversation of [direct.id, 999_999])
      expect((await mallory.call('conversations.pins', { params: { id: conversation } })).status).toBe(404)
    for (const path of [`messages/${id}/pin`, `messages/${id}/unpin`])
      expect((await server.request('POST', `/api/chats/${path}`)).status).toBe(401)
    expect((await server.request('GET', `/api/chats/conversations/${direct.id}/pins`)).status).toBe(401)
    expect((await alice.send('POST', '/api/chats/messages/x/pin')).status).toBe(400)
    ok(await bob.call('conversations.delete', { params: { id: direct.id } }))
    expect((await bob.call('conversations.pins', { params: { id: direct.id } })).status).toBe(404)
  })

  test('is not pinned in copies, and is found without reading the other messages', async () => {
    const { group, ids } = await freshGroup('copied')
    ok(await pin(alice, ids[0]!))
    const body = { messageIds: ids, userIds: [bob.id], clientMsgId: 'copy-of-pin' }
    const [copy] = ok(await alice.call('messages.forward', { body })).data.results
    const { items } = ok(await alice.call('conversations.history', { params: { id: copy!.conversationId! } })).data
    expect(items[0]).toMatchObject({ id: copy!.messageIds[0]!, pin: null })
    if (process.env['TEST_DATABASE_URL']) return
    for (const { plan } of await plansOf(server.ctx.db.read, () => pinsOf(alice, group), 'pin" is not null'))
      expect(plan.join()).toContain('messages_pinned')
  })
})
