/** Templates of single things: binding, unbinding, and the templates that are in force. */

import { describe, expect, test } from 'bun:test'

import { MAX_BINDINGS } from '#domains/metadata/bindings/bindings.model.ts'
import { templatesInForce } from '#domains/metadata/index.ts'
import { inOrder, mergeFields } from '#domains/metadata/templates/templates.rules.ts'

import { createAsset } from '../assets/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, UNKNOWN_ID } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { createField, createGlobalTemplate, createTemplate, idsOf, listFields, refusal, setFields } from './helpers.ts'
import { createOrgCode } from './values-helpers.ts'

const objectName = 'qrCode'
const place = { objectName }

describe('templates of a thing', () => {
  const { server, admin, alice, bob, owner, member } = useServer({ people: ['alice', 'bob', 'owner', 'member'] })

  const pathOf = (codeId: number, orgId?: number) =>
    `${orgId === undefined ? '/api' : `/api/orgs/${orgId}`}/meta/objects/${objectName}/entities/${codeId}/templates`
  const bind = (user: Person, codeId: number, templateIds?: readonly number[], orgId?: number) =>
    user.post(pathOf(codeId, orgId), { templateIds })
  const inForce = async (user: Person, codeId: number, orgId?: number): Promise<string[]> =>
    ok(await user.get(pathOf(codeId, orgId))).data.items.map(
      ({ templateId, source }: { templateId: number; source: string }) => `${templateId} ${source}`,
    )

  test('templates are bound in their order, and binding them again changes nothing', async () => {
    const [code, a, b] = [
      await createCode(alice),
      await createTemplate(alice, {}, place),
      await createTemplate(alice, {}, place),
    ]
    const answer = ok(await bind(alice, code.id, [b.id, a.id, b.id])).data
    expect(answer).toEqual({
      items: [b, a].map(({ id, name }) => ({
        templateId: id,
        name,
        scope: 'USER',
        isDefault: false,
        source: 'ENTITY',
      })),
    })
    expect(ok(await bind(alice, code.id, [a.id])).data).toEqual(answer)
    expect(ok(await alice.get(pathOf(code.id))).data).toEqual(answer)
    await race(50, (i) => bind(alice, code.id, i % 2 === 0 ? [a.id, b.id] : [b.id]))
    expect(ok(await alice.get(pathOf(code.id))).data).toEqual(answer)
  })

  test('a bound default template comes first', async () => {
    const user = await server.person()
    const [code, first] = [await createCode(user), await createTemplate(user, {}, place)]
    const standard = await createTemplate(user, { isDefault: true }, place)
    ok(await bind(user, code.id, [first.id, standard.id]))
    expect(await inForce(user, code.id)).toEqual([`${standard.id} ENTITY`, `${first.id} ENTITY`])
  })

  test('without templates the default one is in force, and can be bound by an empty list', async () => {
    const user = await server.person()
    const code = await createCode(user)
    expect(await inForce(user, code.id)).toEqual([])
    expect((await bind(user, code.id)).status).toBe(400)
    const global = await createGlobalTemplate(admin, { isDefault: true }, objectName)
    expect(await inForce(user, code.id)).toEqual([`${global.id} DEFAULT`])
    const own = await createTemplate(user, { isDefault: true }, place)
    expect(await inForce(user, code.id)).toEqual([`${own.id} DEFAULT`])
    expect(ok(await bind(user, code.id, [])).data.items).toMatchObject([{ templateId: own.id, source: 'ENTITY' }])
    expect(await inForce(alice, (await createCode(alice)).id)).toEqual([`${global.id} DEFAULT`])
    const org = await createOrg(user)
    const ofOrg = await createOrgCode(user, org)
    expect(await inForce(user, ofOrg.id, org.id)).toEqual([`${global.id} DEFAULT`])
    const orgDefault = await createTemplate(user, { isDefault: true }, { objectName, orgId: org.id })
    expect(ok(await bind(user, ofOrg.id, undefined, org.id)).data.items).toMatchObject([
      { templateId: orgDefault.id, scope: 'ORG', source: 'ENTITY' },
    ])
    ok(await admin.delete(`/api/admin/meta/templates/${global.id}`))
  })

  test('only bindings to the thing itself can be taken off', async () => {
    const user = await server.person()
    const [code, a] = [await createCode(user), await createTemplate(user, {}, place)]
    const standard = await createTemplate(user, { isDefault: true }, place)
    const remove = (id: number) => user.delete(`${pathOf(code.id)}/${id}`)
    expect((await remove(standard.id)).status).toBe(404)
    ok(await bind(user, code.id, [a.id]))
    expect(await inForce(user, code.id)).toEqual([`${a.id} ENTITY`])
    expect(ok(await remove(a.id)).data).toBeNull()
    expect((await remove(a.id)).status).toBe(404)
    expect(await inForce(user, code.id)).toEqual([`${standard.id} DEFAULT`])
  })

  test('templates that cannot be used for the thing are refused at their place in the list, and none is bound', async () => {
    const org = await createOrg(owner)
    const ofOrg = await createTemplate(owner, {}, { objectName, orgId: org.id })
    const [ofOwner, ofAlice] = [await createTemplate(owner, {}, place), await createTemplate(alice, {}, place)]
    const forAssets = await createTemplate(owner)
    const [own, shared] = [await createCode(owner), await createOrgCode(owner, org)]
    const paths = (...at: number[]) => ['400', ...at.map((i) => `body.templateIds.${i}`)].join(' ')
    expect(refusal(await bind(owner, own.id, [ofOwner.id, ofOrg.id, ofAlice.id, UNKNOWN_ID, forAssets.id]))).toBe(
      paths(1, 2, 3, 4),
    )
    expect(refusal(await bind(owner, shared.id, [ofOrg.id, ofOwner.id], org.id))).toBe(paths(1))
    expect(await inForce(owner, own.id)).toEqual([])
    expect(await inForce(owner, shared.id, org.id)).toEqual([])
  })

  test('a thing of another owner does not exist, on either path', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const [own, shared] = [await createCode(owner), await createOrgCode(owner, org)]
    const template = await createGlobalTemplate(admin, {}, objectName)
    for (const [who, codeId, orgId, status] of [
      [owner, shared.id, undefined, 404],
      [owner, own.id, org.id, 404],
      [alice, own.id, undefined, 404],
      [alice, shared.id, undefined, 404],
      [alice, shared.id, org.id, 403],
      [owner, UNKNOWN_ID, undefined, 404],
    ] as const) {
      expect((await who.get(pathOf(codeId, orgId))).status).toBe(status)
      expect((await bind(who, codeId, [template.id], orgId)).status).toBe(status)
      expect((await who.delete(`${pathOf(codeId, orgId)}/${template.id}`)).status).toBe(status)
    }
    expect((await member.get(pathOf(shared.id, org.id))).status).toBe(200)
    expect((await bind(member, shared.id, [template.id], org.id)).status).toBe(403)
    expect((await server.request('GET', pathOf(own.id))).status).toBe(401)
    ok(await owner.delete(`/api/qr-codes/${own.id}`))
    expect((await owner.get(pathOf(own.id))).status).toBe(404)
  })

  test('a member who may not see QR codes cannot see or change the templates of one', async () => {
    const org = await createOrg(owner)
    const user = await server.person()
    await addMembers(owner, org, user)
    const code = await createOrgCode(owner, org)
    const body = {
      code: 'FIELDS',
      name: 'x',
      domain: 'ORG',
      scopeId: org.id,
      permissions: ['meta_template:read', 'meta_template:bind'],
    } as const
    ok(await admin.call('access.createRole', { body: { ...body, permissions: [...body.permissions] } }))
    ok(
      await owner.call('orgs.changeMember', {
        params: { orgId: org.id, userId: user.id },
        body: { roleCode: 'FIELDS' },
      }),
    )
    expect((await user.get(pathOf(code.id, org.id))).status).toBe(404)
    expect((await bind(user, code.id, [], org.id)).status).toBe(404)
  })

  test('a thing has at most 20 templates, also with parallel bindings, and deleted ones do not count', async () => {
    const user = await server.person()
    const code = await createCode(user)
    const ids: number[] = []
    for (let i = 0; i < MAX_BINDINGS + 5; i++) ids.push((await createTemplate(user, {}, place)).id)
    ok(await bind(user, code.id, ids.slice(0, 15)))
    const replies = await race(10, (i) => bind(user, code.id, [ids[15 + i]!]))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(await inForce(user, code.id)).toHaveLength(MAX_BINDINGS)
    ok(await user.delete(`/api/meta/templates/${ids[0]}`))
    expect(await inForce(user, code.id)).toHaveLength(MAX_BINDINGS - 1)
    expect((await user.delete(`${pathOf(code.id)}/${ids[0]}`)).status).toBe(404)
    const unbound = ids.find((_id, i) => i >= 15 && replies[i - 15]!.status === 400)!
    ok(await bind(user, code.id, [unbound]))
  })

  test('with entityId the list of fields has those of the templates in force there', async () => {
    const user = await server.person()
    const org = await createOrg(user)
    const [used, unused] = [await createField(user, {}, place), await createField(user, {}, place)]
    const template = await createTemplate(user, {}, place)
    await setFields(user, template.id, [used.id])
    const code = await createCode(user)
    ok(await bind(user, code.id, [template.id]))
    expect(idsOf(await listFields(user, {}, objectName))).toEqual(expect.arrayContaining([used.id, unused.id]))
    expect(idsOf(await listFields(user, { entityId: code.id }, objectName))).toEqual([used.id])
    const shared = await createOrgCode(user, org)
    expect(await listFields(user, { entityId: shared.id }, objectName)).toEqual([])
    const ofOrg = await createField(user, {}, { objectName, orgId: org.id })
    const orgTemplate = await createTemplate(user, {}, { objectName, orgId: org.id })
    await setFields(user, orgTemplate.id, [ofOrg.id], org.id)
    ok(await bind(user, shared.id, [orgTemplate.id], org.id))
    for (const query of [{ entityId: shared.id }, { entityId: shared.id, orgId: org.id }] as Record<string, number>[])
      expect(idsOf(await listFields(user, query, objectName))).toEqual([ofOrg.id])
    const path = `/api/meta/objects/${objectName}/fields`
    for (const [who, query] of [
      [alice, { entityId: code.id }],
      [alice, { entityId: shared.id }],
      [user, { entityId: UNKNOWN_ID }],
      [user, { entityId: code.id, orgId: org.id }],
    ] as const)
      expect((await who.get(path, query)).status).toBe(404)
  })

  test('categories of QR codes and organizations have templates too', async () => {
    const [categoryId, org] = [await createCategory(bob, 'c'), await createOrg(bob)]
    const template = await createTemplate(bob, {}, { objectName: 'category' })
    const body = { templateIds: [template.id] }
    ok(await bob.post(`/api/meta/objects/category/entities/${categoryId}/templates`, body))
    expect((await alice.get(`/api/meta/objects/category/entities/${categoryId}/templates`)).status).toBe(404)
    const ofOrg = await createTemplate(bob, {}, { objectName: 'org', orgId: org.id })
    const path = `/api/orgs/${org.id}/meta/objects/org/entities/${org.id}/templates`
    expect(ok(await bob.post(path, { templateIds: [ofOrg.id] })).data.items).toMatchObject([{ templateId: ofOrg.id }])
    const other = await createOrg(bob)
    expect((await bob.get(`/api/orgs/${org.id}/meta/objects/org/entities/${other.id}/templates`)).status).toBe(404)
  })

  test.if(inProcess)(
    'templates of a category count with those of the thing, and fields of several count once',
    async () => {
      const user = await server.person()
      const fields = [
        await createField(user, {}, place),
        await createField(user, {}, place),
        await createField(user, {}, place),
      ]
      const [a, b, c] = idsOf(fields) as [number, number, number]
      const [bound, first, second] = [
        await createTemplate(user, {}, place),
        await createTemplate(user, {}, place),
        await createTemplate(user, { isDefault: true }, place),
      ]
      await setFields(user, bound.id, [a, b])
      const items = [
        { fieldId: b, required: true },
        { fieldId: c, group: 'g' },
      ]
      ok(await user.put(`/api/meta/templates/${first.id}/fields`, { items }))
      const code = await createCode(user)
      ok(await bind(user, code.id, [bound.id]))
      const ofBob = await createTemplate(bob, {}, place)
      const entity = {
        id: code.id,
        owner: -user.id,
        title: '',
        templateIds: [first.id, second.id, ofBob.id],
        columns: {},
      }
      const viewer = { userId: user.id, orgId: 0 }
      const { templates, fields: merged } = await templatesInForce(server.ctx.db.read, objectName, entity, viewer)
      expect(templates.map(({ template, source }) => [template.id, source])).toEqual([
        [first.id, 'CATEGORY'],
        [bound.id, 'ENTITY'],
        [second.id, 'CATEGORY'],
      ])
      expect(merged).toEqual([
        { fieldId: b, templateId: first.id, group: '', order: 0, required: true },
        { fieldId: c, templateId: first.id, group: 'g', order: 1, required: false },
        { fieldId: a, templateId: bound.id, group: '', order: 2, required: false },
      ])
    },
  )
})

