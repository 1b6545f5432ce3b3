/** Values of metadata that a member of an organization may not see, although the member sees its assets. */

import { expect, test } from 'bun:test'

import { createRole } from '../access/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { createField, refusal } from '../metadata/helpers.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createAsset } from './helpers.ts'

const { server, admin, owner, member } = useServer({ people: ['owner', 'member'] })

test('members who may not read values of metadata can neither filter by them nor export them', async () => {
  const org = await createOrg(owner)
  await addMembers(owner, org, member)
  const permissions = ['org:read', 'asset:read', 'asset:export', 'meta_field:read']
  await createRole(admin, { domain: 'ORG', scopeId: org.id, code: 'NO_VALUES', name: 'x', permissions })
  await setRole(owner, org, member, 'NO_VALUES')
  const cost = await createField(owner, { name: 'Cost', type: 'NUMBER' }, { orgId: org.id })
  const { id } = await createAsset(owner, { orgId: org.id, values: [{ fieldId: cost.id, value: 4711 }] })
  const filter = { orgId: org.id, [`field.${cost.id}.min`]: 4000 }
  expect(ok(await owner.get('/api/assets', filter)).data.total).toBe(1)
  expect(refusal(await member.get('/api/assets', filter))).toBe(`400 query.field.${cost.id}.min`)
  expect(ok(await member.get('/api/assets', { orgId: org.id, include: 'values' })).data.items).toEqual([
    expect.objectContaining({ id, values: [] }),
  ])
  const text = async (person: typeof owner) => {
    const response = await fetch(`${server.url}/api/assets/export?format=csv&orgId=${org.id}`, {
      headers: { authorization: `Bearer ${person.token}`, 'x-device-id': person.deviceId },
    })
    expect(response.status).toBe(200)
    return response.text()
  }
  expect(await text(owner)).toContain('4711')
  const exported = await text(member)
  expect(exported).toContain('Asset no.')
  expect(exported).not.toMatch(/Cost|4711/)
})

test('lists cannot be filtered by fields while metadata of assets is disabled', async () => {
  const user = await server.person()
  const field = await createField(user)
  const filter = { [`field.${field.id}`]: 'x' }
  ok(await user.get('/api/assets', filter))
  const set = (enabled: boolean) => admin.send('PATCH', '/api/admin/meta/objects/asset/status', { body: { enabled } })
  ok(await set(false))
  try {
    expect((await user.get('/api/assets', filter)).status).toBe(400)
  } finally {
    ok(await set(true))
  }
})
