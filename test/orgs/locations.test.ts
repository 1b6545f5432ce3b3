import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { domain } from '#domains/domain.ts'

import { inProcess, type Person, race, startServer, type TestServer } from '../harness/index.ts'
import { enrol, found, ok, type Org, promote } from './helpers.ts'

let server: TestServer
let owner: Person
let admin: Person
let member: Person
let stranger: Person
/** Admin of another organization. */
let outsider: Person
let org: Org
let other: Org

/** Stands in for a domain that keeps things at locations. */
const usesAskedFor: number[][] = []
let usesCounted = (_locationId: number): number => 0
const assets = domain({
  name: 'assets',
  locationUses: [
    {
      name: 'assets',
      count(_db, orgId, locationId) {
        usesAskedFor.push([orgId, locationId])
        return Promise.resolve(usesCounted(locationId))
      },
    },
  ],
})

beforeAll(async () => {
  server = await startServer({ domains: (product) => [...product, assets] })
  owner = await server.person()
  admin = await server.person()
  member = await server.person()
  stranger = await server.person()
  outsider = await server.person()
  org = await found(owner)
  other = await found(outsider)
  await enrol(owner, org, admin, member)
  await promote(owner, org, admin, 'ADMIN')
})
afterAll(() => server.stop())

interface Place {
  id: number
  parentId: number | null
  name: string
  pinned: boolean
  sortOrder: number
  children: Place[]
}

const at = (where: { id: number }, rest = '') => `/api/orgs/${where.id}/locations${rest}`
const tree = async (who: Person, where: { id: number }): Promise<Place[]> => ok(await who.get(at(where))).data
const names = (places: readonly Place[]): string[] => places.map((place) => place.name)

async function make(
  name: string,
  parentId: number | null = null,
  where: { id: number } = org,
  who: Person = owner,
): Promise<number> {
  return ok(await who.post(at(where), { name, parentId })).data.id
}

/** A fresh organization of the owner's with `count` locations on top. */
async function row(count: number): Promise<{ where: Org; ids: number[] }> {
  const where = await found(owner)
  const ids: number[] = []
  for (let i = 0; i < count; i++) ids.push(await make(`place ${i}`, null, where))
  return { where, ids }
}

describe('the tree', () => {
  test('nests what was made, and shows every field', async () => {
    const where = await found(owner)
    const made = ok(
      await owner.post(at(where), {
        name: '  Main campus ',
        description: 'By the river\nNorth',
        latitude: 48.2,
        longitude: 16.37,
      }),
    ).data
    expect(made).toEqual({
      id: made.id,
      parentId: null,
      name: 'Main campus',
      description: 'By the river\nNorth',
      latitude: 48.2,
      longitude: 16.37,
      pinned: false,
      sortOrder: 0,
      createdAt: made.createdAt,
      updatedAt: made.createdAt,
    })
    const house = await make('House', made.id, where)
    await make('Room', house, where)
    await make('Second campus', null, where)
    const top = await tree(owner, where)
    expect(names(top)).toEqual(['Main campus', 'Second campus'])
    expect(names(top[0]!.children)).toEqual(['House'])
    expect(names(top[0]!.children[0]!.children)).toEqual(['Room'])
  })

  test('ends at eight levels, by making and by moving', async () => {
    const where = await found(owner)
    const chain: number[] = []
    for (let level = 1; level <= 8; level++) chain.push(await make(`level ${level}`, chain.at(-1) ?? null, where))
    expect((await owner.post(at(where), { name: 'level 9', parentId: chain[7] })).status).toBe(400)
    const a = await make('a', null, where)
    await make('a1', a, where)
    expect((await owner.put(at(where, `/${a}`), { parentId: chain[6] })).status).toBe(400)
    ok(await owner.put(at(where, `/${a}`), { parentId: chain[5] }))
    expect((await owner.post(at(where), { name: 'x', parentId: chain[7] })).status).toBe(400)
  })

  test('bad input is refused, and nothing is made', async () => {
    const where = await found(owner)
    for (const body of [
      {},
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'x', parentId: 999_999_999 },
      { name: 'x', parentId: -1 },
      { name: 'x', latitude: 91, longitude: 0 },
      { name: 'x', latitude: 10 },
      { name: 'x', latitude: 10, longitude: null },
    ])
      expect((await owner.post(at(where), body)).status, JSON.stringify(body)).toBe(400)
    expect(await tree(owner, where)).toEqual([])
  })
})

