/** The list of contacts, and the changes that users make to their side. */

import { describe, expect, test } from 'bun:test'

import { domain } from '#domains/domain.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { UNKNOWN_ID } from '../orgs/helpers.ts'
import { accept, ask, befriend, block, listed, reject, remove, unblock } from './helpers.ts'

const deleted: object[] = []
const watcher = domain({
  name: 'watcher',
  on: { 'contact.deleted': (_ctx, _tx, event) => void deleted.push(event) },
  directConversation: async (_db: unknown, userId: number, otherId: number) =>
    deleted.length === 0 ? userId * 1000 + otherId : undefined,
})
const { server } = useServer({ ...(inProcess && { domains: (product) => [...product, watcher] }) })

const two = async () => (await Promise.all([server.person(), server.person()])) as [Person, Person]
const rename = async (person: Person, nickname: string) =>
  ok(await person.call('profile.update', { body: { nickname } }))
const setRemark = (person: Person, contactId: number, remark: string | null) =>
  person.call('contacts.setRemark', { params: { contactId }, body: { remark } })
const setTags = (person: Person, contactId: number, tags: string[]) =>
  person.call('contacts.setTags', { params: { contactId }, body: { tags } })

describe('GET /api/contacts', () => {
  test('lists by remark or nickname without regard to case, then by id, and in both directions', async () => {
    const mei = await server.person()
    const names = ['delta', 'Bravo', 'alpha', 'charlie', 'alpha']
    const ids: number[] = []
    for (const name of names) {
      const friend = await server.person()
      await rename(friend, name)
      ids.push((await befriend(mei, friend))[0])
    }
    ok(await setRemark(mei, ids[0]!, 'Amber'))
    const order = [2, 4, 0, 1, 3].map((i) => ids[i]!)
    expect((await listed(mei)).items.map(({ id }) => id)).toEqual(order)
    expect((await listed(mei, { sort: '-name' })).items.map(({ id }) => id)).toEqual(order.toReversed())
    expect((await listed(mei, { sort: 'createdAt' })).items.map(({ id }) => id)).toEqual(ids)
    expect((await listed(mei, { sort: '-createdAt' })).items.map(({ id }) => id)).toEqual(ids.toReversed())
    const page = await listed(mei, { page: 2, size: 2 })
    expect([page.total, page.items.map(({ id }) => id)]).toEqual([5, order.slice(2, 4)])
  })

  test('filters by keyword in remark and nickname, by tag, and by whether the contact is blocked', async () => {
    const mei = await server.person()
    const friends = (await Promise.all(Array.from({ length: 3 }, () => server.person()))) as [Person, Person, Person]
    const [a, b, c] = [
      (await befriend(mei, friends[0]))[0],
      (await befriend(mei, friends[1]))[0],
      (await befriend(mei, friends[2]))[0],
    ]
    await rename(friends[0], 'Library_Lin 100%')
    ok(await setRemark(mei, b, '图书馆 library'))
    ok(await setTags(mei, a, ['desk', 'ä"b']))
    ok(await setTags(mei, b, ['desks']))
    ok(await block(mei, c))
    const found = async (query: object) =>
      (await listed(mei, query)).items.map(({ id }) => id).toSorted((x, y) => x - y)
    expect(await found({ keyword: 'LIBRARY' })).toEqual([a, b])
    expect(await found({ keyword: '书馆' })).toEqual([b])
    expect(await found({ keyword: '0%' })).toEqual([a])
    expect(await found({ keyword: '%' })).toEqual([a])
    expect(await found({ tag: 'desk' })).toEqual([a])
    expect(await found({ tag: 'ä"b' })).toEqual([a])
    expect(await found({ tag: 'library' })).toEqual([])
    expect(await found({})).toEqual([a, b, c])
    expect(await found({ blocked: true })).toEqual([c])
    expect(await found({ blocked: false })).toEqual([a, b])
    expect((await listed(mei, { keyword: 'library', size: 1 })).total).toBe(2)
    expect((await mei.get('/api/contacts', { sort: 'remark' })).status).toBe(400)
    expect((await server.request('GET', '/api/contacts')).status).toBe(401)
  })

  test('shows no username, e-mail address or phone number of others', async () => {
    const [mei, tom] = await two()
    const [id] = await befriend(mei, tom)
    const texts = await Promise.all(
      ['/api/contacts', `/api/contacts/${id}`, '/api/contacts/outgoing'].map(
        async (path) => (await mei.get(path)).text,
      ),
    )
    for (const text of texts) expect(text).not.toContain(tom.username)
  })
})

