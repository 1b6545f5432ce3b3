/** Roles that owners of organizations make: who makes, changes, gives and deletes them, and which permissions they give. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { count, eq, inArray } from 'drizzle-orm'

import { ownRoles, roles, userRoles } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import { notifications } from '#db/schema/notifications.ts'
import { organizations, orgMembers } from '#db/schema/orgs.ts'
import type { CreateOrgRole, OrgRoleView, UpdateOrgRole } from '#domains/orgs/roles/roles.model.ts'

import { createRole as createAsAdministrator, findPoint, setEnabled } from '../access/helpers.ts'
import { inProcess, type Person, race, startServer, until, useServer } from '../harness/index.ts'
import {
  addMembers,
  answerOffer,
  apply,
  createOrg,
  expectConsistent,
  getOrg,
  leave,
  listMembers,
  offerTo,
  ok,
  type Org,
  respond,
  setRole,
  UNKNOWN_ID,
} from './helpers.ts'

const { server, admin, owner, deputy, member, stranger } = useServer({
  people: ['owner', 'deputy', 'member', 'stranger'],
})

const list = async (who: Person, org: { id: number }): Promise<OrgRoleView[]> =>
  ok(await who.call('orgs.roles', { params: { orgId: org.id } })).data.items
const find = async (who: Person, org: { id: number }, by: { id: number } | { code: string }) =>
  (await list(who, org)).find((role) => ('id' in by ? role.id === by.id : role.code === by.code))!
const create = (who: Person, org: { id: number }, body: CreateOrgRole) =>
  who.call('orgs.createRole', { params: { orgId: org.id }, body })
const update = (who: Person, org: { id: number }, role: { id: number }, body: UpdateOrgRole) =>
  who.call('orgs.updateRole', { params: { orgId: org.id, roleId: role.id }, body })
const remove = (who: Person, org: { id: number }, role: { id: number }, replaceWith?: number) =>
  who.call('orgs.deleteRole', {
    params: { orgId: org.id, roleId: role.id },
    ...(replaceWith !== undefined && { query: { replaceWith } }),
  })
const give = (who: Person, org: { id: number }, to: Person, role: { id: number }) =>
  who.call('orgs.changeMember', { params: { orgId: org.id, userId: to.id }, body: { roleId: role.id } })
const namesOf = (role: OrgRoleView) => role.permissions.map(({ name }) => name)
const activeOf = (role: OrgRoleView) => role.permissions.filter(({ active }) => active).map(({ name }) => name)
const permissionsOf = async (who: Person, org: { id: number }) => (await getOrg(who, org)).permissions

/** Sets whether organizations may give the point. */
const setDelegable = async (name: string, delegable: boolean) => {
  const { id } = await findPoint(admin, 'ORG', name)
  return ok(await admin.call('access.changePermission', { params: { id }, body: { delegable } })).data
}

/** An organization whose ADMIN is `deputy`, with `member` as a MEMBER. */
async function newOrg(): Promise<Org> {
  const org = await createOrg(owner)
  await addMembers(owner, org, deputy, member)
  await setRole(owner, org, deputy, 'ADMIN')
  return org
}

let org: Org
beforeAll(async () => {
  org = await newOrg()
})

