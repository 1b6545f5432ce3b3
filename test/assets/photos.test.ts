import { describe, expect, test } from 'bun:test'

import { usedStorage } from '#domains/files/files.store.ts'

import { png, text, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createAsset, deleteAsset, getAsset, photo, updateAsset } from './helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'], noAdmin: true })

const idsOf = (asset: { photos: readonly { fileId: number }[] }) => asset.photos.map(({ fileId }) => fileId)
const fileStatus = async (user: Person, id: number) => (await user.get(`/api/files/${id}`)).status

describe('photos', () => {
  test('an asset shows its photos in the order given, with addresses that work without a token', async () => {
    const given = [await photo(alice), await photo(alice), await photo(alice)]
    const asset = await createAsset(alice, { photos: [given[2], given[0], { fileId: given[1] }] })
    expect(idsOf(asset)).toEqual([given[2]!, given[0]!, given[1]!])
    const { pathname, search } = new URL(asset.photos[0]!.url)
    const reply = await server.request('GET', pathname + search)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/png'])
    const reordered = ok(await updateAsset(alice, asset.id, { photos: given })).data
    expect([idsOf(reordered), reordered.version]).toEqual([given, 2])
    // The objects of an answer are accepted too.
    expect(ok(await updateAsset(alice, asset.id, { photos: reordered.photos })).data).toEqual(reordered)
  })

  test('a photo that an asset loses is deleted, and so are the photos of a deleted asset', async () => {
    const user = await server.person()
    const [first, second] = [await photo(user), await photo(user)]
    const asset = await createAsset(user, { photos: [first, second] })
    expect(idsOf(ok(await updateAsset(user, asset.id, { photos: [second] })).data)).toEqual([second])
    expect([await fileStatus(user, first), await fileStatus(user, second)]).toEqual([404, 200])
    ok(await deleteAsset(user, asset.id))
    expect(await fileStatus(user, second)).toBe(404)
    if (inProcess) expect(await usedStorage(server.ctx.db.read, { userId: user.id, orgId: 0 })).toBe(0)
  })

  test('null and an empty list remove all photos', async () => {
    for (const photos of [null, []]) {
      const id = await photo(alice)
      const asset = await createAsset(alice, { photos: [id] })
      expect(ok(await updateAsset(alice, asset.id, { photos })).data.photos).toEqual([])
      expect(await fileStatus(alice, id)).toBe(404)
    }
  })

  test('a photo must be an unused image of type asset that the caller uploaded for the same owner', async () => {
    const org = await createOrg(alice)
    const used = await photo(alice)
    await createAsset(alice, { photos: [used] })
    const note = await uploaded(alice, text(), { type: 'asset' })
    const albumImage = await uploaded(alice, png(), { type: 'album', name: 'a.png' })
    for (const [file, orgId] of [
      [await photo(mallory), undefined],
      [used, undefined],
      [note.id, undefined],
      [albumImage.id, undefined],
      [await photo(alice, org.id), undefined],
      [await photo(alice), org.id],
    ] as const) {
      const good = await photo(alice, orgId)
      const reply = await alice.post('/api/assets', { name: 'a', photos: [good, file], orgId })
      expect([reply.status, reply.details[0]?.path]).toEqual([400, 'body.photos.1'])
      // The refused request has not used the good one.
      await createAsset(alice, { photos: [good], orgId })
    }
    const twice = await photo(alice)
    const reply = await alice.post('/api/assets', { name: 'a', photos: [twice, twice] })
    expect([reply.status, reply.details[0]?.path]).toEqual([400, 'body.photos'])
  })

  test('two concurrent updates with different photos leave the photos of one of them, and no other file', async () => {
    const user = await server.person()
    const old = await photo(user)
    const asset = await createAsset(user, { photos: [old] })
    const given = [await photo(user), await photo(user)]
    const replies = await race(2, (i) => updateAsset(user, asset.id, { photos: [given[i]] }))
    for (const reply of replies) ok(reply)
    const [kept] = idsOf(ok(await getAsset(user, asset.id)).data)
    const lost = given.find((id) => id !== kept)!
    expect(given).toContain(kept!)
    expect([await fileStatus(user, old), await fileStatus(user, lost), await fileStatus(user, kept!)]).toEqual([
      404, 404, 200,
    ])
  })

  test('two concurrent updates with the same new photo both succeed and keep it once', async () => {
    const asset = await createAsset(alice)
    const id = await photo(alice)
    for (const reply of await race(2, () => updateAsset(alice, asset.id, { photos: [id] })))
      expect(idsOf(ok(reply).data)).toEqual([id])
  })

  test('members who may read assets see the photos of an organization, guests and others do not', async () => {
    const [owner, member, guest] = [await server.person(), await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, member, guest)
    await setRole(owner, org, guest, 'GUEST')
    const id = await photo(owner, org.id)
    const asset = await createAsset(owner, { orgId: org.id, photos: [id] })
    const seen: number[] = []
    for (const user of [owner, member, guest, mallory]) seen.push(await fileStatus(user, id))
    expect(seen).toEqual([200, 200, 404, 404])
    expect((await owner.delete(`/api/files/${id}`)).status).toBe(400)
    ok(await deleteAsset(owner, asset.id))
    expect(await fileStatus(member, id)).toBe(404)
  })
})
