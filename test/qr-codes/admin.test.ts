/** Codes and scan records of all users, as administrators list and delete them. */

import { describe, expect, test } from 'bun:test'

import { count, eq, inArray } from 'drizzle-orm'

import { categoryCleanUps, qrCodes, scanPurgedCodes, scanRecords } from '#db/schema/qr-codes.ts'
import { SLICE_ROWS } from '#db/slices.ts'
import { emptyCategoriesJob } from '#domains/qr-codes/codes/codes.service.ts'
import { insertCode } from '#domains/qr-codes/codes/codes.store.ts'
import { clearPurgedJob } from '#domains/qr-codes/scans/scans.service.ts'
import { DAY } from '#platform/clock.ts'

import { addPhoto, getPhoto } from '../album/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { type Code, createCategory, createCode } from './helpers.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'], settings: { 'quota.qrCodes': 600 } })

type Query = Record<string, string | number | boolean>
const codes = async (query: Query = {}) => ok(await admin.get('/api/admin/qr-codes', { size: 100, ...query })).data
const scans = async (query: Query = {}) => ok(await admin.get('/api/admin/scan-records', { size: 100, ...query })).data
const idsOf = (page: { items: readonly { id: number }[] }) => page.items.map((row) => row.id)
const remove = (id: number) => admin.delete(`/api/admin/qr-codes/${id}`)
const scan = async (person: Person, content: string, fields: object = {}) =>
  ok(await person.call('scanRecords.create', { body: { content, ...fields } })).data

