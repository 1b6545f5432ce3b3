import { beforeAll, describe, expect, test } from 'bun:test'

import { domain } from '#domains/domain.ts'
import type { LocationView, UpdateLocation } from '#domains/orgs/locations/locations.model.ts'
import type { Nested } from '#lib/tree.ts'

import { inProcess, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, ok, type Org, setRole, UNKNOWN_ID } from './helpers.ts'

/** A test domain that keeps things at locations. */
const usesAskedFor: number[][] = []
let countUses = (_locationId: number): number => 0
const assets = domain({
  name: 'assets',
  locationUses: [
    {
      name: 'assets',
      count(_db, orgId, locationId) {
        usesAskedFor.push([orgId, locationId])
        return Promise.resolve(countUses(locationId))
      },
    },
  ],
})

/** `outsider` owns another organization. */
const { server, owner, deputy, member, stranger, outsider } = useServer({
  people: ['owner', 'deputy', 'member', 'stranger', 'outsider'],
  domains: (product) => [...product, assets],
})
let org: Org
let other: Org

beforeAll(async () => {
  org = await createOrg(owner)
  other = await createOrg(outsider)
  await addMembers(owner, org, deputy, member)
  await setRole(owner, org, deputy, 'ADMIN')
})

const at = (where: { id: number }, rest = '') => `/api/orgs/${where.id}/locations${rest}`
const getTree = async (user: Person, where: { id: number }): Promise<Nested<LocationView>[]> =>
  ok(await user.call('locations.tree', { params: { orgId: where.id } })).data
const names = (locations: readonly LocationView[]): string[] => locations.map((location) => location.name)

async function create(
  name: string,
  parentId: number | null = null,
  where: { id: number } = org,
  user: Person = owner,
): Promise<number> {
  return ok(await user.call('locations.create', { params: { orgId: where.id }, body: { name, parentId } })).data.id
}
const update = (where: { id: number }, locationId: number, body: UpdateLocation) =>
  owner.call('locations.update', { params: { orgId: where.id, locationId }, body })
const move = (where: { id: number }, id: number, parentId: number | null) => update(where, id, { parentId })
const remove = (where: { id: number }, locationId: number) =>
  owner.call('locations.delete', { params: { orgId: where.id, locationId } })

/** A new organization of `owner` with `count` locations on the top level. */
async function createRow(count: number): Promise<{ where: Org; ids: number[] }> {
  const where = await createOrg(owner)
  const ids: number[] = []
  for (let i = 0; i < count; i++) ids.push(await create(`place ${i}`, null, where))
  return { where, ids }
}

describe('the tree', () => {
  test('GET …/locations nests locations below their parents and shows every field', async () => {
    const where = await createOrg(owner)
    const created = ok(
      await owner.call('locations.create', {
        params: { orgId: where.id },
        body: { name: '  Main campus ', description: 'By the river\nNorth', latitude: 48.2, longitude: 16.37 },
      }),
    ).data
    expect(created).toEqual({
      id: created.id,
      parentId: null,
      name: 'Main campus',
      description: 'By the river\nNorth',
      latitude: 48.2,
      longitude: 16.37,
      pinned: false,
      sortOrder: 0,
      uuid: expect.stringMatching(/^[\da-f-]{36}$/),
      publicUrl: expect.stringContaining(`/s/location/${created.uuid}`),
      createdAt: created.createdAt,
      updatedAt: created.createdAt,
    })
    const house = await create('House', created.id, where)
    await create('Room', house, where)
    await create('Second campus', null, where)
    const top = await getTree(owner, where)
    expect(names(top)).toEqual(['Main campus', 'Second campus'])
    expect(names(top[0]!.children)).toEqual(['House'])
    expect(names(top[0]!.children[0]!.children)).toEqual(['Room'])
  })

  test('a ninth level is refused, whether a location is created or moved there', async () => {
    const where = await createOrg(owner)
    const chain: number[] = []
    for (let level = 1; level <= 8; level++) chain.push(await create(`level ${level}`, chain.at(-1) ?? null, where))
    expect((await owner.post(at(where), { name: 'level 9', parentId: chain[7] })).status).toBe(400)
    const a = await create('a', null, where)
    await create('a1', a, where)
    expect((await move(where, a, chain[6]!)).status).toBe(400)
    ok(await move(where, a, chain[5]!))
    expect((await owner.post(at(where), { name: 'x', parentId: chain[7] })).status).toBe(400)
  })

  test('POST …/locations answers 400 to invalid input and creates nothing', async () => {
    const where = await createOrg(owner)
    for (const body of [
      {},
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'x', parentId: UNKNOWN_ID },
      { name: 'x', parentId: -1 },
      { name: 'x', latitude: 91, longitude: 0 },
      { name: 'x', latitude: 10 },
      { name: 'x', latitude: 10, longitude: null },
    ])
      expect((await owner.post(at(where), body)).status, JSON.stringify(body)).toBe(400)
    expect(await getTree(owner, where)).toEqual([])
  })
})

