import { beforeAll, describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'
import type { ShareView } from '#domains/shares/shares.model.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { addMembers, createOrg, type Org, setRole } from './helpers.ts'

/** `outsider` owns another organization. */
const { server, owner, admin, member, guest, stranger, outsider } = useServer({
  people: ['owner', 'admin', 'member', 'guest', 'stranger', 'outsider'],
  noAdmin: true,
})
let org: Org
let other: Org

beforeAll(async () => {
  org = await createOrg(owner)
  other = await createOrg(outsider)
  await addMembers(owner, org, admin, member, guest)
  await setRole(owner, org, admin, 'ADMIN')
  await setRole(owner, org, guest, 'GUEST')
})

const at = (where: { id: number }, rest = '') => `/api/orgs/${where.id}/shares${rest}`
const tryShare = (user: Person, where: { id: number }, sourceId: number) =>
  user.call('shares.create', { params: { orgId: where.id }, body: { entityType: 'QR_CODE', sourceId } })
const share = async (user: Person, where: { id: number }, sourceId: number): Promise<ShareView> =>
  ok(await tryShare(user, where, sourceId)).data
const listShares = async (user: Person, where: { id: number }): Promise<ShareView[]> =>
  ok(await user.call('shares.list', { params: { orgId: where.id }, query: { size: 100 } })).data.items
const listCopies = async (user: Person, where: { id: number }) =>
  ok(await user.call('qrCodes.list', { query: { orgId: where.id, size: 100 } })).data.items

describe('copies', () => {
  test('a shared copy is an independent code of the organization', async () => {
    const where = await createOrg(owner)
    await addMembers(owner, where, member)
    const categoryId = await createCategory(member, 'my own folder')
    const source = await createCode(member, {
      name: 'Menu',
      content: 'https://example.com/menu',
      tags: ['a', 'b'],
      remark: 'for all',
      style: { fg: '112233', level: 'H' },
      isPublic: true,
      categoryId,
    })
    ok(await member.patch(`/api/qr-codes/${source.id}/pin`, { pinned: true }))
    const made = await share(member, where, source.id)
    expect(made).toMatchObject({ entityType: 'QR_CODE', sourceId: source.id, orgId: where.id, name: 'Menu' })
    expect(made.copyId).not.toBe(source.id)

    const copies = await listCopies(owner, where)
    expect(copies).toHaveLength(1)
    const copy = copies[0]!
    expect(copy).toMatchObject({
      id: made.copyId,
      name: 'Menu',
      content: 'https://example.com/menu',
      contentType: 'URL',
      tags: ['a', 'b'],
      remark: 'for all',
      style: { fg: '112233', bg: 'ffffff', level: 'H', margin: 4 },
      orgId: where.id,
      categoryId: null,
      isPublic: false,
      pinned: false,
      scanCount: 0,
      version: 1,
    })
    expect(copy.uuid).not.toBe(source.uuid)
    expect((await server.request('GET', `/api/qr-codes/public/${copy.uuid}`)).status).toBe(404)

    // Neither follows the other, and the sharer's own list has only the source.
    ok(await member.put(`/api/qr-codes/${source.id}`, { name: 'New menu' }))
    ok(
      await owner.send('PUT', `/api/qr-codes/${copy.id}`, {
        query: { orgId: where.id },
        body: { remark: 'changed here' },
      }),
    )
    expect((await listCopies(owner, where))[0]).toMatchObject({ name: 'Menu', remark: 'changed here' })
    expect(ok(await member.get(`/api/qr-codes/${source.id}`)).data).toMatchObject({
      name: 'New menu',
      remark: 'for all',
      categoryId,
    })
    expect(ok(await member.get('/api/qr-codes')).data.total).toBe(1)
    expect(ok(await member.get(`/api/qr-codes/${copy.id}`)).data.orgId).toBe(where.id)
    ok(await member.delete(`/api/qr-codes/${source.id}`))
    ok(await member.delete('/api/qr-codes/trash'))
    expect(await listShares(owner, where)).toMatchObject([
      { id: made.id, sourceId: source.id, copyId: copy.id, name: 'Menu' },
    ])
  })

  test('a shared copy stays when the user who shared it leaves and deletes their account', async () => {
    const where = await createOrg(owner)
    const leaver = await server.person()
    await addMembers(owner, where, leaver)
    const made = await share(leaver, where, (await createCode(leaver)).id)
    ok(await leaver.post(`/api/orgs/${where.id}/leave`))
    ok(await leaver.post('/api/auth/account/delete'))
    expect((await listCopies(owner, where)).map((copy: { id: number }) => copy.id)).toEqual([made.copyId])
    expect(await listShares(owner, where)).toHaveLength(1)
  })

  test('GET /orgs/:orgId/shares lists shares in pages, latest first', async () => {
    const where = await createOrg(owner)
    const ids: number[] = []
    for (let i = 0; i < 5; i++) ids.unshift((await share(owner, where, (await createCode(owner)).id)).id)
    const page = async (n: number) => ok(await owner.get(at(where), { page: n, size: 2 })).data
    const pages = [await page(1), await page(2), await page(3)]
    expect(pages.map((p) => p.total)).toEqual([5, 5, 5])
    expect(pages.flatMap((p) => p.items.map((s: ShareView) => s.id))).toEqual(ids)
    expect(pages[0].items[0].sharedBy).toMatchObject({ userId: owner.id })
    expect(ok(await owner.get(at(where), { entityType: 'ALBUM_PHOTO' })).data.total).toBe(0)
    expect((await owner.get(at(where), { entityType: 'ASSET' })).status).toBe(400)
  })
})

describe('sharing again', () => {
  test('a code that is shared again with an organization gets no second copy, and the copy keeps its changes', async () => {
    const where = await createOrg(owner)
    await addMembers(owner, where, member)
    const source = await createCode(member)
    const made = await share(member, where, source.id)
    const params = { id: made.copyId }
    ok(await owner.call('qrCodes.update', { params, body: { name: 'renamed here' } }))
    expect(await share(member, where, source.id)).toEqual({ ...made, name: 'renamed here' })
    expect(await listCopies(owner, where)).toHaveLength(1)
    // Another organization gets a copy of its own.
    const elsewhere = await share(owner, where, (await createCode(owner)).id)
    expect(elsewhere.copyId).not.toBe(made.copyId)
    const second = await createOrg(member)
    expect((await share(member, second, source.id)).copyId).not.toBe(made.copyId)
    // A copy in the trash or deleted with its share does not stand in the way of a new one.
    ok(await owner.call('qrCodes.delete', { params }))
    const again = await share(member, where, source.id)
    expect(again.copyId).not.toBe(made.copyId)
    ok(await owner.delete(at(where, `/${again.id}`)))
    expect((await share(member, where, source.id)).copyId).not.toBe(again.copyId)
  })

  test('50 concurrent requests to share a code with an organization make one copy', async () => {
    const where = await createOrg(owner)
    const source = await createCode(owner)
    const shares = await race(50, () => share(owner, where, source.id))
    expect(new Set(shares.map((made) => made.copyId)).size).toBe(1)
    expect(await listCopies(owner, where)).toHaveLength(1)
    expect(await listShares(owner, where)).toHaveLength(1)
  })
})

describe('sharing', () => {
  test('POST /orgs/:orgId/shares answers 404 to codes of other users, copies and deleted codes, and reveals nothing about them', async () => {
    const foreign = await createCode(stranger, { name: 'very private' })
    const trashed = await createCode(member)
    ok(await member.delete(`/api/qr-codes/${trashed.id}`))
    const copy = (await share(admin, org, (await createCode(admin)).id)).copyId
    const before = (await listShares(owner, org)).length
    for (const sourceId of [foreign.id, trashed.id, copy, 999_999_999]) {
      const reply = await tryShare(member, org, sourceId)
      expect(reply.status).toBe(404)
      expect(reply.text).not.toContain('very private')
    }
    expect(await listShares(owner, org)).toHaveLength(before)
    expect(await listCopies(owner, org)).toHaveLength(before)
  })

  test('POST /orgs/:orgId/shares answers 400 to invalid bodies', async () => {
    const { id } = await createCode(member)
    for (const body of [
      { entityType: 'ASSET', sourceId: id },
      { entityType: 'QR_CODE' },
      { sourceId: id },
      { entityType: 'QR_CODE', sourceId: 'all' },
    ])
      expect((await member.post(at(org), body)).status, JSON.stringify(body)).toBe(400)
  })

  test.if(inProcess)(
    'POST /orgs/:orgId/shares does not exceed the quota of the organization with concurrent requests of several members',
    async () => {
      const where = await createOrg(owner)
      await addMembers(owner, where, member)
      const sources = await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const user = i % 2 ? member : owner
          return { user, id: (await createCode(user)).id }
        }),
      )
      const [extra, tooMany] = [await createCode(member), await createCode(member)]
      await server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.qrCodes', 4))
      try {
        const replies = await race(50, (i) => tryShare(sources[i]!.user, where, sources[i]!.id))
        expect(replies.filter((r) => r.status === 200)).toHaveLength(4)
        expect(replies.filter((r) => r.status === 429 && r.code === 4022)).toHaveLength(46)
        expect(await listCopies(owner, where)).toHaveLength(4)
        expect(await listShares(owner, where)).toHaveLength(4)
        // There is room for one more.
        ok(await owner.delete(at(where, `/${replies.find((r) => r.status === 200)!.data.id}`)))
        ok(await tryShare(member, where, extra.id))
        expect((await tryShare(member, where, tooMany.id)).status).toBe(429)
        // Sharing again makes no copy, so the quota does not matter.
        ok(await tryShare(member, where, extra.id))
      } finally {
        await server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.qrCodes', 0))
      }
    },
  )
})

