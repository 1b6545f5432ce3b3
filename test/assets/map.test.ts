/** The map against a plain count. A failure of a random test names its seed: `SEED=<n> bun test test/assets/map.test.ts`. */

import { describe, expect, test } from 'bun:test'

import { and, eq, sql } from 'drizzle-orm'

import { ReadDb } from '#db/engine/write.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import type { Runner } from '#db/query/builders.ts'
import { assetMapCells, assetPlaces, assets, type AssetStatus } from '#db/schema/index.ts'
import type { Db } from '#db/store.ts'
import { cellOf, DEEPEST, LEVELS } from '#domains/assets/grid.rules.ts'
import { moveOnMap } from '#domains/assets/grid.store.ts'
import { getMap } from '#domains/assets/map/map.service.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createAsset, deleteAsset, transfer, updateAsset } from './helpers.ts'
import { insertAssets } from './places.ts'
import { randomFrom, SEED } from './random.ts'

const { server, alice } = useServer({ people: ['alice'] })

type Box = [west: number, south: number, east: number, north: number]
type Point = { latitude: number; longitude: number; status?: AssetStatus }

type Query = { bbox?: string; zoom?: number; orgId?: number; status?: AssetStatus[]; keyword?: string }

const mapOf = async (user: Person, query: Query = {}) => ok(await user.call('assets.map', { query })).data

const isIn = ([west, south, east, north]: Box, { latitude, longitude }: Point): boolean =>
  latitude >= south &&
  latitude <= north &&
  (west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east)

/** Puts assets on the map, at once. Returns their ids. */
async function place(owner: OwnerKey, userId: number, points: readonly Point[]): Promise<number[]> {
  const ids = await insertAssets(
    server,
    points.map((point) => ({ owner, userId, ...point })),
  )
  for (let i = 0; i < ids.length; i += 1000)
    await server.ctx.db.write('test', async (tx) => {
      for (const [j, id] of ids.slice(i, i + 1000).entries())
        await moveOnMap(tx, undefined, { id, owner, deletedAt: null, ...points[i + j]! })
    })
  return ids
}

