/** The fields that formulas name: unknown keys, scopes, cycles, and deleting named fields. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { metaFormulaUses } from '#db/schema/meta.ts'
import { reportRemaining } from '#domains/metadata/fields/broken.service.ts'
import { makesCycle } from '#domains/metadata/fields/fields.rules.ts'
import { visibleFields } from '#domains/metadata/index.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createField, createGlobalField, refusal } from './helpers.ts'

const computed = (formula: string) => ({ type: 'COMPUTED', config: { formula } }) as const

describe('formulas', () => {
  const { server, admin, alice, bob, owner } = useServer({ people: ['alice', 'bob', 'owner'] })
  const create = (user: typeof alice, formula: string, orgId?: number) =>
    user.post(orgId === undefined ? '/api/meta/objects/asset/fields' : `/api/orgs/${orgId}/meta/objects/asset/fields`, {
      name: 'x',
      ...computed(formula),
    })
  const put = (id: number, body: object) => alice.put(`/api/meta/objects/asset/fields/${id}`, body)

  test('a formula names fields that are visible in the scope of its field', async () => {
    const org = await createOrg(owner)
    await createField(alice, { key: 'ofAlice' })
    await createField(bob, { key: 'ofBob' })
    await createField(owner, { key: 'ofOrg' }, { orgId: org.id })
    ok(await create(alice, '{ofAlice} + {purchasePrice}'))
    ok(await create(owner, '{ofOrg} + {purchasePrice}', org.id))
    for (const [who, formula, orgId] of [
      [alice, '{ofBob}', undefined],
      [alice, '{ofOrg}', undefined],
      [owner, '{ofOrg}', undefined],
      [owner, '{ofAlice}', org.id],
      [alice, '{missing} + 1', undefined],
      [alice, '{ofAlice', undefined],
      [alice, '', undefined],
    ] as const)
      expect(`${formula} ${refusal(await create(who, formula, orgId))}`).toBe(`${formula} 400 body.config.formula`)
    const body = { objectName: 'asset', scope: 'GLOBAL', name: 'x', ...computed('{ofAlice}') }
    expect(refusal(await admin.post('/api/admin/meta/fields', body))).toBe('400 body.config.formula')
  })

  test('a field that a formula names cannot be deleted until the formula no longer names it', async () => {
    const [a, b] = [await createField(alice, { key: 'a1' }), await createField(alice, { key: 'b1' })]
    const sum = await createField(alice, computed('{a1} + 1'))
    const remove = (id: number) => alice.delete(`/api/meta/objects/asset/fields/${id}`)
    expect((await remove(a.id)).status).toBe(400)
    ok(await put(sum.id, { config: { formula: '{b1} + 1' } }))
    ok(await remove(a.id))
    expect((await remove(b.id)).status).toBe(400)
    ok(await put(sum.id, { type: 'NUMBER' }))
    ok(await remove(b.id))
    expect(refusal(await put(sum.id, computed('{b1}')))).toBe('400 body.config.formula')
    ok(await remove(sum.id))
  })

  test('formulas of users and organizations keep no GLOBAL field from being deleted: they become null and their owners are notified once', async () => {
    const [user, outsider] = [await server.person(), await server.person()]
    const org = await createOrg(owner)
    const field = await createGlobalField(admin, { key: 'globalPrice', name: 'Global price', type: 'NUMBER' })
    const remove = () => admin.call('metadata.deleteAnyField', { params: { id: field.id } })
    const [sum, twice] = [
      await createField(user, computed('{globalPrice} + 1')),
      await createField(user, computed('{globalPrice} * 2')),
    ]
    await createField(owner, computed('{globalPrice} + 1'), { orgId: org.id })
    await createField(outsider, computed('1 + 1'))
    const { data: asset } = ok(
      await user.call('assets.create', { body: { name: 'a', values: [{ fieldId: field.id, value: 4 }] } }),
    )
    const value = async (id: number) => {
      const { items } = ok(
        await user.call('metadata.values', { params: { objectName: 'asset', entityId: asset.id } }),
      ).data
      return items.find(({ fieldId }) => fieldId === id)?.value
    }
    expect([await value(sum.id), await value(twice.id)]).toEqual([5, 8])
    // A formula of the same scope keeps the field.
    const wide = await createGlobalField(admin, { key: 'wide', ...computed('{globalPrice} + 2') })
    expect((await remove()).status).toBe(400)
    ok(await admin.call('metadata.deleteAnyField', { params: { id: wide.id } }))

    ok(await remove())
    const told = async (who: typeof alice) =>
      ok(await who.call('notifications.list', { query: { size: 100 } })).data.items.filter(
        ({ data }) => data['event'] === 'META_FIELD_DELETED' && data['fieldId'] === field.id,
      )
    for (const who of [user, owner]) expect(await told(who)).toHaveLength(1)
    expect((await told(user))[0]!.title).toBe('The field “Global price” was deleted')
    for (const who of [outsider, admin]) expect(await told(who)).toHaveLength(0)
    expect([(await value(sum.id)) ?? null, (await value(twice.id)) ?? null]).toEqual([null, null])
    // The formula can be changed, and no longer to one with the deleted field.
    const change = (formula: string) => user.put(`/api/meta/objects/asset/fields/${sum.id}`, { config: { formula } })
    expect(refusal(await change('{globalPrice} + 3'))).toBe('400 body.config.formula')
    ok(await change('{purchasePrice} + 3'))
  })

  test.if(inProcess)('a job notifies the owners of more formulas than one write, once each', async () => {
    const field = await createGlobalField(admin, { key: 'crowded', type: 'NUMBER' })
    const people = await Promise.all(Array.from({ length: 3 }, () => server.person()))
    for (const person of people) for (let i = 0; i < 60; i++) await createField(person, computed(`{crowded} + ${i}`))
    ok(await admin.call('metadata.deleteAnyField', { params: { id: field.id } }))
    await reportRemaining(server.ctx)
    const uses = await server.ctx.db.read.select().from(metaFormulaUses).where(eq(metaFormulaUses.usesId, field.id))
    expect(uses).toEqual([])
    for (const person of people) {
      const { items } = ok(await person.call('notifications.list', { query: { size: 100 } })).data
      expect(items.filter(({ data }) => data['fieldId'] === field.id)).toHaveLength(1)
    }
  })

  test('deleting a computed field frees the fields that it names', async () => {
    const named = await createField(alice, { key: 'named' })
    const sum = await createField(alice, computed('{named} + 1'))
    ok(await alice.delete(`/api/meta/objects/asset/fields/${sum.id}`))
    ok(await alice.delete(`/api/meta/objects/asset/fields/${named.id}`))
  })

  test('a formula that leads back to its field is refused', async () => {
    const a = await createField(alice, { key: 'ca', type: 'NUMBER' })
    const b = await createField(alice, { key: 'cb', ...computed('{ca} * 2') })
    await createField(alice, { key: 'cc', ...computed('{cb} * 2') })
    for (const formula of ['{ca}', '{cb}', '{cc} + 1'])
      expect(`${formula} ${refusal(await put(a.id, computed(formula)))}`).toBe(`${formula} 400 body.config.formula`)
    expect(refusal(await put(b.id, { config: { formula: '{cc}' } }))).toBe('400 body.config.formula')
    const self = { name: 'x', key: 'self', ...computed('{self} + 1') }
    expect(refusal(await alice.post('/api/meta/objects/asset/fields', self))).toBe('400 body.config.formula')
  })

  test('of two parallel changes that together make a cycle, one is refused', async () => {
    for (let round = 0; round < 10; round++) {
      const fields = [
        await createField(alice, { key: `r${round}a`, type: 'NUMBER' }),
        await createField(alice, { key: `r${round}b`, type: 'NUMBER' }),
      ]
      const replies = await race(2, (i) => put(fields[i]!.id, computed(`{${fields[1 - i]!.key}} + 1`)))
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
    }
  })

  test('a field of a narrower scope with the same key changes a formula only when the formula is stored again', async () => {
    const global = await createGlobalField(admin, { key: 'shadowed', type: 'NUMBER' })
    const sum = await createField(alice, computed('{shadowed} + 1'))
    const own = await createField(alice, { key: 'shadowed', type: 'NUMBER' })
    // The formula still names the other one.
    ok(await alice.delete(`/api/meta/objects/asset/fields/${own.id}`))
    const again = await createField(alice, { key: 'shadowed', type: 'NUMBER' })
    ok(await put(sum.id, { config: { formula: '{shadowed} + 1' } }))
    expect((await alice.delete(`/api/meta/objects/asset/fields/${again.id}`)).status).toBe(400)
    ok(await admin.delete(`/api/admin/meta/fields/${global.id}`))
  })

  test.if(inProcess)(
    'visibleFields lists the fields of the viewer from the widest scope to the narrowest',
    async () => {
      const org = await createOrg(owner)
      const ofOrg = await createField(owner, { sortOrder: -5 }, { orgId: org.id })
      const own = await createField(owner, { sortOrder: -9 })
      const ids = async (orgId: number) =>
        (await visibleFields(server.ctx.db.read, 'asset', { userId: owner.id, orgId })).map(({ id }) => id)
      expect((await ids(org.id)).slice(-2)).toEqual([ofOrg.id, own.id])
      expect(await ids(0)).not.toContain(ofOrg.id)
    },
  )
})

describe('makesCycle', () => {
  const uses = new Map([
    [1, [2, 3]],
    [2, [4]],
    [3, [4]],
    [4, [5]],
  ])
  test.each([
    [1, [2], false],
    [2, [3], false],
    [5, [4], true],
    [4, [1], true],
    [5, [1], true],
    [9, [9], true],
    [9, [], false],
  ] as const)('a formula of field %p that names %p makes a cycle: %p', (id, named, expected) => {
    expect(makesCycle(id, named, uses)).toBe(expected)
  })

  test('a formula that names itself in a cycle of others is found without looking at a field twice', () => {
    const chain = new Map(Array.from({ length: 200 }, (_, i) => [i, [i + 1, i + 2]]))
    expect(makesCycle(0, [1], chain)).toBe(false)
  })
})