describe('GET /api/admin/qr-codes', () => {
  test('shows the codes of all owners, newest first, with owner and organization', async () => {
    const org = await createOrg(alice, { name: 'Library' })
    const own = await createCode(alice)
    const others = await createCode(bob)
    const ofOrg = await createCode(alice, { orgId: org.id } as object)
    const page = await codes()
    expect(idsOf(page).slice(0, 3)).toEqual([ofOrg.id, others.id, own.id])
    expect(page.items[0]).toEqual({
      ...ofOrg,
      deletedAt: null,
      owner: { userId: alice.id, username: 'alice', nickname: expect.any(String) },
      orgName: 'Library',
    })
    expect(page.items[1]).toMatchObject({ owner: { username: 'bob' }, orgId: null, orgName: null })
    expect(idsOf(await codes({ sort: 'createdAt' })).slice(-3)).toEqual([own.id, others.id, ofOrg.id])
    expect(idsOf(await codes({ size: 2, page: 2 }))[0]).toBe(own.id)
  })

  test('takes filters by owner, type, category, publication, time and keyword', async () => {
    const [user, org] = [await server.person(), await createOrg(bob)]
    const parent = await createCategory(user, 'A')
    const child = await createCategory(user, 'B', parent)
    const inChild = await createCode(user, { categoryId: child, content: 'https://example.com', isPublic: true })
    const plain = await createCode(user, { remark: 'needle-17', content: 'text', isDynamic: true, isPublic: false })
    const ofOrg = await createCode(bob, { orgId: org.id, tags: ['needle-18'] } as object)
    const userId = user.id
    const both = [plain.id, inChild.id]
    for (const [query, wanted] of [
      [{ userId }, both],
      [{ userId, from: plain.createdAt }, [plain.id]],
      [{ userId, to: plain.createdAt }, [inChild.id]],
      [{ categoryId: parent }, [inChild.id]],
      [{ categoryId: parent, keyword: 'CODE' }, [inChild.id]],
      [{ userId, categoryId: 0 }, [plain.id]],
      [{ userId, contentType: 'URL' }, [inChild.id]],
      [{ userId, isPublic: true }, [inChild.id]],
      [{ userId, isPublic: false }, [plain.id]],
      [{ userId, sort: 'createdAt', keyword: 'code' }, both.toReversed()],
      [{ keyword: 'NEEDLE-17' }, [plain.id]],
      [{ keyword: 'needle-18', orgId: org.id }, [ofOrg.id]],
      [{ orgId: org.id }, [ofOrg.id]],
      [{ userId, isDynamic: true }, [plain.id]],
      [{ userId, isDynamic: false }, [inChild.id]],
      [{ userId: 999_999 }, []],
      [{ categoryId: 999_999 }, []],
      [{ userId: bob.id, categoryId: parent }, []],
      [{ userId, deleted: true }, []],
    ] as const) {
      const page = await codes(query as unknown as Query)
      expect({ ids: idsOf(page), total: page.total }, JSON.stringify(query)).toEqual({
        ids: [...wanted],
        total: wanted.length,
      })
    }
    for (const query of [
      { contentType: 'GONE' },
      { sort: 'name' },
      { from: 'x' },
      { deleted: 'maybe' },
      { size: 101 },
      { blocked: 'perhaps' },
      { host: 'two words' },
      { host: '*.example.com' },
    ])
      expect((await admin.get('/api/admin/qr-codes', query as never)).status, JSON.stringify(query)).toBe(400)
  })

  test('finds the codes that lead to a host or a sub-domain of it, however the address is written', async () => {
    const user = await server.person()
    const found = [
      'https://evil.example',
      'http://EVIL.example:8080?x',
      ' https://shop.evil.example/path#top',
      'https://user:word@evil.example/',
      'https://other.example@evil.example',
    ]
    const others = [
      'https://notevil.example/',
      'https://evil.example.org/',
      'https://other.example/evil.example',
      'https://other.example/?to=https://evil.example/',
      'https://other.example#@evil.example',
      'https://other.example\\@evil.example',
      'mailto:me@evil.example',
      'evil.example',
    ]
    for (const content of [...found, ...others]) await createCode(user, { content })
    const contents = async (host: string) =>
      (await codes({ userId: user.id, host })).items.map((row: Code) => row.content)
    expect((await contents('Evil.Example')).toSorted()).toEqual(found.toSorted())
    expect(await contents('shop.evil.example')).toEqual([' https://shop.evil.example/path#top'])
    await createCode(user, { content: 'https://büro.example/x' })
    for (const host of ['büro.example', 'xn--bro-hoa.example'])
      expect(await contents(host), host).toEqual(['https://büro.example/x'])
  })

  test('lists the trash with `deleted`, and nothing of it otherwise', async () => {
    const user = await server.person()
    const [kept, trashed] = [await createCode(user), await createCode(user, { name: 'trashed-99' })]
    ok(await user.delete(`/api/qr-codes/${trashed.id}`))
    expect(idsOf(await codes({ userId: user.id }))).toEqual([kept.id])
    const page = await codes({ deleted: true })
    expect(page.items[0]).toMatchObject({ id: trashed.id, deletedAt: expect.any(Number) })
    expect(idsOf(page)).not.toContain(kept.id)
    expect(idsOf(await codes({ deleted: true, keyword: 'trashed-99' }))).toEqual([trashed.id])
    expect(idsOf(await codes({ keyword: 'trashed-99' }))).toEqual([])
  })
})

