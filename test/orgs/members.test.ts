import { beforeAll, describe, expect, test } from 'bun:test'

import { createRole } from '#domains/access/index.ts'
import type { UpdateMember } from '#domains/orgs/members/members.model.ts'

import { inProcess, type Person, useServer } from '../harness/index.ts'
import {
  addMembers,
  createOrg,
  currentOrgId,
  expectConsistent,
  getOrg,
  leave,
  listMembers,
  listRequests,
  ok,
  type Org,
  setRole,
  switchTo,
  UNKNOWN_ID,
} from './helpers.ts'

const { server, owner, deputy, otherDeputy, member } = useServer({
  people: ['owner', 'deputy', 'otherDeputy', 'member'],
})
/** Has the owner, two members with the role ADMIN, and a member. */
let org: Org

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, deputy, otherDeputy, member)
  await setRole(owner, org, deputy, 'ADMIN')
  await setRole(owner, org, otherDeputy, 'ADMIN')
})

const change = (user: Person, whom: Person, body: UpdateMember, where: { id: number } = org) =>
  user.call('orgs.changeMember', { params: { orgId: where.id, userId: whom.id }, body })
const remove = (user: Person, whom: Person, where: { id: number } = org) =>
  user.call('orgs.removeMember', { params: { orgId: where.id, userId: whom.id } })
const findMember = async (where: { id: number }, user: Person) =>
  (await listMembers(owner, where)).items.find((m) => m.userId === user.id)!

describe('listing', () => {
  test('GET /orgs/:orgId/members lists members in the order of joining, with their roles and one owner', async () => {
    const list = async (query = {}) =>
      ok(await member.call('orgs.members', { params: { orgId: org.id }, query })).data.items
    const items = await list()
    expect(items.map((m) => m.userId)).toEqual([owner.id, deputy.id, otherDeputy.id, member.id])
    expect(Object.keys(items[0]!).toSorted()).toEqual(
      ['avatarUrl', 'isOwner', 'joinedAt', 'nickname', 'roleCode', 'roleId', 'roleName', 'userId'].toSorted(),
    )
    expect(items.map((m) => m.isOwner)).toEqual([true, false, false, false])
    expect((await list({ page: 2, size: 3 })).map((m) => m.userId)).toEqual([member.id])
    await expectConsistent(owner, org)
  })

  test('GET /orgs/:orgId/members searches by the nickname that is shown in the organization', async () => {
    ok(await change(deputy, member, { nickname: 'Front Desk' }))
    const find = async (keyword: string) =>
      ok(await owner.call('orgs.members', { params: { orgId: org.id }, query: { keyword } })).data.items.map(
        (m) => m.userId,
      )
    expect(await find('front')).toEqual([member.id])
    expect(await find('%')).toEqual([])
    ok(await change(deputy, member, { nickname: null }))
    expect(await find('front')).toEqual([])
  })
})

