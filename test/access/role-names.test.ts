/** Names of system roles are shown in the language of the request, wherever a role is named. */

import { expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createRole, findRole, grant } from './helpers.ts'

const { server, admin, owner, member } = useServer({ people: ['owner', 'member'] })

const LANGUAGES = { en: 'en-GB', zh: 'zh-CN,zh;q=0.9' }
type Language = keyof typeof LANGUAGES
const get = async (who: Person, path: string, language: Language, query = {}) =>
  ok(await who.send('GET', path, { headers: { 'accept-language': LANGUAGES[language] }, query })).data

test('answers of logins and the list of permissions name the role in the language of the request', async () => {
  const names = async (who: Person, path: string, language: Language) => {
    const body = { account: who.username, password: who.password }
    const headers = { 'accept-language': LANGUAGES[language] }
    const login = ok(await server.request('POST', path, { headers, body })).data
    const token = ok(
      await server.request('POST', '/api/auth/refresh', { headers, body: { refreshToken: login.refreshToken } }),
    ).data
    return [login.roleName, token.roleName, (await get(who, '/api/rbac/my-permissions', language)).roleName]
  }
  const same = (name: string) => [name, name, name]
  expect(await names(admin, '/api/admin/auth/login', 'en')).toEqual(same('System administrator'))
  expect(await names(admin, '/api/admin/auth/login', 'zh')).toEqual(same('系统管理员'))
  expect(await names(member, '/api/auth/login', 'en')).toEqual(same('User'))
  expect(await names(member, '/api/auth/login', 'zh')).toEqual(same('用户'))
})

test('organizations, their members and their statistics name roles in the language of the request', async () => {
  const org = await createOrg(owner)
  await addMembers(owner, org, member)
  const names = async (language: Language) => {
    const [mine] = (await get(owner, '/api/orgs', language, { size: 100 })).items.filter(
      (each: { id: number }) => each.id === org.id,
    )
    const members = (await get(owner, `/api/orgs/${org.id}/members`, language)).items
    const { roles } = await get(owner, `/api/orgs/${org.id}/stats`, language)
    return {
      mine: mine.roleName,
      one: (await get(owner, `/api/orgs/${org.id}`, language)).roleName,
      members: members.map((each: { roleName: string }) => each.roleName),
      roles: roles.map((each: { roleName: string }) => each.roleName),
    }
  }
  expect(await names('en')).toEqual({
    mine: 'Owner',
    one: 'Owner',
    members: ['Owner', 'Member'],
    roles: ['Owner', 'Administrator', 'Member', 'Guest'],
  })
  expect(await names('zh')).toEqual({
    mine: '所有者',
    one: '所有者',
    members: ['所有者', '成员'],
    roles: ['所有者', '管理员', '成员', '访客'],
  })
})

test('the console lists roles and bindings in the language of the request, and explains them in it', async () => {
  const roles = (await get(admin, '/api/rbac/roles', 'zh', { domain: 'PLATFORM' })).items
  expect(roles.map((role: { name: string }) => role.name)).toEqual([
    '系统管理员',
    '用户管理员',
    '业务管理员',
    '运营管理员',
  ])
  const [bound] = (await get(admin, `/api/rbac/users/${admin.id}/roles`, 'zh', { domain: 'PLATFORM' })).items
  expect(bound.name).toBe('系统管理员')
  const explained = await get(admin, '/api/rbac/explain', 'zh', { userId: admin.id, permission: 'user:read' })
  expect(JSON.stringify(explained)).toContain('系统管理员')
  expect(JSON.stringify(explained)).not.toContain('System administrator')
})

test('custom roles and renamed system roles keep their name in both languages', async () => {
  const custom = await createRole(admin, { name: 'Member' })
  const renamed = await findRole(admin, 'ORG', 0, 'GUEST')
  ok(await admin.put(`/api/rbac/roles/${renamed.id}`, { name: 'Visitor' }))
  const person = await server.person()
  ok(await grant(admin, person, custom))
  for (const language of ['en', 'zh'] as const) {
    expect((await get(person, '/api/rbac/my-permissions', language)).roleName).toBe('Member')
    const templates = (await get(admin, '/api/rbac/roles', language, { domain: 'ORG', scopeId: 0 })).items
    expect(templates.find((role: { code: string }) => role.code === 'GUEST').name).toBe('Visitor')
  }
})

test('sending back the name that was shown changes nothing, so the name stays localized', async () => {
  const role = await findRole(admin, 'APP', 0, 'USER')
  const headers = { 'accept-language': LANGUAGES.zh }
  const { total } = await get(admin, '/api/admin/logs', 'en')
  const path = `/api/rbac/roles/${role.id}`
  expect(ok(await admin.send('PUT', path, { headers, body: { name: '用户' } })).data.name).toBe('用户')
  expect((await findRole(admin, 'APP', 0, 'USER')).name).toBe('User')
  expect((await get(admin, '/api/admin/logs', 'en')).total).toBe(total)
})
