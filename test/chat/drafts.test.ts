/** Drafts with versions: what one device has written is never replaced by another that has not seen it. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { inProcess, ok, type Person, until, useServer } from '../harness/index.ts'
import { listen, sendText } from './conversation-helpers.ts'
import { connect, makeGroup, newKey, send } from './helpers.ts'

describe.if(inProcess)('drafts', () => {
  const { server, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })
  let id: number

  beforeAll(async () => {
    await connect(server, alice, bob)
    id = (await sendText(server, alice, bob, 'hello')).conversationId
  })

  const get = async (person: Person, of = id) => ok(await person.call('conversations.get', { params: { id: of } })).data
  const draftOf = async (person: Person, of = id) => {
    const { draft, draftReplyToId, draftVersion } = await get(person, of)
    return { draft, draftReplyToId, draftVersion }
  }
  const save = (person: Person, body: object, of = id) => person.put(`/api/chats/conversations/${of}/draft`, body)

  test('a draft that another device has not seen is not replaced, and the refusal has the present one', async () => {
    const { draftVersion: base } = await draftOf(alice)
    const first = ok(await save(alice, { draft: 'from the phone', baseVersion: base })).data
    expect([first.draft, first.draftVersion]).toEqual(['from the phone', base + 1])
    const refused = await save(alice, { draft: 'from the desk', baseVersion: base })
    expect([refused.status, refused.code]).toEqual([409, 409])
    expect(refused.data).toMatchObject({ id, draft: 'from the phone', draftVersion: base + 1 })
    expect((await draftOf(alice)).draft).toBe('from the phone')
    const merged = { draft: 'from the phone\nfrom the desk', baseVersion: base + 1 }
    expect(ok(await save(alice, merged)).data.draftVersion).toBe(base + 2)
    // The answer was lost: a repeat finds its own draft.
    const before = await get(alice)
    expect(ok(await save(alice, merged)).data).toEqual(before)
    expect((await get(bob)).draft).toBe('')
  })

  test('of 20 devices that write at once on the same version one succeeds', async () => {
    const { draftVersion: base } = await draftOf(alice)
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => save(alice, { draft: `device ${i}`, baseVersion: base })),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(19)
    const winner = replies.findIndex(({ status }) => status === 200)
    expect(await draftOf(alice)).toEqual({ draft: `device ${winner}`, draftReplyToId: null, draftVersion: base + 1 })
  })

  test('clients without versions write as before, and those with versions see it', async () => {
    const { draftVersion: base } = await draftOf(alice)
    ok(await save(alice, { draft: 'plain' }))
    ok(await save(alice, { draft: 'plain again' }))
    expect((await draftOf(alice)).draftVersion).toBe(base + 2)
    expect((await save(alice, { draft: 'blind', baseVersion: base })).status).toBe(409)
    ok(await save(alice, { draft: null }))
    expect(await draftOf(alice)).toEqual({ draft: '', draftReplyToId: null, draftVersion: base + 3 })
  })

  test('other devices get the new draft at once, and its author alone', async () => {
    const [own, others] = [listen(server, alice), listen(server, bob)]
    const { draftVersion: baseVersion } = await draftOf(alice)
    ok(await save(alice, { draft: 'soon', baseVersion }))
    await until(() =>
      own.frames.some(({ type, data }) => type === 'conversation.updated' && data.draftVersion === baseVersion + 1),
    )
    expect(others.frames).toEqual([])
    for (const { close } of [own, others]) close()
  })

  test('a draft keeps the message that it answers, which must be one of the conversation', async () => {
    const answered = await sendText(server, bob, alice, 'when?')
    const { draftVersion: baseVersion } = await draftOf(alice)
    const quoting = { draft: 'at nine', replyToId: answered.id, baseVersion }
    expect(ok(await save(alice, quoting)).data.draftReplyToId).toBe(answered.id)
    // The quote alone is a change, too.
    const changed = ok(await save(alice, { ...quoting, replyToId: null, baseVersion: baseVersion + 1 })).data
    expect([changed.draftReplyToId, changed.draftVersion]).toEqual([null, baseVersion + 2])
    await connect(server, bob, mallory)
    const foreign = await sendText(server, bob, mallory, 'elsewhere')
    for (const replyToId of [foreign.id, 999_999_999])
      expect((await save(alice, { draft: 'x', replyToId })).status).toBe(400)
    expect((await draftOf(alice)).draft).toBe('at nine')
    ok(await save(alice, { ...quoting, baseVersion: baseVersion + 2 }))
    ok(await save(alice, { draft: '' }))
    expect((await draftOf(alice)).draftReplyToId).toBeNull()
  })

  test('a draft outlives the message that it answers, and then answers none, so that it can be sent', async () => {
    const ends = [
      (answered: number) => alice.call('messages.delete', { params: { id: answered } }),
      () => alice.call('conversations.clear', { params: { id } }),
    ]
    for (const end of ends) {
      const answered = await sendText(server, bob, alice, 'when?')
      await sendText(server, bob, alice, 'well?')
      const { draftReplyToId, draftVersion } = ok(await save(alice, { draft: 'at nine', replyToId: answered.id })).data
      expect(draftReplyToId).toBe(answered.id)
      ok(await end(answered.id))
      expect(await draftOf(alice)).toEqual({ draft: 'at nine', draftReplyToId: null, draftVersion })
      // A device that does not know this yet can still store its text.
      const later = { draft: 'at ten', replyToId: answered.id, baseVersion: draftVersion }
      expect(ok(await save(alice, later)).data).toMatchObject({ draft: 'at ten', draftReplyToId: null })
      const body = {
        conversationId: id,
        replyToId: (await draftOf(alice)).draftReplyToId,
        draftVersion: draftVersion + 1,
      }
      ok(await send(alice, body))
      expect((await draftOf(alice)).draft).toBe('')
    }
  })

  test('sending removes the draft that was sent, and leaves one that was written elsewhere since', async () => {
    const { draftVersion: base } = await draftOf(alice)
    ok(await save(alice, { draft: 'sent now', baseVersion: base }))
    const socket = listen(server, alice)
    const body = { toUserId: bob.id, clientMsgId: newKey(), content: { text: 'sent now' }, draftVersion: base + 1 }
    ok(await send(alice, body))
    expect(await draftOf(alice)).toEqual({ draft: '', draftReplyToId: null, draftVersion: base + 2 })
    await until(() => socket.frames.some(({ type, data }) => type === 'conversation.updated' && data.draft === ''))
    socket.close()
    ok(await save(alice, { draft: 'written on the phone', baseVersion: base + 2 }))
    // A repeat, and a message of a device that knew an older draft.
    ok(await send(alice, body))
    ok(await send(alice, { conversationId: id, draftVersion: base + 1 }))
    expect(await draftOf(alice)).toMatchObject({ draft: 'written on the phone', draftVersion: base + 3 })
    // A refused message removes nothing.
    expect((await send(alice, { conversationId: id, content: {}, draftVersion: base + 3 })).status).toBe(400)
    ok(await send(alice, { conversationId: id }))
    expect((await draftOf(alice)).draft).toBe('written on the phone')
    for (const draftVersion of [-1, 'x', 1.5])
      expect((await send(alice, { conversationId: id, draftVersion })).status).toBe(400)
  })

  test('a draft with a version may be as long as a message, unless drafts are turned off', async () => {
    const { draftVersion: baseVersion } = await draftOf(alice)
    expect((await save(alice, { draft: 'x'.repeat(1001) })).status).toBe(400)
    ok(await save(alice, { draft: 'x'.repeat(5000), baseVersion }))
    expect((await save(alice, { draft: 'x'.repeat(5001), baseVersion: baseVersion + 1 })).status).toBe(400)
    const admin = await server.admin()
    const set = async (draftMaxLength: number) => ok(await admin.put('/api/admin/chat/settings', { draftMaxLength }))
    await set(0)
    expect((await save(alice, { draft: 'x', baseVersion: baseVersion + 1 })).status).toBe(400)
    ok(await save(alice, { draft: '', baseVersion: baseVersion + 1 }))
    await set(1000)
  })

  test('wrong input, a missing token and other users change nothing', async () => {
    const before = await get(alice)
    for (const body of [
      {},
      { draft: 5 },
      { draft: 'x', baseVersion: -1 },
      { draft: 'x', baseVersion: 'new' },
      { draft: 'x', replyToId: 'y' },
    ])
      expect([body, (await save(alice, body)).status]).toEqual([body, 400])
    const body = { draft: 'x', baseVersion: before.draftVersion }
    expect((await save(mallory, body)).status).toBe(404)
    expect((await server.request('PUT', `/api/chats/conversations/${id}/draft`, { body })).status).toBe(401)
    expect(await get(alice)).toEqual(before)
  })

  test('leaving a group ends the draft in it, deleting a conversation too, and its version goes on', async () => {
    const group = await makeGroup(server, [bob, alice])
    ok(await save(alice, { draft: 'to the group', baseVersion: 0 }, group))
    ok(await alice.call('groups.leave', { params: { id: group } }))
    expect(await draftOf(alice, group)).toEqual({ draft: '', draftReplyToId: null, draftVersion: 2 })
    const refused = await save(alice, { draft: 'written offline', baseVersion: 1 }, group)
    expect([refused.status, refused.code]).toEqual([403, 4015])
    ok(await save(alice, { draft: null, baseVersion: 2 }, group))
    const { draftVersion: baseVersion } = await draftOf(alice)
    ok(await save(alice, { draft: 'unsent', baseVersion }))
    ok(await alice.call('conversations.delete', { params: { id } }))
    await sendText(server, bob, alice, 'back again')
    expect(await draftOf(alice)).toEqual({ draft: '', draftReplyToId: null, draftVersion: baseVersion + 2 })
  })
})