describe('deleting', () => {
  test('DELETE /orgs/:orgId/shares/:shareId deletes the copy permanently and keeps the original', async () => {
    const where = await createOrg(owner)
    const source = await createCode(owner)
    const [one, two] = [await share(owner, where, source.id), await share(owner, where, (await createCode(owner)).id)]
    ok(await owner.delete(at(where, `/${one.id}`)))
    expect((await listShares(owner, where)).map((s) => s.id)).toEqual([two.id])
    expect((await listCopies(owner, where)).map((copy: { id: number }) => copy.id)).toEqual([two.copyId])
    expect(ok(await owner.get('/api/qr-codes/trash', { orgId: where.id })).data.total).toBe(0)
    expect(ok(await owner.get(`/api/qr-codes/${source.id}`)).data.uuid).toBe(source.uuid)
    expect((await owner.delete(at(where, `/${one.id}`))).status).toBe(404)
  })

  test('DELETE /orgs/:orgId/shares/:shareId succeeds for exactly one of ten concurrent requests', async () => {
    const where = await createOrg(owner)
    const made = await share(owner, where, (await createCode(owner)).id)
    const replies = await race(10, () => owner.delete(at(where, `/${made.id}`)))
    expect(replies.map((r) => r.status).toSorted()).toEqual([200, ...Array(9).fill(404)])
    expect(await listCopies(owner, where)).toEqual([])
  })

  test('DELETE /orgs/:orgId/shares/:shareId works while the copy is in the trash; a share is deleted with a purged copy', async () => {
    const where = await createOrg(owner)
    const [one, two] = [
      await share(owner, where, (await createCode(owner)).id),
      await share(owner, where, (await createCode(owner)).id),
    ]
    for (const { copyId } of [one, two])
      ok(await owner.send('DELETE', `/api/qr-codes/${copyId}`, { query: { orgId: where.id } }))
    expect(await listShares(owner, where)).toEqual([])
    ok(await owner.delete(at(where, `/${one.id}`)))
    expect(
      ok(await owner.get('/api/qr-codes/trash', { orgId: where.id })).data.items.map((c: { id: number }) => c.id),
    ).toEqual([two.copyId])
    ok(await owner.send('PATCH', `/api/qr-codes/trash/restore/${two.copyId}`, { query: { orgId: where.id } }))
    expect((await listShares(owner, where)).map((s) => s.id)).toEqual([two.id])
    ok(await owner.send('DELETE', `/api/qr-codes/${two.copyId}`, { query: { orgId: where.id } }))
    ok(await owner.send('DELETE', '/api/qr-codes/trash', { query: { orgId: where.id } }))
    expect((await owner.delete(at(where, `/${two.id}`))).status).toBe(404)
  })
})