describe('PATCH /api/admin/qr-codes/:qrCodeId/block', () => {
  const block = (id: number, blocked: boolean, reason?: string) =>
    admin.call('admin.qrCodes.block', { params: { qrCodeId: id }, body: { blocked, ...(reason && { reason }) } })
  const notesOf = async (person: Person) =>
    ok(await person.get('/api/notifications', { size: 100 })).data.items.filter((note: { data: { event?: string } }) =>
      note.data.event?.startsWith('QR_CODE_'),
    )
  const logOf = async (targetId: number) =>
    ok(await admin.call('operationLog.list', { query: { targetType: 'QR_CODE', targetId } })).data.items

  test('blocks a code and unblocks it, notifies its owner of the reason, and is logged', async () => {
    const user = await server.person()
    const code = await createCode(user, { name: 'Prize draw' })
    const blocked = ok(await block(code.id, true, 'Phishing')).data
    expect(blocked).toMatchObject({
      id: code.id,
      blockedAt: expect.any(Number),
      version: 2,
      owner: { userId: user.id },
      orgName: null,
    })
    expect(await notesOf(user)).toMatchObject([
      {
        type: 'SYSTEM',
        title: 'An administrator of the server blocked Prize draw',
        body: 'People who scan it read that it is blocked. Reason: Phishing',
        data: { qrCodeId: code.id, orgId: null, event: 'QR_CODE_BLOCKED' },
      },
    ])
    expect(idsOf(await codes({ userId: user.id, blocked: true }))).toEqual([code.id])
    expect(idsOf(await codes({ userId: user.id, blocked: false }))).toEqual([])
    expect(ok(await user.get(`/api/qr-codes/${code.id}`)).data.version).toBe(2)

    expect(ok(await block(code.id, false)).data).toMatchObject({ blockedAt: null, version: 3 })
    expect(await notesOf(user)).toMatchObject([{ data: { event: 'QR_CODE_UNBLOCKED' } }])
    expect(idsOf(await codes({ userId: user.id, blocked: true }))).toEqual([])
    expect(await logOf(code.id)).toMatchObject([
      { action: 'QR_CODE_UNBLOCK', before: { blocked: true }, after: { blocked: false }, targetName: 'Prize draw' },
      { action: 'QR_CODE_BLOCK', before: { blocked: false }, after: { blocked: true, reason: 'Phishing' } },
    ])
  })

  test('changes nothing if the code is blocked already, also of twenty requests at once', async () => {
    const user = await server.person()
    const { id } = await createCode(user)
    const answers = await race(20, () => block(id, true, 'Phishing'))
    expect(new Set(answers.map((answer) => ok(answer).data.version))).toEqual(new Set([2]))
    expect(await logOf(id)).toHaveLength(1)
    expect(await notesOf(user)).toHaveLength(1)
    const [before] = await notesOf(user)
    ok(await block(id, true, 'Another reason'))
    expect(await notesOf(user)).toEqual([before])
    expect(await logOf(id)).toHaveLength(1)
  })

  test('reaches codes in the trash, and notifies the owner of an organization instead of the member who made the code', async () => {
    const [owner, member] = [await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    await setRole(owner, org, member, 'ADMIN')
    const code = await createCode(member, { orgId: org.id } as object)
    ok(await owner.call('qrCodes.delete', { params: { id: code.id }, query: { orgId: org.id } }))
    ok(await block(code.id, true))
    expect(await notesOf(owner)).toMatchObject([{ data: { qrCodeId: code.id, orgId: org.id } }])
    expect(await notesOf(member)).toEqual([])
    expect((await codes({ orgId: org.id, deleted: true, blocked: true })).total).toBe(1)
    const own = await createCode(admin)
    ok(await block(own.id, true))
    expect(await notesOf(admin)).toEqual([])
  })

  test('refuses unknown codes, bad bodies, and people who may not delete codes', async () => {
    const code = await createCode(alice)
    const path = `/api/admin/qr-codes/${code.id}/block`
    expect((await block(999_999_999, true)).status).toBe(404)
    for (const body of [
      {},
      { blocked: 'yes' },
      { blocked: true, reason: 'x'.repeat(201) },
      { blocked: true, reason: 1 },
    ])
      expect((await admin.patch(path, body)).status, JSON.stringify(body)).toBe(400)
    expect((await alice.patch(path, { blocked: true })).status).toBe(403)
    expect((await server.request('PATCH', path, { body: { blocked: true } })).status).toBe(401)
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toEqual(code)
  })
})

describe('DELETE /api/admin/qr-codes/:qrCodeId', () => {
  test('permanently deletes codes of any owner, in the trash or not', async () => {
    const org = await createOrg(alice)
    const isPublic = await createCode(alice, { isPublic: true })
    const trashed = await createCode(bob)
    ok(await bob.delete(`/api/qr-codes/${trashed.id}`))
    const ofOrg = await createCode(alice, { orgId: org.id } as object)
    const page = new URL(isPublic.publicUrl).pathname
    expect((await server.request('GET', page)).status).toBe(200)
    const { total } = ok(await alice.get('/api/qr-codes')).data
    for (const { id } of [isPublic, trashed, ofOrg]) {
      expect(ok(await remove(id)).data).toBeNull()
      expect((await remove(id)).status).toBe(404)
    }
    expect((await server.request('GET', page)).status).toBe(404)
    expect((await alice.get(`/api/qr-codes/${isPublic.id}`)).status).toBe(404)
    expect(ok(await alice.get('/api/qr-codes')).data.total).toBe(total - 1)
    expect(ok(await alice.get('/api/qr-codes/trash')).data.total).toBe(0)
    expect((await bob.patch(`/api/qr-codes/trash/restore/${trashed.id}`, {})).status).toBe(404)
    const all = [...idsOf(await codes()), ...idsOf(await codes({ deleted: true }))]
    for (const { id } of [isPublic, trashed, ofOrg]) expect(all).not.toContain(id)
  })

  test.if(inProcess)(
    'leaves scan records and photos of the code without it, and deletes the share of a copy',
    async () => {
      const code = await createCode(alice, { content: 'of a deleted code' })
      const record = await scan(alice, 'of a deleted code')
      const photo = await addPhoto(server, alice, { qrCodeId: code.id })
      expect(record.qrCodeId).toBe(code.id)
      ok(await remove(code.id))
      const [mine] = ok(await alice.get('/api/scan-records', { keyword: 'of a deleted code' })).data.items
      expect(mine).toMatchObject({ id: record.id, qrCodeId: null })
      expect(ok(await getPhoto(alice, photo.id)).data).toMatchObject({ qrCodeId: null, version: 2 })

      const org = await createOrg(alice)
      const body = { entityType: 'QR_CODE', sourceId: (await createCode(alice)).id } as const
      const share = ok(await alice.call('shares.create', { params: { orgId: org.id }, body })).data
      ok(await remove(share.copyId))
      expect(ok(await alice.call('shares.list', { params: { orgId: org.id } })).data.total).toBe(0)
      expect((await alice.get(`/api/qr-codes/${body.sourceId}`)).status).toBe(200)
    },
  )

  test('makes room in the quota, and devices get the code as deleted', async () => {
    const user = await server.person()
    const createMany = async (length: number) => {
      const items = Array.from({ length }, (_, i) => ({ name: `code ${i}`, content: 'x' }))
      return ok(await user.call('qrCodes.createBatch', { body: { items } })).data.items as Code[] as [Code]
    }
    const [first] = await createMany(500)
    await createMany(100)
    const more = () => user.call('qrCodes.create', { body: { name: 'more', content: 'x' } })
    const pull = async (since: number) =>
      ok(await user.call('sync.pull', { query: { since, entities: ['qrCode'], limit: 2000 } })).data
    const { serverTime } = await pull(0)
    expect((await more()).status).toBe(429)
    ok(await remove(first.id))
    expect((await pull(serverTime)).changes.qrCode).toMatchObject({ updated: [], deleted: [first.id] })
    ok(await more())
    expect((await more()).status).toBe(429)
  })

  test('of one code by twenty requests at once deletes it once', async () => {
    const { id } = await createCode(alice)
    const statuses = (await race(20, () => remove(id))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array<number>(19).fill(404)])
  })

  test.if(inProcess)('clears the scan records of a code with many of them in steps', async () => {
    const { id } = await createCode(alice)
    const { db } = server.ctx
    await db.write('test', async (tx) => {
      const row = { userId: bob.id, content: 'x', contentType: 'TEXT', source: 'CAMERA' as const, qrCodeId: id }
      const times = { scannedAt: tx.stamp, createdAt: tx.stamp, updatedAt: tx.stamp }
      for (let i = 0; i < 6; i++)
        await tx.insert(scanRecords).values(Array.from({ length: 100 }, () => ({ ...row, ...times })))
    })
    const left = async () =>
      (await db.read.select({ n: count() }).from(scanRecords).where(eq(scanRecords.qrCodeId, id)))[0]!.n
    ok(await remove(id))
    expect(await left()).toBe(400)
    await clearPurgedJob.run(server.ctx)
    expect([await left(), await db.read.select().from(scanPurgedCodes)]).toEqual([0, []])
  })
})

