/** Permission checks, and the bindings and points that decide them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import type { AppContext } from '#context'
import { type PermissionDomain, permissions, roles, userRoles } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import { organizations } from '#db/schema/orgs.ts'
import { myPermissions } from '#domains/access/access.service.ts'
import {
  bindPlatformRole,
  bindRole,
  can,
  createRole,
  holdsAnyPlatformRole,
  permissionSet,
  permissionsForLogin,
  roleNameOf,
  rolesChanged,
  unbindRoles,
} from '#domains/access/index.ts'
import { pointsOf } from '#permission-points'

import { bind, openTestContext, type TestContext } from './test-context.ts'

let context: TestContext
let ctx: AppContext
beforeAll(async () => {
  context = await openTestContext()
  ctx = context.ctx
})
afterAll(() => context.close())

/** Creates a user who holds these roles. */
async function holderOf(domain: PermissionDomain, scopeId: number, ...codes: string[]): Promise<number> {
  const id = await context.createUser()
  await ctx.db.write('test', async (tx) => {
    for (const code of codes) await bind(ctx, tx, id, { domain, scopeId, code })
  })
  return id
}

let orgCount = 0
/** Creates the roles of a new organization and returns its id. */
async function createOrg(): Promise<number> {
  await context.createOrgRoles(++orgCount)
  return orgCount
}

const setEnabled = (domain: PermissionDomain, resource: string, action: string, enabled: boolean) =>
  ctx.db.write('test', async (tx) => {
    await tx
      .update(permissions)
      .set({ enabled })
      .where(and(eq(permissions.domain, domain), eq(permissions.resource, resource), eq(permissions.action, action)))
    rolesChanged(tx)
  })

describe('can', () => {
  test('denies everything to users without roles and to unknown users', async () => {
    for (const id of [await context.createUser(), 999_999_999]) {
      expect(await can(ctx, id, 'APP', 0, 'qr_code:read')).toBe(false)
      expect((await permissionSet(ctx, id, 'APP', 0)).size).toBe(0)
      expect(await permissionsForLogin(ctx, id)).toEqual([])
      expect(await roleNameOf(ctx, id, 'en')).toBe('')
    }
  })

  test('allows holders of USER every APP point and no other point', async () => {
    const user = await holderOf('APP', 0, 'USER')
    expect([...(await permissionSet(ctx, user, 'APP', 0))].toSorted()).toEqual(pointsOf('APP').toSorted())
    expect(await can(ctx, user, 'PLATFORM', 0, 'qr_code:read')).toBe(false)
    expect(await can(ctx, user, 'ORG', 1, 'qr_code:read')).toBe(false)
    expect(await can(ctx, user, 'APP', 1, 'qr_code:read')).toBe(false)
    expect(await can(ctx, user, 'APP', 0, 'qr_code:everything')).toBe(false)
    expect(await holdsAnyPlatformRole(ctx, user)).toBe(false)
    expect(await roleNameOf(ctx, user, 'en')).toBe('User')
  })

  test('allows SYSTEM_ADMIN every PLATFORM point and no point of an organization', async () => {
    const orgId = await createOrg()
    const admin = await holderOf('PLATFORM', 0, 'SYSTEM_ADMIN')
    expect([...(await permissionSet(ctx, admin, 'PLATFORM', 0))].toSorted()).toEqual(pointsOf('PLATFORM').toSorted())
    expect(await can(ctx, admin, 'PLATFORM', 0, 'no_such:point')).toBe(false)
    expect(await can(ctx, admin, 'ORG', orgId, 'org:read')).toBe(false)
    expect(await can(ctx, admin, 'APP', 0, 'qr_code:read')).toBe(false)
  })

  test('allows OWNER every ORG point of that organization and of no other', async () => {
    const [here, elsewhere] = [await createOrg(), await createOrg()]
    const owner = await holderOf('ORG', here, 'OWNER')
    expect([...(await permissionSet(ctx, owner, 'ORG', here))].toSorted()).toEqual(pointsOf('ORG').toSorted())
    expect((await permissionSet(ctx, owner, 'ORG', elsewhere)).size).toBe(0)
    expect(await can(ctx, owner, 'ORG', elsewhere, 'org:read')).toBe(false)
    expect(await can(ctx, owner, 'ORG', 0, 'org:read')).toBe(false)
    expect(await can(ctx, owner, 'PLATFORM', 0, 'org:delete')).toBe(false)
  })

  test('adds up several roles in one organization and keeps organizations apart', async () => {
    const [one, two] = [await createOrg(), await createOrg()]
    const user = await holderOf('ORG', one, 'ADMIN')
    await ctx.db.write('test', async (tx) => {
      await bindRole(tx, user, 'ORG', two, 'GUEST')
      await createRole(tx, { domain: 'ORG', scopeId: two, code: 'CLERK', name: 'Clerk', points: ['asset:scrap'] })
      await bindRole(tx, user, 'ORG', two, 'CLERK')
    })
    expect(await can(ctx, user, 'ORG', one, 'org:update')).toBe(true)
    expect(await can(ctx, user, 'ORG', one, 'org:delete')).toBe(false)
    expect(await can(ctx, user, 'ORG', two, 'org:update')).toBe(false)
    expect(await can(ctx, user, 'ORG', two, 'activity:read')).toBe(true)
    expect(await can(ctx, user, 'ORG', two, 'asset:scrap')).toBe(true)
  })

  test('answers without a promise once the user is cached', async () => {
    const user = await holderOf('APP', 0, 'USER')
    expect(await can(ctx, user, 'APP', 0, 'qr_code:read')).toBe(true)
    expect(can(ctx, user, 'APP', 0, 'qr_code:read')).toBe(true)
    expect(can(ctx, user, 'ORG', 1, 'qr_code:read')).toBe(false)
    expect(holdsAnyPlatformRole(ctx, user)).toBe(false)
  })

  test('treats holders of a PLATFORM role without points as administrators without permissions', async () => {
    await ctx.db.write('test', (tx) =>
      createRole(tx, { domain: 'PLATFORM', scopeId: 0, code: 'EMPTY', name: 'Empty', points: [] }),
    )
    const admin = await holderOf('PLATFORM', 0, 'EMPTY')
    expect(await holdsAnyPlatformRole(ctx, admin)).toBe(true)
    expect((await permissionSet(ctx, admin, 'PLATFORM', 0)).size).toBe(0)
  })
})