describe('dissolving', () => {
  test('an organization with shares cannot be dissolved while it has copies outside the trash', async () => {
    const where = await createOrg(owner)
    const [kept, trashed] = [
      await share(owner, where, (await createCode(owner)).id),
      await share(owner, where, (await createCode(owner)).id),
    ]
    ok(await owner.send('DELETE', `/api/qr-codes/${trashed.copyId}`, { query: { orgId: where.id } }))
    const refused = await owner.delete(`/api/orgs/${where.id}?force=true`)
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('QR codes (1)')
    expect(await listShares(owner, where)).toHaveLength(1)
    ok(await owner.delete(at(where, `/${kept.id}`)))
    ok(await owner.delete(`/api/orgs/${where.id}`))
    expect((await owner.get(at(where))).status).toBe(403)
  })

  test('an organization with shares is either dissolved or gets the copies, if members share while it is being dissolved', async () => {
    for (let round = 0; round < 3; round++) {
      const where = await createOrg(owner)
      const sources = await race(11, () => createCode(owner))
      const [end, ...replies] = await race(11, (i) =>
        i === 0 ? owner.delete(`/api/orgs/${where.id}`) : tryShare(owner, where, sources[i]!.id),
      )
      const made = replies.filter((r) => r.status === 200).length
      expect([200, 400]).toContain(end!.status)
      for (const reply of replies) expect([200, 403, 404]).toContain(reply.status)
      if (end!.status === 200) expect(made).toBe(0)
      else expect(await listCopies(owner, where)).toHaveLength(made)
    }
  })
})

