import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, type Person, race, startServer, type TestServer } from '../harness/index.ts'
import { makeCategory, makeCode } from '../qr-codes/helpers.ts'
import { addMembers as enrol, createOrg as found, ok, type Org, setRole as promote } from './helpers.ts'

let server: TestServer
let owner: Person
let admin: Person
let member: Person
let guest: Person
let stranger: Person
/** Admin of another organization. */
let outsider: Person
let org: Org
let other: Org

beforeAll(async () => {
  server = await startServer()
  ;[owner, admin, member] = [await server.person(), await server.person(), await server.person()]
  ;[guest, stranger, outsider] = [await server.person(), await server.person(), await server.person()]
  org = await found(owner)
  other = await found(outsider)
  await enrol(owner, org, admin, member, guest)
  await promote(owner, org, admin, 'ADMIN')
  await promote(owner, org, guest, 'GUEST')
})
afterAll(() => server.stop())

interface Share {
  id: number
  orgId: number
  entityType: string
  sourceId: number
  copyId: number
  name: string
}

const at = (where: { id: number }, rest = '') => `/api/orgs/${where.id}/shares${rest}`
const shareIt = (who: Person, where: { id: number }, sourceId: number, entityType = 'QR_CODE') =>
  who.post(at(where), { entityType, sourceId })
const share = async (who: Person, where: { id: number }, sourceId: number): Promise<Share> =>
  ok(await shareIt(who, where, sourceId)).data
const shares = async (who: Person, where: { id: number }): Promise<Share[]> =>
  ok(await who.get(at(where), { size: 100 })).data.items
const copies = async (who: Person, where: { id: number }) =>
  ok(await who.get('/api/qr-codes', { orgId: where.id, size: 100 })).data.items

