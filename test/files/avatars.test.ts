/** Pictures of users and organizations, and their public addresses. */

import { beforeEach, describe, expect, test } from 'bun:test'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, getOrg } from '../orgs/helpers.ts'
import { jpeg, pathOf, uploaded } from './helpers.ts'
import { PIXEL, storeFile, usage } from './stored.ts'

const { server, admin, mallory } = useServer({ people: ['mallory'] })
let alice: Person
beforeEach(async () => {
  alice = await server.person()
})

let pictures = 0
/** An image with bytes of its own. */
const picture = (uploader: Person, more: object = {}) =>
  storeFile(server, uploader, {
    bytes: Buffer.concat([PIXEL, Buffer.from(`${++pictures}`)]),
    name: 'me.png',
    mime: 'image/png',
    type: 'avatar',
    thumbnail: `thumbnail ${pictures}`,
    ...more,
  })
const update = (person: Person, body: object) => person.call('profile.update', { body })
const avatarOf = async (person: Person) => ok(await person.call('profile.get')).data.avatarUrl
const statusOf = async (url: string | null) => (await server.request('GET', pathOf(url!))).status
const content = (person: Person, id: number) => person.get(`/api/files/${id}/content`)

test('a user uploads a picture, and everyone sees it re-encoded, whole and as a thumbnail', async () => {
  const file = await uploaded(alice, await jpeg(500), { type: 'avatar' }, '我的照片.jpg')
  const { avatarUrl } = ok(await update(alice, { avatarFileId: file.id })).data
  const whole = ok(await server.request('GET', pathOf(avatarUrl!)))
  expect([whole.headers.get('content-type'), whole.headers.get('etag')]).toEqual(['image/jpeg', `"${file.sha256}"`])
  expect(await new Bun.Image(whole.bytes).metadata()).toMatchObject({ width: 500, height: 500 })
  const small = ok(await server.request('GET', `${pathOf(avatarUrl!)}?variant=THUMBNAIL`))
  expect(small.headers.get('content-type')).toBe('image/webp')
  expect(await new Bun.Image(small.bytes).metadata()).toMatchObject({ width: 400, height: 400 })
  expect((await alice.call('files.delete', { params: { id: file.id } })).status).toBe(400)
  ok(await update(alice, { avatarFileId: null }))
  expect(await statusOf(avatarUrl)).toBe(404)
})

