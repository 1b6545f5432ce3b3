import { describe, expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole, UNKNOWN_ID } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import {
  createField,
  createOrgCode,
  itemOf,
  list,
  OPTIONS,
  pathsOf,
  pathTo,
  put,
  set,
  valueIn,
} from './values-helpers.ts'

const { admin, alice, bob, owner, member, mallory } = useServer({
  people: ['alice', 'bob', 'owner', 'member', 'mallory'],
})

const setStatus = async (objectName: string, enabled: boolean) =>
  ok(await admin.send('PATCH', `/api/admin/meta/objects/${objectName}/status`, { body: { enabled } }))

describe('the values of an item', () => {
  test('are answered as they were written, for every type that a text, number or option stores', async () => {
    const code = await createCode(alice)
    const cases: [Parameters<typeof createField>[1], object, unknown][] = [
      ['TEXT', {}, 'Hall B'],
      ['TEXTAREA', {}, 'one\ntwo'],
      ['NUMBER', { precision: 2 }, 12.25],
      ['BOOLEAN', {}, false],
      ['DATE', {}, '2026-03-08'],
      ['DATETIME', {}, 1_767_225_600_000],
      ['SELECT', OPTIONS, 'green'],
      ['RADIO', OPTIONS, 'red'],
      ['MULTI_SELECT', OPTIONS, ['red', 'blue']],
      ['CHECKBOX', OPTIONS, ['green']],
      ['GEO', {}, { latitude: 30.25, longitude: 120.5, address: 'West Lake' }],
    ]
    const fields = await Promise.all(cases.map(([type, config]) => createField(alice, type, { ...config })))
    const values = fields.map((field, i) => ({ fieldId: field.id, value: cases[i]![2] }))
    const answer = ok(await put(alice, code.id, values)).data
    for (const { fieldId, value } of values) expect(itemOf(answer, fieldId).value).toEqual(value)
    expect(await list(alice, code.id)).toEqual(answer)
    const cleared = ok(
      await put(
        alice,
        code.id,
        values.map(({ fieldId }) => ({ fieldId, value: null })),
      ),
    ).data
    for (const { fieldId } of values) expect(itemOf(cleared, fieldId).value).toBeNull()
  })

  test('list all visible fields, with everything that a form needs', async () => {
    const code = await createCode(alice)
    const field = await createField(alice, 'NUMBER', { min: 1, required: true, group: 'Size' }, { key: 'width' })
    const { items, missingRequired } = await list(alice, code.id)
    expect(items.find((item) => item.fieldId === field.id)).toEqual({
      fieldId: field.id,
      key: 'width',
      name: field.name,
      type: 'NUMBER',
      scope: 'USER',
      config: { min: 1, required: true, group: 'Size' },
      entityColumn: null,
      templateId: null,
      group: 'Size',
      order: null,
      required: true,
      writable: true,
      value: null,
    })
    expect(missingRequired).toContain(field.id)
    await set(alice, code.id, field.id, 3)
    expect((await list(alice, code.id)).missingRequired).not.toContain(field.id)
  })

  test('can be written by the key of the field, and values that are not named stay', async () => {
    const code = await createCode(alice)
    const one = await createField(alice, 'TEXT', {}, { key: 'one' })
    const two = await createField(alice, 'TEXT', {}, { key: 'two' })
    ok(await put(alice, code.id, [{ key: 'one', value: 'a' }]))
    ok(await put(alice, code.id, [{ key: 'two', value: 'b' }]))
    expect(await valueIn(alice, code.id, one.id)).toBe('a')
    expect(await valueIn(alice, code.id, two.id)).toBe('b')
    for (const empty of ['', '   ', null]) {
      ok(await put(alice, code.id, [{ key: 'one', value: 'a' }]))
      ok(await put(alice, code.id, [{ key: 'one', value: empty }]))
      expect(await valueIn(alice, code.id, one.id)).toBeNull()
    }
  })

  test('are written all or not at all, and every problem is reported at its value', async () => {
    const code = await createCode(alice)
    const text = await createField(alice, 'TEXT', { maxLength: 3 })
    const number = await createField(alice, 'NUMBER')
    const others = await createField(bob, 'TEXT')
    const ofCategories = await createField(alice, 'TEXT', {}, { object: 'category' })
    const reply = await put(alice, code.id, [
      { fieldId: text.id, value: 'good' },
      { fieldId: number.id, value: 1 },
      { fieldId: number.id, value: 2 },
      { fieldId: UNKNOWN_ID, value: 1 },
      { fieldId: others.id, value: 'x' },
      { fieldId: ofCategories.id, value: 'x' },
      { key: 'nothing', value: 'x' },
      { value: 'x' },
    ])
    expect(reply.status).toBe(400)
    expect(pathsOf(reply).toSorted()).toEqual([0, 2, 3, 4, 5, 6, 7].map((i) => `body.values.${i}.value`))
    expect(await valueIn(alice, code.id, number.id)).toBeNull()
  })

  test('cannot be cleared in a required field, which does not force others', async () => {
    const code = await createCode(alice)
    const field = await createField(alice, 'TEXT', { required: true })
    const other = await createField(alice, 'TEXT')
    await set(alice, code.id, other.id, 'x')
    await set(alice, code.id, field.id, 'kept')
    const reply = await put(alice, code.id, [{ fieldId: field.id, value: null }])
    expect(reply.status).toBe(400)
    expect(pathsOf(reply)).toEqual(['body.values.0.value'])
    expect(await valueIn(alice, code.id, field.id)).toBe('kept')
  })

  test('cannot be cleared if a template in force requires the field', async () => {
    const code = await createCode(alice)
    const [field, free] = [await createField(alice, 'TEXT'), await createField(alice, 'NUMBER')]
    const template = ok(await alice.post('/api/meta/objects/qrCode/templates', { name: 'label' })).data
    const items = [{ fieldId: field.id, group: 'Label', required: true }, { fieldId: free.id }]
    ok(await alice.send('PUT', `/api/meta/templates/${template.id}/fields`, { body: { items } }))
    const both = [
      { fieldId: field.id, value: 'x' },
      { fieldId: free.id, value: 1 },
    ]
    const cleared = both.map(({ fieldId }) => ({ fieldId, value: null }))
    ok(await put(alice, code.id, both))
    ok(await put(alice, code.id, cleared))
    ok(await put(alice, code.id, both))
    ok(await alice.post(`/api/meta/objects/qrCode/entities/${code.id}/templates`, { templateIds: [template.id] }))
    const answer = await list(alice, code.id)
    expect(answer.items.slice(0, 2)).toMatchObject([
      { fieldId: field.id, templateId: template.id, group: 'Label', order: 0, required: true },
      { fieldId: free.id, templateId: template.id, group: '', order: 1, required: false },
    ])
    const reply = await put(alice, code.id, cleared)
    expect(reply.status).toBe(400)
    expect(pathsOf(reply)).toEqual(['body.values.0.value'])
    expect(await valueIn(alice, code.id, free.id)).toBe(1)
  })

  test('may keep an option that was removed, which cannot be chosen again', async () => {
    const [code, other] = [await createCode(alice), await createCode(alice)]
    const field = await createField(alice, 'MULTI_SELECT', OPTIONS)
    await set(alice, code.id, field.id, ['red', 'green'])
    const path = `/api/meta/objects/qrCode/fields/${field.id}`
    ok(await alice.send('PUT', path, { body: { config: { options: ['blue', 'green'] } } }))
    expect(await valueIn(alice, code.id, field.id)).toEqual(['green', 'red'])
    expect(await set(alice, code.id, field.id, ['red', 'blue'])).toEqual(['blue', 'red'])
    expect((await put(alice, other.id, [{ fieldId: field.id, value: ['red'] }])).status).toBe(400)
  })

  test('of a deleted field are answered only with includeDeleted, and cannot be written', async () => {
    const code = await createCode(alice)
    const field = await createField(alice, 'TEXT')
    const empty = await createField(alice, 'TEXT')
    await set(alice, code.id, field.id, 'old')
    for (const { id } of [field, empty]) ok(await alice.delete(`/api/meta/objects/qrCode/fields/${id}`))
    expect((await list(alice, code.id)).items.map((item) => item.fieldId)).not.toContain(field.id)
    const { items } = await list(alice, code.id, { includeDeleted: true })
    expect(items.at(-1)).toMatchObject({ fieldId: field.id, value: 'old', deleted: true, writable: false })
    expect(items.map((item) => item.fieldId)).not.toContain(empty.id)
    expect((await put(alice, code.id, [{ fieldId: field.id, value: 'new' }])).status).toBe(400)
  })
})

