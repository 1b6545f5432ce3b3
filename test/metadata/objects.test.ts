/** Objects, and the metadata that every server has from its first start. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { metaObjects } from '#db/schema/meta.ts'
import { adminLogs } from '#db/schema/operation-log.ts'
import { metadata } from '#domains/metadata/index.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createField, createTemplate, listFields, refusal } from './helpers.ts'

const BUILT_IN = ['activity', 'asset', 'category', 'org', 'qrCode']

describe('objects', () => {
  const { admin, alice } = useServer({ people: ['alice'] })
  const visible = async () => ok(await alice.call('metadata.objects')).data.items.map(({ name }) => name)
  const setStatus = (objectName: string, enabled: boolean) =>
    admin.call('metadata.setObjectStatus', { params: { objectName }, body: { enabled } })

  test('GET /api/meta/objects shows the built-in objects, with the columns of assets and the number of fields', async () => {
    const { items, total } = ok(await alice.call('metadata.objects')).data
    expect(total).toBe(5)
    expect(items.map(({ name }) => name)).toEqual(BUILT_IN)
    expect(items.every(({ enabled, builtIn }) => enabled && builtIn)).toBe(true)
    const asset = items.find(({ name }) => name === 'asset')!
    expect(asset.fieldCount).toBe(8)
    expect(asset.entityColumns).toContainEqual({ column: 'purchasePrice', type: 'NUMBER' })
    expect(asset.entityColumns).toHaveLength(8)
    await createField(alice)
    expect(ok(await alice.call('metadata.objects')).data.items[1]!.fieldCount).toBe(9)
    expect(ok(await admin.call('metadata.allObjects')).data.items[1]!.fieldCount).toBe(8)
  })

  test('the labels of built-in objects are shown in the language of the reader', async () => {
    const reply = await alice.send('GET', '/api/meta/objects', { headers: { 'accept-language': 'zh-CN' } })
    expect(ok(reply).data.items[1]).toMatchObject({ name: 'asset', label: '资产' })
  })

  test('an administrator registers an object, which can carry fields and templates, and whose entities do not exist', async () => {
    const body = { name: 'vehicle', label: 'Vehicle', description: 'Cars' }
    const created = ok(await admin.call('metadata.createObject', { body })).data
    expect(created).toEqual({ ...body, enabled: true, builtIn: false, entityColumns: [], fieldCount: 0 })
    await createField(alice, {}, { objectName: 'vehicle' })
    await createTemplate(alice, {}, { objectName: 'vehicle' })
    expect((await alice.get('/api/meta/objects/vehicle/entities/1/templates')).status).toBe(404)
    expect(refusal(await admin.call('metadata.createObject', { body }))).toBe('400 body.name')
    for (const name of ['Vehicle', 'v', '1a', 'with space', 'a'.repeat(41), 'a_b'])
      expect(refusal(await admin.call('metadata.createObject', { body: { ...body, name } }))).toBe('400 body.name')
    ok(await admin.call('metadata.createObject', { body: { ...body, name: 'vehicLe' } }))
  })

  test('fifty parallel registrations of one name have one winner', async () => {
    const body = { name: 'raced', label: 'Raced' }
    const replies = await race(50, () => admin.call('metadata.createObject', { body }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]))
  })

  test('users may neither see the objects of administrators nor register or disable any', async () => {
    expect((await alice.get('/api/admin/meta/objects')).status).toBe(403)
    expect((await alice.post('/api/admin/meta/objects', { name: 'mine', label: 'x' })).status).toBe(403)
    expect((await alice.patch('/api/admin/meta/objects/asset/status', { enabled: false })).status).toBe(403)
  })

  test('a disabled object does not exist for users, and has everything again when it is enabled', async () => {
    const org = await createOrg(alice)
    const objectName = 'category'
    const [field, template] = [
      await createField(alice, {}, { objectName }),
      await createTemplate(alice, {}, { objectName }),
    ]
    const ofOrg = await createTemplate(alice, {}, { objectName, orgId: org.id })
    expect(ok(await setStatus(objectName, false)).data.enabled).toBe(false)
    expect(await visible()).not.toContain(objectName)
    const paths = [
      `/api/meta/objects/${objectName}/fields`,
      `/api/meta/objects/${objectName}/templates`,
      `/api/meta/objects/${objectName}/entities/1/templates`,
      `/api/meta/templates/${template.id}/fields`,
      `/api/orgs/${org.id}/meta/objects/${objectName}/fields`,
      `/api/orgs/${org.id}/meta/objects/${objectName}/templates`,
      `/api/orgs/${org.id}/meta/objects/${objectName}/entities/1/templates`,
      `/api/orgs/${org.id}/meta/templates/${ofOrg.id}/fields`,
    ]
    for (const path of paths) expect(`${path}: ${(await alice.get(path)).status}`).toBe(`${path}: 404`)
    const body = { name: 'x', type: 'TEXT' }
    expect((await alice.post(`/api/meta/objects/${objectName}/fields`, body)).status).toBe(404)
    expect((await alice.put(`/api/meta/objects/${objectName}/fields/${field.id}`, { name: 'x' })).status).toBe(404)
    expect((await alice.delete(`/api/meta/objects/${objectName}/fields/${field.id}`)).status).toBe(404)
    expect((await alice.put(`/api/meta/templates/${template.id}`, { name: 'x' })).status).toBe(404)
    expect((await alice.post(`/api/meta/templates/${template.id}/fork`)).status).toBe(404)
    expect((await alice.delete(`/api/meta/templates/${template.id}`)).status).toBe(404)
    expect(ok(await admin.call('metadata.allObjects')).data.items.map(({ name }) => name)).toContain(objectName)
    expect(ok(await admin.get('/api/admin/meta/fields', { objectName })).data.total).toBe(1)
    ok(await setStatus(objectName, true))
    expect(await visible()).toContain(objectName)
    expect(await listFields(alice, {}, objectName)).toEqual([field])
    expect((await setStatus('unknown', true)).status).toBe(404)
  })
})

describe.if(inProcess)('the metadata of the first start', () => {
  const { server, admin, alice } = useServer({ people: ['alice'] })

  test('there is a GLOBAL field for each fixed column and a default template with them, with names in both languages', async () => {
    const fields = await listFields(alice)
    expect(fields.map(({ entityColumn, key }) => [entityColumn, key])).toEqual(
      ['brand', 'model', 'serialNo', 'purchaseDate', 'purchasePrice', 'supplier', 'warrantyExpiry', 'remark'].map(
        (column) => [column, column],
      ) as never,
    )
    expect(fields.every(({ scope }) => scope === 'GLOBAL')).toBe(true)
    const [template] = ok(await alice.get('/api/meta/objects/asset/templates')).data.items
    expect(template).toMatchObject({ name: 'Standard fields', isDefault: true, scope: 'GLOBAL', fieldCount: 8 })
    const zh = { headers: { 'accept-language': 'zh' } }
    const listed = ok(await alice.send('GET', `/api/meta/templates/${template.id}/fields`, zh)).data.items
    expect(listed[0]).toMatchObject({ order: 0, group: '', required: false, field: { name: '品牌', key: 'brand' } })
    expect(ok(await alice.send('GET', '/api/meta/objects/asset/templates', zh)).data.items[0].name).toBe('标准字段')
  })

  test('a client that sends back the name it was shown does not change it', async () => {
    const [brand] = await listFields(alice)
    const reply = await admin.send('PUT', `/api/admin/meta/fields/${brand!.id}`, {
      headers: { 'accept-language': 'zh' },
      body: { name: '品牌' },
    })
    expect(ok(reply).data).toMatchObject({ name: '品牌', version: 1 })
    expect((await listFields(alice))[0]!.name).toBe('Brand')
  })

  test('fields and templates that were renamed or deleted are not created again at the next start', async () => {
    const [brand, model] = await listFields(alice)
    const [template] = ok(await alice.get('/api/meta/objects/asset/templates')).data.items
    ok(await admin.put(`/api/admin/meta/fields/${brand!.id}`, { name: 'Make' }))
    ok(await admin.delete(`/api/admin/meta/fields/${model!.id}`))
    ok(await admin.delete(`/api/admin/meta/templates/${template.id}`))
    await metadata.seed(server.ctx)
    expect((await listFields(alice)).map(({ name }) => name)).toEqual([
      'Make',
      'Serial no.',
      'Purchase date',
      'Purchase price',
      'Supplier',
      'Warranty expiry',
      'Remark',
    ])
    expect(ok(await alice.get('/api/meta/objects/asset/templates')).data.total).toBe(0)
    const rows = await server.ctx.db.read.select().from(metaObjects)
    expect(rows.filter(({ builtIn }) => builtIn)).toHaveLength(5)
  })

  test('registering and disabling objects is recorded in the operation log', async () => {
    ok(await admin.post('/api/admin/meta/objects', { name: 'logged', label: 'Logged' }))
    ok(await admin.patch('/api/admin/meta/objects/logged/status', { enabled: false }))
    ok(await admin.patch('/api/admin/meta/objects/logged/status', { enabled: false }))
    const rows = await server.ctx.db.read.select().from(adminLogs).where(eq(adminLogs.targetName, 'logged'))
    expect(rows.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['META_OBJECT_CREATE', null, { name: 'logged', label: 'Logged', description: '', enabled: true }],
      ['META_OBJECT_STATUS', { enabled: true }, { enabled: false }],
    ])
  })
})