describe.if(inProcess)('avatars of users', () => {
  test('avatarFileId gives the user a public picture that needs no token', async () => {
    const file = await picture(alice)
    const { avatarUrl } = ok(await update(alice, { avatarFileId: file.id })).data
    expect(avatarUrl).toMatch(/^http:\/\/[^/]+\/public\/images\/[0-9A-Za-z]{22}$/)
    const reply = ok(await server.request('GET', pathOf(avatarUrl!)))
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-disposition': 'inline; filename="me.png"',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      etag: `"${file.sha256}"`,
    })
    const again = await server.request('GET', pathOf(avatarUrl!), { headers: { 'if-none-match': `"${file.sha256}"` } })
    expect(again.status).toBe(304)
    const small = ok(await server.request('GET', `${pathOf(avatarUrl!)}?variant=THUMBNAIL`))
    expect([small.text, small.headers.get('content-type')]).toEqual([`thumbnail ${pictures}`, 'image/webp'])
  })

  test('every view of a user shows the address of the picture', async () => {
    const org = await createOrg(alice)
    ok(await update(alice, { avatarFileId: (await picture(alice)).id }))
    const url = await avatarOf(alice)
    const { data } = ok(await alice.call('orgs.members', { params: { orgId: org.id } }))
    expect(data.items.map((member) => member.avatarUrl)).toEqual([url])
    const found = ok(await mallory.call('orgs.searchUsers', { query: { q: alice.username } })).data
    expect(found.items.map((user) => user.avatarUrl)).toEqual([url])
  })

  test('a stored picture is shown at the address that PUBLIC_URL has later', async () => {
    ok(await update(alice, { avatarFileId: (await picture(alice)).id }))
    const { config } = server.ctx
    const before = config.publicUrl
    try {
      Object.assign(config, { publicUrl: 'https://moved.example' })
      expect(await avatarOf(alice)).toStartWith('https://moved.example/public/images/')
    } finally {
      Object.assign(config, { publicUrl: before })
    }
  })

  test('a new picture has a new address, and the old one and its file are gone', async () => {
    const [first, second] = [await picture(alice), await picture(alice)]
    const old = ok(await update(alice, { avatarFileId: first.id })).data.avatarUrl
    const now = ok(await update(alice, { avatarFileId: second.id })).data.avatarUrl
    expect(now).not.toBe(old)
    expect([await statusOf(old), await statusOf(now)]).toEqual([404, 200])
    expect((await content(alice, first.id)).status).toBe(404)
    expect(await usage(server, { userId: alice.id, orgId: 0 })).toBe((await content(alice, second.id)).bytes.length)
  })

  test.each([
    ['avatarFileId null', { avatarFileId: null }, null],
    ['avatarUrl null', { avatarUrl: null }, null],
    ['an empty avatarUrl', { avatarUrl: '' }, null],
    ['another avatarUrl', { avatarUrl: 'https://example.com/a.png' }, 'https://example.com/a.png'],
    ['both', { avatarFileId: null, avatarUrl: 'https://example.com/b.png' }, 'https://example.com/b.png'],
  ])('%s replaces the picture and deletes its file', async (_, body, expected) => {
    const file = await picture(alice)
    const old = ok(await update(alice, { avatarFileId: file.id })).data.avatarUrl
    expect(ok(await update(alice, body)).data.avatarUrl).toBe(expected)
    expect([await statusOf(old), (await content(alice, file.id)).status]).toEqual([404, 404])
    expect(await usage(server, { userId: alice.id, orgId: 0 })).toBe(0)
  })

  test('sending back the address or the id of the present picture changes nothing', async () => {
    const file = await picture(alice)
    const { avatarUrl } = ok(await update(alice, { avatarFileId: file.id })).data
    for (const body of [
      { avatarUrl },
      { avatarFileId: file.id },
      { avatarFileId: file.id, avatarUrl },
      { signature: 'x' },
    ])
      expect(ok(await update(alice, body)).data.avatarUrl).toBe(avatarUrl)
    expect(await statusOf(avatarUrl)).toBe(200)
  })

  test('only an own unused file of type avatar is accepted; any other is 400 and changes nothing', async () => {
    const org = await createOrg(alice)
    ok(await update(alice, { avatarFileId: (await picture(alice)).id }))
    const before = await avatarOf(alice)
    const used = await picture(mallory)
    ok(await update(mallory, { avatarFileId: used.id }))
    const wrong = [
      (await picture(mallory)).id,
      used.id,
      (await picture(alice, { type: 'album' })).id,
      (await picture(alice, { type: 'org', orgId: org.id })).id,
      999_999,
    ]
    for (const avatarFileId of wrong) {
      const reply = await update(alice, { avatarFileId, nickname: 'changed' })
      expect([reply.status, reply.details[0]?.path]).toEqual([400, 'body.avatarFileId'])
    }
    expect(await avatarOf(alice)).toBe(before)
    expect(ok(await alice.call('profile.get')).data.nickname).not.toBe('changed')
    expect(await statusOf(before)).toBe(200)
  })

  test('the file of an avatar is shown by its id to its user alone', async () => {
    const file = await picture(alice)
    ok(await update(alice, { avatarFileId: file.id }))
    expect((await content(alice, file.id)).status).toBe(200)
    expect((await content(mallory, file.id)).status).toBe(404)
  })

  test('of 20 pictures that are set at once, one stays and the others are deleted', async () => {
    const files = await Promise.all(Array.from({ length: 20 }, () => picture(alice)))
    const replies = await race(20, (i) => update(alice, { avatarFileId: files[i]!.id }))
    expect(replies.map((reply) => reply.status)).toEqual(files.map(() => 200))
    const statuses = await Promise.all(files.map(async ({ id }) => (await content(alice, id)).status))
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 404)])
    expect(await statusOf(await avatarOf(alice))).toBe(200)
  })

  test('the picture of a deleted account is gone', async () => {
    ok(await update(alice, { avatarFileId: (await picture(alice)).id }))
    const url = await avatarOf(alice)
    ok(await alice.call('auth.deleteAccount'))
    expect(await statusOf(url)).toBe(404)
    expect(await usage(server, { userId: alice.id, orgId: 0 })).toBe(0)
  })
})

describe.if(inProcess)('public images', () => {
  test.each(['x', '5hYt0QmZr8KpWc2LxVbN3a', '%2e%2e%2ffiles', "' or 1=1"])(
    'GET /public/images/%s answers 404',
    async (key) => {
      expect((await server.request('GET', `/public/images/${key}`)).status).toBe(404)
    },
  )

  test('a file without a public key has no public address', async () => {
    const { id } = await picture(alice)
    for (const key of [String(id), 'null', ''])
      expect((await server.request('GET', `/public/images/${key}`)).status).toBe(404)
  })
})