test('GET /api/contacts/:contactId shows the signature and the conversation, and is 404 for rows of others', async () => {
  const [mei, tom] = await two()
  const [ofMei, ofTom] = await befriend(mei, tom)
  ok(await tom.call('profile.update', { body: { signature: 'Paper and tea' } }))
  const detail = ok(await mei.call('contacts.get', { params: { contactId: ofMei } })).data
  expect(detail).toMatchObject({ id: ofMei, userId: tom.id, signature: 'Paper and tea', twoWay: true })
  if (inProcess) expect(detail.conversationId).toBe(mei.id * 1000 + tom.id)
  for (const contactId of [ofTom, UNKNOWN_ID])
    for (const reply of [
      await mei.call('contacts.get', { params: { contactId } }),
      await setRemark(mei, contactId, 'x'),
      await setTags(mei, contactId, ['x']),
      await block(mei, contactId),
      await unblock(mei, contactId),
      await remove(mei, contactId),
    ])
      expect(reply.status).toBe(404)
  expect((await listed(tom)).items).toMatchObject([{ id: ofTom, remark: '', tags: [], blocked: false }])
})

test('PUT remark sets, changes and clears the remark with null and an empty string', async () => {
  const [mei, tom] = await two()
  const [id] = await befriend(mei, tom)
  const family = '👨‍👩‍👧'.repeat(50)
  for (const [given, stored] of [
    [' Tom ', 'Tom'],
    [null, ''],
    [family, family],
    ['', ''],
  ] as const)
    expect(ok(await setRemark(mei, id, given)).data.remark).toBe(stored)
  for (const remark of ['x'.repeat(51), 'a\u0007b', 'a\nb', 'a\u202eb', 7, undefined])
    expect((await mei.put(`/api/contacts/${id}/remark`, { remark })).status, String(remark)).toBe(400)
  expect((await listed(mei)).items[0]!.remark).toBe('')
})

test('PUT tags replaces all tags, drops duplicates and keeps their order', async () => {
  const [mei, tom] = await two()
  const [id] = await befriend(mei, tom)
  expect(ok(await setTags(mei, id, ['b', ' a ', 'b', 'a', 'c'])).data.tags).toEqual(['b', 'a', 'c'])
  expect(ok(await setTags(mei, id, ['d'])).data.tags).toEqual(['d'])
  const most = Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(30, '好'))
  expect(ok(await setTags(mei, id, most)).data.tags).toEqual(most)
  for (const tags of [[...most, 'x'], ['x'.repeat(31)], [''], ['a\u0000'], 'x', null, [1]])
    expect((await mei.put(`/api/contacts/${id}/tags`, { tags })).status, JSON.stringify(tags)).toBe(400)
  expect(ok(await setTags(mei, id, [])).data.tags).toEqual([])
})

test('DELETE takes the side of the user only, and the other side keeps a row that is not two-way', async () => {
  const [mei, tom] = await two()
  const [ofMei, ofTom] = await befriend(mei, tom)
  deleted.length = 0
  ok(await remove(mei, ofMei))
  if (inProcess) expect(deleted).toEqual([{ userId: mei.id, otherId: tom.id }])
  expect((await remove(mei, ofMei)).status).toBe(404)
  expect((await listed(mei)).total).toBe(0)
  expect((await listed(tom)).items).toMatchObject([{ id: ofTom, twoWay: false, blocked: false }])
  // The one who is left asks again and needs an answer.
  const sent = ok(await ask(tom, mei)).data
  expect(sent.status).toBe('PENDING')
  ok(await accept(mei, sent.id))
  expect((await listed(tom)).items).toMatchObject([{ id: ofTom, twoWay: true }])
})

describe('blocking', () => {
  test('is shown to the user only, is idempotent, and unblocking restores the contact', async () => {
    const [mei, tom] = await two()
    const [ofMei, ofTom] = await befriend(mei, tom)
    ok(await setRemark(mei, ofMei, 'Tom'))
    for (let i = 0; i < 2; i += 1)
      expect(ok(await block(mei, ofMei)).data).toMatchObject({ blocked: true, twoWay: true })
    expect(ok(await tom.call('contacts.get', { params: { contactId: ofTom } })).data).toMatchObject({
      blocked: false,
      twoWay: true,
    })
    for (let i = 0; i < 2; i += 1)
      expect(ok(await unblock(mei, ofMei)).data).toMatchObject({ blocked: false, twoWay: true, remark: 'Tom' })
    expect((await listed(mei)).total).toBe(1)
  })

  test('of a user who is not a contact stays when both become contacts', async () => {
    const [mei, tom] = await two()
    ok(await reject(tom, ok(await ask(mei, tom)).data.id, true))
    ok(await accept(mei, ok(await ask(tom, mei)).data.id))
    const [row] = (await listed(tom)).items
    expect(row).toMatchObject({ userId: mei.id, blocked: true, twoWay: true })
    expect(ok(await unblock(tom, row!.id)).data).toMatchObject({ blocked: false, twoWay: true })
    expect((await listed(tom)).total).toBe(1)
  })
})
