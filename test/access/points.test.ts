/** The tables of points, system roles and operations, compared with each other and with the specification. */

import { describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import type { PermissionDomain } from '#db/schema/access.ts'
import { pointKey } from '#domains/access/access.rules.ts'
import { systemRoles } from '#domains/access/system-roles.ts'
import { pointName, points, pointsOf } from '#permission-points'

import { contractMethod, contractPath, operations as contract } from '../contract/table.ts'
import { operations, pointsAskedFor } from './operations.ts'
import { documentPath, permissionsDocument } from './permissions-doc.ts'

const known = new Set(points.map(pointKey))

describe('permission points', () => {
  test('are 212 distinct points: 76 PLATFORM, 73 APP, 63 ORG', () => {
    const count = (domain: PermissionDomain) => points.filter((point) => point.domain === domain).length
    expect({ PLATFORM: count('PLATFORM'), APP: count('APP'), ORG: count('ORG') }).toEqual({
      PLATFORM: 76,
      APP: 73,
      ORG: 63,
    })
    expect(points).toHaveLength(212)
    expect(known.size).toBe(212)
  })

  test('are named resource:action in lower case and have an English description', () => {
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
    'include all points of the domain %s that the specification names',
    (domain, names) => {
      expect(names.split(/\s+/).filter((name) => !known.has(`${domain} ${name}`))).toEqual([])
    },
  )
})

describe('operations', () => {
  test('are the same in operations.tsv and in the contract, with matching access', () => {
    const key = (o: { method: string; path: string }) => `${o.method} ${o.path}`
    expect(operations.map(key)).toEqual(contract.map(key))
    const word = (kind: string) => ({ open: 'public', platform: 'admin', publisher: 'publisher' })[kind] ?? 'login'
    for (const [i, operation] of operations.entries()) {
      const { access } = contract[i]!
      // The specification requires a PLATFORM point for one route outside the console. The token of the socket counts as a login.
      const stricter = operation.kind === 'platform' && ['/api/notifications'].includes(operation.path)
      const wanted = stricter ? 'login' : word(operation.kind)
      expect(`${key(operation)}: ${wanted}`).toBe(`${key(operation)}: ${access === 'token' ? 'login' : access}`)
    }
  })

  test('require only points that exist in their domain', () => {
    expect(operations.flatMap(pointsAskedFor).filter((point) => !known.has(point))).toEqual([])
    for (const { kind, point, path } of operations)
      expect(`${path} ${point !== ''}`).toBe(
        `${path} ${['app', 'org', 'dual', 'platform', 'publisher'].includes(kind)}`,
      )
  })

  test('require every point at least once', () => {
    const used = new Set(operations.flatMap(pointsAskedFor))
    expect([...known].filter((point) => !used.has(point))).toEqual([])
  })
})

describe('system roles', () => {
  const role = (code: string) => systemRoles.find((r) => r.code === code)!.points as readonly string[]

  test('have only points of their domain, without duplicates', () => {
    for (const { domain, code, points: held } of systemRoles) {
      if (held === 'everything') continue
      expect(held.filter((name) => !known.has(`${domain} ${name}`))).toEqual([])
      expect(`${code} ${new Set(held).size}`).toBe(`${code} ${held.length}`)
    }
  })

  test('are the nine roles of the specification', () => {
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

  test('include every APP point in USER', () => {
    expect(role('USER')).toEqual(pointsOf('APP'))
  })

  test('reserve RBAC, settings, logs and the registration of objects for SYSTEM_ADMIN', () => {
    const reserved = pointsOf('PLATFORM').filter((name) =>
      /^(rbac_\w+|setting|admin_log):|^meta_object:(create|update)$/.test(name),
    )
    expect(reserved).toHaveLength(15)
    for (const code of ['USER_ADMIN', 'BUSINESS_ADMIN', 'OPERATION_ADMIN'])
      expect(role(code).filter((name) => reserved.includes(name))).toEqual([])
  })

  test('reserve dissolving and transferring for OWNER, and writing metadata for OWNER and ADMIN', () => {
    expect(pointsOf('ORG').filter((name) => !role('ADMIN').includes(name))).toEqual(['org:delete', 'org:transfer'])
    for (const code of ['MEMBER', 'GUEST']) {
      expect(role(code).filter((name) => /^meta_.*:(?!read$)/.test(name))).toEqual([])
      expect(role(code)).not.toContain('share:delete')
      expect(role(code)).toContain('checkin:create')
    }
    expect(role('GUEST').filter((name) => !role('MEMBER').includes(name))).toEqual([])
  })
})

test('docs/permissions.md is up to date', async () => {
  expect(await Bun.file(documentPath).text(), 'out of date: run `bun test/access/permissions-doc.ts`').toBe(
    permissionsDocument(),
  )
})

test('docs/permissions.md names every operation in the row of each point that its record requires', async () => {
  const rows = new Map<string, string>()
  let domain = ''
  for (const line of (await Bun.file(documentPath).text()).split('\n')) {
    domain = /^## (\w+):/.exec(line)?.[1] ?? domain
    const name = /^\| `(\w+:\w+)` \|/.exec(line)?.[1]
    if (name !== undefined) rows.set(`${domain} ${name}`, line)
  }
  expect([...rows.keys()].toSorted()).toEqual([...known].toSorted())
  const domains: Record<string, PermissionDomain[]> = {
    app: ['APP'],
    signedUrl: ['APP'],
    org: ['ORG'],
    dual: ['APP', 'ORG'],
    platform: ['PLATFORM'],
    publisher: ['PLATFORM'],
  }
  const missing = allEndpoints.flatMap((endpoint) => {
    const { access } = endpoint
    if (!('point' in access)) return []
    const name = `\`${contractMethod(endpoint)} ${contractPath(endpoint)}\``
    return domains[access.kind]!.map((each) => `${each} ${access.point}`)
      .filter((point) => !rows.get(point)!.includes(name))
      .map((point) => `${point}: ${name}`)
  })
  expect(missing).toEqual([])
})

test('every endpoint requires the access that operations.tsv and docs/permissions.md state', () => {
  const documented = new Map(operations.map((o) => [`${o.method} ${o.path}`, `${o.kind} ${o.point}`.trim()]))
  const pairs = allEndpoints.flatMap((endpoint) => {
    const key = `${contractMethod(endpoint)} ${contractPath(endpoint)}`
    const { access } = endpoint
    const actual = 'point' in access ? `${access.kind} ${access.point}` : access.kind
    return documented.has(key) ? [{ actual: `${key}: ${actual}`, expected: `${key}: ${documented.get(key)}` }] : []
  })
  expect(pairs.length).toBeGreaterThan(0)
  expect(pairs.map((each) => each.actual)).toEqual(pairs.map((each) => each.expected))
})
