import { describe, expect, test } from 'bun:test'

import type { PermissionDomain } from '#db/schema/access.ts'
import { pointKey } from '#domains/access/rules.ts'
import { systemRoles } from '#domains/access/system-roles.ts'
import { pointName, points, pointsOf } from '#permission-points'

import { operations as contract } from '../contract/table.ts'
import { operations, pointsAskedFor } from './operations.ts'
import { documentPath, permissionsDocument } from './permissions-doc.ts'

const known = new Set(points.map(pointKey))

describe('permission points', () => {
  test('are 212: PLATFORM 76, APP 73, ORG 63, each once', () => {
    const count = (domain: PermissionDomain) => points.filter((point) => point.domain === domain).length
    expect({ PLATFORM: count('PLATFORM'), APP: count('APP'), ORG: count('ORG') }).toEqual({
      PLATFORM: 76,
      APP: 73,
      ORG: 63,
    })
    expect(points).toHaveLength(212)
    expect(known.size).toBe(212)
  })

  test('are lower-case resource:action and say in English what they allow', () => {
    for (const point of points) {
      expect(pointName(point)).toMatch(/^[a-z]+(_[a-z]+)*:[a-z]+(_[a-z]+)*$/)
      expect(point.description).toMatch(/^[A-Z][ -~]{4,99}[^.]$/)
    }
  })

  const named: Record<PermissionDomain, string> = {
    PLATFORM: `notification:send asset:read login_record:read user:update
      rbac_permission:read rbac_permission:create rbac_permission:update
      rbac_role:read rbac_role:create rbac_role:update rbac_role:delete
      rbac_user_role:read rbac_user_role:grant rbac_user_role:revoke
      meta_object:read meta_object:create meta_object:update
      meta_field:read meta_field:create meta_field:update meta_field:delete
      meta_template:read meta_template:create meta_template:update meta_template:delete`,
    APP: 'qr_code:create asset:read activity:read album:read checkin:create pass:issue pass:verify pass:revoke',
    ORG: `share:create share:read share:delete album:read asset:read activity:read qr_code:read checkin:create
      pass:issue pass:verify pass:revoke meta_field:create meta_template:create`,
  }
  test.each(Object.entries(named) as [PermissionDomain, string][])(
    'of %s that the specification names are there',
    (domain, names) => {
      expect(names.split(/\s+/).filter((name) => !known.has(`${domain} ${name}`))).toEqual([])
    },
  )
})

describe('operations', () => {
  test('of the contract each have their access, and public ones ask for nothing else', () => {
    const key = (o: { method: string; path: string }) => `${o.method} ${o.path}`
    expect(operations.map(key)).toEqual(contract.map(key))
    const word = (kind: string) => ({ open: 'public', platform: 'admin', publisher: 'publisher' })[kind] ?? 'login'
    for (const [i, operation] of operations.entries()) {
      const { access } = contract[i]!
      // The specification asks for a PLATFORM point on one route outside the console; the socket's token is a login.
      const stricter = operation.kind === 'platform' && ['/api/notifications'].includes(operation.path)
      const wanted = stricter ? 'login' : word(operation.kind)
      expect(`${key(operation)}: ${wanted}`).toBe(`${key(operation)}: ${access === 'token' ? 'login' : access}`)
    }
  })

  test('ask only for points that exist in their domain', () => {
    expect(operations.flatMap(pointsAskedFor).filter((point) => !known.has(point))).toEqual([])
    for (const { kind, point, path } of operations)
      expect(`${path} ${point !== ''}`).toBe(`${path} ${['app', 'org', 'dual', 'platform'].includes(kind)}`)
  })

  test('use every point: none is there for show', () => {
    const used = new Set(operations.flatMap(pointsAskedFor))
    expect([...known].filter((point) => !used.has(point))).toEqual([])
  })
})

describe('system roles', () => {
  const role = (code: string) => systemRoles.find((r) => r.code === code)!.points as readonly string[]

  test('hold only points of their domain, each once', () => {
    for (const { domain, code, points: held } of systemRoles) {
      if (held === 'everything') continue
      expect(held.filter((name) => !known.has(`${domain} ${name}`))).toEqual([])
      expect(`${code} ${new Set(held).size}`).toBe(`${code} ${held.length}`)
    }
  })

  test('are those of the specification', () => {
    expect(systemRoles.map((r) => `${r.domain} ${r.code}`)).toEqual([
      'PLATFORM SYSTEM_ADMIN',
      'PLATFORM USER_ADMIN',
      'PLATFORM BUSINESS_ADMIN',
      'PLATFORM OPERATION_ADMIN',
      'APP USER',
      'ORG OWNER',
      'ORG ADMIN',
      'ORG MEMBER',
      'ORG GUEST',
    ])
    expect(systemRoles.filter((r) => r.points === 'everything').map((r) => r.code)).toEqual(['SYSTEM_ADMIN', 'OWNER'])
  })

  test('give a user every APP point', () => {
    expect(role('USER')).toEqual(pointsOf('APP'))
  })

  test('leave RBAC, system settings and logs to SYSTEM_ADMIN alone, and object registration', () => {
    const reserved = pointsOf('PLATFORM').filter((name) =>
      /^(rbac_\w+|setting|admin_log):|^meta_object:(create|update)$/.test(name),
    )
    expect(reserved).toHaveLength(15)
    for (const code of ['USER_ADMIN', 'BUSINESS_ADMIN', 'OPERATION_ADMIN'])
      expect(role(code).filter((name) => reserved.includes(name))).toEqual([])
  })

  test('leave dissolving and handing over to the owner, and metadata writes to owner and administrators', () => {
    expect(pointsOf('ORG').filter((name) => !role('ADMIN').includes(name))).toEqual(['org:delete', 'org:transfer'])
    for (const code of ['MEMBER', 'GUEST']) {
      expect(role(code).filter((name) => /^meta_.*:(?!read$)/.test(name))).toEqual([])
      expect(role(code)).not.toContain('share:delete')
      expect(role(code)).toContain('checkin:create')
    }
    expect(role('GUEST').filter((name) => !role('MEMBER').includes(name))).toEqual([])
  })
})

test('docs/permissions.md says what the tables say', async () => {
  expect(await Bun.file(documentPath).text(), 'out of date: run `bun test/access/permissions-doc.ts`').toBe(
    permissionsDocument(),
  )
})
