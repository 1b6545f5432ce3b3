import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { organizations } from '#db/schema/orgs.ts'

import { inProcess, type Person, startServer, type TestServer } from '../harness/index.ts'
import { enrol, expectSound, found, look, ok, type Org } from './helpers.ts'

/** There is no operation of members to disable an organization: administrators of the server do. */
describe.if(inProcess)('a disabled organization', () => {
  let server: TestServer
  let owner: Person
  let member: Person
  let org: Org

  beforeAll(async () => {
    server = await startServer()
    owner = await server.person()
    member = await server.person()
    org = await found(owner, { joinPolicy: 'FREE' })
    await enrol(owner, org, member)
    await server.ctx.db.write('test', async (tx) => {
      await tx.update(organizations).set({ status: 'DISABLED' }).where(eq(organizations.id, org.id))
    })
  })
  afterAll(() => server.stop())

  test('takes nobody in, by any way', async () => {
    const person = await server.person()
    for (const reply of [
      await person.post('/api/orgs/join-by-code', { code: org.code }),
      await person.post(`/api/orgs/${org.id}/apply`),
      await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] }),
      await owner.post(`/api/orgs/${org.id}/share-join-link`, { userIds: [person.id] }),
    ])
      expect(reply.status).toBe(400)
    await expectSound(owner, org)
    expect((await look(owner, org)).memberCount).toBe(2)
  })

  test('is seen by its members only, and is nobody’s current one any more', async () => {
    expect(await look(member, org)).toMatchObject({ status: 'DISABLED', roleName: 'Member' })
    expect((await (await server.person()).get(`/api/orgs/${org.id}`)).status).toBe(404)
    expect((await server.request('GET', `/api/orgs/public/${org.code}`)).status).toBe(404)
    expect(ok(await member.get('/api/discover/orgs')).data.total).toBe(0)
    expect((await member.patch(`/api/orgs/${org.id}/switch`)).status).toBe(400)
    expect(ok(await member.get('/api/auth/userinfo')).data.currentOrgId).toBeNull()
  })

  test('can still be left', async () => {
    ok(await member.post(`/api/orgs/${org.id}/leave`))
    expect((await look(owner, org)).memberCount).toBe(1)
  })
})