describe('GET /api/admin/scan-records', () => {
  test('shows the records of all users, newest first, with the user', async () => {
    const code = await createCode(bob, { content: 'scanned by both', isPublic: true })
    const first = await scan(alice, 'scanned first', { scannedAt: server.clock.now() - DAY })
    const second = await scan(bob, 'scanned by both', { source: 'IMAGE' })
    const page = await scans()
    expect(idsOf(page).slice(0, 2)).toEqual([second.id, first.id])
    const { resolved: _, ...plain } = second
    expect(page.items[0]).toEqual({
      ...plain,
      qrCodeId: code.id,
      owner: { userId: bob.id, username: 'bob', nickname: expect.any(String) },
    })
    expect(idsOf(await scans({ sort: 'createdAt', from: first.createdAt }))).toEqual([first.id, second.id])
  })

  test('takes filters by user, code, source, type, time and keyword', async () => {
    const user = await server.person()
    const code = await createCode(user, { content: 'found in a shop' })
    const url = await scan(user, 'https://example.com/17', { source: 'MANUAL', address: 'Needle Street' })
    const text = await scan(user, 'found in a shop')
    const userId = user.id
    for (const [query, wanted] of [
      [{ userId }, [text.id, url.id]],
      [{ userId, sort: 'createdAt', keyword: 'o' }, [url.id, text.id]],
      [{ qrCodeId: code.id }, [text.id]],
      [{ qrCodeId: code.id, keyword: 'SHOP' }, [text.id]],
      [{ userId, source: 'MANUAL' }, [url.id]],
      [{ userId, contentType: 'URL' }, [url.id]],
      [{ userId, from: text.createdAt, to: text.createdAt + 1 }, [text.id]],
      [{ keyword: 'needle street' }, [url.id]],
      [{ userId: 999_999 }, []],
      [{ qrCodeId: 999_999 }, []],
    ] as const) {
      const page = await scans(query as unknown as Query)
      expect({ ids: idsOf(page), total: page.total }, JSON.stringify(query)).toEqual({
        ids: [...wanted],
        total: wanted.length,
      })
    }
    for (const query of [{ source: 'EYES' }, { contentType: 'GONE' }, { sort: 'scannedAt' }, { userId: 0 }])
      expect((await admin.get('/api/admin/scan-records', query as never)).status, JSON.stringify(query)).toBe(400)
  })
})