describe('a role that the owner makes', () => {
  test('from a preset has its points, which its holders have at the next request', async () => {
    const role = ok(
      await create(owner, org, { name: 'Türsteher (Abend)', preset: 'GATE', description: ' Doors ' }),
    ).data
    expect(role).toMatchObject({
      code: 'TURSTEHER_ABEND',
      name: 'Türsteher (Abend)',
      description: 'Doors',
      isSystem: false,
      preset: 'GATE',
      memberCount: 0,
      canEdit: true,
      canAssign: true,
    })
    expect(activeOf(role)).toEqual(['activity:read', 'checkin:read', 'org:read', 'pass:read', 'pass:verify'])
    ok(await give(owner, org, member, role))
    expect(await permissionsOf(member, org)).toEqual(namesOf(role))
    expect((await member.get(`/api/orgs/${org.id}/members`)).status).toBe(403)
    expect(await find(owner, org, role)).toMatchObject({ memberCount: 1 })
    ok(await update(owner, org, role, { permissions: ['member:read'] }))
    expect(await permissionsOf(member, org)).toEqual(['member:read'])
    expect((await list(member, org)).map(({ canEdit, canAssign }) => canEdit || canAssign)).not.toContain(true)
    await setRole(owner, org, member, 'MEMBER')
  })

  test('has the points of the request rather than those of the preset', async () => {
    const permissions = ['asset:read', 'asset:read', 'org:read']
    const role = ok(await create(owner, org, { name: 'Two points', preset: 'KEEPER', permissions })).data
    expect([namesOf(role), role.preset]).toEqual([['asset:read', 'org:read'], 'KEEPER'])
    const empty = ok(await create(owner, org, { name: 'No point' })).data
    expect([namesOf(empty), empty.preset, empty.description]).toEqual([[], null, ''])
  })

  test('gets a code of letters, digits and _ that no other role has', async () => {
    const codes: string[] = []
    for (const name of ['Keeper!', 'keeper?', '保管员', '值班', 'admin', '_ _'])
      codes.push(ok(await create(owner, org, { name })).data.code)
    expect(codes).toEqual(['KEEPER', 'KEEPER_2', 'R1', 'R2', 'ADMIN_2', 'R3'])
  })

  test('is refused with points of other domains, unknown and guarded ones, with their place', async () => {
    const before = await list(owner, org)
    for (const name of [
      'user:read',
      'chat:send',
      'org:update',
      'org:delete',
      'org:transfer',
      'member:assign_role',
      'x:y',
    ]) {
      const reply = await create(owner, org, { name: 'Refused', permissions: ['org:read', name] })
      expect([reply.status, reply.details[0]?.path], name).toEqual([400, 'body.permissions.1'])
    }
    for (const body of [
      { name: '' },
      { name: 'x'.repeat(51) },
      {},
      { name: 'x', preset: 'OWNER' },
      { name: 'x', description: 'x'.repeat(201) },
    ])
      expect((await owner.post(`/api/orgs/${org.id}/roles`, body)).status, JSON.stringify(body)).toBe(400)
    const many = Array.from({ length: 61 }, () => 'org:read')
    expect((await create(owner, org, { name: 'Many', permissions: many })).status).toBe(400)
    expect(await list(owner, org)).toEqual(before)
  })

  test('is refused with the name of another role, without case, and of a system role in any language', async () => {
    await createAsAdministrator(admin, { domain: 'ORG', scopeId: org.id, name: 'Warden' })
    const role = ok(await create(owner, org, { name: 'Librarian' })).data
    for (const name of [
      'LIBRARIAN',
      'Ｌｉｂｒａｒｉａｎ',
      'warden',
      'owner',
      'Member',
      '成员',
      '管理员',
      'System administrator',
    ])
      expect((await create(owner, org, { name })).details[0]?.path, name).toBe('body.name')
    const other = ok(await create(owner, org, { name: 'Archivist' })).data
    expect((await update(owner, org, other, { name: 'librarian' })).status).toBe(400)
    // Another organization may have it, and the role itself may change its case.
    ok(await create(owner, await createOrg(owner), { name: 'Librarian' }))
    expect(ok(await update(owner, org, role, { name: 'LIBRARIAN' })).data.name).toBe('LIBRARIAN')
    const renamed = await admin.call('access.changeRole', { params: { id: other.id }, body: { name: 'librarian' } })
    expect(renamed.status).toBe(400)
  })
})

