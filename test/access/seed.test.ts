/** Seeding: the rows that a new or older database lacks, without reverting changes made by administrators. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { and, eq, inArray } from 'drizzle-orm'

import { permissions, rolePermissions, roles } from '#db/schema/access.ts'
import { planSeed, pointKey, roleKey } from '#domains/access/access.rules.ts'
import { bindRole, can, rolesChanged } from '#domains/access/index.ts'
import { seed, type SeedTable } from '#domains/access/seed.ts'
import { type SystemRole, systemRoles } from '#domains/access/system-roles.ts'
import { points } from '#permission-points'

import { storeWith } from '../harness/store.ts'
import { openTestContext, type TestContext } from './test-context.ts'

let context: TestContext
beforeEach(async () => {
  context = await openTestContext()
})
afterEach(() => context.close())

/** All rows that seeding can change. */
async function seededRows() {
  const { read } = context.ctx.db
  return {
    points: await read.select().from(permissions).orderBy(permissions.id),
    roles: await read.select().from(roles).orderBy(roles.id),
    held: await read.select().from(rolePermissions).orderBy(rolePermissions.roleId, rolePermissions.permissionId),
  }
}

/** The roles that have a point, as `ROLE@scope`. `key` is `DOMAIN resource:action`. */
async function rolesWith(key: string): Promise<string[]> {
  const [domain, resource, action] = key.split(/[ :]/) as ['ORG', string, string]
  const rows = await context.ctx.db.read
    .select({ code: roles.code, scopeId: roles.scopeId })
    .from(rolePermissions)
    .innerJoin(roles, eq(roles.id, rolePermissions.roleId))
    .innerJoin(permissions, eq(permissions.id, rolePermissions.permissionId))
    .where(and(eq(permissions.domain, domain), eq(permissions.resource, resource), eq(permissions.action, action)))
  return rows.map((row) => `${row.code}@${row.scopeId}`).toSorted()
}

/** The tables of a later version, with one more ORG point in some roles and one more role. */
function nextVersion(): SeedTable {
  const extended = ['ADMIN', 'MEMBER']
  const withPoint = (role: SystemRole): SystemRole =>
    role.domain === 'ORG' && extended.includes(role.code) ? { ...role, points: [...role.points, 'label:print'] } : role
  return {
    points: [...points, { domain: 'ORG', resource: 'label', action: 'print', description: 'Print labels' }],
    roles: [
      ...systemRoles.map(withPoint),
      { domain: 'ORG', code: 'PRINTER', name: { en: 'Printer', zh: '打印员' }, points: ['label:print', 'org:read'] },
    ],
  }
}

