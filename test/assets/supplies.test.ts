/** Supplies: registering them, their movements and rules, self-service, notices, and what others see of them. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { supplyMovements } from '#db/schema/supplies.ts'
import { lowSupplies } from '#domains/assets/supplies/supplies.store.ts'

import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave, setRole, UNKNOWN_ID } from '../orgs/helpers.ts'
import { createLocation, photo } from './helpers.ts'

const { server, alice, bob, carol, guest, stranger } = useServer({
  people: ['alice', 'bob', 'carol', 'guest', 'stranger'],
})
let orgId: number
let shelf: number
let cellar: number
const names = { alice: '', bob: '' }

beforeAll(async () => {
  orgId = (await createOrg(alice)).id
  await addMembers(alice, { id: orgId }, bob, carol, guest)
  await setRole(alice, { id: orgId }, carol, 'ADMIN')
  await setRole(alice, { id: orgId }, guest, 'GUEST')
  for (const [name, person] of [
    ['alice', alice],
    ['bob', bob],
  ] as const)
    names[name] = ok(await person.call('profile.get')).data.nickname
  cellar = await createLocation(alice, orgId, 'Cellar')
  shelf = await createLocation(alice, orgId, 'Shelf', cellar)
})

let counter = 0
async function addSupply(person: Person = alice, fields: object = {}, org: number | null = orgId) {
  counter += 1
  const body = { name: `supply ${counter}`, ...(org !== null && { orgId: org }), ...fields }
  return ok(await person.call('supplies.create', { body })).data
}
const getSupply = async (id: number, person: Person = alice) =>
  ok(await person.call('supplies.get', { params: { id } })).data
const move = (person: Person, id: number, body: object) =>
  person.call('supplies.move', { params: { id }, body: body as never })
const moved = async (person: Person, id: number, body: object) => ok(await move(person, id, body)).data
const reverse = (person: Person, id: number, body: object = {}) =>
  person.call('supplies.reverse', { params: { id }, body })
const movements = async (query: object, person: Person = alice) =>
  ok(await person.call('supplies.movements', { query: { orgId, ...query } })).data
/** A supply with some in stock. */
async function stocked(quantity: number, fields: object = {}) {
  const supply = await addSupply(alice, fields)
  await moved(alice, supply.id, { type: 'IN', quantity })
  return supply
}
const pathsOf = (reply: { status: number; details: readonly { path: string }[] }) => [
  reply.status,
  ...reply.details.map(({ path }) => path),
]