describe('templates of an asset in categories', () => {
  const { admin, alice, bob } = useServer({ people: ['alice', 'bob'] })
  const pathOf = (id: number) => `/api/meta/objects/asset/entities/${id}/templates`
  const inForce = async (id: number): Promise<string[]> =>
    ok(await alice.get(pathOf(id))).data.items.map(
      ({ templateId, source }: { templateId: number; source: string }) => `${templateId} ${source}`,
    )

  test('the nearest category with templates counts, and deleting its templates leaves the default one', async () => {
    const [first, second, bound] = [
      await createTemplate(alice),
      await createTemplate(alice),
      await createTemplate(alice),
    ]
    const body = { name: 'top', templateIds: [first.id, second.id], defaultTemplateId: second.id }
    const top = ok(await alice.call('assetCategories.create', { body })).data.id
    const low = ok(await alice.call('assetCategories.create', { body: { name: 'low', parentId: top } })).data.id
    const asset = await createAsset(alice, { categoryId: low })
    expect(await inForce(asset.id)).toEqual([`${second.id} CATEGORY`, `${first.id} CATEGORY`])
    ok(await alice.post(pathOf(asset.id), { templateIds: [bound.id] }))
    expect(await inForce(asset.id)).toEqual([`${second.id} CATEGORY`, `${bound.id} ENTITY`, `${first.id} CATEGORY`])
    expect((await alice.delete(`${pathOf(asset.id)}/${first.id}`)).status).toBe(404)
    expect((await bob.get(pathOf(asset.id))).status).toBe(404)
    for (const { id } of [first, second, bound]) ok(await alice.delete(`/api/meta/templates/${id}`))
    const tree = ok(await alice.call('assetCategories.tree')).data
    expect(tree.find(({ id }) => id === top)).toMatchObject({ templateIds: [], defaultTemplateId: null })
    const [standard] = ok(await alice.get('/api/meta/objects/asset/templates')).data.items
    expect(await inForce(asset.id)).toEqual([`${standard.id} DEFAULT`])
    expect(idsOf(await listFields(alice, { entityId: asset.id }))).toHaveLength(8)
    ok(await admin.delete(`/api/admin/meta/templates/${standard.id}`))
    expect(await inForce(asset.id)).toEqual([])
  })
})

