/** Finding people by e-mail, phone and card, and the privacy settings that hide them. */

import { describe, expect, test } from 'bun:test'

import { DAY } from '#platform/clock.ts'

import { newDevice, newEmail, newPhone, useWorld } from '../accounts/helpers.ts'
import { inProcess, ok, type Person, startServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { UNKNOWN_ID } from '../orgs/helpers.ts'
import { ask, befriend, block, codeOf, reject, remove } from './helpers.ts'

const world = useWorld()
const someone = () => world.server.person()

const search = async (who: Person, q: string) => ok(await who.call('contacts.search', { query: { q } })).data.items
const byCard = (who: Person, code: string) => who.call('contacts.byCard', { params: { code } })
const withoutId = (text: string) => text.replace(/"requestId":"[^"]*"/, '')

/** Registers with an address that nobody confirms. */
async function claim(email: string): Promise<Person> {
  const deviceId = newDevice()
  const made = await world.post('/api/auth/register', { email, password: 'a long password' }, { deviceId })
  return person(world.server.url, made, email, 'a long password', deviceId)
}

describe('GET /api/contacts/search', () => {
  test('finds the owner of a proved e-mail or phone by the whole of it, in any notation', async () => {
    const mei = await someone()
    const [tom, sue] = [await world.withEmail(), await world.withPhone()]
    const [found] = await search(mei, ` ${tom.email.toUpperCase()} `)
    expect(found).toMatchObject({ userId: tom.id, relation: 'NONE', contactId: null })
    expect(Object.keys(found!).toSorted()).toEqual(['avatarUrl', 'contactId', 'nickname', 'relation', 'userId'])
    const local = sue.phone.replace('+86', '')
    for (const q of [sue.phone, local, `${local.slice(0, 3)} ${local.slice(3, 7)}-${local.slice(7)}`])
      expect((await search(mei, q)).map(({ userId }) => userId)).toEqual([sue.id])
    for (const q of [tom.email.slice(0, -1), tom.email.slice(1), local.slice(0, -1), tom.username, `id ${tom.id}`])
      expect(await search(mei, q)).toEqual([])
    for (const q of ['', 'x', ' x ']) expect((await mei.get('/api/contacts/search', { q })).status).toBe(400)
    expect((await mei.get('/api/contacts/search')).status).toBe(400)
    expect((await world.server.request('GET', '/api/contacts/search?q=xx')).status).toBe(401)
  })

  test('shows the relation: SELF, REQUEST_SENT, REQUEST_RECEIVED, CONTACT', async () => {
    const [mei, tom] = [await world.withEmail(), await world.withEmail()]
    const relation = async (who: Person, q: string) => (await search(who, q))[0]
    expect(await relation(mei, mei.email)).toMatchObject({ relation: 'SELF', contactId: null })
    ok(await ask(mei, tom))
    expect(await relation(mei, tom.email)).toMatchObject({ relation: 'REQUEST_SENT' })
    expect(await relation(tom, mei.email)).toMatchObject({ relation: 'REQUEST_RECEIVED' })
    // A crossing request.
    const id = ok(await ask(tom, mei)).data.contactId
    expect(await relation(tom, mei.email)).toMatchObject({ relation: 'CONTACT', contactId: id })
  })

  test('answers hidden, unknown, unproved, disabled, deleted and blocking users with the same bytes', async () => {
    const mei = await someone()
    const [hidden, blocking, gone] = [await world.withEmail(), await world.withEmail(), await world.withEmail()]
    ok(await hidden.call('contacts.updatePrivacy', { body: { findableByEmail: false } }))
    const [, ofBlocking] = await befriend(mei, blocking)
    ok(await block(blocking, ofBlocking))
    const stranger = await world.withEmail()
    ok(await reject(stranger, ok(await ask(mei, stranger)).data.id, true))
    ok(await gone.post('/api/auth/account/delete'))
    const claimed = newEmail()
    await claim(claimed)
    const phone = await world.withPhone()
    ok(await phone.call('contacts.updatePrivacy', { body: { findableByPhone: false } }))
    const asked = [
      hidden.email,
      blocking.email,
      stranger.email,
      gone.email,
      claimed,
      newEmail(),
      phone.phone,
      newPhone(),
      'no contact',
    ]
    const replies = await Promise.all(asked.map((q) => mei.call('contacts.search', { query: { q } })))
    expect(new Set(replies.map(({ status, text }) => `${status} ${withoutId(text)}`))).toEqual(
      new Set(['200 {"code":200,"data":{"items":[]}}']),
    )
    // None of them may be named afterwards.
    expect((await mei.call('contacts.request', { body: { userId: hidden.id } })).status).toBe(404)
    // The settings are apart: the hidden e-mail does not hide the phone.
    ok(await phone.call('contacts.updatePrivacy', { body: { findableByPhone: true, findableByEmail: false } }))
    expect(await search(mei, phone.phone)).toHaveLength(1)
  })

  test('lets the caller name the person who was found, in a request with the source SEARCH', async () => {
    const [mei, tom] = [await someone(), await world.withEmail()]
    expect((await mei.call('contacts.request', { body: { userId: tom.id } })).status).toBe(404)
    await search(mei, tom.email)
    expect(ok(await mei.call('contacts.request', { body: { userId: tom.id } })).data.source).toBe('SEARCH')
  })
})

describe('a request to somebody who has blocked the caller', () => {
  test('is answered like one to somebody who has not, also by the card', async () => {
    const [mei, blocking, plain] = [await someone(), await world.withEmail(), await world.withEmail()]
    const [ofMei, ofBlocking] = await befriend(mei, blocking)
    ok(await block(blocking, ofBlocking))
    ok(await remove(mei, ofMei))
    const shape = (text: string) =>
      withoutId(text).replaceAll(/"(id|userId|createdAt|expiresAt)":\d+|"nickname":"[^"]*"/g, '')
    for (const to of [blocking, plain]) expect(ok(await byCard(mei, await codeOf(to))).data.relation).toBe('NONE')
    const [a, b] = [await ask(mei, blocking), await ask(mei, plain)]
    expect([a.status, shape(a.text)]).toEqual([b.status, shape(b.text)])
    const shown = await mei.get('/api/contacts/outgoing', { size: 2 })
    const [first, second] = shown.data.items.map((row: object) => shape(JSON.stringify(row)))
    expect(first).toBe(second)
  })

  test('a user who was only blocked does not know the other one by that', async () => {
    const [mei, tom] = [await someone(), await someone()]
    ok(await reject(tom, ok(await ask(mei, tom)).data.id, true))
    const [known, unknown] = [
      await mei.call('contacts.request', { body: { userId: tom.id } }),
      await mei.call('contacts.request', { body: { userId: UNKNOWN_ID } }),
    ]
    expect(known.status).toBe(404)
    expect(withoutId(known.text)).toBe(withoutId(unknown.text))
  })
})

describe('contact cards', () => {
  test('the card has a code of 16 characters, stays until it is refreshed, and the old code is then 404 at once', async () => {
    const [mei, tom] = [await someone(), await someone()]
    const cards = await Promise.all(Array.from({ length: 10 }, () => mei.call('contacts.card')))
    const card = ok(cards[0]!).data
    for (const other of cards) expect(ok(other).data).toEqual(card)
    expect(card.code).toMatch(/^[A-HJ-NP-Z2-9]{16}$/)
    expect(card.content).toBe(`user:${card.code}`)
    const image = await world.server.request('GET', new URL(card.imageUrl).pathname + new URL(card.imageUrl).search)
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
    ok(await mei.call('profile.update', { body: { signature: 'Paper and tea' } }))
    const spaced = card.code.toLowerCase().replace(/(.{4})/g, '$1 ')
    for (const code of [card.code, card.content, spaced])
      expect(ok(await byCard(tom, code)).data).toMatchObject({
        userId: mei.id,
        relation: 'NONE',
        contactId: null,
        signature: 'Paper and tea',
      })
    expect(ok(await byCard(mei, card.code)).data.relation).toBe('SELF')
    const fresh = ok(await mei.call('contacts.refreshCard')).data
    expect(fresh.code).not.toBe(card.code)
    expect((await byCard(tom, card.code)).status).toBe(404)
    expect((await tom.call('contacts.request', { body: { code: card.content } })).status).toBe(404)
    expect(ok(await mei.call('contacts.card')).data).toEqual(fresh)
    for (const [method, path] of [
      ['GET', 'my-qrcode'],
      ['POST', 'my-qrcode/refresh'],
      ['GET', `by-qr-code/${fresh.code}`],
    ] as const)
      expect((await world.server.request(method, `/api/contacts/${path}`)).status).toBe(401)
  })

  test('scanning a card resolves to the user', async () => {
    const [mei, tom] = [await someone(), await someone()]
    const { content } = ok(await mei.call('contacts.card')).data
    const scan = async (text: string) =>
      ok(await tom.call('scanRecords.create', { body: { content: text } })).data.resolved
    expect(await scan(content)).toMatchObject({ kind: 'USER', id: mei.id })
    expect(await scan('user:ABCDEFGHABCDEFGH')).toEqual({ kind: 'USER' })
  })

  test.if(inProcess)('a card or search counts as knowing the person for 24 hours', async () => {
    const [mei, tom, sue] = [await someone(), await someone(), await someone()]
    for (const who of [mei, sue]) ok(await byCard(who, await codeOf(tom)))
    world.server.clock.advance(DAY - 1000)
    expect(ok(await mei.call('contacts.request', { body: { userId: tom.id } })).data.source).toBe('QR_CODE')
    world.server.clock.advance(1000)
    expect((await sue.call('contacts.request', { body: { userId: tom.id } })).status).toBe(404)
  })
})

describe('privacy settings', () => {
  test('have defaults, change one by one, and refuse unknown values without a change', async () => {
    const mei = await someone()
    const defaults = {
      findableByEmail: true,
      findableByPhone: true,
      whoMayRequest: 'EVERYONE',
      whoMayMessage: 'CONTACTS',
      readReceipts: true,
      presence: false,
    }
    expect(ok(await mei.call('contacts.privacy')).data as object).toEqual(defaults)
    expect(ok(await mei.put('/api/contacts/settings', {})).data).toEqual(defaults)
    const changed = { ...defaults, whoMayMessage: 'EVERYONE', readReceipts: false }
    expect(
      ok(await mei.call('contacts.updatePrivacy', { body: { whoMayMessage: 'EVERYONE', readReceipts: false } }))
        .data as object,
    ).toEqual(changed)
    await codeOf(mei)
    for (const body of [
      { whoMayRequest: 'FRIENDS' },
      { readReceipts: 'yes' },
      { presence: null },
      { findableByEmail: null },
    ])
      expect((await mei.put('/api/contacts/settings', body)).status, JSON.stringify(body)).toBe(400)
    expect(ok(await mei.call('contacts.privacy')).data as object).toEqual(changed)
    for (const method of ['GET', 'PUT'] as const)
      expect((await world.server.request(method, '/api/contacts/settings')).status).toBe(401)
  })
})

describe('budgets', () => {
  test('look-ups by search and card share 50 a day, found or not, and the 21st wrong code in a minute is refused', async () => {
    await using server = await startServer({ rateLimit: true })
    const [mei, tom] = [await server.person(), await server.person()]
    const code = await codeOf(tom)
    for (let i = 0; i < 20; i += 1) expect((await byCard(mei, 'ABCDEFGHABCDEFGH')).status).toBe(404)
    for (const reply of [await byCard(mei, code), await mei.call('contacts.request', { body: { code } })])
      expect([reply.status, reply.code]).toEqual([429, 4022])
    for (let i = 21; i < 50; i += 1) expect(await search(mei, newEmail())).toEqual([])
    for (const reply of [await mei.call('contacts.search', { query: { q: newEmail() } }), await byCard(mei, code)])
      expect([reply.status, reply.code]).toEqual([429, 4022])
    expect((await tom.call('contacts.search', { query: { q: newEmail() } })).status).toBe(200)
  })
})
