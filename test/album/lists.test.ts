/** Lists of photos: order, filters, search, pages and plans. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { Runner } from '#db/query/builders.ts'
import type { PhotoView } from '#domains/album/album.model.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org } from '../orgs/helpers.ts'
import { allPages, createCode } from '../qr-codes/helpers.ts'
import { addMany, addPhoto, deletePhoto, idsOf } from './helpers.ts'

type Query = Record<string, string | number | boolean>

describe.if(inProcess)('lists of photos', () => {
  const { server, alice, bob, owner, member } = useServer({
    people: ['alice', 'bob', 'owner', 'member'],
    noAdmin: true,
  })

  const list = async (user: Person, query: Query = {}, path = '/api/album') => ok(await user.get(path, query)).data
  const ids = async (user: Person, query: Query = {}, path = '/api/album') => idsOf(await list(user, query, path))

  test('GET /api/album lists the latest photos first: by the time they were taken, or else added', async () => {
    const user = await server.person()
    const [old, recent, undated] = [
      await addPhoto(server, user, { takenAt: 1000 }),
      await addPhoto(server, user, { takenAt: 2000 }),
      await addPhoto(server, user),
    ]
    const future = await addPhoto(server, user, { takenAt: server.ctx.clock.now() + 10 ** 9 })
    const expected = [future, undated, recent, old].map((photo) => photo.id)
    expect(await list(user)).toMatchObject({ total: 4, page: 1, size: 20 })
    expect(await ids(user)).toEqual(expected)
    expect(await ids(user, { sort: '-takenAt' })).toEqual(expected)
    expect(await ids(user, { sort: 'takenAt' })).toEqual(expected.toReversed())
    expect(await ids(user, { sort: 'createdAt' })).toEqual([old, recent, undated, future].map((photo) => photo.id))
    expect(await ids(user, { sort: '-createdAt' })).toEqual([future, undated, recent, old].map((photo) => photo.id))
    expect((await user.get('/api/album', { sort: 'name' })).status).toBe(400)
  })

  test('from and to include their own time, and use the time added for photos without the time taken', async () => {
    const user = await server.person()
    const [a, b, c] = [
      await addPhoto(server, user, { takenAt: 1000 }),
      await addPhoto(server, user, { takenAt: 2000 }),
      await addPhoto(server, user),
    ]
    expect(await ids(user, { from: 2000 })).toEqual([c.id, b.id])
    expect(await ids(user, { to: 2000 })).toEqual([b.id, a.id])
    expect(await ids(user, { from: 1000, to: 1999 })).toEqual([a.id])
    expect(await ids(user, { from: c.createdAt, to: c.createdAt })).toEqual([c.id])
    expect(await ids(user, { from: c.createdAt + 1 })).toEqual([])
    expect(await ids(user, { from: '1970-01-01T00:00:02Z', sort: 'takenAt' })).toEqual([b.id, c.id])
    expect(await list(user, { from: 1000, to: 2000, size: 1 })).toMatchObject({ total: 2 })
  })

  test('hasLocation and keyword select photos by position, name, address and the texts of the watermark', async () => {
    const user = await server.person()
    const [a, b, c] = [
      await addPhoto(server, user, { latitude: 0, longitude: 0, address: 'Hall B, 西湖路' }),
      await addPhoto(server, user, {
        watermark: { operator: 'Lin Mei', deep: [{ note: 'Broken "seal"\n100% C:\\dir' }], n: 7 },
      }),
      await addPhoto(server, user, {}, { name: 'door.jpg' }),
    ]
    expect(await ids(user, { hasLocation: true })).toEqual([a.id])
    expect(await ids(user, { hasLocation: false })).toEqual([c.id, b.id])
    for (const [keyword, expected] of [
      ['hall b', [a.id]],
      ['西湖', [a.id]],
      ['LIN', [b.id]],
      ['"seal"', [b.id]],
      ['100%', [b.id]],
      ['c:\\DIR', [b.id]],
      ['door', [c.id]],
      ['.jpg', [c.id, b.id, a.id]],
      // Keys and numbers are no texts of the watermark.
      ['operator', []],
      ['7', []],
      ['%', [b.id]],
    ] as const)
      expect([keyword, await ids(user, { keyword })]).toEqual([keyword, [...expected]])
    expect(await ids(user, { keyword: '.jpg', hasLocation: false, to: b.createdAt })).toEqual([b.id])
    expect(await list(user, { keyword: '.jpg', size: 2, page: 2 })).toMatchObject({ total: 3, items: [{ id: a.id }] })
  })

  describe('by QR code', () => {
    test('GET /api/album/qr-code/:id and the filter qrCodeId list the photos of the code, with the other filters', async () => {
      const [code, other] = [await createCode(alice), await createCode(alice)]
      const [a, b] = [
        await addPhoto(server, alice, { qrCodeId: code.id, takenAt: 1000, address: 'here' }),
        await addPhoto(server, alice, { qrCodeId: code.id, takenAt: 500 }),
      ]
      await addPhoto(server, alice, { qrCodeId: other.id })
      await addPhoto(server, alice)
      const path = `/api/album/qr-code/${code.id}`
      expect(await ids(alice, {}, path)).toEqual([a.id, b.id])
      expect(await ids(alice, { qrCodeId: code.id })).toEqual([a.id, b.id])
      for (const query of [{ from: 501 }, { keyword: 'here' }, { size: 1 }] as Query[]) {
        expect(await ids(alice, query, path)).toEqual([a.id])
        expect(await ids(alice, { ...query, qrCodeId: code.id })).toEqual([a.id])
      }
      expect(await ids(alice, { sort: 'takenAt' }, path)).toEqual([b.id, a.id])
    })

    test('the photos of a QR code in the trash are not listed by the code, until it is restored', async () => {
      const code = await createCode(alice)
      const photo = await addPhoto(server, alice, { qrCodeId: code.id })
      ok(await alice.delete(`/api/qr-codes/${code.id}`))
      expect((await alice.get(`/api/album/qr-code/${code.id}`)).status).toBe(404)
      expect(await list(alice, { qrCodeId: code.id })).toEqual({ items: [], total: 0, page: 1, size: 20 })
      expect(ok(await alice.get(`/api/album/${photo.id}`)).data).toEqual(photo)
      ok(await alice.patch(`/api/qr-codes/trash/restore/${code.id}`))
      expect(await ids(alice, {}, `/api/album/qr-code/${code.id}`)).toEqual([photo.id])
    })

    test('a QR code of another user is 404, and selects nothing as a filter', async () => {
      const code = await createCode(alice)
      await addPhoto(server, alice, { qrCodeId: code.id, address: 'very private' })
      expect((await bob.get(`/api/album/qr-code/${code.id}`)).status).toBe(404)
      expect((await bob.get('/api/album/qr-code/999999999')).status).toBe(404)
      for (const query of [{}, { from: 0 }, { keyword: 'p' }] as Query[])
        expect(await list(bob, { ...query, qrCodeId: code.id })).toMatchObject({ items: [], total: 0 })
    })
  })

  describe('of an organization', () => {
    let org: Org

    beforeAll(async () => {
      org = await createOrg(owner)
      await addMembers(owner, org, member)
    })

    test('GET /api/album/org/:orgId and ?orgId= list direct uploads and copies of all members, and no personal photos', async () => {
      const personal = await addPhoto(server, member)
      const direct = await addPhoto(server, member, { orgId: org.id })
      const body = { entityType: 'ALBUM_PHOTO', sourceId: personal.id } as const
      const { copyId } = ok(await member.call('shares.create', { params: { orgId: org.id }, body })).data
      const expected = [copyId, direct.id]
      expect(await ids(owner, {}, `/api/album/org/${org.id}`)).toEqual(expected)
      expect(await ids(owner, { orgId: org.id })).toEqual(expected)
      expect(await ids(member)).toEqual([personal.id])
      expect(await ids(owner)).toEqual([])
      expect(await ids(owner, { keyword: 'photo' }, `/api/album/org/${org.id}`)).toEqual(expected)
      expect(await ids(owner, { from: 0, orgId: org.id })).toEqual(expected)
      for (const query of [{}, { keyword: 'photo' }] as Query[])
        expect((await bob.get('/api/album', { ...query, orgId: org.id })).status).toBe(403)
    })

    test('a QR code of the organization selects its photos, a personal one of a member does not', async () => {
      const code = ok(await owner.call('qrCodes.create', { body: { name: 'x', content: 'x', orgId: org.id } })).data
      const photo = await addPhoto(server, member, { orgId: org.id, qrCodeId: code.id })
      expect(await ids(owner, {}, `/api/album/qr-code/${code.id}`)).toEqual([photo.id])
      expect(await ids(owner, { orgId: org.id, qrCodeId: code.id })).toEqual([photo.id])
      expect(await ids(owner, { qrCodeId: code.id }, `/api/album/org/${org.id}`)).toEqual([photo.id])
      const personal = await createCode(member)
      await addPhoto(server, member, { qrCodeId: personal.id })
      expect(await ids(member, { orgId: org.id, qrCodeId: personal.id })).toEqual([])
      expect((await bob.get(`/api/album/qr-code/${code.id}`)).status).toBe(404)
    })
  })

  describe('long lists', () => {
    const COUNT = 2300
    let rich: Person
    let all: PhotoView[]
    let code: number

    beforeAll(async () => {
      rich = await server.person()
      code = (await createCode(rich)).id
      await addMany(
        server,
        { userId: rich.id, orgId: 0 },
        Array.from({ length: COUNT }, (_, i) => ({
          // Few different times, and some photos without one.
          takenAt: i % 10 === 0 ? null : (i * 7919) % 50,
          qrCodeId: i % 2 === 0 ? code : null,
          ...(i % 3 === 0 && { latitude: 1, longitude: 1 }),
          address: i % 100 === 0 ? `needle ${i}` : null,
        })),
      )
      all = await allPages<PhotoView>(rich, '/api/album', 100)
    })

    const timeOf = (photo: PhotoView) => photo.takenAt ?? photo.createdAt

    test('pages neither repeat nor skip a photo, in both orders and directions', async () => {
      expect(new Set(all.map((photo) => photo.id)).size).toBe(COUNT)
      for (const [i, photo] of all.entries()) if (i > 0) expect(timeOf(photo)).toBeLessThanOrEqual(timeOf(all[i - 1]!))
      const inOrder = async (sort: string) =>
        (await allPages<PhotoView>(rich, '/api/album', 100, { sort })).map((photo) => photo.id)
      expect(await inOrder('takenAt')).toEqual(all.map((photo) => photo.id).toReversed())
      expect(await inOrder('createdAt')).toEqual(all.map((photo) => photo.id).toSorted((a, b) => a - b))
    })

    test('filters and searches find the photos of the whole list', async () => {
      const found = async (query: Query, path?: string) => (await list(rich, { ...query, size: 5 }, path)).total
      expect(await found({ hasLocation: true })).toBe(all.filter((photo) => photo.latitude !== null).length)
      expect(await found({ from: 10, to: 20 })).toBe(all.filter((p) => timeOf(p) >= 10 && timeOf(p) <= 20).length)
      expect(await found({ keyword: 'needle' })).toBe(COUNT / 100)
      expect(await found({ qrCodeId: code })).toBe(COUNT / 2)
      const ofCode = all.filter((photo) => photo.qrCodeId === code)
      const listed = await allPages<PhotoView>(rich, `/api/album/qr-code/${code}`, 100)
      expect(listed.map((photo) => photo.id)).toEqual(ofCode.map((photo) => photo.id))
    })

    test('a page shows additions and deletions at once', async () => {
      const photo = await addPhoto(server, rich, { takenAt: 10 ** 14, qrCodeId: code })
      expect(await list(rich, { size: 1 })).toMatchObject({ total: COUNT + 1, items: [{ id: photo.id }] })
      expect(await list(rich, { size: 1 }, `/api/album/qr-code/${code}`)).toMatchObject({ items: [{ id: photo.id }] })
      ok(await deletePhoto(rich, photo.id))
      expect(await list(rich, { size: 1 })).toMatchObject({ total: COUNT, items: [{ id: all[0]!.id }] })
    })

    // Other plans are right for small tables on PostgreSQL.
    test.if(!process.env['TEST_DATABASE_URL'])('no query scans a table or sorts', async () => {
      const org = await createOrg(rich)
      await addMany(server, { userId: rich.id, orgId: org.id }, [{}, {}])
      const { runner } = server.ctx.db.read as unknown as { runner: Runner }
      const statements = new Map<string, unknown[]>()
      const rows = runner.rows.bind(runner)
      runner.rows = (sql, params) => {
        if (/album_photos|org_shares/.test(sql)) statements.set(sql, params)
        return rows(sql, params)
      }
      try {
        for (const path of ['/api/album', `/api/album/qr-code/${code}`, `/api/album/org/${org.id}`])
          for (const query of [{}, { page: 8, size: 100 }, { from: 0, to: 10 }] as Query[])
            for (const sort of ['takenAt', '-takenAt', 'createdAt', '-createdAt'])
              await list(rich, { ...query, sort }, path)
        ok(await rich.get(`/api/album/${all[0]!.id}`))
        for (const query of [{}, { entityType: 'ALBUM_PHOTO' }] as Query[])
          await list(rich, query, `/api/orgs/${org.id}/shares`)
      } finally {
        runner.rows = rows
      }
      expect(statements.size).toBeGreaterThan(20)
      for (const [sql, params] of statements) {
        const plan = (await rows(`EXPLAIN QUERY PLAN ${sql}`, params)).map((row) => String(row[3]))
        for (const step of plan) expect(`${step}: ${sql}`).not.toMatch(/^(SCAN|USE TEMP B-TREE)/)
        expect(plan[0], sql).toMatch(/SEARCH (album_photos|org_shares) USING/)
      }
    })
  })
})