describe('roles', () => {
  test('a new role changes the permissions of a member at once', async () => {
    const where = await createOrg(owner)
    await addMembers(owner, where, member)
    expect((await member.get(`/api/orgs/${where.id}/pending`)).status).toBe(403)
    expect(ok(await change(owner, member, { roleCode: 'ADMIN' }, where)).data).toMatchObject({ roleCode: 'ADMIN' })
    await listRequests(member, where)
    expect((await findMember(where, member)).roleName).toBe('Administrator')
    ok(await change(owner, member, { roleCode: 'GUEST' }, where))
    expect((await member.get(`/api/orgs/${where.id}/members`)).status).toBe(403)
    await expectConsistent(owner, where)
  })

  test('the owner cannot be changed or removed by any member, and cannot leave', async () => {
    for (const user of [deputy, member]) {
      expect([400, 403]).toContain((await change(user, owner, { roleCode: 'MEMBER' })).status)
      expect([400, 403]).toContain((await change(user, owner, { nickname: 'Fool' })).status)
      expect([400, 403]).toContain((await remove(user, owner)).status)
    }
    expect((await change(owner, owner, { roleCode: 'MEMBER' })).status).toBe(400)
    expect((await remove(owner, owner)).status).toBe(400)
    expect((await leave(owner, org)).status).toBe(400)
    expect(await getOrg(owner, org)).toMatchObject({ isOwner: true, roleName: 'Owner' })
    await expectConsistent(owner, org)
  })

  test('the owner can change their own nickname, and no one can assign the OWNER role', async () => {
    expect(ok(await change(owner, owner, { nickname: 'The Boss' })).data).toMatchObject({
      nickname: 'The Boss',
      isOwner: true,
    })
    for (const user of [owner, deputy]) expect((await change(user, member, { roleCode: 'OWNER' })).status).toBe(400)
    await expectConsistent(owner, org)
  })

  test('a role of another organization, an unknown role, and an id and a code that differ are refused with 400', async () => {
    const foreign = await createOrg(deputy)
    const roleId = (await listMembers(deputy, foreign)).items[0]!.roleId!
    const ownRoleId = (await findMember(org, member)).roleId!
    for (const body of [
      { roleId },
      { roleId: UNKNOWN_ID },
      { roleCode: 'KING' },
      { roleId: ownRoleId, roleCode: 'ADMIN' },
    ])
      expect((await change(owner, member, body)).status, JSON.stringify(body)).toBe(400)
    ok(await change(owner, member, { roleId: ownRoleId }))
  })

  test('changing or removing a user who is not a member is answered with 404', async () => {
    const stranger = await server.person()
    expect((await change(owner, stranger, { roleCode: 'MEMBER' })).status).toBe(404)
    expect((await remove(owner, stranger)).status).toBe(404)
    await expectConsistent(owner, org)
  })

  test.if(inProcess)(
    'members cannot assign a role, or change or remove a member, with permissions they do not have',
    async () => {
      const where = await createOrg(owner)
      const [clerk, plain, boss] = [await server.person(), await server.person(), await server.person()]
      await addMembers(owner, where, clerk, plain, boss)
      await setRole(owner, where, boss, 'ADMIN')
      const { ctx } = server
      await ctx.db.write('test', (tx) =>
        createRole(tx, {
          domain: 'ORG',
          scopeId: where.id,
          code: 'CLERK',
          name: 'Clerk',
          points: ['org:read', 'member:read', 'member:update', 'member:assign_role', 'member:delete'],
        }),
      )
      await setRole(owner, where, clerk, 'CLERK')
      expect((await change(clerk, plain, { roleCode: 'ADMIN' }, where)).status).toBe(403)
      expect((await change(clerk, clerk, { roleCode: 'ADMIN' }, where)).status).toBe(403)
      // MEMBER has a point that CLERK lacks (share:create), so a clerk cannot change a MEMBER to anything.
      expect((await change(clerk, plain, { roleCode: 'GUEST' }, where)).status).toBe(403)
      expect((await change(clerk, boss, { nickname: 'x' }, where)).status).toBe(403)
      expect((await remove(clerk, boss, where)).status).toBe(403)
      ok(await change(clerk, clerk, { nickname: 'Me' }, where))
      ok(await change(boss, plain, { roleCode: 'CLERK' }, where))
      ok(await change(clerk, plain, { nickname: 'Colleague' }, where))
      ok(await remove(clerk, plain, where))
      await expectConsistent(owner, where)
    },
  )
})

test('a member who leaves or is removed keeps no role and no current organization', async () => {
  const where = await createOrg(owner)
  const [leaver, removed] = [await server.person(), await server.person()]
  await addMembers(owner, where, leaver, removed)
  for (const user of [leaver, removed]) ok(await switchTo(user, where))
  ok(await leave(leaver, where))
  ok(await remove(owner, removed, where))
  for (const user of [leaver, removed]) {
    expect((await user.get(`/api/orgs/${where.id}/members`)).status).toBe(403)
    expect(await currentOrgId(user)).toBeNull()
    expect(ok(await user.get('/api/rbac/my-permissions')).data.org).toEqual([])
    expect((await leave(user, where)).status).toBe(404)
    expect(ok(await user.call('orgs.list')).data.total).toBe(0)
  }
  expect((await getOrg(owner, where)).memberCount).toBe(1)
  // A former role does not come back with a new membership.
  await addMembers(owner, where, leaver)
  await setRole(owner, where, leaver, 'ADMIN')
  ok(await leave(leaver, where))
  await addMembers(owner, where, leaver)
  expect((await getOrg(leaver, where)).roleName).toBe('Member')
})
