import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createRole } from '#domains/access/index.ts'

import { inProcess, type Person, startServer, type TestServer } from '../harness/index.ts'
import { enrol, expectSound, found, look, members, ok, type Org, promote } from './helpers.ts'

let server: TestServer
let owner: Person
let admin: Person
let other: Person
let member: Person
let org: Org

beforeAll(async () => {
  server = await startServer()
  owner = await server.person('owner')
  admin = await server.person('admin')
  other = await server.person('other.admin')
  member = await server.person('member')
  org = await found(owner)
  await enrol(owner, org, admin, other, member)
  await promote(owner, org, admin, 'ADMIN')
  await promote(owner, org, other, 'ADMIN')
})
afterAll(() => server.stop())

const change = (who: Person, whom: Person, body: object, where: { id: number } = org) =>
  who.put(`/api/orgs/${where.id}/members/${whom.id}`, body)
const remove = (who: Person, whom: Person, where: { id: number } = org) =>
  who.delete(`/api/orgs/${where.id}/members/${whom.id}`)

describe('the list', () => {
  test('gives members in the order of joining, with roles and one owner', async () => {
    const { data } = ok(await member.get(`/api/orgs/${org.id}/members`))
    expect(data.items.map((m: { userId: number }) => m.userId)).toEqual([owner.id, admin.id, other.id, member.id])
    expect(Object.keys(data.items[0]).toSorted()).toEqual(
      ['avatarUrl', 'isOwner', 'joinedAt', 'nickname', 'roleCode', 'roleId', 'roleName', 'userId'].toSorted(),
    )
    expect(data.items.map((m: { isOwner: boolean }) => m.isOwner)).toEqual([true, false, false, false])
    const second = ok(await member.get(`/api/orgs/${org.id}/members`, { page: 2, size: 3 })).data
    expect(second.items.map((m: { userId: number }) => m.userId)).toEqual([member.id])
    await expectSound(owner, org)
  })

  test('is searched by what members are called here', async () => {
    ok(await change(admin, member, { nickname: 'Front Desk' }))
    const find = async (keyword: string) =>
      ok(await owner.get(`/api/orgs/${org.id}/members`, { keyword })).data.items.map(
        (m: { userId: number }) => m.userId,
      )
    expect(await find('front')).toEqual([member.id])
    expect(await find('%')).toEqual([])
    ok(await change(admin, member, { nickname: null }))
    expect(await find('front')).toEqual([])
  })
})

describe('roles', () => {
  test('change at once what a member may do', async () => {
    const where = await found(owner)
    await enrol(owner, where, member)
    expect((await member.get(`/api/orgs/${where.id}/pending`)).status).toBe(403)
    expect(ok(await change(owner, member, { roleCode: 'ADMIN' }, where)).data).toMatchObject({ roleCode: 'ADMIN' })
    ok(await member.get(`/api/orgs/${where.id}/pending`))
    const guest = (await members(owner, where)).find((m) => m.userId === member.id)!
    expect(guest.roleName).toBe('Administrator')
    ok(await change(owner, member, { roleCode: 'GUEST' }, where))
    expect((await member.get(`/api/orgs/${where.id}/members`)).status).toBe(403)
    await expectSound(owner, where)
  })

  test('nobody changes or removes the owner, whatever they hold', async () => {
    for (const who of [admin, member]) {
      expect([400, 403]).toContain((await change(who, owner, { roleCode: 'MEMBER' })).status)
      expect([400, 403]).toContain((await change(who, owner, { nickname: 'Fool' })).status)
      expect([400, 403]).toContain((await remove(who, owner)).status)
    }
    expect((await change(owner, owner, { roleCode: 'MEMBER' })).status).toBe(400)
    expect((await remove(owner, owner)).status).toBe(400)
    expect((await owner.post(`/api/orgs/${org.id}/leave`)).status).toBe(400)
    expect(await look(owner, org)).toMatchObject({ isOwner: true, roleName: 'Owner' })
    await expectSound(owner, org)
  })

  test('the owner may name themselves, and OWNER is given by transfer only', async () => {
    expect(ok(await change(owner, owner, { nickname: 'The Boss' })).data).toMatchObject({
      nickname: 'The Boss',
      isOwner: true,
    })
    for (const who of [owner, admin]) expect((await change(who, member, { roleCode: 'OWNER' })).status).toBe(400)
    await expectSound(owner, org)
  })

  test('another organization’s role, an unknown one and two that differ are refused', async () => {
    const foreign = await found(admin)
    const roleId = (await members(admin, foreign))[0]!.roleId
    const own = (await members(owner, org)).find((m) => m.userId === member.id)!.roleId
    for (const body of [{ roleId }, { roleId: 999_999 }, { roleCode: 'KING' }, { roleId: own, roleCode: 'ADMIN' }])
      expect((await change(owner, member, body)).status, JSON.stringify(body)).toBe(400)
    ok(await change(owner, member, { roleId: own }))
  })

  test('people who are no members are 404', async () => {
    const stranger = await server.person()
    expect((await change(owner, stranger, { roleCode: 'MEMBER' })).status).toBe(404)
    expect((await remove(owner, stranger)).status).toBe(404)
    await expectSound(owner, org)
  })

  test.if(inProcess)('nobody raises anyone above themselves, nor touches who stands above them', async () => {
    const where = await found(owner)
    const [clerk, plain, boss] = [await server.person(), await server.person(), await server.person()]
    await enrol(owner, where, clerk, plain, boss)
    await promote(owner, where, boss, 'ADMIN')
    const { ctx } = server
    await ctx.db.write('test', (tx) =>
      createRole(ctx, tx, {
        domain: 'ORG',
        scopeId: where.id,
        code: 'CLERK',
        name: 'Clerk',
        points: ['org:read', 'member:read', 'member:update', 'member:assign_role', 'member:delete'],
      }),
    )
    await promote(owner, where, clerk, 'CLERK')
    expect((await change(clerk, plain, { roleCode: 'ADMIN' }, where)).status).toBe(403)
    expect((await change(clerk, clerk, { roleCode: 'ADMIN' }, where)).status).toBe(403)
    // MEMBER may do what CLERK may not (share:create): out of reach both ways.
    expect((await change(clerk, plain, { roleCode: 'GUEST' }, where)).status).toBe(403)
    expect((await change(clerk, boss, { nickname: 'x' }, where)).status).toBe(403)
    expect((await remove(clerk, boss, where)).status).toBe(403)
    ok(await change(clerk, clerk, { nickname: 'Me' }, where))
    ok(await change(boss, plain, { roleCode: 'CLERK' }, where))
    ok(await change(clerk, plain, { nickname: 'Colleague' }, where))
    ok(await remove(clerk, plain, where))
    await expectSound(owner, where)
  })
})