describe.if(inProcess)(`random histories (SEED=${SEED})`, () => {
  test('after each of 300 random writes the map counts what a plain count finds, for any box and zoom', async () => {
    const random = randomFrom(SEED)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
    const { db } = server.ctx
    const me = await server.person()
    const org = await createOrg(me)
    const owners = [-me.id, org.id]
    const centres: Point[] = Array.from({ length: 4 }, () => ({
      latitude: random() * 170 - 85,
      longitude: random() * 360 - 180,
    }))
    const edges = [-90, -45, 0, 45, 90]
    const point = (): Point => ({ ...position(), status: pick(['IN_USE', 'IDLE']) })
    const position = (): Point => {
      const kind = random()
      if (kind < 0.1) return { latitude: pick(edges), longitude: pick([-180, -90, 0, 90, 180]) }
      if (kind < 0.2) return pick(centres)
      const { latitude, longitude } = pick(centres)
      const spread = 10 ** (-6 * random())
      return {
        latitude: Math.max(-90, Math.min(90, latitude + (random() - 0.5) * spread)),
        longitude: Math.max(-180, Math.min(180, longitude + (random() - 0.5) * spread)),
      }
    }
    await place(-me.id, me.id, Array.from({ length: 500 }, point))
    for (let step = 0; step < 300; step++) {
      const where = `step ${step}, SEED=${SEED}`
      const rows = await db.read.select().from(assets).where(eq(assets.userId, me.id))
      const kind = random()
      if (kind < 0.4) await place(pick(owners), me.id, Array.from({ length: Math.ceil(random() * 5) }, point))
      else {
        const before = pick(rows)
        const change =
          kind < 0.6
            ? point()
            : kind < 0.7
              ? { latitude: null, longitude: null }
              : kind < 0.85
                ? { owner: pick(owners) }
                : { deletedAt: before.deletedAt === null ? 1 : null }
        await db.write('test', async (tx) => {
          const [after] = await tx.update(assets).set(change).where(eq(assets.id, before.id)).returning()
          await moveOnMap(tx, before, after)
        })
      }
      const orgId = random() < 0.3 ? org.id : undefined
      const owner = orgId ?? -me.id
      const live = (await db.read.select().from(assets).where(eq(assets.owner, owner))).filter(
        (row) => row.deletedAt === null && row.latitude !== null,
      ) as (typeof assets.$inferSelect & Point)[]
      const [a, b] = random() < 0.5 && live.length > 1 ? [pick(live), pick(live)] : [point(), point()]
      const box: Box = [a.longitude, Math.min(a.latitude, b.latitude), b.longitude, Math.max(a.latitude, b.latitude)]
      const zoom = Math.floor(random() * 23)
      const filters: Query = random() < 0.5 ? {} : random() < 0.5 ? { status: ['IDLE'] } : { keyword: '7' }
      const map = await mapOf(me, { bbox: box.join(','), zoom, ...(orgId && { orgId }), ...filters })
      const inBox = live.filter(
        (row) =>
          isIn(box, row) &&
          (filters.status === undefined || row.status === 'IDLE') &&
          (filters.keyword === undefined || `${row.name} ${row.assetNo}`.includes('7')),
      )
      expect(map.total, where).toBe(inBox.length)
      expect(map.items.length + map.clusters.reduce((sum, cluster) => sum + cluster.count, 0), where).toBe(map.total)
      expect(map.items.length + map.clusters.length, where).toBeLessThanOrEqual(500)
      if (map.total <= 100 || (zoom >= 18 && map.total <= 500)) {
        expect(map.clusters, where).toEqual([])
        const shown = inBox.map(({ id, uuid, name, assetNo, status, categoryId, latitude, longitude }) => ({
          id,
          uuid,
          name,
          assetNo,
          status,
          categoryId,
          latitude,
          longitude,
        }))
        expect(map.items, where).toEqual(shown.toSorted((x, y) => x.id - y.id))
      } else if (zoom < 18) expect(map.items, where).toEqual([])
      for (const cluster of map.clusters) {
        const members = inBox.filter((row) => isIn(cluster.bbox as Box, row))
        expect(members.length, where).toBe(cluster.count)
        const mean = (of: (row: Point) => number) => members.reduce((sum, row) => sum + of(row), 0) / members.length
        expect(Math.abs(cluster.latitude - mean((row) => row.latitude)), where).toBeLessThan(1e-5)
        expect(Math.abs(cluster.longitude - mean((row) => row.longitude)), where).toBeLessThan(1e-5)
        expect(isIn(cluster.bbox as Box, cluster), where).toBe(true)
      }
    }
    // The whole history leaves the counts that the present assets give.
    for (const owner of owners) {
      const live = (await db.read.select().from(assets).where(eq(assets.owner, owner))).filter(
        (row) => row.deletedAt === null && row.latitude !== null,
      )
      expect(await db.read.select().from(assetPlaces).where(eq(assetPlaces.owner, owner))).toHaveLength(live.length)
      const kept = await db.read.select().from(assetMapCells).where(eq(assetMapCells.owner, owner))
      await db.write('test', async (tx) => {
        await tx.delete(assetMapCells).where(eq(assetMapCells.owner, owner))
        await tx.delete(assetPlaces).where(eq(assetPlaces.owner, owner))
        for (const row of live) await moveOnMap(tx, undefined, row)
      })
      const counted = await db.read.select().from(assetMapCells).where(eq(assetMapCells.owner, owner))
      const inOrder = (rows: typeof kept) => rows.toSorted((x, y) => x.level - y.level || x.cell - y.cell)
      expect(inOrder(kept)).toEqual(inOrder(counted))
    }
  })
})

