/** Files of all owners, as administrators find and delete them. */

import { describe, expect, test } from 'bun:test'

import { createActivity, getActivity } from '../activities/helpers.ts'
import { addAsset, allItems, scan, startedInventory } from '../assets/counting.ts'
import { createAsset, getAsset, photo } from '../assets/helpers.ts'
import { ok, type Person, race, useServer } from '../harness/index.ts'
import { createField, set, valueIn } from '../metadata/values-helpers.ts'
import { createOrg, getOrg, UNKNOWN_ID } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { pull } from '../sync/changes.ts'
import { pathOf, png, text, uploaded, type UploadFields, usedStorage } from './helpers.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

const image = (person: Person, fields: UploadFields = {}, bytes = png()) =>
  uploaded(person, bytes, { name: 'a.png', ...fields })
const list = async (query: Record<string, string | number> = {}) =>
  ok(await admin.get('/api/admin/files', { size: 100, ...query })).data
const idsOf = (page: { items: readonly { id: number }[] }) => page.items.map((row) => row.id)
const remove = (id: number) => admin.call('admin.files.delete', { params: { fileId: id } })
const removeMany = (ids: number[]) => admin.call('admin.files.deleteMany', { body: { ids } })
const statusOf = async (url: string) => (await server.request('GET', pathOf(url))).status
const isThere = async (person: Person, id: number) => (await person.get(`/api/files/${id}`)).status === 200

describe('GET /api/admin/files', () => {
  test('shows the files of all owners, newest first, with uploader, organization and references', async () => {
    const org = await createOrg(alice, { name: 'Library' })
    const unused = await image(alice, { type: 'album' })
    const used = await image(bob, { type: 'avatar' })
    ok(await bob.call('profile.update', { body: { avatarFileId: used.id } }))
    const ofOrg = await image(alice, { type: 'album', orgId: org.id })
    const page = await list()
    expect(idsOf(page).slice(0, 3)).toEqual([ofOrg.id, used.id, unused.id])
    const uploader = { userId: alice.id, username: 'alice', nickname: expect.any(String) }
    const { data } = ok(await alice.call('files.get', { params: { id: ofOrg.id } }))
    expect(page.items[0]).toEqual({ ...data, uploader, orgName: 'Library', references: 0 })
    expect(page.items[1]).toMatchObject({
      entityType: 'USER',
      references: 1,
      orgName: null,
      uploader: { userId: bob.id },
    })
    expect(idsOf(await list({ sort: 'createdAt' })).slice(-3)).toEqual([unused.id, used.id, ofOrg.id])
    expect(idsOf(await list({ size: 1, page: 2 }))).toEqual([used.id])
  })

  test('is filtered by type, thing, owner, storage, time and keyword', async () => {
    const [user, org] = [await server.person(), await createOrg(bob)]
    const avatar = await image(user, { type: 'avatar' })
    ok(await user.call('profile.update', { body: { avatarFileId: avatar.id } }))
    const note = await uploaded(user, text(), { type: 'other', name: 'needle-17.txt' }, 'needle-17.txt')
    const ofOrg = await image(bob, { type: 'album', orgId: org.id })
    const [userId, entityType] = [user.id, 'USER']
    for (const query of [
      { userId, type: 'avatar' },
      { entityType, entityId: user.id },
      { entityType, userId },
      { userId, entityId: user.id },
      { userId, to: note.createdAt },
    ])
      expect(await list(query as never), JSON.stringify(query)).toMatchObject({ total: 1, items: [{ id: avatar.id }] })
    expect(idsOf(await list({ keyword: 'NEEDLE-17' }))).toEqual([note.id])
    expect(idsOf(await list({ userId }))).toEqual([note.id, avatar.id])
    expect(idsOf(await list({ userId, sort: 'createdAt' }))).toEqual([avatar.id, note.id])
    expect(await list({ orgId: org.id })).toMatchObject({ total: 1, items: [{ id: ofOrg.id }] })
    const { storage } = (await list({ size: 1 })).items[0]
    expect((await list({ userId, storage })).total).toBe(2)
    for (const query of [{ userId, storage: storage === 'OSS' ? 'LOCAL' : 'OSS' }, { userId: UNKNOWN_ID }, { to: 1 }])
      expect(await list(query as never), JSON.stringify(query)).toMatchObject({ items: [], total: 0 })
    for (const query of ['type=photo', 'entityType=DOOR', 'storage=DISK', 'sort=size', 'userId=x'])
      expect((await admin.get(`/api/admin/files?${query}`)).status, query).toBe(400)
  })
})

