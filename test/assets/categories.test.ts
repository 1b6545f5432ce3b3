import { describe, expect, test } from 'bun:test'

import { eq, inArray } from 'drizzle-orm'

import { assetCategories, assets, metaTemplates } from '#db/schema/index.ts'
import { dropDeletedTemplates } from '#domains/assets/categories/categories.service.ts'
import { templateIdsOf } from '#domains/assets/categories/categories.store.ts'
import { emit } from '#domains/domain.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { type CategoryNode, categoryTree, createCategory, flat, insertAssets, insertTemplate, shape } from './places.ts'

const { server, admin, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })

const treeOf = async (user: Person, orgId?: number) => shape(await categoryTree(user, orgId))
const move = (user: Person, id: number, parentId: number | null) =>
  user.call('assetCategories.move', { params: { id }, body: { parentId } })
const update = (user: Person, id: number, body: object) => user.put(`/api/assets/categories/${id}`, body)
const remove = (user: Person, id: number) => user.call('assetCategories.delete', { params: { id } })
const deletable = (user: Person, id: number) => user.call('assetCategories.deletable', { params: { id } })
const find = async (user: Person, id: number, orgId?: number) =>
  flat(await categoryTree(user, orgId)).find((node) => node.id === id)

async function createChain(user: Person, length: number): Promise<number[]> {
  const ids: number[] = []
  for (let i = 0; i < length; i++)
    ids.push((await createCategory(user, `l${i + 1}`, { parentId: ids.at(-1) ?? null })).id)
  return ids
}