test('a login returns the union of APP and PLATFORM points, sorted, and the name of the highest role', async () => {
  const user = await holderOf('PLATFORM', 0, 'OPERATION_ADMIN', 'USER_ADMIN')
  await ctx.db.write('test', (tx) => bindRole(tx, user, 'APP', 0, 'USER'))
  const points = await permissionsForLogin(ctx, user)
  expect(points).toEqual([...new Set(points)].toSorted())
  expect(points).toContain('user:update')
  expect(points).toContain('notification:send')
  expect(points).toContain('chat:send')
  expect(points).not.toContain('setting:update')
  expect(await roleNameOf(ctx, user, 'en')).toBe('User administrator')
})

describe('myPermissions', () => {
  const actor = (userId: number) => ({ userId, sessionId: 1, deviceKey: '' })
  /** Also gives the organization, which has only roles, its row. */
  const switchTo = (userId: number, orgId: number) =>
    ctx.db.write('test', async (tx) => {
      const limits = { visibility: 'INTERNAL', joinPolicy: 'INVITE', memberLimit: 10, memberCount: 1 } as const
      const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
      await tx
        .insert(organizations)
        .values({ id: orgId, name: 'Club', code: `CLUB${orgId}`, ownerId: userId, ...limits, ...times })
      await tx.update(users).set({ currentOrgId: orgId }).where(eq(users.id, userId))
    })

  test('contains the points of the current organization and of no other', async () => {
    const [here, elsewhere] = [await createOrg(), await createOrg()]
    const user = await holderOf('ORG', here, 'GUEST')
    await ctx.db.write('test', async (tx) => {
      await bindRole(tx, user, 'APP', 0, 'USER')
      await bindRole(tx, user, 'ORG', elsewhere, 'OWNER')
    })
    expect(await myPermissions(ctx, actor(user), 'en')).toMatchObject({ orgId: null, org: [] })
    await switchTo(user, here)
    const found = await myPermissions(ctx, actor(user), 'en')
    expect(found.orgId).toBe(here)
    expect(found.org).toEqual(['activity:read', 'checkin:create', 'location:read', 'org:read', 'qr_code:read'])
    expect(found.platform).toEqual([])
    expect(found.permissions).toEqual([...new Set([...found.app, ...found.org])].toSorted())
    expect(found.permissions).not.toContain('org:delete')
    expect(found.roleName).toBe('User')
  })

  test('contains no points of the current organization after the user has left it', async () => {
    const orgId = await createOrg()
    const user = await holderOf('ORG', orgId, 'OWNER')
    await switchTo(user, orgId)
    expect((await myPermissions(ctx, actor(user), 'en')).org).toContain('org:delete')
    await ctx.db.write('test', (tx) => unbindRoles(tx, user, 'ORG', orgId))
    expect((await myPermissions(ctx, actor(user), 'en')).org).toEqual([])
  })
})

