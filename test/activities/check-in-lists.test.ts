/** Check-in lists: each counts the uses of passes for itself. */

import { describe, expect, test } from 'bun:test'

import type { CreateList, ListView } from '#domains/activities/check-in-lists/check-in-lists.model.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { ok, type Person, race, type Reply, useServer } from '../harness/index.ts'
import {
  issueOne,
  nonce,
  redeem,
  redeemed,
  revoke,
  upload,
  usesOf,
  verdict,
  verdicts,
  verified,
} from './gate-helpers.ts'
import { getActivity, setStatus } from './helpers.ts'
import { createTemplate, guests, issued, withPasses } from './pass-helpers.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const addList = async (id: number, fields: Partial<CreateList> = {}, person = alice): Promise<ListView> =>
  ok(await person.call('checkInLists.create', { params: { id }, body: { name: 'Workshop', ...fields } })).data

const listsOf = async (id: number): Promise<readonly ListView[]> =>
  ok(await alice.call('checkInLists.list', { params: { id }, query: { size: 100 } })).data.items

const getPass = async (passId: number, person: Person = alice) =>
  ok(await person.call('passes.get', { params: { passId } })).data

/** An activity with a pass, and lists with these values. */
async function withLists(...lists: readonly Partial<CreateList>[]) {
  const { id } = await withPasses(alice)
  const pass = await issueOne(alice, id)
  const added: ListView[] = []
  for (const fields of lists) added.push(await addList(id, fields))
  return { id, pass, passUuid: pass.uuid, lists: added }
}

