/** Granting and revoking roles, races between these, and the rule against privilege escalation. */

import { describe, expect, test } from 'bun:test'

import { ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave } from '../orgs/helpers.ts'
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
  revoke,
  rolesOf,
  setEnabled,
  systemReadStatus,
} from './helpers.ts'

const { server, admin } = useServer()

/** A user with a custom PLATFORM role that has these points. */
async function clerk(...permissions: string[]): Promise<Person> {
  const person = await server.person()
  ok(await grant(admin, person, await createRole(admin, { permissions })))
  return person
}

const pendingStatus = async (user: Person, org: { id: number }): Promise<number> =>
  (await user.call('orgs.pending', { params: { id: org.id } })).status

describe('granting and revoking roles', () => {
  test('takes effect immediately, and granting a role twice binds it once', async () => {
    const person = await server.person()
    const role = await findRole(admin, 'PLATFORM', 0, 'OPERATION_ADMIN')
    expect(await systemReadStatus(person)).toBe(403)
    const replies = await race(10, () => grant(admin, person, role))
    for (const reply of replies) ok(reply)
    expect(replies[0]!.data).toMatchObject({
      userId: person.id,
      roleId: role.id,
      code: 'OPERATION_ADMIN',
      isInitial: false,
    })
    expect(await rolesOf(admin, person)).toEqual(['PLATFORM 0 OPERATION_ADMIN', ...NEW_USER])
    expect(await systemReadStatus(person)).toBe(200)
    ok(await revoke(admin, person, role))
    expect(await systemReadStatus(person)).toBe(403)
    expect((await revoke(admin, person, role)).status).toBe(404)
  })

  test('the first administrator’s SYSTEM_ADMIN cannot be revoked by any administrator', async () => {
    const role = await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')
    const second = await server.person()
    ok(await grant(admin, second, role))
    for (const person of [admin, second]) expect((await revoke(person, admin, role)).status).toBe(400)
    ok(await grant(second, admin, role))
    expect((await revoke(second, admin, role)).status).toBe(400)
    const { data } = ok(
      await second.call('access.listUserRoles', { params: { userId: admin.id }, query: { domain: 'PLATFORM' } }),
    )
    expect(data.items[0]).toMatchObject({ code: 'SYSTEM_ADMIN', isInitial: true })
    ok(await revoke(admin, second, role))
    expect((await myPermissions(second)).platform).toEqual([])
  })

  test('answers 404 for unknown and deleted users, 400 for unknown roles and invalid bodies', async () => {
    const person = await server.person()
    const role = await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')
    const unknown = { id: 999_999_999 }
    expect((await admin.call('access.listUserRoles', { params: { userId: unknown.id } })).status).toBe(404)
    expect((await grant(admin, unknown, role)).status).toBe(404)
    expect((await grant(admin, person, unknown)).status).toBe(400)
    expect((await admin.post(`/api/rbac/users/${person.id}/roles`, {})).status).toBe(400)
    expect((await revoke(admin, person, role)).status).toBe(404)
    ok(await person.call('auth.deleteAccount'))
    expect((await grant(admin, person, role)).status).toBe(404)
  })

  test('roles of an organization can be granted to its members only, and neither OWNER nor templates to anyone', async () => {
    const [owner, member, stranger] = [await server.person(), await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const ownerRole = await findRole(admin, 'ORG', org.id, 'OWNER')
    const adminRole = await findRole(admin, 'ORG', org.id, 'ADMIN')
    expect((await grant(admin, stranger, adminRole)).status).toBe(400)
    expect((await grant(admin, member, ownerRole)).status).toBe(400)
    expect((await grant(admin, member, await findRole(admin, 'ORG', 0, 'ADMIN'))).status).toBe(400)
    expect((await revoke(admin, owner, ownerRole)).status).toBe(400)
    expect(await rolesOf(admin, stranger)).toEqual(NEW_USER)
    ok(await grant(admin, member, adminRole))
    expect(await pendingStatus(member, org)).toBe(200)
    ok(await revoke(admin, member, adminRole))
    expect(await pendingStatus(member, org)).toBe(403)
    ok(await member.call('orgs.members', { params: { orgId: org.id } }))
    // Leaving the organization also removes roles granted here.
    ok(await grant(admin, member, adminRole))
    ok(await leave(member, org))
    expect(await rolesOf(admin, member)).toEqual(NEW_USER)
  })
})

describe('concurrent changes', () => {
  test('a user who leaves an organization while a role in it is granted holds no role there afterwards', async () => {
    const owner = await server.person()
    const org = await createOrg(owner)
    const role = await findRole(admin, 'ORG', org.id, 'ADMIN')
    for (let round = 0; round < 8; round++) {
      const member = await server.person()
      await addMembers(owner, org, member)
      const [left, granted] = await Promise.all([leave(member, org), grant(admin, member, role)])
      ok(left)
      expect([200, 400]).toContain(granted.status)
      expect(await rolesOf(admin, member)).toEqual(NEW_USER)
      expect(await pendingStatus(member, org)).toBe(403)
    }
  })

  test('nobody holds a role that was deleted while it was granted and changed', async () => {
    const people = [await server.person(), await server.person(), await server.person()]
    for (let round = 0; round < 5; round++) {
      const role = await createRole(admin, { permissions: ['system:read'] })
      const replies = await Promise.all([
        ...people.map((person) => grant(admin, person, role)),
        changeRole(admin, role, { permissions: ['user:read', 'system:read'] }),
        deleteRole(admin, role),
      ])
      for (const reply of replies) expect([200, 400, 404]).toContain(reply.status)
      expect(replies.at(-1)!.status).toBe(200)
      for (const person of people) {
        expect(await rolesOf(admin, person)).toEqual(NEW_USER)
        expect(await systemReadStatus(person)).toBe(403)
      }
    }
  })

  test('an administrator who loses a permission cannot pass it on afterwards', async () => {
    const body = { domain: 'APP' as const, resource: 'vault', action: 'close' }
    ok(await admin.call('access.createPermission', { body }))
    for (let round = 0; round < 5; round++) {
      const hr = await clerk('rbac_user_role:grant')
      const extra = await createRole(admin, { domain: 'APP', permissions: ['vault:close'] })
      ok(await grant(admin, hr, extra))
      const friend = await server.person()
      const [revoked, passedOn] = await Promise.all([revoke(admin, hr, extra), grant(hr, friend, extra)])
      ok(revoked)
      expect([200, 403]).toContain(passedOn.status)
      expect((await rolesOf(admin, friend)).some((each) => each.endsWith(extra.code))).toBe(passedOn.status === 200)
      expect((await grant(hr, await server.person(), extra)).status).toBe(403)
    }
  })
})

describe('privilege escalation', () => {
  const RBAC = ['rbac_role:read', 'rbac_role:create', 'rbac_role:update', 'rbac_role:delete']

  test('granting or revoking a role with points that the caller does not hold answers 403', async () => {
    const hr = await clerk('rbac_user_role:read', 'rbac_user_role:grant', 'rbac_user_role:revoke')
    const person = await server.person()
    const body = { domain: 'APP' as const, resource: 'vault', action: 'open' }
    const point = ok(await admin.call('access.createPermission', { body })).data
    const oneMore = await createRole(admin, { domain: 'APP', permissions: ['qr_code:read', 'vault:open'] })
    expect((await grant(hr, person, oneMore)).status).toBe(403)
    expect((await grant(hr, hr, oneMore)).status).toBe(403)
    expect(await rolesOf(admin, person)).toEqual(NEW_USER)
    const within = await createRole(admin, { domain: 'APP', permissions: ['qr_code:read'] })
    ok(await grant(hr, person, within))
    ok(await revoke(hr, person, within))
    ok(await grant(admin, person, oneMore))
    expect((await revoke(hr, person, oneMore)).status).toBe(403)
    // A disabled point counts, because it may be enabled again.
    await setEnabled(admin, point, false)
    expect((await grant(hr, hr, oneMore)).status).toBe(403)
    await setEnabled(admin, point, true)
    // PLATFORM points do not count in organizations.
    const [owner, member] = [await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    expect((await grant(hr, member, await findRole(admin, 'ORG', org.id, 'ADMIN'))).status).toBe(403)
    expect(await rolesOf(admin, member)).toEqual([...NEW_USER, `ORG ${org.id} MEMBER`])
  })

  test('roles of an administrator are changed by SYSTEM_ADMIN only, also those in the APP domain', async () => {
    const hr = await clerk('rbac_user_role:read', 'rbac_user_role:grant', 'rbac_user_role:revoke')
    const roleOfAll = await findRole(admin, 'APP', 0, 'USER')
    const person = await server.person()
    // Everybody else loses and gets it by the clerk.
    ok(await revoke(hr, person, roleOfAll))
    ok(await grant(hr, person, roleOfAll))
    const second = await clerk('user:read')
    for (const target of [admin, second]) expect((await revoke(hr, target, roleOfAll)).status).toBe(403)
    ok(await revoke(admin, second, roleOfAll))
    expect((await grant(hr, second, roleOfAll)).status).toBe(403)
    ok(await grant(admin, second, roleOfAll))
    expect((await admin.get('/api/qr-codes')).status).toBe(200)
  })

  test('only SYSTEM_ADMIN grants and revokes PLATFORM roles, even roles without points', async () => {
    const hr = await clerk('rbac_role:create', 'rbac_user_role:grant', 'rbac_user_role:revoke', 'user:read')
    const person = await server.person()
    // An empty role would let its holder sign in to the console.
    const empty = await createRole(hr, { permissions: [] })
    const within = await createRole(hr, { permissions: ['user:read'] })
    for (const role of [empty, within, await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')])
      expect((await grant(hr, person, role)).status, role.code).toBe(403)
    expect(await rolesOf(admin, person)).toEqual(NEW_USER)
    const body = { account: person.username, password: person.password }
    expect((await server.request('POST', '/api/admin/auth/login', { body })).status).toBe(403)
    ok(await grant(admin, person, within))
    expect((await revoke(hr, person, within)).status).toBe(403)
    ok(await revoke(admin, person, within))
    expect(await rolesOf(admin, person)).toEqual(NEW_USER)
  })

  test('only SYSTEM_ADMIN changes permission points and system roles, whatever points the caller holds', async () => {
    const editor = await clerk('rbac_permission:create', 'rbac_permission:update', ...RBAC)
    const point = await findPoint(admin, 'PLATFORM', 'rbac_user_role:revoke')
    const user = await findRole(admin, 'APP', 0, 'USER')
    const refused = [
      await editor.call('access.createPermission', { body: { domain: 'APP', resource: 'a', action: 'b' } }),
      await editor.call('access.changePermission', { params: { id: point.id }, body: { enabled: false } }),
      await changeRole(editor, user, { permissions: [] }),
      await changeRole(editor, user, { name: 'Nobody' }),
    ]
    expect(refused.map((reply) => reply.status)).toEqual([403, 403, 403, 403])
    expect((await findPoint(admin, 'PLATFORM', 'rbac_user_role:revoke')).enabled).toBe(true)
    expect(await findRole(admin, 'APP', 0, 'USER')).toMatchObject({ name: user.name, permissions: user.permissions })
    const custom = await createRole(editor, { domain: 'APP', permissions: ['qr_code:read'] })
    ok(await changeRole(editor, custom, { permissions: [] }))
  })

  test('SYSTEM_ADMIN can revoke roles and enable points after all points for this were disabled', async () => {
    const abuser = await clerk('user:read')
    const names = ['rbac_permission:read', 'rbac_permission:update', 'rbac_user_role:revoke']
    const points = await Promise.all(names.map((name) => findPoint(admin, 'PLATFORM', name)))
    for (const point of points) await setEnabled(admin, point, false)
    const code = (await rolesOf(admin, abuser)).find((each) => each.startsWith('PLATFORM'))!.split(' ')[2]!
    ok(await revoke(admin, abuser, await findRole(admin, 'PLATFORM', 0, code)))
    expect(await rolesOf(admin, abuser)).toEqual(NEW_USER)
    for (const point of points) await setEnabled(admin, point, true)
  })

  test('creating, changing or deleting a role with points that the caller does not hold answers 403', async () => {
    const editor = await clerk(...RBAC, 'user:read')
    const body = { domain: 'PLATFORM' as const, code: 'ESCALATE', name: 'Up', permissions: ['setting:update'] }
    expect((await editor.call('access.createRole', { body })).status).toBe(403)
    expect((await listRoles(admin, 'PLATFORM', 0)).some((each) => each.code === 'ESCALATE')).toBe(false)
    const role = await createRole(editor, { permissions: ['user:read'] })
    expect((await changeRole(editor, role, { permissions: ['user:read', 'setting:update'] })).status).toBe(403)
    const ownCode = (await rolesOf(admin, editor)).find((each) => each.startsWith('PLATFORM'))!.split(' ')[2]!
    const own = await findRole(admin, 'PLATFORM', 0, ownCode)
    expect((await changeRole(editor, own, { permissions: [...own.permissions, 'user:update'] })).status).toBe(403)
    expect((await myPermissions(editor)).platform).toEqual([...RBAC, 'user:read'].toSorted())
    const above = await createRole(admin, { permissions: ['setting:update'] })
    expect((await changeRole(editor, above, { permissions: [] })).status).toBe(403)
    expect((await changeRole(editor, above, { name: 'Mocked' })).status).toBe(403)
    expect((await deleteRole(editor, above)).status).toBe(403)
    expect(await findRole(admin, 'PLATFORM', 0, above.code)).toMatchObject({
      name: above.name,
      permissions: ['setting:update'],
    })
    ok(await changeRole(editor, role, { permissions: [] }))
    ok(await deleteRole(editor, role))
  })

  test('SYSTEM_ADMIN who is a member of an organization cannot give themselves rights in it', async () => {
    const [owner, chief] = [await server.person(), await server.person()]
    ok(await grant(admin, chief, await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')))
    const org = await createOrg(owner)
    ok(await chief.post(`/api/admin/orgs/${org.id}/members`, { userId: chief.id }))
    const [member, orgAdmin] = [
      await findRole(admin, 'ORG', org.id, 'MEMBER'),
      await findRole(admin, 'ORG', org.id, 'ADMIN'),
    ]
    const refused = [
      await grant(chief, chief, orgAdmin),
      await revoke(chief, chief, member),
      await changeRole(chief, member, { permissions: orgAdmin.permissions }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
    expect(await pendingStatus(chief, org)).toBe(403)
    expect(await rolesOf(admin, chief)).toContain(`ORG ${org.id} MEMBER`)
    expect((await findRole(admin, 'ORG', org.id, 'MEMBER')).permissions).toEqual(member.permissions)
    // They may still repair the roles of others.
    ok(await changeRole(chief, orgAdmin, { permissions: member.permissions }))
  })

  test('nobody changes their own PLATFORM roles', async () => {
    const chief = await server.person()
    const role = await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')
    const extra = await createRole(admin, { permissions: ['user:read'] })
    ok(await grant(admin, chief, role))
    expect((await revoke(chief, chief, role)).status).toBe(400)
    expect((await grant(chief, chief, extra)).status).toBe(400)
    ok(await grant(admin, chief, extra))
    expect((await changeRole(chief, extra, { permissions: ['user:read', 'org:read'] })).status).toBe(400)
    expect((await deleteRole(chief, extra)).status).toBe(400)
    ok(await changeRole(chief, extra, { name: 'Readers' }))
    expect((await rolesOf(admin, chief)).toSorted()).toEqual(
      [...NEW_USER, `PLATFORM 0 ${extra.code}`, 'PLATFORM 0 SYSTEM_ADMIN'].toSorted(),
    )
  })

  test('only SYSTEM_ADMIN changes the points of a PLATFORM role that somebody holds, or deletes it', async () => {
    const editor = await clerk(...RBAC, 'user:read')
    const holder = await server.person()
    const role = await createRole(editor, { permissions: ['user:read'] })
    ok(await grant(admin, holder, role))
    expect((await changeRole(editor, role, { permissions: [] })).status).toBe(403)
    expect((await deleteRole(editor, role)).status).toBe(403)
    expect((await myPermissions(holder)).platform).toEqual(['user:read'])
    ok(await changeRole(admin, role, { permissions: [] }))
    ok(await deleteRole(admin, role))
    expect(await rolesOf(admin, holder)).toEqual(NEW_USER)
  })

  test('an administrator with only read points can list points and roles but change nothing', async () => {
    const reader = await clerk('rbac_permission:read', 'rbac_role:read', 'rbac_user_role:read')
    const role = await findRole(reader, 'APP', 0, 'USER')
    const point = await findPoint(reader, 'APP', 'chat:read')
    ok(await reader.call('access.listUserRoles', { params: { userId: admin.id } }))
    const refused = [
      await reader.call('access.createPermission', { body: { domain: 'APP', resource: 'a', action: 'b' } }),
      await reader.call('access.changePermission', { params: { id: point.id }, body: { enabled: false } }),
      await reader.call('access.createRole', { body: { domain: 'APP', code: 'X', name: 'X' } }),
      await changeRole(reader, role, { name: 'X' }),
      await deleteRole(reader, role),
      await grant(reader, reader, role),
      await revoke(reader, reader, role),
    ]
    expect(refused.map((reply) => reply.status)).toEqual(refused.map(() => 403))
    expect((await findPoint(admin, 'APP', 'chat:read')).enabled).toBe(true)
  })
})