describe('a disabled point', () => {
  test('is denied to everyone, including SYSTEM_ADMIN and OWNER, until it is enabled again', async () => {
    const orgId = await createOrg()
    const admin = await holderOf('PLATFORM', 0, 'SYSTEM_ADMIN')
    const owner = await holderOf('ORG', orgId, 'OWNER')
    const user = await holderOf('APP', 0, 'USER')
    const allowed = async () => [
      await can(ctx, admin, 'PLATFORM', 0, 'asset:read'),
      await can(ctx, owner, 'ORG', orgId, 'asset:read'),
      await can(ctx, user, 'APP', 0, 'asset:read'),
    ]
    expect(await allowed()).toEqual([true, true, true])
    for (const domain of ['PLATFORM', 'ORG', 'APP'] as const) await setEnabled(domain, 'asset', 'read', false)
    expect(await allowed()).toEqual([false, false, false])
    expect(await permissionsForLogin(ctx, user)).not.toContain('asset:read')
    expect(await can(ctx, user, 'APP', 0, 'asset:create')).toBe(true)
    for (const domain of ['PLATFORM', 'ORG', 'APP'] as const) await setEnabled(domain, 'asset', 'read', true)
    expect(await allowed()).toEqual([true, true, true])
  })

  test('stays with SYSTEM_ADMIN if it is needed to enable points, but not with other roles', async () => {
    const admin = await holderOf('PLATFORM', 0, 'SYSTEM_ADMIN')
    await ctx.db.write('test', (tx) =>
      createRole(tx, {
        domain: 'PLATFORM',
        scopeId: 0,
        code: 'KEEPER',
        name: 'Keeper',
        points: ['rbac_permission:read', 'rbac_permission:update', 'rbac_role:read'],
      }),
    )
    const keeper = await holderOf('PLATFORM', 0, 'KEEPER')
    for (const action of ['read', 'update', 'create']) await setEnabled('PLATFORM', 'rbac_permission', action, false)
    expect(await can(ctx, admin, 'PLATFORM', 0, 'rbac_permission:read')).toBe(true)
    expect(await can(ctx, admin, 'PLATFORM', 0, 'rbac_permission:update')).toBe(true)
    expect(await can(ctx, admin, 'PLATFORM', 0, 'rbac_permission:create')).toBe(false)
    expect(await can(ctx, keeper, 'PLATFORM', 0, 'rbac_permission:update')).toBe(false)
    expect(await can(ctx, keeper, 'PLATFORM', 0, 'rbac_role:read')).toBe(true)
    for (const action of ['read', 'update', 'create']) await setEnabled('PLATFORM', 'rbac_permission', action, true)
  })
})

describe('bindRole and bindPlatformRole', () => {
  test('throws for unknown roles and for templates of organizations, and binds nothing', async () => {
    const user = await context.createUser()
    const bindIn = (domain: 'APP' | 'ORG', scopeId: number, code: string) =>
      ctx.db.write('test', (tx) => bindRole(tx, user, domain, scopeId, code))
    await expect(bindIn('APP', 0, 'NOBODY')).rejects.toThrow('role APP/0/NOBODY does not exist')
    await expect(bindIn('ORG', 4711, 'OWNER')).rejects.toThrow('role ORG/4711/OWNER does not exist')
    await expect(bindIn('ORG', 0, 'OWNER')).rejects.toThrow('template')
    expect(await ctx.db.read.select().from(userRoles).where(eq(userRoles.userId, user))).toEqual([])
  })

  test('a binding of a template, inserted by other means, grants nothing', async () => {
    const user = await context.createUser()
    await ctx.db.write('test', async (tx) => {
      const [template] = await tx
        .select({ id: roles.id })
        .from(roles)
        .where(and(eq(roles.domain, 'ORG'), eq(roles.scopeId, 0), eq(roles.code, 'OWNER')))
      await tx.insert(userRoles).values({ userId: user, roleId: template!.id, createdAt: tx.stamp })
    })
    expect(await can(ctx, user, 'ORG', 0, 'org:read')).toBe(false)
    expect(await can(ctx, user, 'ORG', 1, 'org:read')).toBe(false)
  })

  test('an initial binding survives unbindRoles and further grants; other bindings are deleted', async () => {
    const [first, second] = [await context.createUser(), await context.createUser()]
    await ctx.db.write('test', async (tx) => {
      await bindPlatformRole(ctx, tx, first, 'USER_ADMIN')
      await bindPlatformRole(ctx, tx, first, 'SYSTEM_ADMIN')
      await bindPlatformRole(ctx, tx, first, 'SYSTEM_ADMIN', { initial: true })
      // Granting the role again does not make the binding an ordinary one.
      await bindPlatformRole(ctx, tx, first, 'SYSTEM_ADMIN')
      await bindPlatformRole(ctx, tx, second, 'SYSTEM_ADMIN')
    })
    await ctx.db.write('test', async (tx) => {
      await unbindRoles(tx, first, 'PLATFORM', 0)
      await unbindRoles(tx, second, 'PLATFORM', 0)
    })
    expect(await can(ctx, first, 'PLATFORM', 0, 'setting:update')).toBe(true)
    expect(await holdsAnyPlatformRole(ctx, second)).toBe(false)
    const remaining = await ctx.db.read
      .select({ initial: userRoles.isInitial })
      .from(userRoles)
      .where(eq(userRoles.userId, first))
    expect(remaining).toEqual([{ initial: true }])
  })
})

test('createRole throws and creates nothing if one of the points does not exist in the domain', async () => {
  const role = { domain: 'APP', scopeId: 0, code: 'ODD', name: 'Odd' } as const
  const creating = ctx.db.write('test', (tx) => createRole(tx, { ...role, points: ['chat:send', 'user:update'] }))
  await expect(creating).rejects.toThrow('permission point APP user:update does not exist')
  expect(await ctx.db.read.select().from(roles).where(eq(roles.code, 'ODD'))).toEqual([])
})
