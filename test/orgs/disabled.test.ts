/** Administrators of the server can disable an organization. Its members can then read it, and change nothing in it. Refusals say so. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import type { OrgStatus } from '#db/schema/orgs.ts'
import { isReading } from '#domains/access/access.rules.ts'
import { noPermission, organizationDisabled } from '#http/permissions.ts'

import { png, uploaded } from '../files/helpers.ts'
import { type Person, type Reply, useServer } from '../harness/index.ts'
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

/** Members see the reason in the message. */
const expectDisabled = (reply: Reply, who = '') =>
  expect([reply.status, reply.message], who).toEqual([403, organizationDisabled.text.en])

/** They change nothing. */
const TRIES: readonly string[] = [
  'qrCodes.tryLink',
  'qrCodeDesigns.check',
  'assets.labels',
  'assets.countLabels',
  'labelProfiles.calibrate',
]

/** Bodies of operations that ask for a reading point, so that they are not refused for their body. */
const BODIES: Readonly<Record<string, object>> = {
  'assetReservations.create': { items: [{ assetId: 999_999_999 }], from: Date.now(), to: Date.now() + 86_400_000 },
}

/** Members need only `asset:read` for them, so they look for the organization after the supply: see test/assets/supplies.test.ts. */
const CHECKED_LATER: readonly string[] = ['supplies.move', 'supplies.moveMany']

describe('a disabled organization', () => {
  const { server, admin, owner, deputy, member, invited, stranger } = useServer({
    people: ['owner', 'deputy', 'member', 'invited', 'stranger'],
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
      ...(endpoint.body && { body: BODIES[endpoint.id] ?? {} }),
    })
  }

  for (const endpoint of allEndpoints)
    if (!CHECKED_LATER.includes(endpoint.id) && (endpoint.access.kind === 'org' || endpoint.access.kind === 'dual')) {
      const { point } = endpoint.access
      // Operations that change something are refused, even those that ask for a reading point.
      const isAllowed =
        isReading(point) && (endpoint.method === 'GET' || point.endsWith(':export') || TRIES.includes(endpoint.id))
      test(`${endpoint.method} ${endpoint.path} in a disabled organization is ${isAllowed ? 'allowed' : 'answered with 403'}`, async () => {
        for (const user of [owner, deputy]) {
          const reply = await call(user, endpoint)
          if (isAllowed) expect(reply.status, `${user.username}: ${reply.text}`).not.toBe(403)
          else expectDisabled(reply, user.username)
        }
        const reply = await call(stranger, endpoint)
        if (reply.status === 403) expect(reply.message).toBe(noPermission.text.en)
        else expect(reply.message).not.toContain('disabled')
      })
    }

  test('the owner of a disabled organization can neither rename it nor add or change a QR code, and both can still be read', async () => {
    expectDisabled(await owner.put(`/api/orgs/${org.id}`, { name: 'renamed' }))
    const code = { name: 'new', content: 'new' }
    expectDisabled(await owner.post(`/api/qr-codes?orgId=${org.id}`, code))
    expectDisabled(await owner.post('/api/qr-codes', { ...code, orgId: org.id }))
    expect(await getOrg(owner, org)).toMatchObject({ name: org.name, status: 'DISABLED', memberCount: 3 })
    const { items } = ok(await owner.call('qrCodes.list', { query: { orgId: org.id } })).data
    expect(items.map((item) => item.name)).toEqual(['Menu'])
    // Without orgId the row decides whose it is.
    const path = `/api/qr-codes/${items[0]!.id}`
    expect((await owner.get(path)).status).toBe(200)
    expectDisabled(await owner.put(path, { name: 'renamed' }))
    expectDisabled(await owner.patch(`${path}/pin`, { pinned: true }))
    expectDisabled(await owner.delete(path))
    // A member without the permission gets the same answer, a stranger does not.
    expectDisabled(await member.put(path, { name: 'renamed' }))
    expect((await stranger.put(path, { name: 'renamed' })).status).toBe(404)
    const inChinese = await owner.send('DELETE', path, { headers: { 'accept-language': 'zh-CN' } })
    expect([inChinese.status, inChinese.message]).toEqual([403, organizationDisabled.text.zh])
  })

  test('requests that name a disabled organization in their body are refused and say so, to its members only', async () => {
    const mine = async (user: Person) => ok(await user.call('assets.create', { body: { name: 'Chair' } })).data.id
    const activity = { name: 'Fair', startTime: server.clock.now() + 1000, endTime: server.clock.now() + 2000 }
    const record = (user: Person) => ({
      entity: 'qrCode' as const,
      localId: `of ${user.username}`,
      baseVersion: 0,
      updatedAt: server.clock.now(),
      data: { name: 'Menu', content: 'menu', orgId: org.id },
    })
    for (const user of [owner, member, stranger]) {
      const message = (user === stranger ? noPermission : organizationDisabled).text.en
      const replies = [
        await user.call('assets.transfer', { params: { id: await mine(user) }, body: { toOrgId: org.id } }),
        await user.call('activities.create', {
          body: { ...activity, ownerType: 'ORGANIZATION', ownerId: org.id },
        }),
        await user.call('files.createTicket', { body: { type: 'org', name: 'a.png', size: 10, orgId: org.id } }),
      ]
      expect(replies.map((reply) => [reply.status, reply.message])).toEqual(replies.map(() => [403, message]))
      const pushed = ok(await user.call('sync.push', { body: { records: [record(user)] } })).data.results[0]
      expect(pushed).toMatchObject({ status: 'REJECTED', message })
    }
  })

  test('unused uploads of a disabled organization cannot be deleted, and the refusal says why', async () => {
    await setStatus('ACTIVE')
    const file = await uploaded(owner, png(), { type: 'org', orgId: org.id })
    await setStatus('DISABLED')
    expectDisabled(await owner.call('files.delete', { params: { id: file.id } }))
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
