/** The cache of permissions: when changes take effect, and loads that run while something changes. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import type { AppContext } from '#context'
import { type PermissionDomain, permissions, rolePermissions, roles } from '#db/schema/access.ts'
import type { Store, Tx } from '#db/store.ts'
import { bindRole, can, rolesChanged, unbindRoles } from '#domains/access/index.ts'

import { storeWith } from '../harness/store.ts'
import { bind, openTestContext, type TestContext } from './test-context.ts'

let context: TestContext
let ctx: AppContext
beforeAll(async () => {
  context = await openTestContext()
  ctx = context.ctx
})
afterAll(() => context.close())

async function holderOf(domain: PermissionDomain, scopeId: number, code: string): Promise<number> {
  const id = await context.createUser()
  await ctx.db.write('test', (tx) => bind(ctx, tx, id, { domain, scopeId, code }))
  return id
}

const setChatEnabled = async (tx: Tx, enabled: boolean): Promise<void> => {
  await tx
    .update(permissions)
    .set({ enabled })
    .where(and(eq(permissions.domain, 'APP'), eq(permissions.resource, 'chat')))
}

const canChat = (by: AppContext, userId: number) => can(by, userId, 'APP', 0, 'chat:send')

describe('the first check after a change', () => {
  test('sees new bindings, repeated bindings, and bindings deleted in one scope only', async () => {
    const [one, two] = [1, 2]
    for (const orgId of [one, two]) await context.createOrgRoles(orgId)
    const user = await context.createUser()
    expect(await can(ctx, user, 'ORG', one, 'org:read')).toBe(false)
    await ctx.db.write('test', async (tx) => {
      await bindRole(tx, user, 'ORG', one, 'MEMBER')
      await bindRole(tx, user, 'ORG', one, 'MEMBER')
      await bindRole(tx, user, 'ORG', two, 'MEMBER')
    })
    expect(await can(ctx, user, 'ORG', one, 'org:read')).toBe(true)
    await ctx.db.write('test', (tx) => unbindRoles(tx, user, 'ORG', one))
    expect(await can(ctx, user, 'ORG', one, 'org:read')).toBe(false)
    expect(await can(ctx, user, 'ORG', two, 'org:read')).toBe(true)
  })

  test('sees nothing of a write that failed', async () => {
    const user = await holderOf('APP', 0, 'USER')
    expect(await canChat(ctx, user)).toBe(true)
    const failing = ctx.db.write('test', async (tx) => {
      await unbindRoles(tx, user, 'APP', 0)
      throw new Error('roll back')
    })
    await expect(failing).rejects.toThrow('roll back')
    expect(await canChat(ctx, user)).toBe(true)
  })

  test('sees changed points of a role for all of its holders, and not for holders of its copies', async () => {
    const [here, elsewhere] = [3, 4]
    for (const orgId of [here, elsewhere]) await context.createOrgRoles(orgId)
    const holders: [userId: number, orgId: number][] = [
      [await holderOf('ORG', here, 'MEMBER'), here],
      [await holderOf('ORG', here, 'MEMBER'), here],
      [await holderOf('ORG', elsewhere, 'MEMBER'), elsewhere],
    ]
    const allowed = () => Promise.all(holders.map(async ([id, orgId]) => can(ctx, id, 'ORG', orgId, 'asset:read')))
    expect(await allowed()).toEqual([true, true, true])
    await ctx.db.write('test', async (tx) => {
      const [role] = await tx
        .select({ id: roles.id })
        .from(roles)
        .where(and(eq(roles.scopeId, here), eq(roles.code, 'MEMBER')))
      await tx.delete(rolePermissions).where(eq(rolePermissions.roleId, role!.id))
      rolesChanged(tx)
    })
    expect(await allowed()).toEqual([false, false, true])
  })
})

describe('a change by another process', () => {
  test('takes effect after 60 seconds at the latest', async () => {
    const user = await holderOf('APP', 0, 'USER')
    const other = context.otherProcess()
    expect(await canChat(other, user)).toBe(true)
    await ctx.db.write('test', (tx) => unbindRoles(tx, user, 'APP', 0))
    expect(await canChat(ctx, user)).toBe(false)
    context.clock.advance(60_000)
    expect(await canChat(other, user)).toBe(false)
  })

  test('takes effect after 60 seconds even if the role was cached long before the user', async () => {
    const user = await holderOf('APP', 0, 'USER')
    const other = context.otherProcess()
    await canChat(other, await holderOf('APP', 0, 'USER'))
    context.clock.advance(50_000)
    expect(await canChat(other, user)).toBe(true)
    await ctx.db.write('test', (tx) => setChatEnabled(tx, false))
    context.clock.advance(10_000)
    expect(await canChat(other, user)).toBe(false)
    await ctx.db.write('test', async (tx) => {
      await setChatEnabled(tx, true)
      rolesChanged(tx)
    })
  })
})

type Rows = (sql: string, params: unknown[]) => unknown

/** A context with a cache of its own whose reads pass through `wrap`. */
function contextReading(wrap: (rows: Rows) => Rows): AppContext {
  const { runner } = ctx.db.read as unknown as { runner: { rows: Rows } }
  const read = Object.create(ctx.db.read, {
    runner: { value: { rows: wrap((sql, params) => runner.rows(sql, params)) } },
  }) as Store['read']
  return { ...context.otherProcess(), db: storeWith(ctx.db, { read }) }
}

