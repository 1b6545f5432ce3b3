import { describe, expect, test } from 'bun:test'

import { type Ordered, orderOf } from '#domains/sync/push/push.rules.ts'

import { ok, passed, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCategory } from '../qr-codes/helpers.ts'
import { pull } from './changes.ts'
import { newCategory, newCode, otherDevice, push, pushOne, record } from './push-helpers.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const codeOf = async (id: number | null) => ok(await alice.get(`/api/qr-codes/${id}`)).data
const categoryOf = async (id: number | null) => ok(await alice.get(`/api/categories/${id}`)).data
const rejectedAt = (path: string) => ({ status: 'REJECTED', code: 400, serverId: null, details: [{ path }] })

describe('a local id in the data of a pushed record', () => {
  test('refers to a new record of the same push, in any order', async () => {
    const results = await push(
      alice,
      newCode('code before', {}, { categoryId: 'any order' }),
      newCategory('child', {}, { parentId: 'any order' }),
      newCategory('parent', { localId: 'any order' }),
      newCode('code after', {}, { category_id: 'any order' }),
    )
    expect(results.map(({ status }) => status)).toEqual(['APPLIED', 'APPLIED', 'APPLIED', 'APPLIED'])
    const parent = results[2]!.serverId
    expect((await codeOf(results[0]!.serverId)).categoryId).toBe(parent)
    expect((await categoryOf(results[1]!.serverId)).parentId).toBe(parent)
    expect((await codeOf(results[3]!.serverId)).categoryId).toBe(parent)
  })

  test('refers to a record that the device has pushed before', async () => {
    const { serverId } = await pushOne(alice, newCategory('before', { localId: 'pushed before' }))
    const code = await pushOne(alice, newCode('after', {}, { categoryId: 'pushed before' }))
    expect((await codeOf(code.serverId)).categoryId).toBe(serverId)
  })

  test('may look like a number or like a property of every object', async () => {
    for (const localId of ['42', '__proto__', 'constructor', ' with spaces ', '汉字 🙂']) {
      const [category, code] = await push(
        alice,
        newCategory('odd', { localId }),
        newCode('odd', {}, { categoryId: localId }),
      )
      expect(category).toMatchObject({ status: 'APPLIED', localId })
      expect((await codeOf(code!.serverId)).categoryId).toBe(category!.serverId)
    }
  })

  test('is rejected with 400 if the device has pushed no such record', async () => {
    const tablet = await otherDevice(server, alice)
    await pushOne(tablet, newCategory('on the tablet', { localId: 'only on the tablet' }))
    await pushOne(bob, newCategory('of Bob', { localId: 'only of Bob' }))
    await pushOne(alice, newCode('a code', { localId: 'a code and no category' }))
    for (const categoryId of ['nowhere', 'only on the tablet', 'only of Bob', 'a code and no category', 'x'.repeat(65)])
      expect(await pushOne(alice, newCode('orphan', {}, { categoryId }))).toMatchObject(rejectedAt('data.categoryId'))
  })

  test('is rejected with 400 if its record is rejected, and so are all that refer to it', async () => {
    const results = await push(
      alice,
      newCode('grandchild', {}, { categoryId: 'child of rejected' }),
      newCategory('child', { localId: 'child of rejected' }, { parentId: 'rejected' }),
      newCategory('', { localId: 'rejected' }),
      newCategory('not related'),
    )
    expect(results).toMatchObject([
      rejectedAt('data.categoryId'),
      rejectedAt('data.parentId'),
      rejectedAt('data.name'),
      { status: 'APPLIED' },
    ])
  })

  test('is rejected with 400 in records that refer to each other in a circle, but not in others', async () => {
    const results = await push(
      alice,
      newCategory('a', { localId: 'circle a' }, { parentId: 'circle b' }),
      newCategory('b', { localId: 'circle b' }, { parentId: 'circle c' }),
      newCategory('c', { localId: 'circle c' }, { parentId: 'circle a' }),
      newCategory('self', { localId: 'circle self' }, { parentId: 'circle self' }),
      newCode('follower', {}, { categoryId: 'circle a' }),
      newCategory('free', { localId: 'free of circles' }),
      newCode('free', {}, { categoryId: 'free of circles' }),
    )
    expect(results).toMatchObject([
      ...Array(4).fill(rejectedAt('data.parentId')),
      rejectedAt('data.categoryId'),
      { status: 'APPLIED' },
      { status: 'APPLIED' },
    ])
  })

  test('is found or not, by the order of the request, if its record is deleted in the same push', async () => {
    const [category, early, deletion, late] = await push(
      alice,
      newCategory('short life', { localId: 'short life' }),
      newCode('early', {}, { categoryId: 'short life' }),
      record({ localId: 'short life', baseVersion: 1, deleted: true }),
      newCode('late', {}, { categoryId: 'short life' }),
    )
    expect([category!.status, early!.status, deletion!.status]).toEqual(['APPLIED', 'APPLIED', 'APPLIED'])
    expect((await codeOf(early!.serverId)).categoryId).toBeNull()
    expect(late).toMatchObject({ status: 'APPLIED', dropped: ['categoryId'] })
    expect((await codeOf(late!.serverId)).categoryId).toBeNull()
  })

  test('finds a row that the device has pushed before, even if its update in the same push is rejected', async () => {
    const { serverId } = await pushOne(alice, newCategory('stays', { localId: 'stays' }))
    const [update, code] = await push(
      alice,
      newCategory('', { localId: 'stays', baseVersion: 1 }),
      newCode('in it', {}, { categoryId: 'stays' }),
    )
    expect(update!.status).toBe('REJECTED')
    expect((await codeOf(code!.serverId)).categoryId).toBe(serverId)
  })
})