describe('a change', () => {
  test('touches only the fields present', async () => {
    const where = await found(owner)
    const { data } = ok(await owner.post(at(where), { name: 'Desk', description: 'Left', latitude: 1, longitude: 2 }))
    const renamed = ok(await owner.put(at(where, `/${data.id}`), { name: 'Table' })).data
    expect(renamed).toMatchObject({ name: 'Table', description: 'Left', latitude: 1, longitude: 2, parentId: null })
    expect(
      ok(await owner.put(at(where, `/${data.id}`), { description: null, latitude: null, longitude: null })).data,
    ).toMatchObject({
      name: 'Table',
      description: '',
      latitude: null,
      longitude: null,
    })
    expect((await owner.put(at(where, `/${data.id}`), { longitude: 7 })).status).toBe(400)
    expect((await owner.put(at(where, '/999999999'), { name: 'x' })).status).toBe(404)
  })

  test('moves a branch, but never into itself', async () => {
    const where = await found(owner)
    const a = await make('a', null, where)
    const b = await make('b', a, where)
    const c = await make('c', b, where)
    for (const parentId of [a, b, c]) expect((await owner.put(at(where, `/${a}`), { parentId })).status).toBe(400)
    ok(await owner.put(at(where, `/${c}`), { parentId: null }))
    ok(await owner.put(at(where, `/${a}`), { parentId: c }))
    const top = await tree(owner, where)
    expect(names(top)).toEqual(['c'])
    expect(names(top[0]!.children[0]!.children)).toEqual(['b'])
  })

  test('of two moves at once that would make a circle, one is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const { where, ids } = await row(2)
      const [a, b] = [ids[0]!, ids[1]!]
      const replies = await Promise.all([
        owner.put(at(where, `/${a}`), { parentId: b }),
        owner.put(at(where, `/${b}`), { parentId: a }),
      ])
      expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400])
      const top = await tree(owner, where)
      expect(top).toHaveLength(1)
      expect(top[0]!.children).toHaveLength(1)
    }
  })
})

describe('deleting', () => {
  test('is refused while there is something below', async () => {
    const where = await found(owner)
    const house = await make('house', null, where)
    const room = await make('room', house, where)
    expect((await owner.delete(at(where, `/${house}`))).status).toBe(400)
    expect(names(await tree(owner, where))).toEqual(['house'])
    ok(await owner.delete(at(where, `/${room}`)))
    ok(await owner.delete(at(where, `/${house}`)))
    expect((await owner.delete(at(where, `/${house}`))).status).toBe(404)
    expect(await tree(owner, where)).toEqual([])
  })

  test('at once with making one below: never a location without its parent', async () => {
    for (let round = 0; round < 5; round++) {
      const { where, ids } = await row(1)
      const replies = await Promise.all([
        owner.delete(at(where, `/${ids[0]}`)),
        owner.post(at(where), { name: 'below', parentId: ids[0] }),
      ])
      expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400])
      const top = await tree(owner, where)
      expect(top.every((place) => place.parentId === null)).toBe(true)
    }
  })

  test.if(inProcess)('is refused while something of another area stands there', async () => {
    const { where, ids } = await row(2)
    usesAskedFor.length = 0
    usesCounted = (locationId) => (locationId === ids[0] ? 3 : 0)
    const refused = await owner.delete(at(where, `/${ids[0]}`))
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('assets (3)')
    ok(await owner.delete(at(where, `/${ids[1]}`)))
    usesCounted = () => 0
    expect(usesAskedFor).toEqual([
      [where.id, ids[0]!],
      [where.id, ids[1]!],
    ])
    expect((await tree(owner, where)).map((place) => place.id)).toEqual([ids[0]!])
  })

  test('an organization goes with its locations', async () => {
    const { where } = await row(2)
    ok(await owner.delete(`/api/orgs/${where.id}`))
    expect((await owner.get(at(where))).status).toBe(403)
  })
})

