/** GET /api/rbac/explain: why a user holds a permission or not. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { PermissionDomain } from '#db/schema/access.ts'
import type { Answer } from '#domains/access/explain/explain.model.ts'
import { can } from '#domains/access/index.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createRole, findPoint, grant, listPoints, setEnabled } from './helpers.ts'

const { server, admin, owner, member, stranger } = useServer({ people: ['owner', 'member', 'stranger'] })

let org: Org
beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, member)
})

/** The answers for the user by domain. */
async function explain(
  user: Person,
  permission: string,
  orgId?: number,
): Promise<Partial<Record<PermissionDomain, Answer>>> {
  const query = { userId: user.id, permission, ...(orgId !== undefined && { orgId }) }
  const { data } = ok(await admin.call('access.explain', { query }))
  expect(data).toMatchObject({ userId: user.id, userStatus: 'ACTIVE', permission, orgId: orgId ?? null })
  expect(data.granted).toBe(data.answers.some((answer) => answer.granted))
  return Object.fromEntries(data.answers.map((answer) => [answer.domain, answer]))
}

describe('GET /api/rbac/explain', () => {
  test('names the role that grants the permission', async () => {
    const { APP, PLATFORM } = await explain(member, 'qr_code:read')
    expect(APP).toMatchObject({ granted: true, reason: 'GRANTED_BY_ROLE', explanation: 'Granted by: User.' })
    expect(APP!.roles.map(({ code, grants }) => ({ code, grants }))).toEqual([{ code: 'USER', grants: true }])
    expect(PLATFORM).toMatchObject({ granted: false, reason: 'NO_ROLE', roles: [] })
    const inOrg = await explain(member, 'member:read', org.id)
    expect(Object.keys(inOrg)).toEqual(['ORG'])
    expect(inOrg.ORG).toMatchObject({ granted: true, reason: 'GRANTED_BY_ROLE', scopeId: org.id })
  })

  test('gives the reason if the permission is not granted: not in the roles, not a member, unknown point', async () => {
    expect((await explain(member, 'org:delete', org.id)).ORG).toMatchObject({
      granted: false,
      reason: 'NOT_IN_ROLES',
    })
    expect((await explain(stranger, 'org:read', org.id)).ORG).toMatchObject({
      granted: false,
      reason: 'NOT_A_MEMBER',
      roles: [],
    })
    for (const name of ['no_such:point', 'nonsense', 'qr_code:read:more'])
      for (const answer of Object.values(await explain(admin, name)))
        expect(answer, name).toMatchObject({ granted: false, reason: 'UNKNOWN_POINT' })
    // A PLATFORM point is unknown in the APP domain.
    expect((await explain(admin, 'setting:update')).APP!.reason).toBe('UNKNOWN_POINT')
  })

  test('reports roles that hold every point, but not SYSTEM_ADMIN in an organization', async () => {
    expect((await explain(owner, 'org:delete', org.id)).ORG).toMatchObject({
      granted: true,
      reason: 'SHORT_CIRCUIT',
    })
    expect((await explain(admin, 'setting:update')).PLATFORM).toMatchObject({
      granted: true,
      reason: 'SHORT_CIRCUIT',
    })
    expect((await explain(admin, 'org:read', org.id)).ORG).toMatchObject({ granted: false, reason: 'NOT_A_MEMBER' })
  })

  test('reports a disabled point as DISABLED for everyone, except the points that SYSTEM_ADMIN keeps', async () => {
    const disabled = [
      await findPoint(admin, 'ORG', 'org:read'),
      await findPoint(admin, 'PLATFORM', 'rbac_permission:update'),
    ]
    for (const point of disabled) await setEnabled(admin, point, false)
    for (const user of [owner, member])
      expect((await explain(user, 'org:read', org.id)).ORG).toMatchObject({ granted: false, reason: 'DISABLED' })
    expect((await explain(admin, 'rbac_permission:update')).PLATFORM).toMatchObject({
      granted: true,
      reason: 'NEVER_OFF',
    })
    for (const point of disabled) await setEnabled(admin, point, true)
  })

  test('explains in the language of the request', async () => {
    const { data } = ok(
      await admin.call('access.explain', {
        query: { userId: member.id, permission: 'no_such:point' },
        headers: { 'accept-language': 'zh-CN' },
      }),
    )
    expect(data.answers[0]!.explanation).toBe('APP 域没有此权限点。')
  })

  test('answers 404 for unknown users and organizations, 400 for missing parameters and 403 to other users', async () => {
    const ask = (user: Person, query: Record<string, string | number>) => user.get('/api/rbac/explain', query)
    expect((await ask(admin, { userId: 999_999_999, permission: 'org:read' })).status).toBe(404)
    expect((await ask(admin, { userId: member.id, permission: 'org:read', orgId: 999_999_999 })).status).toBe(404)
    for (const query of [{ userId: member.id }, { permission: 'org:read' }, { userId: 'x', permission: 'org:read' }])
      expect((await ask(admin, query as Record<string, string>)).status).toBe(400)
    expect((await ask(owner, { userId: owner.id, permission: 'org:read', orgId: org.id })).status).toBe(403)
  })

  test.if(inProcess)('agrees with `can` for every point and for users with different roles', async () => {
    const several = await server.person()
    await addMembers(owner, org, several)
    await setRole(owner, org, several, 'GUEST')
    const extra = await createRole(admin, {
      domain: 'ORG',
      scopeId: org.id,
      permissions: ['asset:scrap', 'location:update'],
    })
    ok(await grant(admin, several, extra))
    ok(await grant(admin, several, await createRole(admin, { permissions: ['user:read', 'setting:read'] })))
    const disabled = [
      await findPoint(admin, 'ORG', 'asset:scrap'),
      await findPoint(admin, 'APP', 'chat:read'),
      await findPoint(admin, 'PLATFORM', 'user:read'),
      await findPoint(admin, 'PLATFORM', 'rbac_permission:read'),
    ]
    for (const point of disabled) await setEnabled(admin, point, false)
    let compared = 0
    for (const user of [admin, owner, member, several, stranger])
      for (const domain of ['PLATFORM', 'APP', 'ORG'] as const) {
        const scopeId = domain === 'ORG' ? org.id : 0
        const names = (await listPoints(admin, domain)).map((each) => each.name)
        const answers = await Promise.all(
          names.map((name) => explain(user, name, domain === 'ORG' ? org.id : undefined)),
        )
        for (const [i, name] of names.entries()) {
          const allowed = await can(server.ctx, user.id, domain, scopeId, name)
          expect(answers[i]![domain]!.granted, `${user.username} ${domain} ${name}`).toBe(allowed)
          compared++
        }
      }
    expect(compared).toBeGreaterThan(1000)
    for (const point of disabled) await setEnabled(admin, point, true)
  })
})
