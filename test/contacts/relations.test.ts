/** The questions of chat about two users, and the frames that contact requests cause. Looks inside the server. */

import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import {
  areContacts,
  contacts,
  isBlocked,
  mayKnow,
  messageRefusal,
  personsByIds,
  readReceiptsOf,
  remarksOf,
} from '#domains/contacts/index.ts'
import type { RequestView } from '#domains/contacts/requests/requests.model.ts'
import { domain } from '#domains/domain.ts'
import { addSocket, removeSocket } from '#http/socket.ts'

import { inProcess, ok, type Person, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave, UNKNOWN_ID } from '../orgs/helpers.ts'
import { accept, ask, befriend, block, codeOf, outgoing, reject, remove, unblock } from './helpers.ts'

/** Pairs of users whom another domain, as chat does by conversations, makes known to each other. */
const acquainted = new Set<string>()
const other = domain({
  name: 'other',
  acquaintance: async (_db: unknown, userId: number, otherId: number) => acquainted.has(`${userId} ${otherId}`),
})
const { server } = useServer({ ...(inProcess && { domains: (product) => [...product, other] }) })

const two = async () => (await Promise.all([server.person(), server.person()])) as [Person, Person]
const inWrite = <T>(fn: Parameters<typeof server.ctx.db.write<T>>[1]) => server.ctx.db.write('test.ask', fn)
const knows = (a: Person, b: { id: number }) => inWrite((tx) => mayKnow(server.ctx, tx, a.id, b.id))
const refusal = async (a: Person, b: Person) => {
  const code = messageRefusal(sql`${a.id}`, sql`${b.id}`)
  const [row] = await server.ctx.db.read.select({ code }).from(users).where(eq(users.id, a.id))
  return row!.code ?? undefined
}
const allow = async (person: Person, whoMayMessage: 'CONTACTS' | 'ORG_MEMBERS' | 'EVERYONE') =>
  ok(await person.call('contacts.updatePrivacy', { body: { whoMayMessage } }))

describe.if(inProcess)('mayKnow', () => {
  test('is true for contacts on either side, members of a common organization, look-ups and other acquaintances', async () => {
    const [mei, tom] = await two()
    expect([await knows(mei, tom), await knows(mei, { id: UNKNOWN_ID })]).toEqual([false, false])
    const [ofMei] = await befriend(mei, tom)
    ok(await remove(mei, ofMei))
    expect([await knows(mei, tom), await knows(tom, mei)]).toEqual([true, true])

    const [sue, kim] = await two()
    const org = await createOrg(sue)
    await addMembers(sue, org, kim)
    expect([await knows(sue, kim), await knows(kim, sue)]).toEqual([true, true])
    ok(await leave(kim, org))
    expect([await knows(sue, kim), await knows(kim, sue)]).toEqual([false, false])

    ok(await sue.call('contacts.byCard', { params: { code: await codeOf(kim) } }))
    expect([await knows(sue, kim), await knows(kim, sue)]).toEqual([true, false])

    const [lin, bo] = await two()
    acquainted.add(`${lin.id} ${bo.id}`)
    expect([await knows(lin, bo), await knows(bo, lin)]).toEqual([true, false])
    expect(ok(await lin.call('contacts.request', { body: { userId: bo.id } })).data.source).toBe('CARD')
    ok(await bo.post('/api/auth/account/delete'))
    expect(await knows(lin, bo)).toBe(false)
  })

  test('is false for a user whom the other one has only blocked', async () => {
    const [mei, tom] = await two()
    ok(await reject(tom, ok(await ask(mei, tom)).data.id, true))
    expect([await knows(mei, tom), await knows(tom, mei)]).toEqual([false, true])
  })
})

describe.if(inProcess)('messageRefusal', () => {
  test('is 4011 without a two-way contact, and 4012 before it if either side has blocked the other', async () => {
    const [mei, tom] = await two()
    expect(await refusal(mei, tom)).toBe(4011)
    const [ofMei, ofTom] = await befriend(mei, tom)
    const ask3 = async () => [await refusal(mei, tom), await refusal(tom, mei), await isBlockedNow(mei, tom)]
    expect(await ask3()).toEqual([undefined, undefined, false])
    ok(await block(mei, ofMei))
    expect(await ask3()).toEqual([4012, 4012, true])
    ok(await unblock(mei, ofMei))
    expect(await ask3()).toEqual([undefined, undefined, false])
    ok(await remove(tom, ofTom))
    expect(await ask3()).toEqual([4011, 4011, false])
    ok(await block(mei, ofMei))
    expect(await ask3()).toEqual([4012, 4012, true])
  })

  test('obeys whoMayMessage of the recipient', async () => {
    const [mei, tom] = await two()
    await allow(tom, 'EVERYONE')
    expect([await refusal(mei, tom), await refusal(tom, mei)]).toEqual([undefined, 4011])
    await allow(tom, 'ORG_MEMBERS')
    expect(await refusal(mei, tom)).toBe(4011)
    const org = await createOrg(mei)
    await addMembers(mei, org, tom)
    expect([await refusal(mei, tom), await refusal(tom, mei)]).toEqual([undefined, 4011])
  })
})

