/** Fields in their scopes: creating, listing, changing and deleting them. */

import { describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { metaFields } from '#db/schema/meta.ts'
import { adminLogs } from '#db/schema/operation-log.ts'
import { MAX_FIELDS } from '#domains/metadata/fields/fields.model.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'

import { inProcess, ok, race, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, UNKNOWN_ID } from '../orgs/helpers.ts'
import { createField, createGlobalField, idsOf, listFields, refusal } from './helpers.ts'

const objectName = 'asset'

describe('fields', () => {
  const { server, admin, alice, bob, owner, member } = useServer({ people: ['alice', 'bob', 'owner', 'member'] })
  const put = (id: number, body: object) => alice.put(`/api/meta/objects/asset/fields/${id}`, body)

  test('POST /api/meta/objects/asset/fields creates a field that only its user sees', async () => {
    const body = {
      name: ' Voltage ',
      type: 'NUMBER',
      key: 'voltage',
      config: { min: 0, unit: 'V' },
      sortOrder: 3,
    } as const
    const field = ok(await alice.call('metadata.createField', { params: { objectName }, body })).data
    expect(field).toEqual({
      id: field.id,
      objectName,
      key: 'voltage',
      name: 'Voltage',
      type: 'NUMBER',
      scope: 'USER',
      orgId: null,
      userId: alice.id,
      entityColumn: null,
      config: field.config,
      description: '',
      sortOrder: 3,
      version: 1,
      createdAt: field.createdAt,
      updatedAt: field.createdAt,
    })
    expect(field.config).toMatchObject({ min: 0, unit: 'V' })
    expect(idsOf(await listFields(alice))).toContain(field.id)
    expect(idsOf(await listFields(bob))).not.toContain(field.id)
    expect(idsOf(await listFields(alice, {}, 'qrCode'))).not.toContain(field.id)
  })

  test('a field without a key gets f and its id, also if that key is taken', async () => {
    const field = await createField(alice)
    expect(field.key).toBe(`f${field.id}`)
    // Takes the next id, and the key that the id after it would give.
    await createField(alice, { key: `f${field.id + 2}` })
    const next = await createField(alice)
    expect(next.key).toBe(`f${next.id}x`)
  })

  test('a key is unique for each object and owner, and free again after the field is deleted', async () => {
    const field = await createField(alice, { key: 'unique' })
    const body = { name: 'x', type: 'TEXT', key: 'unique' }
    expect(refusal(await alice.post('/api/meta/objects/asset/fields', body))).toBe('400 body.key')
    await createField(bob, { key: 'unique' })
    await createField(alice, { key: 'unique' }, { objectName: 'qrCode' })
    ok(await alice.delete(`/api/meta/objects/asset/fields/${field.id}`))
    const again = await createField(alice, { key: 'unique' })
    expect(again.id).not.toBe(field.id)
    for (const key of ['Unique', '1a', 'a b', 'a_b', '', 'a'.repeat(41)])
      expect(refusal(await alice.post('/api/meta/objects/asset/fields', { ...body, key }))).toBe('400 body.key')
  })

  test('fifty parallel creations with one key have one winner', async () => {
    const body = { name: 'x', type: 'TEXT', key: 'raced' }
    const replies = await race(50, () => alice.post('/api/meta/objects/asset/fields', body))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(replies.map(refusal))).toEqual(new Set(['200', '400 body.key']))
    expect((await listFields(alice)).filter(({ key }) => key === 'raced')).toHaveLength(1)
  })

  test('invalid fields are refused at their path, and nothing is stored', async () => {
    const before = await listFields(alice)
    for (const [body, expected] of [
      [{ type: 'TEXT' }, '400 body.name'],
      [{ name: '', type: 'TEXT' }, '400 body.name'],
      [{ name: 'x' }, '400 body.type'],
      [{ name: 'x', type: 'CURRENCY' }, '400 body.type'],
      [{ name: 'x', type: 'TEXT', config: 'x' }, '400 body.config'],
      [{ name: 'x', type: 'NUMBER', config: { min: 2, max: 1 } }, '400 body.config.min'],
      [{ name: 'x', type: 'SELECT' }, '400 body.config.options'],
      [{ name: 'x', type: 'TEXT', sortOrder: 1.5 }, '400 body.sortOrder'],
    ] as const)
      expect(`${JSON.stringify(body)} ${refusal(await alice.post('/api/meta/objects/asset/fields', body))}`).toBe(
        `${JSON.stringify(body)} ${expected}`,
      )
    expect((await alice.post('/api/meta/objects/unknown/fields', { name: 'x', type: 'TEXT' })).status).toBe(404)
    expect(await listFields(alice)).toEqual(before)
  })

  test('scope, owner and column in the body of a user or an organization are ignored', async () => {
    const org = await createOrg(owner)
    const body = { name: 'x', type: 'TEXT', scope: 'GLOBAL', orgId: org.id, userId: bob.id, entityColumn: 'brand' }
    const own = ok(await alice.post('/api/meta/objects/asset/fields', body)).data
    expect(own).toMatchObject({ scope: 'USER', orgId: null, userId: alice.id, entityColumn: null })
    const ofOrg = ok(await owner.post(`/api/orgs/${org.id}/meta/objects/asset/fields`, body)).data
    expect(ofOrg).toMatchObject({ scope: 'ORG', orgId: org.id, userId: null, entityColumn: null })
  })

  test('with orgId a member sees GLOBAL, ORG and own fields in this order, each scope by sortOrder and id', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const place = { orgId: org.id }
    const last = await createField(owner, { sortOrder: 5 }, place)
    const first = await createField(owner, { sortOrder: -1 }, place)
    const second = await createField(owner, { sortOrder: -1 }, place)
    const own = await createField(member, { sortOrder: -9 })
    await createField(owner)
    const seen = await listFields(member, { orgId: org.id })
    expect(seen.slice(0, 8).every(({ scope }) => scope === 'GLOBAL')).toBe(true)
    expect(idsOf(seen).slice(-4)).toEqual([first.id, second.id, last.id, own.id])
    expect(idsOf(await listFields(member))).not.toContain(first.id)
    expect(idsOf(await listFields(member, { orgId: org.id, scope: 'ORG' }))).toEqual([first.id, second.id, last.id])
    expect(idsOf(await listFields(member, { orgId: org.id, scope: 'USER' }))).toEqual([own.id])
    const mirrored = ok(await member.get(`/api/orgs/${org.id}/meta/objects/asset/fields`, { size: 100 })).data.items
    expect(idsOf(mirrored)).toEqual(idsOf(seen).slice(0, -1))
    expect((await alice.get('/api/meta/objects/asset/fields', { orgId: org.id })).status).toBe(403)
    expect((await alice.get(`/api/orgs/${org.id}/meta/objects/asset/fields`)).status).toBe(403)
    expect((await server.request('GET', '/api/meta/objects/asset/fields')).status).toBe(401)
  })

  test('the list is filtered by type and keyword, and comes in pages', async () => {
    const user = await server.person()
    const [a, b] = [
      await createField(user, { name: 'Wattage', type: 'NUMBER', key: 'power' }),
      await createField(user, { name: 'Power plug', type: 'TEXT' }),
    ]
    expect(idsOf(await listFields(user, { keyword: 'POWER' }))).toEqual([a.id, b.id])
    expect(idsOf(await listFields(user, { keyword: 'power', type: 'TEXT' }))).toEqual([b.id])
    expect(await listFields(user, { keyword: '%' })).toEqual([])
    const page = ok(await user.get('/api/meta/objects/asset/fields', { page: 2, size: 9 })).data
    expect(page).toMatchObject({ total: 10, page: 2, size: 9 })
    expect(idsOf(page.items)).toEqual([b.id])
  })

  test('a field of a wider scope that the caller sees is refused with 403, and others with 404', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const ofOrg = await createField(owner, {}, { orgId: org.id })
    const elsewhere = await createField(owner, {}, { orgId: (await createOrg(owner)).id })
    const [global] = await listFields(alice)
    const [ofAlice, ofBob] = [await createField(alice), await createField(bob)]
    const own = '/api/meta/objects/asset/fields'
    const mirror = `/api/orgs/${org.id}/meta/objects/asset/fields`
    for (const [who, path, id, status] of [
      [alice, own, global!.id, 403],
      [alice, own, ofBob.id, 404],
      [alice, own, ofOrg.id, 404],
      [alice, own, UNKNOWN_ID, 404],
      [member, own, ofOrg.id, 403],
      [owner, mirror, global!.id, 403],
      [owner, mirror, elsewhere.id, 404],
      [owner, mirror, ofAlice.id, 404],
      [member, mirror, ofOrg.id, 403],
      [alice, mirror, ofOrg.id, 403],
      [alice, '/api/meta/objects/qrCode/fields', ofAlice.id, 404],
    ] as const) {
      expect(`${path} ${id} ${(await who.put(`${path}/${id}`, { name: 'stolen' })).status}`).toBe(
        `${path} ${id} ${status}`,
      )
      expect((await who.delete(`${path}/${id}`)).status).toBe(status)
    }
    expect(await listFields(bob, { scope: 'USER' })).toContainEqual(ofBob)
    expect(await listFields(owner, { orgId: org.id, scope: 'ORG' })).toEqual([ofOrg])
  })

  test('PUT changes only the fields present, raises the version for a change, and never changes the key', async () => {
    const field = await createField(alice, { type: 'NUMBER', config: { min: 1 }, description: 'd' })
    const renamed = ok(await put(field.id, { name: 'Renamed', key: 'other' })).data
    expect(renamed).toEqual({ ...field, name: 'Renamed', version: 2, updatedAt: renamed.updatedAt })
    expect(renamed.updatedAt).toBeGreaterThan(field.updatedAt)
    const cleared = ok(await put(field.id, { description: null, config: null })).data
    expect(cleared).toMatchObject({ description: '', version: 3 })
    expect(cleared.config.min).toBeUndefined()
    expect(ok(await put(field.id, { name: 'Renamed', type: 'NUMBER' })).data).toEqual(cleared)
    expect(refusal(await put(field.id, { config: { precision: 7 } }))).toBe('400 body.config.precision')
    expect(refusal(await put(field.id, { type: 'SELECT' }))).toBe('400 body.config.options')
  })

  test('a type changes while there are no values, and keys of the old configuration are dropped', async () => {
    const field = await createField(alice, { config: { maxLength: 5, help: 'h' } })
    const changed = ok(await put(field.id, { type: 'NUMBER' })).data
    expect(changed).toMatchObject({ type: 'NUMBER', version: 2 })
    expect(changed.config).toMatchObject({ help: 'h' })
    expect(changed.config.maxLength).toBeUndefined()
  })

  test('DELETE takes the field out of lists and templates, and answers 404 the second time', async () => {
    const [field, kept] = [await createField(alice), await createField(alice)]
    const template = ok(await alice.post('/api/meta/objects/asset/templates', { name: 't' })).data
    const items = [{ fieldId: field.id }, { fieldId: kept.id }]
    ok(await alice.put(`/api/meta/templates/${template.id}/fields`, { items }))
    const deleted = ok(await alice.delete(`/api/meta/objects/asset/fields/${field.id}`))
    expect(deleted.data).toBeNull()
    expect(idsOf(await listFields(alice))).not.toContain(field.id)
    const left = ok(await alice.get(`/api/meta/templates/${template.id}/fields`)).data.items
    expect(left).toMatchObject([{ fieldId: kept.id, order: 0 }])
    const listed = ok(await alice.get('/api/meta/objects/asset/templates', { keyword: 't' })).data.items
    expect(listed.find(({ id }: { id: number }) => id === template.id).fieldCount).toBe(1)
    expect((await alice.delete(`/api/meta/objects/asset/fields/${field.id}`)).status).toBe(404)
    expect((await put(field.id, { name: 'x' })).status).toBe(404)
  })

  test('fifty parallel creations do not exceed the limit of fields for each object and owner', async () => {
    const user = await server.person()
    for (let i = 0; i < MAX_FIELDS - 10; i++) await createField(user)
    const body = { name: 'x', type: 'TEXT' }
    const replies = await race(50, () => user.post('/api/meta/objects/asset/fields', body))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(replies.find(({ status }) => status === 400)!.message).toContain('200 fields')
    await createField(user, {}, { objectName: 'qrCode' })
  })

  test('a long configuration counts as several of the new fields of a user in an hour', async () => {
    await using limited = await startServer({ rateLimit: true })
    const user = await limited.person()
    const create = (characters: number) => {
      const config = { options: ['a'], unknown: 'x'.repeat(characters) }
      return user.post('/api/meta/objects/asset/fields', { name: 'x', type: 'SELECT', config })
    }
    // Each counts as 98, so that 20 of 1,000 are left.
    for (let i = 0; i < 10; i++) ok(await create(975_000))
    expect(await create(975_000)).toMatchObject({ status: 429, code: 4022 })
    for (let i = 0; i < 20; i++) ok(await create(0))
    expect((await create(0)).status).toBe(429)
  })

  test('the configurations of all fields of an owner have a limit together', async () => {
    const user = await server.person()
    const options = Array.from({ length: 200 }, (_, i) => ({ value: `${i} ${'v'.repeat(90)}`, label: 'l'.repeat(100) }))
    const create = () => user.post('/api/meta/objects/asset/fields', { name: 'x', type: 'SELECT', config: { options } })
    const sizes: number[] = []
    let reply = await create()
    for (; reply.status === 200; reply = await create()) sizes.push(JSON.stringify(reply.data.config).length)
    expect(refusal(reply)).toBe('400 body.config')
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(total).toBeLessThanOrEqual(1_000_000)
    expect(total + sizes[0]!).toBeGreaterThan(1_000_000)
    const small = await createField(user)
    const path = `/api/meta/objects/asset/fields/${small.id}`
    expect(refusal(await user.put(path, { type: 'SELECT', config: { options } }))).toBe('400 body.config')
  })

  describe('of every scope', () => {
    const create = (body: object) =>
      admin.post('/api/admin/meta/fields', { objectName, name: 'x', type: 'TEXT', ...body })

    test('an administrator creates, lists, changes and deletes fields of every scope', async () => {
      const org = await createOrg(owner)
      const global = ok(await create({ scope: 'GLOBAL', name: 'of everybody' })).data
      const ofOrg = ok(await create({ scope: 'ORG', orgId: org.id, name: 'of the org' })).data
      const ofBob = ok(await create({ scope: 'USER', userId: bob.id, name: 'of bob' })).data
      expect(global).toMatchObject({ scope: 'GLOBAL', orgId: null, userId: null })
      expect(ofOrg).toMatchObject({ scope: 'ORG', orgId: org.id, userId: null })
      expect(ofBob).toMatchObject({ scope: 'USER', orgId: null, userId: bob.id })
      expect(idsOf(await listFields(bob))).toContain(ofBob.id)
      const list = async (query: Record<string, string | number>) =>
        idsOf(ok(await admin.get('/api/admin/meta/fields', { size: 100, ...query })).data.items)
      expect(await list({ orgId: org.id })).toEqual([ofOrg.id])
      expect(await list({ userId: bob.id, objectName, keyword: 'of bob' })).toEqual([ofBob.id])
      expect(await list({ scope: 'GLOBAL', keyword: 'OF EVERY' })).toEqual([global.id])
      expect(ok(await admin.put(`/api/admin/meta/fields/${ofBob.id}`, { name: 'changed' })).data.name).toBe('changed')
      for (const { id } of [global, ofOrg, ofBob]) ok(await admin.delete(`/api/admin/meta/fields/${id}`))
      expect((await admin.delete(`/api/admin/meta/fields/${global.id}`)).status).toBe(404)
      expect((await admin.put(`/api/admin/meta/fields/${global.id}`, {})).status).toBe(404)
      for (const method of ['get', 'post'] as const)
        expect((await alice[method]('/api/admin/meta/fields')).status).toBe(403)
      expect((await alice.put(`/api/admin/meta/fields/${global.id}`, {})).status).toBe(403)
    })

    test('a scope without its id, or with the id of another scope, is refused', async () => {
      const org = await createOrg(owner)
      for (const [body, expected] of [
        [{}, '400 body.scope'],
        [{ scope: 'ORG' }, '400 body.orgId'],
        [{ scope: 'USER' }, '400 body.userId'],
        [{ scope: 'GLOBAL', orgId: org.id }, '400 body.orgId'],
        [{ scope: 'GLOBAL', userId: bob.id }, '400 body.userId'],
        [{ scope: 'ORG', orgId: org.id, userId: bob.id }, '400 body.userId'],
        [{ scope: 'ORG', orgId: UNKNOWN_ID }, '400 body.orgId'],
        [{ scope: 'USER', userId: UNKNOWN_ID }, '400 body.userId'],
        [{ scope: 'GLOBAL', objectName: 'unknown' }, '400 body.objectName'],
      ] as const)
        expect(`${JSON.stringify(body)} ${refusal(await create(body))}`).toBe(`${JSON.stringify(body)} ${expected}`)
    })

    test('a column of assets has one GLOBAL field, of the type of the column', async () => {
      const fields = await listFields(alice, { scope: 'GLOBAL' })
      const ofColumn = (column: string) => fields.find(({ entityColumn }) => entityColumn === column)!
      const global = { scope: 'GLOBAL', type: 'DATE', entityColumn: 'purchaseDate' }
      expect(refusal(await create(global))).toBe('400 body.entityColumn')
      ok(await admin.delete(`/api/admin/meta/fields/${ofColumn('purchaseDate').id}`))
      for (const [body, expected] of [
        [{ ...global, type: 'TEXT' }, '400 body.type'],
        [{ ...global, entityColumn: 'name' }, '400 body.entityColumn'],
        [{ ...global, objectName: 'qrCode' }, '400 body.entityColumn'],
        [{ ...global, scope: 'USER', userId: bob.id }, '400 body.entityColumn'],
      ] as const)
        expect(`${JSON.stringify(body)} ${refusal(await create(body))}`).toBe(`${JSON.stringify(body)} ${expected}`)
      const replies = await race(50, () => create({ ...global, entityColumn: 'purchase_date' }))
      const [created, ...others] = replies.filter(({ status }) => status === 200)
      expect(others).toEqual([])
      expect(created!.data).toMatchObject({ entityColumn: 'purchaseDate' })
      expect(refusal(await admin.put(`/api/admin/meta/fields/${created!.data.id}`, { type: 'TEXT' }))).toBe(
        '400 body.type',
      )
    })

    test('the field of the price keeps two decimals', async () => {
      const [price] = await listFields(alice, { keyword: 'Purchase price' })
      const path = `/api/admin/meta/fields/${price!.id}`
      expect(refusal(await admin.put(path, { config: { precision: 3 } }))).toBe('400 body.config.precision')
      expect(ok(await admin.put(path, { config: { min: 0, max: 5 } })).data.config).toMatchObject({
        max: 5,
        precision: 2,
      })
    })
  })

  test.if(inProcess)('nothing can be created in a disabled organization, and fields of it stay visible', async () => {
    const org = await createOrg(owner)
    const field = await createField(owner, {}, { orgId: org.id })
    await server.ctx.db.write('test.disable', (tx) => setOrgStatus(server.ctx, tx, org.id, 'DISABLED'))
    const path = `/api/orgs/${org.id}/meta/objects/asset/fields`
    expect((await owner.post(path, { name: 'x', type: 'TEXT' })).status).toBe(403)
    expect((await owner.put(`${path}/${field.id}`, { name: 'x' })).status).toBe(403)
    expect((await owner.delete(`${path}/${field.id}`)).status).toBe(403)
    expect(idsOf(await listFields(owner, { orgId: org.id, scope: 'ORG' }))).toEqual([field.id])
  })

  test.if(inProcess)(
    'writes of administrators are recorded in the operation log, unless they change nothing',
    async () => {
      const field = await createGlobalField(admin, { name: 'logged' })
      ok(await admin.put(`/api/admin/meta/fields/${field.id}`, { description: 'new' }))
      ok(await admin.put(`/api/admin/meta/fields/${field.id}`, { description: 'new' }))
      ok(await admin.delete(`/api/admin/meta/fields/${field.id}`))
      const rows = await server.ctx.db.read
        .select()
        .from(adminLogs)
        .where(and(eq(adminLogs.targetType, 'META_FIELD'), eq(adminLogs.targetId, field.id)))
      expect(rows.map(({ action, before, after }) => [action, before, after])).toMatchObject([
        ['META_FIELD_CREATE', null, { name: 'logged', scope: 'GLOBAL' }],
        ['META_FIELD_UPDATE', { description: '' }, { description: 'new' }],
        ['META_FIELD_DELETE', { name: 'logged' }, null],
      ])
      const [row] = await server.ctx.db.read.select().from(metaFields).where(eq(metaFields.id, field.id))
      expect(row!.deletedAt).toBeGreaterThan(0)
    },
  )
})