describe('the owner alone', () => {
  test('makes, changes and deletes roles: ADMIN gets 403, members and strangers too', async () => {
    const role = ok(await create(owner, org, { name: 'Mine', permissions: ['org:read'] })).data
    for (const who of [deputy, member, stranger, admin]) {
      expect((await create(who, org, { name: 'Theirs' })).status, who.username).toBe(403)
      expect((await update(who, org, role, { permissions: ['asset:read'] })).status, who.username).toBe(403)
      expect((await remove(who, org, role)).status, who.username).toBe(403)
    }
    expect(
      (await member.send('POST', `/api/orgs/${org.id}/roles`, { body: { name: 'x' }, token: 'none' })).status,
    ).toBe(401)
    expect((await stranger.get(`/api/orgs/${org.id}/roles`)).status).toBe(403)
    expect((await member.get(`/api/orgs/${org.id}/roles/points`)).status).toBe(403)
    expect(namesOf(await find(deputy, org, role))).toEqual(['org:read'])
    expect(await find(deputy, org, role)).toMatchObject({ canEdit: false, canAssign: true })
  })

  test('does not find roles of another organization', async () => {
    const other = await createOrg(stranger)
    const theirs = ok(await create(stranger, other, { name: 'Theirs' })).data
    for (const role of [theirs, await find(stranger, other, { code: 'MEMBER' }), { id: UNKNOWN_ID }]) {
      expect((await update(owner, org, role, { name: 'Stolen' })).status).toBe(404)
      expect((await remove(owner, org, role)).status).toBe(404)
    }
    const mine = ok(await create(owner, org, { name: 'Not replaced' })).data
    expect((await remove(owner, org, mine, theirs.id)).details[0]?.path).toBe('query.replaceWith')
    expect((await give(owner, org, member, theirs)).status).toBe(400)
    expect(await find(stranger, other, theirs)).toMatchObject({ name: 'Theirs' })
  })

  test('cannot change system roles and roles that an administrator made, which can be given', async () => {
    const made = await createAsAdministrator(admin, { domain: 'ORG', scopeId: org.id, permissions: ['org:update'] })
    for (const role of [...(await list(owner, org)).filter((each) => each.isSystem), made]) {
      expect((await update(owner, org, role, { permissions: [] })).status).toBe(400)
      expect((await remove(owner, org, role)).status).toBe(400)
    }
    expect(await find(owner, org, made)).toMatchObject({ canEdit: false, canAssign: true, isSystem: false })
    expect((await find(owner, org, { code: 'OWNER' })).canAssign).toBe(false)
    ok(await give(owner, org, member, made))
    expect(await permissionsOf(member, org)).toEqual(['org:update'])
    await setRole(owner, org, member, 'MEMBER')
  })

  test('keeps nothing of it after a transfer', async () => {
    const mine = await newOrg()
    const role = ok(await create(owner, mine, { name: 'Before' })).data
    ok(await offerTo(owner, mine, member))
    ok(await answerOffer(member, mine, true))
    for (const reply of [
      await create(owner, mine, { name: 'After' }),
      await update(owner, mine, role, { name: 'After' }),
      await remove(owner, mine, role),
    ])
      expect(reply.status).toBe(403)
    expect(ok(await update(member, mine, role, { name: 'After' })).data).toMatchObject({ name: 'After', canEdit: true })
  })
})

