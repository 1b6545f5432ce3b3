import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { pointsOf } from '#permission-points'

import { type Person, race, startServer, type TestServer } from '../harness/index.ts'
import { addMembers as enrol, createOrg as found, getOrg as look, setRole as promote } from '../orgs/helpers.ts'
import { grant, heldBy, makeRole, ok, point, points, revoke, role, roles } from './admin-helpers.ts'

let server: TestServer
let admin: Person
beforeAll(async () => {
  server = await startServer()
  admin = await server.admin()
})
afterAll(() => server.stop())

const mine = async (who: Person): Promise<{ platform: string[]; app: string[]; org: string[] }> =>
  ok(await who.get('/api/rbac/my-permissions')).data

/** Somebody who holds a PLATFORM role with these points. */
async function clerk(...permissions: string[]): Promise<Person> {
  const person = await server.person()
  ok(await grant(admin, person, (await makeRole(admin, { permissions })).id))
  return person
}

describe('permission points', () => {
  test('are listed by domain, each once, in pages', async () => {
    for (const domain of ['PLATFORM', 'APP', 'ORG'] as const) {
      const names = (await points(admin, domain)).map((each) => each.name)
      expect(names.filter((name) => pointsOf(domain).includes(name)).toSorted()).toEqual(pointsOf(domain).toSorted())
      expect(new Set(names).size).toBe(names.length)
    }
    const { data } = ok(await admin.get('/api/rbac/permissions', { keyword: 'transfer', domain: 'ORG' }))
    expect(data.items.map((each: { name: string }) => each.name)).toContain('org:transfer')
    expect(data.items.every((each: { domain: string }) => each.domain === 'ORG')).toBe(true)
    expect(data.total).toBeLessThan(20)
    expect((await admin.get('/api/rbac/permissions', { domain: 'CHAT' })).status).toBe(400)
  })

  test('a new one is unique, belongs to who holds everything, and to nobody else', async () => {
    const body = { domain: 'PLATFORM', resource: 'greenhouse', action: 'water', description: 'Water the plants' }
    expect(ok(await admin.post('/api/rbac/permissions', body)).data).toMatchObject({
      ...body,
      name: 'greenhouse:water',
      enabled: true,
    })
    expect((await mine(admin)).platform).toContain('greenhouse:water')
    const again = await admin.post('/api/rbac/permissions', { ...body, description: 'Other words' })
    expect(again.status).toBe(400)
    expect((await point(admin, 'PLATFORM', 'greenhouse:water')) as unknown).toMatchObject({
      description: 'Water the plants',
    })
    ok(await admin.post('/api/rbac/permissions', { ...body, domain: 'APP' }))
    expect((await mine(await server.person())).app).not.toContain('greenhouse:water')
  })

  test('fifty who add the same one at once: one does', async () => {
    const replies = await race(50, () =>
      admin.post('/api/rbac/permissions', { domain: 'APP', resource: 'race', action: 'win' }),
    )
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(49)
    expect((await points(admin, 'APP')).filter((each) => each.name === 'race:win')).toHaveLength(1)
  })

  test('bad ones are refused', async () => {
    const good = { domain: 'APP', resource: 'thing', action: 'do' }
    for (const broken of [
      { domain: 'CHAT' },
      { resource: 'Thing' },
      { action: 'a:b' },
      { action: '' },
      { resource: 'x'.repeat(51) },
    ])
      expect((await admin.post('/api/rbac/permissions', { ...good, ...broken })).status, JSON.stringify(broken)).toBe(
        400,
      )
    expect((await points(admin, 'APP')).some((each) => each.name.startsWith('thing:'))).toBe(false)
  })

  test('a disabled one is off at once for everybody, and on again', async () => {
    const user = await server.person()
    const { id } = await point(admin, 'APP', 'category:read')
    ok(await user.get('/api/categories'))
    expect(ok(await admin.put(`/api/rbac/permissions/${id}`, { enabled: false })).data.enabled).toBe(false)
    expect((await user.get('/api/categories')).status).toBe(403)
    expect((await mine(user)).app).not.toContain('category:read')
    const described = ok(await admin.put(`/api/rbac/permissions/${id}`, { description: 'Look at folders' })).data
    expect(described).toMatchObject({ enabled: false, description: 'Look at folders' })
    ok(await admin.put(`/api/rbac/permissions/${id}`, { enabled: true }))
    ok(await user.get('/api/categories'))
  })

  test('what switches points on stays on for SYSTEM_ADMIN', async () => {
    const { id } = await point(admin, 'PLATFORM', 'rbac_permission:update')
    ok(await admin.put(`/api/rbac/permissions/${id}`, { enabled: false }))
    ok(await admin.put(`/api/rbac/permissions/${id}`, { enabled: true }))
  })

  test('there is no deleting them, and no changing one that is not there', async () => {
    const { id } = await point(admin, 'APP', 'category:read')
    expect((await admin.delete(`/api/rbac/permissions/${id}`)).status).toBe(405)
    expect((await admin.put('/api/rbac/permissions/999999999', { enabled: false })).status).toBe(404)
    expect((await admin.put(`/api/rbac/permissions/${id}`, { enabled: 'perhaps' })).status).toBe(400)
  })
})

