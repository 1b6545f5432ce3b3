import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { and, eq, inArray } from 'drizzle-orm'

import { permissions, rolePermissions, roles } from '#db/schema/access.ts'
import { bindRole, can, rolesChanged } from '#domains/access/index.ts'
import { planSeed, pointKey, roleKey } from '#domains/access/rules.ts'
import { seed, type SeedTable } from '#domains/access/seed.ts'
import { type SystemRole, systemRoles } from '#domains/access/system-roles.ts'
import { points } from '#permission-points'

import { type Inside, openInside } from './inside.ts'

let inside: Inside
beforeEach(async () => {
  inside = await openInside()
})
afterEach(() => inside.close())

/** All that seeding may touch. */
async function everything() {
  const { read } = inside.ctx.db
  return {
    points: await read.select().from(permissions).orderBy(permissions.id),
    roles: await read.select().from(roles).orderBy(roles.id),
    held: await read.select().from(rolePermissions).orderBy(rolePermissions.roleId, rolePermissions.permissionId),
  }
}

/** `ROLE@scope` of all who hold an ORG, APP or PLATFORM point. */
async function holders(key: string): Promise<string[]> {
  const [domain, resource, action] = key.split(/[ :]/) as ['ORG', string, string]
  const rows = await inside.ctx.db.read
    .select({ code: roles.code, scopeId: roles.scopeId })
    .from(rolePermissions)
    .innerJoin(roles, eq(roles.id, rolePermissions.roleId))
    .innerJoin(permissions, eq(permissions.id, rolePermissions.permissionId))
    .where(and(eq(permissions.domain, domain), eq(permissions.resource, resource), eq(permissions.action, action)))
  return rows.map((row) => `${row.code}@${row.scopeId}`).toSorted()
}

/** The table of a later version: one more ORG point for some roles, and one more role. */
function nextVersion(): SeedTable {
  const gaining = ['ADMIN', 'MEMBER']
  const withPoint = (role: SystemRole): SystemRole =>
    role.domain === 'ORG' && gaining.includes(role.code) ? { ...role, points: [...role.points, 'label:print'] } : role
  return {
    points: [...points, { domain: 'ORG', resource: 'label', action: 'print', description: 'Print labels' }],
    roles: [
      ...systemRoles.map(withPoint),
      { domain: 'ORG', code: 'PRINTER', name: 'Printer', points: ['label:print', 'org:read'] },
    ],
  }
}

describe('seeding', () => {
  test('a new database has the 212 points and the roles with what they hold', async () => {
    const { points: rows, roles: made, held } = await everything()
    expect(rows.map(pointKey)).toEqual(points.map(pointKey))
    expect(rows.every((row) => row.enabled && row.description !== '')).toBe(true)
    expect(made.map((role) => `${roleKey(role)} ${role.scopeId} ${role.isSystem}`)).toEqual(
      systemRoles.map((role) => `${roleKey(role)} 0 true`),
    )
    for (const { domain, code, points: wanted } of systemRoles) {
      const { id } = made.find((role) => role.domain === domain && role.code === code)!
      const names = held
        .filter((row) => row.roleId === id)
        .map((row) => rows.find((point) => point.id === row.permissionId)!)
        .map((point) => `${point.domain} ${point.resource}:${point.action}`)
      expect(names.toSorted()).toEqual(
        wanted === 'everything' ? [] : wanted.map((name) => `${domain} ${name}`).toSorted(),
      )
    }
  })

  test('twice is once, and a second start writes nothing', async () => {
    const before = await everything()
    const { ctx } = inside
    const refusing = { ...ctx, db: { ...ctx.db, read: ctx.db.read, write: () => Promise.reject(new Error('wrote')) } }
    await seed(refusing)
    expect(await everything()).toEqual(before)
  })

  test('by several at once is once', async () => {
    const fresh = await openInside({ seeded: false })
    await Promise.all([fresh.ctx, fresh.elsewhere(), fresh.elsewhere()].map((ctx) => seed(ctx)))
    const rows = await fresh.ctx.db.read.select().from(permissions)
    expect(rows).toHaveLength(points.length)
    expect(await fresh.ctx.db.read.select().from(rolePermissions)).toHaveLength((await everything()).held.length)
    await fresh.close()
  })

  test('a later version adds its points and roles, and gives the points to the system roles in every organization', async () => {
    await inside.organization(7)
    const { ctx } = inside
    const member = await inside.somebody()
    await ctx.db.write('test', (tx) => bindRole(ctx, tx, member, 'ORG', 7, 'MEMBER'))
    expect(await can(ctx, member, 'ORG', 7, 'label:print')).toBe(false)
    const before = await everything()
    await seed(ctx, nextVersion())
    const after = await everything()
    expect(after.points.slice(0, -1)).toEqual(before.points)
    expect(after.roles.slice(0, -1)).toEqual(before.roles)
    expect(after.roles.at(-1)).toMatchObject({ code: 'PRINTER', scopeId: 0, isSystem: true })
    expect(await holders('ORG label:print')).toEqual(['ADMIN@0', 'ADMIN@7', 'MEMBER@0', 'MEMBER@7', 'PRINTER@0'])
    expect(after.held).toHaveLength(before.held.length + 6)
    expect(await can(ctx, member, 'ORG', 7, 'label:print')).toBe(true)
    await seed(ctx, nextVersion())
    expect(await everything()).toEqual(after)
  })

  test('what administrators changed stays changed', async () => {
    const { ctx } = inside
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
      rolesChanged(ctx, tx)
    })
    const before = await everything()
    await seed(ctx, nextVersion())
    const after = await everything()
    expect(after.points.slice(0, -1)).toEqual(before.points)
    expect(after.roles.slice(0, -1)).toEqual(before.roles)
    expect(await holders('ORG asset:scrap')).toEqual([])
    expect(await holders('PLATFORM asset:scrap')).toEqual([])
    expect(await holders('ORG share:delete')).toEqual(['ADMIN@0', 'GUEST@0'])
    // Back to the older version and forward again: still nothing returns.
    await seed(ctx)
    await seed(ctx, nextVersion())
    expect(await everything()).toEqual(after)
  })

  test('a role made by an administrator is not given new points', async () => {
    const { ctx } = inside
    await ctx.db.write('test', (tx) =>
      tx
        .insert(roles)
        .values({ domain: 'ORG', scopeId: 7, code: 'MEMBER', name: 'Own', createdAt: tx.stamp, updatedAt: tx.stamp }),
    )
    await seed(ctx, nextVersion())
    expect(await holders('ORG label:print')).toEqual(['ADMIN@0', 'MEMBER@0', 'PRINTER@0'])
  })
})

test('the plan for a database that has everything is empty', () => {
  const plan = planSeed(
    { points, roles: systemRoles },
    { points: new Set(points.map(pointKey)), roles: new Set(systemRoles.map(roleKey)) },
  )
  expect(plan).toEqual({ newPoints: [], newRoles: [], grants: [] })
})
