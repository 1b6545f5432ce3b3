import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import type { AppContext } from '#context'
import { type PermissionDomain, permissions, rolePermissions, roles, userRoles } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import type { Store } from '#db/store.ts'
import {
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
import { myPermissions } from '#domains/access/service.ts'
import { pointsOf } from '#permission-points'

import { type Inside, openInside } from './inside.ts'

let inside: Inside
let ctx: AppContext
beforeAll(async () => {
  inside = await openInside()
  ctx = inside.ctx
})
afterAll(() => inside.close())

async function holder(domain: PermissionDomain, scopeId: number, ...codes: string[]): Promise<number> {
  const id = await inside.somebody()
  await ctx.db.write('test', async (tx) => {
    for (const code of codes) await bindRole(ctx, tx, id, domain, scopeId, code)
  })
  return id
}

let organizations = 0
async function organization(): Promise<number> {
  await inside.organization(++organizations)
  return organizations
}

const setEnabled = (domain: PermissionDomain, resource: string, action: string, enabled: boolean) =>
  ctx.db.write('test', async (tx) => {
    await tx
      .update(permissions)
      .set({ enabled })
      .where(and(eq(permissions.domain, domain), eq(permissions.resource, resource), eq(permissions.action, action)))
    rolesChanged(ctx, tx)
  })

describe('can', () => {
  test('a user without roles may nothing, and nor may somebody who does not exist', async () => {
    const nobody = await inside.somebody()
    for (const id of [nobody, 999_999_999]) {
      expect(await can(ctx, id, 'APP', 0, 'qr_code:read')).toBe(false)
      expect((await permissionSet(ctx, id, 'APP', 0)).size).toBe(0)
      expect(await permissionsForLogin(ctx, id)).toEqual([])
      expect(await roleNameOf(ctx, id)).toBe('')
    }
  })

  test('the role USER holds every APP point and none elsewhere', async () => {
    const user = await holder('APP', 0, 'USER')
    expect([...(await permissionSet(ctx, user, 'APP', 0))].toSorted()).toEqual(pointsOf('APP').toSorted())
    expect(await can(ctx, user, 'PLATFORM', 0, 'qr_code:read')).toBe(false)
    expect(await can(ctx, user, 'ORG', 1, 'qr_code:read')).toBe(false)
    expect(await can(ctx, user, 'APP', 1, 'qr_code:read')).toBe(false)
    expect(await can(ctx, user, 'APP', 0, 'qr_code:everything')).toBe(false)
    expect(await holdsAnyPlatformRole(ctx, user)).toBe(false)
    expect(await roleNameOf(ctx, user)).toBe('User')
  })

  test('SYSTEM_ADMIN holds every PLATFORM point, and nothing in organizations', async () => {
    const orgId = await organization()
    const admin = await holder('PLATFORM', 0, 'SYSTEM_ADMIN')
    expect([...(await permissionSet(ctx, admin, 'PLATFORM', 0))].toSorted()).toEqual(pointsOf('PLATFORM').toSorted())
    expect(await can(ctx, admin, 'PLATFORM', 0, 'no_such:point')).toBe(false)
    expect(await can(ctx, admin, 'ORG', orgId, 'org:read')).toBe(false)
    expect(await can(ctx, admin, 'APP', 0, 'qr_code:read')).toBe(false)
  })

  test('OWNER holds every ORG point of that organization alone', async () => {
    const [here, elsewhere] = [await organization(), await organization()]
    const owner = await holder('ORG', here, 'OWNER')
    expect([...(await permissionSet(ctx, owner, 'ORG', here))].toSorted()).toEqual(pointsOf('ORG').toSorted())
    expect((await permissionSet(ctx, owner, 'ORG', elsewhere)).size).toBe(0)
    expect(await can(ctx, owner, 'ORG', elsewhere, 'org:read')).toBe(false)
    expect(await can(ctx, owner, 'ORG', 0, 'org:read')).toBe(false)
    expect(await can(ctx, owner, 'PLATFORM', 0, 'org:delete')).toBe(false)
  })

  test('roles in several organizations do not mix, and several roles in one add up', async () => {
    const [one, two] = [await organization(), await organization()]
    const person = await holder('ORG', one, 'ADMIN')
    await ctx.db.write('test', async (tx) => {
      await bindRole(ctx, tx, person, 'ORG', two, 'GUEST')
      await createRole(ctx, tx, { domain: 'ORG', scopeId: two, code: 'CLERK', name: 'Clerk', points: ['asset:scrap'] })
      await bindRole(ctx, tx, person, 'ORG', two, 'CLERK')
    })
    expect(await can(ctx, person, 'ORG', one, 'org:update')).toBe(true)
    expect(await can(ctx, person, 'ORG', one, 'org:delete')).toBe(false)
    expect(await can(ctx, person, 'ORG', two, 'org:update')).toBe(false)
    expect(await can(ctx, person, 'ORG', two, 'activity:read')).toBe(true)
    expect(await can(ctx, person, 'ORG', two, 'asset:scrap')).toBe(true)
  })

  test('answers at once after the first time', async () => {
    const user = await holder('APP', 0, 'USER')
    expect(await can(ctx, user, 'APP', 0, 'qr_code:read')).toBe(true)
    expect(can(ctx, user, 'APP', 0, 'qr_code:read')).toBe(true)
    expect(can(ctx, user, 'ORG', 1, 'qr_code:read')).toBe(false)
    expect(holdsAnyPlatformRole(ctx, user)).toBe(false)
  })

  test('a role without points makes an administrator who may nothing', async () => {
    await ctx.db.write('test', (tx) =>
      createRole(ctx, tx, { domain: 'PLATFORM', scopeId: 0, code: 'EMPTY', name: 'Empty', points: [] }),
    )
    const admin = await holder('PLATFORM', 0, 'EMPTY')
    expect(await holdsAnyPlatformRole(ctx, admin)).toBe(true)
    expect((await permissionSet(ctx, admin, 'PLATFORM', 0)).size).toBe(0)
  })

  test('login shows APP and PLATFORM points together, each once, sorted, and the highest role', async () => {
    const person = await holder('PLATFORM', 0, 'OPERATION_ADMIN', 'USER_ADMIN')
    await ctx.db.write('test', (tx) => bindRole(ctx, tx, person, 'APP', 0, 'USER'))
    const shown = await permissionsForLogin(ctx, person)
    expect(shown).toEqual([...new Set(shown)].toSorted())
    expect(shown).toContain('user:update')
    expect(shown).toContain('notification:send')
    expect(shown).toContain('chat:send')
    expect(shown).not.toContain('setting:update')
    expect(await roleNameOf(ctx, person)).toBe('User administrator')
  })
})

describe('my permissions', () => {
  const actor = (userId: number) => ({ userId, sessionId: 1, deviceKey: '' })
  const choose = (userId: number, orgId: number) =>
    ctx.db.write('test', (tx) => tx.update(users).set({ currentOrgId: orgId }).where(eq(users.id, userId)))

  test('hold the points of the current organization, and of that one only', async () => {
    const [here, elsewhere] = [await organization(), await organization()]
    const person = await holder('ORG', here, 'GUEST')
    await ctx.db.write('test', async (tx) => {
      await bindRole(ctx, tx, person, 'APP', 0, 'USER')
      await bindRole(ctx, tx, person, 'ORG', elsewhere, 'OWNER')
    })
    expect(await myPermissions(ctx, actor(person))).toMatchObject({ orgId: null, org: [] })
    await choose(person, here)
    const shown = await myPermissions(ctx, actor(person))
    expect(shown.orgId).toBe(here)
    expect(shown.org).toEqual(['activity:read', 'checkin:create', 'location:read', 'org:read', 'qr_code:read'])
    expect(shown.platform).toEqual([])
    expect(shown.permissions).toEqual([...new Set([...shown.app, ...shown.org])].toSorted())
    expect(shown.permissions).not.toContain('org:delete')
    expect(shown.roleName).toBe('User')
  })

  test('are empty in an organization that one has left', async () => {
    const orgId = await organization()
    const person = await holder('ORG', orgId, 'OWNER')
    await choose(person, orgId)
    expect((await myPermissions(ctx, actor(person))).org).toContain('org:delete')
    await ctx.db.write('test', (tx) => unbindRoles(ctx, tx, person, 'ORG', orgId))
    expect((await myPermissions(ctx, actor(person))).org).toEqual([])
  })
})

describe('a disabled point', () => {
  test('is off for everybody, SYSTEM_ADMIN and OWNER too, until it is enabled again', async () => {
    const orgId = await organization()
    const admin = await holder('PLATFORM', 0, 'SYSTEM_ADMIN')
    const owner = await holder('ORG', orgId, 'OWNER')
    const user = await holder('APP', 0, 'USER')
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

  test('does not lock SYSTEM_ADMIN out of enabling it again', async () => {
    const admin = await holder('PLATFORM', 0, 'SYSTEM_ADMIN')
    await ctx.db.write('test', (tx) =>
      createRole(ctx, tx, {
        domain: 'PLATFORM',
        scopeId: 0,
        code: 'KEEPER',
        name: 'Keeper',
        points: ['rbac_permission:read', 'rbac_permission:update', 'rbac_role:read'],
      }),
    )
    const keeper = await holder('PLATFORM', 0, 'KEEPER')
    for (const action of ['read', 'update', 'create']) await setEnabled('PLATFORM', 'rbac_permission', action, false)
    expect(await can(ctx, admin, 'PLATFORM', 0, 'rbac_permission:read')).toBe(true)
    expect(await can(ctx, admin, 'PLATFORM', 0, 'rbac_permission:update')).toBe(true)
    expect(await can(ctx, admin, 'PLATFORM', 0, 'rbac_permission:create')).toBe(false)
    expect(await can(ctx, keeper, 'PLATFORM', 0, 'rbac_permission:update')).toBe(false)
    expect(await can(ctx, keeper, 'PLATFORM', 0, 'rbac_role:read')).toBe(true)
    for (const action of ['read', 'update', 'create']) await setEnabled('PLATFORM', 'rbac_permission', action, true)
  })
})

describe('a change counts from the next check on', () => {
  test('binding, binding twice, and taking away in one scope only', async () => {
    const [one, two] = [await organization(), await organization()]
    const person = await inside.somebody()
    expect(await can(ctx, person, 'ORG', one, 'org:read')).toBe(false)
    await ctx.db.write('test', async (tx) => {
      await bindRole(ctx, tx, person, 'ORG', one, 'MEMBER')
      await bindRole(ctx, tx, person, 'ORG', one, 'MEMBER')
      await bindRole(ctx, tx, person, 'ORG', two, 'MEMBER')
    })
    expect(await can(ctx, person, 'ORG', one, 'org:read')).toBe(true)
    await ctx.db.write('test', (tx) => unbindRoles(ctx, tx, person, 'ORG', one))
    expect(await can(ctx, person, 'ORG', one, 'org:read')).toBe(false)
    expect(await can(ctx, person, 'ORG', two, 'org:read')).toBe(true)
  })

  test('a write that fails changes nothing', async () => {
    const person = await holder('APP', 0, 'USER')
    expect(await can(ctx, person, 'APP', 0, 'chat:send')).toBe(true)
    const failing = ctx.db.write('test', async (tx) => {
      await unbindRoles(ctx, tx, person, 'APP', 0)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await can(ctx, person, 'APP', 0, 'chat:send')).toBe(true)
  })

  test('what a role holds, for all who hold it', async () => {
    const orgId = await organization()
    const [a, b] = [await holder('ORG', orgId, 'MEMBER'), await holder('ORG', orgId, 'MEMBER')]
    const other = await holder('ORG', await organization(), 'MEMBER')
    const allowed = async () =>
      Promise.all(
        [a, b, other].map(async (id) =>
          (await permissionSet(ctx, id, 'ORG', id === other ? orgId + 1 : orgId)).has('asset:read'),
        ),
      )
    expect(await allowed()).toEqual([true, true, true])
    await ctx.db.write('test', async (tx) => {
      const [role] = await tx
        .select({ id: roles.id })
        .from(roles)
        .where(and(eq(roles.scopeId, orgId), eq(roles.code, 'MEMBER')))
      await tx.delete(rolePermissions).where(eq(rolePermissions.roleId, role!.id))
      rolesChanged(ctx, tx)
    })
    expect(await allowed()).toEqual([false, false, true])
  })

  test('one process sees what another wrote after 60 seconds at most', async () => {
    const person = await holder('APP', 0, 'USER')
    const other = inside.elsewhere()
    expect(await can(other, person, 'APP', 0, 'chat:send')).toBe(true)
    await ctx.db.write('test', (tx) => unbindRoles(ctx, tx, person, 'APP', 0))
    expect(await can(ctx, person, 'APP', 0, 'chat:send')).toBe(false)
    inside.clock.advance(60_000)
    expect(await can(other, person, 'APP', 0, 'chat:send')).toBe(false)
  })

  test('also when what a role holds was read long before who holds it', async () => {
    const person = await holder('APP', 0, 'USER')
    const other = inside.elsewhere()
    await can(other, await holder('APP', 0, 'USER'), 'APP', 0, 'chat:send')
    inside.clock.advance(50_000)
    expect(await can(other, person, 'APP', 0, 'chat:send')).toBe(true)
    await setEnabled('APP', 'chat', 'send', false)
    inside.clock.advance(10_000)
    expect(await can(other, person, 'APP', 0, 'chat:send')).toBe(false)
    await setEnabled('APP', 'chat', 'send', true)
  })
})

type Rows = (sql: string, params: unknown[]) => unknown

/** A context of its own whose reads go through `rows`. */
function contextReading(wrap: (rows: Rows) => Rows): AppContext {
  const { runner } = ctx.db.read as unknown as { runner: { rows: Rows } }
  const read = Object.create(ctx.db.read, {
    runner: { value: { rows: wrap((sql, params) => runner.rows(sql, params)) } },
  }) as Store['read']
  return { ...inside.elsewhere(), db: { ...ctx.db, read } }
}

/** Reads of `table` see the rows of their moment, and hand them over only after `open`. */
function slowContext(table: string): { slow: AppContext; hasRead: Promise<void>; open(): void } {
  const gate = Promise.withResolvers<void>()
  const hasRead = Promise.withResolvers<void>()
  const slow = contextReading((rows) => async (sql, params) => {
    const found = await rows(sql, params)
    if (sql.includes(table)) {
      hasRead.resolve()
      await gate.promise
    }
    return found
  })
  return { slow, hasRead: hasRead.promise, open: gate.resolve }
}

describe('a load that began before a change', () => {
  test('is not kept: the roles of a user', async () => {
    const person = await holder('APP', 0, 'USER')
    const { slow, hasRead, open } = slowContext('rbac_user_roles')
    const before = can(slow, person, 'APP', 0, 'chat:send')
    await hasRead
    await ctx.db.write('test', (tx) => unbindRoles(slow, tx, person, 'APP', 0))
    const after = can(slow, person, 'APP', 0, 'chat:send')
    open()
    expect(await before).toBe(true)
    expect(await after).toBe(false)
    expect(can(slow, person, 'APP', 0, 'chat:send')).toBe(false)
  })

  test('is not kept: the points of a role', async () => {
    const person = await holder('APP', 0, 'USER')
    const { slow, hasRead, open } = slowContext('rbac_role_permissions')
    const before = can(slow, person, 'APP', 0, 'chat:send')
    await hasRead
    await ctx.db.write('test', async (tx) => {
      await tx.update(permissions).set({ enabled: false }).where(eq(permissions.resource, 'chat'))
      rolesChanged(slow, tx)
    })
    const after = can(slow, person, 'APP', 0, 'chat:send')
    open()
    expect(await before).toBe(true)
    expect(await after).toBe(false)
    expect(can(slow, person, 'APP', 0, 'chat:send')).toBe(false)
    for (const action of ['read', 'send', 'delete']) await setEnabled('APP', 'chat', action, true)
    await setEnabled('PLATFORM', 'chat', 'read', true)
  })

  test('is not kept when it ran within the write, before the commit', async () => {
    const person = await holder('APP', 0, 'USER')
    await ctx.db.write('test', async (tx) => {
      await unbindRoles(ctx, tx, person, 'APP', 0)
      expect(await can(ctx, person, 'APP', 0, 'chat:send')).toBe(true)
    })
    expect(await can(ctx, person, 'APP', 0, 'chat:send')).toBe(false)
  })

  test('fifty askers at once cost one load', async () => {
    const person = await holder('APP', 0, 'USER')
    let reads = 0
    const slow = contextReading((rows) => (sql, params) => {
      reads += 1
      return rows(sql, params)
    })
    const asked = Array.from({ length: 50 }, () => can(slow, person, 'APP', 0, 'chat:send'))
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 50 }, () => true))
    // The user's role ids, the role, its points; then a second user of the same role: ids only.
    expect(reads).toBe(3)
    await can(slow, await holder('APP', 0, 'USER'), 'APP', 0, 'chat:send')
    expect(reads).toBe(4)
  })
})

describe('binding', () => {
  test('refuses roles that do not exist and templates of organizations', async () => {
    const person = await inside.somebody()
    const bind = (domain: PermissionDomain, scopeId: number, code: string) =>
      ctx.db.write('test', (tx) => bindRole(ctx, tx, person, domain, scopeId, code))
    await expect(bind('APP', 0, 'NOBODY')).rejects.toThrow('role APP/0/NOBODY does not exist')
    await expect(bind('ORG', 4711, 'OWNER')).rejects.toThrow('role ORG/4711/OWNER does not exist')
    await expect(bind('ORG', 0, 'OWNER')).rejects.toThrow('template')
    expect(await ctx.db.read.select().from(userRoles).where(eq(userRoles.userId, person))).toEqual([])
  })

  test('a template that somebody holds all the same gives nothing', async () => {
    const person = await inside.somebody()
    await ctx.db.write('test', async (tx) => {
      const [template] = await tx
        .select({ id: roles.id })
        .from(roles)
        .where(and(eq(roles.domain, 'ORG'), eq(roles.scopeId, 0), eq(roles.code, 'OWNER')))
      await tx.insert(userRoles).values({ userId: person, roleId: template!.id, createdAt: tx.stamp })
    })
    expect(await can(ctx, person, 'ORG', 0, 'org:read')).toBe(false)
    expect(await can(ctx, person, 'ORG', 1, 'org:read')).toBe(false)
  })

  test('a role of points that do not exist is refused whole', async () => {
    const make = ctx.db.write('test', (tx) =>
      createRole(ctx, tx, {
        domain: 'APP',
        scopeId: 0,
        code: 'ODD',
        name: 'Odd',
        points: ['chat:send', 'user:update'],
      }),
    )
    await expect(make).rejects.toThrow('permission point APP user:update does not exist')
    expect(await ctx.db.read.select().from(roles).where(eq(roles.code, 'ODD'))).toEqual([])
  })

  test("the initial administrator's role cannot be taken away, later ones can", async () => {
    const [first, second] = [await inside.somebody(), await inside.somebody()]
    await ctx.db.write('test', async (tx) => {
      await bindRole(ctx, tx, first, 'PLATFORM', 0, 'USER_ADMIN')
      await bindRole(ctx, tx, first, 'PLATFORM', 0, 'SYSTEM_ADMIN')
      await bindRole(ctx, tx, first, 'PLATFORM', 0, 'SYSTEM_ADMIN', { initial: true })
      // Granting it again does not make it an ordinary one.
      await bindRole(ctx, tx, first, 'PLATFORM', 0, 'SYSTEM_ADMIN')
      await bindRole(ctx, tx, second, 'PLATFORM', 0, 'SYSTEM_ADMIN')
    })
    await ctx.db.write('test', async (tx) => {
      await unbindRoles(ctx, tx, first, 'PLATFORM', 0)
      await unbindRoles(ctx, tx, second, 'PLATFORM', 0)
    })
    expect(await can(ctx, first, 'PLATFORM', 0, 'setting:update')).toBe(true)
    expect(await holdsAnyPlatformRole(ctx, second)).toBe(false)
    const left = await ctx.db.read
      .select({ initial: userRoles.isInitial })
      .from(userRoles)
      .where(eq(userRoles.userId, first))
    expect(left).toEqual([{ initial: true }])
  })
})