test('an organization that is dissolved while codes are created in it leaves no codes behind', async () => {
  for (let round = 0; round < 5; round++) {
    const where = await createOrg(owner)
    const [end, ...replies] = await race(11, (i) =>
      i === 0
        ? owner.delete(`/api/orgs/${where.id}`)
        : owner.post('/api/qr-codes', { name: 'late', content: 'late', orgId: where.id }),
    )
    const made = replies.filter((r) => r.status === 200).length
    for (const reply of replies) expect([200, 403, 404]).toContain(reply.status)
    if (end!.status === 200) expect(made).toBe(0)
    else expect([end!.status, (await listCopies(owner, where)).length]).toEqual([400, made])
  }
})

describe('permissions', () => {
  test('permissions of shares follow from the permission points of the ORG roles', async () => {
    const made = await share(owner, org, (await createCode(owner, { name: 'guarded copy' })).id)
    const may = async (who: Person) => {
      const own = await createCode(who)
      const replies = [
        await who.get(at(org)),
        await tryShare(who, org, own.id),
        await who.get('/api/qr-codes', { orgId: org.id }),
        await who.send('DELETE', `/api/qr-codes/${made.copyId}`, { query: { orgId: org.id } }),
        await who.delete(at(org, `/${made.id}`)),
      ]
      if (replies[0]!.status === 403) expect(replies[1]!.text + replies[0]!.text).not.toContain('guarded copy')
      return replies.map((reply) => reply.status)
    }
    expect(await may(stranger)).toEqual([403, 403, 403, 403, 403])
    expect(await may(outsider)).toEqual([403, 403, 403, 403, 403])
    expect(await may(guest)).toEqual([403, 403, 200, 403, 403])
    expect(await may(member)).toEqual([200, 200, 200, 403, 403])
    expect((await listShares(owner, org)).map((s) => s.id)).toContain(made.id)
    expect(await may(admin)).toEqual([200, 200, 200, 200, 200])
  })

  test('permissions of shares are denied with 401 without a token', async () => {
    expect((await server.request('GET', at(org))).status).toBe(401)
    expect((await server.request('POST', at(org), { body: {} })).status).toBe(401)
    expect((await server.request('DELETE', at(org, '/1'))).status).toBe(401)
  })

  test('permissions of shares do not let the owner of another organization reach shares through that organization', async () => {
    const made = await share(owner, org, (await createCode(owner, { name: 'ours alone' })).id)
    expect((await outsider.delete(at(other, `/${made.id}`))).status).toBe(404)
    expect((await outsider.get(`/api/qr-codes/${made.copyId}`, { orgId: other.id })).status).toBe(404)
    expect(await listShares(outsider, other)).toEqual([])
    expect(await listCopies(outsider, other)).toEqual([])
    expect((await listShares(owner, org)).map((s) => s.id)).toContain(made.id)
  })
})