describe('lists', () => {
  test('are added, changed, put into an order and deleted', async () => {
    const { id } = await withPasses(alice)
    const first = await addList(id, { name: 'Lunch', kind: 'MEAL', place: 'Hall 2', maxUses: 0 })
    expect(first).toEqual({
      id: expect.any(Number),
      name: 'Lunch',
      kind: 'MEAL',
      place: 'Hall 2',
      opensAt: null,
      closesAt: null,
      maxUses: 0,
      templateIds: [],
      requiresEntry: false,
      admitted: 0,
      inside: 0,
      createdAt: expect.any(Number),
    })
    const second = await addList(id, { name: 'Workshop' })
    expect(second).toMatchObject({ kind: 'OTHER', place: null, maxUses: 1 })
    const third = await addList(id, { name: 'Party' })
    const body = { opensAt: 1000, closesAt: 2000, maxUses: null, place: null }
    const changed = ok(await alice.call('checkInLists.update', { params: { id, listId: first.id }, body })).data
    expect(changed).toEqual({ ...first, opensAt: 1000, closesAt: 2000, maxUses: 1, place: null })
    ok(await alice.call('checkInLists.reorder', { params: { id }, body: { ids: [third.id, first.id] } }))
    expect((await listsOf(id)).map((list) => list.id)).toEqual([third.id, first.id, second.id])
    ok(await alice.call('checkInLists.delete', { params: { id, listId: third.id } }))
    expect(await listsOf(id)).toEqual([changed, second])
    const gone = { params: { id, listId: third.id } }
    expect((await alice.call('checkInLists.delete', gone)).status).toBe(404)
    expect((await alice.call('checkInLists.update', { ...gone, body: { name: 'Party' } })).status).toBe(404)
  })

  test('are for managers, and refuse input that is not valid', async () => {
    const { id } = await withPasses(alice, { visibility: 'PUBLIC' })
    const hidden = await withPasses(alice, { visibility: 'INVITE_ONLY' })
    const list = await addList(id)
    const template = await createTemplate(bob)
    const other = await withLists({})
    const params = { id, listId: list.id }
    expect((await bob.call('checkInLists.list', { params: { id } })).status).toBe(403)
    expect((await bob.call('checkInLists.create', { params: { id }, body: { name: 'Mine' } })).status).toBe(403)
    expect((await bob.call('checkInLists.list', { params: { id: hidden.id } })).status).toBe(403)
    expect((await server.call('checkInLists.list', { params: { id } })).status).toBe(401)
    expect((await bob.call('checkInLists.update', { params, body: { name: 'Mine' } })).status).toBe(403)
    expect((await bob.call('checkInLists.delete', { params })).status).toBe(403)
    expect((await bob.call('checkInLists.reorder', { params: { id }, body: { ids: [list.id] } })).status).toBe(403)
    const ofOther = { id, listId: other.lists[0]!.id }
    expect((await alice.call('checkInLists.update', { params: ofOther, body: { name: 'X' } })).status).toBe(404)
    const pathsOf = ({ details }: Reply) => details.map(({ path }) => path)
    const create = (body: CreateList) => alice.call('checkInLists.create', { params: { id }, body })
    expect(pathsOf(await create({ name: 'X', opensAt: 2000, closesAt: 1000 }))).toEqual(['body.closesAt'])
    expect(pathsOf(await create({ name: 'X', templateIds: [template.id] }))).toEqual(['body.templateIds.0'])
    expect((await create({ name: 'X'.repeat(61) })).status).toBe(400)
    expect((await create({ name: ' ' })).status).toBe(400)
    expect((await create({ name: 'X', maxUses: -1 })).status).toBe(400)
    const badOrder = { params: { id }, body: { ids: [list.id, other.lists[0]!.id] } }
    expect(pathsOf(await alice.call('checkInLists.reorder', badOrder))).toEqual(['body.ids.1'])
    expect(await listsOf(id)).toEqual([list])
    await setStatus(alice, id, 'ENDED')
    expect((await create({ name: 'Late' })).status).toBe(400)
    expect((await alice.call('checkInLists.delete', { params })).status).toBe(400)
  })

  test('are at most 100 of an activity, also when many are added at once', async () => {
    const { id } = await withPasses(alice)
    for (let i = 0; i < 95; i++) await addList(id, { name: `List ${i}` })
    const replies = await race(10, (i) =>
      alice.call('checkInLists.create', { params: { id }, body: { name: `Late ${i}` } }),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(await listsOf(id)).toHaveLength(100)
  })
})

describe('a pass', () => {
  test('is good once on each list and once without one', async () => {
    const { id, pass, passUuid, lists } = await withLists({ name: 'A' }, { name: 'B' })
    const [a, b] = [lists[0]!.id, lists[1]!.id]
    for (const listId of [a, b, null]) {
      expect(await verified(alice, id, { passUuid, listId })).toMatchObject({ valid: true })
      const { use } = await redeemed(alice, id, { passUuid, listId })
      expect(use).toMatchObject({ result: 'ACCEPTED', list: listId === null ? null : { id: listId } })
      expect(verdict(await redeemed(alice, id, { passUuid, listId }))).toBe('USED')
      expect(verdict(await verified(alice, id, { passUuid, listId }))).toBe('USED')
    }
    expect(await getPass(pass.id)).toMatchObject({
      usedCount: 1,
      lists: [
        { listId: a, name: 'A', used: 1, inside: true },
        { listId: b, name: 'B', used: 1, inside: true },
      ],
    })
    expect(await listsOf(id)).toMatchObject([
      { admitted: 1, inside: 1 },
      { admitted: 1, inside: 1 },
    ])
    expect((await getActivity(alice, id)).stats!.passUses).toBe(1)
  })

  test('stays as it is, and the activity too, when it is used on a list', async () => {
    const { id, pass, passUuid, lists } = await withLists({})
    await redeemed(alice, id, { passUuid, listId: lists[0]!.id })
    const { lists: _, ...rest } = await getPass(pass.id)
    expect(rest).toEqual(pass)
    expect((await getActivity(alice, id)).stats!.passUses).toBe(0)
  })

  test('leaves and returns on each list for itself', async () => {
    const { id, passUuid, lists } = await withLists({}, {})
    const [a, b] = [lists[0]!.id, lists[1]!.id]
    const go = async (listId: number | null, direction: 'ENTRY' | 'EXIT') =>
      verdict(await redeemed(alice, id, { passUuid, listId, direction }))
    expect(await go(a, 'ENTRY')).toBe('valid')
    expect(await go(b, 'EXIT')).toBe('NOT_YET_VALID')
    expect(await go(null, 'EXIT')).toBe('NOT_YET_VALID')
    expect(await go(a, 'EXIT')).toBe('valid')
    expect((await listsOf(id))[0]).toMatchObject({ admitted: 1, inside: 0 })
    expect(await go(a, 'EXIT')).toBe('USED')
    expect(await go(b, 'ENTRY')).toBe('valid')
    expect(await go(a, 'ENTRY')).toBe('valid')
    expect(await go(a, 'ENTRY')).toBe('USED')
    expect(await listsOf(id)).toMatchObject([
      { admitted: 1, inside: 1 },
      { admitted: 1, inside: 1 },
    ])
  })

  test('is refused by the rules of the list after all others', async () => {
    const { id } = await withPasses(alice)
    const template = await createTemplate(alice)
    const now = server.clock.now()
    const restricted = await addList(id, { templateIds: [template.id], closesAt: now - HOUR, requiresEntry: true })
    const closed = await addList(id, { closesAt: now - HOUR, requiresEntry: true })
    const early = await addList(id, { opensAt: now + DAY })
    const later = await addList(id, { requiresEntry: true })
    const plain = await issueOne(alice, id)
    const [admitted] = await issued(alice, id, { holders: guests(1), templateId: template.id })
    const ask = async ({ uuid: passUuid }: { uuid: string }, { id: listId }: ListView) => {
      const checked = verdict(await verified(server, id, { passUuid, listId }))
      expect(verdict(await redeemed(alice, id, { passUuid, listId }))).toBe(checked as never)
      return checked
    }
    expect(await ask(plain, restricted)).toBe('NOT_ON_LIST')
    expect(await ask(admitted!, restricted)).toBe('LIST_CLOSED')
    expect(await ask(plain, closed)).toBe('LIST_CLOSED')
    expect(await ask(plain, early)).toBe('LIST_CLOSED')
    expect(await ask(plain, later)).toBe('NOT_ENTERED')
    expect(await listsOf(id)).toMatchObject(Array.from({ length: 4 }, () => ({ admitted: 0, inside: 0 })))
    await redeemed(alice, id, { passUuid: plain.uuid })
    expect(verdict(await redeemed(alice, id, { passUuid: plain.uuid, listId: later.id }))).toBe('valid')
    await revoke(alice, plain.id)
    expect(await ask(plain, restricted)).toBe('REVOKED')
    expect((await usesOf(alice, id, { result: 'REFUSED', listId: restricted.id })).items).toMatchObject([
      { reason: 'REVOKED', list: { id: restricted.id } },
      { reason: 'REVOKED' },
      { reason: 'LIST_CLOSED' },
      { reason: 'LIST_CLOSED' },
      { reason: 'NOT_ON_LIST' },
      { reason: 'NOT_ON_LIST' },
    ])
  })

  test('is refused on a list of another activity, and nothing is recorded', async () => {
    const { id, passUuid } = await withLists()
    const other = await withLists({})
    const listId = other.lists[0]!.id
    for (const body of [
      { passUuid, listId },
      { passUuid, listId, redeem: true },
    ]) {
      const reply = await alice.call('passes.verify', { params: { id }, body })
      expect(reply.status).toBe(400)
      expect(reply).toMatchObject({ details: [{ path: 'body.listId' }] })
    }
    const item = { passUuid, listId, nonce: nonce(), usedAt: server.clock.now() }
    const body = { items: [{ passUuid, nonce: nonce(), usedAt: server.clock.now() }, item] }
    const reply = await alice.call('passes.uploadRedemptions', { params: { id }, body })
    expect(reply).toMatchObject({ status: 400, details: [{ path: 'body.items.1.listId' }] })
    expect((await usesOf(alice, id)).total).toBe(0)
    expect((await usesOf(alice, id, { listId })).total).toBe(0)
  })
})

describe('races', () => {
  test('of 20 at once for the same pass and list, one enters', async () => {
    const { id, passUuid, lists } = await withLists({})
    const replies = await race(20, () => redeem(alice, id, { passUuid, listId: lists[0]!.id }))
    expect(verdicts(replies)).toEqual({ valid: 1, USED: 19 })
    expect(await listsOf(id)).toMatchObject([{ admitted: 1, inside: 1 }])
  })

  test('on 20 lists, the same pass enters 20 times', async () => {
    const { id, pass, passUuid, lists } = await withLists(...Array.from({ length: 20 }, (_, i) => ({ name: `L${i}` })))
    const replies = await race(40, (i) => redeem(alice, id, { passUuid, listId: lists[i % 20]!.id }))
    expect(verdicts(replies)).toEqual({ valid: 20, USED: 20 })
    expect((await getPass(pass.id)).lists.map(({ used }) => used)).toEqual(Array.from({ length: 20 }, () => 1))
    expect((await listsOf(id)).every(({ admitted, inside }) => admitted === 1 && inside === 1)).toBe(true)
  })

  test('of a redemption and its repetitions with one nonce, one counts', async () => {
    const { id, passUuid, lists } = await withLists({ maxUses: 0 })
    const body = { passUuid, listId: lists[0]!.id, nonce: nonce() }
    const replies = await race(10, () => redeem(alice, id, body))
    expect(new Set(replies.map((reply) => ok(reply).data.use!.id)).size).toBe(1)
    expect(await listsOf(id)).toMatchObject([{ admitted: 1 }])
  })
})

describe('a nonce', () => {
  test('belongs to a list: another one is 400, with and without a connection', async () => {
    const { id, passUuid, lists } = await withLists({}, {})
    const [a, b] = [lists[0]!.id, lists[1]!.id]
    const used = nonce()
    await redeemed(alice, id, { passUuid, listId: a, nonce: used })
    for (const listId of [b, null]) {
      expect((await redeem(alice, id, { passUuid, listId, nonce: used })).status).toBe(400)
      const items = [{ passUuid, listId, nonce: used, usedAt: server.clock.now() }]
      const reply = await alice.call('passes.uploadRedemptions', { params: { id }, body: { items } })
      expect(reply).toMatchObject({ details: [{ path: 'body.items.0.nonce' }] })
    }
    expect(await redeemed(alice, id, { passUuid, listId: a, nonce: used })).toMatchObject({ valid: true })
    expect(await listsOf(id)).toMatchObject([{ admitted: 1 }, { admitted: 0 }])
  })
})

describe('redemptions without a connection', () => {
  test('count on their lists, once each', async () => {
    const now = server.clock.now()
    const { id, pass, passUuid, lists } = await withLists({ requiresEntry: true }, { closesAt: now - 1000 })
    const [a, b] = [lists[0]!.id, lists[1]!.id]
    const item = (listId: number | null, usedAt: number) => ({ passUuid, listId, nonce: nonce(), usedAt })
    const items = [item(a, now - 900), item(a, now - 800), item(b, now - 2000), item(b, now), item(null, now - 500)]
    const results = (await upload(alice, id, items)).map(({ result, reason }) => [result, reason])
    expect(results).toEqual([
      ['ACCEPTED', null],
      ['DOUBLE_USE', 'USED'],
      ['ACCEPTED', null],
      ['DOUBLE_USE', 'USED'],
      ['ACCEPTED', null],
    ])
    const other = await issueOne(alice, id)
    const late = { passUuid: other.uuid, listId: b, nonce: nonce(), usedAt: now }
    expect(await upload(alice, id, [late])).toMatchObject([{ result: 'REFUSED', reason: 'LIST_CLOSED' }])
    expect((await upload(alice, id, items)).every(({ result }) => result === 'DUPLICATE')).toBe(true)
    expect(await listsOf(id)).toMatchObject([
      { admitted: 1, inside: 1 },
      { admitted: 1, inside: 1 },
    ])
    expect(await getPass(pass.id)).toMatchObject({
      usedCount: 1,
      lists: [
        { used: 1, lastUsedAt: now - 900 },
        { used: 1, lastUsedAt: now - 2000 },
      ],
    })
  })

  test('leave the last passage as it is if they are older', async () => {
    const { id, pass, passUuid, lists } = await withLists({ maxUses: 0 })
    const listId = lists[0]!.id
    const now = server.clock.now()
    const item = (direction: 'ENTRY' | 'EXIT', usedAt: number) => ({
      passUuid,
      listId,
      direction,
      nonce: nonce(),
      usedAt,
    })
    await upload(alice, id, [item('ENTRY', now - 3000), item('EXIT', now - 1000)])
    await upload(alice, id, [item('ENTRY', now - 2000)])
    expect(await listsOf(id)).toMatchObject([{ admitted: 2, inside: 0 }])
    expect(await getPass(pass.id)).toMatchObject({ lists: [{ used: 2, inside: false, lastUsedAt: now - 1000 }] })
  })

  test('still count on a list that was deleted meanwhile', async () => {
    const { id, passUuid, lists } = await withLists({ name: 'Dinner' })
    const listId = lists[0]!.id
    ok(await alice.call('checkInLists.delete', { params: { id, listId } }))
    const items = [{ passUuid, listId, nonce: nonce(), usedAt: server.clock.now() }]
    expect(await upload(alice, id, items)).toMatchObject([{ result: 'ACCEPTED' }])
    expect((await redeem(alice, id, { passUuid, listId })).status).toBe(400)
    expect((await usesOf(alice, id)).items).toMatchObject([{ list: { id: null, name: 'Dinner' } }])
  })
})

describe('undo', () => {
  const undo = (id: number, recordId: number) => alice.call('passes.undo', { params: { id, recordId }, body: {} })

  test('takes back the latest use of its list only', async () => {
    const { id, pass, passUuid, lists } = await withLists({ maxUses: 2 }, {})
    const [a, b] = [lists[0]!.id, lists[1]!.id]
    const used = async (listId: number | null) => (await redeemed(alice, id, { passUuid, listId })).use!.id
    const [first, second, other, entrance] = [await used(a), await used(a), await used(b), await used(null)]
    expect((await undo(id, first)).status).toBe(400)
    ok(await undo(id, second))
    ok(await undo(id, second))
    expect(await listsOf(id)).toMatchObject([
      { admitted: 1, inside: 1 },
      { admitted: 1, inside: 1 },
    ])
    ok(await undo(id, first))
    ok(await undo(id, entrance))
    expect(await getPass(pass.id)).toMatchObject({
      usedCount: 0,
      lists: [
        { used: 0, inside: false, lastUsedAt: null },
        { used: 1, inside: true },
      ],
    })
    expect(await listsOf(id)).toMatchObject([{ admitted: 0, inside: 0 }, { admitted: 1 }])
    expect((await getActivity(alice, id)).stats!.passUses).toBe(0)
    ok(await undo(id, other))
    expect(verdict(await redeemed(alice, id, { passUuid, listId: b }))).toBe('valid')
  })
})