const categories = async (query: Query = {}) =>
  ok(await admin.get('/api/admin/categories', { size: 100, ...query })).data
const removeCategory = (id: number) => admin.delete(`/api/admin/categories/${id}`)

describe('administrators', () => {
  test('list the categories of all users, newest first, with owner and number of codes', async () => {
    const user = await server.person()
    const first = await createCategory(alice, 'Shops')
    const second = await createCategory(user, 'Needles', await createCategory(user, 'Parent'))
    await createCode(user, { categoryId: second })
    const page = await categories()
    expect(page.items[0]).toMatchObject({
      id: second,
      name: 'Needles',
      codeCount: 1,
      owner: { userId: user.id, nickname: expect.any(String) },
      orgId: null,
      orgName: null,
    })
    const { createdAt } = page.items[0]
    for (const [query, wanted] of [
      [{ userId: alice.id }, [first]],
      [{ userId: alice.id, keyword: 'SHOP' }, [first]],
      [{ from: createdAt }, [second]],
      [{ keyword: 'needles', to: createdAt }, []],
      [{ userId: 999_999 }, []],
      [{ orgId: 1 }, []],
    ] as const)
      expect(idsOf(await categories(query as unknown as Query)), JSON.stringify(query)).toEqual([...wanted])
    expect(idsOf(await categories({ sort: 'createdAt' })).at(-1)).toBe(second)
    expect((await admin.get('/api/admin/categories', { sort: 'name' })).status).toBe(400)
  })

  test('delete any category: its children move up, and its codes lose it', async () => {
    const top = await createCategory(bob, 'Top')
    const middle = await createCategory(bob, 'Middle', top)
    const child = await createCategory(bob, 'Child', middle)
    const code = await createCode(bob, { categoryId: middle })
    const trashed = await createCode(bob, { categoryId: middle })
    ok(await bob.delete(`/api/qr-codes/${trashed.id}`))
    expect(ok(await removeCategory(middle)).data).toBeNull()
    expect((await removeCategory(middle)).status).toBe(404)
    expect(ok(await bob.get(`/api/categories/${child}`)).data).toMatchObject({ parentId: top })
    expect(ok(await bob.get(`/api/qr-codes/${code.id}`)).data).toMatchObject({ categoryId: null, version: 2 })
    expect((await bob.get(`/api/categories/${middle}`)).status).toBe(404)
    const restored = ok(await bob.patch(`/api/qr-codes/trash/restore/${trashed.id}`, {})).data
    expect(restored.categoryId).toBeNull()
    const statuses = (await race(10, () => removeCategory(child))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array<number>(9).fill(404)])
  })

  test.if(inProcess)(
    'delete a category of many codes in steps, and nobody sees it in its codes meanwhile',
    async () => {
      const { db } = server.ctx
      const user = await server.person()
      const [category, kept] = [await createCategory(user, 'Many'), await createCategory(user, 'Kept')]
      const ids = await db.write('test', async (tx) => {
        const code = { name: 'x', contentType: 'TEXT', categoryId: category, tags: [], remark: '', style: {} }
        const flags = { isPublic: false, isDynamic: false, pinned: false, sortOrder: 0, opens: null }
        const owner = { userId: user.id, orgId: 0 }
        const inserted = []
        for (let i = 0; i < 500; i++)
          inserted.push((await insertCode(tx, owner, { ...code, ...flags, content: `text ${i}` })).id)
        return inserted
      })
      const other = await createCode(user, { categoryId: kept })
      const inCategory = async () =>
        (await db.read.select().from(qrCodes).where(eq(qrCodes.categoryId, category))).map((row) => row.id)
      ok(await removeCategory(category))
      const left = await inCategory()
      expect(left).toHaveLength(300)
      const shown = async () => {
        const listed = ok(await user.get('/api/qr-codes', { size: 100, categoryId: 0 })).data
        const pulled = ok(await user.call('sync.pull', { query: { since: 0, entities: ['qrCode'], limit: 2000 } })).data
        const { byCategory } = ok(await user.get('/api/qr-codes/stats')).data
        return {
          withoutCategory: listed.total,
          listed: new Set(listed.items.map((code: Code) => code.categoryId)),
          one: ok(await user.get(`/api/qr-codes/${left[0]}`)).data.categoryId,
          pulled: new Set(pulled.changes.qrCode!.updated.map((code) => (code as Code).categoryId)),
          console: (await codes({ categoryId: category })).total,
          stats: byCategory.map(({ name, count: n }: { name: string; count: number }) => [name, n]),
        }
      }
      const expected = {
        withoutCategory: 500,
        listed: new Set([null]),
        one: null,
        pulled: new Set([null, kept]),
        console: 0,
        stats: [
          [null, 500],
          ['Kept', 1],
        ],
      }
      const { pulled: _, ...before } = await shown()
      expect({ ...before, pulled: expected.pulled }).toEqual(expected)
      await emptyCategoriesJob.run(server.ctx)
      expect([await inCategory(), await db.read.select().from(categoryCleanUps)]).toEqual([[], []])
      const after = await db.read.select().from(qrCodes).where(inArray(qrCodes.id, ids))
      expect(new Set(after.map(({ version }) => version))).toEqual(new Set([2]))
      expect(Math.max(...[...Map.groupBy(after, (row) => row.updatedAt).values()].map((rows) => rows.length))).toBe(
        SLICE_ROWS,
      )
      expect(await shown()).toMatchObject({ withoutCategory: 500, one: null })
      expect(ok(await user.get(`/api/qr-codes/${other.id}`)).data.categoryId).toBe(kept)
    },
  )
})

test('the lists and deletions of administrators are 403 for ordinary users and 401 without a token', async () => {
  const code = await createCode(alice)
  for (const [method, path] of [
    ['GET', '/api/admin/qr-codes'],
    ['DELETE', `/api/admin/qr-codes/${code.id}`],
    ['GET', '/api/admin/scan-records'],
    ['GET', '/api/admin/categories'],
    ['DELETE', `/api/admin/categories/${await createCategory(alice, 'hers')}`],
  ] as const) {
    expect((await alice.send(method, path)).status).toBe(403)
    expect((await server.request(method, path)).status).toBe(401)
  }
  expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toEqual(code)
  if (inProcess) expect(await server.ctx.db.read.select().from(qrCodes).where(eq(qrCodes.id, code.id))).toHaveLength(1)
})
