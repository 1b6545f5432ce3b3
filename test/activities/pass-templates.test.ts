/** Templates of passes. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createActivity, getActivity } from './helpers.ts'
import { createTemplate, issued, withPasses } from './pass-helpers.ts'

const { server, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })
let org: Org

beforeAll(async () => {
  org = await createOrg(alice)
  await addMembers(alice, org, bob)
})

const list = async (person: Person, query: { orgId?: number; page?: number; size?: number } = {}) =>
  ok(await person.call('passTemplates.list', { query })).data
const update = (person: Person, templateId: number, body: object) =>
  person.call('passTemplates.update', { params: { templateId }, body })
const remove = (person: Person, templateId: number) => person.call('passTemplates.delete', { params: { templateId } })

const FULL = {
  name: 'Member card',
  description: 'For members',
  color: '#1F6FEB',
  fields: [
    { key: 'seat', label: 'Seat' },
    { key: 'row_2', label: '排' },
  ],
  validFrom: 1_800_000_000_000,
  validTo: 1_900_000_000_000,
  validDays: 30,
  maxUses: 0,
}

describe('A pass template', () => {
  test('is created with all its values, or with a name only', async () => {
    const full = await createTemplate(alice, FULL)
    expect(full).toEqual({
      ...FULL,
      id: expect.any(Number),
      orgId: null,
      color: '#1f6feb',
      createdAt: expect.any(Number),
      updatedAt: full.createdAt,
    })
    expect(await createTemplate(alice)).toMatchObject({
      description: null,
      color: null,
      fields: [],
      validFrom: null,
      validTo: null,
      validDays: null,
      maxUses: null,
    })
  })

  test('is changed only in the given values, and null clears', async () => {
    const { id } = await createTemplate(alice, FULL)
    const changed = ok(await update(alice, id, { name: 'Card', validDays: null })).data
    expect(changed).toMatchObject({ ...FULL, name: 'Card', color: '#1f6feb', validDays: null })
    const cleared = ok(await update(alice, id, { description: null, color: null, fields: null, maxUses: null })).data
    expect(cleared).toMatchObject({ name: 'Card', description: null, color: null, fields: [], maxUses: null })
    expect(ok(await update(alice, id, { name: 'Card' })).data).toEqual(cleared)
  })

  test.each([
    ['without a name', { name: '' }],
    ['with a colour by name', { color: 'red' }],
    ['with two fields of one key', { fields: [FULL.fields[0], FULL.fields[0]] }],
    ['with a key that has a space', { fields: [{ key: 'a b', label: 'A' }] }],
    ['with a field without a label', { fields: [{ key: 'a', label: '' }] }],
    ['with 11 fields', { fields: Array.from({ length: 11 }, (_, i) => ({ key: `f${i}`, label: 'F' })) }],
    ['with an end before the beginning', { validFrom: 2000, validTo: 1000 }],
    ['with no days', { validDays: 0 }],
    ['with negative uses', { maxUses: -1 }],
  ])('is refused %s', async (_, fields) => {
    const { id } = await createTemplate(alice, FULL)
    const before = (await list(alice)).total
    expect((await alice.send('POST', '/api/pass/templates', { body: { name: 'x', ...fields } })).status).toBe(400)
    expect((await update(alice, id, fields)).status).toBe(400)
    expect((await list(alice)).total).toBe(before)
    expect((await list(alice)).items[0]).toMatchObject({ ...FULL, color: '#1f6feb' })
  })

  test('is refused if a change leaves the end before the beginning', async () => {
    const { id } = await createTemplate(alice, { validFrom: 2000 })
    expect((await update(alice, id, { validTo: 1000 })).status).toBe(400)
  })
})

describe('The list of pass templates', () => {
  test('shows the newest first, and those of the owner only', async () => {
    const user = await server.person()
    const made = []
    for (const name of ['A', 'B', 'C']) made.push(await createTemplate(user, { name }))
    const ofOrg = await createTemplate(alice, { orgId: org.id, name: 'of the organization' })
    expect((await list(user)).items.map(({ name }) => name)).toEqual(['C', 'B', 'A'])
    expect(await list(user, { page: 2, size: 2 })).toMatchObject({ total: 3, items: [{ name: 'A' }] })
    expect((await list(alice, { orgId: org.id })).items).toEqual([ofOrg])
    expect((await mallory.call('passTemplates.list', { query: { orgId: org.id } })).status).toBe(403)
    expect((await server.request('GET', '/api/pass/templates')).status).toBe(401)
  })

  test('of 50 templates made at once beyond 100 in total, none is added', async () => {
    const user = await server.person()
    for (let i = 0; i < 80; i++) await createTemplate(user)
    const answers = await race(50, () => user.call('passTemplates.create', { body: { name: 'x' } }))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect((await list(user)).total).toBe(100)
  })
})

describe('Pass templates of others', () => {
  test('are not found, and stay as they are', async () => {
    const own = await createTemplate(alice, FULL)
    const ofOrg = await createTemplate(alice, { orgId: org.id })
    for (const person of [mallory, bob])
      for (const { id } of [own, ofOrg]) {
        expect((await update(person, id, { name: 'stolen' })).status).toBe(404)
        expect((await remove(person, id)).status).toBe(404)
      }
    expect((await bob.call('passTemplates.create', { body: { name: 'x', orgId: org.id } })).status).toBe(403)
    await setRole(alice, org, bob, 'ADMIN')
    expect((await update(bob, ofOrg.id, { name: 'changed' })).status).toBe(200)
    await setRole(alice, org, bob, 'MEMBER')
    expect((await list(alice)).items.find(({ id }) => id === own.id)).toEqual(own)
  })
})

describe('Deleting a pass template', () => {
  test('clears it from the activities that use it and leaves issued passes as they are', async () => {
    const template = await createTemplate(alice, { ...FULL, validFrom: null, validTo: null })
    const passConfig = { templateId: template.id, maxUses: 7 }
    const { id } = await withPasses(alice, { passConfig })
    const other = await createActivity(alice, {
      hasPass: true,
      passConfig: { templateId: (await createTemplate(alice)).id },
    })
    const before = await getActivity(alice, id)
    const [pass] = await issued(alice, id, { holderName: 'A', fields: { seat: '1' } })
    ok(await remove(alice, template.id))
    expect((await remove(alice, template.id)).status).toBe(404)
    const after = await getActivity(alice, id)
    expect(after.passConfig).toEqual({ ...before.passConfig!, templateId: null })
    expect(after.version).toBe(before.version + 1)
    expect(await getActivity(alice, other.id)).toEqual(other)
    const [next] = await issued(alice, id, { holderName: 'B' })
    expect(next).toMatchObject({ templateId: null, maxUses: 7, color: null })
    expect(pass).toMatchObject({ templateId: template.id, color: '#1f6feb', maxUses: 0 })
  })
})