describe('boxes and zooms', () => {
  test('GET /assets/map of a user without assets is empty', async () => {
    expect(await mapOf(alice)).toEqual({ total: 0, items: [], clusters: [] })
  })

  for (const query of [
    { bbox: '1,2,3' },
    { bbox: '0,10,1,5' },
    { bbox: '-181,0,0,1' },
    { bbox: 'a,b,c,d' },
    { zoom: '23' },
    { zoom: '-1' },
    { zoom: '1.5' },
  ] as Record<string, string>[])
    test(`GET /assets/map with ${JSON.stringify(query)} answers 400`, async () => {
      expect((await alice.get('/api/assets/map', query)).status).toBe(400)
    })

  test('an empty bbox and an empty zoom count as absent', async () => {
    expect(ok(await alice.get('/api/assets/map', { bbox: '', zoom: '' })).data.total).toBe(0)
  })

  test.if(inProcess)('a box across the date line shows the assets on both sides, also those on the line', async () => {
    const me = await server.person()
    const longitudes = [179, 180, -180, -179, 0, 169, -169]
    await place(
      -me.id,
      me.id,
      longitudes.map((longitude) => ({ latitude: 10, longitude })),
    )
    const { items } = await mapOf(me, { bbox: '170,-20,-170,20', zoom: 3 })
    expect(items.map((item) => item.longitude)).toEqual([179, 180, -180, -179])
    expect((await mapOf(me)).total).toBe(longitudes.length)
    const line = await mapOf(me, { bbox: '180,-90,-180,90' })
    expect(line.items.map((item) => item.longitude)).toEqual([180, -180])
  })

  test.if(inProcess)('both poles are shown, and a box of one point shows the assets there', async () => {
    const me = await server.person()
    await place(-me.id, me.id, [
      { latitude: 90, longitude: 0 },
      { latitude: -90, longitude: 0 },
      { latitude: 1.5, longitude: 2.5 },
    ])
    expect((await mapOf(me, { bbox: '-180,90,180,90', zoom: 0 })).items).toHaveLength(1)
    expect((await mapOf(me, { bbox: '-180,-90,180,-90', zoom: 22 })).items).toHaveLength(1)
    expect((await mapOf(me, { bbox: '2.5,1.5,2.5,1.5', zoom: 22 })).total).toBe(1)
  })

  test.if(inProcess)('up to 100 assets come as items at any zoom, and up to 500 from zoom 18 on', async () => {
    const me = await server.person()
    const points = (count: number, at: number): Point[] =>
      Array.from({ length: count }, (_, i) => ({ latitude: at + i * 1e-5, longitude: 8 + (i % 7) * 1e-5 }))
    await place(-me.id, me.id, [...points(100, 10), ...points(500, 20), ...points(900, 30)])
    const seen = async (bbox: string, zoom: number) => {
      const { total, items, clusters } = await mapOf(me, { bbox, zoom })
      return [total, items.length, clusters.length > 0]
    }
    expect(await seen('7,9,9,11', 0)).toEqual([100, 100, false])
    expect(await seen('7,9,9,11', 22)).toEqual([100, 100, false])
    expect(await seen('7,19,9,21', 17)).toEqual([500, 0, true])
    expect(await seen('7,19,9,21', 18)).toEqual([500, 500, false])
    const { total, items, clusters } = await mapOf(me, { bbox: '8,30,8.0001,30.01', zoom: 18 })
    expect(total).toBe(900)
    expect(items.length).toBeGreaterThan(0)
    expect(clusters.length).toBeGreaterThan(0)
    expect(items.length + clusters.length).toBeLessThanOrEqual(500)
  })

  test.if(inProcess)('assets at one place are one cluster at every zoom', async () => {
    const me = await server.person()
    await place(
      -me.id,
      me.id,
      Array.from({ length: 700 }, () => ({ latitude: 47.3769, longitude: 8.5417 })),
    )
    for (const zoom of [0, 5, 17, 22]) {
      const { total, items, clusters } = await mapOf(me, { bbox: '8,47,9,48', zoom })
      expect([total, items.length, clusters.length]).toEqual([700, 0, 1])
      expect(clusters[0]).toMatchObject({ count: 700, latitude: 47.3769, longitude: 8.5417 })
    }
  })
})

test('an asset is on the map from its registration to its deletion, where its last change placed it', async () => {
  const me = await server.person()
  const org = await createOrg(me)
  const positions = async (orgId?: number) =>
    (await mapOf(me, orgId === undefined ? {} : { orgId })).items.map((item) => [item.latitude, item.longitude])
  const { id } = await createAsset(me, { latitude: 1, longitude: 2 })
  expect(await positions()).toEqual([[1, 2]])
  ok(await updateAsset(me, id, { latitude: 3, longitude: 4 }))
  expect(await positions()).toEqual([[3, 4]])
  ok(await transfer(me, id, { toOrgId: org.id }))
  expect([await positions(), await positions(org.id)]).toEqual([[], [[3, 4]]])
  ok(await updateAsset(me, id, { latitude: null, longitude: null }))
  expect(await positions(org.id)).toEqual([])
  ok(await updateAsset(me, id, { latitude: 5, longitude: 6 }))
  ok(await deleteAsset(me, id))
  expect(await positions(org.id)).toEqual([])
})