test('an integer in the data is the id of a row on the server, and 400 for rows of other users', async () => {
  const own = await createCategory(alice, 'own')
  const foreign = await createCategory(bob, 'of Bob')
  const [code] = await push(alice, newCode('with an id', {}, { categoryId: own }))
  expect((await codeOf(code!.serverId)).categoryId).toBe(own)
  expect(await pushOne(alice, newCode('foreign', {}, { categoryId: foreign }))).toMatchObject(
    rejectedAt('data.categoryId'),
  )
  for (const categoryId of [1.5, true, [1], { id: 1 }, '', -1])
    expect(await pushOne(alice, newCode('odd', {}, { categoryId }))).toMatchObject(rejectedAt('data.categoryId'))
})

test('an integer can be the id of a deleted row that an earlier record of the same push brings back', async () => {
  const id = await createCategory(alice, 'deleted too early')
  ok(await alice.delete(`/api/categories/${id}`))
  const deletedAt = ok(await alice.get('/api/sync/pull', { since: 0 })).data.serverTime
  const edited = record({ entity: 'category', serverId: id, baseVersion: 1, data: { name: 'needed' } })
  const results = await push(
    alice,
    { ...edited, updatedAt: await passed(deletedAt) },
    ...Array.from({ length: 20 }, (_, i) => newCategory(`child ${i}`, {}, { parentId: id })),
    newCode('in it', {}, { categoryId: id }),
  )
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['APPLIED']))
  expect((await codeOf(results.at(-1)!.serverId)).categoryId).toBe(id)
})

describe('a reference to a row that was deleted', () => {
  const tomorrow = () => Date.now() + 86_400_000

  test('is dropped: the record is applied without it, says so, also when it comes again, and the row comes again', async () => {
    const id = await createCategory(alice, 'deleted elsewhere')
    ok(await alice.delete(`/api/categories/${id}`))
    const records = [
      newCode('in a deleted category', { localId: 'drops' }, { categoryId: id }),
      newCode('by its other name', {}, { category_id: id }),
      newCategory('below it', {}, { parentId: id }),
    ]
    const results = await push(alice, ...records)
    expect(results).toMatchObject([
      { status: 'APPLIED', version: 1, dropped: ['categoryId'] },
      { status: 'APPLIED', dropped: ['categoryId'] },
      { status: 'APPLIED', dropped: ['parentId'] },
    ])
    expect((await codeOf(results[0]!.serverId)).categoryId).toBeNull()
    expect((await categoryOf(results[2]!.serverId)).parentId).toBeNull()
    expect(await push(alice, ...records)).toEqual(results)
    const { serverTime } = await pull(alice, 0)
    const moved = record({ entity: 'qrCode', localId: 'drops', baseVersion: 1, data: { categoryId: id } })
    expect(await pushOne(alice, moved)).toMatchObject({ status: 'APPLIED', version: 1, dropped: ['categoryId'] })
    expect((await pull(alice, serverTime)).changes.qrCode.updated).toMatchObject([{ id: results[0]!.serverId }])
  })

  test('is dropped by a local id too', async () => {
    const category = await pushOne(alice, newCategory('of this device', { localId: 'was here' }))
    ok(await alice.delete(`/api/categories/${category.serverId}`))
    const code = await pushOne(alice, newCode('in it', {}, { categoryId: 'was here' }))
    expect(code).toMatchObject({ status: 'APPLIED', dropped: ['categoryId'] })
  })

  test('is kept if a later record of the push brings the row back', async () => {
    const id = await createCategory(alice, 'comes back')
    ok(await alice.delete(`/api/categories/${id}`))
    const back = record({ serverId: id, baseVersion: 1, updatedAt: tomorrow(), data: { name: 'back' } })
    const { serverTime } = await pull(alice, 0)
    await passed(serverTime)
    const [code, category] = await push(alice, newCode('waits', {}, { categoryId: id }), back)
    expect(category!.status).toBe('APPLIED')
    expect(code).not.toHaveProperty('dropped')
    expect((await codeOf(code!.serverId)).categoryId).toBe(id)
  })

  test('is refused with 400 as before if the row belonged to somebody else or never existed, and other errors stay errors', async () => {
    const foreign = await createCategory(bob, 'deleted by Bob')
    ok(await bob.delete(`/api/categories/${foreign}`))
    const refused = async (categoryId: number) => {
      const { localId: _, ...result } = await pushOne(alice, newCode('refused', {}, { categoryId }))
      return result
    }
    expect(await refused(foreign)).toEqual(await refused(99_999_999))
    expect(await refused(foreign)).toMatchObject(rejectedAt('data.categoryId'))
    expect(await refused(2 ** 60)).toMatchObject(rejectedAt('data.categoryId'))
    const own = await createCategory(alice, 'own')
    ok(await alice.delete(`/api/categories/${own}`))
    expect(await pushOne(alice, newCategory('', {}, { parentId: own }))).toMatchObject(rejectedAt('data.name'))
  })

  test('is dropped from an asset whose category and location were deleted', async () => {
    const { id: orgId } = await createOrg(alice, { name: 'Places' })
    const place = ok(await alice.post(`/api/orgs/${orgId}/locations`, { name: 'Hall' })).data.id
    const category = ok(await alice.post('/api/assets/categories', { name: 'Chairs', orgId })).data.id
    const other = await createOrg(bob, { name: 'Elsewhere' })
    const far = ok(await bob.post(`/api/orgs/${other.id}/locations`, { name: 'Far' })).data.id
    ok(await alice.delete(`/api/orgs/${orgId}/locations/${place}`))
    ok(await alice.delete(`/api/assets/categories/${category}`))
    ok(await bob.delete(`/api/orgs/${other.id}/locations/${far}`))
    const asset = (data: object) => record({ entity: 'asset', data: { name: 'Chair', orgId, ...data } })
    const applied = await pushOne(alice, asset({ categoryId: category, locationId: place }))
    expect(applied).toMatchObject({ status: 'APPLIED', dropped: ['categoryId', 'locationId'] })
    expect(ok(await alice.get(`/api/assets/${applied.serverId}`)).data).toMatchObject({
      categoryId: null,
      locationId: null,
    })
    expect(await pushOne(alice, asset({ locationId: far }))).toMatchObject(rejectedAt('data.locationId'))
  })
})

