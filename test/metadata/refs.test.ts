/** Values that refer to users, locations and activities. */

import { describe, expect, test } from 'bun:test'

import { createRole } from '../access/helpers.ts'
import { createActivity } from '../activities/helpers.ts'
import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { createField, createOrgCode, pathsOf, put, search, set, valueIn } from './values-helpers.ts'

const { admin, alice, bob, owner, member } = useServer({ people: ['alice', 'bob', 'owner', 'member'] })

const createLocation = async (person: Person, org: Org, name: string): Promise<number> =>
  ok(await person.post(`/api/orgs/${org.id}/locations`, { name })).data.id

const nicknameOf = async (person: Person): Promise<string> => ok(await person.get('/api/auth/userinfo')).data.nickname

describe('REF', () => {
  test('to a user is the caller on personal items, and answers the nickname', async () => {
    const code = await createCode(alice)
    const field = await createField(alice, 'REF', { target: 'USER' })
    const nickname = await nicknameOf(alice)
    expect(await set(alice, code.id, field.id, alice.id)).toEqual({ id: alice.id, title: nickname })
    // The value of an answer can be sent back.
    expect(await set(alice, code.id, field.id, { id: alice.id, title: nickname })).toMatchObject({ id: alice.id })
    for (const value of [bob.id, 999_999_999, '1', -1, true]) {
      const reply = await put(alice, code.id, [{ fieldId: field.id, value }])
      expect([reply.status, pathsOf(reply)]).toEqual([400, ['body.values.0.value']])
    }
    expect(await valueIn(alice, code.id, field.id)).toMatchObject({ id: alice.id })
  })

  test('to a user is a member on items of an organization, and has no title after the member has left', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const code = await createOrgCode(owner, org)
    const field = await createField(owner, 'REF', { target: 'USER' }, { orgId: org.id })
    await set(owner, code.id, field.id, member.id)
    expect(ok(await search(owner, { fieldId: field.id, value: member.id, orgId: org.id })).data.items).toEqual([
      { entityId: code.id, title: code.name, value: { id: member.id, title: expect.any(String) } },
    ])
    expect((await put(owner, code.id, [{ fieldId: field.id, value: bob.id }])).status).toBe(400)
    ok(await member.call('orgs.leave', { params: { id: org.id } }))
    expect(await valueIn(owner, code.id, field.id)).toEqual({ id: member.id, title: null })
    // An equal value changes nothing, and is not checked again.
    expect(await set(owner, code.id, field.id, member.id)).toEqual({ id: member.id, title: null })
  })

  test('to a location is one of the same organization, and has no title for those who may not see locations', async () => {
    const [org, other] = [await createOrg(owner), await createOrg(owner)]
    await addMembers(owner, org, member)
    const [hall, elsewhere] = [await createLocation(owner, org, 'Hall'), await createLocation(owner, other, 'Hall')]
    const code = await createOrgCode(owner, org)
    const field = await createField(owner, 'REF', { target: 'LOCATION' }, { orgId: org.id })
    expect(await set(owner, code.id, field.id, hall)).toEqual({ id: hall, title: 'Hall' })
    expect((await put(owner, code.id, [{ fieldId: field.id, value: elsewhere }])).status).toBe(400)
    expect(await valueIn(member, code.id, field.id)).toEqual({ id: hall, title: 'Hall' })
    await createRole(admin, {
      domain: 'ORG',
      scopeId: org.id,
      code: 'BLIND',
      name: 'Blind',
      permissions: ['org:read', 'qr_code:read', 'meta_value:read'],
    })
    await setRole(owner, org, member, 'BLIND')
    expect(await valueIn(member, code.id, field.id)).toEqual({ id: hall, title: null })
    ok(await owner.delete(`/api/orgs/${org.id}/locations/${hall}`))
    expect(await valueIn(owner, code.id, field.id)).toEqual({ id: hall, title: null })
    const personal = await createCode(owner)
    const own = await createField(owner, 'REF', { target: 'LOCATION' })
    expect((await put(owner, personal.id, [{ fieldId: own.id, value: elsewhere }])).status).toBe(400)
  })

  test('to an activity is one of the same owner, and has no title after it was deleted', async () => {
    const code = await createCode(alice)
    const field = await createField(alice, 'REF', { target: 'ACTIVITY' })
    const [own, another] = [await createActivity(alice, { name: 'Cleanup' }), await createActivity(bob)]
    expect((await put(alice, code.id, [{ fieldId: field.id, value: another.id }])).status).toBe(400)
    expect(await set(alice, code.id, field.id, own.id)).toEqual({ id: own.id, title: 'Cleanup' })
    ok(await alice.call('activities.delete', { params: { id: own.id } }))
    expect(await valueIn(alice, code.id, field.id)).toEqual({ id: own.id, title: null })
  })

  test('shows no title of an activity to members of the organization who do not manage activities', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const draft = await createActivity(owner, { orgId: org.id, name: 'Secret party' })
    const code = await createOrgCode(owner, org)
    const field = await createField(owner, 'REF', { target: 'ACTIVITY' }, { orgId: org.id })
    expect(await set(owner, code.id, field.id, draft.id)).toEqual({ id: draft.id, title: 'Secret party' })
    expect(await valueIn(member, code.id, field.id)).toEqual({ id: draft.id, title: null })
  })
})