describe('points', () => {
  test('of the ORG domain are listed with what an owner can give, and with the presets', async () => {
    const { items, presets } = ok(await owner.call('orgs.rolePoints', { params: { orgId: org.id } })).data
    expect(items.filter(({ delegable }) => !delegable).map(({ name }) => name)).toEqual([
      'member:assign_role',
      'org:delete',
      'org:transfer',
      'org:update',
    ])
    expect(items.find(({ name }) => name === 'pass_template:manage')).toMatchObject({ group: 'pass', held: true })
    expect(presets.map(({ key, permissions }) => [key, permissions.length])).toEqual([
      ['GATE', 5],
      ['KEEPER', 14],
      ['BORROWER', 3],
      ['ORGANIZER', 13],
    ])
    const ofDeputy = ok(await deputy.call('orgs.rolePoints', { params: { orgId: org.id } })).data.items
    expect(ofDeputy.filter(({ held }) => !held).map(({ name }) => name)).toEqual(['org:delete', 'org:transfer'])
  })

  test('that are disabled or no longer delegable end at once in the roles of owners, which keep their list', async () => {
    const role = ok(await create(owner, org, { name: 'Scrapper', permissions: ['asset:scrap', 'org:read'] })).data
    ok(await give(owner, org, member, role))
    const point = await findPoint(admin, 'ORG', 'asset:scrap')
    const states = [
      [() => setDelegable('asset:scrap', false), () => setDelegable('asset:scrap', true)],
      [() => setEnabled(admin, point, false), () => setEnabled(admin, point, true)],
    ] as const
    for (const [end, restore] of states) {
      expect(await permissionsOf(member, org)).toEqual(['asset:scrap', 'org:read'])
      await end()
      try {
        expect(await permissionsOf(member, org)).toEqual(['org:read'])
        expect((await find(owner, org, role)).permissions).toEqual([
          { name: 'asset:scrap', active: false },
          { name: 'org:read', active: true },
        ])
        const again = await update(owner, org, role, { permissions: ['asset:scrap'] })
        expect([again.status, again.details[0]?.path]).toEqual([400, 'body.permissions.0'])
        // The list is kept, whatever else changes.
        ok(await update(owner, org, role, { description: `kept ${end}`.slice(0, 20) }))
      } finally {
        await restore()
      }
    }
    expect(await permissionsOf(member, org)).toEqual(['asset:scrap', 'org:read'])
    await setRole(owner, org, member, 'MEMBER')
  })

  test('that are not delegable stay in system roles and in roles that administrators made', async () => {
    await setDelegable('pass:verify', false)
    try {
      expect(await permissionsOf(deputy, org)).toContain('pass:verify')
      const made = await createAsAdministrator(admin, { domain: 'ORG', scopeId: org.id, permissions: ['pass:verify'] })
      ok(await give(owner, org, member, made))
      expect(await permissionsOf(member, org)).toEqual(['pass:verify'])
      // A preset leaves it out.
      const gate = ok(await create(owner, org, { name: 'Gate without verifying', preset: 'GATE' })).data
      expect(namesOf(gate)).not.toContain('pass:verify')
      const explained = ok(
        await admin.get('/api/rbac/explain', { userId: member.id, permission: 'pass:verify', orgId: org.id }),
      ).data
      expect(explained.granted).toBe(true)
    } finally {
      await setDelegable('pass:verify', true)
      await setRole(owner, org, member, 'MEMBER')
    }
  })

  test('that are held back are explained to administrators, who cannot add them either', async () => {
    const role = ok(await create(owner, org, { name: 'Explained', permissions: ['share:delete'] })).data
    ok(await give(owner, org, member, role))
    await setDelegable('share:delete', false)
    try {
      const query = { userId: member.id, permission: 'share:delete', orgId: org.id }
      expect(ok(await admin.call('access.explain', { query })).data.answers[0]).toMatchObject({
        granted: false,
        reason: 'NOT_DELEGABLE',
      })
    } finally {
      await setDelegable('share:delete', true)
    }
    const change = (permissions: string[]) =>
      admin.call('access.changeRole', { params: { id: role.id }, body: { permissions } })
    expect((await change(['share:delete', 'org:update'])).status).toBe(400)
    ok(await change(['share:delete', 'share:read']))
    expect(await permissionsOf(member, org)).toEqual(['share:delete', 'share:read'])
    await setRole(owner, org, member, 'MEMBER')
  })

  test('of PLATFORM and APP cannot be marked as delegable, and only SYSTEM_ADMIN changes the mark', async () => {
    for (const domain of ['PLATFORM', 'APP'] as const) {
      const point = await findPoint(admin, domain, 'asset:read')
      expect(point.delegable).toBe(false)
      const params = { id: point.id }
      expect((await admin.call('access.changePermission', { params, body: { delegable: true } })).status).toBe(400)
    }
    const point = await findPoint(admin, 'ORG', 'org:update')
    const mark = { params: { id: point.id }, body: { delegable: true } }
    expect((await owner.call('access.changePermission', mark)).status).toBe(403)
    ok(await admin.call('access.changePermission', mark))
    const role = ok(await create(owner, org, { name: 'Renamer', permissions: ['org:update'] })).data
    expect(activeOf(role)).toEqual(['org:update'])
    await setDelegable('org:update', false)
    expect(activeOf(await find(owner, org, role))).toEqual([])
  })
})