describe('creating and updating', () => {
  test('a personal category is created with a trimmed name, found in the tree, renamed, recoloured and pinned', async () => {
    const me = await server.person()
    const created = await createCategory(me, ' Laptops ', { color: '#FF8800' })
    expect(created).toEqual({
      id: expect.any(Number),
      scope: 'PERSONAL',
      orgId: null,
      name: 'Laptops',
      color: '#ff8800',
      parentId: null,
      pinned: false,
      sortOrder: 0,
      shared: false,
      templateIds: [],
      defaultTemplateId: null,
      depreciation: null,
      countEveryMonths: null,
      booking: null,
      assetCount: 0,
      createdBy: me.id,
      version: 1,
      createdAt: expect.any(Number),
      updatedAt: created.createdAt,
    })
    expect(await categoryTree(me)).toEqual([{ ...created, children: [] }])
    const renamed = ok(await update(me, created.id, { name: 'Notebooks', color: null })).data
    expect(renamed).toEqual({ ...created, name: 'Notebooks', color: '', version: 2, updatedAt: renamed.updatedAt })
    expect(renamed.updatedAt).toBeGreaterThan(created.updatedAt)
    expect(ok(await update(me, created.id, { name: 'Notebooks' })).data).toEqual(renamed)
    const pinned = ok(await me.call('assetCategories.pin', { params: { id: created.id }, body: { pinned: true } })).data
    expect(pinned).toMatchObject({ pinned: true, version: 3 })
  })

  test('PUT does not move a category and takes no field that the server decides', async () => {
    const me = await server.person()
    const [top, below] = await createChain(me, 2)
    const body = {
      parentId: null,
      orgId: null,
      createdBy: alice.id,
      version: 9,
      pinned: true,
      sortOrder: 4,
      name: 'l2',
    }
    expect(ok(await update(me, below!, body)).data).toMatchObject({
      parentId: top,
      pinned: false,
      sortOrder: 0,
      createdBy: me.id,
      version: 1,
    })
  })

  for (const [what, body] of [
    ['no name', { color: '#ff8800' }],
    ['a colour of three digits', { name: 'x', color: '#f80' }],
    ['a blank name', { name: ' ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a parent that does not exist', { name: 'x', parentId: 999_999 }],
    ['a personal category that is shared', { name: 'x', shared: true }],
    ['a template that does not exist', { name: 'x', templateIds: [999_999] }],
    ['a template twice', { name: 'x', templateIds: [1, 1] }],
    ['a default template without templates', { name: 'x', defaultTemplateId: 1 }],
  ] as const)
    test(`POST /assets/categories with ${what} answers 400 and creates nothing`, async () => {
      const before = await treeOf(alice)
      const reply = await alice.post('/api/assets/categories', body)
      expect(reply.status).toBe(400)
      expect(reply.details?.[0]?.path).toMatch(/^body\./)
      expect(await treeOf(alice)).toBe(before)
    })

  test('categories can be nested five levels deep, but not six', async () => {
    const me = await server.person()
    const ids = await createChain(me, 5)
    expect((await me.post('/api/assets/categories', { name: 'l6', parentId: ids[4] })).status).toBe(400)
    expect(await treeOf(me)).toBe('l1(l2(l3(l4(l5))))')
  })

  test.if(inProcess)('an owner can have at most 2000 categories, however many are created at once', async () => {
    const me = await server.person()
    await server.ctx.db.write('test', (tx) =>
      tx
        .insert(assetCategories)
        .values(
          Array.from({ length: 1990 }, () => ({ owner: -me.id, userId: me.id, name: 'c', createdAt: 1, updatedAt: 1 })),
        ),
    )
    const replies = await race(50, () => me.post('/api/assets/categories', { name: 'x' }))
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(10)
    expect(flat(await categoryTree(me))).toHaveLength(2000)
  })
})

describe('moving, reordering and pinning several', () => {
  test('a category cannot be moved into itself, below itself, or where its sub-categories would be too deep', async () => {
    const me = await server.person()
    const [l1, l2, l3] = await createChain(me, 3)
    const [, , , d4] = await createChain(me, 4)
    const before = await treeOf(me)
    for (const [id, parentId] of [
      [l1, l1],
      [l1, l2],
      [l1, l3],
      [l1, d4],
      [l2, d4],
      [l1, 999_999],
    ] as [number, number][])
      expect((await move(me, id, parentId)).status, `${id} → ${parentId}`).toBe(400)
    expect(await treeOf(me)).toBe(before)
    const moved = ok(await move(me, l3!, d4!)).data
    expect(moved).toMatchObject({ parentId: d4, version: 2 })
    expect(ok(await move(me, l3!, null)).data.parentId).toBeNull()
    expect((await me.patch(`/api/assets/categories/${l3}/parent`, {})).status).toBe(400)
  })

  test('of two simultaneous moves that together would make a cycle, one is refused', async () => {
    for (let round = 0; round < 10; round++) {
      const me = await server.person()
      const [a, b] = [await createCategory(me, 'a'), await createCategory(me, 'b')]
      const replies = await Promise.all([move(me, a.id, b.id), move(me, b.id, a.id)])
      expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400])
      expect(['a(b)', 'b(a)']).toContain(await treeOf(me))
    }
  })

  test('60 simultaneous moves leave a tree of at most five levels with every category in it', async () => {
    const me = await server.person()
    const ids = await Promise.all(Array.from({ length: 8 }, async (_, i) => (await createCategory(me, `c${i}`)).id))
    await race(60, (i) => move(me, ids[i % 8]!, ids[(i * 5 + 3) % 8]!))
    const tree = await categoryTree(me)
    const depth = (nodes: CategoryNode[]): number =>
      nodes.length === 0 ? 0 : 1 + Math.max(...nodes.map((n) => depth(n.children)))
    expect(depth(tree)).toBeLessThanOrEqual(5)
    expect(
      flat(tree)
        .map((n) => n.id)
        .toSorted(),
    ).toEqual(ids.toSorted())
  })

  test('PATCH /assets/categories/reorder takes ids or items, and changes none if one is refused', async () => {
    const me = await server.person()
    const [a, b, c] = [await createCategory(me, 'a'), await createCategory(me, 'b'), await createCategory(me, 'c')]
    const child = await createCategory(me, 'child', { parentId: a.id })
    const theirs = await createCategory(mallory, 'theirs')
    expect(ok(await me.call('assetCategories.reorder', { body: { ids: [c.id, a.id, b.id] } })).data).toEqual({
      count: 3,
    })
    expect(await treeOf(me)).toBe('c,a(child),b')
    ok(await me.patch('/api/assets/categories/reorder', { items: [{ id: a.id, sortOrder: 0 }] }))
    expect(await treeOf(me)).toBe('a(child),c,b')
    for (const [body, status] of [
      [{ ids: [b.id, child.id] }, 400],
      [{ ids: [b.id, theirs.id] }, 404],
      [{ ids: [b.id, b.id] }, 400],
      [{ ids: [b.id], items: [{ id: b.id, sortOrder: 0 }] }, 400],
      [{}, 400],
    ] as [object, number][])
      expect((await me.patch('/api/assets/categories/reorder', body)).status, JSON.stringify(body)).toBe(status)
    expect(await treeOf(me)).toBe('a(child),c,b')
  })

  test('PATCH /assets/categories/batch-pin with one category that is refused pins none', async () => {
    const me = await server.person()
    const [a, b] = [await createCategory(me, 'a'), await createCategory(me, 'b')]
    const theirs = await createCategory(mallory, 'theirs')
    const pin = (ids: number[], pinned: boolean) => me.call('assetCategories.batchPin', { body: { ids, pinned } })
    expect((await pin([b.id, theirs.id], true)).status).toBe(404)
    expect(await treeOf(me)).toBe('a,b')
    expect(ok(await pin([b.id], true)).data).toEqual({ count: 1 })
    expect(await treeOf(me)).toBe('b,a')
    ok(await pin([a.id, b.id], false))
    expect(await treeOf(me)).toBe('a,b')
  })
})

