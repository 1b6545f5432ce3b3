/** Shares of all organizations, as administrators see and delete them. */

import { describe, expect, test } from 'bun:test'

import type { ShareView } from '#domains/shares/shares.model.ts'

import { png, uploaded } from '../files/helpers.ts'
import { ok, type Person, race, useServer } from '../harness/index.ts'
import { createOrg, type Org, UNKNOWN_ID } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

const share = async (user: Person, org: Org, entityType: ShareView['entityType'], sourceId: number) =>
  ok(await user.call('shares.create', { params: { orgId: org.id }, body: { entityType, sourceId } })).data
async function addPhoto(user: Person): Promise<number> {
  const file = await uploaded(user, png(), { type: 'album', name: 'door.png' })
  return ok(await user.call('album.add', { body: { fileId: file.id } })).data.id
}
const list = async (query: Record<string, string | number> = {}) =>
  ok(await admin.get('/api/admin/shares', { size: 100, ...query })).data
const remove = (shareId: number) => admin.call('admin.shares.delete', { params: { shareId } })

describe('GET /api/admin/shares', () => {
  test('shows and filters the shares of all organizations, latest first, also with a copy in the trash', async () => {
    const [library, museum] = [await createOrg(alice, { name: 'Library' }), await createOrg(bob, { name: 'Museum' })]
    const menu = await share(alice, library, 'QR_CODE', (await createCode(alice, { name: 'Spring menu' })).id)
    const photo = await share(bob, museum, 'ALBUM_PHOTO', await addPhoto(bob))
    ok(await alice.call('qrCodes.delete', { params: { id: menu.copyId }, query: { orgId: library.id } }))
    const { items, total } = await list()
    expect(total).toBe(2)
    expect(items).toEqual([
      { ...photo, orgName: 'Museum', owner: { userId: bob.id, username: 'bob', nickname: expect.any(String) } },
      { ...menu, orgName: 'Library', owner: { userId: alice.id, username: 'alice', nickname: expect.any(String) } },
    ])
    expect((await list({ sort: 'createdAt' })).items.map((row: ShareView) => row.id)).toEqual([menu.id, photo.id])
    for (const query of [
      { entityType: 'QR_CODE' },
      { orgId: library.id },
      { userId: alice.id },
      { keyword: 'MENU' },
      { from: menu.createdAt, to: menu.createdAt + 1 },
    ])
      expect(await list(query as never), JSON.stringify(query)).toMatchObject({ total: 1, items: [{ id: menu.id }] })
    for (const query of [{ userId: UNKNOWN_ID }, { orgId: library.id, entityType: 'ALBUM_PHOTO' }])
      expect(await list(query as never)).toMatchObject({ items: [], total: 0 })
    expect((await admin.get('/api/admin/shares?entityType=ASSET')).status).toBe(400)
  })
})

describe('DELETE /api/admin/shares/:shareId', () => {
  test('deletes the copy of a photo, but not the original', async () => {
    const org = await createOrg(alice)
    const original = await addPhoto(alice)
    const made = await share(alice, org, 'ALBUM_PHOTO', original)
    ok(await remove(made.id))
    ok(await alice.call('album.get', { params: { id: original } }))
    expect((await alice.call('album.get', { params: { id: made.copyId }, query: { orgId: org.id } })).status).toBe(404)
    expect((await alice.call('shares.list', { params: { orgId: org.id } })).data.total).toBe(0)
    expect((await remove(made.id)).status).toBe(404)
  })

  test('deletes the copy of a QR code, also one in the trash, and ends its public page at once', async () => {
    const org = await createOrg(alice)
    const original = await createCode(alice, { isDynamic: true, isPublic: true })
    const made = await share(alice, org, 'QR_CODE', original.id)
    const inOrg = { params: { id: made.copyId }, query: { orgId: org.id } }
    const copy = ok(await alice.call('qrCodes.get', inOrg)).data
    ok(await alice.call('qrCodes.update', { ...inOrg, body: { isPublic: true } }))
    const page = `/public/qr/${copy.uuid}`
    expect((await server.request('GET', page)).status).toBe(200)
    const replies = await race(5, () => remove(made.id))
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 404, 404, 404, 404])
    expect((await server.request('GET', page)).status).toBe(404)
    expect((await alice.call('qrCodes.get', inOrg)).status).toBe(404)

    const again = await share(alice, org, 'QR_CODE', original.id)
    ok(await alice.call('qrCodes.delete', { params: { id: again.copyId }, query: { orgId: org.id } }))
    ok(await remove(again.id))
    expect((await alice.get('/api/qr-codes/trash', { orgId: org.id })).data.total).toBe(0)
    ok(await alice.call('qrCodes.get', { params: { id: original.id } }))
  })
})