describe('order', () => {
  test('pinned first, one or many', async () => {
    const { where, ids } = await row(4)
    expect(ok(await owner.patch(at(where, `/${ids[3]}/pin`), { pinned: true })).data.pinned).toBe(true)
    expect(names(await tree(owner, where))).toEqual(['place 3', 'place 0', 'place 1', 'place 2'])
    expect(ok(await owner.patch(at(where, '/pin'), { ids: [ids[1], ids[2]], pinned: true })).data).toEqual({ count: 2 })
    expect(names(await tree(owner, where))).toEqual(['place 1', 'place 2', 'place 3', 'place 0'])
    ok(await owner.patch(at(where, '/pin'), { ids, pinned: false }))
    expect((await tree(owner, where)).some((place) => place.pinned)).toBe(false)
    expect((await owner.patch(at(where, '/999999999/pin'), { pinned: true })).status).toBe(404)
    for (const body of [{ ids: [], pinned: true }, { ids: [ids[0], ids[0]], pinned: true }, { ids: [ids[0]] }])
      expect((await owner.patch(at(where, '/pin'), body)).status).toBe(400)
  })

  test('all or nothing: an unknown or foreign id, and nothing is pinned or moved', async () => {
    const { where, ids } = await row(3)
    const foreign = await make('foreign', null, other, outsider)
    for (const bad of [999_999_999, foreign]) {
      expect((await owner.patch(at(where, '/pin'), { ids: [ids[2], bad], pinned: true })).status).toBe(404)
      expect((await owner.patch(at(where, '/reorder'), { ids: [ids[2], bad] })).status).toBe(404)
      expect(
        (
          await owner.patch(at(where, '/reorder'), {
            items: [
              { id: ids[2], sortOrder: -9 },
              { id: bad, sortOrder: 1 },
            ],
          })
        ).status,
      ).toBe(404)
    }
    expect(names(await tree(owner, where))).toEqual(['place 0', 'place 1', 'place 2'])
    expect((await tree(owner, where)).every((place) => place.sortOrder === 0 && !place.pinned)).toBe(true)
    expect((await tree(outsider, other)).find((place) => place.id === foreign)).toMatchObject({
      pinned: false,
      sortOrder: 0,
    })
  })

  test('reorder by ids and by items, within one parent', async () => {
    const { where, ids } = await row(3)
    const child = await make('child', ids[0]!, where)
    ok(await owner.patch(at(where, '/reorder'), { ids: ids.toReversed() }))
    expect(names(await tree(owner, where))).toEqual(['place 2', 'place 1', 'place 0'])
    expect((await tree(owner, where)).map((place) => place.sortOrder)).toEqual([1, 2, 3])
    ok(await owner.patch(at(where, '/reorder'), { items: [{ id: ids[0], sortOrder: -5 }] }))
    expect(names(await tree(owner, where))[0]).toBe('place 0')
    for (const body of [
      {},
      { ids: [ids[1], child] },
      { ids: [ids[0]], items: [{ id: ids[0], sortOrder: 1 }] },
      {
        items: [
          { id: ids[0], sortOrder: 1 },
          { id: ids[0], sortOrder: 2 },
        ],
      },
      { items: [{ id: ids[0], sortOrder: 1.5 }] },
    ])
      expect((await owner.patch(at(where, '/reorder'), body)).status, JSON.stringify(body)).toBe(400)
    expect(names(await tree(owner, where))[0]).toBe('place 0')
  })

  test('twenty reorders at once leave one of the asked orders', async () => {
    const { where, ids } = await row(4)
    const orders = Array.from({ length: 20 }, (_, i) => ids.map((_, k) => ids[(k + i) % 4]!))
    for (const reply of await race(20, (i) => owner.patch(at(where, '/reorder'), { ids: orders[i] }))) ok(reply)
    const left = (await tree(owner, where)).map((place) => place.id)
    expect(orders.map(String)).toContain(String(left))
  })
})

describe('who may', () => {
  const attempts = (who: Person, where: { id: number }, id: number) => [
    () => who.get(at(where)),
    () => who.post(at(where), { name: 'intruder' }),
    () => who.put(at(where, `/${id}`), { name: 'intruder' }),
    () => who.patch(at(where, `/${id}/pin`), { pinned: true }),
    () => who.patch(at(where, '/pin'), { ids: [id], pinned: true }),
    () => who.patch(at(where, '/reorder'), { ids: [id] }),
    () => who.delete(at(where, `/${id}`)),
  ]
  const statuses = async (tries: (() => Promise<{ status: number }>)[]) => {
    const seen: number[] = []
    for (const attempt of tries) seen.push((await attempt()).status)
    return seen
  }

  test('the ORG roles, by their points', async () => {
    const id = await make('guarded')
    expect(await statuses(attempts(stranger, org, id))).toEqual(Array(7).fill(403))
    expect(await statuses(attempts(outsider, org, id))).toEqual(Array(7).fill(403))
    // A member sees the places and changes none.
    expect(await statuses(attempts(member, org, id))).toEqual([200, ...Array(6).fill(403)])
    expect((await tree(owner, org)).find((place) => place.id === id)).toMatchObject({ name: 'guarded', pinned: false })
    expect(await statuses(attempts(admin, org, id))).toEqual(Array(7).fill(200))
  })

  test('nobody without a token', async () => {
    for (const [method, path] of [
      ['GET', at(org)],
      ['POST', at(org)],
      ['PUT', at(org, '/1')],
      ['DELETE', at(org, '/1')],
      ['PATCH', at(org, '/1/pin')],
      ['PATCH', at(org, '/pin')],
      ['PATCH', at(org, '/reorder')],
    ] as const)
      expect(
        (await server.request(method, path, method === 'GET' ? {} : { body: {} })).status,
        `${method} ${path}`,
      ).toBe(401)
  })

  test('another organization’s admin reaches none through their own', async () => {
    const id = await make('ours')
    expect(await statuses(attempts(outsider, other, id).slice(2))).toEqual(Array(5).fill(404))
    expect((await outsider.post(at(other), { name: 'x', parentId: id })).status).toBe(400)
    const theirs = await make('theirs', null, other, outsider)
    expect((await outsider.put(at(other, `/${theirs}`), { parentId: id })).status).toBe(400)
    expect((await tree(owner, org)).find((place) => place.id === id)).toMatchObject({
      name: 'ours',
      pinned: false,
      children: [],
    })
  })
})