describe('deleting', () => {
  test.if(inProcess)(
    'deleting a category keeps its assets without a category, and is refused while it has sub-categories',
    async () => {
      const me = await server.person()
      const [top, below] = await createChain(me, 2)
      const [asset, deletedAsset] = await insertAssets(server, [
        { owner: -me.id, userId: me.id, categoryId: below! },
        { owner: -me.id, userId: me.id, categoryId: below!, deletedAt: 1 },
      ])
      expect(ok(await deletable(me, top!)).data).toEqual({
        deletable: false,
        reason: 'HAS_CHILDREN',
        childCount: 1,
        assetCount: 0,
      })
      expect((await remove(me, top!)).status).toBe(400)
      expect(ok(await deletable(me, below!)).data).toEqual({
        deletable: true,
        reason: null,
        childCount: 0,
        assetCount: 1,
      })
      expect((await find(me, below!))?.assetCount).toBe(1)
      expect((await find(me, top!))?.assetCount).toBe(0)
      expect(ok(await remove(me, below!)).data).toBeNull()
      expect(await treeOf(me)).toBe('l1')
      for (const reply of [
        await remove(me, below!),
        await deletable(me, below!),
        await update(me, below!, { name: 'x' }),
      ])
        expect(reply.status).toBe(404)
      const rows = await server.ctx.db.read
        .select()
        .from(assets)
        .where(inArray(assets.id, [asset!, deletedAsset!]))
        .orderBy(assets.id)
      expect(rows[0]).toMatchObject({ categoryId: null, version: 2, deletedAt: null })
      expect(rows[0]!.updatedAt).toBeGreaterThan(rows[0]!.createdAt)
      expect(rows[1]!.version).toBe(1)
      expect((await me.post('/api/assets/categories', { name: 'x', parentId: below })).status).toBe(400)
    },
  )

  test.if(inProcess)(
    'a category with many assets is deleted in several writes, between which others write',
    async () => {
      const me = await server.person()
      const category = await createCategory(me, 'many')
      await insertAssets(
        server,
        Array.from({ length: 2100 }, () => ({ owner: -me.id, userId: me.id, categoryId: category.id })),
      )
      expect((await find(me, category.id))?.assetCount).toBe(2100)
      const { db } = server.ctx
      let stamps: number[] = []
      let isDeleted = false
      const others = (async () => {
        while (!isDeleted) stamps.push(await db.write('test', async (tx) => tx.stamp))
      })()
      ok(await remove(me, category.id))
      isDeleted = true
      await others
      const rows = await db.read.select().from(assets).where(eq(assets.owner, -me.id))
      expect(rows.every((row) => row.categoryId === null && row.version === 2)).toBe(true)
      const steps = [...new Set(rows.map((row) => row.updatedAt))].toSorted((a, b) => a - b)
      // Their sizes follow from the times that they take.
      expect(steps.length).toBeGreaterThan(2)
      stamps = stamps.filter((stamp) => stamp > steps[0]! && stamp < steps.at(-1)!)
      expect(stamps.length).toBeGreaterThan(0)
    },
  )

  test('a sub-category that is created while its parent is deleted is never left without a parent', async () => {
    for (let round = 0; round < 10; round++) {
      const me = await server.person()
      const { id } = await createCategory(me, 'parent')
      const [created, deleted] = await Promise.all([
        me.post('/api/assets/categories', { name: 'child', parentId: id }),
        remove(me, id),
      ])
      expect([created.status, deleted.status].toSorted()).toEqual([200, 400])
      expect(['', 'parent(child)']).toContain(await treeOf(me))
    }
  })
})

