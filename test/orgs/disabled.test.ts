/** Administrators of the server can disable an organization. Its members can then read it, and change nothing in it. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import type { OrgStatus } from '#db/schema/orgs.ts'
import { isReading } from '#domains/access/rules.ts'

import { type Person, useServer } from '../harness/index.ts'
import {
  addMembers,
  answerOffer,
  apply,
  createOrg,
  currentOrgId,
  expectConsistent,
  getOrg,
  invite,
  joinByCode,
  leave,
  offerTo,
  ok,
  type Org,
  respond,
  setRole,
  switchTo,
} from './helpers.ts'

describe('a disabled organization', () => {
  const { server, admin, owner, deputy, member, invited } = useServer({
    people: ['owner', 'deputy', 'member', 'invited'],
  })
  let org: Org

  const setStatus = async (status: OrgStatus) =>
    ok(await admin.call('admin.orgs.update', { params: { orgId: org.id }, body: { status } }))

  beforeAll(async () => {
    org = await createOrg(owner, { joinPolicy: 'FREE' })
    await addMembers(owner, org, deputy, member)
    await setRole(owner, org, deputy, 'ADMIN')
    ok(await owner.call('qrCodes.create', { query: { orgId: org.id }, body: { name: 'Menu', content: 'menu' } }))
    await setStatus('DISABLED')
  })

  /** Calls an operation in the organization. All other ids are unknown. */
  function call(user: Person, endpoint: (typeof allEndpoints)[number]) {
    const first = endpoint.access.kind === 'org' ? endpoint.path.replace(/:\w+/, String(org.id)) : endpoint.path
    return user.send(endpoint.method, first.replaceAll(/:\w+/g, '999999999'), {
      ...(endpoint.access.kind === 'dual' && { query: { orgId: org.id } }),
      ...(endpoint.body && { body: {} }),
    })
  }

  for (const endpoint of allEndpoints)
    if (endpoint.access.kind === 'org' || endpoint.access.kind === 'dual') {
      const { point } = endpoint.access
      // Operations that change something are refused, even those that ask for a reading point.
      const isAllowed = isReading(point) && (endpoint.method === 'GET' || point.endsWith(':export'))
      test(`${endpoint.method} ${endpoint.path} in a disabled organization is ${isAllowed ? 'allowed' : 'answered with 403'}`, async () => {
        for (const user of [owner, deputy]) {
          const reply = await call(user, endpoint)
          expect(reply.status === 403, `${user.username}: ${reply.status} ${reply.text}`).toBe(!isAllowed)
        }
      })
    }

  test('the owner of a disabled organization can neither rename it nor add or change a QR code, and both can still be read', async () => {
    expect((await owner.put(`/api/orgs/${org.id}`, { name: 'renamed' })).status).toBe(403)
    const code = { name: 'new', content: 'new' }
    expect((await owner.post(`/api/qr-codes?orgId=${org.id}`, code)).status).toBe(403)
    expect((await owner.post('/api/qr-codes', { ...code, orgId: org.id })).status).toBe(403)
    expect(await getOrg(owner, org)).toMatchObject({ name: org.name, status: 'DISABLED', memberCount: 3 })
    const { items } = ok(await owner.call('qrCodes.list', { query: { orgId: org.id } })).data
    expect(items.map((item) => item.name)).toEqual(['Menu'])
    // Without orgId the row decides whose it is.
    const path = `/api/qr-codes/${items[0]!.id}`
    expect((await owner.get(path)).status).toBe(200)
    expect((await owner.put(path, { name: 'renamed' })).status).toBe(403)
    expect((await owner.patch(`${path}/pin`, { pinned: true })).status).toBe(403)
    expect((await owner.delete(path)).status).toBe(403)
  })

  test('the permissions that members of a disabled organization see contain reading points only', async () => {
    const { permissions } = await getOrg(owner, org)
    expect(permissions).toContain('member:read')
    expect(permissions.filter((point) => !isReading(point))).toEqual([])
  })

  test('GET /api/rbac/explain names the disabled organization as the reason', async () => {
    const ask = async (permission: string) =>
      ok(await admin.call('access.explain', { query: { userId: owner.id, orgId: org.id, permission } })).data.answers[0]
    expect(await ask('org:update')).toMatchObject({ granted: false, reason: 'ORG_DISABLED' })
    expect(await ask('org:read')).toMatchObject({ granted: true, reason: 'SHORT_CIRCUIT' })
  })

  test('a disabled organization accepts no new members in any way', async () => {
    await setStatus('ACTIVE')
    const [{ invitationId } = { invitationId: undefined }] = await invite(owner, org, invited)
    await setStatus('DISABLED')
    const person = await server.person()
    for (const reply of [
      await joinByCode(person, org.code),
      await apply(person, org),
      await respond(invited, invitationId!, true),
      await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] }),
      await owner.post(`/api/orgs/${org.id}/share-join-link`, { userIds: [person.id] }),
    ])
      expect(reply.status).toBe(403)
    expect((await getOrg(owner, org)).memberCount).toBe(3)
    // The invitee may still refuse.
    ok(await respond(invited, invitationId!, false))
  })

  test('a disabled organization is visible to its members only and cannot become the current one', async () => {
    expect(await getOrg(member, org)).toMatchObject({ status: 'DISABLED', roleName: 'Member' })
    expect((await (await server.person()).get(`/api/orgs/${org.id}`)).status).toBe(404)
    expect((await server.request('GET', `/api/orgs/public/${org.code}`)).status).toBe(404)
    expect(ok(await member.call('orgs.discover')).data.total).toBe(0)
    expect((await switchTo(member, org)).status).toBe(403)
    expect((await member.put('/api/users/me/current-org', { orgId: org.id })).status).toBe(403)
    expect(await currentOrgId(member)).toBeNull()
  })

  test('a disabled organization cannot change its owner, and the candidate can decline', async () => {
    await setStatus('ACTIVE')
    ok(await offerTo(owner, org, member))
    await setStatus('DISABLED')
    expect((await answerOffer(member, org, true)).status).toBe(403)
    expect((await getOrg(owner, org)).isOwner).toBe(true)
    ok(await answerOffer(member, org, false))
  })

  test('members can leave a disabled organization', async () => {
    ok(await leave(member, org))
    expect((await getOrg(owner, org)).memberCount).toBe(2)
  })

  test('an organization that is enabled again can be changed at once', async () => {
    await setStatus('ACTIVE')
    ok(await deputy.put(`/api/orgs/${org.id}`, { name: 'back again' }))
    await expectConsistent(owner, org)
    await setStatus('DISABLED')
    expect((await deputy.put(`/api/orgs/${org.id}`, { name: 'no more' })).status).toBe(403)
  })
})