describe('DELETE /api/admin/files/:fileId', () => {
  test('deletes the bytes, refunds the storage of the owner, and answers 404 the second time', async () => {
    const user = await server.person()
    const file = await uploaded(user, text(500), { type: 'other' })
    expect(await usedStorage(user)).toBe(500)
    const replies = await race(5, () => remove(file.id))
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 404, 404, 404, 404])
    expect(await usedStorage(user)).toBe(0)
    expect(await statusOf(file.url)).toBe(404)
    expect((await remove(UNKNOWN_ID)).status).toBe(404)
  })

  test('keeps bytes that another file has', async () => {
    const bytes = png()
    const [first, second] = [await image(alice, { type: 'album' }, bytes), await image(bob, { type: 'album' }, bytes)]
    ok(await remove(first.id))
    expect(await statusOf(second.url)).toBe(200)
    expect(await statusOf(second.thumbnailUrl!)).toBe(200)
  })

  test('clears the pictures of a user, an organization and an activity', async () => {
    const user = await server.person()
    const avatar = await image(user, { type: 'avatar' })
    const { avatarUrl } = ok(await user.call('profile.update', { body: { avatarFileId: avatar.id } })).data
    const logo = await image(user, { type: 'org' })
    const org = await createOrg(user, { avatarFileId: logo.id })
    const cover = await image(user, { type: 'activity' })
    const activity = await createActivity(user, { coverFileId: cover.id })
    for (const file of [avatar, logo, cover]) ok(await remove(file.id))
    expect(ok(await user.call('profile.get')).data.avatarUrl).toBeNull()
    expect((await getOrg(user, org)).avatarUrl).toBeNull()
    expect(await getActivity(user, activity.id)).toMatchObject({ coverFileId: null, coverUrl: null })
    for (const url of [avatarUrl!, org.avatarUrl!]) expect(await statusOf(url)).toBe(404)
    ok(await user.call('activities.update', { params: { id: activity.id }, body: { name: 'Works' } }))
  })

  test('takes the file from an asset, an inventory and a metadata value, whose other files stay', async () => {
    const user = await server.person()
    const [first, second] = [await photo(user), await photo(user)]
    const asset = await createAsset(user, { photos: [first, second] })
    const { id } = await startedInventory(user)
    const [a, b] = [await addAsset(user), await addAsset(user)]
    const [itemPhoto, otherPhoto] = [await photo(user), await photo(user)]
    ok(await scan(user, id, { assetId: a.id, photoFileId: itemPhoto }))
    ok(await scan(user, id, { assetId: b.id, photoFileId: otherPhoto }))
    const code = await createCode(user)
    const field = await createField(user, 'PHOTO')
    const pictures = [await image(user, { type: 'qr_code' }), await image(user, { type: 'qr_code' })]
    await set(
      user,
      code.id,
      field.id,
      pictures.map((file) => file.id),
    )
    const { serverTime } = await pull(user, 0)

    for (const lost of [first, itemPhoto, pictures[0]!.id]) ok(await remove(lost))
    const after = ok(await getAsset(user, asset.id)).data
    expect(after.photos.map((shown) => shown.fileId)).toEqual([second])
    expect(after.version).toBe(asset.version + 1)
    const { asset: synchronized } = (await pull(user, serverTime)).changes
    expect(synchronized.updated.map((row) => row.id)).toEqual([asset.id])
    const photos = new Map((await allItems(user, id)).map((item) => [item.assetId, item.photoFileId]))
    expect([photos.get(a.id), photos.get(b.id)]).toEqual([null, otherPhoto])
    expect(await valueIn(user, code.id, field.id)).toMatchObject([{ fileId: pictures[1]!.id }])
    const third = await image(user, { type: 'qr_code' })
    await set(user, code.id, field.id, [third.id, pictures[1]!.id])
    expect(await valueIn(user, code.id, field.id)).toMatchObject([{ fileId: third.id }, { fileId: pictures[1]!.id }])
    expect(await isThere(user, second)).toBe(true)
  })

  test('deletes an album photo with its image, but not its shared copy, and devices hear of it', async () => {
    const user = await server.person()
    const org = await createOrg(user)
    const file = await image(user, { type: 'album' })
    const mine = ok(await user.call('album.add', { body: { fileId: file.id } })).data
    const body = { entityType: 'ALBUM_PHOTO', sourceId: mine.id } as const
    const share = ok(await user.call('shares.create', { params: { orgId: org.id }, body })).data
    const { serverTime } = await pull(user, 0)
    ok(await remove(file.id))
    expect(ok(await user.call('album.list')).data.total).toBe(0)
    expect((await user.call('album.get', { params: { id: mine.id } })).status).toBe(404)
    expect((await pull(user, serverTime)).changes.albumPhoto).toEqual({ updated: [], deleted: [mine.id] })

    const copy = ok(await user.call('album.get', { params: { id: share.copyId }, query: { orgId: org.id } })).data
    expect(await statusOf(copy.url)).toBe(200)
    ok(await remove(copy.fileId))
    expect(ok(await user.call('shares.list', { params: { orgId: org.id } })).data.total).toBe(0)
  })
})