describe('a shared copy', () => {
  test('is an independent code of the organization', async () => {
    const where = await found(owner)
    await enrol(owner, where, member)
    const categoryId = await makeCategory(member, 'my own folder')
    const source = await makeCode(member, {
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

    const [copy, ...more] = await copies(owner, where)
    expect(more).toEqual([])
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
    expect((await copies(owner, where))[0]).toMatchObject({ name: 'Menu', remark: 'changed here' })
    expect(ok(await member.get(`/api/qr-codes/${source.id}`)).data).toMatchObject({
      name: 'New menu',
      remark: 'for all',
      categoryId,
    })
    expect(ok(await member.get('/api/qr-codes')).data.total).toBe(1)
    expect((await member.get(`/api/qr-codes/${copy.id}`)).status).toBe(404)
    ok(await member.delete(`/api/qr-codes/${source.id}`))
    ok(await member.delete('/api/qr-codes/trash'))
    expect(await shares(owner, where)).toMatchObject([
      { id: made.id, sourceId: source.id, copyId: copy.id, name: 'Menu' },
    ])
  })

  test('stays when the person who shared it goes', async () => {
    const where = await found(owner)
    const goer = await server.person()
    await enrol(owner, where, goer)
    const made = await share(goer, where, (await makeCode(goer)).id)
    ok(await goer.post(`/api/orgs/${where.id}/leave`))
    ok(await goer.post('/api/auth/account/delete'))
    expect((await copies(owner, where)).map((copy: { id: number }) => copy.id)).toEqual([made.copyId])
    expect(await shares(owner, where)).toHaveLength(1)
  })

  test('is listed, the latest first, in pages', async () => {
    const where = await found(owner)
    const ids: number[] = []
    for (let i = 0; i < 5; i++) ids.unshift((await share(owner, where, (await makeCode(owner)).id)).id)
    const page = async (n: number) => ok(await owner.get(at(where), { page: n, size: 2 })).data
    const pages = [await page(1), await page(2), await page(3)]
    expect(pages.map((p) => p.total)).toEqual([5, 5, 5])
    expect(pages.flatMap((p) => p.items.map((s: Share) => s.id))).toEqual(ids)
    expect(pages[0].items[0].sharedBy).toMatchObject({ userId: owner.id })
    expect(ok(await owner.get(at(where), { entityType: 'ALBUM_PHOTO' })).data.total).toBe(0)
    expect((await owner.get(at(where), { entityType: 'ASSET' })).status).toBe(400)
  })
})

describe('sharing', () => {
  test('takes one’s own codes only, and says nothing of others', async () => {
    const foreign = await makeCode(stranger, { name: 'very private' })
    const trashed = await makeCode(member)
    ok(await member.delete(`/api/qr-codes/${trashed.id}`))
    const copy = (await share(admin, org, (await makeCode(admin)).id)).copyId
    const before = (await shares(owner, org)).length
    for (const sourceId of [foreign.id, trashed.id, copy, 999_999_999]) {
      const reply = await shareIt(member, org, sourceId)
      expect(reply.status).toBe(404)
      expect(reply.text).not.toContain('very private')
    }
    expect(await shares(owner, org)).toHaveLength(before)
    expect(await copies(owner, org)).toHaveLength(before)
  })

  test('of album photos and of nonsense is refused', async () => {
    const { id } = await makeCode(member)
    for (const body of [
      { entityType: 'ALBUM_PHOTO', sourceId: id },
      { entityType: 'ASSET', sourceId: id },
      { entityType: 'QR_CODE' },
      { sourceId: id },
      { entityType: 'QR_CODE', sourceId: 'all' },
    ])
      expect((await member.post(at(org), body)).status, JSON.stringify(body)).toBe(400)
  })

  test.if(inProcess)('keeps to the quota of the organization, whoever shares and however many at once', async () => {
    const where = await found(owner)
    await enrol(owner, where, member)
    const mine = await makeCode(member)
    const theirs = await makeCode(owner)
    await server.ctx.db.write('test', (tx) => setSetting(server.ctx, tx, 'quota.qrCodes', 4))
    try {
      const replies = await race(50, (i) =>
        i % 2 ? shareIt(member, where, mine.id) : shareIt(owner, where, theirs.id),
      )
      expect(replies.filter((r) => r.status === 200)).toHaveLength(4)
      expect(replies.filter((r) => r.status === 429 && r.code === 4022)).toHaveLength(46)
      expect(await copies(owner, where)).toHaveLength(4)
      expect(await shares(owner, where)).toHaveLength(4)
      // Room again, for one.
      ok(await owner.delete(at(where, `/${replies.find((r) => r.status === 200)!.data.id}`)))
      ok(await shareIt(member, where, mine.id))
      expect((await shareIt(member, where, mine.id)).status).toBe(429)
    } finally {
      await server.ctx.db.write('test', (tx) => setSetting(server.ctx, tx, 'quota.qrCodes', 0))
    }
  })
})

describe('deleting a share', () => {
  test('removes the copy for good, and leaves the original', async () => {
    const where = await found(owner)
    const source = await makeCode(owner)
    const [one, two] = [await share(owner, where, source.id), await share(owner, where, source.id)]
    ok(await owner.delete(at(where, `/${one.id}`)))
    expect((await shares(owner, where)).map((s) => s.id)).toEqual([two.id])
    expect((await copies(owner, where)).map((copy: { id: number }) => copy.id)).toEqual([two.copyId])
    expect(ok(await owner.get('/api/qr-codes/trash', { orgId: where.id })).data.total).toBe(0)
    expect(ok(await owner.get(`/api/qr-codes/${source.id}`)).data.uuid).toBe(source.uuid)
    expect((await owner.delete(at(where, `/${one.id}`))).status).toBe(404)
  })

  test('ten at once: one does', async () => {
    const where = await found(owner)
    const made = await share(owner, where, (await makeCode(owner)).id)
    const replies = await race(10, () => owner.delete(at(where, `/${made.id}`)))
    expect(replies.map((r) => r.status).toSorted()).toEqual([200, ...Array(9).fill(404)])
    expect(await copies(owner, where)).toEqual([])
  })

  test('also while the copy lies in the trash; a purged copy takes its share along', async () => {
    const where = await found(owner)
    const [one, two] = [
      await share(owner, where, (await makeCode(owner)).id),
      await share(owner, where, (await makeCode(owner)).id),
    ]
    for (const { copyId } of [one, two])
      ok(await owner.send('DELETE', `/api/qr-codes/${copyId}`, { query: { orgId: where.id } }))
    expect(await shares(owner, where)).toEqual([])
    ok(await owner.delete(at(where, `/${one.id}`)))
    expect(
      ok(await owner.get('/api/qr-codes/trash', { orgId: where.id })).data.items.map((c: { id: number }) => c.id),
    ).toEqual([two.copyId])
    ok(await owner.send('PATCH', `/api/qr-codes/trash/restore/${two.copyId}`, { query: { orgId: where.id } }))
    expect((await shares(owner, where)).map((s) => s.id)).toEqual([two.id])
    ok(await owner.send('DELETE', `/api/qr-codes/${two.copyId}`, { query: { orgId: where.id } }))
    ok(await owner.send('DELETE', '/api/qr-codes/trash', { query: { orgId: where.id } }))
    expect((await owner.delete(at(where, `/${two.id}`))).status).toBe(404)
  })
})

describe('an organization', () => {
  test('is not dissolved while it has copies, and then goes with what is left of them', async () => {
    const where = await found(owner)
    const [kept, trashed] = [
      await share(owner, where, (await makeCode(owner)).id),
      await share(owner, where, (await makeCode(owner)).id),
    ]
    ok(await owner.send('DELETE', `/api/qr-codes/${trashed.copyId}`, { query: { orgId: where.id } }))
    const refused = await owner.delete(`/api/orgs/${where.id}?force=true`)
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('QR codes (1)')
    expect(await shares(owner, where)).toHaveLength(1)
    ok(await owner.delete(at(where, `/${kept.id}`)))
    ok(await owner.delete(`/api/orgs/${where.id}`))
    expect((await owner.get(at(where))).status).toBe(403)
  })

  test('dissolved while ten share with it: nothing is left of it, or all of it stays', async () => {
    for (let round = 0; round < 3; round++) {
      const where = await found(owner)
      const source = await makeCode(owner)
      const [end, ...replies] = await race(11, (i) =>
        i === 0 ? owner.delete(`/api/orgs/${where.id}`) : shareIt(owner, where, source.id),
      )
      const made = replies.filter((r) => r.status === 200).length
      expect([200, 400]).toContain(end!.status)
      for (const reply of replies) expect([200, 403, 404]).toContain(reply.status)
      if (end!.status === 200) expect(made).toBe(0)
      else expect(await copies(owner, where)).toHaveLength(made)
    }
  })
})

test('an organization dissolved while ten make codes in it leaves none behind', async () => {
  for (let round = 0; round < 5; round++) {
    const where = await found(owner)
    const [end, ...replies] = await race(11, (i) =>
      i === 0
        ? owner.delete(`/api/orgs/${where.id}`)
        : owner.post('/api/qr-codes', { name: 'late', content: 'late', orgId: where.id }),
    )
    const made = replies.filter((r) => r.status === 200).length
    for (const reply of replies) expect([200, 403, 404]).toContain(reply.status)
    if (end!.status === 200) expect(made).toBe(0)
    else expect([end!.status, (await copies(owner, where)).length]).toEqual([400, made])
  }
})

describe('who may', () => {
  test('the ORG roles, by their points', async () => {
    const made = await share(owner, org, (await makeCode(owner, { name: 'guarded copy' })).id)
    const may = async (who: Person) => {
      const own = await makeCode(who)
      const replies = [
        await who.get(at(org)),
        await shareIt(who, org, own.id),
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
    expect((await shares(owner, org)).map((s) => s.id)).toContain(made.id)
    expect(await may(admin)).toEqual([200, 200, 200, 200, 200])
  })

  test('nobody without a token', async () => {
    expect((await server.request('GET', at(org))).status).toBe(401)
    expect((await server.request('POST', at(org), { body: {} })).status).toBe(401)
    expect((await server.request('DELETE', at(org, '/1'))).status).toBe(401)
  })

  test('another organization’s admin reaches none through their own', async () => {
    const made = await share(owner, org, (await makeCode(owner, { name: 'ours alone' })).id)
    expect((await outsider.delete(at(other, `/${made.id}`))).status).toBe(404)
    expect((await outsider.get(`/api/qr-codes/${made.copyId}`, { orgId: other.id })).status).toBe(404)
    expect(await shares(outsider, other)).toEqual([])
    expect(await copies(outsider, other)).toEqual([])
    expect((await shares(owner, org)).map((s) => s.id)).toContain(made.id)
  })
})