const isBlockedNow = (a: Person, b: Person) => isBlocked(server.ctx.db.read, a.id, b.id)

test.if(inProcess)('remarks, read receipts, persons and contacts are found for several users at once', async () => {
  const [mei, tom] = await two()
  const [ofMei] = await befriend(mei, tom)
  ok(await mei.call('contacts.setRemark', { params: { contactId: ofMei }, body: { remark: 'Tom' } }))
  ok(await tom.call('contacts.updatePrivacy', { body: { readReceipts: false } }))
  const { read } = server.ctx.db
  const ids = [mei.id, tom.id, UNKNOWN_ID]
  expect(await remarksOf(read, mei.id, ids)).toEqual(new Map([[tom.id, { remark: 'Tom', contactId: ofMei }]]))
  expect(await remarksOf(read, mei.id, [])).toEqual(new Map())
  expect(await readReceiptsOf(read, [mei.id, tom.id])).toEqual(
    new Map([
      [mei.id, true],
      [tom.id, false],
    ]),
  )
  const persons = await personsByIds(server.ctx, read, ids)
  expect(new Set(persons.keys())).toEqual(new Set([mei.id, tom.id]))
  expect(Object.keys(persons.get(tom.id)!)).toEqual(['userId', 'nickname', 'avatarUrl'])
  expect([await areContacts(read, mei.id, tom.id), await areContacts(read, mei.id, UNKNOWN_ID)]).toEqual([true, false])
  // An account with contacts is not an unused one; one that only has sent a request or has a card is.
  const lonely = await server.person()
  ok(await ask(lonely, mei))
  await codeOf(lonely)
  expect([await contacts.userContent(read, mei.id), await contacts.userContent(read, lonely.id)]).toEqual([true, false])
})

describe.if(inProcess)('contact.request frames', () => {
  interface Frame {
    readonly type: string
    readonly data: RequestView
  }

  /** Collects the frames that a user gets while `fn` runs, and until `count` have arrived. */
  async function framesOf(people: readonly Person[], counts: readonly number[], fn: () => Promise<unknown>) {
    const frames: Frame[][] = people.map(() => [])
    const sockets = people.map(({ id, sessionId }, i) => ({
      actor: { userId: id, sessionId, deviceKey: '' },
      locale: 'en' as const,
      send: (text: string) => void frames[i]!.push(JSON.parse(text)),
      sendAll: (texts: readonly string[]) => void frames[i]!.push(...texts.map((text) => JSON.parse(text) as Frame)),
    }))
    for (const socket of sockets) addSocket(server.ctx, socket)
    await fn()
    await until(() => frames.every((list, i) => list.length >= counts[i]!), 'all frames have arrived')
    for (const socket of sockets) removeSocket(server.ctx, socket)
    expect(frames.map((list) => list.length)).toEqual([...counts])
    expect(frames.flat().every(({ type }) => type === 'contact.request')).toBe(true)
    return frames.map((list) => list.map(({ data }) => data))
  }

  test('go to the recipient on creation and to both on acceptance, as each side sees the request', async () => {
    const [mei, tom] = await two()
    const created = await framesOf([mei, tom], [0, 1], () => ask(mei, tom, { message: 'Hello' }))
    const [incoming] = created[1]!
    expect(incoming).toMatchObject({ direction: 'INCOMING', userId: mei.id, status: 'PENDING', message: 'Hello' })
    const [ofMei, ofTom] = await framesOf([mei, tom], [1, 1], () => accept(tom, incoming!.id))
    expect(ofMei![0]).toEqual((await outgoing(mei)).items[0]!)
    expect(ofTom![0]).toMatchObject({ id: incoming!.id, direction: 'INCOMING', status: 'ACCEPTED', userId: mei.id })
    expect(ofTom![0]!.contactId).not.toBe(ofMei![0]!.contactId)
  })

  test('go to each side once, about its own request, if two requests cross', async () => {
    const [mei, tom] = await two()
    ok(await ask(mei, tom))
    const [ofMei, ofTom] = await framesOf([mei, tom], [1, 1], () => ask(tom, mei))
    expect(ofMei![0]).toMatchObject({ direction: 'OUTGOING', userId: tom.id, status: 'ACCEPTED' })
    expect(ofTom![0]).toMatchObject({ direction: 'OUTGOING', userId: mei.id, status: 'ACCEPTED' })
  })

  test('are not sent for a request that is hidden, repeated or rejected', async () => {
    const [mei, tom] = await two()
    const [ofMei, ofTom] = await befriend(mei, tom)
    ok(await block(tom, ofTom))
    ok(await remove(mei, ofMei))
    const sue = await server.person()
    const { id } = ok(await ask(sue, tom)).data
    await framesOf([mei, tom, sue], [0, 1, 0], async () => {
      ok(await ask(mei, tom))
      ok(await ask(sue, tom))
      ok(await reject(tom, id))
      // The only frame, sent last: all before would have arrived.
      ok(await ask(await server.person(), tom))
    })
  })
})