/** Delays the results of reads of `table` until `release` is called. `hasRead` resolves after the first read. */
function slowContext(table: string): { slow: AppContext; hasRead: Promise<void>; release(): void } {
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
  return { slow, hasRead: hasRead.promise, release: gate.resolve }
}

describe('a load that started before a change', () => {
  test('is not cached if the roles of the user changed', async () => {
    const user = await holderOf('APP', 0, 'USER')
    const { slow, hasRead, release } = slowContext('rbac_user_roles')
    const before = canChat(slow, user)
    await hasRead
    await ctx.db.write('test', (tx) => unbindRoles(tx, user, 'APP', 0))
    const after = canChat(slow, user)
    release()
    expect(await before).toBe(true)
    expect(await after).toBe(false)
    expect(canChat(slow, user)).toBe(false)
  })

  test('is not cached if the points of the role changed', async () => {
    const user = await holderOf('APP', 0, 'USER')
    const { slow, hasRead, release } = slowContext('rbac_role_permissions')
    const before = canChat(slow, user)
    await hasRead
    await ctx.db.write('test', async (tx) => {
      await setChatEnabled(tx, false)
      rolesChanged(tx)
    })
    const after = canChat(slow, user)
    release()
    expect(await before).toBe(true)
    expect(await after).toBe(false)
    expect(canChat(slow, user)).toBe(false)
    await ctx.db.write('test', async (tx) => {
      await setChatEnabled(tx, true)
      rolesChanged(tx)
    })
  })

  test('is not cached if it ran inside the write, before the commit', async () => {
    const user = await holderOf('APP', 0, 'USER')
    await ctx.db.write('test', async (tx) => {
      await unbindRoles(tx, user, 'APP', 0)
      expect(await canChat(ctx, user)).toBe(true)
    })
    expect(await canChat(ctx, user)).toBe(false)
  })
})

test('fifty concurrent checks of a user cost one load of three queries, and a second user of the role one query', async () => {
  const user = await holderOf('APP', 0, 'USER')
  let queries = 0
  const counting = contextReading((rows) => (sql, params) => {
    queries += 1
    return rows(sql, params)
  })
  const checks = Array.from({ length: 50 }, () => canChat(counting, user))
  expect(await Promise.all(checks)).toEqual(Array.from({ length: 50 }, () => true))
  // The role ids of the user, the role, its points.
  expect(queries).toBe(3)
  await canChat(counting, await holderOf('APP', 0, 'USER'))
  // Only the role ids.
  expect(queries).toBe(4)
})