test('one coordinate without the other is refused in the same words for locations and scan records', async () => {
  const where = await createOrg(owner)
  for (const [given, missing] of [
    [{ latitude: 10 }, 'longitude'],
    [{ latitude: null, longitude: 10 }, 'latitude'],
  ] as const) {
    const details = [{ path: `body.${missing}`, message: 'is required: give latitude and longitude together' }]
    expect((await owner.post(at(where), { name: 'x', ...given })).details).toEqual(details)
    expect((await owner.post('/api/scan-records', { content: 'x', ...given })).details).toEqual(details)
  }
})

describe('updating and moving', () => {
  test('PUT …/locations/:id changes only the fields present', async () => {
    const where = await createOrg(owner)
    const { data } = ok(await owner.post(at(where), { name: 'Desk', description: 'Left', latitude: 1, longitude: 2 }))
    const renamed = ok(await update(where, data.id, { name: 'Table' })).data
    expect(renamed).toMatchObject({ name: 'Table', description: 'Left', latitude: 1, longitude: 2, parentId: null })
    expect(ok(await update(where, data.id, { description: null, latitude: null, longitude: null })).data).toMatchObject(
      {
        name: 'Table',
        description: '',
        latitude: null,
        longitude: null,
      },
    )
    expect((await update(where, data.id, { longitude: 7 })).status).toBe(400)
    expect((await update(where, UNKNOWN_ID, { name: 'x' })).status).toBe(404)
  })

  test('a refused move changes no other field either', async () => {
    const where = await createOrg(owner)
    const a = await create('a', null, where)
    const b = await create('b', a, where)
    expect((await update(where, a, { name: 'renamed', parentId: b })).status).toBe(400)
    expect(names(await getTree(owner, where))).toEqual(['a'])
  })

  test('a location moves with everything below it, but never into itself', async () => {
    const where = await createOrg(owner)
    const a = await create('a', null, where)
    const b = await create('b', a, where)
    const c = await create('c', b, where)
    for (const parentId of [a, b, c]) expect((await move(where, a, parentId)).status).toBe(400)
    ok(await move(where, c, null))
    ok(await move(where, a, c))
    const top = await getTree(owner, where)
    expect(names(top)).toEqual(['c'])
    expect(names(top[0]!.children[0]!.children)).toEqual(['b'])
  })

  test('of two simultaneous moves that together would make a cycle, one is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const { where, ids } = await createRow(2)
      const [a, b] = [ids[0]!, ids[1]!]
      const replies = await Promise.all([move(where, a, b), move(where, b, a)])
      expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400])
      const top = await getTree(owner, where)
      expect(top).toHaveLength(1)
      expect(top[0]!.children).toHaveLength(1)
    }
  })
})

describe('deleting', () => {
  test('DELETE …/locations/:id answers 400 while there are locations below it', async () => {
    const where = await createOrg(owner)
    const house = await create('house', null, where)
    const room = await create('room', house, where)
    expect((await remove(where, house)).status).toBe(400)
    expect(names(await getTree(owner, where))).toEqual(['house'])
    ok(await remove(where, room))
    ok(await remove(where, house))
    expect((await remove(where, house)).status).toBe(404)
    expect(await getTree(owner, where)).toEqual([])
  })

  test('deleting a location while a child is created never leaves a child without its parent', async () => {
    for (let round = 0; round < 5; round++) {
      const { where, ids } = await createRow(1)
      const replies = await Promise.all([
        remove(where, ids[0]!),
        owner.post(at(where), { name: 'below', parentId: ids[0] }),
      ])
      expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400])
      const top = await getTree(owner, where)
      expect(top.every((location) => location.parentId === null)).toBe(true)
    }
  })

  test.if(inProcess)('DELETE …/locations/:id answers 400 while another domain keeps something there', async () => {
    const { where, ids } = await createRow(2)
    usesAskedFor.length = 0
    countUses = (locationId) => (locationId === ids[0] ? 3 : 0)
    const refused = await remove(where, ids[0]!)
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('assets (3)')
    ok(await remove(where, ids[1]!))
    countUses = () => 0
    expect(usesAskedFor).toEqual([
      [where.id, ids[0]!],
      [where.id, ids[1]!],
    ])
    expect((await getTree(owner, where)).map((location) => location.id)).toEqual([ids[0]!])
  })

  test('an organization with locations can be dissolved', async () => {
    const { where } = await createRow(2)
    ok(await owner.delete(`/api/orgs/${where.id}`))
    expect((await owner.get(at(where))).status).toBe(403)
  })
})

