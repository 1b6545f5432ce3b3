/** Album photos of all owners, as administrators see and delete them. */

import { describe, expect, test } from 'bun:test'

import type { AddPhoto, PhotoView } from '#domains/album/album.model.ts'

import { pathOf, png, uploaded, usedStorage } from '../files/helpers.ts'
import { ok, type Person, race, useServer } from '../harness/index.ts'
import { createOrg, UNKNOWN_ID } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { pull } from '../sync/changes.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

async function add(person: Person, fields: Partial<AddPhoto> = {}, name = 'a.png', bytes = png()): Promise<PhotoView> {
  const ofOrg = fields.orgId == null ? {} : { orgId: fields.orgId }
  const file = await uploaded(person, bytes, { type: 'album', name, ...ofOrg })
  return ok(await person.call('album.add', { body: { fileId: file.id, ...fields } })).data
}
const list = async (query: Record<string, string | number> = {}) =>
  ok(await admin.get('/api/admin/albums', { size: 100, ...query })).data
const idsOf = (page: { items: readonly { id: number }[] }) => page.items.map((row) => row.id)
const remove = (id: number) => admin.call('admin.albums.delete', { params: { photoId: id } })

describe('GET /api/admin/albums', () => {
  test('shows the photos of all owners, the latest added first, with owner and organization', async () => {
    const org = await createOrg(alice, { name: 'Library' })
    const own = await add(alice, { takenAt: 4_000_000_000_000 })
    const others = await add(bob)
    const ofOrg = await add(alice, { orgId: org.id })
    const page = await list()
    expect(idsOf(page).slice(0, 3)).toEqual([ofOrg.id, others.id, own.id])
    expect(page.items[0]).toEqual({
      ...ofOrg,
      owner: { userId: alice.id, username: 'alice', nickname: expect.any(String) },
      orgName: 'Library',
    })
    expect(page.items[1]).toMatchObject({ orgId: null, orgName: null, owner: { userId: bob.id, username: 'bob' } })
    expect(idsOf(await list({ sort: 'createdAt' })).slice(-3)).toEqual([own.id, others.id, ofOrg.id])
    expect(idsOf(await list({ size: 1, page: 2 }))).toEqual([others.id])
  })

  test('is filtered by owner, organization, QR code, time and keyword', async () => {
    const [user, org] = [await server.person(), await createOrg(bob)]
    const code = await createCode(user)
    const mine = await add(user, { qrCodeId: code.id, watermark: { text: 'Needle 17' } }, 'door.png')
    const ofOrg = await add(bob, { orgId: org.id, address: 'Needle street' })
    for (const query of [
      { userId: user.id },
      { qrCodeId: code.id },
      { userId: user.id, keyword: 'DOOR' },
      { userId: user.id, from: mine.createdAt, to: mine.createdAt + 1 },
      { keyword: 'needle 17' },
    ])
      expect(idsOf(await list(query as never)), JSON.stringify(query)).toEqual([mine.id])
    expect(await list({ orgId: org.id })).toMatchObject({ total: 1, items: [{ id: ofOrg.id }] })
    expect(await list({ keyword: 'needle' })).toMatchObject({ total: 2, items: [{ id: ofOrg.id }, { id: mine.id }] })
    expect(await list({ keyword: 'needle', size: 1, page: 2 })).toMatchObject({ total: 2, items: [{ id: mine.id }] })
    for (const query of [{ userId: UNKNOWN_ID }, { orgId: UNKNOWN_ID }, { from: Date.now() + 1e9 }, { to: 1 }])
      expect(await list(query as never)).toMatchObject({ items: [], total: 0 })
    for (const query of ['userId=0', 'sort=name', 'from=never'])
      expect((await admin.get(`/api/admin/albums?${query}`)).status, query).toBe(400)
  })
})

describe('DELETE /api/admin/albums/:photoId', () => {
  test('deletes the photo with its image, and devices hear of it', async () => {
    const owner = await server.person()
    const photo = await add(owner, {}, 'secret-place.png')
    const [used, { serverTime }] = [await usedStorage(owner), await pull(owner, 0)]
    ok(await remove(photo.id))
    expect((await owner.call('album.get', { params: { id: photo.id } })).status).toBe(404)
    expect((await owner.call('files.get', { params: { id: photo.fileId } })).status).toBe(404)
    expect((await server.request('GET', pathOf(photo.url))).status).toBe(404)
    expect(await usedStorage(owner)).toBe(used - photo.size)
    expect((await pull(owner, serverTime)).changes.albumPhoto).toEqual({ updated: [], deleted: [photo.id] })
  })

  test('leaves a photo that has the same bytes, and answers 404 the second time', async () => {
    const bytes = png()
    const [first, second] = [await add(alice, {}, 'a.png', bytes), await add(bob, {}, 'b.png', bytes)]
    const replies = await race(5, () => remove(first.id))
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 404, 404, 404, 404])
    expect((await server.request('GET', pathOf(second.url))).status).toBe(200)
    expect((await remove(UNKNOWN_ID)).status).toBe(404)
  })
})