test('1,000 records that refer to one another, or follow one another, are judged one after the other', async () => {
  // Beyond five levels, each category is rejected because its parent is.
  const chain = Array.from({ length: 1000 }, (_, i) =>
    newCategory(`level ${i}`, { localId: `chain ${i}` }, i === 999 ? {} : { parentId: `chain ${i + 1}` }),
  )
  const levels = await push(alice, ...chain)
  expect(levels.filter(({ status }) => status === 'APPLIED').map(({ localId }) => localId)).toEqual(
    [995, 996, 997, 998, 999].map((i) => `chain ${i}`),
  )
  const updates = Array.from({ length: 1000 }, (_, i) =>
    newCategory(`name ${i}`, { localId: 'often changed', baseVersion: i, updatedAt: i }),
  )
  const versions = await push(alice, ...updates)
  expect(versions.map(({ version }) => version)).toEqual(updates.map((_, i) => i + 1))
  expect((await categoryOf(versions[0]!.serverId)).name).toBe('name 999')
})

describe('the order of the records of a push', () => {
  const make = (row: string, references: string[] = [], isDeletion = false): Ordered => ({
    rows: [row],
    isDeletion,
    references: references.map((target) => ({
      field: 'parentId',
      rows: [target],
      isKnown: target.startsWith('known'),
    })),
  })
  const waits = (records: Ordered[]) => orderOf(records).waitsFor.map((before) => [...before].toSorted())

  test.each([
    ['independent records wait for nothing', [make('a'), make('b')], [[], []]],
    ['records of one row are in the order of the request', [make('a'), make('a'), make('a')], [[], [0], [1]]],
    ['a reference waits for a record that follows', [make('a', ['b']), make('b')], [[1], []]],
    [
      'a reference waits for the record that creates a row, not for a deletion',
      [make('a', ['b']), make('b', [], true), make('b')],
      [[2], [], [1]],
    ],
    [
      'a reference to a row that was there does not wait for a later change of it',
      [make('a', ['known']), make('known')],
      [[], [0]],
    ],
    ['a reference waits for an earlier change of the row', [make('known'), make('a', ['known'])], [[], [0]]],
    [
      'a deletion waits for references to the row',
      [make('b'), make('a', ['b']), make('c', ['b']), make('b', [], true)],
      [[], [0], [0], [0, 1, 2]],
    ],
  ] as const)('%s', (_, records, order) => {
    expect(waits([...records])).toEqual(order.map((before) => [...before]))
  })

  test('a circle is broken at the references to records that follow', () => {
    const { circular } = orderOf([make('a', ['b']), make('b'), make('c', ['d']), make('d', ['c']), make('e', ['c'])])
    expect([...circular.keys()]).toEqual([2])
    expect([...orderOf([make('a', ['c']), make('b', ['a']), make('c', ['b'])]).circular.keys()]).toEqual([0])
  })
})