describe('going', () => {
  test('who leaves or is removed keeps nothing: no role, no current organization', async () => {
    const where = await found(owner)
    const [goer, expelled] = [await server.person(), await server.person()]
    await enrol(owner, where, goer, expelled)
    for (const who of [goer, expelled]) ok(await who.patch(`/api/orgs/${where.id}/switch`))
    ok(await goer.post(`/api/orgs/${where.id}/leave`))
    ok(await remove(owner, expelled, where))
    for (const who of [goer, expelled]) {
      expect((await who.get(`/api/orgs/${where.id}/members`)).status).toBe(403)
      expect(ok(await who.get('/api/auth/userinfo')).data.currentOrgId).toBeNull()
      expect(ok(await who.get('/api/rbac/my-permissions')).data.org).toEqual([])
      expect((await who.post(`/api/orgs/${where.id}/leave`)).status).toBe(404)
      expect(ok(await who.get('/api/orgs')).data.total).toBe(0)
    }
    expect((await look(owner, where)).memberCount).toBe(1)
    // Coming back does not bring an old role back.
    await enrol(owner, where, goer)
    await promote(owner, where, goer, 'ADMIN')
    ok(await goer.post(`/api/orgs/${where.id}/leave`))
    await enrol(owner, where, goer)
    expect((await look(goer, where))['roleName']).toBe('Member')
  })
})

describe('handing over', () => {
  for (const path of ['transfer', 'transfer-ownership'])
    test(`by ${path}: one owner before and after`, async () => {
      const where = await found(owner)
      const [heir, stranger] = [await server.person(), await server.person()]
      await enrol(owner, where, heir)
      const hand = (who: Person, userId: number) => who.post(`/api/orgs/${where.id}/${path}`, { userId })
      expect((await hand(heir, heir.id)).status).toBe(403)
      for (const userId of [stranger.id, owner.id, 999_999_999]) expect((await hand(owner, userId)).status).toBe(400)
      expect((await look(owner, where))['isOwner']).toBe(true)

      expect(ok(await hand(owner, heir.id)).data).toMatchObject({
        isOwner: false,
        ownerId: heir.id,
        roleName: 'Administrator',
      })
      expect(await look(heir, where)).toMatchObject({ isOwner: true, roleName: 'Owner' })
      expect((await hand(owner, owner.id)).status).toBe(403)
      expect((await owner.delete(`/api/orgs/${where.id}?force=true`)).status).toBe(403)
      await expectSound(heir, where)
      ok(await owner.post(`/api/orgs/${where.id}/leave`))
    })

  test.if(inProcess)('a custom role with org:transfer gives nobody the right to take the organization', async () => {
    const where = await found(owner)
    const thief = await server.person()
    await enrol(owner, where, thief)
    const { ctx } = server
    const points = ['org:read', 'org:transfer', 'org:delete']
    await ctx.db.write('test', (tx) =>
      createRole(ctx, tx, { domain: 'ORG', scopeId: where.id, code: 'THIEF', name: 'Thief', points }),
    )
    await promote(owner, where, thief, 'THIEF')
    expect((await thief.post(`/api/orgs/${where.id}/transfer`, { userId: thief.id })).status).toBeGreaterThanOrEqual(
      400,
    )
    expect((await thief.delete(`/api/orgs/${where.id}?force=true`)).status).toBe(403)
    await expectSound(owner, where)
  })
})