describe('a supply', () => {
  test('is registered with defaults, changed, and deleted', async () => {
    const supply = await addSupply(alice, { name: 'Chalk' })
    expect(supply).toMatchObject({
      name: 'Chalk',
      kind: 'CONSUMABLE',
      unit: 'pcs',
      price: null,
      minimum: null,
      target: null,
      keeperIds: [],
      selfService: false,
      maxPerTake: 10,
      stock: 0,
      lent: 0,
      available: 0,
      byLocation: [],
      orgId,
      userId: alice.id,
      version: 1,
    })
    expect(supply.supplyNo).toMatch(/^S-\d{5}$/)
    expect(supply.publicUrl).toEndWith(`/s/supply/${supply.uuid}`)
    const body = {
      price: '4.9',
      minimum: 5,
      target: 20,
      keeperIds: [carol.id],
      unit: 'box',
      photos: [await photo(alice, orgId)],
    }
    const changed = ok(await alice.call('supplies.update', { params: { id: supply.id }, body })).data
    expect(changed).toMatchObject({ price: '4.90', minimum: 5, target: 20, unit: 'box', version: 2 })
    expect(changed.photos).toHaveLength(1)
    const again = ok(
      await alice.call('supplies.update', { params: { id: supply.id }, body: { minimum: 5, unit: 'box' } }),
    ).data
    expect([again.version, again.updatedAt]).toEqual([2, changed.updatedAt])
    ok(await alice.call('supplies.delete', { params: { id: supply.id } }))
    expect((await alice.call('supplies.get', { params: { id: supply.id } })).status).toBe(404)
  })

  test('has a number that no other supply of its owner has, whatever its case', async () => {
    const { id } = await addSupply(alice, { supplyNo: 'Ink-1' })
    const reply = await alice.call('supplies.create', { body: { name: 'Ink', supplyNo: 'iNK-1', orgId } })
    expect(pathsOf(reply)).toEqual([400, 'body.supplyNo'])
    ok(await alice.call('supplies.create', { body: { name: 'Ink', supplyNo: 'Ink-1' } }))
    ok(await alice.call('supplies.delete', { params: { id } }))
    await addSupply(alice, { supplyNo: 'INK-1' })
    const replies = await race(10, () =>
      alice.call('supplies.create', { body: { name: 'Ink', supplyNo: 'Ink-2', orgId } }),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]))
  })

  test('gets the next number, without those that are taken', async () => {
    const before = await addSupply()
    const next = Number(before.supplyNo.slice(2)) + 1
    await addSupply(alice, { supplyNo: `s-${String(next).padStart(5, '0')}` })
    expect((await addSupply()).supplyNo).toBe(`S-${String(next + 1).padStart(5, '0')}`)
  })

  test('refuses invalid quantities, prices, categories and keepers', async () => {
    for (const [fields, path] of [
      [{ minimum: -1 }, 'body.minimum'],
      [{ minimum: 1.5 }, 'body.minimum'],
      [{ minimum: '1e3' }, 'body.minimum'],
      [{ target: 1_000_000_001 }, 'body.target'],
      [{ maxPerTake: 0 }, 'body.maxPerTake'],
      [{ price: '1.234' }, 'body.price'],
      [{ categoryId: UNKNOWN_ID }, 'body.categoryId'],
      [{ keeperIds: [bob.id, stranger.id] }, 'body.keeperIds.1'],
      [{ kind: 'OTHER' }, 'body.kind'],
      [{ unit: 'x'.repeat(21) }, 'body.unit'],
      [{ photos: [UNKNOWN_ID] }, 'body.photos.0'],
    ] as const)
      expect(
        pathsOf(await alice.call('supplies.create', { body: { name: 'Bad', orgId, ...fields } as never })),
      ).toEqual([400, path])
    const own = await alice.call('supplies.create', { body: { name: 'Bad', selfService: true } })
    expect(pathsOf(own)).toEqual([400, 'body.selfService'])
  })

  test('is seen by members only, and changed by those who hold the point', async () => {
    const { id } = await addSupply()
    expect((await bob.call('supplies.get', { params: { id } })).status).toBe(200)
    expect((await stranger.call('supplies.get', { params: { id } })).status).toBe(404)
    expect((await bob.call('supplies.update', { params: { id }, body: { name: 'Mine' } })).status).toBe(403)
    expect((await bob.call('supplies.delete', { params: { id } })).status).toBe(403)
    expect((await stranger.call('supplies.delete', { params: { id } })).status).toBe(404)
    expect((await stranger.call('supplies.list', { query: { orgId } })).status).toBe(403)
    const own = await addSupply(bob, {}, null)
    expect((await alice.call('supplies.get', { params: { id: own.id } })).status).toBe(404)
  })

  test('loses a category that is deleted', async () => {
    const category = ok(await alice.call('assetCategories.create', { body: { name: 'Paper', orgId } })).data
    const { id } = await addSupply(alice, { categoryId: category.id })
    ok(await alice.call('assetCategories.delete', { params: { id: category.id } }))
    expect((await getSupply(id)).categoryId).toBeNull()
  })
})

describe('the list of supplies', () => {
  test('is filtered and sorted', async () => {
    const org = (await createOrg(alice)).id
    const room = await createLocation(alice, org, 'Room')
    const add = (fields: object) => addSupply(alice, fields, org)
    const category = ok(await alice.call('assetCategories.create', { body: { name: 'Paper', orgId: org } })).data
    const a4 = await add({ name: 'B paper', categoryId: category.id, minimum: 3, supplier: 'Mill' })
    const chairs = await add({ name: 'A chairs', kind: 'POOL' })
    const chalk = await add({ name: 'C chalk' })
    await moved(alice, a4.id, { type: 'IN', quantity: 2, locationId: room })
    await moved(alice, chairs.id, { type: 'IN', quantity: 40 })
    const ids = async (query: object) =>
      ok(await bob.call('supplies.list', { query: { orgId: org, ...query } as never })).data.items.map(({ id }) => id)
    await addMembers(alice, { id: org }, bob)
    expect(await ids({})).toEqual([chairs.id, a4.id, chalk.id])
    expect(await ids({ sort: '-stock' })).toEqual([chairs.id, a4.id, chalk.id])
    expect(await ids({ sort: 'stock' })).toEqual([chalk.id, a4.id, chairs.id])
    expect(await ids({ sort: 'supplyNo', kind: 'CONSUMABLE' })).toEqual([a4.id, chalk.id])
    expect(await ids({ keyword: 'mill' })).toEqual([a4.id])
    expect(await ids({ categoryId: category.id })).toEqual([a4.id])
    expect(await ids({ categoryId: 0 })).toEqual([chairs.id, chalk.id])
    expect(await ids({ locationId: room })).toEqual([a4.id])
    expect(await ids({ locationId: 0 })).toEqual([chairs.id])
    expect(await ids({ low: true })).toEqual([a4.id])
    expect(await ids({ low: false, kind: 'POOL' })).toEqual([chairs.id])
    expect(await ids({ page: 2, size: 2 })).toEqual([chalk.id])
    expect((await bob.call('supplies.list', { query: { orgId: org, sort: 'price' } as never })).status).toBe(400)
  })
})

