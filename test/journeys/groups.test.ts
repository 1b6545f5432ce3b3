/** The group of an organization: its members change with those of the organization, and its end comes with that of the organization. */

import { expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { openSocket } from '../harness/socket.ts'
import { addMembers, createOrg, leave } from '../orgs/helpers.ts'

const { server, mei, tom, ana, eve } = useServer({ people: ['mei', 'tom', 'ana', 'eve'] })

let count = 0
const write = (from: Person, conversationId: number, fields: object) =>
  from.post('/api/chats/messages', { conversationId, clientMsgId: `group-${++count}`, type: 'TEXT', ...fields })
const say = async (from: Person, id: number, text: string, more: { mentions?: number[]; replyToId?: number } = {}) => {
  const { mentions, ...fields } = more
  const reply = await write(from, id, { content: { text, ...(mentions && { mentions }) }, ...fields })
  return ok(reply).data.messages[0]
}
const view = async (person: Person, id: number) => ok(await person.get(`/api/chats/conversations/${id}`)).data
/** The texts that a user finds, the newest first; of SYSTEM messages the event. */
const history = async (person: Person, id: number) =>
  ok(await person.get(`/api/chats/conversations/${id}/messages`, { limit: 100 })).data.items.map(
    ({ content }: { content: { event?: string; text: string } }) => content.event ?? content.text,
  )
const sync = async (person: Person, afterId: number) => ok(await person.get('/api/chats/sync', { afterId })).data

test('a group follows its organization: join, write, mention, react, leave the organization, dissolve it', async () => {
  const org = await createOrg(mei)
  await addMembers(mei, org, tom)
  const group = ok(await mei.post('/api/chats/groups', { name: 'Library team', orgId: org.id, followsOrg: true })).data
  const { id } = group
  const path = `/api/chats/groups/${id}`
  expect(group).toMatchObject({ type: 'GROUP', title: 'Library team', group: { role: 'OWNER', memberCount: 2 } })
  const onMei = await openSocket(server.url, mei.token)
  const onTom = await openSocket(server.url, tom.token)
  const onAna = await openSocket(server.url, ana.token)
  const first = await say(mei, id, 'Welcome, Tom')
  await onTom.next('message', (message) => message.id === first.id)

  // Ana joins the organization, and with it the group. She sees the messages that are sent from now on.
  expect((await ana.get(`/api/chats/conversations/${id}`)).status).toBe(404)
  await addMembers(mei, org, ana)
  const joined = await onMei.next('message', ({ content }) => content.event === 'MEMBER_JOINED')
  expect(joined).toMatchObject({ type: 'SYSTEM', senderId: null, content: { userIds: [ana.id] } })
  await onAna.next('message', (message) => message.id === joined.id)
  expect(await view(ana, id)).toMatchObject({ group: { role: 'MEMBER', memberCount: 3 }, unreadCount: 0 })
  expect(await history(ana, id)).toEqual(['MEMBER_JOINED'])
  expect((await sync(ana, 0)).messages.map((message: { id: number }) => message.id)).toEqual([joined.id])
  expect((await ana.post(`/api/chats/messages/${first.id}/recall`)).status).toBe(404)

  // Mentions.
  const question = await say(tom, id, 'Ana, can you open on Friday?', { mentions: [ana.id] })
  await onAna.next('message', (message) => message.id === question.id)
  expect(await view(ana, id)).toMatchObject({ unreadCount: 1, mentioned: true })
  expect(await view(mei, id)).toMatchObject({ unreadCount: 1, mentioned: false })
  expect((await write(tom, id, { content: { text: 'Eve?', mentions: [eve.id] } })).code).toBe(4021)
  ok(await ana.post(`/api/chats/conversations/${id}/read`))
  expect(await view(ana, id)).toMatchObject({ unreadCount: 0, mentioned: false })

  // Tom sees that Ana has read it. Mei does not see Ana among the readers of earlier messages.
  const { counts } = await onTom.next('message.read')
  expect(counts).toEqual([{ messageId: question.id, readCount: 1 }])
  const readers = async (person: Person, { id: of }: { id: number }) => {
    const { data } = ok(await person.get(`/api/chats/messages/${of}/readers`))
    return [data.readers.map(({ userId }: { userId: number }) => userId), data.notReadCount]
  }
  expect(await readers(tom, question)).toEqual([[ana.id], 1])
  expect(await readers(mei, first)).toEqual([[], 1])
  expect((await ana.get(`/api/chats/messages/${question.id}/readers`)).status).toBe(404)

  // Reactions and replies.
  const reaction = `/api/chats/messages/${question.id}/reactions/${encodeURIComponent('👍')}`
  ok(await ana.put(reaction))
  const reacted = await onTom.next('message.updated', ({ message }) => message.id === question.id)
  expect(reacted.message.reactions).toMatchObject([{ emoji: '👍', count: 1, userIds: [ana.id] }])
  const answer = await say(ana, id, 'Yes', { replyToId: question.id })
  expect(answer.replyTo).toMatchObject({ id: question.id, senderId: tom.id, excerpt: 'Ana, can you open on Friday?' })
  expect(await onMei.next('message', (message) => message.id === answer.id)).toMatchObject({ senderId: ana.id })
  const found = ok(await ana.get('/api/chats/messages/search', { q: 'friday', conversationId: id })).data
  expect(found.items.map((message: { id: number }) => message.id)).toEqual([question.id])

  // Nobody leaves such a group, and nobody outside of the organization joins or sees it.
  expect((await ana.post(`${path}/leave`)).status).toBe(400)
  expect((await mei.post(`${path}/members`, { userIds: [eve.id] })).status).toBe(400)
  expect((await eve.get(`/api/chats/conversations/${id}`)).status).toBe(404)
  expect((await write(eve, id, { content: { text: 'Hello?' } })).status).toBe(404)

  // Ana leaves the organization, and with it the group. She keeps the history, and gets nothing more.
  ok(await leave(ana, org))
  const left = await onAna.next('message', ({ content }) => content.event === 'MEMBER_LEFT')
  const { cursor } = await sync(ana, 0)
  const secret = await say(mei, id, 'Ana has left us')
  await onTom.next('message', (message) => message.id === secret.id)
  await onAna.roundTrip()
  expect(onAna.of('message').map((message) => message.id)).not.toContain(secret.id)
  expect(onAna.of('message').at(-1)).toMatchObject({ id: left.id })
  const refused = [
    await write(ana, id, { content: { text: 'Hello?' } }),
    await ana.get(`${path}/members`),
    await ana.put(reaction),
    await ana.delete(reaction),
  ]
  expect(refused.map(({ status, code }) => [status, code])).toEqual(refused.map(() => [403, 4015]))
  expect(await history(ana, id)).toEqual(['MEMBER_LEFT', 'Yes', 'Ana, can you open on Friday?', 'MEMBER_JOINED'])
  expect((await sync(ana, cursor)).messages).toEqual([])
  expect(ok(await ana.get('/api/chats/messages/search', { q: 'left us' })).data.items).toEqual([])
  expect(await view(mei, id)).toMatchObject({ group: { memberCount: 2 } })

  // The organization ends, and the group with it.
  ok(await mei.delete(`/api/orgs/${org.id}?force=true`))
  await onTom.next('message', ({ content }) => content.event === 'GROUP_ENDED')
  for (const person of [mei, tom]) {
    expect((await write(person, id, { content: { text: 'Hello?' } })).code).toBe(4015)
    expect((await history(person, id)).slice(0, 2)).toEqual(['GROUP_ENDED', 'Ana has left us'])
    expect(await view(person, id)).toMatchObject({ group: { role: null, memberCount: 0, orgId: null } })
  }
  await onAna.roundTrip()
  expect(onAna.of('message').at(-1)).toMatchObject({ id: left.id })
  for (const socket of [onMei, onTom, onAna]) await socket.close()
})
