import { describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import type { AnyEndpoint } from '#http/endpoint.ts'
import { points } from '#permission-points'

import { contractAccess, contractMethod, contractPath, extra, operations } from './table.ts'

const known = new Map([...operations, ...extra].map((o) => [`${o.method} ${o.path}`, o]))
const key = (e: AnyEndpoint) => `${contractMethod(e)} ${contractPath(e)}`

/** Where the specification is stricter than the list: sending needs a PLATFORM permission (§4.3). */
const STRICTER: Record<string, string> = { 'POST /api/notifications': 'admin' }

describe('contract', () => {
  test('endpoints.tsv has the 375 operations of the interface', () => {
    expect(operations).toHaveLength(375)
    expect(known.size).toBe(operations.length + extra.length)
  })

  test('every endpoint is in the contract with the same access', () => {
    for (const endpoint of allEndpoints) {
      const operation = known.get(key(endpoint))
      expect(operation, `${key(endpoint)} is in neither endpoints.tsv nor extra.tsv`).toBeDefined()
      expect(`${key(endpoint)}: ${contractAccess(endpoint)}`).toBe(
        `${key(endpoint)}: ${STRICTER[key(endpoint)] ?? operation!.access}`,
      )
    }
    expect(new Set(allEndpoints.map(key)).size).toBe(allEndpoints.length)
  })

  test('every operation of the contract exists', () => {
    const endpoints = new Set(allEndpoints.map(key))
    const missing = operations.map((o) => `${o.method} ${o.path}`).filter((operation) => !endpoints.has(operation))
    console.log(`implemented ${operations.length - missing.length} of ${operations.length}`)
    expect(missing).toEqual([])
  })

  test('every operation of extra.tsv exists', () => {
    for (const o of extra)
      expect(
        allEndpoints.some((e) => key(e) === `${o.method} ${o.path}`),
        `${o.method} ${o.path}`,
      ).toBe(true)
  })

  test('every permission point that an endpoint requires exists in its domain', () => {
    const all = new Set(points.map((p) => `${p.domain} ${p.resource}:${p.action}`))
    for (const { access, id } of allEndpoints) {
      if (!('point' in access)) continue
      const domains = {
        app: ['APP'],
        signedUrl: ['APP'],
        org: ['ORG'],
        dual: ['APP', 'ORG'],
        platform: ['PLATFORM'],
        publisher: ['PLATFORM'],
      }[access.kind]
      for (const domain of domains)
        expect(all.has(`${domain} ${access.point}`), `${id} asks for ${domain} ${access.point}`).toBe(true)
    }
  })

  test('endpoints without a permission point are public or concern only the caller', () => {
    const without = allEndpoints.filter(
      (e) => !('point' in e.access) && !['open', 'gate', 'key'].includes(e.access.kind),
    )
    expect(without.filter((e) => e.access.kind !== 'signedIn')).toEqual([])
    // They concern the caller's own account, sessions, devices and memberships, and what the caller's client prints. Reports of
    // finders need no point for the caller's own things, and one of two points in an organization; labels are found by the end of their link. Webhooks of organizations need `org:update`, the caller's own ones none.
    // The built-in media of label profiles are the same for everybody.
    const areas = new Set(without.map((e) => e.id.split('.')[0]))
    expect([...areas].toSorted()).toEqual([
      'access',
      'agreements',
      'apiKeys',
      'auth',
      'devices',
      'found',
      'groups',
      'guests',
      'labelProfiles',
      'loginRecords',
      'notifications',
      'oidc',
      'orgs',
      'ownData',
      'passkeys',
      'profile',
      'qrBlanks',
      'server',
      'sessions',
      'webhooks',
    ])
  })
})
