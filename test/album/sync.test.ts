/** Photos as devices that synchronize keep and change them. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Runner } from '#db/query/builders.ts'
import { albumPhotos } from '#db/schema/album.ts'
import { syncTombstones } from '#db/schema/sync.ts'
import { MAX_WATERMARK } from '#domains/album/album.model.ts'
import { PHOTO_BUDGET } from '#domains/album/album.rules.ts'
import { clearRemaining } from '#domains/album/album.service.ts'
import { photoEntity } from '#domains/album/sync.service.ts'
import type { SyncRevival } from '#domains/contributions.ts'
import type { Owner } from '#http/endpoint.ts'

import { inProcess, ok, type Person, startServer, type TestServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { addMany, addPhoto, deletePhoto, getPhoto, idsOf, upload } from './helpers.ts'

const END = Number.MAX_SAFE_INTEGER
const UNKNOWN = 999_999_999

const personal = (user: { id: number }): Owner => ({ userId: user.id, orgId: 0 })
const authorOf = (user: Person) => ({ actor: { userId: user.id }, caller: {} }) as never

const create = async (
  server: TestServer,
  user: Person,
  data: unknown,
  owner = personal(user),
  revived?: SyncRevival,
) => {
  const insert = await photoEntity.prepareCreate(server.ctx, authorOf(user), owner, data)
  return server.ctx.db.write('test.create', (tx) => insert(tx, revived))
}
const update = async (server: TestServer, user: Person, id: number, data: unknown, owner = personal(user)) => {
  const change = await photoEntity.prepareUpdate(server.ctx, authorOf(user), owner, data)
  return server.ctx.db.write('test.update', (tx) => change(tx, id))
}
const remove = (server: TestServer, owner: Owner, id: number) =>
  server.ctx.db.write('test.remove', (tx) => photoEntity.remove(server.ctx, tx, owner, id))

const changes = (server: TestServer, owner: OwnerKey, after = 0, until = END, limit = 1000) =>
  photoEntity.changes(server.ctx.db.read, owner, { after, until }, limit)
const views = (server: TestServer, viewer: Owner, ids: number[], until = END) =>
  photoEntity.views(server.ctx, server.ctx.db.read, viewer, 'en', ids, until)
const tombstonesOf = (server: TestServer, id: number) =>
  server.ctx.db.read
    .select()
    .from(syncTombstones)
    .where(and(eq(syncTombstones.entity, 'albumPhoto'), eq(syncTombstones.entityId, id)))

describe.if(inProcess)('photos of devices that synchronize', () => {
  const { server, alice, mallory, owner, member } = useServer({
    people: ['alice', 'mallory', 'owner', 'member'],
    noAdmin: true,
  })
  let org: Org

  beforeAll(async () => {
    org = await createOrg(owner)
    await addMembers(owner, org, member)
  })

  describe('reading', () => {
    test('changes are the photos of one owner by updatedAt and id, within the range and the limit', async () => {
      const user = await server.person()
      const [first, second, third] = [
        await addPhoto(server, user),
        await addPhoto(server, user),
        await addPhoto(server, user),
      ]
      const inOrg = await addPhoto(server, owner, { orgId: org.id })
      const key = ownerKey(personal(user))
      const all = [first, second, third].map(({ id, updatedAt }) => ({ id, stamp: updatedAt, isDeleted: false }))
      expect(await changes(server, key)).toEqual(all)
      expect(await changes(server, key, first.updatedAt, third.updatedAt - 1)).toEqual([all[1]!])
      expect(await changes(server, key, 0, END, 2)).toEqual(all.slice(0, 2))
      expect(await changes(server, org.id)).toEqual([{ id: inOrg.id, stamp: inOrg.updatedAt, isDeleted: false }])
      const changed = await update(server, user, first.id, { address: 'Hall C' })
      expect((await changes(server, key)).map((row) => row.id)).toEqual([second.id, third.id, first.id])
      expect((await changes(server, key, changed.updatedAt - 1))[0]!.stamp).toBe(changed.updatedAt)
    })

    test('a view is the photo as GET /api/album/:id answers it', async () => {
      const watermark = { text: 'Hall B', deep: [{ a: 1 }] }
      const mine = await addPhoto(server, alice, { takenAt: 1_700_000_000_000, latitude: 1, longitude: 2, watermark })
      const inOrg = await addPhoto(server, member, { orgId: org.id })
      const unsigned = (view: object) => ({ ...view, url: '', thumbnailUrl: '' })
      const [view] = await views(server, personal(alice), [mine.id])
      expect(unsigned(view!)).toEqual(unsigned(ok(await getPhoto(alice, mine.id)).data))
      expect(view!['url']).toContain(`/api/files/${mine.fileId}/content?`)
      const [theirs] = await views(server, { userId: owner.id, orgId: org.id }, [inOrg.id])
      expect(unsigned(theirs!)).toEqual(unsigned(ok(await getPhoto(owner, inOrg.id)).data))
    })

    test('views leave out photos of other owners and photos that changed later', async () => {
      const mine = await addPhoto(server, alice)
      const inOrg = await addPhoto(server, alice, {}, {})
      const ofOrg = await addPhoto(server, owner, { orgId: org.id })
      const ids = [mine.id, inOrg.id, ofOrg.id, UNKNOWN]
      const seen = async (viewer: Owner, until = END) =>
        (await views(server, viewer, ids, until)).map((view) => view.id).toSorted((a, b) => a - b)
      expect(await seen(personal(alice))).toEqual([mine.id, inOrg.id])
      expect(await seen(personal(alice), inOrg.updatedAt - 1)).toEqual([mine.id])
      expect(await seen(personal(owner))).toEqual([])
      expect(await seen({ userId: alice.id, orgId: org.id })).toEqual([ofOrg.id])
    })

    test('states are those of photos of any owner', async () => {
      const mine = await addPhoto(server, alice)
      const ofOrg = await addPhoto(server, owner, { orgId: org.id })
      const { ctx } = server
      const states = await photoEntity.states(ctx, ctx.db.read, mallory.id, [mine.id, ofOrg.id, UNKNOWN])
      expect(states.toSorted((a, b) => a.id - b.id)).toEqual([
        { id: mine.id, owner: -alice.id, version: 1, updatedAt: mine.updatedAt, isDeleted: false },
        { id: ofOrg.id, owner: org.id, version: 1, updatedAt: ofOrg.updatedAt, isDeleted: false },
      ])
    })
  })

  describe('adding', () => {
    test('a photo takes the time and the position of its upload unless the data contain them', async () => {
      const code = await createCode(alice)
      const capture = { takenAt: 1_600_000_000_000, latitude: 30, longitude: 120 }
      const fileId = await upload(server, alice, { capture })
      const data = { fileId, qrCodeId: code.id, address: '', takenAt: null, id: 7, version: 9, orgId: org.id }
      const state = await create(server, alice, data)
      expect(state).toEqual({
        id: state.id,
        owner: -alice.id,
        version: 1,
        updatedAt: state.updatedAt,
        isDeleted: false,
      })
      expect(ok(await getPhoto(alice, state.id)).data).toMatchObject({
        fileId,
        ...capture,
        orgId: null,
        qrCodeId: code.id,
        address: null,
        version: 1,
        updatedAt: state.updatedAt,
      })
    })

    test('a photo of an organization needs an upload for that organization', async () => {
      const of = { userId: member.id, orgId: org.id }
      const state = await create(server, member, { fileId: await upload(server, member, { orgId: org.id }) }, of)
      expect(state.owner).toBe(org.id)
      expect(ok(await getPhoto(owner, state.id)).data.uploaderId).toBe(member.id)
      const personalFile = await upload(server, member)
      await expect(create(server, member, { fileId: personalFile }, of)).rejects.toMatchObject({ code: 400 })
    })

    test.each<[string, object, string]>([
      ['no file', {}, 'data.fileId'],
      ['null for the file', { fileId: null }, 'data.fileId'],
      ['the id of a file as text', { fileId: 'x' }, 'data.fileId'],
      ['an unknown file', { fileId: UNKNOWN }, 'data.fileId'],
      ['one coordinate', { fileId: 'ok', longitude: 1 }, 'data.latitude'],
      ['a position beyond the poles', { fileId: 'ok', latitude: 91, longitude: 1 }, 'data.latitude'],
      ['a large watermark', { fileId: 'ok', watermark: { a: 'x'.repeat(MAX_WATERMARK) } }, 'data.watermark'],
      ['a watermark that is a list', { fileId: 'ok', watermark: [1] }, 'data.watermark'],
      ['an unknown QR code', { fileId: 'ok', qrCodeId: UNKNOWN }, 'data.qrCodeId'],
      ['a long address', { fileId: 'ok', address: 'x'.repeat(201) }, 'data.address'],
    ])('%s is refused, and the upload stays unused', async (_what, given, path) => {
      const fileId = await upload(server, alice)
      const data = 'fileId' in given && given.fileId === 'ok' ? { ...given, fileId } : given
      const refusal = await create(server, alice, data).catch((error: unknown) => error)
      expect(refusal).toMatchObject({ status: 400, problems: [{ path }] })
      expect((await create(server, alice, { fileId })).version).toBe(1)
    })

    test("another user's upload, QR code and a used upload are refused alike", async () => {
      const used = (await addPhoto(server, alice)).fileId
      const theirs = await upload(server, mallory)
      for (const fileId of [used, theirs, UNKNOWN])
        expect(await create(server, alice, { fileId }).catch((error: Error) => error.message)).toBe(
          await create(server, alice, { fileId: UNKNOWN }).catch((error: Error) => error.message),
        )
      const code = await createCode(mallory)
      const fileId = await upload(server, alice)
      await expect(create(server, alice, { fileId, qrCodeId: code.id })).rejects.toMatchObject({
        problems: [{ path: 'data.qrCodeId' }],
      })
    })

    test('new photos count in the budget of POST /api/album', async () => {
      const limited = await startServer({ noAdmin: true, rateLimit: true })
      try {
        const user = await limited.person()
        const { ctx } = limited
        const key = `${PHOTO_BUDGET.name}:user:${user.id}`
        ctx.limiter.takeAll([{ key, limit: PHOTO_BUDGET.limit, windowMs: PHOTO_BUDGET.windowMs, cost: 1999 }])
        const files = [await upload(limited, user), await upload(limited, user)]
        await create(limited, user, { fileId: files[0]! })
        await expect(create(limited, user, { fileId: files[1]! })).rejects.toMatchObject({ status: 429, code: 4022 })
      } finally {
        await limited.stop()
      }
    })
  })

  describe('changing', () => {
    test('each field changes the photo and raises its version once', async () => {
      const [code, user] = [await createCode(alice), alice]
      const photo = await addPhoto(server, user, { takenAt: 5, latitude: 1, longitude: 2, watermark: { a: 1 } })
      const steps: object[] = [
        { takenAt: 1_700_000_000_000 },
        { latitude: 3, longitude: 4 },
        { latitude: -3 },
        { latitude: null, longitude: null },
        { address: ' Hall B ' },
        { watermark: { b: [1] } },
        { watermark: null },
        { qrCodeId: code.id },
        { qrCodeId: null, takenAt: null, address: '' },
      ]
      for (const [i, step] of steps.entries()) {
        const before = ok(await getPhoto(user, photo.id)).data
        const state = await update(server, user, photo.id, step)
        expect(state).toMatchObject({ id: photo.id, owner: -user.id, version: i + 2, isDeleted: false })
        const now = ok(await getPhoto(user, photo.id)).data
        const text = 'address' in step ? { address: (step.address as string).trim() || null } : {}
        expect<object>({ ...now, url: before.url }).toEqual({
          ...before,
          ...step,
          ...text,
          version: i + 2,
          updatedAt: state.updatedAt,
        })
        expect(state.updatedAt).toBeGreaterThan(before.updatedAt)
      }
    })

    test('values that the photo has already raise neither version nor updatedAt', async () => {
      const watermark = { text: 'Door', deep: { x: [1, { y: null }] } }
      const photo = await addPhoto(server, alice, { takenAt: 5, latitude: 0, longitude: 2, watermark, address: 'A' })
      for (const same of [
        {},
        { takenAt: 5 },
        { latitude: -0, longitude: 2 },
        { watermark: { deep: { x: [1, { y: null }] }, text: 'Door' } },
        { address: ' A ', qrCodeId: null },
        { ...photo, name: 'x', size: 1, version: 7, unknown: true, fileId: UNKNOWN, orgId: org.id },
      ])
        expect(await update(server, alice, photo.id, same)).toMatchObject({ version: 1, updatedAt: photo.updatedAt })
      expect(ok(await getPhoto(alice, photo.id)).data).toMatchObject({ version: 1, updatedAt: photo.updatedAt })
    })

    test('takenAt moves the photo in every list that contains it', async () => {
      const user = await server.person()
      const code = await createCode(user)
      const [a, b, c] = [
        await addPhoto(server, user, { takenAt: 1000, qrCodeId: code.id }),
        await addPhoto(server, user, { takenAt: 2000, qrCodeId: code.id }),
        await addPhoto(server, user, { takenAt: 3000 }),
      ]
      const list = async (query = {}) => idsOf(ok(await user.get('/api/album', query)).data)
      expect(await list()).toEqual([c.id, b.id, a.id])
      await update(server, user, a.id, { takenAt: 2500 })
      expect(await list()).toEqual([c.id, a.id, b.id])
      expect(await list({ qrCodeId: code.id })).toEqual([a.id, b.id])
      expect(await list({ from: 2400, to: 2600 })).toEqual([a.id])
      await update(server, user, c.id, { qrCodeId: code.id, takenAt: 1500 })
      expect(await list({ qrCodeId: code.id })).toEqual([a.id, b.id, c.id])
      // Without the time, the photo is sorted by when it was added.
      await update(server, user, b.id, { takenAt: null, qrCodeId: null })
      expect(await list()).toEqual([b.id, a.id, c.id])
      expect(await list({ qrCodeId: code.id })).toEqual([a.id, c.id])
    })

    test('refused changes change nothing', async () => {
      const photo = await addPhoto(server, alice, { takenAt: 5 })
      const trashed = await createCode(alice)
      ok(await alice.delete(`/api/qr-codes/${trashed.id}`))
      const theirs = await createCode(mallory)
      for (const [data, path] of [
        [{ latitude: 5 }, 'data.longitude'],
        [{ longitude: 181, latitude: 1 }, 'data.longitude'],
        [{ takenAt: -1 }, 'data.takenAt'],
        [{ takenAt: 9, qrCodeId: theirs.id }, 'data.qrCodeId'],
        [{ takenAt: 9, qrCodeId: trashed.id }, 'data.qrCodeId'],
        [{ takenAt: 9, qrCodeId: UNKNOWN }, 'data.qrCodeId'],
        [{ watermark: { a: 'x'.repeat(MAX_WATERMARK) } }, 'data.watermark'],
        [[], 'data'],
        ['x', 'data'],
      ] as const)
        expect(await update(server, alice, photo.id, data).catch((error: unknown) => error)).toMatchObject({
          code: 400,
          problems: [{ path }],
        })
      expect(ok(await getPhoto(alice, photo.id)).data).toMatchObject({ takenAt: 5, latitude: null, version: 1 })
    })

    test('a photo can keep a QR code that is in the trash', async () => {
      const code = await createCode(alice)
      const photo = await addPhoto(server, alice, { qrCodeId: code.id })
      ok(await alice.delete(`/api/qr-codes/${code.id}`))
      await update(server, alice, photo.id, { qrCodeId: code.id, address: 'Hall D' })
      expect(ok(await getPhoto(alice, photo.id)).data).toMatchObject({ qrCodeId: code.id, address: 'Hall D' })
    })

    test('photos of other owners and unknown photos cannot be changed or deleted', async () => {
      const theirs = await addPhoto(server, mallory)
      const ofOrg = await addPhoto(server, owner, { orgId: org.id })
      for (const id of [theirs.id, ofOrg.id, UNKNOWN]) {
        await expect(update(server, alice, id, { address: 'x' })).rejects.toMatchObject({ status: 404 })
        await expect(remove(server, personal(alice), id)).rejects.toMatchObject({ status: 404 })
      }
      await expect(update(server, owner, ofOrg.id, { address: 'x' })).rejects.toMatchObject({ status: 404 })
      expect(ok(await getPhoto(mallory, theirs.id)).data).toMatchObject({ address: null, version: 1 })
    })
  })

  describe('deleting', () => {
    test('DELETE /api/album/:id leaves a tombstone with the next version', async () => {
      const photo = await addPhoto(server, alice)
      await update(server, alice, photo.id, { address: 'x' })
      ok(await deletePhoto(alice, photo.id))
      const [tombstone, ...others] = await tombstonesOf(server, photo.id)
      expect(tombstone).toMatchObject({ owner: -alice.id, version: 3 })
      expect(tombstone!.stamp).toBeGreaterThan(photo.updatedAt)
      expect(others).toEqual([])
      expect((await deletePhoto(alice, photo.id)).status).toBe(404)
      expect(await tombstonesOf(server, photo.id)).toHaveLength(1)
    })

    test('removing returns the state of the tombstone and deletes the file', async () => {
      const photo = await addPhoto(server, owner, { orgId: org.id })
      const state = await remove(server, { userId: member.id, orgId: org.id }, photo.id)
      const [tombstone] = await tombstonesOf(server, photo.id)
      expect(state).toEqual({
        id: photo.id,
        owner: org.id,
        version: 2,
        updatedAt: tombstone!.stamp,
        isDeleted: true,
      })
      expect(tombstone).toMatchObject({ owner: org.id, version: 2 })
      expect((await owner.get(`/api/files/${photo.fileId}`)).status).toBe(404)
    })

    test('deleting a share leaves a tombstone of the copy in the organization', async () => {
      const source = await addPhoto(server, owner)
      const body = { entityType: 'ALBUM_PHOTO', sourceId: source.id } as const
      const share = ok(await owner.call('shares.create', { params: { orgId: org.id }, body })).data
      ok(await owner.call('shares.delete', { params: { orgId: org.id, shareId: share.id } }))
      expect(await tombstonesOf(server, share.copyId)).toMatchObject([{ owner: org.id, version: 2 }])
      expect(await tombstonesOf(server, source.id)).toEqual([])
    })

    test('a deleted photo comes back under its id with a new upload, and not with its old file', async () => {
      const photo = await addPhoto(server, alice, { takenAt: 9 })
      const { version } = await remove(server, personal(alice), photo.id)
      const revived = { id: photo.id, version: version + 1 }
      for (const data of [{ address: 'x' }, { ...photo }])
        await expect(create(server, alice, data, personal(alice), revived)).rejects.toMatchObject({
          code: 400,
          problems: [{ path: 'data.fileId' }],
        })
      const fileId = await upload(server, alice)
      const state = await create(server, alice, { ...photo, fileId }, personal(alice), revived)
      expect(state).toMatchObject({ id: photo.id, version: 3 })
      expect(ok(await getPhoto(alice, photo.id)).data).toMatchObject({ fileId, takenAt: 9, version: 3 })
      expect(idsOf(ok(await alice.get('/api/album', { sort: 'takenAt', size: 100 })).data)).toContain(photo.id)
      // The next photo gets an id of its own.
      expect((await addPhoto(server, alice)).id).toBeGreaterThan(photo.id)
    })
  })

  test('photos that lose a purged code only when the job runs are among the changes then', async () => {
    const user = await server.person()
    const code = await createCode(user)
    const ids = await addMany(
      server,
      personal(user),
      Array.from({ length: 450 }, () => ({ qrCodeId: code.id })),
    )
    ok(await user.delete(`/api/qr-codes/${code.id}`))
    const before = await server.ctx.db.settledStamp()
    ok(await user.send('DELETE', '/api/qr-codes/trash'))
    const key = ownerKey(personal(user))
    const first = await changes(server, key, before)
    expect(first).toHaveLength(200)
    const settled = await server.ctx.db.settledStamp()
    const rest = ids.filter((id) => !first.some((row) => row.id === id))
    const waiting = await views(server, personal(user), rest)
    expect(new Set(waiting.map((view) => `${view['qrCodeId']} ${view.version}`))).toEqual(new Set(['null 1']))
    await clearRemaining(server.ctx)
    expect((await changes(server, key, settled)).map((row) => row.id).toSorted((a, b) => a - b)).toEqual(rest)
    const cleared = await views(server, personal(user), rest)
    expect(new Set(cleared.map((view) => `${view['qrCodeId']} ${view.version}`))).toEqual(new Set(['null 2']))
  })

  test('pages of photos stay right after random changes', async () => {
    const user = await server.person()
    await addMany(
      server,
      personal(user),
      Array.from({ length: 600 }, (_, i) => ({ takenAt: i % 50 })),
    )
    const rows = await server.ctx.db.read.select().from(albumPhotos).where(eq(albumPhotos.userId, user.id))
    ok(await user.get('/api/album', { page: 4 }))
    for (let i = 0; i < 60; i += 1)
      await update(server, user, rows[(i * 37) % 600]!.id, { takenAt: i % 7 === 0 ? null : (i * 13) % 60 })
    // In tests the server compares every page with a plain query.
    for (const page of [1, 3, 6]) expect(ok(await user.get('/api/album', { page, size: 100 })).data.total).toBe(600)
  })

  // Other plans are right for small tables on PostgreSQL.
  test.if(!process.env['TEST_DATABASE_URL'])(
    'no query scans a table or sorts, and changes read only an index',
    async () => {
      const user = await server.person()
      const ids = await addMany(server, personal(user), [{}, {}, {}])
      const { ctx } = server
      const { runner } = ctx.db.read as unknown as { runner: Runner }
      const statements = new Map<string, unknown[]>()
      const rows = runner.rows.bind(runner)
      runner.rows = (sql, params) => {
        statements.set(sql, params)
        return rows(sql, params)
      }
      try {
        for (const key of [ownerKey(personal(user)), org.id]) await changes(server, key)
        await views(server, personal(user), ids)
        await views(server, { userId: user.id, orgId: org.id }, ids)
        await photoEntity.states(ctx, ctx.db.read, user.id, ids)
      } finally {
        runner.rows = rows
      }
      const plans: string[] = []
      for (const [sql, params] of statements) {
        const plan = (await rows(`EXPLAIN QUERY PLAN ${sql}`, params)).map((row) => String(row[3]))
        // The list of ids is a table too.
        for (const step of plan) expect(`${step}: ${sql}`).not.toMatch(/^(SCAN (?!json_each )|USE TEMP B-TREE)/)
        plans.push(plan[0]!)
      }
      expect(plans).toEqual([
        expect.stringContaining('COVERING INDEX album_photos_updated (user_id=? AND updated_at>? AND updated_at<?)'),
        expect.stringContaining('COVERING INDEX album_photos_org_updated (org_id=? AND updated_at>? AND updated_at<?)'),
        ...Array(3).fill(expect.stringContaining('USING INTEGER PRIMARY KEY (rowid=?)')),
      ])
    },
  )
})
