/** Photos of QR codes that are deleted permanently: they stay, and lose the code. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { albumPhotos, albumPurgedCodes } from '#db/schema/album.ts'
import { clearRemaining } from '#domains/album/album.service.ts'
import { purgeTrash } from '#domains/qr-codes/index.ts'
import { DAY } from '#platform/clock.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { addMany, addPhoto, deletePhoto, getPhoto, idsOf } from './helpers.ts'

describe.if(inProcess)('photos of deleted QR codes', () => {
  const { server, alice, owner } = useServer({ people: ['alice', 'owner'], noAdmin: true })

  const emptyTrash = (user: Person, query = {}) => user.send('DELETE', '/api/qr-codes/trash', { query })
  const rowsOf = (codeId: number) =>
    server.ctx.db.read.select().from(albumPhotos).where(eq(albumPhotos.qrCodeId, codeId))
  const purged = async () => (await server.ctx.db.read.select().from(albumPurgedCodes)).map((row) => row.qrCodeId)

  test('emptying the trash clears the code of its photos, whose version and updatedAt rise', async () => {
    const [code, kept] = [await createCode(alice), await createCode(alice)]
    const photo = await addPhoto(server, alice, { qrCodeId: code.id, address: 'Hall B' })
    const other = await addPhoto(server, alice, { qrCodeId: kept.id })
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    expect(ok(await getPhoto(alice, photo.id)).data).toEqual(photo)
    ok(await emptyTrash(alice))
    const after = ok(await getPhoto(alice, photo.id)).data
    expect(after).toEqual({ ...photo, qrCodeId: null, version: 2, updatedAt: after.updatedAt })
    expect(after.updatedAt).toBeGreaterThan(photo.updatedAt)
    expect(ok(await getPhoto(alice, other.id)).data).toEqual(other)
    expect((await alice.get(`/api/album/qr-code/${code.id}`)).status).toBe(404)
    expect(ok(await alice.get('/api/album', { qrCodeId: kept.id })).data.total).toBe(1)
    expect(await purged()).toEqual([])
  })

  test('the job that empties the trash after 30 days clears the code of its photos', async () => {
    const code = await createCode(alice)
    const photo = await addPhoto(server, alice, { qrCodeId: code.id })
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    const { clock } = server
    clock.advance(31 * DAY)
    try {
      await purgeTrash(server.ctx)
    } finally {
      clock.advance(-31 * DAY)
    }
    const [row] = await server.ctx.db.read.select().from(albumPhotos).where(eq(albumPhotos.id, photo.id))
    expect(row).toMatchObject({ qrCodeId: null, version: 2 })
  })

  test('deleting the share of a QR code clears the copy from the photos of the organization', async () => {
    const org = await createOrg(owner)
    const body = { entityType: 'QR_CODE', sourceId: (await createCode(owner)).id } as const
    const share = ok(await owner.call('shares.create', { params: { orgId: org.id }, body })).data
    const photo = await addPhoto(server, owner, { orgId: org.id, qrCodeId: share.copyId })
    ok(await owner.call('shares.delete', { params: { orgId: org.id, shareId: share.id } }))
    expect(ok(await getPhoto(owner, photo.id)).data).toMatchObject({ qrCodeId: null, version: 2 })
  })

  test('a code with many photos is cleared in steps, and photos not yet cleared show no code', async () => {
    const [first, second] = [await createCode(alice), await createCode(alice)]
    const photos = (qrCodeId: number, count: number) =>
      addMany(
        server,
        { userId: alice.id, orgId: 0 },
        Array.from({ length: count }, () => ({ qrCodeId, takenAt: 1 })),
      )
    const ids = [...(await photos(first.id, 300)), ...(await photos(second.id, 1200))]
    for (const code of [first, second]) ok(await alice.delete(`/api/qr-codes/${code.id}`))
    const total = ok(await alice.get('/api/album', { size: 1 })).data.total

    ok(await emptyTrash(alice))
    const page = ok(await alice.get('/api/album', { size: 100, sort: 'takenAt' })).data
    expect(page.items.every((photo: { qrCodeId: number | null }) => photo.qrCodeId === null)).toBe(true)

    await clearRemaining(server.ctx)
    expect([await rowsOf(first.id), await rowsOf(second.id), await purged()]).toEqual([[], [], []])
    const rows = await server.ctx.db.read.select().from(albumPhotos).where(eq(albumPhotos.takenAt, 1))
    expect(rows.map((row) => row.id).toSorted((a, b) => a - b)).toEqual(ids)
    expect(new Set(rows.map((row) => row.version))).toEqual(new Set([2]))
    // Each write has a time of its own.
    const perWrite = [...Map.groupBy(rows, (row) => row.updatedAt).values()].map((cleared) => cleared.length)
    expect(perWrite.length).toBeGreaterThan(3)
    expect(Math.max(...perWrite)).toBeLessThan(1000)
    expect(ok(await alice.get('/api/album', { size: 1 })).data.total).toBe(total)
  })

  test('a photo of a purged code that is not cleared yet can be deleted, and is not listed by the code', async () => {
    const code = await createCode(alice)
    const ids = await addMany(
      server,
      { userId: alice.id, orgId: 0 },
      Array.from({ length: 600 }, () => ({ qrCodeId: code.id })),
    )
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    ok(await emptyTrash(alice))
    expect(ok(await alice.get('/api/album', { qrCodeId: code.id })).data).toMatchObject({ items: [], total: 0 })
    for (const id of ids.slice(-3)) ok(await deletePhoto(alice, id))
    await clearRemaining(server.ctx)
    expect(await rowsOf(code.id)).toEqual([])
    expect(idsOf(ok(await alice.get('/api/album', { size: 1 })).data)).toEqual([ids.at(-4)!])
  })
})