describe('templates', () => {
  test.if(inProcess)(
    'a category takes the templates that are visible in its scope: GLOBAL ones and those of its owner',
    async () => {
      const me = await server.person()
      const org = await createOrg(me)
      const [global, mine, ofOrg, theirs] = [
        await insertTemplate(server, 0),
        await insertTemplate(server, -me.id),
        await insertTemplate(server, org.id),
        await insertTemplate(server, -mallory.id),
      ]
      const refused = async (fields: object, id: number) => {
        const reply = await me.post('/api/assets/categories', { name: 'x', templateIds: [global, id], ...fields })
        expect(reply.status).toBe(400)
        expect(reply.details).toEqual([{ path: 'body.templateIds.1', message: expect.any(String) }])
      }
      await refused({}, theirs)
      await refused({}, ofOrg)
      await refused({ orgId: org.id }, mine)
      const personal = await createCategory(me, 'p', { templateIds: [mine, global] })
      expect(personal).toMatchObject({ templateIds: [mine, global], defaultTemplateId: mine })
      const fields = { orgId: org.id, templateIds: [global, ofOrg], defaultTemplateId: ofOrg }
      expect(await createCategory(me, 'o', fields)).toMatchObject({
        templateIds: [global, ofOrg],
        defaultTemplateId: ofOrg,
      })
      expect((await update(me, personal.id, { templateIds: [ofOrg] })).status).toBe(400)
      expect(await find(me, personal.id)).toMatchObject(personal)
    },
  )

  test.if(inProcess)(
    'PUT changes templates and default; the first template is the default if none is given',
    async () => {
      const me = await server.person()
      const [a, b, c] = [
        await insertTemplate(server, 0),
        await insertTemplate(server, 0),
        await insertTemplate(server, 0),
      ]
      const { id } = await createCategory(me, 'x', { templateIds: [a, b], defaultTemplateId: b })
      const templates = async (body: object) => {
        const { templateIds, defaultTemplateId, version } = ok(await update(me, id, body)).data
        return [templateIds, defaultTemplateId, version]
      }
      expect(await templates({ templateIds: [a, b] })).toEqual([[a, b], b, 1])
      expect(await templates({ templateIds: [c, b] })).toEqual([[c, b], b, 2])
      expect(await templates({ defaultTemplateId: null })).toEqual([[c, b], c, 3])
      expect(await templates({ templateIds: [a] })).toEqual([[a], a, 4])
      expect((await update(me, id, { defaultTemplateId: b })).status).toBe(400)
      expect((await update(me, id, { templateIds: [], defaultTemplateId: a })).status).toBe(400)
      expect(await templates({ templateIds: null })).toEqual([[], null, 5])
    },
  )

  test.if(inProcess)(
    'a category without templates uses those of its nearest ancestor with templates, the default one first',
    async () => {
      const me = await server.person()
      const [a, b] = [await insertTemplate(server, 0), await insertTemplate(server, 0)]
      const ids = await createChain(me, 4)
      ok(await update(me, ids[0]!, { templateIds: [a] }))
      ok(await update(me, ids[2]!, { templateIds: [a, b], defaultTemplateId: b }))
      const inForce = await Promise.all(ids.map((id) => templateIdsOf(server.ctx.db.read, id)))
      expect(inForce).toEqual([[a], [a], [b, a], [b, a]])
      expect(await templateIdsOf(server.ctx.db.read, (await createCategory(me, 'none')).id)).toEqual([])
    },
  )

  test.if(inProcess)(
    'deleting a template takes it off all categories, of which those beyond the first 200 are left to a job',
    async () => {
      const me = await server.person()
      const { ctx } = server
      const [gone, next] = [await insertTemplate(server, 0), await insertTemplate(server, 0)]
      const ids = await Promise.all(
        Array.from(
          { length: 210 },
          async (_, i) => (await createCategory(me, `c${i}`, { templateIds: [gone, next] })).id,
        ),
      )
      await ctx.db.write('test', async (tx) => {
        await emit(ctx, tx, 'metaTemplate.deleting', { templateId: gone })
        await tx.update(metaTemplates).set({ deletedAt: tx.stamp }).where(eq(metaTemplates.id, gone))
      })
      const nodes = await categoryTree(me)
      expect(nodes).toHaveLength(ids.length)
      for (const node of nodes) expect(node).toMatchObject({ templateIds: [next], defaultTemplateId: next })
      expect(nodes.filter((node) => node.version === 2)).toHaveLength(200)
      await dropDeletedTemplates(ctx)
      expect((await categoryTree(me)).filter((node) => node.version === 2)).toHaveLength(210)
      expect((await createCategory(me, 'last', { templateIds: [next] })).templateIds).toEqual([next])
      expect((await me.post('/api/assets/categories', { name: 'x', templateIds: [gone] })).status).toBe(400)
    },
  )
})