describe('giving roles', () => {
  let mine: Org
  let strong: { id: number }
  let weak: OrgRoleView
  beforeAll(async () => {
    mine = await newOrg()
    // Above ADMIN, who does not hold org:delete.
    strong = await createAsAdministrator(admin, { domain: 'ORG', scopeId: mine.id, permissions: ['org:delete'] })
    weak = ok(await create(owner, mine, { name: 'Weak', permissions: ['org:read'] })).data
  })

  test('ADMIN gives the roles within their own permissions only, also by invitation and approval', async () => {
    expect((await give(deputy, mine, member, strong)).status).toBe(403)
    ok(await give(deputy, mine, member, weak))
    expect(await find(deputy, mine, strong)).toMatchObject({ canAssign: false })
    const body = { userIds: [stranger.id] }
    const inviteAs = (who: Person, roleId: number) =>
      who.call('orgs.invite', { params: { id: mine.id }, body: { ...body, roleId } })
    expect((await inviteAs(deputy, strong.id)).status).toBe(403)
    ok(await apply(stranger, mine))
    const approveAs = (who: Person, roleId: number) =>
      who.call('orgs.approve', { params: { id: mine.id }, body: { userId: stranger.id, approve: true, roleId } })
    expect((await approveAs(deputy, strong.id)).status).toBe(403)
    const ofOwner = (await find(owner, mine, { code: 'OWNER' })).id
    for (const id of [ofOwner, UNKNOWN_ID]) {
      expect((await approveAs(owner, id)).status).toBe(400)
      expect((await inviteAs(owner, id)).status).toBe(400)
    }
    ok(await approveAs(deputy, weak.id))
    expect(await permissionsOf(stranger, mine)).toEqual(['org:read'])
    ok(await leave(stranger, mine))
  })

  test('an invitation shows and gives its role, and MEMBER if the role is gone or the inviter may no longer give it', async () => {
    const inviteAs = async (who: Person, role?: { id: number }) => {
      const body = { userIds: [stranger.id], ...(role && { roleId: role.id }) }
      const { items } = ok(await who.call('orgs.invite', { params: { id: mine.id }, body })).data
      return items[0]!.invitationId!
    }
    const roleAfter = async (invitationId: number) => {
      ok(await respond(stranger, invitationId, true))
      const { items } = await listMembers(owner, mine)
      ok(await leave(stranger, mine))
      return items.find(({ userId }) => userId === stranger.id)!.roleCode
    }
    const plain = await inviteAs(owner)
    expect(ok(await stranger.get(`/api/orgs/invitation/${plain}`)).data).toMatchObject({
      roleId: null,
      roleName: 'Member',
    })
    expect(await roleAfter(plain)).toBe('MEMBER')
    const withRole = await inviteAs(deputy, weak)
    expect(ok(await stranger.call('orgs.myInvitations')).data.items[0]).toMatchObject({
      roleId: weak.id,
      roleName: 'Weak',
    })
    expect(await roleAfter(withRole)).toBe(weak.code)
    const gone = ok(await create(owner, mine, { name: 'Gone' })).data
    const ofGone = await inviteAs(owner, gone)
    ok(await remove(owner, mine, gone))
    expect(ok(await stranger.get(`/api/orgs/invitation/${ofGone}`)).data).toMatchObject({
      roleId: null,
      roleName: 'Member',
    })
    expect(await roleAfter(ofGone)).toBe('MEMBER')
    const ofDeputy = await inviteAs(deputy, weak)
    await setRole(owner, mine, deputy, 'MEMBER')
    expect(await roleAfter(ofDeputy)).toBe('MEMBER')
    await setRole(owner, mine, deputy, 'ADMIN')
  })

  test('a member who may invite but not assign roles cannot name one', async () => {
    const inviter = ok(
      await create(owner, mine, { name: 'Inviter', permissions: ['invitation:create', 'join_request:approve'] }),
    ).data
    ok(await give(owner, mine, member, inviter))
    const body = { userIds: [stranger.id], roleId: inviter.id }
    expect((await member.call('orgs.invite', { params: { id: mine.id }, body })).status).toBe(403)
    ok(await apply(stranger, mine))
    const decision = { userId: stranger.id, approve: true }
    const params = { id: mine.id }
    expect((await member.call('orgs.approve', { params, body: { ...decision, roleId: weak.id } })).status).toBe(403)
    ok(await member.call('orgs.approve', { params, body: decision }))
    ok(await leave(stranger, mine))
  })
})