describe('seeding', () => {
  test('gives a new database the 212 points and the system roles with their points', async () => {
    const { points: rows, roles: created, held } = await seededRows()
    expect(rows.map(pointKey)).toEqual(points.map(pointKey))
    expect(rows.every((row) => row.enabled && row.description !== '')).toBe(true)
    expect(created.map((role) => `${roleKey(role)} ${role.scopeId} ${role.isSystem}`)).toEqual(
      systemRoles.map((role) => `${roleKey(role)} 0 true`),
    )
    for (const { domain, code, points: wanted } of systemRoles) {
      const { id } = created.find((role) => role.domain === domain && role.code === code)!
      const names = held
        .filter((row) => row.roleId === id)
        .map((row) => rows.find((point) => point.id === row.permissionId)!)
        .map((point) => `${point.domain} ${point.resource}:${point.action}`)
      expect(names.toSorted()).toEqual(
        wanted === 'everything' ? [] : wanted.map((name) => `${domain} ${name}`).toSorted(),
      )
    }
  })

  test('writes nothing at the second start', async () => {
    const before = await seededRows()
    const { ctx } = context
    const refusing = { ...ctx, db: storeWith(ctx.db, { write: () => Promise.reject(new Error('wrote')) }) }
    await seed(refusing)
    expect(await seededRows()).toEqual(before)
  })

  test('inserts each row once if three processes do it at the same time', async () => {
    const fresh = await openTestContext({ seeded: false })
    await Promise.all([fresh.ctx, fresh.otherProcess(), fresh.otherProcess()].map((ctx) => seed(ctx)))
    const rows = await fresh.ctx.db.read.select().from(permissions)
    expect(rows).toHaveLength(points.length)
    expect(await fresh.ctx.db.read.select().from(rolePermissions)).toHaveLength((await seededRows()).held.length)
    await fresh.close()
  })

  test('adds the points and roles of a later version, and binds the points to system roles in every organization', async () => {
    await context.createOrgRoles(7)
    const { ctx } = context
    const member = await context.createUser()
    await ctx.db.write('test', (tx) => bindRole(tx, member, 'ORG', 7, 'MEMBER'))
    expect(await can(ctx, member, 'ORG', 7, 'label:print')).toBe(false)
    const before = await seededRows()
    await seed(ctx, nextVersion())
    const after = await seededRows()
    expect(after.points.slice(0, -1)).toEqual(before.points)
    expect(after.roles.slice(0, -1)).toEqual(before.roles)
    expect(after.roles.at(-1)).toMatchObject({ code: 'PRINTER', scopeId: 0, isSystem: true })
    expect(await rolesWith('ORG label:print')).toEqual(['ADMIN@0', 'ADMIN@7', 'MEMBER@0', 'MEMBER@7', 'PRINTER@0'])
    expect(after.held).toHaveLength(before.held.length + 6)
    expect(await can(ctx, member, 'ORG', 7, 'label:print')).toBe(true)
    await seed(ctx, nextVersion())
    expect(await seededRows()).toEqual(after)
  })

  test('reverts no change made by administrators when a later version starts', async () => {
    const { ctx } = context
    const admin = { domain: 'ORG', code: 'ADMIN' } as const
    await ctx.db.write('test', async (tx) => {
      await tx
        .update(permissions)
        .set({ enabled: false, description: 'Not here' })
        .where(eq(permissions.resource, 'chat'))
      await tx
        .update(roles)
        .set({ name: 'Boss' })
        .where(and(eq(roles.domain, admin.domain), eq(roles.code, admin.code)))
      const scrap = tx.select({ id: permissions.id }).from(permissions).where(eq(permissions.action, 'scrap'))
      await tx.delete(rolePermissions).where(inArray(rolePermissions.permissionId, scrap))
      const [guest] = await tx.select({ id: roles.id }).from(roles).where(eq(roles.code, 'GUEST'))
      const [share] = await tx
        .select({ id: permissions.id })
        .from(permissions)
        .where(and(eq(permissions.domain, 'ORG'), eq(permissions.resource, 'share'), eq(permissions.action, 'delete')))
      await tx.insert(rolePermissions).values({ roleId: guest!.id, permissionId: share!.id })
      rolesChanged(tx)
    })
    const before = await seededRows()
    await seed(ctx, nextVersion())
    const after = await seededRows()
    expect(after.points.slice(0, -1)).toEqual(before.points)
    expect(after.roles.slice(0, -1)).toEqual(before.roles)
    expect(await rolesWith('ORG asset:scrap')).toEqual([])
    expect(await rolesWith('PLATFORM asset:scrap')).toEqual([])
    expect(await rolesWith('ORG share:delete')).toEqual(['ADMIN@0', 'GUEST@0'])
    // Starting the older and then the later version again reverts nothing either.
    await seed(ctx)
    await seed(ctx, nextVersion())
    expect(await seededRows()).toEqual(after)
  })

  test('binds no new points of a later version to custom roles', async () => {
    const { ctx } = context
    await ctx.db.write('test', (tx) =>
      tx
        .insert(roles)
        .values({ domain: 'ORG', scopeId: 7, code: 'MEMBER', name: 'Own', createdAt: tx.stamp, updatedAt: tx.stamp }),
    )
    await seed(ctx, nextVersion())
    expect(await rolesWith('ORG label:print')).toEqual(['ADMIN@0', 'MEMBER@0', 'PRINTER@0'])
  })
})

test('planSeed returns an empty plan for a database that lacks nothing', () => {
  const plan = planSeed(
    { points, roles: systemRoles },
    { points: new Set(points.map(pointKey)), roles: new Set(systemRoles.map(roleKey)) },
  )
  expect(plan).toEqual({ newPoints: [], newRoles: [], grants: [] })
})