describe('roles', () => {
  test('the templates and the system roles are there, with what they hold', async () => {
    const templates = await roles(admin, 'ORG', 0)
    for (const code of ['OWNER', 'ADMIN', 'MEMBER', 'GUEST'])
      expect(templates.find((each) => each.code === code)).toMatchObject({
        isSystem: true,
        holdsEverything: code === 'OWNER',
      })
    const user = await role(admin, 'APP', 0, 'USER')
    expect(user.permissions.toSorted()).toEqual(pointsOf('APP').toSorted())
    expect(user.permissionIds).toHaveLength(user.permissions.length)
    expect((await role(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')).holdsEverything).toBe(true)
  })

  test('a new one is made in the domain of the query or of the body', async () => {
    const body = { code: 'gardener', name: 'Gardener', permissions: ['user:read', 'org:read', 'user:read'] }
    const made = ok(await admin.send('POST', '/api/rbac/roles', { query: { domain: 'PLATFORM' }, body })).data
    expect(made).toMatchObject({ domain: 'PLATFORM', scopeId: 0, code: 'GARDENER', isSystem: false })
    expect(made.permissions).toEqual(['org:read', 'user:read'])
    const person = await server.person()
    expect((await person.get('/actuator/info')).status).toBe(403)
    ok(await grant(admin, person, made.id))
    expect((await mine(person)).platform).toEqual(['org:read', 'user:read'])

    const id = (await point(admin, 'APP', 'chat:read')).id
    expect(await makeRole(admin, { domain: 'APP', permissionIds: [id] })).toMatchObject({
      domain: 'APP',
      permissions: ['chat:read'],
    })
  })

  test('the code is unique in its domain and scope: of fifty at once one is made', async () => {
    const replies = await race(50, () =>
      admin.post('/api/rbac/roles', {
        domain: 'PLATFORM',
        code: 'ONLY_ONE',
        name: 'Only one',
        permissions: ['user:read'],
      }),
    )
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(49)
    const made = (await roles(admin, 'PLATFORM', 0)).filter((each) => each.code === 'ONLY_ONE')
    expect(made.map((each) => each.permissions)).toEqual([['user:read']])
    await makeRole(admin, { domain: 'APP', code: 'ONLY_ONE' })
    expect((await admin.post('/api/rbac/roles', { domain: 'ORG', code: 'owner', name: 'Second owner' })).status).toBe(
      400,
    )
  })

  test('what does not fit together is refused, and nothing is made', async () => {
    const before = (await roles(admin, 'PLATFORM', 0)).length
    const appPoint = (await point(admin, 'APP', 'chat:read')).id
    const good = { domain: 'PLATFORM', code: 'ODD', name: 'Odd' }
    for (const broken of [
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
      expect((await admin.post('/api/rbac/roles', { ...good, ...broken })).status, JSON.stringify(broken)).toBe(400)
    const twice = await admin.send('POST', '/api/rbac/roles', { query: { domain: 'APP' }, body: good })
    expect(twice.status).toBe(400)
    expect((await roles(admin, 'PLATFORM', 0)).length).toBe(before)
  })

  test('a change replaces name and points whole, at once for who holds it', async () => {
    const made = await makeRole(admin, { permissions: ['user:read', 'org:read'] })
    const person = await server.person()
    ok(await grant(admin, person, made.id))
    expect((await mine(person)).platform).toEqual(['org:read', 'user:read'])
    const changed = ok(
      await admin.put(`/api/rbac/roles/${made.id}`, { name: 'Renamed', permissions: ['system:read'] }),
    ).data
    expect(changed).toMatchObject({ name: 'Renamed', code: made.code, permissions: ['system:read'] })
    expect((await mine(person)).platform).toEqual(['system:read'])
    ok(await person.get('/actuator/info'))
    ok(await admin.put(`/api/rbac/roles/${made.id}`, { permissions: [] }))
    expect((await person.get('/actuator/info')).status).toBe(403)
    expect(ok(await person.get('/api/rbac/my-permissions')).data.roleName).toBe('Renamed')
  })

  test('only what is named is replaced, and a refused change changes nothing', async () => {
    const made = await makeRole(admin, { permissions: ['user:read'] })
    ok(await admin.put(`/api/rbac/roles/${made.id}`, { name: 'Just the name' }))
    expect(await role(admin, 'PLATFORM', 0, made.code)).toMatchObject({
      name: 'Just the name',
      permissions: ['user:read'],
    })
    expect(
      (await admin.put(`/api/rbac/roles/${made.id}`, { name: 'Other', permissions: ['no_such:point'] })).status,
    ).toBe(400)
    expect(await role(admin, 'PLATFORM', 0, made.code)).toMatchObject({
      name: 'Just the name',
      permissions: ['user:read'],
    })
    expect((await admin.put('/api/rbac/roles/999999999', { name: 'x' })).status).toBe(404)
  })

  test('system roles keep their code and stay', async () => {
    for (const [domain, code] of [
      ['PLATFORM', 'USER_ADMIN'],
      ['APP', 'USER'],
      ['ORG', 'MEMBER'],
      ['ORG', 'OWNER'],
    ] as const) {
      const { id } = await role(admin, domain, 0, code)
      expect((await admin.delete(`/api/rbac/roles/${id}`)).status, code).toBe(400)
      ok(await admin.put(`/api/rbac/roles/${id}`, { name: `${code} renamed`, code: 'OTHER' }))
      expect(await role(admin, domain, 0, code)).toMatchObject({ id, name: `${code} renamed` })
    }
  })

  test('OWNER and SYSTEM_ADMIN take a new name and no points', async () => {
    const org = await found(await server.person())
    for (const owner of [await role(admin, 'ORG', 0, 'OWNER'), await role(admin, 'ORG', org.id, 'OWNER')]) {
      const { id } = await point(admin, 'ORG', 'org:read')
      for (const body of [
        { permissions: ['org:read'] },
        { permissionIds: [id] },
        { name: 'Both', permissions: ['org:read'] },
      ])
        expect((await admin.put(`/api/rbac/roles/${owner.id}`, body)).status).toBe(400)
      expect(
        ok(await admin.put(`/api/rbac/roles/${owner.id}`, { name: 'The boss', permissions: [] })).data,
      ).toMatchObject({
        name: 'The boss',
        code: 'OWNER',
        permissions: [],
      })
    }
    const { id } = await role(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')
    expect((await admin.put(`/api/rbac/roles/${id}`, { permissions: ['user:read'] })).status).toBe(400)
    expect((await mine(admin)).platform).toEqual(expect.arrayContaining(pointsOf('PLATFORM')))
  })

  test('a deleted one takes its permissions with it at once', async () => {
    const made = await makeRole(admin, { permissions: ['system:read'] })
    const person = await server.person()
    ok(await grant(admin, person, made.id))
    ok(await person.get('/actuator/info'))
    ok(await admin.delete(`/api/rbac/roles/${made.id}`))
    expect((await person.get('/actuator/info')).status).toBe(403)
    expect(await heldBy(admin, person)).toEqual(['APP 0 USER'])
    expect((await admin.delete(`/api/rbac/roles/${made.id}`)).status).toBe(404)
    expect((await grant(admin, person, made.id)).status).toBe(400)
  })
})

describe('roles of organizations', () => {
  test('a change of a template reaches only organizations founded later', async () => {
    const [owner, before, after] = [await server.person(), await server.person(), await server.person()]
    const old = await found(owner)
    const template = await makeRole(admin, { domain: 'ORG', code: 'KEEPER', permissions: ['org:read', 'member:read'] })
    const guest = await role(admin, 'ORG', 0, 'GUEST')
    ok(await admin.put(`/api/rbac/roles/${guest.id}`, { permissions: [...guest.permissions, 'member:read'] }))
    const young = await found(owner)

    expect((await roles(admin, 'ORG', old.id)).map((each) => each.code)).not.toContain('KEEPER')
    expect(await role(admin, 'ORG', young.id, 'KEEPER')).toMatchObject({
      isSystem: false,
      permissions: ['member:read', 'org:read'],
    })
    await enrol(owner, old, before)
    await promote(owner, old, before, 'GUEST')
    expect((await before.get(`/api/orgs/${old.id}/members`)).status).toBe(403)
    await enrol(owner, young, after)
    await promote(owner, young, after, 'GUEST')
    ok(await after.get(`/api/orgs/${young.id}/members`))

    // And a copy is on its own: neither the template's change nor its end reaches it.
    ok(await admin.put(`/api/rbac/roles/${guest.id}`, { permissions: guest.permissions }))
    ok(await admin.delete(`/api/rbac/roles/${template.id}`))
    ok(await after.get(`/api/orgs/${young.id}/members`))
    expect((await roles(admin, 'ORG', young.id)).map((each) => each.code)).toContain('KEEPER')
    expect((await roles(admin, 'ORG', (await found(owner)).id)).map((each) => each.code)).not.toContain('KEEPER')
  })

  test('one organization’s own role counts at once, there alone', async () => {
    const [owner, member] = [await server.person(), await server.person()]
    const [here, there] = [await found(owner), await found(owner)]
    for (const org of [here, there]) {
      await enrol(owner, org, member)
      await promote(owner, org, member, 'GUEST')
    }
    const made = await makeRole(admin, { domain: 'ORG', scopeId: here.id, permissions: ['org:read'] })
    await promote(owner, here, member, made.code)
    expect((await look(member, here))['roleName']).toBe(made.name)
    expect((await member.get(`/api/orgs/${here.id}/members`)).status).toBe(403)
    ok(await admin.put(`/api/rbac/roles/${made.id}`, { permissions: ['org:read', 'member:read'] }))
    ok(await member.get(`/api/orgs/${here.id}/members`))
    expect((await member.get(`/api/orgs/${there.id}/members`)).status).toBe(403)
    ok(await admin.delete(`/api/rbac/roles/${made.id}`))
    expect((await member.get(`/api/orgs/${here.id}/members`)).status).toBe(403)
  })

  test('go to members only, and never as OWNER or as a template', async () => {
    const [owner, member, stranger] = [await server.person(), await server.person(), await server.person()]
    const org = await found(owner)
    await enrol(owner, org, member)
    const [boss, assistant] = [await role(admin, 'ORG', org.id, 'OWNER'), await role(admin, 'ORG', org.id, 'ADMIN')]
    expect((await grant(admin, stranger, assistant.id)).status).toBe(400)
    expect((await grant(admin, member, boss.id)).status).toBe(400)
    expect((await grant(admin, member, (await role(admin, 'ORG', 0, 'ADMIN')).id)).status).toBe(400)
    expect((await revoke(admin, owner, boss.id)).status).toBe(400)
    expect(await heldBy(admin, stranger)).toEqual(['APP 0 USER'])
    ok(await grant(admin, member, assistant.id))
    ok(await member.get(`/api/orgs/${org.id}/pending`))
    ok(await revoke(admin, member, assistant.id))
    expect((await member.get(`/api/orgs/${org.id}/pending`)).status).toBe(403)
    ok(await member.get(`/api/orgs/${org.id}/members`))
    // Leaving takes away what was granted here, too.
    ok(await grant(admin, member, assistant.id))
    ok(await member.post(`/api/orgs/${org.id}/leave`))
    expect(await heldBy(admin, member)).toEqual(['APP 0 USER'])
  })
})

describe('bindings', () => {
  test('are granted and revoked at once, and granting twice is granting once', async () => {
    const person = await server.person()
    const { id } = await role(admin, 'PLATFORM', 0, 'OPERATION_ADMIN')
    expect((await person.get('/actuator/info')).status).toBe(403)
    const replies = await race(10, () => grant(admin, person, id))
    for (const reply of replies) ok(reply)
    expect(replies[0]!.data).toMatchObject({ userId: person.id, roleId: id, code: 'OPERATION_ADMIN', isInitial: false })
    expect(await heldBy(admin, person)).toEqual(['PLATFORM 0 OPERATION_ADMIN', 'APP 0 USER'])
    ok(await person.get('/actuator/info'))
    ok(await revoke(admin, person, id))
    expect((await person.get('/actuator/info')).status).toBe(403)
    expect((await revoke(admin, person, id)).status).toBe(404)
  })

  test('the first administrator’s cannot be revoked, by anybody', async () => {
    const { id } = await role(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')
    const second = await server.person()
    ok(await grant(admin, second, id))
    for (const who of [admin, second]) expect((await revoke(who, admin, id)).status).toBe(400)
    ok(await grant(second, admin, id))
    expect((await revoke(second, admin, id)).status).toBe(400)
    const [binding] = ok(await second.get(`/api/rbac/users/${admin.id}/roles`, { domain: 'PLATFORM' })).data.items
    expect(binding).toMatchObject({ code: 'SYSTEM_ADMIN', isInitial: true })
    ok(await revoke(admin, second, id))
    expect((await mine(second)).platform).toEqual([])
  })

  test('unknown users and roles', async () => {
    const person = await server.person()
    const { id } = await role(admin, 'PLATFORM', 0, 'USER_ADMIN')
    expect((await admin.get('/api/rbac/users/999999999/roles')).status).toBe(404)
    expect((await grant(admin, { id: 999_999_999 }, id)).status).toBe(404)
    expect((await grant(admin, person, 999_999_999)).status).toBe(400)
    expect((await admin.post(`/api/rbac/users/${person.id}/roles`, {})).status).toBe(400)
    expect((await revoke(admin, person, id)).status).toBe(404)
    ok(await person.post('/api/auth/account/delete'))
    expect((await grant(admin, person, id)).status).toBe(404)
  })
})

describe('at once', () => {
  test('granting a role and leaving: who is no member holds nothing', async () => {
    const owner = await server.person()
    const org = await found(owner)
    const { id } = await role(admin, 'ORG', org.id, 'ADMIN')
    for (let round = 0; round < 8; round++) {
      const goer = await server.person()
      await enrol(owner, org, goer)
      const [left, granted] = await Promise.all([goer.post(`/api/orgs/${org.id}/leave`), grant(admin, goer, id)])
      ok(left)
      expect([200, 400]).toContain(granted.status)
      expect(await heldBy(admin, goer)).toEqual(['APP 0 USER'])
      expect((await goer.get(`/api/orgs/${org.id}/pending`)).status).toBe(403)
    }
  })

  test('granting, changing and deleting a role: it is gone for everybody', async () => {
    const people = [await server.person(), await server.person(), await server.person()]
    for (let round = 0; round < 5; round++) {
      const { id } = await makeRole(admin, { permissions: ['system:read'] })
      const replies = await Promise.all([
        ...people.map((person) => grant(admin, person, id)),
        admin.put(`/api/rbac/roles/${id}`, { permissions: ['user:read', 'system:read'] }),
        admin.delete(`/api/rbac/roles/${id}`),
      ])
      for (const reply of replies) expect([200, 400, 404]).toContain(reply.status)
      expect(replies.at(-1)!.status).toBe(200)
      for (const person of people) {
        expect(await heldBy(admin, person)).toEqual(['APP 0 USER'])
        expect((await person.get('/actuator/info')).status).toBe(403)
      }
    }
  })

  test('losing a permission and handing it on: what was handed on after it was lost is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const hr = await clerk('rbac_user_role:grant')
      const extra = await makeRole(admin, { permissions: ['setting:update'] })
      ok(await grant(admin, hr, extra.id))
      const friend = await server.person()
      const [revoked, handed] = await Promise.all([revoke(admin, hr, extra.id), grant(hr, friend, extra.id)])
      ok(revoked)
      expect([200, 403]).toContain(handed.status)
      expect((await heldBy(admin, friend)).some((each) => each.endsWith(extra.code))).toBe(handed.status === 200)
      expect((await grant(hr, await server.person(), extra.id)).status).toBe(403)
    }
  })
})

describe('nobody hands on more than they hold', () => {
  const RBAC = ['rbac_role:read', 'rbac_role:create', 'rbac_role:update', 'rbac_role:delete']

  test('granting and revoking', async () => {
    const hr = await clerk('rbac_user_role:read', 'rbac_user_role:grant', 'rbac_user_role:revoke', 'user:read')
    const person = await server.person()
    const above = [
      await role(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN'),
      await role(admin, 'PLATFORM', 0, 'USER_ADMIN'),
      await makeRole(admin, { permissions: ['user:read', 'user:update'] }),
    ]
    for (const each of above) {
      expect((await grant(hr, person, each.id)).status, each.code).toBe(403)
      expect((await grant(hr, hr, each.id)).status, each.code).toBe(403)
    }
    expect(await heldBy(admin, person)).toEqual(['APP 0 USER'])
    const within = await makeRole(admin, { permissions: ['user:read'] })
    ok(await grant(hr, person, within.id))
    ok(await revoke(hr, person, within.id))
    ok(await grant(admin, person, above[2]!.id))
    expect((await revoke(hr, person, above[2]!.id)).status).toBe(403)
    // A disabled point counts: it may be on tomorrow.
    const { id } = await point(admin, 'PLATFORM', 'user:update')
    ok(await admin.put(`/api/rbac/permissions/${id}`, { enabled: false }))
    expect((await grant(hr, hr, above[2]!.id)).status).toBe(403)
    ok(await admin.put(`/api/rbac/permissions/${id}`, { enabled: true }))
    // What they hold in the console says nothing about an organization.
    const [owner, member] = [await server.person(), await server.person()]
    const org = await found(owner)
    await enrol(owner, org, member)
    expect((await grant(hr, member, (await role(admin, 'ORG', org.id, 'ADMIN')).id)).status).toBe(403)
    expect(await heldBy(admin, member)).toEqual(['APP 0 USER', `ORG ${org.id} MEMBER`])
  })

  test('making, changing and deleting roles', async () => {
    const editor = await clerk(...RBAC, 'user:read')
    const body = { domain: 'PLATFORM', code: 'ESCALATE', name: 'Up' }
    expect((await editor.post('/api/rbac/roles', { ...body, permissions: ['setting:update'] })).status).toBe(403)
    expect((await roles(admin, 'PLATFORM', 0)).some((each) => each.code === 'ESCALATE')).toBe(false)
    const made = await makeRole(editor, { permissions: ['user:read'] })
    expect(
      (await editor.put(`/api/rbac/roles/${made.id}`, { permissions: ['user:read', 'setting:update'] })).status,
    ).toBe(403)
    const own = (await heldBy(admin, editor)).find((each) => each.startsWith('PLATFORM'))!.split(' ')[2]!
    const ownRole = await role(admin, 'PLATFORM', 0, own)
    expect(
      (await editor.put(`/api/rbac/roles/${ownRole.id}`, { permissions: [...ownRole.permissions, 'user:update'] }))
        .status,
    ).toBe(403)
    expect((await mine(editor)).platform).toEqual([...RBAC, 'user:read'].toSorted())
    const above = await makeRole(admin, { permissions: ['setting:update'] })
    expect((await editor.put(`/api/rbac/roles/${above.id}`, { permissions: [] })).status).toBe(403)
    expect((await editor.put(`/api/rbac/roles/${above.id}`, { name: 'Mocked' })).status).toBe(403)
    expect((await editor.delete(`/api/rbac/roles/${above.id}`)).status).toBe(403)
    expect(await role(admin, 'PLATFORM', 0, above.code)).toMatchObject({
      name: above.name,
      permissions: ['setting:update'],
    })
    ok(await editor.put(`/api/rbac/roles/${made.id}`, { permissions: [] }))
    ok(await editor.delete(`/api/rbac/roles/${made.id}`))
  })

  test('each operation asks for its own point', async () => {
    const reader = await clerk('rbac_permission:read', 'rbac_role:read', 'rbac_user_role:read')
    const { id } = await role(reader, 'APP', 0, 'USER')
    const target = await point(reader, 'APP', 'chat:read')
    ok(await reader.get(`/api/rbac/users/${admin.id}/roles`))
    const refused = [
      await reader.post('/api/rbac/permissions', { domain: 'APP', resource: 'a', action: 'b' }),
      await reader.put(`/api/rbac/permissions/${target.id}`, { enabled: false }),
      await reader.post('/api/rbac/roles', { domain: 'APP', code: 'X', name: 'X' }),
      await reader.put(`/api/rbac/roles/${id}`, { name: 'X' }),
      await reader.delete(`/api/rbac/roles/${id}`),
      await grant(reader, reader, id),
      await revoke(reader, reader, id),
    ]
    expect(refused.map((reply) => reply.status)).toEqual(refused.map(() => 403))
    expect((await point(admin, 'APP', 'chat:read')).enabled).toBe(true)
  })
})