describe('changes of a role', () => {
  test('of which none differs change nothing', async () => {
    const role = ok(await create(owner, org, { name: 'Same', permissions: ['asset:read'] })).data
    expect(ok(await update(owner, org, role, {})).data).toEqual(role)
    expect(ok(await update(owner, org, role, { name: 'Same', permissions: ['asset:read'] })).data).toEqual(role)
  })

  test('at the same time leave the whole set of one of them', async () => {
    const mine = await newOrg()
    const role = ok(await create(owner, mine, { name: 'Contested' })).data
    const sets = [
      ['asset:read', 'asset:update', 'org:read'],
      ['location:read', 'member:read', 'org:read'],
    ]
    for (let round = 0; round < 5; round++) {
      const replies = await race(10, (i) => update(owner, mine, role, { permissions: sets[i % 2]! }))
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
      expect(sets).toContainEqual(namesOf(await find(owner, mine, role)))
    }
  })

  test('at the same time make one role of a name, and no more than twenty', async () => {
    const mine = await createOrg(owner)
    const named = await race(10, (i) => create(owner, mine, { name: i % 2 === 0 ? 'Twin' : 'TWIN' }))
    expect(named.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 400)])
    for (let i = 2; i <= 19; i++) ok(await create(owner, mine, { name: `Role ${i}` }))
    const last = await race(5, (i) => create(owner, mine, { name: `Last ${i}` }))
    expect(last.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
    expect((await list(owner, mine)).filter(({ isSystem }) => !isSystem)).toHaveLength(20)
    // Each of two roles with the same code got one of its own.
    const codes = (await list(owner, mine)).map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
    ok(await remove(owner, mine, await find(owner, mine, { code: 'ROLE_2' })))
    ok(await create(owner, mine, { name: 'Role 2' }))
  })

  test('are limited to 100 a day for an organization', async () => {
    await using strict = await startServer({ rateLimit: true })
    const boss = await strict.person()
    const limitedOrg = await createOrg(boss)
    const role = ok(await create(boss, limitedOrg, { name: 'Role' })).data
    for (let i = 0; i < 99; i++) ok(await update(boss, limitedOrg, role, { description: String(i) }))
    const refused = await update(boss, limitedOrg, role, { description: 'one more' })
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect((await remove(boss, limitedOrg, role)).status).toBe(429)
    expect((await find(boss, limitedOrg, role)).description).toBe('98')
    // Reading and changes of nothing are free, and so is another organization.
    ok(await update(boss, limitedOrg, role, { description: '98' }))
    ok(await create(boss, await createOrg(boss), { name: 'Role' }))
  })
})

