/** Templates in their scopes: creating, listing, changing, copying and deleting them, and their fields. */

import { describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { adminLogs } from '#db/schema/operation-log.ts'
import { MAX_FIELDS } from '#domains/metadata/fields/fields.model.ts'
import { unknownTemplates } from '#domains/metadata/index.ts'
import { MAX_TEMPLATES } from '#domains/metadata/templates/templates.model.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, UNKNOWN_ID } from '../orgs/helpers.ts'
import {
  createField,
  createGlobalField,
  createGlobalTemplate,
  createTemplate,
  idsOf,
  listFields,
  refusal,
  setFields,
} from './helpers.ts'

describe('templates', () => {
  const { server, admin, alice, bob, owner, member } = useServer({ people: ['alice', 'bob', 'owner', 'member'] })

  const list = async (user: Person, query: Record<string, string | number> = {}) =>
    ok(await user.get('/api/meta/objects/asset/templates', { size: 100, ...query })).data.items as {
      id: number
      name: string
      isDefault: boolean
    }[]
  const standard = async () => (await list(alice)).find(({ name }) => name === 'Standard fields')!

  test('POST /api/meta/objects/asset/templates creates a template that only its user sees', async () => {
    const body = { name: ' Laptops ', description: 'With a battery', scope: 'GLOBAL', orgId: 1, userId: bob.id }
    const template = ok(await alice.post('/api/meta/objects/asset/templates', body)).data
    expect(template).toEqual({
      id: template.id,
      objectName: 'asset',
      name: 'Laptops',
      description: 'With a battery',
      scope: 'USER',
      orgId: null,
      userId: alice.id,
      isDefault: false,
      sourceId: null,
      fieldCount: 0,
      version: 1,
      createdAt: template.createdAt,
      updatedAt: template.createdAt,
    })
    expect(idsOf(await list(alice))).toEqual([(await standard()).id, template.id])
    expect(idsOf(await list(bob))).toEqual([(await standard()).id])
    expect(refusal(await alice.post('/api/meta/objects/asset/templates', { name: '' }))).toBe('400 body.name')
    expect((await alice.post('/api/meta/objects/nothing/templates', { name: 'x' })).status).toBe(404)
  })

  test('categoryScope decides whether the templates of a user or of an organization are listed', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const ofOrg = await createTemplate(owner, { name: 'of the org' }, { orgId: org.id })
    const own = await createTemplate(member, { name: 'of the member' })
    const { id } = await standard()
    expect(idsOf(await list(member))).toEqual([id, own.id])
    expect(idsOf(await list(member, { categoryScope: 'PERSONAL', orgId: org.id }))).toEqual([id, own.id])
    expect(idsOf(await list(member, { categoryScope: 'ORG', orgId: org.id }))).toEqual([id, ofOrg.id])
    expect(idsOf(await list(member, { categoryScope: 'ORG', orgId: org.id, keyword: 'THE ORG' }))).toEqual([ofOrg.id])
    const path = '/api/meta/objects/asset/templates'
    expect(refusal(await member.get(path, { categoryScope: 'ORG' }))).toBe('400 query.orgId')
    expect((await alice.get(path, { categoryScope: 'ORG', orgId: org.id })).status).toBe(403)
    expect(refusal(await alice.get(path, { categoryScope: 'GLOBAL' }))).toBe('400 query.categoryScope')
    const mirrored = ok(await member.get(`/api/orgs/${org.id}/meta/objects/asset/templates`)).data.items
    expect(idsOf(mirrored)).toEqual([id, ofOrg.id])
    expect((await alice.get(`/api/orgs/${org.id}/meta/objects/asset/templates`)).status).toBe(403)
    expect((await server.request('GET', path)).status).toBe(401)
  })

  test('a GLOBAL template that the caller sees is refused with 403, and templates of others with 404', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const ofOrg = await createTemplate(owner, {}, { orgId: org.id })
    const elsewhere = await createTemplate(owner, {}, { orgId: (await createOrg(owner)).id })
    const [ofBob, ofOwner] = [await createTemplate(bob), await createTemplate(owner)]
    const { id } = await standard()
    const [own, mirror] = ['/api/meta/templates', `/api/orgs/${org.id}/meta/templates`]
    for (const [who, path, templateId, write, read] of [
      [alice, own, id, 403, 200],
      [alice, own, ofBob.id, 404, 404],
      [owner, own, ofOrg.id, 404, 404],
      [alice, own, UNKNOWN_ID, 404, 404],
      [owner, mirror, id, 403, 200],
      [owner, mirror, elsewhere.id, 404, 404],
      [owner, mirror, ofOwner.id, 404, 404],
      [member, mirror, ofOrg.id, 403, 200],
      [alice, mirror, ofOrg.id, 403, 403],
    ] as const) {
      const at = `${path}/${templateId}`
      expect(`${at} ${(await who.put(at, { name: 'stolen' })).status}`).toBe(`${at} ${write}`)
      expect((await who.put(`${at}/fields`, { items: [] })).status).toBe(write)
      expect((await who.delete(at)).status).toBe(write)
      expect(`${at} ${(await who.get(`${at}/fields`)).status}`).toBe(`${at} ${read}`)
    }
    expect((await list(bob)).some(({ name }) => name === 'stolen')).toBe(false)
    expect((await standard()).id).toBe(id)
  })

  test('PUT changes only the fields present, and raises the version for a change', async () => {
    const template = await createTemplate(alice, { description: 'd' })
    const path = `/api/meta/templates/${template.id}`
    const renamed = ok(await alice.put(path, { name: 'renamed' })).data
    expect(renamed).toEqual({ ...template, name: 'renamed', version: 2, updatedAt: renamed.updatedAt })
    expect(ok(await alice.put(path, { name: 'renamed', isDefault: false })).data).toEqual(renamed)
    expect(ok(await alice.put(path, { description: null })).data).toMatchObject({ description: '', version: 3 })
    expect(refusal(await alice.put(path, { name: null }))).toBe('400 body.name')
  })

  test('each owner has one default template for each object, also after fifty parallel changes', async () => {
    const user = await server.person()
    const first = await createTemplate(user, { isDefault: true })
    const second = await createTemplate(user, { isDefault: true })
    const defaults = async () => idsOf((await list(user)).filter(({ isDefault }) => isDefault)).slice(1)
    expect(await defaults()).toEqual([second.id])
    const before = ok(await user.get('/api/meta/objects/asset/templates')).data.items[1]
    expect(before).toMatchObject({ id: first.id, version: 2 })
    await createTemplate(user, { isDefault: true }, { objectName: 'qrCode' })
    expect(await defaults()).toEqual([second.id])
    const both = [first, second]
    const replies = await race(50, (i) => user.put(`/api/meta/templates/${both[i % 2]!.id}`, { isDefault: true }))
    for (const reply of replies) ok(reply)
    expect(await defaults()).toHaveLength(1)
    const created = await race(50, () => user.post('/api/meta/objects/asset/templates', { name: 'x', isDefault: true }))
    for (const reply of created) ok(reply)
    expect(await defaults()).toHaveLength(1)
    expect((await standard()).isDefault).toBe(true)
  })

  test('fifty parallel creations do not exceed the limit of templates for each object and owner', async () => {
    const user = await server.person()
    for (let i = 0; i < MAX_TEMPLATES - 10; i++) await createTemplate(user)
    const replies = await race(50, () => user.post('/api/meta/objects/asset/templates', { name: 'x' }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
    const { id } = await standard()
    expect((await user.post(`/api/meta/templates/${id}/fork`)).status).toBe(400)
    await createTemplate(user, {}, { objectName: 'qrCode' })
  })

  describe('fields', () => {
    test('PUT replaces all fields, whose order counts, and raises the version if they differ', async () => {
      const template = await createTemplate(alice)
      const [own, [brand, model]] = [await createField(alice), await listFields(alice)]
      const path = `/api/meta/templates/${template.id}/fields`
      const items = [
        { fieldId: own.id, group: 'Power', required: true },
        { fieldId: model!.id },
        { fieldId: brand!.id, group: null, required: false },
      ]
      const answer = ok(await alice.put(path, { items })).data
      expect(answer.items).toEqual([
        { fieldId: own.id, order: 0, group: 'Power', required: true, field: own },
        { fieldId: model!.id, order: 1, group: '', required: false, field: model },
        { fieldId: brand!.id, order: 2, group: '', required: false, field: brand },
      ])
      expect(ok(await alice.get(path)).data).toEqual(answer)
      const seen = async () => (await list(alice)).find(({ id }) => id === template.id)
      expect(await seen()).toMatchObject({ fieldCount: 3, version: 2 })
      ok(await alice.put(path, { items }))
      expect(await seen()).toMatchObject({ version: 2 })
      ok(await alice.put(path, { items: items.toReversed() }))
      expect(ok(await alice.get(path)).data.items[0].fieldId).toBe(brand!.id)
      expect(await seen()).toMatchObject({ version: 3 })
      expect(ok(await alice.put(path, { items: [] })).data.items).toEqual([])
    })

    test('fields that the scope of the template does not have, and repeated ones, are refused, and nothing changes', async () => {
      const org = await createOrg(owner)
      const [ofOrg, ofOwner] = [await createField(owner, {}, { orgId: org.id }), await createField(owner)]
      const ofCodes = await createField(owner, {}, { objectName: 'qrCode' })
      const [brand] = await listFields(alice)
      const [personal, ofOrgTemplate] = [
        await createTemplate(owner),
        await createTemplate(owner, {}, { orgId: org.id }),
      ]
      const global = await createGlobalTemplate(admin)
      const [own, mirror, any] = [
        `/api/meta/templates/${personal.id}/fields`,
        `/api/orgs/${org.id}/meta/templates/${ofOrgTemplate.id}/fields`,
        `/api/admin/meta/templates/${global.id}/fields`,
      ]
      const put = (who: Person, path: string, ...ids: number[]) =>
        who.put(path, { items: ids.map((fieldId) => ({ fieldId })) })
      for (const [who, path, id, expected] of [
        [owner, own, ofOwner.id, '200'],
        [owner, own, ofOrg.id, '400 body.items.1.fieldId'],
        [owner, own, ofCodes.id, '400 body.items.1.fieldId'],
        [owner, own, UNKNOWN_ID, '400 body.items.1.fieldId'],
        [owner, own, brand!.id, '400 body.items.1.fieldId'],
        [owner, mirror, ofOrg.id, '200'],
        [owner, mirror, ofOwner.id, '400 body.items.1.fieldId'],
        [admin, any, ofOrg.id, '400 body.items.1.fieldId'],
        [admin, any, ofOwner.id, '400 body.items.1.fieldId'],
      ] as const)
        expect(`${path} ${refusal(await put(who, path, brand!.id, id))}`).toBe(`${path} ${expected}`)
      expect(ok(await owner.get(own)).data.items.map((item: { fieldId: number }) => item.fieldId)).toEqual([
        brand!.id,
        ofOwner.id,
      ])
      expect(ok(await admin.get(any)).data.items).toEqual([])
      const items = Array.from({ length: 101 }, () => ({ fieldId: brand!.id }))
      expect(refusal(await owner.put(own, { items }))).toBe('400 body.items')
      expect(refusal(await owner.put(own, {}))).toBe('400 body.items')
    })

    test('fifty parallel replacements leave the fields of one of them', async () => {
      const template = await createTemplate(alice)
      const fields = (await listFields(alice)).slice(0, 5)
      const orders = fields.map((_, i) => idsOf([...fields.slice(i), ...fields.slice(0, i)]))
      await race(50, (i) => setFields(alice, template.id, orders[i % 5]!))
      const left = ok(await alice.get(`/api/meta/templates/${template.id}/fields`)).data.items
      expect(orders).toContainEqual(left.map((item: { fieldId: number }) => item.fieldId))
    })
  })

  describe('copies', () => {
    test('a copy for a user has the same fields, a source, and is never the default', async () => {
      const { id } = await standard()
      const copy = ok(await alice.post(`/api/meta/templates/${id}/fork`)).data
      expect(copy).toMatchObject({
        name: 'Standard fields (copy)',
        scope: 'USER',
        userId: alice.id,
        isDefault: false,
        sourceId: id,
        fieldCount: 8,
      })
      const fields = async (templateId: number) => ok(await alice.get(`/api/meta/templates/${templateId}/fields`)).data
      expect(await fields(copy.id)).toEqual(await fields(id))
      const again = ok(await alice.post(`/api/meta/templates/${copy.id}/fork`, { name: 'Mine' })).data
      expect(again).toMatchObject({ name: 'Mine', sourceId: copy.id, fieldCount: 8 })
      ok(await alice.put(`/api/meta/templates/${copy.id}/fields`, { items: [] }))
      expect((await fields(again.id)).items).toHaveLength(8)
      expect((await bob.post(`/api/meta/templates/${copy.id}/fork`)).status).toBe(404)
    })

    test('the name of a copy is cut to 100 characters', async () => {
      const template = await createTemplate(alice, { name: '👩‍🔧'.repeat(100) })
      const copy = ok(await alice.post(`/api/meta/templates/${template.id}/fork`)).data
      expect(copy.name).toBe(`${'👩‍🔧'.repeat(93)} (copy)`)
    })

    test('a copy into an organization has copies of the fields, except those of fixed columns', async () => {
      const org = await createOrg(owner)
      const price = await createGlobalField(admin, { key: 'netPrice', type: 'NUMBER', config: { min: 0 } })
      const gross = await createGlobalField(admin, {
        key: 'grossPrice',
        type: 'COMPUTED',
        config: { formula: '{netPrice} * 1.19' },
      })
      const [brand] = await listFields(alice)
      const template = await createGlobalTemplate(admin, { name: 'Prices', description: 'd', isDefault: false })
      const items = [
        { fieldId: gross.id, group: 'Money', required: false },
        { fieldId: brand!.id },
        { fieldId: price.id, required: true },
      ]
      ok(await admin.put(`/api/admin/meta/templates/${template.id}/fields`, { items }))
      const path = `/api/orgs/${org.id}/meta/templates/${template.id}/fork`
      const copy = ok(await owner.post(path)).data
      expect(copy).toMatchObject({
        name: 'Prices (copy)',
        description: 'd',
        scope: 'ORG',
        orgId: org.id,
        sourceId: template.id,
        fieldCount: 3,
      })
      const fields = ok(await owner.get(`/api/orgs/${org.id}/meta/templates/${copy.id}/fields`)).data.items
      expect(fields).toMatchObject([
        { group: 'Money', required: false, field: { key: 'grossPrice', scope: 'ORG', type: 'COMPUTED' } },
        { fieldId: brand!.id, field: { scope: 'GLOBAL' } },
        { group: '', required: true, field: { key: 'netPrice', scope: 'ORG', orgId: org.id, config: price.config } },
      ])
      // The copied formula names the copied field, so that field cannot be deleted.
      const ofOrg = `/api/orgs/${org.id}/meta/objects/asset/fields`
      expect((await owner.delete(`${ofOrg}/${fields[2].fieldId}`)).status).toBe(400)
      ok(await owner.put(`${ofOrg}/${fields[2].fieldId}`, { name: 'changed here' }))
      expect(ok(await admin.get(`/api/admin/meta/templates/${template.id}/fields`)).data.items[2].field.name).toBe(
        price.name,
      )

      const second = ok(await owner.post(path, { name: 'Again' })).data
      const again = ok(await owner.get(`/api/orgs/${org.id}/meta/templates/${second.id}/fields`)).data.items
      expect(again.map((item: { fieldId: number }) => item.fieldId)).toEqual(
        fields.map((item: { fieldId: number }) => item.fieldId),
      )
      expect(await listFields(owner, { orgId: org.id, scope: 'ORG' })).toHaveLength(2)
    })

    test('a copy into an organization is refused whole if a field does not fit there', async () => {
      const org = await createOrg(owner)
      const [first, second] = [await createGlobalField(admin), await createGlobalField(admin, { key: 'clash' })]
      const template = await createGlobalTemplate(admin)
      const items = [{ fieldId: first.id }, { fieldId: second.id }]
      ok(await admin.put(`/api/admin/meta/templates/${template.id}/fields`, { items }))
      const clash = await createField(owner, { key: 'clash', type: 'NUMBER' }, { orgId: org.id })
      const fork = () => owner.post(`/api/orgs/${org.id}/meta/templates/${template.id}/fork`)
      const ofOrg = async () => listFields(owner, { orgId: org.id, scope: 'ORG' })
      const refused = await fork()
      expect(refused.status).toBe(400)
      expect(refused.message).toContain('clash')
      expect(await ofOrg()).toEqual([clash])
      ok(await owner.delete(`/api/orgs/${org.id}/meta/objects/asset/fields/${clash.id}`))
      for (let i = 0; i < MAX_FIELDS - 1; i++) await createField(owner, {}, { orgId: org.id })
      expect((await fork()).message).toContain('200 fields')
      expect(ok(await owner.get(`/api/orgs/${org.id}/meta/objects/asset/fields`, { scope: 'ORG' })).data.total).toBe(
        MAX_FIELDS - 1,
      )
      expect(await list(owner, { categoryScope: 'ORG', orgId: org.id, keyword: 'copy' })).toEqual([])
    })

    test('fifty parallel copies into an organization share the copies of the fields', async () => {
      const org = await createOrg(owner)
      const field = await createGlobalField(admin)
      const template = await createGlobalTemplate(admin)
      ok(await admin.put(`/api/admin/meta/templates/${template.id}/fields`, { items: [{ fieldId: field.id }] }))
      const replies = await race(50, () => owner.post(`/api/orgs/${org.id}/meta/templates/${template.id}/fork`))
      for (const reply of replies) ok(reply)
      expect(await listFields(owner, { orgId: org.id, scope: 'ORG' })).toHaveLength(1)
    })

    test('only GLOBAL templates can be copied into an organization, by members who may create templates', async () => {
      const org = await createOrg(owner)
      await addMembers(owner, org, member)
      const [ofOrg, own] = [await createTemplate(owner, {}, { orgId: org.id }), await createTemplate(owner)]
      const fork = (who: Person, id: number) => who.post(`/api/orgs/${org.id}/meta/templates/${id}/fork`)
      for (const id of [ofOrg.id, own.id, UNKNOWN_ID]) expect((await fork(owner, id)).status).toBe(404)
      expect((await fork(member, (await standard()).id)).status).toBe(403)
      expect((await fork(alice, (await standard()).id)).status).toBe(403)
    })
  })

  describe('of every scope', () => {
    const path = '/api/admin/meta/templates'

    test('an administrator creates, lists, changes and deletes templates of every scope', async () => {
      const org = await createOrg(owner)
      const create = async (body: object) =>
        ok(await admin.post(path, { objectName: 'asset', name: 'any scope', ...body })).data
      const global = await create({ scope: 'GLOBAL' })
      const ofOrg = await create({ scope: 'ORG', orgId: org.id, isDefault: true })
      const ofBob = await create({ scope: 'USER', userId: bob.id })
      expect(ofOrg).toMatchObject({ scope: 'ORG', orgId: org.id, isDefault: true })
      const listed = async (query: Record<string, string | number>) =>
        idsOf(ok(await admin.get(path, { size: 100, ...query })).data.items)
      expect(await listed({ keyword: 'ANY SCOPE' })).toEqual([ofBob.id, ofOrg.id, global.id])
      expect(await listed({ scope: 'USER', userId: bob.id, keyword: 'any' })).toEqual([ofBob.id])
      expect(await listed({ orgId: org.id, objectName: 'asset' })).toEqual([ofOrg.id])
      const ofOrgs = `/api/admin/meta/orgs/${org.id}/templates`
      expect(idsOf(ok(await admin.get(ofOrgs)).data.items)).toEqual([ofOrg.id])
      expect(ok(await admin.get(ofOrgs, { objectName: 'qrCode' })).data.total).toBe(0)
      expect((await admin.get(`/api/admin/meta/orgs/${UNKNOWN_ID}/templates`)).status).toBe(404)
      const field = await createField(bob)
      ok(await admin.put(`${path}/${ofBob.id}/fields`, { items: [{ fieldId: field.id }] }))
      expect(ok(await bob.get(`/api/meta/templates/${ofBob.id}/fields`)).data.items).toMatchObject([{ field }])
      for (const { id } of [global, ofOrg, ofBob]) {
        ok(await admin.put(`${path}/${id}`, { description: 'changed' }))
        expect(ok(await admin.delete(`${path}/${id}`)).data).toBeNull()
        expect((await admin.delete(`${path}/${id}`)).status).toBe(404)
        expect((await admin.get(`${path}/${id}/fields`)).status).toBe(404)
      }
      for (const method of ['get', 'post'] as const) expect((await alice[method](path)).status).toBe(403)
      expect((await alice.get(ofOrgs)).status).toBe(403)
    })

    test('a scope without its id, or with the id of another scope, is refused', async () => {
      for (const [body, expected] of [
        [{}, '400 body.scope'],
        [{ scope: 'ORG' }, '400 body.orgId'],
        [{ scope: 'USER' }, '400 body.userId'],
        [{ scope: 'GLOBAL', userId: bob.id }, '400 body.userId'],
        [{ scope: 'ORG', orgId: UNKNOWN_ID }, '400 body.orgId'],
        [{ scope: 'GLOBAL', objectName: 'unknown' }, '400 body.objectName'],
      ] as const) {
        const reply = await admin.post(path, { objectName: 'asset', name: 'x', ...body })
        expect(`${JSON.stringify(body)} ${refusal(reply)}`).toBe(`${JSON.stringify(body)} ${expected}`)
      }
    })

    test.if(inProcess)('writes are recorded in the operation log, unless they change nothing', async () => {
      const template = await createGlobalTemplate(admin, { name: 'logged' })
      const [brand] = await listFields(alice)
      for (let i = 0; i < 2; i++) {
        ok(await admin.put(`${path}/${template.id}`, { description: 'new' }))
        ok(await admin.put(`${path}/${template.id}/fields`, { items: [{ fieldId: brand!.id }] }))
      }
      ok(await admin.delete(`${path}/${template.id}`))
      const rows = await server.ctx.db.read
        .select()
        .from(adminLogs)
        .where(and(eq(adminLogs.targetType, 'META_TEMPLATE'), eq(adminLogs.targetId, template.id)))
      expect(rows.map(({ action, before, after }) => [action, before, after])).toMatchObject([
        ['META_TEMPLATE_CREATE', null, { name: 'logged', scope: 'GLOBAL' }],
        ['META_TEMPLATE_UPDATE', { description: '' }, { description: 'new' }],
        ['META_TEMPLATE_FIELDS', { fields: [] }, { fields: [{ fieldId: brand!.id }] }],
        ['META_TEMPLATE_DELETE', { name: 'logged' }, null],
      ])
    })
  })

  test.if(inProcess)('unknownTemplates knows the GLOBAL templates and those of the owner', async () => {
    const org = await createOrg(owner)
    const [ofOrg, own] = [await createTemplate(owner, {}, { orgId: org.id }), await createTemplate(owner)]
    const { id } = await standard()
    const unknown = (ownerKey: number) =>
      unknownTemplates(server.ctx.db.read, 'asset', ownerKey, [id, ofOrg.id, own.id, UNKNOWN_ID])
    expect(await unknown(org.id)).toEqual([own.id, UNKNOWN_ID])
    expect(await unknown(-owner.id)).toEqual([ofOrg.id, UNKNOWN_ID])
  })
})
