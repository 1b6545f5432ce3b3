/** Administration of roles: of the console, of the application, of organizations, and their templates. */

import { describe, expect, test } from 'bun:test'

import { pointsOf } from '#permission-points'

import { ok, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, getOrg, setRole } from '../orgs/helpers.ts'
import {
  changeRole,
  createRole,
  deleteRole,
  findPoint,
  findRole,
  grant,
  listRoles,
  myPermissions,
  NEW_USER,
  rolesOf,
  systemReadStatus,
} from './helpers.ts'

const { server, admin } = useServer()

test('GET /api/rbac/roles lists the system roles and the templates with their points', async () => {
  const templates = await listRoles(admin, 'ORG', 0)
  for (const code of ['OWNER', 'ADMIN', 'MEMBER', 'GUEST'])
    expect(templates.find((each) => each.code === code)).toMatchObject({
      isSystem: true,
      holdsEverything: code === 'OWNER',
    })
  const user = await findRole(admin, 'APP', 0, 'USER')
  expect(user.permissions.toSorted()).toEqual(pointsOf('APP').toSorted())
  expect(user.permissionIds).toHaveLength(user.permissions.length)
  expect((await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')).holdsEverything).toBe(true)
})

describe('POST /api/rbac/roles', () => {
  test('takes the domain from the query or the body, and points by name or by id', async () => {
    const body = { code: 'gardener', name: 'Gardener', permissions: ['user:read', 'org:read', 'user:read'] }
    const role = ok(await admin.call('access.createRole', { query: { domain: 'PLATFORM' }, body })).data
    expect(role).toMatchObject({ domain: 'PLATFORM', scopeId: 0, code: 'GARDENER', isSystem: false })
    expect(role.permissions).toEqual(['org:read', 'user:read'])
    const person = await server.person()
    expect(await systemReadStatus(person)).toBe(403)
    ok(await grant(admin, person, role))
    expect((await myPermissions(person)).platform).toEqual(['org:read', 'user:read'])

    const { id } = await findPoint(admin, 'APP', 'chat:read')
    expect(await createRole(admin, { domain: 'APP', permissionIds: [id] })).toMatchObject({
      domain: 'APP',
      permissions: ['chat:read'],
    })
  })

  test('creates one role if fifty concurrent requests use the same code in a domain', async () => {
    const body = { domain: 'PLATFORM' as const, code: 'ONLY_ONE', name: 'Only one', permissions: ['user:read'] }
    const replies = await race(50, () => admin.call('access.createRole', { body }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(49)
    const created = (await listRoles(admin, 'PLATFORM', 0)).filter((each) => each.code === 'ONLY_ONE')
    expect(created.map((each) => each.permissions)).toEqual([['user:read']])
    await createRole(admin, { domain: 'APP', code: 'ONLY_ONE' })
    const owner = { domain: 'ORG' as const, code: 'owner', name: 'Second owner' }
    expect((await admin.call('access.createRole', { body: owner })).status).toBe(400)
  })

  test('answers 400 to contradictory or unknown values and creates nothing', async () => {
    const before = (await listRoles(admin, 'PLATFORM', 0)).length
    const appPoint = (await findPoint(admin, 'APP', 'chat:read')).id
    const valid = { domain: 'PLATFORM', code: 'ODD', name: 'Odd' }
    for (const invalid of [
      { domain: undefined },
      { domain: 'CHAT' },
      { code: '1ST' },
      { code: 'WITH SPACE' },
      { name: '' },
      { scopeId: 1 },
      { domain: 'ORG', scopeId: 999_999_999 },
      { permissionIds: [appPoint] },
      { permissionIds: [999_999_999] },
      { permissions: ['chat:send'] },
      { permissions: ['no_such:point'] },
      { permissions: ['user:read'], permissionIds: [appPoint] },
    ])
      expect((await admin.post('/api/rbac/roles', { ...valid, ...invalid })).status, JSON.stringify(invalid)).toBe(400)
    const twoDomains = await admin.send('POST', '/api/rbac/roles', { query: { domain: 'APP' }, body: valid })
    expect(twoDomains.status).toBe(400)
    expect((await listRoles(admin, 'PLATFORM', 0)).length).toBe(before)
  })
})

describe('PUT /api/rbac/roles/:id', () => {
  test('replaces name and points, with immediate effect for users who hold the role', async () => {
    const role = await createRole(admin, { permissions: ['user:read', 'org:read'] })
    const person = await server.person()
    ok(await grant(admin, person, role))
    expect((await myPermissions(person)).platform).toEqual(['org:read', 'user:read'])
    const changed = ok(await changeRole(admin, role, { name: 'Renamed', permissions: ['system:read'] })).data
    expect(changed).toMatchObject({ name: 'Renamed', code: role.code, permissions: ['system:read'] })
    expect((await myPermissions(person)).platform).toEqual(['system:read'])
    expect(await systemReadStatus(person)).toBe(200)
    ok(await changeRole(admin, role, { permissions: [] }))
    expect(await systemReadStatus(person)).toBe(403)
    expect((await myPermissions(person)).roleName).toBe('Renamed')
  })

  test('keeps the fields that the request omits, and changes nothing if it is refused', async () => {
    const role = await createRole(admin, { permissions: ['user:read'] })
    ok(await changeRole(admin, role, { name: 'Just the name' }))
    const expected = { name: 'Just the name', permissions: ['user:read'] }
    expect(await findRole(admin, 'PLATFORM', 0, role.code)).toMatchObject(expected)
    expect((await changeRole(admin, role, { name: 'Other', permissions: ['no_such:point'] })).status).toBe(400)
    expect(await findRole(admin, 'PLATFORM', 0, role.code)).toMatchObject(expected)
    expect((await changeRole(admin, { id: 999_999_999 }, { name: 'x' })).status).toBe(404)
  })

  test.each([
    ['PLATFORM', 'USER_ADMIN'],
    ['APP', 'USER'],
    ['ORG', 'MEMBER'],
    ['ORG', 'OWNER'],
  ] as const)('renames the system role %s %s but not its code, and DELETE answers 400', async (domain, code) => {
    const { id } = await findRole(admin, domain, 0, code)
    expect((await deleteRole(admin, { id })).status).toBe(400)
    ok(await admin.put(`/api/rbac/roles/${id}`, { name: `${code} renamed`, code: 'OTHER' }))
    expect(await findRole(admin, domain, 0, code)).toMatchObject({ id, name: `${code} renamed` })
  })

  test('accepts a new name but no points for OWNER and SYSTEM_ADMIN', async () => {
    const org = await createOrg(await server.person())
    const { id: pointId } = await findPoint(admin, 'ORG', 'org:read')
    for (const owner of [await findRole(admin, 'ORG', 0, 'OWNER'), await findRole(admin, 'ORG', org.id, 'OWNER')]) {
      for (const body of [
        { permissions: ['org:read'] },
        { permissionIds: [pointId] },
        { name: 'Both', permissions: ['org:read'] },
      ])
        expect((await admin.call('access.changeRole', { params: { id: owner.id }, body })).status).toBe(400)
      expect(ok(await changeRole(admin, owner, { name: 'The boss', permissions: [] })).data).toMatchObject({
        name: 'The boss',
        code: 'OWNER',
        permissions: [],
      })
    }
    const systemAdmin = await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')
    expect((await changeRole(admin, systemAdmin, { permissions: ['user:read'] })).status).toBe(400)
    expect((await myPermissions(admin)).platform).toEqual(expect.arrayContaining(pointsOf('PLATFORM')))
  })
})

test('DELETE /api/rbac/roles/:id takes the permissions of the role from its holders immediately', async () => {
  const role = await createRole(admin, { permissions: ['system:read'] })
  const person = await server.person()
  ok(await grant(admin, person, role))
  expect(await systemReadStatus(person)).toBe(200)
  ok(await deleteRole(admin, role))
  expect(await systemReadStatus(person)).toBe(403)
  expect(await rolesOf(admin, person)).toEqual(NEW_USER)
  expect((await deleteRole(admin, role)).status).toBe(404)
  expect((await grant(admin, person, role)).status).toBe(400)
})

describe('roles of organizations', () => {
  test('a changed template affects only organizations founded later', async () => {
    const [owner, before, after] = [await server.person(), await server.person(), await server.person()]
    const oldOrg = await createOrg(owner)
    const template = await createRole(admin, {
      domain: 'ORG',
      code: 'KEEPER',
      permissions: ['org:read', 'member:read'],
    })
    const guest = await findRole(admin, 'ORG', 0, 'GUEST')
    ok(await changeRole(admin, guest, { permissions: [...guest.permissions, 'member:read'] }))
    const newOrg = await createOrg(owner)
    const codes = async (org: { id: number }) => (await listRoles(admin, 'ORG', org.id)).map((each) => each.code)
    const readsMembers = async (user: typeof owner, org: { id: number }) =>
      (await user.call('orgs.members', { params: { orgId: org.id } })).status

    expect(await codes(oldOrg)).not.toContain('KEEPER')
    expect(await findRole(admin, 'ORG', newOrg.id, 'KEEPER')).toMatchObject({
      isSystem: false,
      permissions: ['member:read', 'org:read'],
    })
    await addMembers(owner, oldOrg, before)
    await setRole(owner, oldOrg, before, 'GUEST')
    expect(await readsMembers(before, oldOrg)).toBe(403)
    await addMembers(owner, newOrg, after)
    await setRole(owner, newOrg, after, 'GUEST')
    expect(await readsMembers(after, newOrg)).toBe(200)

    // Changing and deleting the template does not affect the copies either.
    ok(await changeRole(admin, guest, { permissions: guest.permissions }))
    ok(await deleteRole(admin, template))
    expect(await readsMembers(after, newOrg)).toBe(200)
    expect(await codes(newOrg)).toContain('KEEPER')
    expect(await codes(await createOrg(owner))).not.toContain('KEEPER')
  })

  test('a role of one organization takes effect immediately, and only in that organization', async () => {
    const [owner, member] = [await server.person(), await server.person()]
    const [here, there] = [await createOrg(owner), await createOrg(owner)]
    for (const org of [here, there]) {
      await addMembers(owner, org, member)
      await setRole(owner, org, member, 'GUEST')
    }
    const membersStatus = async (org: { id: number }) =>
      (await member.call('orgs.members', { params: { orgId: org.id } })).status
    const role = await createRole(admin, { domain: 'ORG', scopeId: here.id, permissions: ['org:read'] })
    await setRole(owner, here, member, role.code)
    expect((await getOrg(member, here)).roleName).toBe(role.name)
    expect(await membersStatus(here)).toBe(403)
    ok(await changeRole(admin, role, { permissions: ['org:read', 'member:read'] }))
    expect(await membersStatus(here)).toBe(200)
    expect(await membersStatus(there)).toBe(403)
    ok(await deleteRole(admin, role))
    expect(await membersStatus(here)).toBe(403)
  })
})