describe.if(inProcess)('pictures of organizations', () => {
  const logo = (uploader: Person, orgId = 0) => picture(uploader, { type: 'org', orgId })

  test('POST /api/orgs takes a file of the user, which then counts for the organization', async () => {
    const file = await logo(alice)
    const size = await usage(server, { userId: alice.id, orgId: 0 })
    const org = await createOrg(alice, { avatarFileId: file.id })
    expect(await statusOf(org.avatarUrl)).toBe(200)
    expect(await usage(server, { userId: alice.id, orgId: 0 })).toBe(0)
    expect(await usage(server, { userId: alice.id, orgId: org.id })).toBe(size)
  })

  test('POST /api/orgs with a file that cannot be used answers 400 and creates nothing', async () => {
    const reply = await alice.call('orgs.create', { body: { name: 'x', avatarFileId: (await logo(mallory)).id } })
    expect([reply.status, reply.details[0]?.path]).toEqual([400, 'body.avatarFileId'])
    expect(ok(await alice.call('orgs.list')).data.total).toBe(0)
  })

  test('an administrator gives any organization a picture of their own upload, which then counts for the organization', async () => {
    const admins = () => usage(server, { userId: admin.id, orgId: 0 })
    const before = await admins()
    const [first, second] = [await logo(admin), await logo(admin)]
    const body = { name: 'Founded', ownerId: alice.id, avatarFileId: first.id }
    const org = ok(await admin.call('admin.orgs.create', { body })).data
    expect(await statusOf(org.avatarUrl)).toBe(200)
    const change = (avatarFileId: number) =>
      admin.call('admin.orgs.update', { params: { orgId: org.id }, body: { avatarFileId } })
    for (const refused of [await logo(mallory), await logo(alice), await logo(alice, org.id)])
      expect((await change(refused.id)).status).toBe(400)
    const { avatarUrl } = ok(await change(second.id)).data
    expect([await statusOf(org.avatarUrl), await statusOf(avatarUrl)]).toEqual([404, 200])
    // Repeating it changes nothing.
    expect(ok(await change(second.id)).data.avatarUrl).toBe(avatarUrl)
    expect(await admins()).toBe(before)
    ok(await admin.put(`/api/admin/orgs/${org.id}`, { avatarUrl: null }))
    expect((await getOrg(alice, org)).avatarUrl).toBeNull()
    expect(await statusOf(avatarUrl)).toBe(404)
  })

  test('PUT /api/orgs/:id takes a file of the organization and deletes the one before', async () => {
    const first = await logo(alice)
    const org = await createOrg(alice, { avatarFileId: first.id })
    const second = await logo(alice, org.id)
    const changed = await alice.call('orgs.update', { params: { id: org.id }, body: { avatarFileId: second.id } })
    const { avatarUrl } = ok(changed).data
    expect([await statusOf(org.avatarUrl), await statusOf(avatarUrl)]).toEqual([404, 200])
    expect((await content(alice, first.id)).status).toBe(404)
    const personal = await logo(alice)
    const refused = await alice.call('orgs.update', { params: { id: org.id }, body: { avatarFileId: personal.id } })
    expect(refused.status).toBe(400)
    ok(await alice.call('orgs.update', { params: { id: org.id }, body: { avatarFileId: null } }))
    expect((await getOrg(alice, org)).avatarUrl).toBeNull()
    expect(await statusOf(avatarUrl)).toBe(404)
    expect(await usage(server, { userId: alice.id, orgId: org.id })).toBe(0)
  })

  test('the file is shown by its id to members alone', async () => {
    const file = await logo(alice)
    const org = await createOrg(alice, { avatarFileId: file.id, visibility: 'INTERNAL' })
    const member = await server.person()
    expect((await content(member, file.id)).status).toBe(404)
    await addMembers(alice, org, member)
    expect((await content(member, file.id)).status).toBe(200)
    expect((await content(mallory, file.id)).status).toBe(404)
  })

  test('invitations and join requests show the address of the picture', async () => {
    const org = await createOrg(alice, { avatarFileId: (await logo(alice)).id })
    const guest = await server.person()
    ok(await guest.call('orgs.apply', { params: { id: org.id }, body: {} }))
    const requests = ok(await guest.call('orgs.myRequests')).data
    expect(requests.items.map((request) => request.orgAvatarUrl)).toEqual([org.avatarUrl])
    const discovered = ok(await guest.call('orgs.discover', { query: { keyword: org.name } })).data
    expect(discovered.items.map((found) => found.avatarUrl)).toContain(org.avatarUrl)
  })

  test('a picture does not keep an organization from being dissolved, and is gone afterwards', async () => {
    const file = await logo(alice)
    const org = await createOrg(alice, { avatarFileId: file.id })
    ok(await alice.call('orgs.dissolve', { params: { id: org.id } }))
    expect([await statusOf(org.avatarUrl), (await content(alice, file.id)).status]).toEqual([404, 404])
    expect(await usage(server, { userId: alice.id, orgId: org.id })).toBe(0)
  })
})