describe('organizations', () => {
  test('the scope of a tree follows from orgId, ORG without orgId answers 400, and PERSONAL ignores orgId', async () => {
    const me = await server.person()
    const org = await createOrg(me)
    await createCategory(me, 'mine')
    const ofOrg = await createCategory(me, 'of the organization', { orgId: org.id })
    expect(ofOrg).toMatchObject({ scope: 'ORG', orgId: org.id, shared: true, createdBy: me.id })
    const names = async (user: Person, query: object) =>
      shape(ok(await user.get('/api/assets/categories', query as Record<string, string>)).data)
    expect(await names(me, {})).toBe('mine')
    expect(await names(me, { scope: 'PERSONAL' })).toBe('mine')
    expect(await names(me, { scope: 'PERSONAL', orgId: org.id })).toBe('mine')
    expect(await names(mallory, { scope: 'PERSONAL', orgId: org.id })).toBe(await treeOf(mallory))
    expect(await names(me, { orgId: org.id })).toBe('of the organization')
    expect(await names(me, { scope: 'ORG', orgId: org.id })).toBe('of the organization')
    for (const [query, status] of [
      [{ scope: 'ORG' }, 400],
      [{ scope: 'ALL' }, 400],
      [{ scope: 'ORG', orgId: 'x' }, 403],
    ] as const)
      expect((await me.get('/api/assets/categories', query)).status, JSON.stringify(query)).toBe(status)
    expect((await mallory.get('/api/assets/categories', { orgId: org.id })).status).toBe(403)
  })

  test('owners and administrators manage the categories of an organization, members read them, guests and others do neither', async () => {
    const [owner, administrator, member, guest, outsider] = await Promise.all(
      ['', '', '', '', ''].map(() => server.person()),
    )
    const org = await createOrg(owner!)
    await addMembers(owner!, org, administrator!, member!, guest!)
    await setRole(owner!, org, administrator!, 'ADMIN')
    await setRole(owner!, org, guest!, 'GUEST')
    const { id } = await createCategory(owner!, 'c', { orgId: org.id })
    // With `orgId` the point is missing (403); without it, an id that the caller may not know of is 404.
    const expected: [Person, read: number, write: number, writeById: number][] = [
      [owner!, 200, 200, 200],
      [administrator!, 200, 200, 200],
      [member!, 200, 403, 403],
      [guest!, 403, 403, 404],
      [outsider!, 403, 403, 404],
    ]
    for (const [i, [user, read, write, writeById]] of expected.entries()) {
      const where = `person ${i}`
      expect((await user.get('/api/assets/categories', { orgId: org.id })).status, where).toBe(read)
      expect((await user.get(`/api/assets/categories/${id}/deletable`)).status, where).toBe(read === 200 ? 200 : 404)
      const reordered = await user.patch('/api/assets/categories/reorder', { ids: [id], orgId: org.id })
      expect(reordered.status, where).toBe(write)
      expect(
        (await user.patch('/api/assets/categories/batch-pin', { ids: [id], pinned: true, orgId: org.id })).status,
        where,
      ).toBe(write)
      expect((await user.post('/api/assets/categories', { name: 'x', orgId: org.id })).status, where).toBe(write)
      for (const query of ['', `?orgId=${org.id}`]) {
        const status = query === '' ? writeById : write
        expect((await user.put(`/api/assets/categories/${id}${query}`, { name: 'n' })).status, where).toBe(status)
        expect((await user.patch(`/api/assets/categories/${id}/pin${query}`, { pinned: true })).status, where).toBe(
          status,
        )
        expect(
          (await user.patch(`/api/assets/categories/${id}/parent${query}`, { parentId: null })).status,
          where,
        ).toBe(status)
      }
      const mine = writeById === 200 ? (await createCategory(user, 'own', { orgId: org.id })).id : id
      expect((await remove(user, mine)).status, where).toBe(writeById)
    }
    expect((await find(member!, id, org.id))?.name).toBe('n')
  })

  test('with shared false only the creator and those who manage categories see a category, and what is below it, in the tree', async () => {
    const [owner, member] = [await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const top = await createCategory(owner, 'top', { orgId: org.id })
    const hidden = await createCategory(owner, 'hidden', { orgId: org.id, parentId: top.id, shared: false })
    const below = await createCategory(owner, 'below', { orgId: org.id, parentId: hidden.id })
    expect(await treeOf(owner, org.id)).toBe('top(hidden(below))')
    expect(await treeOf(member, org.id)).toBe('top')
    for (const { id } of [hidden, below]) expect((await deletable(member, id)).status).toBe(404)
    expect(ok(await update(owner, hidden.id, { shared: true })).data).toMatchObject({ shared: true, version: 2 })
    expect(await treeOf(member, org.id)).toBe('top(hidden(below))')

    await setRole(owner, org, member, 'ADMIN')
    await createCategory(member, 'of the former administrator', { orgId: org.id, shared: false })
    ok(await update(owner, hidden.id, { shared: false }))
    expect(await treeOf(member, org.id)).toBe('top(hidden(below)),of the former administrator')
    await setRole(owner, org, member, 'MEMBER')
    expect(await treeOf(member, org.id)).toBe('top,of the former administrator')
  })

  test('a parent, and categories to order, must belong to the same owner', async () => {
    const me = await server.person()
    const org = await createOrg(me)
    const mine = await createCategory(me, 'mine')
    const ofOrg = await createCategory(me, 'of the organization', { orgId: org.id })
    expect((await me.post('/api/assets/categories', { name: 'x', parentId: ofOrg.id })).status).toBe(400)
    expect((await me.post('/api/assets/categories', { name: 'x', parentId: mine.id, orgId: org.id })).status).toBe(400)
    expect((await move(me, mine.id, ofOrg.id)).status).toBe(400)
    expect((await me.patch('/api/assets/categories/reorder', { ids: [mine.id, ofOrg.id] })).status).toBe(404)
    expect((await me.put(`/api/assets/categories/${mine.id}?orgId=${org.id}`, { name: 'x' })).status).toBe(404)
  })

  test('dissolving an organization deletes its categories', async () => {
    const me = await server.person()
    const org = await createOrg(me)
    await createCategory(me, 'c', { orgId: org.id })
    ok(await me.call('orgs.dissolve', { params: { id: org.id } }))
    expect((await me.get('/api/assets/categories', { orgId: org.id })).status).toBe(403)
    if (inProcess)
      expect(await server.ctx.db.read.select().from(assetCategories).where(eq(assetCategories.owner, org.id))).toEqual(
        [],
      )
  })
})

describe('administration', () => {
  test('GET /admin/asset-categories lists the categories of all owners, newest first, by scope, owner, creator and name', async () => {
    const me = await server.person()
    const org = await createOrg(me)
    const mine = await createCategory(me, 'Zebra mine')
    const ofOrg = await createCategory(me, 'Zebra of the organization', { orgId: org.id, parentId: null })
    const gone = await createCategory(me, 'Zebra gone')
    ok(await remove(me, gone.id))
    const list = async (query: object) => ok(await admin.call('assetCategories.listAll', { query })).data
    const owner = { userId: me.id, username: me.username, nickname: expect.any(String) as string }
    const shown = { ...mine, owner, orgName: null }
    const shownOfOrg = { ...ofOrg, owner, orgName: org.name }
    expect(await list({ userId: me.id })).toEqual({ items: [shownOfOrg, shown], total: 2, page: 1, size: 20 })
    expect((await list({ userId: me.id, scope: 'PERSONAL' })).items).toEqual([shown])
    expect((await list({ orgId: org.id })).items).toEqual([shownOfOrg])
    expect((await list({ orgId: org.id, scope: 'PERSONAL' })).items).toEqual([])
    expect((await list({ keyword: 'zebra', size: 1 })).items).toEqual([shownOfOrg])
    expect((await list({ keyword: 'zebra', size: 1, page: 2 })).items).toEqual([shown])
    expect((await list({ userId: me.id, sort: 'createdAt' })).items).toEqual([shown, shownOfOrg])
    expect((await list({ from: ofOrg.createdAt, to: ofOrg.createdAt + 1 })).items).toEqual([shownOfOrg])
    expect((await list({ keyword: 'zebra' })).total).toBe(2)
    expect((await me.get('/api/admin/asset-categories')).status).toBe(403)
  })

  test.if(inProcess)(
    "an administrator's deletion moves the sub-categories up, keeps the assets, and is logged",
    async () => {
      const me = await server.person()
      const [top, middle, below] = await createChain(me, 3)
      const [asset] = await insertAssets(server, [{ owner: -me.id, userId: me.id, categoryId: middle! }])
      expect((await me.delete(`/api/admin/asset-categories/${middle}`)).status).toBe(403)
      expect(ok(await admin.delete(`/api/admin/asset-categories/${middle}`)).data).toBeNull()
      expect(await treeOf(me)).toBe('l1(l3)')
      expect(await find(me, below!)).toMatchObject({ parentId: top, version: 2 })
      const [row] = await server.ctx.db.read.select().from(assets).where(eq(assets.id, asset!))
      expect(row).toMatchObject({ categoryId: null, version: 2 })
      const { items } = ok(await admin.get('/api/admin/logs', { targetType: 'ASSET_CATEGORY' })).data
      expect(items[0]).toMatchObject({
        action: 'ASSET_CATEGORY_DELETE',
        targetId: middle,
        targetName: 'l2',
        before: { name: 'l2', parentId: top, orgId: null, createdBy: me.id, movedChildren: 1 },
      })
      expect((await admin.delete(`/api/admin/asset-categories/${middle}`)).status).toBe(404)
      ok(await admin.delete(`/api/admin/asset-categories/${top}`))
      expect(await treeOf(me)).toBe('l3')
    },
  )
})

describe('access', () => {
  const calls: [method: 'GET' | 'PUT' | 'DELETE' | 'PATCH', suffix: string, body?: unknown][] = [
    ['PUT', '', { name: 'taken' }],
    ['DELETE', ''],
    ['PATCH', '/parent', { parentId: null }],
    ['PATCH', '/pin', { pinned: true }],
    ['GET', '/deletable'],
  ]
  for (const [method, suffix, body] of calls)
    test(`${method} /assets/categories/:id${suffix} answers 401 without a token, 404 to other users, and changes nothing`, async () => {
      const before = await createCategory(bob, 'private')
      const path = `/api/assets/categories/${before.id}${suffix}`
      expect((await server.request(method, path, { body })).status).toBe(401)
      expect((await mallory.send(method, path, { body })).status).toBe(404)
      expect((await bob.send(method, `/api/assets/categories/abc${suffix}`, { body })).status).toBe(400)
      expect(await find(bob, before.id)).toEqual(before)
    })
})