describe('a deleted role', () => {
  test('gives its members the role that the owner chose, or MEMBER, and notifies them once', async () => {
    const mine = await newOrg()
    const [first, next] = [
      ok(await create(owner, mine, { name: 'First' })).data,
      ok(await create(owner, mine, { name: 'Next', permissions: ['org:read'] })).data,
    ]
    ok(await give(owner, mine, member, first))
    for (const id of [first.id, UNKNOWN_ID, (await find(owner, mine, { code: 'OWNER' })).id])
      expect((await remove(owner, mine, first, id)).status).toBe(400)
    ok(await remove(owner, mine, first, next.id))
    expect((await remove(owner, mine, first, next.id)).status).toBe(404)
    expect(await permissionsOf(member, mine)).toEqual(['org:read'])
    ok(await remove(owner, mine, next))
    const { items } = await listMembers(owner, mine)
    expect(items.find(({ userId }) => userId === member.id)).toMatchObject({ roleCode: 'MEMBER', roleName: 'Member' })
    const told = ok(await member.get('/api/notifications', { size: 100 })).data.items
    const bodies = told
      .filter(
        ({ data }: { data: { orgId?: number; event?: string } }) =>
          data.orgId === mine.id && data.event === 'ORG_ROLE_REPLACED',
      )
      .map(({ body }: { body: string }) => body)
    expect(bodies.toSorted()).toEqual([
      `Your role in ${mine.name} is now: Member.`,
      `Your role in ${mine.name} is now: Next.`,
    ])
    await expectConsistent(owner, mine)
  })

  test('goes with its organization', async () => {
    const mine = await createOrg(owner)
    const role = ok(await create(owner, mine, { name: 'Dissolved' })).data
    ok(await owner.delete(`/api/orgs/${mine.id}?force=true`))
    expect((await update(owner, mine, role, { name: 'x' })).status).toBe(403)
    expect((await admin.call('access.changeRole', { params: { id: role.id }, body: { name: 'x' } })).status).toBe(404)
    if (inProcess)
      expect(await server.ctx.db.read.select().from(ownRoles).where(eq(ownRoles.orgId, mine.id))).toEqual([])
  })

  describe.if(inProcess)('with more members than one write changes', () => {
    const MANY = 450

    async function withManyMembers(mine: Org, role: { id: number }): Promise<number[]> {
      const ids: number[] = []
      await server.ctx.db.write('test', async (tx) => {
        for (let i = 0; i < MANY; i += 150) {
          const stamps = { createdAt: tx.stamp, updatedAt: tx.stamp }
          const rows = await tx
            .insert(users)
            .values(
              Array.from({ length: 150 }, (_, n) => ({
                nickname: `member ${i + n}`,
                status: 'ACTIVE' as const,
                ...stamps,
              })),
            )
            .returning({ userId: users.id })
          await tx.insert(orgMembers).values(rows.map((row) => ({ ...row, orgId: mine.id, joinedAt: tx.stamp })))
          await tx.insert(userRoles).values(rows.map((row) => ({ ...row, roleId: role.id, createdAt: tx.stamp })))
          ids.push(...rows.map(({ userId }) => userId))
        }
        await tx
          .update(organizations)
          .set({ memberCount: MANY + 1 })
          .where(eq(organizations.id, mine.id))
      })
      return ids
    }

    const holdersOf = async (roleId: number): Promise<number> =>
      (await server.ctx.db.read.select({ n: count() }).from(userRoles).where(eq(userRoles.roleId, roleId)))[0]!.n

    test('moves the others in the background, each told once, and has MEMBER’s points until then', async () => {
      const mine = await createOrg(owner)
      const role = ok(await create(owner, mine, { name: 'Crowd', permissions: ['asset:scrap'] })).data
      const next = ok(await create(owner, mine, { name: 'Chosen', permissions: ['org:read'] })).data
      const ids = await withManyMembers(mine, role)
      const { db } = server.ctx
      const { write } = db
      const released = Promise.withResolvers<void>()
      db.write = async (name, ...rest) => {
        if (name === 'orgs.moveMembers') await released.promise
        return write.call(db, name, ...rest) as never
      }
      try {
        ok(await remove(owner, mine, role, next.id))
        expect(await holdersOf(next.id)).toBe(200)
        expect(await holdersOf(role.id)).toBe(MANY - 200)
        const shown = await list(owner, mine)
        expect(shown.map(({ id }) => id)).not.toContain(role.id)
        expect(shown.find(({ code }) => code === 'MEMBER')!.memberCount).toBe(MANY - 200)
        const roleNames = new Set((await listMembers(owner, mine)).items.map(({ roleName }) => roleName))
        expect(roleNames).toEqual(new Set(['Owner', 'Chosen', 'Member']).intersection(roleNames))
        // It can be neither given nor deleted again, and its name and code are free.
        expect((await remove(owner, mine, role)).status).toBe(404)
        expect(
          (await admin.get('/api/rbac/roles', { domain: 'ORG', scopeId: mine.id, size: 100 })).data.items.map(
            ({ id }: { id: number }) => id,
          ),
        ).not.toContain(role.id)
        expect(ok(await create(owner, mine, { name: 'Crowd' })).data.code).toBe('CROWD')
        await expectConsistent(owner, mine)
        const [memberRole] = await db.read
          .select()
          .from(roles)
          .where(eq(roles.code, `MEMBER:${role.id}`))
        expect(memberRole).toMatchObject({ name: 'Member' })
        // The chosen role is deleted too: who waits for it gets what its members get.
        const last = ok(await create(owner, mine, { name: 'Last' })).data
        ok(await remove(owner, mine, next, last.id))
      } finally {
        db.write = write
        released.resolve()
      }
      const last = await find(owner, mine, { code: 'LAST' })
      await until(async () => (await holdersOf(last.id)) === MANY)
      await until(async () => (await db.read.select().from(roles).where(eq(roles.id, role.id))).length === 0)
      await expectConsistent(owner, mine)
      const perUser = await db.read
        .select({ n: count() })
        .from(notifications)
        .where(inArray(notifications.userId, ids))
        .groupBy(notifications.userId)
      // 200 were moved twice, by the two deletions, and the others once.
      expect(perUser.map(({ n }) => n).toSorted()).toEqual([
        ...Array.from({ length: MANY - 200 }, () => 1),
        ...Array.from({ length: 200 }, () => 2),
      ])
    })
  })
})

test('the roles of a disabled organization can be read and not changed', async () => {
  const mine = await newOrg()
  const role = ok(await create(owner, mine, { name: 'Frozen', permissions: ['asset:read', 'asset:update'] })).data
  ok(await give(owner, mine, member, role))
  ok(await admin.call('admin.orgs.update', { params: { orgId: mine.id }, body: { status: 'DISABLED' } }))
  expect(await permissionsOf(member, mine)).toEqual(['asset:read'])
  for (const reply of [
    await create(owner, mine, { name: 'More' }),
    await update(owner, mine, role, { name: 'Thawed' }),
    await remove(owner, mine, role),
  ])
    expect([reply.status, reply.message.includes('disabled')]).toEqual([403, true])
  expect(await find(owner, mine, role)).toMatchObject({ name: 'Frozen', canEdit: false, canAssign: false })
})
