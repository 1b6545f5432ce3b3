import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { organizations } from '#db/schema/orgs.ts'

import { inProcess, useServer } from '../harness/index.ts'
import {
  addMembers,
  apply,
  createOrg,
  currentOrgId,
  expectConsistent,
  getOrg,
  joinByCode,
  leave,
  ok,
  type Org,
  switchTo,
} from './helpers.ts'

// Members cannot disable an organization (administrators of the server do), so the tests write to the database.
describe.if(inProcess)('a disabled organization', () => {
  const { server, owner, member } = useServer({ people: ['owner', 'member'] })
  let org: Org

  beforeAll(async () => {
    org = await createOrg(owner, { joinPolicy: 'FREE' })
    await addMembers(owner, org, member)
    await server.ctx.db.write('test', async (tx) => {
      await tx.update(organizations).set({ status: 'DISABLED' }).where(eq(organizations.id, org.id))
    })
  })

  test('a disabled organization accepts no new members in any way', async () => {
    const person = await server.person()
    for (const reply of [
      await joinByCode(person, org.code),
      await apply(person, org),
      await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] }),
      await owner.post(`/api/orgs/${org.id}/share-join-link`, { userIds: [person.id] }),
    ])
      expect(reply.status).toBe(400)
    await expectConsistent(owner, org)
    expect((await getOrg(owner, org)).memberCount).toBe(2)
  })

  test('a disabled organization is visible to its members only and cannot become the current one', async () => {
    expect(await getOrg(member, org)).toMatchObject({ status: 'DISABLED', roleName: 'Member' })
    expect((await (await server.person()).get(`/api/orgs/${org.id}`)).status).toBe(404)
    expect((await server.request('GET', `/api/orgs/public/${org.code}`)).status).toBe(404)
    expect(ok(await member.call('orgs.discover')).data.total).toBe(0)
    expect((await switchTo(member, org)).status).toBe(400)
    expect(await currentOrgId(member)).toBeNull()
  })

  test('members can leave a disabled organization', async () => {
    ok(await leave(member, org))
    expect((await getOrg(owner, org)).memberCount).toBe(1)
  })
})
