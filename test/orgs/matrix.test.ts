/** Every kind of user × every operation on an organization, against the points of the role templates. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import { systemRoles } from '#domains/access/system-roles.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'
import { pointsOf } from '#permission-points'

import { type Person, useServer } from '../harness/index.ts'
import {
  addMembers,
  apply,
  createOrg,
  expectConsistent,
  getOrg,
  invite,
  leave,
  ok,
  type Org,
  setRole,
} from './helpers.ts'

const { server, admin } = useServer()
let org: Org
let hidden: Org
const people: Record<string, Person> = {}

/** The kinds of users, each with its role in both organizations. */
const USERS: Record<string, string | undefined> = {
  owner: 'OWNER',
  admin: 'ADMIN',
  member: 'MEMBER',
  guest: 'GUEST',
  'gate person': 'GATE',
  'asset keeper': 'KEEPER',
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
/** Roles of the PLATFORM domain give no permissions in an organization. */
const PLATFORM_ROLES = ['USER_ADMIN', 'BUSINESS_ADMIN', 'OPERATION_ADMIN']

beforeAll(async () => {
  for (const who of Object.keys(USERS)) people[who] = who === 'system administrator' ? admin : await server.person()
  const roles = ok(await admin.get('/api/rbac/roles', { domain: 'PLATFORM', size: 100 })).data.items
  for (const code of PLATFORM_ROLES) {
    const { id } = roles.find((role: { code: string }) => role.code === code)
    ok(await admin.post(`/api/rbac/users/${people[code]!.id}/roles`, { roleId: id }))
  }
  const owner = people['owner']!
  org = await createOrg(owner)
  hidden = await createOrg(owner, { visibility: 'INTERNAL' })
  for (const where of [org, hidden]) {
    const members = ['admin', 'member', 'guest', 'gate person', 'asset keeper', 'former member', 'former admin']
    for (const who of members) await addMembers(owner, where, people[who]!)
    for (const preset of ['GATE', 'KEEPER'] as const) {
      const role = await owner.call('orgs.createRole', { params: { orgId: where.id }, body: { name: preset, preset } })
      expect(ok(role).data.code).toBe(preset)
      await setRole(owner, where, people[preset === 'GATE' ? 'gate person' : 'asset keeper']!, preset)
    }
    await setRole(owner, where, people['admin']!, 'ADMIN')
    await setRole(owner, where, people['guest']!, 'GUEST')
    await setRole(owner, where, people['former admin']!, 'ADMIN')
    for (const who of ['former member', 'former admin']) ok(await leave(people[who]!, where))
    await invite(owner, where, people['invited person']!)
  }
  ok(await apply(people['applicant']!, org))
  await createOrg(people['owner of another organization']!)
})

/** The points of roles that the owner made from presets. */
const PRESETS: Record<string, readonly string[]> = {
  GATE: 'org:read activity:read pass:read pass:verify checkin:read'.split(' '),
  KEEPER: (
    'org:read asset:read asset:create asset:update asset:transfer asset:export inventory:manage inventory:scan location:read ' +
    'meta_field:read meta_template:read meta_value:read meta_value:update member:read'
  ).split(' '),
}

const pointsHeld = (role: string | undefined): readonly string[] => {
  if (role !== undefined && PRESETS[role] !== undefined) return PRESETS[role]
  const template = systemRoles.find((r) => r.domain === 'ORG' && r.code === role)
  return template === undefined ? [] : template.points === 'everything' ? pointsOf('ORG') : template.points
}

const inOrganization = (e: AnyEndpoint): e is AnyEndpoint & { access: { kind: 'org' | 'dual'; point: string } } =>
  e.access.kind === 'org' || e.access.kind === 'dual'

describe('with an empty body and unknown ids in the path', () => {
  for (const endpoint of allEndpoints.filter(inOrganization))
    test(`${endpoint.method} ${endpoint.path} answers 403 exactly to users without ${endpoint.access.point}`, async () => {
      for (const where of [org, hidden])
        for (const [who, role] of Object.entries(USERS)) {
          const first = endpoint.access.kind === 'org' ? endpoint.path.replace(/:\w+/, String(where.id)) : endpoint.path
          const path = first.replaceAll(/:\w+/g, '999999999')
          const reply = await people[who]!.send(endpoint.method, path, {
            ...(endpoint.access.kind === 'dual' && { query: { orgId: where.id } }),
            ...(endpoint.body && { body: {} }),
          })
          const allowed = pointsHeld(role).includes(endpoint.access.point)
          const seen = `${who}: ${reply.status} ${reply.text.slice(0, 200)}`
          expect(reply.status, seen).toBeLessThan(500)
          // The 403 is the same as for an unknown id, so it does not reveal that the organization exists.
          expect(reply.status === 403, seen).toBe(!allowed)
          if (!allowed) expect(reply.text, seen).not.toContain(where.name)
        }
    })

  test('both organizations still exist and are consistent after all these requests', async () => {
    for (const where of [org, hidden]) await expectConsistent(people['admin']!, where)
  })
})

describe('GET /orgs/:id', () => {
  test('GET /orgs/:id of a PUBLIC organization answers everyone, with permissions for members only', async () => {
    for (const [who, role] of Object.entries(USERS)) {
      const seen = await getOrg(people[who]!, org)
      expect(seen.permissions, who).toEqual([...pointsHeld(role)].toSorted())
      expect(seen.roleName === '', who).toBe(role === undefined)
      expect(seen.ownerId, who).toBe(role === undefined ? null : people['owner']!.id)
      expect(seen.isOwner, who).toBe(who === 'owner')
    }
  })

  test('GET /orgs/:id of an INTERNAL organization answers 403 to non-members', async () => {
    for (const [who, role] of Object.entries(USERS)) {
      const reply = await people[who]!.get(`/api/orgs/${hidden.id}`)
      expect(reply.status, who).toBe(role === undefined ? 403 : 200)
      if (role === undefined) expect(reply.text, who).not.toContain(hidden.name)
    }
  })
})

test('permissions in one organization never count in another', async () => {
  const other = people['owner of another organization']!
  for (const path of ['members', 'invitations', 'pending', 'stats', 'qrcode'])
    for (const where of [org, hidden]) expect((await other.get(`/api/orgs/${where.id}/${path}`)).status, path).toBe(403)
  // If a request names two organizations, the one in the path counts; two in query and body are refused.
  const own = ok(await other.call('orgs.list')).data.items[0]!.id
  expect((await other.send('GET', `/api/orgs/${hidden.id}/members`, { query: { orgId: own } })).status).toBe(403)
  expect(
    (
      await other.send('POST', '/api/qr-codes', {
        query: { orgId: hidden.id },
        body: { name: 'x', content: 'x', orgId: own },
      })
    ).status,
  ).toBe(400)
})