describe('access', () => {
  test('GET /assets/map answers 401 without a token, and 403 for an organization whose assets the caller may not read', async () => {
    const [owner, member, guest, outsider] = await Promise.all([0, 1, 2, 3].map(() => server.person()))
    const org = await createOrg(owner!)
    await addMembers(owner!, org, member!, guest!)
    await setRole(owner!, org, guest!, 'GUEST')
    expect((await server.request('GET', '/api/assets/map')).status).toBe(401)
    for (const [user, status] of [
      [owner!, 200],
      [member!, 200],
      [guest!, 403],
      [outsider!, 403],
    ] as const)
      expect((await user.get('/api/assets/map', { orgId: org.id })).status).toBe(status)
  })

  test.if(inProcess)('a map shows the assets of its owner only, without deleted ones', async () => {
    const [me, other] = [await server.person(), await server.person()]
    const org = await createOrg(me)
    const point = { latitude: 1, longitude: 1 }
    const [mine] = await place(-me.id, me.id, [point])
    const [ofOrg] = await place(org.id, me.id, [point])
    await place(-other.id, other.id, [point])
    expect((await mapOf(me)).items.map((item) => item.id)).toEqual([mine!])
    expect((await mapOf(me, { orgId: org.id })).items.map((item) => item.id)).toEqual([ofOrg!])
    await server.ctx.db.write('test', async (tx) => {
      const [before] = await tx.select().from(assets).where(eq(assets.id, mine!))
      const [after] = await tx.update(assets).set({ deletedAt: 1 }).where(eq(assets.id, mine!)).returning()
      await moveOnMap(tx, before, after)
    })
    expect((await mapOf(me)).total).toBe(0)
    expect(
      await server.ctx.db.read
        .select()
        .from(assetMapCells)
        .where(and(eq(assetMapCells.owner, -me.id))),
    ).toEqual([])
  })
})

/** Counts the rows that queries return. */
function counting(db: Db): { db: Db; rows: () => number } {
  let count = 0
  const { runner } = db as unknown as { runner: Runner }
  const rows = async (query: string, params: unknown[]) => {
    const found = await runner.rows(query, params)
    count += found.length
    return found
  }
  return { db: new ReadDb({ rows }), rows: () => count }
}

/** Fills the tables of the map as `moveOnMap` does, in bulk. There are no assets, which only views with items need. */
async function fill(owner: OwnerKey, points: readonly Point[]): Promise<void> {
  const rows = points.map(({ latitude, longitude }, i) => ({
    owner,
    cell: cellOf(latitude, longitude),
    assetId: i + 1,
    latitude,
    longitude,
  }))
  const { db } = server.ctx
  for (let i = 0; i < rows.length; i += 2000)
    await db.write('test', (tx) => tx.insert(assetPlaces).values(rows.slice(i, i + 2000)))
  const { cell, latitude, longitude } = assetPlaces
  for (const level of LEVELS) {
    const above = sql<number>`${cell} / ${sql.raw(String(4 ** (DEEPEST - level)))}`
    const fields = {
      owner: assetPlaces.owner,
      level: sql<number>`${sql.raw(String(level))}`.as('level'),
      cell: above.as('above'),
      count: sql<number>`count(*)`.as('n'),
      latitudes: sql<number>`sum(round(${latitude} * 1e6))`.as('latitudes'),
      longitudes: sql<number>`sum(round(${longitude} * 1e6))`.as('longitudes'),
    }
    await db.write('test', (tx) =>
      tx
        .insert(assetMapCells)
        .select(
          tx.select(fields).from(assetPlaces).where(eq(assetPlaces.owner, owner)).groupBy(assetPlaces.owner, above),
        ),
    )
  }
}

// Both databases get the same queries and answer with the same rows.
describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('cost', () => {
  test('a map of 100,000 assets reads as many rows as one of ten times fewer, at most some thousand', async () => {
    const random = randomFrom(SEED)
    const uniform = (): Point => ({ latitude: 40 + random(), longitude: 10 + random() })
    const read = async (count: number, box: string, zoom: number) => {
      const person = people.get(count)!
      const reader = counting(server.ctx.db.read)
      const ctx = { ...server.ctx, db: { read: reader.db, readInWorker: reader.db } } as unknown as typeof server.ctx
      const map = await getMap(ctx, { userId: person.id, orgId: 0 }, { bbox: box, zoom }, {})
      return { rows: reader.rows(), total: map.total }
    }
    const people = new Map<number, Person>()
    for (const count of [10_000, 100_000]) {
      const person = await server.person()
      people.set(count, person)
      await fill(-person.id, Array.from({ length: count }, uniform))
    }
    for (const [box, zoom] of [
      ['-180,-90,180,90', 2],
      ['10.1,40.1,10.9,40.9', 9],
      ['10.1,40.1,10.9,40.9', 22],
      ['10.11111,40.11111,10.31111,40.31111', 12],
      ['10.5,40.5,10.6,40.6', 20],
    ] as const) {
      const [small, large] = [await read(10_000, box, zoom), await read(100_000, box, zoom)]
      expect(large.total, box).toBeGreaterThan(small.total)
      // Ten times the assets: the rows grow with the root of it, along the sides of the box.
      expect(large.rows, box).toBeGreaterThan(0)
      expect(large.rows, box).toBeLessThan(4000)
      expect(large.rows, box).toBeLessThan(5 * small.rows + 100)
    }
  })
})
