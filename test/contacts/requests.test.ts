/** Contact requests: sending, answering, crossing, expiry, and their limits. */

import { describe, expect, test } from 'bun:test'

import { contactRequests, contacts } from '#db/schema/contacts.ts'
import { setSetting } from '#domains/settings/index.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, UNKNOWN_ID } from '../orgs/helpers.ts'
import {
  accept,
  ask,
  befriend,
  block,
  codeOf,
  incoming,
  listed,
  openCount,
  outgoing,
  reject,
  remove,
  signInAgain,
  unblock,
} from './helpers.ts'

const { server } = useServer()
const people = async (count: number): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, () => server.person()))
const two = async () => (await people(2)) as [Person, Person]
const setting = (key: 'chat.maxContacts' | 'chat.requestsPerDay', value: number) =>
  server.ctx.db.write('test.setting', (tx) => setSetting(tx, key, value))

describe('POST /api/contacts/requests', () => {
  test('creates a request that both see, each with the other person, and accepting it makes both contacts', async () => {
    const [mei, tom] = await two()
    const sent = ok(await ask(mei, tom, { message: 'Hello\nTom', remark: 'Tom of the desk' })).data
    expect(sent).toMatchObject({
      direction: 'OUTGOING',
      userId: tom.id,
      message: 'Hello\nTom',
      source: 'QR_CODE',
      status: 'PENDING',
      contactId: null,
      handledAt: null,
    })
    expect(sent.expiresAt - sent.createdAt).toBe(30 * DAY)
    expect(Object.keys(sent)).not.toContain('remark')
    const [received] = (await incoming(tom)).items
    expect(received).toMatchObject({ id: sent.id, direction: 'INCOMING', userId: mei.id, status: 'PENDING' })
    expect([await openCount(tom), await openCount(mei)]).toEqual([1, 0])
    const contact = ok(await accept(tom, sent.id, 'Mei')).data
    expect(contact).toMatchObject({ userId: mei.id, remark: 'Mei', twoWay: true, blocked: false, tags: [] })
    const [of] = (await listed(mei)).items
    expect(of).toMatchObject({ userId: tom.id, remark: 'Tom of the desk', twoWay: true })
    expect((await outgoing(mei)).items[0]).toMatchObject({ status: 'ACCEPTED', contactId: of!.id })
    expect((await incoming(tom)).items[0]).toMatchObject({ status: 'ACCEPTED', contactId: contact.id })
    expect(await openCount(tom)).toBe(0)
  })

  test('refuses no target, both targets, oneself and a too long message or remark with 400', async () => {
    const [mei, tom] = await two()
    const code = await codeOf(tom)
    for (const body of [
      {},
      { userId: tom.id, code },
      { userId: mei.id },
      { code: await codeOf(mei) },
      { code, message: 'x'.repeat(201) },
      { code, remark: 'x'.repeat(51) },
      { code, remark: 'two\nlines' },
    ])
      expect((await mei.post('/api/contacts/requests', body)).status, JSON.stringify(body)).toBe(400)
    expect((await outgoing(mei)).total).toBe(0)
    expect((await server.request('POST', '/api/contacts/requests', { body: { code } })).status).toBe(401)
  })

  test('answers 400 for a two-way contact', async () => {
    const [mei, tom] = await two()
    await befriend(mei, tom)
    expect((await ask(mei, tom)).status).toBe(400)
    expect((await mei.call('contacts.request', { body: { userId: tom.id } })).status).toBe(400)
  })

  test('answers the pending request unchanged when asked again', async () => {
    const [mei, tom] = await two()
    const first = ok(await ask(mei, tom, { message: 'first' })).data
    expect(ok(await ask(mei, tom, { message: 'second' })).data).toEqual(first)
    // Also by the id, which the caller knows from the request.
    expect(ok(await mei.call('contacts.request', { body: { userId: tom.id } })).data).toEqual(first)
    expect((await incoming(tom)).total).toBe(1)
  })

  test('creates one request of 50 sent at once', async () => {
    const [mei, tom] = await two()
    const code = await codeOf(tom)
    const replies = await race(50, () => mei.call('contacts.request', { body: { code } }))
    expect(new Set(replies.map((reply) => ok(reply).data.id)).size).toBe(1)
    expect((await incoming(tom)).total).toBe(1)
  })

  test('makes exactly one contact on each side when both ask at once, 25 times each', async () => {
    const [mei, tom] = await two()
    const codes = [await codeOf(tom), await codeOf(mei)]
    const replies = await race(50, (i) =>
      [mei, tom][i % 2]!.call('contacts.request', { body: { code: codes[i % 2]! } }),
    )
    expect(replies.every(({ status }) => status === 200 || status === 400)).toBe(true)
    for (const [one, other] of [
      [mei, tom],
      [tom, mei],
    ] as const) {
      expect((await listed(one)).items).toMatchObject([{ userId: other.id, twoWay: true }])
      expect((await outgoing(one, { status: 'PENDING' })).total).toBe(0)
      expect((await outgoing(one)).items.map(({ status }) => status)).toEqual(['ACCEPTED'])
    }
  })

  test('accepts a crossing request at once and takes the remarks of both requests', async () => {
    const [mei, tom] = await two()
    ok(await ask(tom, mei, { remark: 'Mei' }))
    // The id of somebody who asked is known.
    const sent = ok(await mei.call('contacts.request', { body: { userId: tom.id, remark: 'Tom' } })).data
    expect(sent).toMatchObject({ direction: 'OUTGOING', status: 'ACCEPTED' })
    expect((await listed(mei)).items).toMatchObject([{ id: sent.contactId, userId: tom.id, remark: 'Tom' }])
    expect((await listed(tom)).items).toMatchObject([{ userId: mei.id, remark: 'Mei' }])
    expect((await outgoing(tom)).items).toMatchObject([{ status: 'ACCEPTED' }])
  })

  test('is accepted at once by somebody who still has the caller as a contact, and keeps the remark of that side', async () => {
    const [mei, tom] = await two()
    const [ofMei, ofTom] = await befriend(mei, tom)
    ok(await tom.call('contacts.setRemark', { params: { contactId: ofTom }, body: { remark: 'Mei' } }))
    ok(await remove(mei, ofMei))
    expect((await listed(tom)).items).toMatchObject([{ id: ofTom, twoWay: false }])
    expect(ok(await ask(mei, tom)).data).toMatchObject({ status: 'ACCEPTED' })
    expect((await listed(tom)).items).toMatchObject([{ id: ofTom, twoWay: true, remark: 'Mei' }])
  })

  test('after a rejection answers 4022 for 24 hours, and only to the sender', async () => {
    const [mei, tom] = await two()
    const { id } = ok(await ask(mei, tom)).data
    expect(ok(await reject(tom, id)).data).toMatchObject({ id, status: 'REJECTED', contactId: null })
    expect((await outgoing(mei)).items[0]!.status).toBe('REJECTED')
    const again = await ask(mei, tom)
    expect([again.status, again.code]).toEqual([429, 4022])
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(23 * 3600)
    expect(ok(await ask(tom, mei)).data.status).toBe('PENDING')
  })

  test.if(inProcess)('can be sent again 24 hours after a rejection', async () => {
    const [mei, tom] = await two()
    ok(await reject(tom, ok(await ask(mei, tom)).data.id))
    server.clock.advance(DAY - 1000)
    expect((await ask(mei, tom)).status).toBe(429)
    server.clock.advance(1000)
    expect(ok(await ask(mei, tom)).data.status).toBe('PENDING')
  })

  test('of somebody whom the recipient has blocked is PENDING for the sender and hidden from the recipient', async () => {
    const [mei, tom] = await two()
    const { id } = ok(await ask(mei, tom)).data
    ok(await reject(tom, id, true))
    const [row] = (await listed(tom, { blocked: true })).items
    expect(row).toMatchObject({ userId: mei.id, blocked: true, twoWay: false })
    expect((await listed(tom)).total).toBe(0)
    const other = await server.person()
    const [blocked] = await befriend(tom, other)
    ok(await block(tom, blocked))
    ok(await remove(other, (await listed(other)).items[0]!.id))
    const hidden = ok(await ask(other, tom)).data
    expect(hidden).toMatchObject({ status: 'PENDING', contactId: null })
    expect(ok(await ask(other, tom)).data).toEqual(hidden)
    expect((await incoming(tom)).items.map((request) => request.id)).toEqual([id])
    expect(await openCount(tom)).toBe(0)
    for (const answer of [accept, reject]) expect((await answer(tom, hidden.id)).status).toBe(404)
    // The person who was blocked asks again; so does the other one, which then counts as an answer.
    ok(await unblock(tom, blocked))
    expect(ok(await ask(tom, other)).data.status).toBe('ACCEPTED')
    expect((await outgoing(other)).items[0]!.status).toBe('ACCEPTED')
    expect((await incoming(tom)).items.map((request) => request.id)).toEqual([id])
  })

  test('answers 404 alike for ids that the caller may not know, deleted accounts, unknown ids and unknown codes', async () => {
    const [mei, tom] = await two()
    const gone = await server.person()
    ok(await gone.post('/api/auth/account/delete'))
    const bodies = [
      { userId: tom.id },
      { userId: UNKNOWN_ID },
      { userId: gone.id },
      { code: 'ABCDEFGHABCDEFGH' },
      { code: '-' },
    ]
    const replies = await Promise.all(bodies.map((body) => mei.post('/api/contacts/requests', body)))
    const shown = replies.map(({ status, text }) => [status, text.replace(/"requestId":"[^"]*"/, '')])
    expect(new Set(shown.map(String)).size).toBe(1)
    expect(shown[0]![0]).toBe(404)
    expect((await outgoing(mei)).total).toBe(0)
  })

  test('works by id for members of a common organization, whose requests have the source ORG', async () => {
    const [mei, tom] = await two()
    const org = await createOrg(mei)
    await addMembers(mei, org, tom)
    expect(ok(await mei.call('contacts.request', { body: { userId: tom.id } })).data).toMatchObject({
      source: 'ORG',
      status: 'PENDING',
    })
  })

  test('obeys whoMayRequest of the recipient with the 404 of an unknown user', async () => {
    const [mei, tom] = await two()
    const colleague = await server.person()
    const org = await createOrg(tom)
    await addMembers(tom, org, colleague)
    const code = await codeOf(tom)
    const allow = async (whoMayRequest: 'ORG_MEMBERS' | 'CARD_ONLY' | 'NOBODY') =>
      ok(await tom.call('contacts.updatePrivacy', { body: { whoMayRequest } }))
    const unknown = (await mei.post('/api/contacts/requests', { userId: UNKNOWN_ID })).message
    const status = async (who: Person, body: object) => {
      const reply = await who.post('/api/contacts/requests', body)
      if (reply.status === 404) expect(reply.message).toBe(unknown)
      return reply.status
    }
    await allow('NOBODY')
    expect([await status(mei, { code }), await status(colleague, { userId: tom.id })]).toEqual([404, 404])
    await allow('ORG_MEMBERS')
    expect([await status(mei, { code }), await status(colleague, { userId: tom.id })]).toEqual([404, 200])
    await allow('CARD_ONLY')
    const member = await server.person()
    await addMembers(tom, org, member)
    expect([await status(member, { userId: tom.id }), await status(mei, { code })]).toEqual([404, 200])
    // A card that was looked up counts until it gets a new code.
    const [later, late] = await two()
    for (const who of [later, late]) ok(await who.call('contacts.byCard', { params: { code } }))
    expect(await status(later, { userId: tom.id })).toBe(200)
    if (inProcess) server.clock.advance(1000)
    ok(await tom.call('contacts.refreshCard'))
    if (inProcess) expect(await status(late, { userId: tom.id })).toBe(404)
    expect(await status(late, { code })).toBe(404)
    // Somebody who takes no requests may still ask, and is then answered.
    await allow('NOBODY')
    const [asked] = await two()
    ok(await ask(tom, asked))
    expect(await status(asked, { userId: tom.id })).toBe(200)
    expect((await listed(tom)).items.map((contact) => contact.userId)).toContain(asked.id)
  })
})

describe('the daily limit of requests', () => {
  test('allows 20 a day with rates not limited, of 25 at once, and does not count repeats', async () => {
    const [mei, ...others] = await people(26)
    const codes = await Promise.all(others.map(codeOf))
    const replies = await race(25, (i) => mei!.call('contacts.request', { body: { code: codes[i]! } }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20)
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.every(({ status, code }) => status === 429 && code === 4022)).toBe(true)
    expect((await outgoing(mei!)).total).toBe(20)
    const sent = replies.findIndex(({ status }) => status === 200)
    expect((await mei!.call('contacts.request', { body: { code: codes[sent]! } })).status).toBe(200)
    if (!inProcess) return
    server.clock.advance(DAY)
    const missing = replies.findIndex(({ status }) => status === 429)
    expect((await mei!.call('contacts.request', { body: { code: codes[missing]! } })).status).toBe(200)
  })
})

describe('answers', () => {
  test('only the recipient may answer; everybody else and the sender get 404, and a second answer 400', async () => {
    const [mei, tom] = await two()
    const mallory = await server.person()
    const { id } = ok(await ask(mei, tom)).data
    for (const answer of [accept, reject]) {
      expect((await answer(mei, id)).status).toBe(404)
      expect((await answer(mallory, id)).status).toBe(404)
      expect((await answer(tom, UNKNOWN_ID)).status).toBe(404)
    }
    expect((await server.request('POST', `/api/contacts/${id}/accept`)).status).toBe(401)
    expect(await openCount(tom)).toBe(1)
    ok(await accept(tom, id))
    for (const answer of [accept, reject]) expect((await answer(tom, id)).status).toBe(400)
    expect((await mei.call('contacts.accept', { params: { id }, body: {} })).status).toBe(404)
  })

  test('of 50 answers at once, one counts', async () => {
    const [mei, tom] = await two()
    const { id } = ok(await ask(mei, tom)).data
    const replies = await race(50, async (i) => (await (i % 2 ? accept(tom, id) : reject(tom, id))).status)
    expect(replies.filter((status) => status === 200)).toHaveLength(1)
    expect(replies.filter((status) => status === 400)).toHaveLength(49)
    const accepted = (await incoming(tom)).items[0]!.status === 'ACCEPTED'
    expect([(await listed(mei)).total, (await listed(tom)).total]).toEqual(accepted ? [1, 1] : [0, 0])
  })

  test.if(inProcess)('a request expires after 30 days in every list and count, and cannot be answered', async () => {
    const [mei, tom] = await two()
    const { id } = ok(await ask(mei, tom)).data
    server.clock.advance(30 * DAY - MINUTE)
    await signInAgain(server, mei, tom)
    expect(await openCount(tom)).toBe(1)
    server.clock.advance(MINUTE)
    expect(await openCount(tom)).toBe(0)
    for (const [list, who] of [
      [incoming, tom],
      [outgoing, mei],
    ] as const) {
      expect((await list(who)).items).toMatchObject([{ id, status: 'EXPIRED', handledAt: null }])
      expect((await list(who, { status: 'EXPIRED' })).total).toBe(1)
      expect((await list(who, { status: 'PENDING' })).total).toBe(0)
    }
    for (const answer of [accept, reject]) expect((await answer(tom, id)).status).toBe(400)
    const next = ok(await ask(mei, tom)).data
    expect(next.id).not.toBe(id)
    expect((await incoming(tom)).items.map(({ status }) => status)).toEqual(['PENDING', 'EXPIRED'])
  })

  test.if(inProcess)(
    'accepting stops exactly at the limit of the recipient, of 50 at once, and the rest stays pending',
    async () => {
      const [tom, ...others] = await people(51)
      const ids = await Promise.all(others.map(async (other) => ok(await ask(other, tom!)).data.id))
      await setting('chat.maxContacts', 30)
      const replies = await race(50, (i) => accept(tom!, ids[i]!))
      await setting('chat.maxContacts', 500)
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(30)
      expect(replies.filter(({ code }) => code === 4022)).toHaveLength(20)
      expect((await listed(tom!)).total).toBe(30)
      expect(await openCount(tom!)).toBe(20)
    },
  )

  test.if(inProcess)('accepting stops exactly at the limit of the sender, of 25 at once', async () => {
    const [tom, ...others] = await people(26)
    await setting('chat.requestsPerDay', 0)
    const ids = await Promise.all(others.map(async (other) => ok(await ask(tom!, other)).data.id))
    await setting('chat.requestsPerDay', 20)
    await setting('chat.maxContacts', 10)
    const replies = await race(25, (i) => accept(others[i]!, ids[i]!))
    await setting('chat.maxContacts', 500)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
    expect((await listed(tom!)).total).toBe(10)
    expect((await outgoing(tom!, { status: 'PENDING' })).total).toBe(15)
  })

  test('rejecting with block makes a blocked row, and unblocking deletes it', async () => {
    const [mei, tom] = await two()
    ok(await reject(tom, ok(await ask(mei, tom)).data.id, true))
    const { items } = await listed(tom, { blocked: true })
    expect(items).toMatchObject([{ userId: mei.id, blocked: true, twoWay: false }])
    expect(ok(await unblock(tom, items[0]!.id)).data.blocked).toBe(false)
    expect((await tom.call('contacts.get', { params: { contactId: items[0]!.id } })).status).toBe(404)
    expect((await listed(tom, { blocked: true })).total).toBe(0)
  })
})

test('lists of requests are paged, newest first', async () => {
  const [tom, ...others] = await people(4)
  const ids = []
  for (const other of others) ids.push(ok(await ask(other, tom!)).data.id)
  const second = await incoming(tom!, { page: 2, size: 2 })
  expect([second.total, second.items.map(({ id }) => id)]).toEqual([3, [ids[0]!]])
  for (const path of ['incoming', 'outgoing', 'pending-count'])
    expect((await server.request('GET', `/api/contacts/${path}`)).status).toBe(401)
  expect((await tom!.get('/api/contacts/incoming', { status: 'NEW' })).status).toBe(400)
})

test.if(inProcess)('the daily job deletes look-ups after a day and requests 180 days after they expired', async () => {
  const { cleanUp } = await import('#domains/contacts/contacts.jobs.ts')
  const [mei, tom] = await two()
  ok(await mei.call('contacts.byCard', { params: { code: await codeOf(tom) } }))
  ok(await ask(mei, tom))
  server.clock.advance(DAY - HOUR)
  await cleanUp(server.ctx)
  expect((await mei.call('contacts.request', { body: { userId: tom.id } })).status).toBe(200)
  server.clock.advance(209 * DAY)
  await signInAgain(server, mei)
  await cleanUp(server.ctx)
  expect((await outgoing(mei)).total).toBe(1)
  server.clock.advance(2 * HOUR)
  await cleanUp(server.ctx)
  expect((await outgoing(mei)).total).toBe(0)
})

test.if(inProcess)(
  'deleting an account ends its contacts, requests, look-ups, card and settings on both sides',
  async () => {
    const [mei, tom, sue, kim] = (await people(4)) as [Person, Person, Person, Person]
    await befriend(mei, tom)
    ok(await ask(mei, sue))
    ok(await ask(kim, mei))
    ok(await kim.call('contacts.byCard', { params: { code: await codeOf(mei) } }))
    const code = await codeOf(mei)
    ok(await mei.post('/api/auth/account/delete'))
    expect([(await listed(tom)).total, (await incoming(sue)).total, (await outgoing(kim)).total]).toEqual([0, 0, 0])
    expect((await kim.call('contacts.byCard', { params: { code } })).status).toBe(404)
    expect((await kim.call('contacts.request', { body: { userId: mei.id } })).status).toBe(404)
    const { read } = server.ctx.db
    const rows = [...(await read.select().from(contacts)), ...(await read.select().from(contactRequests))]
    expect(
      rows.filter((row) => Object.values(row).includes(mei.id) && !('hidden' in row && row.id === mei.id)),
    ).toEqual([])
  },
)
