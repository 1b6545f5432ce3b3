/** Everybody × every operation on an organization, against what the roles' templates say. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import { systemRoles } from '#domains/access/roles.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'
import { pointsOf } from '#permission-points'

import { type Person, startServer, type TestServer } from '../harness/index.ts'
import { enrol, expectSound, found, look, ok, type Org, promote } from './helpers.ts'

let server: TestServer
let org: Org
let hidden: Org
const people: Record<string, Person> = {}

/** The role that each of them holds there; none for most. */
const WHO: Record<string, string | undefined> = {
  owner: 'OWNER',
  admin: 'ADMIN',
  member: 'MEMBER',
  guest: 'GUEST',
  stranger: undefined,
  'former member': undefined,
  'former admin': undefined,
  'invited person': undefined,
  applicant: undefined,
  'owner of another organization': undefined,
  'system administrator': undefined,
  USER_ADMIN: undefined,
  BUSINESS_ADMIN: undefined,
  OPERATION_ADMIN: undefined,
}
/** Roles of the console: they give nothing inside an organization. */
const PLATFORM_ROLES = ['USER_ADMIN', 'BUSINESS_ADMIN', 'OPERATION_ADMIN']

beforeAll(async () => {
  server = await startServer()
  for (const who of Object.keys(WHO))
    people[who] = who === 'system administrator' ? await server.admin() : await server.person()
  const administrator = people['system administrator']!
  const roles = ok(await administrator.get('/api/rbac/roles', { domain: 'PLATFORM', size: 100 })).data.items
  for (const code of PLATFORM_ROLES) {
    const { id } = roles.find((role: { code: string }) => role.code === code)
    ok(await administrator.post(`/api/rbac/users/${people[code]!.id}/roles`, { roleId: id }))
  }
  const owner = people['owner']!
  org = await found(owner)
  hidden = await found(owner, { visibility: 'INTERNAL' })
  for (const where of [org, hidden]) {
    for (const who of ['admin', 'member', 'guest', 'former member', 'former admin'])
      await enrol(owner, where, people[who]!)
    await promote(owner, where, people['admin']!, 'ADMIN')
    await promote(owner, where, people['guest']!, 'GUEST')
    await promote(owner, where, people['former admin']!, 'ADMIN')
    for (const who of ['former member', 'former admin']) ok(await people[who]!.post(`/api/orgs/${where.id}/leave`))
    ok(await owner.post(`/api/orgs/${where.id}/invite`, { userIds: [people['invited person']!.id] }))
  }
  ok(await people['applicant']!.post(`/api/orgs/${org.id}/apply`))
  await found(people['owner of another organization']!)
})
afterAll(() => server.stop())

const pointsHeld = (role: string | undefined): readonly string[] => {
  const found = systemRoles.find((r) => r.domain === 'ORG' && r.code === role)
  return found === undefined ? [] : found.points === 'everything' ? pointsOf('ORG') : found.points
}

const inOrganization = (e: AnyEndpoint): e is AnyEndpoint & { access: { kind: 'org' | 'dual'; point: string } } =>
  e.access.kind === 'org' || e.access.kind === 'dual'

describe('with an empty body, and ids that nobody has', () => {
  for (const endpoint of allEndpoints.filter(inOrganization))
    test(`${endpoint.method} ${endpoint.path}`, async () => {
      for (const where of [org, hidden])
        for (const [who, role] of Object.entries(WHO)) {
          const first = endpoint.access.kind === 'org' ? endpoint.path.replace(/:\w+/, String(where.id)) : endpoint.path
          const path = first.replaceAll(/:\w+/g, '999999999')
          const reply = await people[who]!.send(endpoint.method, path, {
            ...(endpoint.access.kind === 'dual' && { query: { orgId: where.id } }),
            ...(endpoint.body && { body: {} }),
          })
          const allowed = pointsHeld(role).includes(endpoint.access.point)
          const seen = `${who}: ${reply.status} ${reply.text.slice(0, 200)}`
          expect(reply.status, seen).toBeLessThan(500)
          // Nobody is told whether the organization exists: the 403 is the one for an unknown id.
          expect(reply.status === 403, seen).toBe(!allowed)
          if (!allowed) expect(reply.text, seen).not.toContain(String(where['name']))
        }
    })

  test('there were organizations to be asked about afterwards', async () => {
    for (const where of [org, hidden]) await expectSound(people['admin']!, where)
  })
})

describe('detail', () => {
  test('of a PUBLIC one: 200 for everybody, with permissions for members only', async () => {
    for (const [who, role] of Object.entries(WHO)) {
      const seen = await look(people[who]!, org)
      expect(seen['permissions'], who).toEqual([...pointsHeld(role)].toSorted())
      expect(seen['roleName'] === '', who).toBe(role === undefined)
      expect(seen['ownerId'], who).toBe(role === undefined ? null : people['owner']!.id)
      expect(seen['isOwner'], who).toBe(who === 'owner')
    }
  })

  test('of an INTERNAL one: 403 for who is no member', async () => {
    for (const [who, role] of Object.entries(WHO)) {
      const reply = await people[who]!.get(`/api/orgs/${hidden.id}`)
      expect(reply.status, who).toBe(role === undefined ? 403 : 200)
      if (role === undefined) expect(reply.text, who).not.toContain(String(hidden['name']))
    }
  })
})

test('permissions of another organization never count here', async () => {
  const other = people['owner of another organization']!
  for (const path of ['members', 'invitations', 'pending', 'stats', 'qrcode'])
    for (const where of [org, hidden]) expect((await other.get(`/api/orgs/${where.id}/${path}`)).status, path).toBe(403)
  // Two organizations in one request: the one in the path is the one that counts.
  const own = ok(await other.get('/api/orgs')).data.items[0].id
  expect((await other.send('GET', `/api/orgs/${hidden.id}/members`, { query: { orgId: own } })).status).toBe(403)
  expect(
    (
      await other.send('POST', '/api/qr-codes', {
        query: { orgId: hidden.id },
        body: { name: 'x', content: 'x', orgId: own },
      })
    ).status,
  ).toBe(403)
})