describe('permissions of values', () => {
  test('values of a personal item are 404 to everyone else, and nothing is written', async () => {
    const code = await createCode(alice)
    const field = await createField(mallory, 'TEXT')
    for (const person of [mallory, admin]) {
      expect((await person.get(pathTo(code.id))).status).toBe(404)
      expect((await put(person, code.id, [{ fieldId: field.id, value: 'x' }])).status).toBe(404)
    }
    expect((await alice.get(pathTo(UNKNOWN_ID))).status).toBe(404)
    expect((await alice.get(pathTo(code.id, 'nothing'))).status).toBe(404)
  })

  test('members read the values of an organization, and only those with the point write them', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const code = await createOrgCode(owner, org)
    const field = await createField(owner, 'TEXT', {}, { orgId: org.id })
    ok(await put(owner, code.id, [{ fieldId: field.id, value: 'shared' }]))
    expect(itemOf(await list(member, code.id), field.id)).toMatchObject({ value: 'shared', writable: false })
    expect(itemOf(await list(owner, code.id, { orgId: org.id }), field.id)).toMatchObject({ writable: true })
    expect((await put(member, code.id, [{ fieldId: field.id, value: 'x' }])).status).toBe(403)
    expect((await put(mallory, code.id, [{ fieldId: field.id, value: 'x' }])).status).toBe(404)
    expect((await put(mallory, code.id, [{ fieldId: field.id, value: 'x' }], { orgId: org.id })).status).toBe(403)
    await setRole(owner, org, member, 'GUEST')
    expect((await member.get(pathTo(code.id), { orgId: org.id })).status).toBe(403)
  })

  test('a field of a user can be filled on items of an organization, and nobody else sees the field or its value', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    await setRole(owner, org, member, 'ADMIN')
    const code = await createOrgCode(owner, org)
    const field = await createField(member, 'TEXT')
    await set(member, code.id, field.id, 'private')
    expect(await valueIn(member, code.id, field.id)).toBe('private')
    const seen = await owner.get(pathTo(code.id), { includeDeleted: true })
    expect(JSON.stringify(seen.data)).not.toContain('private')
    expect((ok(seen).data as { items: { fieldId: number }[] }).items.map((i) => i.fieldId)).not.toContain(field.id)
    expect((await put(owner, code.id, [{ fieldId: field.id, value: 'x' }])).status).toBe(400)
    expect((await owner.get('/api/meta/objects/qrCode/values', { fieldId: field.id, orgId: org.id })).status).toBe(400)
  })

  test('categories and organizations have values too', async () => {
    const category = await createCategory(alice, 'Menus')
    const color = await createField(alice, 'TEXT', {}, { object: 'category' })
    ok(await put(alice, category, [{ fieldId: color.id, value: 'warm' }], { object: 'category' }))
    expect(itemOf(await list(alice, category, {}, 'category'), color.id).value).toBe('warm')
    const org = await createOrg(owner)
    const founded = await createField(owner, 'DATE', {}, { object: 'org', orgId: org.id })
    ok(await put(owner, org.id, [{ fieldId: founded.id, value: '1999-12-31' }], { object: 'org' }))
    expect(itemOf(await list(owner, org.id, {}, 'org'), founded.id).value).toBe('1999-12-31')
    expect((await mallory.get(pathTo(org.id, 'org'))).status).toBe(404)
  })

  test('everything about a disabled object is 404, and its values are there again afterwards', async () => {
    const code = await createCode(alice)
    const field = await createField(alice, 'TEXT')
    await set(alice, code.id, field.id, 'kept')
    await setStatus('qrCode', false)
    try {
      expect((await alice.get(pathTo(code.id))).status).toBe(404)
      expect((await put(alice, code.id, [{ fieldId: field.id, value: 'x' }])).status).toBe(404)
      expect((await alice.get('/api/meta/objects/qrCode/values', { fieldId: field.id })).status).toBe(404)
    } finally {
      await setStatus('qrCode', true)
    }
    expect(await valueIn(alice, code.id, field.id)).toBe('kept')
  })

  test('values of a code in the trash are 404, and are there again when it is restored', async () => {
    const code = await createCode(alice)
    const field = await createField(alice, 'TEXT')
    await set(alice, code.id, field.id, 'kept')
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    expect((await alice.get(pathTo(code.id))).status).toBe(404)
    ok(await alice.send('PATCH', `/api/qr-codes/trash/restore/${code.id}`))
    expect(await valueIn(alice, code.id, field.id)).toBe('kept')
  })

  test('without a token, and with a malformed id, nothing is answered', async () => {
    const anonymous = alice as Person
    expect((await anonymous.send('GET', pathTo(1), { headers: { authorization: '' } })).status).toBe(401)
    expect((await alice.get('/api/meta/objects/qrCode/entities/x/values')).status).toBe(400)
    const code = await createCode(alice)
    for (const body of [{}, { values: 'x' }, { values: [{ fieldId: 1 }] }, { values: [7] }])
      expect((await alice.send('PUT', pathTo(code.id), { body })).status).toBe(400)
  })
})

describe('COMPUTED values', () => {
  test('follow their operands, also through other formulas, and are null while one is missing', async () => {
    const code = await createCode(alice)
    const price = await createField(alice, 'NUMBER', {}, { key: 'unitPrice' })
    const count = await createField(alice, 'NUMBER', {}, { key: 'count' })
    const total = await createField(alice, 'COMPUTED', { formula: '{unitPrice} * {count}' }, { key: 'total' })
    const half = await createField(alice, 'COMPUTED', { formula: 'round({total} / 2, 1)' })
    await set(alice, code.id, price.id, 2.5)
    expect(await valueIn(alice, code.id, half.id)).toBeNull()
    await set(alice, code.id, count.id, 3)
    expect(await valueIn(alice, code.id, total.id)).toBe(7.5)
    expect(await valueIn(alice, code.id, half.id)).toBe(3.8)
    expect(itemOf(await list(alice, code.id), total.id)).toMatchObject({ writable: false })
    expect(pathsOf(await put(alice, code.id, [{ fieldId: total.id, value: 1 }]))).toEqual(['body.values.0.value'])
    await set(alice, code.id, count.id, 0)
    expect(await valueIn(alice, code.id, total.id)).toBe(0)
  })
})