describe('POST /api/admin/files/batch-delete', () => {
  test('deletes each file for itself and names those that do not exist', async () => {
    const user = await server.person()
    const files = [await uploaded(user, text(100)), await uploaded(user, text(200)), await uploaded(user, text(300))]
    const [kept, ...others] = files.map((file) => file.id)
    const { data } = ok(await removeMany([others[0]!, UNKNOWN_ID, others[1]!, others[0]!]))
    expect(data).toEqual({ deleted: 2, failed: [{ id: UNKNOWN_ID, code: 404, message: 'Not found' }] })
    expect(await usedStorage(user)).toBe(100)
    expect(await isThere(user, kept!)).toBe(true)
    const chinese = { headers: { 'accept-language': 'zh' }, body: { ids: others } }
    const again = ok(await admin.send('POST', '/api/admin/files/batch-delete', chinese)).data
    expect(again).toMatchObject({ deleted: 0, failed: [{ id: others[0] }, { id: others[1] }] })
    expect(again.failed[0].message).not.toBe('Not found')
  })

  test('of concurrent requests, one deletes each file', async () => {
    const user = await server.person()
    const ids: number[] = []
    for (let i = 0; i < 6; i++) ids.push((await uploaded(user, text(100))).id)
    const replies = await race(4, (i) => removeMany(i % 2 === 0 ? ids : ids.toReversed()))
    expect(replies.reduce((sum, reply) => sum + ok(reply).data.deleted, 0)).toBe(6)
    expect(await usedStorage(user)).toBe(0)
  })

  test('refuses more than 500 ids, none, and other values, and deletes nothing', async () => {
    const { id } = await uploaded(alice, text())
    const many = Array.from({ length: 500 }, (_, i) => UNKNOWN_ID - i)
    for (const ids of [[], [id, ...many], [id, 'x'], [id, 0], [id, 1.5], id])
      expect((await admin.send('POST', '/api/admin/files/batch-delete', { body: { ids } })).status).toBe(400)
    const none = await admin.send('POST', '/api/admin/files/batch-delete', { body: { ids: [] } })
    expect(none.details).toEqual([{ path: 'body.ids', message: 'must not be empty' }])
    expect(await isThere(alice, id)).toBe(true)
    expect(ok(await removeMany([id, ...many.slice(1)])).data.deleted).toBe(1)
  })
})