describe('movements', () => {
  test('change the stock in total and at places, and are listed with names', async () => {
    const { id } = await addSupply()
    const bought = await moved(alice, id, {
      type: 'IN',
      quantity: 10,
      locationId: shelf,
      price: '2.50',
      note: 'from the mill',
    })
    expect(bought).toMatchObject({
      type: 'IN',
      quantity: 10,
      difference: 10,
      stockAfter: 10,
      locationId: shelf,
      price: '2.50',
      operatorId: alice.id,
      reversedBy: null,
    })
    await moved(alice, id, { type: 'MOVE', quantity: 4, locationId: shelf, toLocationId: cellar })
    expect((await getSupply(id)).byLocation).toEqual(
      [
        { locationId: cellar, quantity: 4 },
        { locationId: shelf, quantity: 6 },
      ].toSorted((a, b) => a.locationId - b.locationId),
    )
    const taken = await moved(alice, id, { type: 'TAKE', quantity: 2, locationId: shelf, userId: bob.id })
    expect(taken).toMatchObject({ difference: -2, stockAfter: 8, userId: bob.id, personName: names.bob })
    expect(await moved(alice, id, { type: 'COUNT', quantity: 7, locationId: shelf })).toMatchObject({
      difference: 3,
      stockAfter: 11,
    })
    expect(await moved(alice, id, { type: 'WRITE_OFF', quantity: 1, locationId: cellar })).toMatchObject({
      difference: -1,
      stockAfter: 10,
    })
    expect(await getSupply(id)).toMatchObject({ stock: 10, lent: 0, available: 10 })
    const all = await movements({ supplyId: id })
    expect(all.items.map(({ type }) => type)).toEqual(['WRITE_OFF', 'COUNT', 'TAKE', 'MOVE', 'IN'])
    expect((await movements({ supplyId: id, type: 'MOVE' })).total).toBe(1)
    expect((await movements({ supplyId: id, userId: bob.id })).items[0]?.id).toBe(taken.id)
    expect((await movements({ supplyId: id, locationId: cellar })).total).toBe(5)
    expect((await movements({ supplyId: id, locationId: shelf })).total).toBe(4)
    expect((await movements({ supplyId: id, to: bought.createdAt })).total).toBe(0)
  })

  test('without a place take what has none, or what is at the only place', async () => {
    const { id } = await addSupply()
    await moved(alice, id, { type: 'IN', quantity: 3, locationId: shelf })
    expect(await moved(alice, id, { type: 'TAKE', quantity: 1 })).toMatchObject({ locationId: shelf })
    await moved(alice, id, { type: 'IN', quantity: 3, locationId: cellar })
    expect(pathsOf(await move(alice, id, { type: 'TAKE', quantity: 1 }))).toEqual([400, 'body.locationId'])
    await moved(alice, id, { type: 'IN', quantity: 1 })
    expect(await moved(alice, id, { type: 'TAKE', quantity: 1 })).toMatchObject({ locationId: null })
  })

  test('are refused if the stock at the place does not suffice, and change nothing', async () => {
    const { id } = await stocked(5)
    const reply = await move(alice, id, { type: 'TAKE', quantity: 6 })
    expect(pathsOf(reply)).toEqual([400, 'body.quantity'])
    expect(reply.details[0]?.message).toContain('5 are left')
    expect(pathsOf(await move(alice, id, { type: 'WRITE_OFF', quantity: 1, locationId: shelf }))).toEqual([
      400,
      'body.quantity',
    ])
    expect((await getSupply(id)).stock).toBe(5)
    expect((await movements({ supplyId: id })).total).toBe(1)
  })

  test('with bad input are refused with its path', async () => {
    const { id } = await stocked(5)
    for (const [body, path] of [
      [{ type: 'TAKE', quantity: 0 }, 'body.quantity'],
      [{ type: 'TAKE', quantity: -1 }, 'body.quantity'],
      [{ type: 'TAKE', quantity: 1.5 }, 'body.quantity'],
      [{ type: 'TAKE', quantity: '1e3' }, 'body.quantity'],
      [{ type: 'IN', quantity: 1_000_000_001 }, 'body.quantity'],
      [{ type: 'IN', quantity: 1_000_000_000 }, 'body.quantity'],
      [{ type: 'RETURN', quantity: 1 }, 'body.type'],
      [{ type: 'MOVE', quantity: 1 }, 'body.toLocationId'],
      [{ type: 'TAKE', quantity: 1, toLocationId: shelf }, 'body.toLocationId'],
      [{ type: 'TAKE', quantity: 1, locationId: UNKNOWN_ID }, 'body.locationId'],
      [{ type: 'TAKE', quantity: 1, userId: stranger.id }, 'body.userId'],
      [{ type: 'TAKE', quantity: 1, userId: bob.id, personName: 'Ms Chen' }, 'body.personName'],
      [{ type: 'IN', quantity: 1, userId: bob.id }, 'body.userId'],
      [{ type: 'TAKE', quantity: 1, dueAt: 1 }, 'body.dueAt'],
      [{ type: 'IN', quantity: 1, price: '0.001' }, 'body.price'],
      [{ type: 'IN', quantity: 1, requestId: 'short' }, 'body.requestId'],
      [{ type: 'LOSE', quantity: 1 }, 'body.type'],
    ] as const)
      expect([body, ...pathsOf(await move(alice, id, body))]).toEqual([body, 400, path])
    expect((await getSupply(id)).stock).toBe(5)
    const own = await addSupply(alice, {}, null)
    expect(pathsOf(await move(alice, own.id, { type: 'IN', quantity: 1, locationId: shelf }))).toEqual([
      400,
      'body.locationId',
    ])
  })

  test('of a POOL lend to people, who return at most what they have', async () => {
    const { id } = await stocked(40, { kind: 'POOL' })
    const dueAt = 1_900_000_000_000
    await moved(alice, id, { type: 'TAKE', quantity: 10, userId: bob.id, dueAt })
    await moved(alice, id, { type: 'TAKE', quantity: 5, personName: 'Ms  Chen' })
    await moved(alice, id, { type: 'TAKE', quantity: 1 })
    expect(await getSupply(id)).toMatchObject({ stock: 24, lent: 16, available: 24 })
    expect(pathsOf(await move(alice, id, { type: 'RETURN', quantity: 11, userId: bob.id }))).toEqual([
      400,
      'body.quantity',
    ])
    expect(pathsOf(await move(alice, id, { type: 'RETURN', quantity: 1, userId: carol.id }))).toEqual([
      400,
      'body.quantity',
    ])
    await moved(alice, id, { type: 'RETURN', quantity: 5, personName: 'ms chen', locationId: shelf })
    const loans = ok(await alice.call('supplies.loans', { params: { id } })).data
    expect(loans.items.toSorted((a, b) => b.quantity - a.quantity)).toEqual([
      { userId: bob.id, personName: names.bob, quantity: 10, dueAt },
      { userId: alice.id, personName: names.alice, quantity: 1, dueAt: null },
    ])
    expect((await alice.call('supplies.delete', { params: { id } })).status).toBe(400)
    expect(pathsOf(await alice.call('supplies.update', { params: { id }, body: { kind: 'CONSUMABLE' } }))).toEqual([
      400,
      'body.kind',
    ])
    await leave(bob, { id: orgId })
    await moved(alice, id, { type: 'RETURN', quantity: 10, userId: bob.id })
    await addMembers(alice, { id: orgId }, bob)
    await moved(alice, id, { type: 'RETURN', quantity: 1 })
    expect(await getSupply(id)).toMatchObject({ stock: 40, lent: 0 })
    ok(await alice.call('supplies.delete', { params: { id } }))
    expect((await movements({ supplyId: id })).total).toBe(7)
  })

  test('of several supplies are booked together or not at all', async () => {
    const [one, two] = [await stocked(5), await stocked(5)]
    const items = [
      { supplyId: two.id, type: 'TAKE', quantity: 3 },
      { supplyId: one.id, type: 'TAKE', quantity: 2 },
      { supplyId: two.id, type: 'TAKE', quantity: 2 },
    ] as const
    const body = { orgId, items: [...items], requestId: crypto.randomUUID() }
    const booked = ok(await alice.call('supplies.moveMany', { body })).data.items
    expect(booked.map(({ supplyId, stockAfter }) => [supplyId, stockAfter])).toEqual([
      [two.id, 2],
      [one.id, 3],
      [two.id, 0],
    ])
    expect(ok(await alice.call('supplies.moveMany', { body })).data.items).toEqual(booked)
    const tooMany = await alice.call('supplies.moveMany', {
      body: { orgId, items: [items[1], { supplyId: two.id, type: 'TAKE', quantity: 1 }] },
    })
    expect(pathsOf(tooMany)).toEqual([400, 'body.items.1.quantity'])
    expect((await getSupply(one.id)).stock).toBe(3)
    const foreign = await addSupply(bob, {}, null)
    const unknown = await alice.call('supplies.moveMany', {
      body: { orgId, items: [{ ...items[1], supplyId: foreign.id }] },
    })
    expect(pathsOf(unknown)).toEqual([400, 'body.items.0.supplyId'])
    const long = Array.from({ length: 201 }, () => items[1])
    expect((await alice.call('supplies.moveMany', { body: { orgId, items: long } })).status).toBe(400)
    expect((await alice.call('supplies.moveMany', { body: { orgId, items: [] } })).status).toBe(400)
  })

  test('with the requestId of an earlier one answer its result', async () => {
    const { id } = await stocked(5)
    const other = await stocked(5)
    const body = { type: 'TAKE', quantity: 1, requestId: crypto.randomUUID() }
    const first = await moved(alice, id, body)
    expect(await moved(alice, id, { ...body, quantity: 3 })).toEqual(first)
    expect((await getSupply(id)).stock).toBe(4)
    expect(pathsOf(await move(alice, other.id, body))).toEqual([400, 'body.requestId'])
    // Of another user it is another request.
    expect((await moved(carol, id, body)).id).not.toBe(first.id)
    const again = { type: 'TAKE', quantity: 1, requestId: crypto.randomUUID() }
    const replies = await race(10, () => move(alice, id, again))
    expect(new Set(replies.map((reply) => ok(reply).data.id)).size).toBe(1)
    expect((await getSupply(id)).stock).toBe(2)
  })

  test('that race take no more than there are', async () => {
    const { id } = await stocked(5)
    const replies = await race(20, () => move(alice, id, { type: 'TAKE', quantity: 1 }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    const refused = replies.filter(({ status }) => status === 400)
    expect(refused).toHaveLength(15)
    for (const { details } of refused) expect(details[0]?.message).toContain('are left')
    expect((await getSupply(id)).stock).toBe(0)
    const after = (await movements({ supplyId: id, type: 'TAKE', size: 100 })).items.map(({ stockAfter }) => stockAfter)
    expect(after.toSorted()).toEqual([0, 1, 2, 3, 4])
  })

  test('that race with a count leave the numbers and the movements in agreement', async () => {
    const { id } = await stocked(50)
    const replies = await race(21, (i) =>
      i === 10 ? move(alice, id, { type: 'COUNT', quantity: 30 }) : move(alice, id, { type: 'TAKE', quantity: 1 }),
    )
    for (const reply of replies) ok(reply)
    const { stock, byLocation } = await getSupply(id)
    expect(byLocation).toEqual([{ locationId: null, quantity: stock }])
    const { items } = await movements({ supplyId: id, size: 100 })
    expect(items.reduce((sum, { difference }) => sum + difference, 0)).toBe(stock)
    let running = 0
    for (const { difference, stockAfter } of items.toReversed()) expect((running += difference)).toBe(stockAfter)
  })
})

describe('a reversal', () => {
  test('books the opposite once', async () => {
    const { id } = await stocked(5)
    const taken = await moved(alice, id, { type: 'TAKE', quantity: 2, note: 'wrong' })
    const opposite = ok(await reverse(alice, taken.id, { note: 'sorry' })).data
    expect(opposite).toMatchObject({
      type: 'TAKE',
      quantity: 2,
      difference: 2,
      stockAfter: 5,
      reverses: taken.id,
      note: 'sorry',
    })
    const replies = await race(5, () => reverse(alice, taken.id))
    for (const reply of replies) expect(ok(reply).data.id).toBe(opposite.id)
    expect((await getSupply(id)).stock).toBe(5)
    expect((await movements({ supplyId: id, type: 'TAKE' })).items.at(-1)).toMatchObject({
      id: taken.id,
      reversedBy: opposite.id,
    })
    expect((await reverse(alice, opposite.id)).status).toBe(400)
    expect((await reverse(bob, taken.id)).status).toBe(403)
    expect((await reverse(stranger, taken.id)).status).toBe(404)
  })

  test('is refused if the stock would fall below 0', async () => {
    const { id } = await addSupply()
    const bought = await moved(alice, id, { type: 'IN', quantity: 3 })
    await moved(alice, id, { type: 'TAKE', quantity: 1 })
    expect((await reverse(alice, bought.id)).status).toBe(400)
    expect((await getSupply(id)).stock).toBe(2)
  })

  test('undoes every type', async () => {
    const { id } = await stocked(10, { kind: 'POOL' })
    const undo = async (body: object) => {
      const before = await getSupply(id)
      ok(await reverse(alice, (await moved(alice, id, body)).id))
      expect(await getSupply(id)).toEqual(before)
    }
    await moved(alice, id, { type: 'TAKE', quantity: 3, userId: bob.id })
    await undo({ type: 'TAKE', quantity: 2, userId: bob.id })
    await undo({ type: 'TAKE', quantity: 2, personName: 'Ms Chen' })
    await undo({ type: 'RETURN', quantity: 3, userId: bob.id })
    await undo({ type: 'MOVE', quantity: 5, toLocationId: shelf })
    await undo({ type: 'COUNT', quantity: 0 })
    await undo({ type: 'COUNT', quantity: 20 })
    await undo({ type: 'WRITE_OFF', quantity: 7 })
    await undo({ type: 'IN', quantity: 1, locationId: cellar })
    const loans = ok(await alice.call('supplies.loans', { params: { id } })).data.items
    expect(loans.map(({ userId, quantity }) => [userId, quantity])).toEqual([[bob.id, 3]])
  })
})

describe('self-service', () => {
  test('lets members take for themselves and return their own', async () => {
    const { id } = await stocked(40, { kind: 'POOL', selfService: true, maxPerTake: 3 })
    const taken = await moved(bob, id, { type: 'TAKE', quantity: 3 })
    expect(taken).toMatchObject({ userId: bob.id, personName: names.bob, operatorId: bob.id })
    expect(pathsOf(await move(bob, id, { type: 'TAKE', quantity: 4 }))).toEqual([400, 'body.quantity'])
    expect((await move(bob, id, { type: 'TAKE', quantity: 1, userId: carol.id })).status).toBe(403)
    expect((await move(bob, id, { type: 'TAKE', quantity: 1, personName: 'Me' })).status).toBe(403)
    for (const type of ['IN', 'COUNT', 'WRITE_OFF', 'MOVE'])
      expect((await move(bob, id, { type, quantity: 1 })).status).toBe(403)
    await moved(alice, id, { type: 'TAKE', quantity: 2, userId: carol.id })
    expect((await move(bob, id, { type: 'RETURN', quantity: 1, userId: carol.id })).status).toBe(403)
    await moved(bob, id, { type: 'RETURN', quantity: 3 })
    expect(pathsOf(await move(bob, id, { type: 'RETURN', quantity: 1 }))).toEqual([400, 'body.quantity'])
    expect((await reverse(bob, taken.id)).status).toBe(403)
    expect((await move(stranger, id, { type: 'TAKE', quantity: 1 })).status).toBe(404)
  })

  test('is off unless the supply permits it', async () => {
    const { id } = await stocked(5)
    expect((await move(bob, id, { type: 'TAKE', quantity: 1 })).status).toBe(403)
    expect((await getSupply(id)).stock).toBe(5)
  })

  test('has a limit of 200 pieces a day', async () => {
    await using limited = await startServer({ rateLimit: true })
    const [keeper, member] = [await limited.person(), await limited.person()]
    const { id: org } = await createOrg(keeper)
    await addMembers(keeper, { id: org }, member)
    const { id } = await addSupply(keeper, { selfService: true, maxPerTake: 150 }, org)
    await moved(keeper, id, { type: 'IN', quantity: 1000 })
    await moved(member, id, { type: 'TAKE', quantity: 150 })
    expect(await move(member, id, { type: 'TAKE', quantity: 51 })).toMatchObject({ status: 429, code: 4022 })
    expect((await getSupply(id, keeper)).stock).toBe(850)
    await moved(member, id, { type: 'TAKE', quantity: 50 })
    await moved(keeper, id, { type: 'TAKE', quantity: 201 })
  })

  test('leads members from the code to the supply, and shows nothing to others', async () => {
    const { id, uuid } = await stocked(5, { name: 'Secret chalk', selfService: true })
    const page = await server.request('GET', `/s/supply/${uuid}`, { headers: { accept: 'text/html' } })
    expect(page.status).toBe(404)
    expect(page.text).toContain(`/console/take/${uuid}`)
    expect(page.text).not.toContain('Secret chalk')
    const headers = { accept: 'application/json' }
    const seen = ok(await bob.send('GET', `/s/supply/${uuid}`, { headers }))
    expect(seen.data.fields).toContainEqual({ key: 'id', label: 'Id', value: id })
    for (const person of [stranger])
      expect((await person.send('GET', `/s/supply/${uuid}`, { headers })).status).toBe(404)
    expect((await bob.send('GET', '/s/supply/nothing', { headers })).status).toBe(404)
  })

  test('is found by a scan', async () => {
    const { id, name, qrContent } = await stocked(5)
    const scan = async (person: Person) =>
      ok(await person.call('scanRecords.create', { body: { content: qrContent } })).data.resolved
    expect(await scan(bob)).toEqual({ kind: 'SUPPLY', id, title: name })
    expect(await scan(stranger)).toEqual({ kind: 'SUPPLY' })
  })
})

describe('the minimum', () => {
  const notices = async (person: Person, supplyId: number) =>
    ok(await person.call('notifications.list', { query: { size: 100 } })).data.items.filter(
      ({ data }) => data['supplyId'] === supplyId,
    )

  test('notifies the keepers once, and again after the stock was high enough', async () => {
    const { id } = await addSupply(alice, { minimum: 5, target: 20, keeperIds: [carol.id, bob.id] })
    expect(await notices(carol, id)).toHaveLength(0)
    await moved(alice, id, { type: 'IN', quantity: 6 })
    await moved(alice, id, { type: 'TAKE', quantity: 1 })
    expect(await notices(carol, id)).toHaveLength(0)
    await moved(alice, id, { type: 'TAKE', quantity: 1 })
    await moved(alice, id, { type: 'TAKE', quantity: 1 })
    const [notice, ...more] = await notices(carol, id)
    expect(more).toEqual([])
    expect(notice).toMatchObject({ type: 'ASSET', data: { supplyId: id, orgId, event: 'SUPPLY_LOW' } })
    expect(await notices(bob, id)).toHaveLength(1)
    expect(await notices(alice, id)).toHaveLength(0)
    await moved(alice, id, { type: 'IN', quantity: 2 })
    await moved(alice, id, { type: 'COUNT', quantity: 1 })
    expect(await notices(carol, id)).toHaveLength(2)
    if (inProcess)
      expect(await lowSupplies(server.ctx.db.read, orgId, id - 1, 1)).toMatchObject([
        { id, stock: 1, minimum: 5, target: 20, toOrder: 19 },
      ])
  })

  test('without keepers notifies those who may hand out', async () => {
    const { id } = await addSupply(alice, { minimum: 5 })
    await moved(alice, id, { type: 'IN', quantity: 5 })
    await moved(alice, id, { type: 'WRITE_OFF', quantity: 5 })
    expect(
      [await notices(alice, id), await notices(carol, id), await notices(bob, id)].map((list) => list.length),
    ).toEqual([1, 1, 0])
    const own = await addSupply(bob, { minimum: 1 }, null)
    await moved(bob, own.id, { type: 'IN', quantity: 1 })
    await moved(bob, own.id, { type: 'TAKE', quantity: 1 })
    expect(await notices(bob, own.id)).toHaveLength(1)
  })
})

describe('files', () => {
  test('of movements and of supplies contain all rows', async () => {
    const org = (await createOrg(alice)).id
    const room = await createLocation(alice, org, 'Room')
    const { id } = await addSupply(alice, { name: 'Toner', supplyNo: 'T-1', price: '80', minimum: 2 }, org)
    await addSupply(alice, { name: 'Chalk', supplyNo: 'C-1' }, org)
    await moved(alice, id, { type: 'IN', quantity: 3, locationId: room })
    await moved(alice, id, { type: 'IN', quantity: 1 })
    const file = await alice.get(`/api/supplies/movements?orgId=${org}&format=csv&tz=UTC`)
    expect(file.status).toBe(200)
    expect(file.text.trim().split('\r\n')).toHaveLength(3)
    expect(file.text).toContain('T-1,Toner,In,3,3,3,pcs,Room')
    const list = await alice.get(`/api/supplies/export?orgId=${org}&format=csv`)
    expect(list.text.replace('\uFEFF', '').trim().split('\r\n')).toEqual([
      'Name,Number,Kind,Category,Unit,Stock,Minimum,Price,Supplier,Location,Remark',
      'Chalk,C-1,Consumable,,pcs,0,,,,,',
      'Toner,T-1,Consumable,,pcs,1,2,80,,,',
      'Toner,T-1,Consumable,,pcs,3,2,80,,Room,',
    ])
    expect((await alice.get(`/api/supplies/export?orgId=${org}&template=true`)).status).toBe(200)
    expect((await bob.get(`/api/supplies/export?orgId=${org}`)).status).toBe(403)
  })
})

describe('an organization', () => {
  test('with supplies cannot be dissolved, and loses their movements when it is', async () => {
    const { id: org } = await createOrg(alice)
    const { id } = await addSupply(alice, {}, org)
    await moved(alice, id, { type: 'IN', quantity: 1 })
    const dissolve = () => alice.call('orgs.dissolve', { params: { id: org } })
    const refused = await dissolve()
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.details)).toContain('assets')
    ok(await alice.call('supplies.delete', { params: { id } }))
    ok(await dissolve())
    if (!inProcess) return
    const rows = await server.ctx.db.read.select().from(supplyMovements)
    expect(rows.filter(({ owner }) => owner === org)).toEqual([])
  })

  test('that is disabled lets nobody book anything', async () => {
    const { id: org } = await createOrg(alice)
    await addMembers(alice, { id: org }, bob)
    const { id } = await addSupply(alice, { selfService: true }, org)
    await moved(alice, id, { type: 'IN', quantity: 5 })
    const admin = await server.admin()
    ok(await admin.call('admin.orgs.update', { params: { orgId: org }, body: { status: 'DISABLED' } }))
    for (const person of [alice, bob]) {
      expect((await move(person, id, { type: 'TAKE', quantity: 1 })).status).toBe(403)
      const items = [{ supplyId: id, type: 'TAKE', quantity: 1 }] as const
      expect((await person.call('supplies.moveMany', { body: { orgId: org, items: [...items] } })).status).toBe(403)
    }
    expect((await getSupply(id)).stock).toBe(5)
  })

  test('keeps a location at which some of a supply are', async () => {
    const place = await createLocation(alice, orgId, 'Attic')
    const { id } = await addSupply()
    await moved(alice, id, { type: 'IN', quantity: 1, locationId: place })
    const remove = () => alice.call('locations.delete', { params: { orgId, locationId: place } })
    expect((await remove()).status).toBe(400)
    await moved(alice, id, { type: 'MOVE', quantity: 1, locationId: place })
    ok(await remove())
  })
})

test('administrators list the supplies of all owners', async () => {
  const own = await addSupply(bob, { name: 'Own toner', kind: 'POOL' }, null)
  const admin = await server.admin()
  const list = ok(
    await admin.call('supplies.listAll', { query: { keyword: 'own toner', kind: 'POOL', userId: bob.id } }),
  ).data
  expect(list.items).toMatchObject([{ id: own.id, orgId: null, owner: { userId: bob.id } }])
  expect(ok(await admin.call('supplies.listAll', { query: { orgId } })).data.total).toBeGreaterThan(5)
  expect((await bob.call('supplies.listAll', {})).status).toBe(403)
})

test('an account that ends leaves its movements without its name', async () => {
  const eve = await server.person()
  await addMembers(alice, { id: orgId }, eve)
  const { id } = await stocked(5, { selfService: true })
  await moved(eve, id, { type: 'TAKE', quantity: 1 })
  ok(await eve.call('auth.deleteAccount'))
  const [row] = (await movements({ supplyId: id, type: 'TAKE' })).items
  expect(row).toMatchObject({ userId: eve.id, personName: 'Deleted user', operatorName: 'Deleted user' })
})