describe('the order of templates in force', () => {
  const template = (id: number, isDefault = false) => ({ id, isDefault })
  const order = (...given: Parameters<typeof inOrder>) => inOrder(...given).map((one) => [one.template.id, one.source])

  test('the default comes first, then bound templates, then those of the category; one that is both counts as bound', () => {
    expect(order([template(1), template(2, true)], [template(3), template(1), template(4)], undefined)).toEqual([
      [2, 'ENTITY'],
      [3, 'CATEGORY'],
      [1, 'ENTITY'],
      [4, 'CATEGORY'],
    ])
  })

  test('the default template of the scope is in force only if there is no other', () => {
    expect(order([], [], template(9, true))).toEqual([[9, 'DEFAULT']])
    expect(order([template(1)], [], template(9, true))).toEqual([[1, 'ENTITY']])
    expect(order([], [], undefined)).toEqual([])
  })

  test('a field of several templates keeps its first place, and is required if one template says so', () => {
    const field = (fieldId: number, required = false, group = '') => ({ fieldId, required, group })
    const fields = mergeFields([
      { templateId: 1, fields: [field(5, false, 'a'), field(6, true)] },
      { templateId: 2, fields: [field(7), field(5, true, 'b'), field(6)] },
    ])
    expect(fields).toEqual([
      { fieldId: 5, templateId: 1, group: 'a', order: 0, required: true },
      { fieldId: 6, templateId: 1, group: '', order: 1, required: true },
      { fieldId: 7, templateId: 2, group: '', order: 2, required: false },
    ])
  })
})