describe('pinning and reordering', () => {
  test('pinned locations come first, whether one or several are pinned', async () => {
    const { where, ids } = await createRow(4)
    const params = { orgId: where.id, locationId: ids[3]! }
    expect(ok(await owner.call('locations.pin', { params, body: { pinned: true } })).data.pinned).toBe(true)
    expect(names(await getTree(owner, where))).toEqual(['place 3', 'place 0', 'place 1', 'place 2'])
    expect(ok(await owner.patch(at(where, '/pin'), { ids: [ids[1], ids[2]], pinned: true })).data).toEqual({ count: 2 })
    expect(names(await getTree(owner, where))).toEqual(['place 1', 'place 2', 'place 3', 'place 0'])
    ok(await owner.patch(at(where, '/pin'), { ids, pinned: false }))
    expect((await getTree(owner, where)).some((location) => location.pinned)).toBe(false)
    expect((await owner.patch(at(where, `/${UNKNOWN_ID}/pin`), { pinned: true })).status).toBe(404)
    for (const body of [{ ids: [], pinned: true }, { ids: [ids[0], ids[0]], pinned: true }, { ids: [ids[0]] }])
      expect((await owner.patch(at(where, '/pin'), body)).status).toBe(400)
  })

  test('one unknown or foreign id in a batch answers 404, and no location is pinned or reordered', async () => {
    const { where, ids } = await createRow(3)
    const foreign = await create('foreign', null, other, outsider)
    for (const bad of [UNKNOWN_ID, foreign]) {
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
    expect(names(await getTree(owner, where))).toEqual(['place 0', 'place 1', 'place 2'])
    expect((await getTree(owner, where)).every((location) => location.sortOrder === 0 && !location.pinned)).toBe(true)
    expect((await getTree(outsider, other)).find((location) => location.id === foreign)).toMatchObject({
      pinned: false,
      sortOrder: 0,
    })
  })

  test('PATCH …/locations/reorder takes ids or items of one parent', async () => {
    const { where, ids } = await createRow(3)
    const child = await create('child', ids[0]!, where)
    ok(await owner.patch(at(where, '/reorder'), { ids: ids.toReversed() }))
    expect(names(await getTree(owner, where))).toEqual(['place 2', 'place 1', 'place 0'])
    expect((await getTree(owner, where)).map((location) => location.sortOrder)).toEqual([1, 2, 3])
    ok(await owner.patch(at(where, '/reorder'), { items: [{ id: ids[0], sortOrder: -5 }] }))
    expect(names(await getTree(owner, where))[0]).toBe('place 0')
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
    expect(names(await getTree(owner, where))[0]).toBe('place 0')
  })

  test('twenty simultaneous reorders leave exactly one of the requested orders', async () => {
    const { where, ids } = await createRow(4)
    const orders = Array.from({ length: 20 }, (_, i) => ids.map((_, k) => ids[(k + i) % 4]!))
    for (const reply of await race(20, (i) => owner.patch(at(where, '/reorder'), { ids: orders[i] }))) ok(reply)
    const order = (await getTree(owner, where)).map((location) => location.id)
    expect(orders.map(String)).toContain(String(order))
  })
})

describe('permissions', () => {
  const attempts = (user: Person, where: { id: number }, id: number) => [
    () => user.get(at(where)),
    () => user.post(at(where), { name: 'intruder' }),
    () => user.put(at(where, `/${id}`), { name: 'intruder' }),
    () => user.patch(at(where, `/${id}/pin`), { pinned: true }),
    () => user.patch(at(where, '/pin'), { ids: [id], pinned: true }),
    () => user.patch(at(where, '/reorder'), { ids: [id] }),
    () => user.delete(at(where, `/${id}`)),
  ]
  const statuses = async (requests: (() => Promise<{ status: number }>)[]) => {
    const seen: number[] = []
    for (const request of requests) seen.push((await request()).status)
    return seen
  }

  test('non-members get 403, members may only read locations, and administrators may change them', async () => {
    const id = await create('guarded')
    expect(await statuses(attempts(stranger, org, id))).toEqual(Array(7).fill(403))
    expect(await statuses(attempts(outsider, org, id))).toEqual(Array(7).fill(403))
    expect(await statuses(attempts(member, org, id))).toEqual([200, ...Array(6).fill(403)])
    expect((await getTree(owner, org)).find((location) => location.id === id)).toMatchObject({
      name: 'guarded',
      pinned: false,
    })
    expect(await statuses(attempts(deputy, org, id))).toEqual(Array(7).fill(200))
  })

  test('every operation on locations answers 401 without a token', async () => {
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

  test('the owner of another organization cannot reach locations through that organization', async () => {
    const id = await create('ours')
    expect(await statuses(attempts(outsider, other, id).slice(2))).toEqual(Array(5).fill(404))
    expect((await outsider.post(at(other), { name: 'x', parentId: id })).status).toBe(400)
    const theirs = await create('theirs', null, other, outsider)
    expect((await outsider.put(at(other, `/${theirs}`), { parentId: id })).status).toBe(400)
    expect((await getTree(owner, org)).find((location) => location.id === id)).toMatchObject({
      name: 'ours',
      pinned: false,
      children: [],
    })
  })
})
